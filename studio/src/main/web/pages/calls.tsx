import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get, url } from "../api";
import { compact, ms, usd } from "../format";
import { go, useAddress, useApi, useEvents, useKept, withQuery } from "../hooks";
import type { Stats } from "../stats";
import { useKeys } from "../keys";
import { Table, type Column } from "../table";
import { Empty, Filter, HeadFilter, Link, Panel, Problem } from "../ui";
import type { Call, Calls, Tokens } from "../types";
import { AtLeast, Chips, Hour, RangeFilter, TimeRange, parametersOf, since, typed, type Measure } from "./filters";
import { CallBadge, kind, recoveries } from "./shared";

const FILTERS = ["model", "client", "target", "status", "class", "kind", "run", "recovery", "failed", "q"] as const;
const PAGE = 100;
/** Rows that a tab keeps: a tail left on for a day must not grow without end. */
const MOST = 5000;

/** The columns of numbers. */
const MEASURES = {
  attempts: { name: "attempts", title: "Attempts", unit: "count" },
  first: { name: "first_token_ms", title: "First token", unit: "ms" },
  total: { name: "total_ms", title: "Total", unit: "ms" },
  tokens: { name: "tokens", title: "Tokens", unit: "count" },
  cost: { name: "cost_usd", title: "Cost", unit: "usd" },
} as const satisfies Record<string, Measure>;
const ALL_MEASURES = Object.values(MEASURES);
const PARAMETERS = parametersOf(FILTERS, ALL_MEASURES);

/** What the heads of the columns offer, of the last 30 days. */
interface Values { models: string[]; targets: string[]; clients: string[]; kinds: string[]; want: () => void }

