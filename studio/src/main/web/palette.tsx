// ⌘K: pages, and whatever the search of the API knows.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, url } from "./api";
import { go } from "./hooks";
import { prefixOf, type Prefix } from "./ids";
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
  away: "The search does not answer now. Pages can be opened all the same.",
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

/** The calls or runs whose ids begin so: those of the time that the beginning tells. */
async function idsOf({ kind, text, from, to }: Prefix, signal: AbortSignal): Promise<string[]> {
  const page = await get<{ calls?: { id: string }[]; runs?: { run: string }[] }>(url(`/api/${kind}s`, { from, to, limit: 1000 }), signal);
  return [...(page.calls ?? []).map((each) => each.id), ...(page.runs ?? []).map((each) => each.run)].filter((id) => id.startsWith(text)).slice(0, 8);
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
        const begun = prefixOf(words);
        const ids = begun && !begun.whole ? await idsOf(begun, abort.signal) : [];
        setHits([...ids.map((name) => ({ type: begun!.kind, name })), ...answer.hits].map((found: Found) => ({ title: line(found.name, 90), kind: found.type, href: href(found), text: found.text ? line(found.text, 200) : undefined })));
      } catch {
        if (abort.signal.aborted) return;
        setHits([]);
        setBodies("away");
      }
    }, 150);
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [asked]);
  useEffect(() => document.getElementById(`hit-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const words = asked.trim().toLowerCase();
  const prefix = prefixOf(asked);
  const all: Hit[] = [
    ...PLACES.filter((place) => place.title.toLowerCase().includes(words)).map((place) => ({ title: place.title, kind: `page · g ${place.key}`, href: place.path })),
    ...(prefix?.whole ? [{ title: prefix.text, kind: prefix.kind, href: href({ type: prefix.kind, name: prefix.text }) }] : []),
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
