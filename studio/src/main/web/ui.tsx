// The small pieces that every page is made of.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api";
import { ago, fullTime } from "./format";
import { go, useAddress, useNow, withQuery, type Loaded } from "./hooks";

export type Tone = "good" | "bad" | "warn" | "info" | "accent" | "";

export function Badge({ tone = "", children, title }: { tone?: Tone; children: ComponentChildren; title?: string }) {
  return <span class={`badge ${tone}`} title={title}>{children}</span>;
}

/** Inside the studio a link changes the page without loading it anew. */
export function Link({ href, children, ...rest }: JSX.HTMLAttributes<HTMLAnchorElement> & { href: string; class?: string }) {
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        event.stopPropagation();
        go(href);
      }}
      {...rest}
    >
      {children}
    </a>
  );
}

/** A value that filters its list by one click; `of`: the page of that list, where it is another one. */
export function Filter({ name, value, children, of }: { name: string; value: string | null; children?: ComponentChildren; of?: string }) {
  if (value === null || value === "") return <span class="faint">–</span>;
  if (of) return <Link class="filterable" title={`Only ${name} ${value}`} href={`${of}?${name}=${encodeURIComponent(value)}`}>{children ?? value}</Link>;
  return (
    <span
      class="filterable"
      title={`Only ${name} ${value}`}
      onClick={(event) => {
        event.stopPropagation();
        go(withQuery({ [name]: value, cursor: null }));
      }}
    >
      {children ?? value}
    </span>
  );
}

/** A column's head that filters by the column: its name until something is chosen. */
export function HeadFilter({ name, title, values = [], hint, want }: { name: string; title: string; values?: readonly string[]; hint?: string; want?: () => void }) {
  const value = useAddress().query.get(name) ?? "";
  const set = (text: string) => go(withQuery({ [name]: text.trim() || null, cursor: null }));
  return (
    <>
      <input key={value} class={value ? "head-filter on" : "head-filter"} aria-label={`Filter by ${title.toLowerCase()}`} title={hint ?? `Only one ${title.toLowerCase()}: type it and press Enter`} placeholder={title} list={values.length > 0 ? `values-${name}` : undefined} defaultValue={value} onFocus={want}
        onChange={(event) => event.currentTarget.value.trim() !== value && set(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && set(event.currentTarget.value)} />
      {values.length > 0 && <datalist id={`values-${name}`}>{values.map((each) => <option value={each} />)}</datalist>}
    </>
  );
}

/** How long ago; `short` leaves the word out where a column's head says it. */
export function Ago({ at, short = false }: { at: string | null | undefined; short?: boolean }) {
  const now = useNow();
  const words = ago(at, now);
  return <time dateTime={at ?? undefined} title={fullTime(at)}>{short ? words.replace(/ ago$/, "") : words}</time>;
}

export function Copy({ text, children }: { text: string; children?: ComponentChildren }) {
  const [done, setDone] = useState(false);
  return (
    <button
      class="btn small"
      onClick={async (event) => {
        event.stopPropagation();
        await navigator.clipboard.writeText(text).then(() => setDone(true), () => say("The browser does not allow this page to copy.", true));
        window.setTimeout(() => setDone(false), 1500);
      }}
    >
      {done ? "Copied" : (children ?? "Copy")}
    </button>
  );
}

export function Panel({ title, side, children, flush = false }: { title?: ComponentChildren; side?: ComponentChildren; children: ComponentChildren; flush?: boolean }) {
  return (
    <section class="panel">
      {(title || side) && (
        <header>
          {title && <h2>{title}</h2>}
          {side}
        </header>
      )}
      {flush ? children : <div class="in">{children}</div>}
    </section>
  );
}

/** Nothing here yet, and the lines that change that. */
/** Says that a page shows the newest of a list, where the list goes on. */
export function Newest({ of, next }: { of: readonly unknown[]; next: string | null }) {
  return next ? <p class="faint">The newest {of.length}. The API has the older ones.</p> : null;
}

export function Empty({ title, children, code }: { title: string; children?: ComponentChildren; code?: string }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {code && (
        <div class="col">
          <pre class="code" tabIndex={0}>{code}</pre>
          <div><Copy text={code} /></div>
        </div>
      )}
    </div>
  );
}

const ADVICE: Record<number, string> = {
  0: "It may be restarting. This page tries again by itself.",
  400: "Change it or take it away above.",
  401: "Sign in and return to this page.",
  403: "Your role does not include this. Ask an administrator of this gateway.",
  404: "Its retention may have passed, or the address may have a typing error.",
  429: "Too many requests. This page tries again by itself.",
  500: "The gateway's log gives the reason. This page tries again by itself.",
  503: "The gateway runs but cannot answer this now. This page tries again by itself.",
};