function columns(values: Values): Column<Call>[] {
  return [
    { name: "Time", width: "80px", cell: (call) => <Hour at={call.started_at} /> },
    { name: "Outcome", width: "104px", filter: () => <HeadFilter name="kind" title="Outcome" want={values.want} values={values.kinds} hint="Only one kind of failure" />, cell: (call) => <Outcome call={call} /> },
    { name: "Model", width: "minmax(56px, 1fr)", filter: () => <HeadFilter name="model" title="Model" want={values.want} values={values.models} />, cell: (call) => <Filter name="model" value={call.model} /> },
    { name: "Answered by", width: "minmax(120px, 2fr)", wide: true, filter: () => <HeadFilter name="target" title="Answered by" want={values.want} values={values.targets} />, cell: (call) => <Filter name="target" value={call.target} /> },
    { name: "Client", width: "minmax(72px, .7fr)", wide: true, filter: () => <HeadFilter name="client" title="Client" want={values.want} values={values.clients} />, cell: (call) => <Filter name="client" value={call.client} /> },
    { name: "Status", width: "58px", wide: true, filter: () => <HeadFilter name="status" title="Status" values={STATUSES} />, cell: (call) => <Filter name="status" value={call.status === null ? null : String(call.status)}><span class="soft">{call.status}</span></Filter> },
    { name: "Attempts", width: "76px", wide: true, filter: () => <RangeFilter of={MEASURES.attempts} />, cell: (call) => <AtLeast of={MEASURES.attempts} value={call.attempts}><Ticks call={call} /></AtLeast> },
    { name: "First token", width: "74px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.first} />, cell: (call) => <AtLeast of={MEASURES.first} value={call.first_token_ms}>{ms(call.first_token_ms)}</AtLeast> },
    { name: "Total", width: "62px", number: true, filter: () => <RangeFilter of={MEASURES.total} />, cell: (call) => <AtLeast of={MEASURES.total} value={call.total_ms}>{ms(call.total_ms)}</AtLeast> },
    { name: "Tokens", width: "86px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.tokens} />, cell: (call) => call.tokens ? <AtLeast of={MEASURES.tokens} value={sum(call.tokens)}><span title={`${call.tokens.input} in, ${call.tokens.output} out`}>{compact(call.tokens.input)} → {compact(call.tokens.output)}</span></AtLeast> : "–" },
    { name: "Cost", width: "78px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.cost} />, cell: (call) => <AtLeast of={MEASURES.cost} value={call.cost_usd}>{usd(call.cost_usd)}</AtLeast> },
  ];
}

const STATUSES = ["200", "400", "401", "403", "404", "413", "422", "429", "499", "500", "502", "503", "504", "529"];
const sum = (tokens: Tokens) => tokens.input + tokens.cached_input + tokens.cache_write + tokens.output + tokens.reasoning;
const RECOVERIES = ["retry", "fallback", "continuation", "repair"];

/** What the call came to; a click keeps those that came to the same. */
function Outcome({ call }: { call: Call }) {
  const recovered = recoveries(call)[0];
  if (call.verdict) return <Filter name="kind" value={kind(call.verdict)}><CallBadge call={call} /></Filter>;
  if (recovered) return <Filter name="recovery" value={recovered}><CallBadge call={call} /></Filter>;
  return <Filter name="failed" value="false"><CallBadge call={call} /></Filter>;
}

/** The names that statistics know; they are asked for once somebody is about to choose one. */
function useValues(): Values {
  const [wanted, setWanted] = useState(false);
  const want = useCallback(() => setWanted(true), []);
  const from = useMemo(() => since("30d"), []);
  const of = (by: string) => useApi<Stats>(wanted ? url("/api/stats", { by, bucket: "1d", from }) : null).data;
  const names = (stats: Stats | null) => (stats?.rows ?? []).map((row) => row.key).filter((key): key is string => !!key);
  const models = of("model");
  const targets = of("target");
  const clients = of("client");
  return useMemo(() => ({ models: names(models), targets: names(targets), clients: names(clients), kinds: Object.keys(models?.total.failed_by_kind ?? {}), want }), [models, targets, clients]);
}

/** One tick per attempt; the last one is what the call came to. */
function Ticks({ call }: { call: Call }) {
  const shown = Math.min(call.attempts, 8);
  const good = !call.verdict && call.status !== null && call.status < 400;
  return (
    <span class="row" title={`${call.attempts} attempts${recoveries(call).length ? `: ${recoveries(call).join(", ")}` : ""}`}>
      <svg width={shown * 8} height="10" aria-hidden="true">
        {Array.from({ length: shown }, (_, index) => (
          <rect x={index * 8} y="0" width="5" height="10" rx="1.5" fill={index < shown - 1 || !good ? "var(--bad)" : "var(--good)"} opacity={index < shown - 1 ? 0.55 : 1} />
        ))}
      </svg>
      {call.attempts > 1 && <span class="soft">{call.attempts}</span>}
    </span>
  );
}

interface View { name: string; query: string }

export function CallsPage() {
  const { query } = useAddress();
  const text = query.toString();
  const filters = useMemo(() => {
    const found: Record<string, string> = {};
    for (const name of PARAMETERS) {
      const value = query.get(name);
      if (value) found[name] = value;
    }
    return found;
  }, [text]);
  const span = query.get("from") ?? "";
  const live = query.get("live") === "1";
  // A tail that is left on keeps its beginning: the list must not begin anew each minute.
  const from = useMemo(() => since(span), [text]);
  const asked = url("/api/calls", { ...filters, from, to: query.get("to"), limit: PAGE });
  const list = useList(asked, live);
  const values = useValues();
  const shown = useMemo(() => columns(values), [values]);
  const [views, setViews] = useKept<View[]>("views.calls", []);
  const search = useRef<HTMLInputElement>(null);
  useKeys({ f: () => search.current?.focus(), l: () => go(withQuery({ live: live ? null : "1" }), true) });
  const view = new URLSearchParams(query);
  view.delete("live");
  const saved = views.find((each) => each.query === view.toString());
  return (
    <>
      <div class="head">
        <h1>Calls</h1>
        <div class="grow" />
        <button class="btn" aria-pressed={live} onClick={() => go(withQuery({ live: live ? null : "1" }), true)}>
          <span class={live ? "dot good beat" : "dot"} />Live
        </button>
      </div>
      <div class="row wrap">
        <form class="row grow" onSubmit={(event) => {
          event.preventDefault();
          submit(search.current?.value ?? "");
        }}>
          <input ref={search} class="grow" type="search" aria-label="Filter calls" placeholder="Filter: words, or kind:rate_limit model:assistant total:>2s" defaultValue={query.get("q") ?? ""} key={query.get("q") ?? ""} />
        </form>
        <TimeRange />
        <button class="btn" aria-pressed={filters.failed === "true"} onClick={() => go(withQuery({ failed: filters.failed ? null : "true" }))}>Failed</button>
        <select aria-label="Recovered by" value={filters.recovery ?? ""} onChange={(event) => go(withQuery({ recovery: event.currentTarget.value }))}>
          <option value="">Recovered or not</option>
          {RECOVERIES.map((each) => <option value={each}>by {each}</option>)}
        </select>
      </div>
      {(Object.keys(filters).length > 0 || views.length > 0) && (
        <div class="row wrap">
          <Chips names={FILTERS} measures={ALL_MEASURES} />
          {view.toString() && !saved && <SaveView suggested={Object.values(filters).join(", ")} save={(name) => setViews([...views, { name, query: view.toString() }])} />}
          <span class="grow" />
          {views.map((each) => (
            <span class="row">
              <Link class={each === saved ? "badge accent" : "badge"} href={`/calls?${each.query}`}>{each.name}</Link>
              {each === saved && <button class="link" onClick={() => setViews(views.filter((other) => other !== each))}>Forget</button>}
            </span>
          ))}
        </div>
      )}
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.rows.length > 0 ? (
        <Panel flush>
          <Table label="Calls" rows={list.rows} columns={shown} id={(call) => call.id} href={(call) => `/calls/${encodeURIComponent(call.id)}`} more={list.more} fresh={list.fresh} />
        </Panel>
      ) : list.loaded && !list.error && (
        <Panel flush>
          {text.replace(/live=1/, "") ? (
            <Empty title="No call fits these filters">Take one away above, or widen the time range.</Empty>
          ) : (
            <Empty title="No calls yet" code={FIRST_CALL}>Point an SDK at this gateway: only its base URL changes. The call appears here while it runs.</Empty>
          )}
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

const FIRST_CALL = `curl ${location.origin}/v1/chat/completions \\
  -H 'content-type: application/json' \\
  -d '{"model": "assistant", "messages": [{"role": "user", "content": "hello"}]}'`;

/** "kind:rate_limit words" becomes the filter kind and the search for words. */
function submit(text: string) {
  const change: Record<string, string | null> = { q: null, cursor: null };
  const words: string[] = [];
  for (const part of text.split(/\s+/)) {
    const [, name = "", value = ""] = /^(\w+):(.+)$/.exec(part) ?? [];
    const measure = ALL_MEASURES.find((each) => each.name.startsWith(name));
    const range = name && measure && typed(measure, value);
    if (range) Object.assign(change, range);
    else if (PARAMETERS.includes(name)) change[name] = value;
    else if (part) words.push(part);
  }
  change.q = words.join(" ") || null;
  go(withQuery(change));
}

const LIVE_TYPES = ["call.started", "call.ended", "resync"] as const;
const AGAIN = 3000;

/** The pages of a list that were read so far; with `live`, what is new comes on top by itself. */
function useList(asked: string, live: boolean) {
  const [rows, setRows] = useState<Call[]>([]);
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  const [error, setError] = useState<ApiError | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [round, setRound] = useState(0);
  const next = useRef<string | null>(null);
  const busy = useRef(false);
  const fetchPage = useCallback(async (signal?: AbortSignal) => {
    const page = await get<Calls>(asked, signal);
    setError(null);
    setLoaded(true);
    return page;
  }, [asked]);
  useEffect(() => {
    const abort = new AbortController();
    busy.current = false;
    let timer = 0;
    const load = () =>
      fetchPage(abort.signal).then(
        (page) => {
          next.current = page.next;
          setRows(page.calls);
          setFresh(new Set());
        },
        (thrown: unknown) => {
          if (abort.signal.aborted) return;
          setError(thrown instanceof ApiError ? thrown : new ApiError(0, "unreadable", String(thrown)));
          setLoaded(true);
          if (!(thrown instanceof ApiError) || thrown.status === 0 || thrown.status >= 500) timer = window.setTimeout(load, AGAIN);
        },
      );
    void load();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [fetchPage, round]);
  const merge = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const page = await fetchPage();
      setRows((old) => {
        const seen = new Set(page.calls.map((call) => call.id));
        const known = new Set(old.map((call) => call.id));
        const added = page.calls.filter((call) => !known.has(call.id)).map((call) => call.id);
        if (added.length) setFresh(new Set(added));
        return [...page.calls, ...old.filter((call) => !seen.has(call.id))].slice(0, MOST);
      });
    } catch {
      // The next event or the next round asks again.
    } finally {
      busy.current = false;
    }
  }, [fetchPage]);
  const due = useRef(0);
  const state = useEvents(live ? "/api/live" : null, () => {
    if (!due.current) due.current = window.setTimeout(() => { due.current = 0; void merge(); }, 500);
  }, LIVE_TYPES, () => void merge());
  useEffect(() => {
    if (!live || state === "live") return;
    const timer = window.setInterval(() => !document.hidden && void merge(), AGAIN);
    return () => window.clearInterval(timer);
  }, [live, state, merge]);
  const more = useCallback(() => {
    const cursor = next.current;
    if (!cursor || busy.current) return;
    busy.current = true;
    get<Calls>(`${asked}&cursor=${encodeURIComponent(cursor)}`)
      .then((page) => {
        next.current = page.next;
        setRows((old) => {
          const known = new Set(old.map((call) => call.id));
          return [...old, ...page.calls.filter((call) => !known.has(call.id))];
        });
      })
      .catch(() => undefined)
      .finally(() => (busy.current = false));
  }, [asked]);
  return { rows, fresh, error, loaded, more, reload: () => setRound(round + 1) };
}
