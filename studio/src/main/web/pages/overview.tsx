import { useMemo } from "preact/hooks";
import { Lines, Stacked } from "../chart";
import { compact, count, ms, percent, plural, usd } from "../format";
import { go, useApi, useNow, useParameter, type Loaded } from "../hooks";
import { SPANS, covers, series, statsOf, type Stats, type Sums } from "../stats";
import { Ago, Badge, Bars, Empty, Figure, Link, Panel, Show } from "../ui";
import { Budgets } from "./budgets";
import { Changes, factor } from "./changes";
import { hue, kind } from "./shared";

interface Health {
  providers?: { provider: string; keys: number; keys_set_aside: number; targets: { target: string; state: string; reason: string; in_flight: number }[] }[];
  level?: number;
  reason?: string;
}

const EMPTY: Sums = {
  calls: 0, delivered: 0, recovered: 0, failed: 0, failed_by_kind: {}, attempts: 0, failed_attempts: 0, failed_attempts_by_kind: {},
  tokens: { input: 0, cached_input: 0, cache_write: 0, output: 0, reasoning: 0 }, cost_usd: 0, attempts_without_price: 0,
  first_token_ms: { p50: null, p95: null, p99: null }, total_ms: { p50: null, p95: null, p99: null },
};
const AGAIN = 15_000;

export function OverviewPage() {
  const [span, setSpan] = useParameter("span", "24h");
  const [by, setBy] = useParameter("by", "model");
  // The questions name their minute: a page that is left open asks for the hours that end now.
  const minute = Math.floor(useNow(AGAIN) / 60_000);
  const paths = useMemo(() => ({ now: statsOf(span, by), all: statsOf(span, "all"), before: statsOf(span, by, true) }), [span, by, minute]);
  const grouped = useApi<Stats>(paths.now, AGAIN);
  const all = useApi<Stats>(paths.all, AGAIN);
  const before = useApi<Stats>(paths.before);
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <span class="grow" />
        <select aria-label="Time range" value={span} onChange={(event) => setSpan(event.currentTarget.value)}>
          {SPANS.map(([name, title]) => <option value={name}>{title}</option>)}
        </select>
        <select aria-label="Grouped by" value={by} onChange={(event) => setBy(event.currentTarget.value)}>
          {["model", "client", "target"].map((each) => <option value={each}>by {each}</option>)}
        </select>
      </div>
      <Show from={all}>{(data) => data.total.calls === 0 ? <First /> : <Whole data={data} before={before.data} grouped={grouped} by={by} span={span} />}</Show>
    </>
  );
}

function First() {
  return (
    <Panel flush>
      <Empty title="No calls in this time" code={`from openai import OpenAI\nclient = OpenAI(base_url="${location.origin}/v1", api_key="any")\nclient.chat.completions.create(model="assistant", messages=[{"role": "user", "content": "hello"}])`}>
        Point any SDK at this gateway. Each call appears here with its failures and Mainstay's decisions.
      </Empty>
    </Panel>
  );
}

const BEFORE: Record<string, string> = { "24h": "yesterday", "7d": "week before", "30d": "month before" };

/** "+12 % vs yesterday"; undefined where there is nothing to compare with. */
function change(now: number | null, then: number | null, span: string): string | undefined {
  if (!then || now === null) return undefined;
  const by = factor(now, then);
  return `${by === "+0 %" || by === "−0 %" ? "same as" : `${by} vs`} ${BEFORE[span] ?? "before"}`;
}

