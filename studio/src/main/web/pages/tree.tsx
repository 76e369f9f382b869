// The run and the runs that it started, as a tree.

import { url } from "../api";
import { now } from "../clock";
import { compact, ms, plural, usd } from "../format";
import { useApi } from "../hooks";
import { Link, Show } from "../ui";
import type { Run, Runs } from "../types";
import { ENDED, RunBadge } from "./shared";

/** Levels of sub-agents that the page opens by itself. */
const DEEPEST = 6;
const AGAIN = 5000;

export function Tree({ run }: { run: Run }) {
  return <div class="col gap4"><Leaf run={run} here /><Children of={run} depth={0} /></div>;
}

const number = (value: unknown) => (typeof value === "number" ? value : null);

/** One run of the tree, with what it used. */
function Leaf({ run, here = false }: { run: Run; here?: boolean }) {
  const took = (run.ended_at ? Date.parse(run.ended_at) : now()) - Date.parse(run.accepted_at);
  return (
    <Link class="leaf" href={`/runs/${encodeURIComponent(run.run)}`} aria-current={here ? "page" : undefined}>
      <RunBadge status={run.status} /><strong class="cut">{run.agent ?? run.run}</strong><span class="id cut wide">{run.run}</span>
      <span class="right soft nowrap wide">{plural(number(run.turns) ?? 0, "turn")}</span><span class="right soft nowrap wide">{compact(number(run.tokens))} tokens</span>
      <span class="right soft nowrap">{usd(number(run.cost_usd))}</span><span class="right soft nowrap">{ms(took)}</span>
    </Link>
  );
}

function Children({ of, depth }: { of: Run; depth: number }) {
  const children = useApi<Runs>(url("/api/runs", { parent: of.run, limit: 200 }), ENDED.test(of.status) ? 0 : AGAIN);
  return (
    <Show from={children}>{(data) => data.runs.length === 0 ? (depth === 0 ? <p class="soft">This run started no other run. An agent as a tool (<code>{"{ name: research, agent: researcher }"}</code>) appears here.</p> : null) : (
      <div class="tree col gap4">{data.runs.map((each) => (
        <div class="col gap4" key={each.run}>
          <Leaf run={each} />
          {depth < DEEPEST && <Children of={each} depth={depth + 1} />}
        </div>
      ))}</div>
    )}</Show>
  );
}
