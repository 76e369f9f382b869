import { useEffect, useState } from "preact/hooks";
import { get, text as read, url } from "../api";
import { answer } from "../dialects";
import { bytes, compact, count, ms, usd } from "../format";
import { go, useAddress, useApi } from "../hooks";
import { harmless, line } from "../text";
import { Ago, Badge, Empty, Link, Panel, Problem, Show, type Tone } from "../ui";
import type { Call, Calls, Runs, WholeCall, WholeRun } from "../types";
import { factor } from "./changes";
import { CallBadge, RunBadge } from "./shared";
import { ApiError } from "../api";

export function ComparePage() {
  const { query } = useAddress();
  const a = query.get("a") ?? "";
  const b = query.get("b") ?? "";
  const [left, setLeft] = useState(a);
  const [right, setRight] = useState(b);
  useEffect(() => { setLeft(a); setRight(b); }, [a, b]);
  // A client names its own runs: whatever is no call is one.
  const calls = [a, b].filter((id) => id.startsWith("call_")).length;
  return (
    <>
      <div class="head"><h1>Compare</h1></div>
      <form class="row wrap" onSubmit={(event) => { event.preventDefault(); go(`/compare?a=${encodeURIComponent(left.trim())}&b=${encodeURIComponent(right.trim())}`); }}>
        <input class="grow" aria-label="First run or call" placeholder="run_… or call_…" value={left} onInput={(event) => setLeft(event.currentTarget.value)} />
        <input class="grow" aria-label="Second run or call" placeholder="run_… or call_…" value={right} onInput={(event) => setRight(event.currentTarget.value)} />
        <button class="btn first">Compare</button>
      </form>
      {a && !b ? <Others a={a} /> : !a || !b ? <Panel flush><Empty title="Two runs or two calls, side by side" code={"./mainstay calls replay CALL --set model=openai/gpt-4o-mini\n./mainstay runs diff RUN_A RUN_B"}>Paste two ids above. A replay of a call leads here by itself.</Empty></Panel>
        : calls === 1 ? <Panel flush><Empty title="A run and a call cannot be compared">Give two runs, or two calls. The wire of a run lists its calls.</Empty></Panel>
        : calls === 0 ? <CompareRuns key={`${a} ${b}`} a={a} b={b} /> : <CompareCalls a={a} b={b} />}
    </>
  );
}

/** What the first one can be compared with: the latest of its kind. */
function Others({ a }: { a: string }) {
  const calls = a.startsWith("call_");
  const first = useApi<{ call: Call }>(calls ? `/api/calls/${encodeURIComponent(a)}` : null);
  const runs = useApi<Runs>(calls ? null : url("/api/runs", { limit: OTHERS }));
  const others = useApi<Calls>(first.data ? url("/api/calls", { model: first.data.call.model, limit: OTHERS }) : null);
  const list = calls
    ? (others.data?.calls ?? []).map((each) => ({ id: each.id, at: each.started_at, badge: <CallBadge call={each} />, words: each.target ?? each.model ?? "", cost: each.cost_usd }))
    : (runs.data?.runs ?? []).map((each) => ({ id: each.run, at: each.accepted_at, badge: <RunBadge status={each.status} />, words: each.agent ?? "", cost: typeof each.cost_usd === "number" ? each.cost_usd : null }));
  const error = first.error ?? others.error ?? runs.error;
  return (
    <Panel title={`Compare ${a.length > 24 ? `${a.slice(0, 20)}…` : a} with`}>
      {error && <Problem error={error} />}
      <div class="col gap4">
        {list.filter((each) => each.id !== a).map((each) => <Link class="row latest" href={`/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(each.id)}`}>{each.badge}<span class="id cut">{each.id}</span><span class="cut soft wide">{each.words}</span><span class="grow" /><span class="soft nowrap">{usd(each.cost)}</span><span class="faint nowrap"><Ago at={each.at} /></span></Link>)}
        {list.length > 0 && list.every((each) => each.id === a) && <p class="soft">There is no other one yet. A replay leads here by itself.</p>}
      </div>
    </Panel>
  );
}

/** How many others are offered. */
const OTHERS = 25;

interface Metric { name: string; a: number | null; b: number | null; show: (value: number | null) => string }