function Whole({ data, before: earlier, grouped, by, span }: { data: Stats; before: Stats | null; grouped: Loaded<Stats>; by: string; span: string }) {
  const total = data.total;
  const before = earlier && covers(earlier) ? earlier.total : EMPTY;
  const clean = total.delivered - total.recovered;
  const outcomes = useMemo(() => {
    const rows = series({ ...data, buckets: data.buckets.map((each) => ({ ...each, key: "all" })) }, () => 1);
    const of = (value: (sums: Sums) => number) => {
      const found = series({ ...data, buckets: data.buckets.map((each) => ({ ...each, key: "all" })) }, value);
      return found.values[0] ?? rows.at.map(() => 0);
    };
    return { at: rows.at, values: [of((each) => each.delivered - each.recovered), of((each) => each.recovered), of((each) => each.failed)] };
  }, [data]);
  const latency = useMemo(() => {
    const at = outcomes.at;
    const step = data.bucket_s * 1000;
    const found = new Map(data.buckets.map((each) => [Math.floor(Date.parse(each.at) / step) * step, each]));
    const of = (value: (sums: Sums) => number | null) => at.map((time) => { const each = found.get(time); return each ? value(each) : null; });
    return {
      first: [{ name: "p50", color: "--s1", values: of((each) => each.first_token_ms.p50) }, { name: "p95", color: "--s2", values: of((each) => each.first_token_ms.p95) }, { name: "p99", color: "--s5", values: of((each) => each.first_token_ms.p99), dash: [4, 4] }],
      total: [{ name: "p50", color: "--s1", values: of((each) => each.total_ms.p50) }, { name: "p95", color: "--s2", values: of((each) => each.total_ms.p95) }, { name: "p99", color: "--s5", values: of((each) => each.total_ms.p99), dash: [4, 4] }],
    };
  }, [data, outcomes]);
  return (
    <>
      <div class="numbers">
        <Figure name="Recovered answers" value={count(total.recovered)} note={total.recovered > 0 ? `${percent(total.recovered, total.calls)}, despite failures` : "no call needed help"} tone={total.recovered > 0 ? "accent" : ""} href={`/calls?from=${span}&recovery=retry`} />
        <Figure name="Calls" value={compact(total.calls)} note={change(total.calls, before.calls, span) ?? `${compact(total.attempts)} upstream request${total.attempts === 1 ? "" : "s"}`} href={`/calls?from=${span}`} />
        <Figure name="Delivered" value={percent(total.delivered, total.calls)} note={before.calls ? `${percent(before.delivered, before.calls)} before` : plural(total.failed, "call")+ " failed"} tone={total.delivered < 0.95 * total.calls ? "bad" : ""} href={`/calls?from=${span}&failed=true`} />
        <Figure name="Attempts per call" value={(total.attempts / Math.max(1, total.calls)).toFixed(2)} note={`${compact(total.failed_attempts)} failed attempts`} />
        <Figure name="First token, p95" value={ms(total.first_token_ms.p95)} note={`p50 ${ms(total.first_token_ms.p50)}, p99 ${ms(total.first_token_ms.p99)}`} />
        <Figure name="Cost" value={usd(total.cost_usd)} note={total.attempts_without_price > 0 ? `${compact(total.attempts_without_price)} attempts without a price` : change(total.cost_usd, before.cost_usd, span)} href="/costs" />
      </div>
      <div class="board">
        <div class="half"><Panel title="Calls by outcome">
          <Stacked label="Calls by outcome over time" at={outcomes.at} names={["clean", "recovered", "failed"]} values={outcomes.values} colors={["var(--s1)", "var(--fill-warn)", "var(--bad)"]} format={compact} more={48}
            span={(from) => go(`/calls?from=${new Date(from).toISOString()}&to=${new Date(from + data.bucket_s * 1000).toISOString()}`)}
            pick={(name) => go(`/calls?from=${span}&${name === "failed" ? "failed=true" : name === "recovered" ? "recovery=retry" : "failed=false"}`)} />
        </Panel></div>
        <div class="quarter"><Failed total={total} span={span} /></div>
        <div class="quarter"><Changes now={grouped.data ?? data} before={earlier} since={Date.parse(data.from)} span={span} title={span === "24h" ? "What changed since yesterday" : `What changed since the ${BEFORE[span] ?? "time before"}`} /></div>
        <div class="quarter"><Panel title={`Cost by ${by}`}><Show from={grouped}>{(stats) => <Amounts stats={stats} value={COST} format={usd} by={by} span={span} />}</Show></Panel></div>
        <div class="quarter"><Panel title={`Tokens by ${by}`}><Show from={grouped}>{(stats) => <Amounts stats={stats} value={TOKENS} format={compact} by={by} span={span} />}</Show></Panel></div>
        <div class="quarter"><Panel title="Time to the first token"><Lines label="Time to the first token" at={outcomes.at} lines={latency.first} format={ms} /></Panel></div>
        <div class="quarter"><Panel title="Total time"><Lines label="Total time" at={outcomes.at} lines={latency.total} format={ms} /></Panel></div>
        <Targets /><Budgets /><Waiting />
      </div>
      <span class="sr">{clean} calls were answered by their first attempt.</span>
    </>
  );
}

