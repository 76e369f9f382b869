// The page of a list, of calls or of runs: what is typed filters it, views are kept, new rows come by
// themselves.

import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { url } from "../api";
import { go, useAddress, useKept, withQuery } from "../hooks";
import { useKeys } from "../keys";
import { PAGE, useRows } from "../list";
import { Table, tall, type Column } from "../table";
import { Empty, Link, Panel, Problem } from "../ui";
import { Chips, TimeRange, parametersOf, since, typed, type Measure } from "./filters";

/** What one list is made of. */
export interface Listing<T> {
  /** Its name in the API and in the addresses: `calls`. */
  field: "calls" | "runs";
  title: string;
  filters: readonly string[];
  measures: readonly Measure[];
  id: (row: T) => string;
  /** The events of `/api/live` that change it. */
  types: readonly string[];
  /** Whether it follows what is new until somebody turns that off. */
  follows: boolean;
  /** What the box for filters shows as an example. */
  example: string;
}

interface View { name: string; query: string }

/** Words of the address that are no filter of a saved view. */
const PASSING = ["live", "cursor"];

export function ListPage<T>({ of, columns, tools, side, first }: {
  of: Listing<T>;
  columns: Column<T>[];
  /** Beside the box: filters that deserve a button. */
  tools: ComponentChildren;
  /** Beside the title. */
  side?: ComponentChildren;
  /** What an empty ledger shows. */
  first: ComponentChildren;
}) {
  const { query } = useAddress();
  const text = query.toString();
  const names = useMemo(() => parametersOf(of.filters, of.measures), [of]);
  const filters = useMemo(() => Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : []))), [text]);
  const live = (query.get("live") ?? (of.follows ? "1" : "0")) === "1";
  const follow = () => go(withQuery({ live: live === of.follows ? (live ? "0" : "1") : null }), true);
  // A tail that is left on keeps its beginning: the list must not begin anew each minute.
  const from = useMemo(() => since(query.get("from") ?? ""), [text]);
  const list = useRows<T>({ asked: url(`/api/${of.field}`, { ...filters, from, to: query.get("to"), limit: PAGE }), field: of.field, id: of.id, live, types: [...of.types, "resync"] });
  const [views, setViews] = useKept<View[]>(`views.${of.field}`, []);
  const search = useRef<HTMLInputElement>(null);
  useKeys({ f: () => search.current?.focus(), l: follow });
  const view = new URLSearchParams(query);
  PASSING.forEach((name) => view.delete(name));
  const saved = views.find((each) => each.query === view.toString());
  const words = query.get("q") ?? "";
  return (
    <>
      <div class="head">
        <h1>{of.title}</h1>
        <form class="seeks" onSubmit={(event) => {
          event.preventDefault();
          submit(search.current?.value ?? "", names, of.measures);
        }}>
          <input ref={search} type="search" aria-label={`Filter ${of.field}`} placeholder={`Filter: ${of.example}`} defaultValue={words} key={words} onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()} />
        </form>
        <TimeRange />
        {tools}
        <button class="btn" aria-pressed={live} title="New rows come on top by themselves (l)" onClick={follow}><span class={live ? "dot good beat" : "dot"} />Live</button>
        {side}
      </div>
      {(view.toString() !== "" || views.length > 0) && (
        <div class="row wrap">
          <Chips names={of.filters} measures={of.measures} />
          {view.toString() && !saved && <SaveView suggested={Object.values(filters).join(", ")} save={(name) => setViews([...views, { name, query: view.toString() }])} />}
          <span class="grow" />
          {views.map((each) => (
            <span class="row" key={each.name}>
              <Link class={each === saved ? "badge accent" : "badge"} href={`/${of.field}?${each.query}`}>{each.name}</Link>
              {each === saved && <button class="link" onClick={() => setViews(views.filter((other) => other !== each))}>Forget</button>}
            </span>
          ))}
        </div>
      )}
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.rows.length > 0 ? (
        <section class="panel fills" style={{ minHeight: `min(320px, ${tall(list.rows.length)}px)` }}>
          <Table label={of.title} rows={list.rows} columns={columns} id={of.id} href={(row) => `/${of.field}/${encodeURIComponent(of.id(row))}`} more={list.more} fresh={list.fresh} />
        </section>
      ) : list.loaded && !list.error && (
        <Panel flush>
          {list.more ? <Empty title={`No ${of.field.slice(0, -1)} fits so far`}>Mainstay has looked through the newest {of.field}. <button class="link" onClick={list.more}>Look further back</button></Empty>
            : view.toString() ? <Empty title={`No ${of.field.slice(0, -1)} fits these filters`}>Take one away above, or widen the time range.</Empty> : first}
        </Panel>
      )}
    </>
  );
}

/** Keeps the filters under a name, in this browser. */
function SaveView({ suggested, save }: { suggested: string; save: (name: string) => void }) {
  const [name, setName] = useState<string | null>(null);
  if (name === null) return <button class="link" onClick={() => setName(suggested)}>Save view</button>;
  return (
    <form class="row" onSubmit={(event) => {
      event.preventDefault();
      if (name.trim()) save(name.trim());
      setName(null);
    }}>
      <input class="brief-input" autoFocus aria-label="A name for this view" placeholder="A name for this view" value={name} onInput={(event) => setName(event.currentTarget.value)} onKeyDown={(event) => event.key === "Escape" && setName(null)} />
      <button class="btn small">Save</button>
    </form>
  );
}

/** "kind:rate_limit words" becomes the filter kind and the search for words. */
function submit(text: string, names: readonly string[], measures: readonly Measure[]) {
  const change: Record<string, string | null> = { q: null, cursor: null };
  const words: string[] = [];
  for (const part of text.split(/\s+/)) {
    const [, name = "", value = ""] = /^(\w+):(.+)$/.exec(part) ?? [];
    const measure = measures.find((each) => each.name.startsWith(name));
    const range = name && measure && typed(measure, value);
    if (range) Object.assign(change, range);
    else if (names.includes(name)) change[name] = value;
    else if (part) words.push(part);
  }
  change.q = words.join(" ") || null;
  go(withQuery(change));
}