export function Problem({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <strong>{error.message}</strong>
      {error.allowed.length > 0 && <span>Allowed: {error.allowed.join(", ")}.</span>}
      <span>{ADVICE[error.status] ?? ""} <span class="faint">{error.code}</span></span>
      <div class="row">
        {error.status === 401 && (
          <Link class="btn small" href={`/login?back=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</Link>
        )}
        {retry && error.status !== 400 && error.status !== 401 && <button class="btn small" onClick={retry}>Ask again</button>}
      </div>
    </div>
  );
}

/** What was loaded, or why not, or that it is on its way. */
export function Show<T>({ from, children }: { from: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {from.error && !(from.error.status === 0 && from.data) && <Problem error={from.error} retry={from.reload} />}
      {from.data ? children(from.data) : !from.error && <Loading />}
    </>
  );
}

function Loading() {
  // Nothing for a moment: an answer in 50 ms must not flicker.
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), 400);
    return () => window.clearTimeout(timer);
  }, []);
  return late ? <p class="faint" role="status">Loading…</p> : null;
}

export function Tabs({ tabs, at, pick }: { tabs: [string, string][]; at: string; pick: (tab: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the chosen tab may stand beyond the edge. The page itself stays where it is.
  useEffect(() => {
    const box = list.current;
    const chosen = box?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!box || !chosen) return;
    const [from, to] = [chosen.offsetLeft - box.offsetLeft, chosen.offsetLeft - box.offsetLeft + chosen.offsetWidth];
    if (from < box.scrollLeft || to > box.scrollLeft + box.clientWidth) box.scrollLeft = from - (box.clientWidth - chosen.offsetWidth) / 2;
  }, [at]);
  const move = (by: number) => {
    const index = tabs.findIndex(([name]) => name === at);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next) {
      pick(next[0]);
      document.getElementById(`tab-${next[0]}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" ref={list}>
      {tabs.map(([name, title]) => (
        <button
          id={`tab-${name}`}
          role="tab"
          aria-selected={name === at}
          tabIndex={name === at ? 0 : -1}
          onClick={() => pick(name)}
          onKeyDown={(event) => {
            if (event.key === "ArrowRight") move(1);
            else if (event.key === "ArrowLeft") move(-1);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Figure({ name, value, note, href, tone = "" }: { name: string; value: ComponentChildren; note?: ComponentChildren; href?: string; tone?: Tone }) {
  const inside = (
    <>
      <span class="name">{name}</span>
      <span class={`value ${tone}`}>{value}</span>
      {note && <span class="note">{note}</span>}
    </>
  );
  return href ? <Link class="number" href={href}>{inside}</Link> : <div class="number">{inside}</div>;
}

/** Bars of a list, the longest first; each filters or leads somewhere. */
export function Bars({ rows, href, tone = "", show }: { rows: { key: string; value: number; note?: string; label?: string }[]; href?: (key: string) => string; tone?: string; show: (value: number) => string }) {
  const most = Math.max(1e-12, ...rows.map((row) => row.value));
  return (
    <div class="bars">
      {rows.map((row) => {
        const inside = (
          <>
            <span class={`fill ${tone}`} style={{ width: `${(100 * row.value) / most}%` }} />
            <span class="cut" title={row.key}>{row.label ?? row.key}</span>
            <span>{row.note && <span class="faint">{row.note} </span>}{show(row.value)}</span>
          </>
        );
        return href ? <button onClick={() => go(href(row.key))}>{inside}</button> : <div class="bar-row">{inside}</div>;
      })}
    </div>
  );
}

// ---- what was done, said for a few seconds

let tell: ((note: { text: string; bad: boolean }) => void) | null = null;

export function say(text: string, bad = false) {
  tell?.({ text, bad });
}

export function Notes() {
  const [notes, setNotes] = useState<{ id: number; text: string; bad: boolean }[]>([]);
  const next = useRef(0);
  tell = (note) => {
    const id = next.current++;
    setNotes((old) => [...old.slice(-3), { id, ...note }]);
    window.setTimeout(() => setNotes((old) => old.filter((each) => each.id !== id)), note.bad ? 9000 : 4000);
  };
  return (
    <div class="notes" role="status">
      {notes.map((note) => <div key={note.id} class={note.bad ? "bad" : ""}>{note.text}</div>)}
    </div>
  );
}

/** A button that does something once, says so, and shows the gateway's words where it cannot. */
export function Act({ act, done, children, tone = "", ask }: { act: () => Promise<unknown>; done: string; children: ComponentChildren; tone?: string; ask?: string }) {
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  useEffect(() => {
    if (!sure) return;
    const timer = window.setTimeout(() => setSure(false), 4000);
    return () => window.clearTimeout(timer);
  }, [sure]);
  return (
    <button
      class={`btn ${tone}`}
      aria-disabled={busy}
      onClick={async () => {
        // Not `disabled`: that would take the focus away.
        if (busy) return;
        if (ask && !sure) {
          setSure(true);
          return;
        }
        setBusy(true);
        setSure(false);
        try {
          await act();
          say(done);
        } catch (thrown) {
          say(thrown instanceof Error ? thrown.message : String(thrown), true);
        } finally {
          setBusy(false);
        }
      }}
    >
      {sure ? ask : children}
    </button>
  );
}