/** What goes wrong is a case among failures: most calls that met it were answered all the same. */
function Failed({ total, span }: { total: Sums; span: string }) {
  const [by, setBy] = useParameter("failed", "kind");
  const minute = Math.floor(useNow(AGAIN) / 60_000);
  const path = useMemo(() => (by === "target" ? statsOf(span, "target") : null), [by, span, minute]);
  const targets = useApi<Stats>(path, AGAIN);
  const rows = by === "target"
    ? (targets.data?.rows ?? []).map((row) => ({ key: row.key ?? "none", value: row.failed_attempts, label: row.key ?? "none" })).filter((row) => row.value > 0)
    : Object.entries(total.failed_attempts_by_kind).map(([key, value]) => ({ key, value, label: key.replaceAll("_", " ") }));
  rows.sort((a, b) => b.value - a.value);
  return (
    <Panel title="Failed attempts" side={<select class="small" aria-label="Failed attempts by" value={by} onChange={(event) => setBy(event.currentTarget.value)}><option value="kind">kind</option><option value="target">provider</option></select>}>
      {rows.length > 0 ? <Bars rows={rows.slice(0, 7)} tone="bad" show={count} href={(key) => `/failures?state=all&find=${encodeURIComponent(key)}`} />
        : total.failed_attempts === 0 ? <p class="soft">No attempt failed in this time.</p> : null}
    </Panel>
  );
}

const COST = (sums: Sums) => sums.cost_usd ?? 0;
const TOKENS = (sums: Sums) => sums.tokens.input + sums.tokens.output;

function Amounts({ stats, value, format, by, span }: { stats: Stats; value: (sums: Sums) => number; format: (value: number) => string; by: string; span: string }) {
  const drawn = useMemo(() => series(stats, value), [stats]);
  // A name has one colour in all charts of the page.
  const names = useMemo(() => [...new Set([COST, TOKENS].flatMap((each) => series(stats, each).names))], [stats]);
  if (drawn.names.length === 0) return <p class="soft">No cost is known for this time. Models without a price are listed under <Link class="link" href="/settings">Settings</Link>.</p>;
  return <Stacked label={`${value === COST ? "Cost" : "Tokens"} by ${by} over time`} {...drawn} colors={drawn.names.map((name) => hue(names.indexOf(name)))} format={format} pick={(name) => name !== "others" && go(`/calls?from=${span}&${by}=${encodeURIComponent(name)}`)} />;
}

/** What a target can do now: its breaker, and whether its provider has a key left. */
function standing(state: string, keys: number, aside: number): { tone: string; words: string } {
  if (state === "open") return { tone: "bad", words: "out" };
  if (keys > 0 && aside >= keys) return { tone: "bad", words: keys === 1 ? "key set aside" : "all keys set aside" };
  if (state === "half_open") return { tone: "warn", words: "being tried" };
  return aside > 0 ? { tone: "warn", words: `${aside} of ${keys} keys set aside` } : { tone: "good", words: "serves" };
}

function Targets() {
  const health = useApi<Health>("/health", AGAIN);
  return (
    <Panel title="Targets and breakers" side={<Link class="link" href="/gateway">Gateway</Link>}>
      <Show from={health}>{(data) => {
        const targets = (data.providers ?? []).flatMap((each) => each.targets.map((target) => ({ ...target, ...standing(target.state, each.keys, each.keys_set_aside) })));
        return targets.length === 0 ? <p class="soft">No call has gone to a provider yet.</p> : (
          <div class="col gap4">{targets.map((each) => (
            <Link class="row" href={`/calls?target=${encodeURIComponent(each.target)}`} title={each.reason || undefined}><span class={`dot ${each.tone}`} /><span class="cut">{each.target}</span><span class="grow" />{each.in_flight > 0 && <span class="faint nowrap">{each.in_flight} in flight</span>}<span class={`nowrap ${each.tone === "good" ? "soft" : each.tone}`}>{each.words}</span></Link>
          ))}</div>
        );
      }}</Show>
    </Panel>
  );
}

interface Letter { id: string; state: string; verdict: string | null; path: string; ended_at: string | null }

function Waiting() {
  const letters = useApi<{ dead_letters: Letter[] }>("/api/dead-letters", 30_000);
  return (
    <Panel title="Dead letters" side={<Link class="link" href="/dead-letters">All</Link>}>
      <Show from={letters}>{(data) => {
        const open = data.dead_letters.filter((each) => each.state === "dead");
        return open.length === 0 ? <p class="soft">None. A durable call (<code>x-mainstay-keep: on</code>) that fails for good waits here.</p> : (
          <div class="col gap4">{open.slice(0, 6).map((each) => (
            <Link class="row" href={`/dead-letters/${encodeURIComponent(each.id)}`}><Badge tone="bad" title={each.verdict ?? undefined}>{kind(each.verdict).replaceAll("_", " ") || "dead"}</Badge><span class="cut soft">{each.path}</span><span class="grow" /><span class="faint nowrap"><Ago at={each.ended_at} /></span></Link>
          ))}</div>
        );
      }}</Show>
    </Panel>
  );
}
