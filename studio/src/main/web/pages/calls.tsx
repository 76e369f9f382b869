import { useCallback, useMemo, useState } from "preact/hooks";
import { url } from "../api";
import { compact, ms, usd } from "../format";
import { go, useAddress, useApi, withQuery } from "../hooks";
import type { Stats } from "../stats";
import type { Column } from "../table";
import { Empty, Filter, HeadFilter } from "../ui";
import type { Call, Tokens } from "../types";
import { AtLeast, Hour, RangeFilter, since, type Measure } from "./filters";
import { ListPage, type Listing } from "./listing";
import { CallBadge, kind, recoveries } from "./shared";

/** The columns of numbers. */
const MEASURES = {
  attempts: { name: "attempts", title: "Attempts", unit: "count" },
  first: { name: "first_token_ms", title: "First token", unit: "ms" },
  total: { name: "total_ms", title: "Total", unit: "ms" },
  tokens: { name: "tokens", title: "Tokens", unit: "count" },
  cost: { name: "cost_usd", title: "Cost", unit: "usd" },
} as const satisfies Record<string, Measure>;

const CALLS: Listing<Call> = {
  field: "calls", title: "Calls", measures: Object.values(MEASURES), id: (call) => call.id, types: ["call.started", "call.ended"], follows: false,
  filters: ["model", "client", "target", "status", "class", "kind", "run", "recovery", "failed", "q"],
  example: "words, or kind:rate_limit model:assistant total:>2s",
};

/** What the heads of the columns offer, of the last 30 days. */
interface Values { models: string[]; targets: string[]; clients: string[]; kinds: string[]; want: () => void }

function columns(values: Values): Column<Call>[] {
  return [
    { name: "Time", width: "80px", narrow: "62px", cell: (call) => <Hour at={call.started_at} /> },
    { name: "Outcome", width: "minmax(104px, .9fr)", narrow: "104px", filter: () => <HeadFilter name="kind" title="Outcome" want={values.want} values={values.kinds} hint="Only one kind of failure" />, cell: (call) => <Outcome call={call} /> },
    { name: "Model", width: "minmax(90px, 1.3fr)", narrow: "minmax(56px, 1fr)", filter: () => <HeadFilter name="model" title="Model" want={values.want} values={values.models} />, cell: (call) => <Filter name="model" value={call.model} /> },
    { name: "Answered by", width: "minmax(120px, 2fr)", wide: true, filter: () => <HeadFilter name="target" title="Answered by" want={values.want} values={values.targets} />, cell: (call) => <Filter name="target" value={call.target} /> },
    { name: "Client", width: "minmax(72px, .7fr)", wide: true, has: (call) => call.client !== null, filter: () => <HeadFilter name="client" title="Client" want={values.want} values={values.clients} />, cell: (call) => <Filter name="client" value={call.client} /> },
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

const FIRST_CALL = `curl ${location.origin}/v1/chat/completions \\
  -H 'content-type: application/json' \\
  -d '{"model": "assistant", "messages": [{"role": "user", "content": "hello"}]}'`;

export function CallsPage() {
  const { query } = useAddress();
  const values = useValues();
  const shown = useMemo(() => columns(values), [values]);
  return (
    <ListPage of={CALLS} columns={shown}
      tools={
        <>
          <button class="btn" aria-pressed={query.get("failed") === "true"} onClick={() => go(withQuery({ failed: query.get("failed") === "true" ? null : "true" }))}>Failed</button>
          <select aria-label="Recovered by" value={query.get("recovery") ?? ""} onChange={(event) => go(withQuery({ recovery: event.currentTarget.value }))}>
            <option value="">Recovered or not</option>
            {RECOVERIES.map((each) => <option value={each}>by {each}</option>)}
          </select>
        </>
      }
      first={<Empty title="No calls yet" code={FIRST_CALL}>Point an SDK at this gateway: only its base URL changes. The call appears here while it runs.</Empty>} />
  );
}
