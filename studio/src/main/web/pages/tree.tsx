// The run and the runs that it started, as a tree.

import { url } from "../api";
import { useApi } from "../hooks";
import { Link, Show } from "../ui";
import type { Runs, WholeRun } from "../types";
import { RunBadge } from "./shared";

export function Tree({ run }: { run: WholeRun }) {
  return <div class="col"><div class="row"><RunBadge status={run.status} /><strong>{run.agent}</strong><span class="id cut">{run.run}</span></div><Children id={run.run} depth={0} /></div>;
}

function Children({ id, depth }: { id: string; depth: number }) {
  const children = useApi<Runs>(url("/api/runs", { parent: id, limit: 200 }), depth === 0 ? 5000 : 0);
  return (
    <Show from={children}>{(data) => data.runs.length === 0 ? (depth === 0 ? <p class="soft">This run started no other run. An agent as a tool (<code>{"{ name: research, agent: researcher }"}</code>) appears here.</p> : null) : (
      <div class="tree col">{data.runs.map((each) => (
        <div class="col">
          <Link class="row" href={`/runs/${encodeURIComponent(each.run)}`}><RunBadge status={each.status} /><span>{each.agent}</span><span class="id cut">{each.run}</span></Link>
          {depth < 6 && <Children id={each.run} depth={depth + 1} />}
        </div>
      ))}</div>
    )}</Show>
  );
}
