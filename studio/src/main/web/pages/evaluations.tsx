import { useMemo, useState } from "preact/hooks";
import { Lines } from "../chart";
import { post, url } from "../api";
import { count, plural } from "../format";
import { useAddress, useApi } from "../hooks";
import { line } from "../text";
import { Act, Ago, Bars, Empty, Link, Panel, Show } from "../ui";
import type { Runs } from "../types";
import { figure } from "./shared";

interface Evaluation {
  id: string;
  at: string;
  run: string | null;
  call: string | null;
  agent: string | null;
  model: string | null;
  metrics: Record<string, number>;
  note: string | null;
  by: string | null;
}

interface Evaluations { evaluations: Evaluation[]; next?: string | null }

/** How many evaluations the means are of. */
const NEWEST = 500;

const LOG = `curl ${location.origin}/api/evaluations -H 'content-type: application/json' \\
  -d '{"run": "run_…", "metrics": {"correct": 1, "tone": 0.8}, "note": "good", "by": "ada"}'`;

export function EvaluationsPage() {
  const metric = useAddress().query.get("metric");
  const loaded = useApi<Evaluations>(`/api/evaluations?limit=${NEWEST}`, 30_000);
  return (
    <>
      <div class="head"><h1>Evaluations</h1></div>
      {loaded.error?.status === 404 ? <Panel flush><Empty title="No evaluations yet" code={LOG}>Scores of people and judges, by metric, over time.</Empty></Panel> : (
        <Show from={loaded}>{(data) => data.evaluations.length === 0 ? <Panel flush><Empty title="No evaluations yet" code={LOG}>Log scores of people or judges for a run or a call. Thumbs on a run's page land here too.</Empty></Panel> : <Whole all={data.evaluations} metric={metric} />}</Show>
      )}
      <Panel title="Log one"><Evaluate /></Panel>
    </>
  );
}

function Whole({ all, metric }: { all: Evaluation[]; metric: string | null }) {
  const means = useMemo(() => {
    const sums = new Map<string, { sum: number; count: number }>();
    for (const each of all) for (const [name, value] of Object.entries(each.metrics ?? {})) {
      const old = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: old.sum + value, count: old.count + 1 });
    }
    return [...sums.entries()].map(([key, { sum, count }]) => ({ key, value: sum / count, note: plural(count, "score") }));
  }, [all]);
  const chosen = metric ?? means[0]?.key ?? "";
  const drawn = useMemo(() => {
    const points = all.filter((each) => each.metrics?.[chosen] !== undefined).map((each) => [Date.parse(each.at), each.metrics[chosen]!] as const).sort((a, b) => a[0] - b[0]);
    return { at: points.map((each) => each[0]), lines: [{ name: chosen, color: "--s1", values: points.map((each) => each[1]) }] };
  }, [all, chosen]);
  const runs = useApi<Runs>(url("/api/runs", { kind: "agent", limit: 1000 }));
  const definitions = useMemo(() => new Map((runs.data?.runs ?? []).map((run) => [run.run, typeof run.definition_hash === "string" ? run.definition_hash.slice(0, 8) : ""])), [runs.data]);
  return (
    <>
      <div class="grid2">
        <Panel title="Mean per metric"><Bars rows={means} show={(value) => value.toFixed(2)} href={(key) => `/evaluations?metric=${encodeURIComponent(key)}`} /></Panel>
        <Panel title={`${chosen} over time`}><Lines label={`${chosen} over time`} at={drawn.at} lines={drawn.lines} format={(value) => (value === null ? "–" : value.toFixed(2))} /></Panel>
        <Panel title="Means per model"><Means all={all} metrics={means.map((each) => each.key)} of={(each) => each.model} href={(key) => `/calls?model=${encodeURIComponent(key)}`} /></Panel>
        <Panel title="Means per agent definition" side={runs.data?.next && <span class="faint">of the newest {count(runs.data.runs.length)} runs</span>}>{runs.data && <Means all={all} metrics={means.map((each) => each.key)} of={(each) => (each.run && definitions.has(each.run) ? `${each.agent} ${definitions.get(each.run)}`.trim() : null)} href={(key) => `/runs?agent=${encodeURIComponent(key.split(" ")[0] ?? key)}`} />}</Panel>
      </div>
      <Panel title="Latest evaluations" side={<span class="faint">{plural(all.length, "evaluation")}{all.length >= NEWEST ? ", the newest" : ""}</span>}><List all={all} /></Panel>
    </>
  );
}

const COLUMNS = 5;

