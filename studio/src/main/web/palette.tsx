// ⌘K: pages, and whatever the search of the API knows.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, url } from "./api";
import { go } from "./hooks";
import { PLACES } from "./routes";
import { line } from "./text";

interface Hit {
  title: string;
  kind: string;
  href: string;
  /** What stands around the words in a recorded body. */
  text?: string;
}

interface Found {
  type: string;
  name: string;
  text?: string | null;
}

/** Why the words of prompts and answers were not searched. */
const UNREAD: Record<string, string> = {
  off: "Prompts and answers are not searched: recording.search is off in this gateway's configuration.",
  forbidden: "Prompts and answers are not searched: your role may not see them.",
};

function href({ type, name }: Found): string {
  const value = encodeURIComponent(name);
  switch (type) {
    case "call": return `/calls/${value}`;
    case "run": return `/runs/${value}`;
    case "agent": return `/runs?agent=${value}`;
    case "model":
    case "client":
    case "target":
    case "kind": return `/calls?${type}=${value}`;
    default: return `/calls?q=${value}`;
  }
}

export function Palette({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState("");
  const [hits, setHits] = useState<Hit[]>([]);
  const [bodies, setBodies] = useState("searched");
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    setAt(0);
    const words = asked.trim();
    if (words.length < 2) {
      setHits([]);
      return;
    }
    const abort = new AbortController();
    const timer = window.setTimeout(async () => {
      try {
        const answer = await get<{ hits: Found[]; bodies?: string }>(url("/api/search", { q: words }), abort.signal);
        setBodies(answer.bodies ?? "searched");
        setHits(answer.hits.map((found) => ({ title: line(found.name, 90), kind: found.type, href: href(found), text: found.text ? line(found.text, 200) : undefined })));
      } catch {
        if (!abort.signal.aborted) setHits([]);
      }
    }, 150);
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [asked]);
  const words = asked.trim().toLowerCase();
  const all: Hit[] = [
    ...PLACES.filter((place) => place.title.toLowerCase().includes(words)).map((place) => ({ title: place.title, kind: `page · g ${place.key}`, href: place.path })),
    ...(/^call_\w+$/.test(asked.trim()) ? [{ title: asked.trim(), kind: "call", href: `/calls/${asked.trim()}` }] : []),
    ...(/^run_\w+$/.test(asked.trim()) ? [{ title: asked.trim(), kind: "run", href: `/runs/${asked.trim()}` }] : []),
    ...hits,
    ...(words.length > 1 ? [{ title: `Calls with “${asked.trim()}”`, kind: "search", href: url("/calls", { q: asked.trim() }) }] : []),
  ];
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    dialog.current?.close();
    go(hit.href);
  };
  return (
    <dialog class="palette" ref={dialog} onClose={close} aria-label="Search" onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <input
        type="text" role="combobox" aria-expanded="true" aria-controls="hits" aria-label="Find pages, calls, runs, models"
        aria-activedescendant={all[at] ? `hit-${at}` : undefined}
        placeholder="Find pages, calls, runs, models, words…" autoFocus value={asked}
        onInput={(event) => setAsked(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(all.length - 1, at + 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter") open(all[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="hits" role="listbox" aria-label="Results">
        {all.map((hit, index) => (
          <li id={`hit-${index}`} role="option" aria-selected={index === at} onMouseMove={() => setAt(index)} onClick={() => open(hit)}>
            <span class="hit"><span class="cut">{hit.title}</span>{hit.text && <small class="cut">{hit.text}</small>}</span><span class="kind">{hit.kind}</span>
          </li>
        ))}
      </ul>
      {words.length > 1 && UNREAD[bodies] && <p class="note">{UNREAD[bodies]}</p>}
    </dialog>
  );
}