function Metrics({ rows, a, b, at }: { rows: Metric[]; a: string; b: string; at: string }) {
  return (
    <Panel title="Metrics"><div class="scroll"><table class="plain metrics">
      <thead><tr><th>Metric</th><th class="num"><Link class="link" href={`/${at}/${encodeURIComponent(a)}`}>first</Link></th><th class="num"><Link class="link" href={`/${at}/${encodeURIComponent(b)}`}>second</Link></th><th class="num">change</th></tr></thead>
      <tbody>{rows.map((row) => {
        const change = row.a && row.b !== null ? factor(row.b, row.a) : null;
        return <tr><td>{row.name}</td><td class="num">{row.show(row.a)}</td><td class="num">{row.show(row.b)}</td><td class="num soft">{change === null ? "–" : /^[+−]0 /.test(change) ? "same" : change}</td></tr>;
      })}</tbody>
    </table></div></Panel>
  );
}

function CompareRuns({ a, b }: { a: string; b: string }) {
  const first = useApi<WholeRun>(`/api/runs/${encodeURIComponent(a)}`);
  const second = useApi<WholeRun>(`/api/runs/${encodeURIComponent(b)}`);
  const diff = useApi<RunDiff>(`/api/runs/${encodeURIComponent(a)}/diff/${encodeURIComponent(b)}`);
  const took = (run: WholeRun) => (run.ended_at ? Date.parse(run.ended_at) - Date.parse(run.accepted_at) : null);
  return (
    <>
      <Show from={first}>{(one) => <Show from={second}>{(two) => <Metrics a={a} b={b} at="runs" rows={[
        { name: "Turns", a: one.turns, b: two.turns, show: count }, { name: "Steps", a: one.steps, b: two.steps, show: count },
        { name: "Attempts", a: one.attempts, b: two.attempts, show: count }, { name: "Tokens", a: one.tokens, b: two.tokens, show: compact },
        { name: "Cost", a: one.cost_usd, b: two.cost_usd, show: usd }, { name: "Took", a: took(one), b: took(two), show: ms },
      ]} />}</Show>}</Show>
      <Show from={diff}>{(data) => (
        <>
          <Panel title="Steps, side by side" side={data.first_difference && <span class="faint">the first difference: step {data.first_difference.a ?? "–"} and step {data.first_difference.b ?? "–"}</span>}><Aligned diff={data} a={a} b={b} /></Panel>
          <Panel title="What differs"><Unified text={data.text} /></Panel>
        </>
      )}</Show>
    </>
  );
}

interface Pair<T> { a: T | null; b: T | null }

interface StepDiff { change: "same" | "changed" | "added" | "removed"; kind: string; name: string; a: number | null; b: number | null; text?: string; arguments?: { pointer: string; a: unknown; b: unknown }[]; tokens: Pair<number>; cost_usd: Pair<number>; duration_ms: Pair<number> }

interface RunDiff { text: string; first_difference: Pair<number> | null; steps: StepDiff[] }

const CHANGES: Record<StepDiff["change"], Tone> = { same: "", changed: "warn", added: "good", removed: "bad" };

/** The steps of both runs in one order; a row opens to what differs in it. */
function Aligned({ diff, a, b }: { diff: RunDiff; a: string; b: string }) {
  const [open, setOpen] = useState<number | null>(null);
  const [most, setMost] = useState(200);
  const took = (pair: Pair<number>) => pair.a !== null && pair.b !== null ? `${ms(pair.a)} → ${ms(pair.b)}` : ms(pair.a ?? pair.b);
  return (
    <div class="scroll">
      <table class="plain">
        <thead><tr><th class="num"><Link class="link" href={`/runs/${encodeURIComponent(a)}`}>first</Link></th><th class="num"><Link class="link" href={`/runs/${encodeURIComponent(b)}`}>second</Link></th><th>Step</th><th>Change</th><th>What</th><th class="num wide">Took</th><th class="num wide">Tokens</th><th class="num wide">Cost</th></tr></thead>
        <tbody>{diff.steps.slice(0, most).map((step, index) => (
          <>
            <tr>
              <td class="num soft">{step.a ?? "–"}</td><td class="num soft">{step.b ?? "–"}</td>
              <td class="nowrap"><span class="faint">{step.kind}</span> <code>{line(step.name, 40)}</code></td>
              <td><Badge tone={CHANGES[step.change] ?? ""}>{step.change}</Badge></td>
              <td class="free">{(step.arguments ?? []).slice(0, 4).map((each) => <div><code>{line(`${each.pointer}: ${JSON.stringify(each.a)} → ${JSON.stringify(each.b)}`, 120)}</code></div>)}{step.text && <button class="link" aria-expanded={open === index} onClick={() => setOpen(open === index ? null : index)}>{open === index ? "less" : "what differs"}</button>}</td>
              <td class="num soft wide">{took(step.duration_ms)}</td><td class="num soft wide">{compact(step.tokens.a)} → {compact(step.tokens.b)}</td><td class="num soft wide">{usd(step.cost_usd.a)} → {usd(step.cost_usd.b)}</td>
            </tr>
            {open === index && step.text && <tr><td colSpan={8}><Unified text={step.text} /></td></tr>}
          </>
        ))}</tbody>
      </table>
      {diff.steps.length > most && <button class="link more" onClick={() => setMost(most + 1000)}>Show more · {diff.steps.length - most} steps left</button>}
    </div>
  );
}