const brief = (id: string) => (id.length > 18 ? `${id.slice(0, 16)}…` : id);

/** The mean of each metric for every value of `of`, with how many scores it is of. */
function Means({ all, metrics, of, href }: { all: Evaluation[]; metrics: string[]; of: (each: Evaluation) => string | null; href: (key: string) => string }) {
  const shown = metrics.slice(0, COLUMNS);
  const groups = new Map<string, Evaluation[]>();
  for (const each of all) {
    const key = of(each);
    if (key) groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  if (groups.size === 0) return <p class="soft">No scored run or call is kept any more.</p>;
  return (
    <div class="scroll"><table class="plain"><thead><tr><th><span class="sr">Of</span></th>{shown.map((name) => <th class="num">{line(name, 24)}</th>)}</tr></thead><tbody>
      {[...groups.entries()].sort((a, b) => b[1].length - a[1].length).slice(0, 20).map(([key, group]) => (
        <tr><td><Link class="link" href={href(key)}>{line(key, 60)}</Link></td>{shown.map((name) => {
          const scores = group.map((each) => each.metrics[name]).filter((value): value is number => value !== undefined);
          return <td class="num">{scores.length === 0 ? <span class="faint">–</span> : <>{(scores.reduce((sum, value) => sum + value, 0) / scores.length).toFixed(2)} <span class="faint">of {scores.length}</span></>}</td>;
        })}</tr>
      ))}
    </tbody></table></div>
  );
}

function List({ all }: { all: Evaluation[] }) {
  return (
    <div class="scroll"><table class="plain stacks"><thead><tr><th>When</th><th>Of</th><th>Scores</th><th>Note</th><th>By</th></tr></thead><tbody>
      {all.slice(0, 200).map((each) => (
        <tr><td class="nowrap soft"><Ago at={each.at} /></td>
          <td>{each.run ? <Link class="link" href={`/runs/${encodeURIComponent(each.run)}`}>{brief(each.run)}</Link> : each.call && <Link class="link" href={`/calls/${encodeURIComponent(each.call)}`}>{brief(each.call)}</Link>}</td>
          <td>{Object.entries(each.metrics ?? {}).map(([name, value]) => `${name} ${value}`).join(", ")}</td><td class="free">{line(each.note ?? "", 200)}</td><td data-label="by">{line(each.by ?? "", 40)}</td></tr>
      ))}
    </tbody></table></div>
  );
}

function Thumb({ down = false }: { down?: boolean }) {
  return <svg class={down ? "thumb down" : "thumb"} width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" aria-hidden="true"><path d="M5 7v7H2V7zM5 7l3-5.5c1.3 0 2 .8 2 2V6h3.2c.9 0 1.5.8 1.3 1.6l-1.2 5c-.2.8-.8 1.4-1.6 1.4H5" /></svg>;
}

/** Thumbs, a score and a note; with `run` or `call`, what is there already. */
export function Evaluate({ run, call }: { run?: string; call?: string }) {
  const given = run !== undefined || call !== undefined;
  const there = useApi<Evaluations>(given ? url("/api/evaluations", { run, call, limit: 100 }) : null);
  const [id, setId] = useState("");
  const [metric, setMetric] = useState("correct");
  const [value, setValue] = useState("");
  const [note, setNote] = useState("");
  const target = given ? { run, call } : id.startsWith("call_") ? { call: id } : { run: id };
  const send = (metrics: Record<string, number>) => async () => {
    await post("/api/evaluations", { ...target, metrics, note: note || undefined });
    setNote("");
    there.reload();
  };
  return (
    <div class="col gap16">
      {there.data && there.data.evaluations.length > 0 && <List all={there.data.evaluations} />}
      <div class="row wrap">
        {!given && <input aria-label="Run or call" placeholder="run_… or call_…" value={id} onInput={(event) => setId(event.currentTarget.value)} />}
        {given && <><Act act={send({ thumbs: 1 })} done="Noted: good."><Thumb />Good</Act><Act act={send({ thumbs: 0 })} done="Noted: bad."><Thumb down />Bad</Act></>}
        <input aria-label="Metric" placeholder="metric" size={12} value={metric} onInput={(event) => setMetric(event.currentTarget.value)} />
        <input aria-label="Score" placeholder="score" size={6} inputMode="decimal" value={value} onInput={(event) => setValue(event.currentTarget.value)} />
        <input class="grow" aria-label="Note" placeholder="note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
        <Act act={async () => send({ [metric || "score"]: figure("The score", value) })()} done="Logged.">Log</Act>
      </div>
    </div>
  );
}
