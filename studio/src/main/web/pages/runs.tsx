import { now } from "../clock";
import { compact, count, ms, usd } from "../format";
import { go, useAddress, withQuery } from "../hooks";
import type { Column } from "../table";
import { Empty, Filter, HeadFilter, Link } from "../ui";
import type { Run } from "../types";
import { AtLeast, Hour, RangeFilter, type Measure } from "./filters";
import { ListPage, type Listing } from "./listing";
import { RunBadge } from "./shared";

const STATUSES = ["queued", "running", "waiting", "in_doubt", "completed", "failed", "cancelled", "dead_letter"];

/** The columns of numbers. */
const MEASURES = {
  turns: { name: "turns", title: "Turns", unit: "count" },
  steps: { name: "steps", title: "Steps", unit: "count" },
  attempts: { name: "attempts", title: "Attempts", unit: "count" },
  tokens: { name: "tokens", title: "Tokens", unit: "count" },
  cost: { name: "cost_usd", title: "Cost", unit: "usd" },
  took: { name: "total_ms", title: "Took", unit: "ms" },
} as const satisfies Record<string, Measure>;

const RUNS: Listing<Run> = {
  field: "runs", title: "Runs", measures: Object.values(MEASURES), id: (run) => run.run, types: ["run"], follows: true,
  filters: ["agent", "status", "client", "session", "parent", "label", "kind", "model", "target", "class", "recovery", "failed", "run", "q"],
  example: "a run's id, or agent:refunds status:failed cost:>0.01",
};

const seconds = (run: Run) => (run.ended_at ? Date.parse(run.ended_at) : now()) - Date.parse(run.accepted_at);
const number = (value: unknown) => (typeof value === "number" ? value : null);

const COLUMNS: Column<Run>[] = [
  { name: "Started", width: "80px", narrow: "62px", cell: (run) => <Hour at={run.accepted_at} /> },
  { name: "Status", width: "104px", narrow: "86px", filter: () => <HeadFilter name="status" title="Status" values={STATUSES} />, cell: (run) => <Filter name="status" value={run.status}><RunBadge status={run.status} /></Filter> },
  { name: "Agent", width: "minmax(56px, 1fr)", filter: () => <HeadFilter name="agent" title="Agent" />, cell: (run) => <Filter name="agent" value={run.agent} /> },
  { name: "Run", width: "minmax(96px, 2fr)", wide: true, cell: (run) => <span class="id">{run.run}</span> },
  { name: "Client", width: "minmax(62px, .6fr)", wide: true, has: (run) => run.client !== null, filter: () => <HeadFilter name="client" title="Client" />, cell: (run) => <Filter name="client" value={run.client} /> },
  { name: "Session", width: "minmax(62px, .6fr)", wide: true, has: (run) => run.session !== null, filter: () => <HeadFilter name="session" title="Session" />, cell: (run) => <Filter name="session" value={run.session} /> },
  { name: "Turns", width: "52px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.turns} />, cell: (run) => <AtLeast of={MEASURES.turns} value={number(run.turns)}>{count(number(run.turns))}</AtLeast> },
  { name: "Steps", width: "52px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.steps} />, cell: (run) => <AtLeast of={MEASURES.steps} value={number(run.steps)}>{count(number(run.steps))}</AtLeast> },
  { name: "Attempts", width: "66px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.attempts} />, cell: (run) => <AtLeast of={MEASURES.attempts} value={number(run.attempts)}>{count(number(run.attempts))}</AtLeast> },
  { name: "Tokens", width: "64px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.tokens} />, cell: (run) => <AtLeast of={MEASURES.tokens} value={number(run.tokens)}>{compact(number(run.tokens))}</AtLeast> },
  { name: "Cost", width: "72px", number: true, wide: true, filter: () => <RangeFilter of={MEASURES.cost} />, cell: (run) => <AtLeast of={MEASURES.cost} value={number(run.cost_usd)}>{usd(number(run.cost_usd))}</AtLeast> },
  { name: "Took", width: "76px", number: true, filter: () => <RangeFilter of={MEASURES.took} />, cell: (run) => <AtLeast of={MEASURES.took} value={seconds(run)}>{ms(seconds(run))}</AtLeast> },
];

export const FIRST_RUN = `curl ${location.origin}/api/runs -H 'content-type: application/json' \\
  -H 'idempotency-key: first-1' \\
  -d '{"agent": "refunds", "input": "Refund order 7."}'`;

export function RunsPage() {
  const { query } = useAddress();
  return (
    <ListPage of={RUNS} columns={COLUMNS} side={<Link class="btn first" href="/run">Run an agent</Link>}
      tools={
        <select aria-label="Status" value={query.get("status") ?? ""} onChange={(event) => go(withQuery({ status: event.currentTarget.value }))}>
          <option value="">Every status</option>
          {STATUSES.map((each) => <option value={each}>{each.replace("_", " ")}</option>)}
        </select>
      }
      first={
        <Empty title="No runs yet" code={FIRST_RUN}>
          Declare an agent under <code>agents:</code> in the configuration and start it here, from the terminal or over HTTP. Calls of your own agents become runs too: send <code>x-mainstay-run</code> with each.
        </Empty>
      } />
  );
}