/** Characters of one line that a difference shows. */
const LONGEST = 1000;

export function Unified({ text }: { text: string }) {
  const [most, setMost] = useState(800);
  const lines = text.split("\n");
  if (text.trim() === "") return <p class="soft">Nothing: both are the same.</p>;
  return (
    <div class="col">
      <div class="diff" tabIndex={0} role="region" aria-label="Difference">{lines.slice(0, most).map((each) => <div class={each.startsWith("@@") || each.startsWith("---") || each.startsWith("+++") ? "at" : each.startsWith("+") ? "add" : each.startsWith("-") ? "del" : ""}>{harmless(each.slice(0, LONGEST)) || " "}{each.length > LONGEST && <span class="faint"> … {bytes(each.length - LONGEST)} more in this line</span>}</div>)}</div>
      {lines.length > most && <button class="link more" onClick={() => setMost(most + 4000)}>Show more · {lines.length - most} lines left</button>}
    </div>
  );
}

/** The lines of two texts by their longest common subsequence; long texts line by line. */
export function unified(a: string, b: string): string {
  const one = a.split("\n").slice(0, 1500);
  const two = b.split("\n").slice(0, 1500);
  const width = two.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) for (let j = two.length - 1; j >= 0; j--) {
    table[i * width + j] = one[i] === two[j] ? table[(i + 1) * width + j + 1]! + 1 : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  }
  const out: string[] = [];
  let i = 0;
  let j = 0;
  let differs = false;
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && one[i] === two[j]) { out.push(` ${one[i++]}`); j++; }
    else if (i < one.length && (j >= two.length || table[(i + 1) * width + j]! >= table[i * width + j + 1]!)) { out.push(`-${one[i++]}`); differs = true; }
    else { out.push(`+${two[j++]}`); differs = true; }
  }
  return differs ? out.join("\n") : "";
}

interface Side { call: WholeCall; said: string }

async function side(id: string): Promise<Side> {
  const call = await get<WholeCall>(`/api/calls/${encodeURIComponent(id)}`);
  const bodies = (call.bodies ?? []).filter((each) => each.part === "response");
  const body = bodies.find((each) => each.attempt === 0) ?? bodies.at(-1);
  const raw = body ? (await read(`/api/calls/${encodeURIComponent(id)}/bodies/${body.attempt}/${body.part}`, 1_000_000)).text : "";
  return { call, said: answer(raw).parts.map((part) => (part.kind === "call" ? `${part.name} ${part.text}` : part.text)).join("\n\n") };
}

function CompareCalls({ a, b }: { a: string; b: string }) {
  const [sides, setSides] = useState<[Side, Side] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    setSides(null);
    setError(null);
    Promise.all([side(a), side(b)]).then((both) => setSides(both), (thrown: unknown) => setError(ApiError.of(thrown)));
  }, [a, b]);
  if (error) return <Problem error={error} />;
  if (!sides) return null;
  const [one, two] = sides;
  return (
    <>
      <Metrics a={a} b={b} at="calls" rows={[
        { name: "Attempts", a: one.call.call.attempts, b: two.call.call.attempts, show: count },
        { name: "First token", a: one.call.call.first_token_ms, b: two.call.call.first_token_ms, show: ms },
        { name: "Total", a: one.call.call.total_ms, b: two.call.call.total_ms, show: ms },
        { name: "Input tokens", a: one.call.call.tokens?.input ?? null, b: two.call.call.tokens?.input ?? null, show: compact },
        { name: "Output tokens", a: one.call.call.tokens?.output ?? null, b: two.call.call.tokens?.output ?? null, show: compact },
        { name: "Cost", a: one.call.call.cost_usd, b: two.call.call.cost_usd, show: usd },
      ]} />
      <Panel title="The answers"><Unified text={unified(one.said, two.said)} /></Panel>
    </>
  );
}
