import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { post, url } from "../api";
import { now } from "../clock";
import { answer } from "../dialects";
import { Parts, ToolBox, Raw } from "../conversation";
import { compact, count, fullTime, ms, time, usd } from "../format";
import { useApi, useEvents, useParameter, go } from "../hooks";
import { Journal, ofSteps, type Item, type PlainStep, type Said, type StepItem, type TurnItem } from "../journal";
import { Table, type Column } from "../table";
import { Linked, Text, line } from "../text";
import { Long } from "../virtual";
import { Act, Badge, Copy, Facts, Filter, Link, Panel, Show, Tabs } from "../ui";
import type { Call, Calls, Runs, WholeRun } from "../types";
import type { Entry } from "../journal";
import { exportRun } from "../export";
import { CallBadge, RunBadge } from "./shared";
import { Unified } from "./compare";
import { Memory } from "./memory";
import { Evaluate } from "./evaluations";

const TYPES = ["run.accepted", "turn.started", "turn.failed", "turn.ended", "step.planned", "step.started", "step.failed", "step.ended", "approval.asked", "in.doubt", "decided", "warned", "nudged", "run.ended", "compacted", "memory", "tool", "note", "end", "worker.began", "session.joined", "result.part", "child.started", "child.awaited", "child.ended", "started.by", "tools.taken", "tools.listed", "step.skipped", "forked", "purged", "woken"];
/** How long one task may fold entries before the page gets its turn. */
const SLICE_MS = 12;

/** The journal as it grows; long ones are taken in over many frames. */
function useJournal(id: string | null): { journal: Journal; version: number; state: string } {
  const journal = useMemo(() => new Journal(), [id]);
  const [version, setVersion] = useState(0);
  const waiting = useRef<MessageEvent<string>[]>([]);
  const timer = useRef(0);
  const fold = () => {
    timer.current = 0;
    const until = performance.now() + SLICE_MS;
    let taken = 0;
    while (taken < waiting.current.length && performance.now() < until) {
      const event = waiting.current[taken++]!;
      const entry = JSON.parse(event.data) as Record<string, unknown>;
      journal.add(Number(event.lastEventId), { type: event.type, ...entry });
    }
    waiting.current.splice(0, taken);
    setVersion(journal.version);
    if (waiting.current.length > 0) timer.current = window.setTimeout(fold, 16);
  };
  const state = useEvents(id && `/api/runs/${encodeURIComponent(id)}/events`, (events) => {
    for (const event of events) waiting.current.push(event);
    if (!timer.current) timer.current = window.setTimeout(fold, 0);
  }, TYPES);
  return { journal, version, state };
}

/** The tabs whose list scrolls in itself. */
const FILLS = new Set(["transcript", "timeline", "wire", "journal", "memory"]);

const ENDED = /^(completed|failed|cancelled|dead_letter)$/;

export function RunPage({ id }: { id: string }) {
  const api = `/api/runs/${encodeURIComponent(id)}`;
  const run = useApi<WholeRun>(api);
  const client = run.data?.kind === "client";
  const over = run.data ? ENDED.test(run.data.status) : false;
  const own = useJournal(client || !run.data ? null : id);
  const steps = useApi<{ steps: PlainStep[] }>(client ? `${api}/steps?limit=10000` : null, over ? 0 : 5000);
  const told = useMemo(() => (steps.data ? ofSteps(run.data?.input ?? "", steps.data.steps, run.data?.transcript as Said[] | undefined) : null), [steps.data, run.data]);
  const journal = told ?? own.journal;
  const version = told ? told.version : own.version;
  const state = client ? "live" : own.state;
  const [tab, setTab] = useParameter("tab", "transcript");
  // The messages that a step's call added come with the run.
  useEffect(() => {
    if (steps.data && !over) run.reload();
  }, [steps.data]);
  // The summary follows the journal, at most once a second.
  useEffect(() => {
    if (version === 0 || over || client) return;
    const timer = window.setTimeout(run.reload, 1000);
    return () => window.clearTimeout(timer);
  }, [version, over]);
  const lost = !run.data && run.error && <div class="head"><Link class="soft" href="/runs">Runs</Link><span class="faint">/</span><h1 class="cut">{line(id, 60)}</h1></div>;
  return <>{lost}<Show from={run}>{(data) => <Whole run={data} journal={journal} version={version} state={state} tab={tab} setTab={setTab} reload={run.reload} />}</Show></>;
}

function Whole({ run, journal, version, state, tab, setTab, reload }: { run: WholeRun; journal: Journal; version: number; state: string; tab: string; setTab: (tab: string) => void; reload: () => void }) {
  const over = ENDED.test(run.status);
  return (
    <>
      <div class="head">
        <div class="col gap4 grow">
          <div class="row wrap">
            <Link class="soft" href="/runs">Runs</Link><span class="faint">/</span>
            <h1 class="cut">{run.agent ?? run.run}</h1><RunBadge status={run.status} />
            {!over && <span class="row faint"><span class={state === "live" ? "dot good beat" : "dot"} />{state === "live" ? "live" : "waiting for the gateway"}</span>}
          </div>
          <div class="row"><span class="id cut">{run.run}</span><Copy text={run.run}>Copy id</Copy></div>
        </div>
        <Buttons run={run} journal={journal} reload={reload} />
      </div>
      {(run.waits_for ?? []).map((wait) => <Ask run={run.run} wait={wait} step={journal.steps.get(wait.step)} reload={reload} />)}
      <Panel>
        <Facts facts={[
          ["Turns", count(run.turns)], ["Steps", count(run.steps)], ["Attempts", count(run.attempts)], ["Tokens", compact(run.tokens)],
          ["Cost", run.cost_usd === null ? <span class="soft">price unknown</span> : usd(run.cost_usd)],
          ["Took", ms((run.ended_at ? Date.parse(run.ended_at) : now()) - Date.parse(run.accepted_at))],
          ["Accepted", <time title={fullTime(run.accepted_at)}>{time(run.accepted_at)}</time>],
          ["Client", <Filter of="/runs" name="client" value={run.client} />], ["Definition", typeof run.definition_hash === "string" && <code title={run.definition_hash}>{run.definition_hash.slice(0, 10)}</code>],
          ...(run.parent ? [["Part of", <Link class="link" href={`/runs/${encodeURIComponent(run.parent)}`}>{run.parent}</Link>] as [string, preact.ComponentChildren]] : []),
          ...(typeof run.replay_of === "string" ? [["Replay of", <Link class="link" href={`/compare?a=${encodeURIComponent(run.replay_of)}&b=${encodeURIComponent(run.run)}`}>compare with it</Link>] as [string, preact.ComponentChildren]] : []),
          ...(run.session ? [["Session", <Link class="link" href={`/runs?session=${encodeURIComponent(run.session)}`}>{run.session}</Link>] as [string, preact.ComponentChildren]] : []),
        ]} />
        {run.reason && <p class={run.status === "completed" ? "soft after" : "bad after"}><Linked text={run.reason} /></p>}
      </Panel>
      <section class={`panel${FILLS.has(tab) ? " fills" : ""}`}>
        <div class="in col">
          <Tabs tabs={[["transcript", "Transcript"], ["timeline", "Timeline"], ["tree", "Tree"], ["wire", "Wire"], ["journal", "Journal"], ["memory", "Memory"], ["cost", "Cost"], ["evaluations", "Evaluations"]]} at={tab} pick={setTab} />
        </div>
        {tab === "transcript" && <Transcript journal={journal} version={version} run={run} live={!over} />}
        {tab === "timeline" && <Timeline journal={journal} version={version} over={over} />}
        {tab === "tree" && <div class="in"><Tree run={run} /></div>}
        {tab === "wire" && <Wire id={run.run} />}
        {tab === "journal" && <JournalTab journal={journal} version={version} />}
        {tab === "memory" && <Memory id={run.run} client={run.kind === "client"} journal={journal} version={version} />}
        {tab === "cost" && <div class="in"><Cost journal={journal} run={run} version={version} /></div>}
        {tab === "evaluations" && <div class="in"><Evaluate run={run.run} /></div>}
      </section>
    </>
  );
}

/** What a person is waited for. */
function Ask({ run, wait, step, reload }: { run: string; wait: WholeRun["waits_for"][number]; step: StepItem | undefined; reload: () => void }) {
  const [result, setResult] = useState("");
  const to = (action: string, body: unknown) => async () => {
    await post(`/api/runs/${encodeURIComponent(run)}/${action}`, body);
    reload();
  };
  return (
    <div class="ask">
      {wait.resolve !== undefined ? (
        <>
          <strong>Did step {wait.step}, {wait.tool}, happen?</strong>
          <span>{line(String(wait.resolve), 600)} The run goes on as soon as a person says.</span>
          {step && <Text code text={step.arguments} />}
          <input aria-label="Result, if it happened" placeholder="Its result, if it happened (optional)" value={result} onInput={(event) => setResult(event.currentTarget.value)} />
          <div class="row wrap">
            <Act act={to("resolve", { step: wait.step, happened: true, ...(result ? { result } : {}) })} done="Recorded: it happened.">It happened</Act>
            <Act act={to("resolve", { step: wait.step, happened: false })} done="Recorded: it did not happen.">It did not happen</Act>
          </div>
        </>
      ) : (
        <>
          <strong>Step {wait.step} waits for approval: {wait.tool}</strong>
          <Text code text={typeof wait.approve === "string" ? wait.approve : JSON.stringify(wait.approve, null, 2)} />
          <div class="row">
            <Act tone="first" act={to("approve", { step: wait.step, approved: true })} done="Approved.">Approve</Act>
            <Act act={to("approve", { step: wait.step, approved: false })} done="Refused. Mainstay tells the model.">Refuse</Act>
          </div>
        </>
      )}
    </div>
  );
}

function Buttons({ run, journal, reload }: { run: WholeRun; journal: Journal; reload: () => void }) {
  const [form, setForm] = useState<"" | "message" | "extend" | "fork">("");
  const [text, setText] = useState("");
  const [step, setStep] = useState("");
  const [verified, setVerified] = useState<{ words: string; diff: string } | null>(null);
  const api = `/api/runs/${encodeURIComponent(run.run)}`;
  const over = ENDED.test(run.status);
  // The agent of a client's run is elsewhere: it alone can pause, be told something, or be asked anew.
  const own = run.kind !== "client";
  const send = (action: string, body: unknown = {}) => async () => {
    await post(`${api}/${action}`, body);
    setForm("");
    setText("");
    reload();
  };
  const replay = (mode: string) => async () => {
    const made = await post<{ run?: string; runs?: string[]; equal?: boolean; requests?: number; divergence?: { step: number; diff: string } | null }>(`${api}/replay`, { mode, ...(step ? { from_step: Number(step) } : {}), set: text ? { model: text } : {} });
    if (mode === "verify") {
      setVerified(made.equal ? { words: `Equal: all ${made.requests ?? 0} requests match the record.`, diff: "" } : { words: `Step ${made.divergence?.step} differs.`, diff: made.divergence?.diff ?? "" });
      return;
    }
    const other = made.run ?? made.runs?.[0];
    if (other) go(`/runs/${encodeURIComponent(other)}`);
  };
  if (form === "message" || form === "extend") {
    return (
      <form class="row wrap" onSubmit={(event) => event.preventDefault()}>
        <input autoFocus aria-label={form === "message" ? "Message" : "More budget in USD"} placeholder={form === "message" ? "A message to the agent" : "More budget in USD, such as 0.50"} size={30} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Act tone="first" done={form === "message" ? "Sent." : "Extended."} act={form === "message" ? send("message", { text }) : send("extend", { budget: { usd: Number(text) } })}>Send</Act>
        <button class="btn" onClick={() => setForm("")}>Not now</button>
      </form>
    );
  }
  if (form === "fork") {
    return (
      <form class="row wrap" onSubmit={(event) => event.preventDefault()}>
        <input aria-label="From step" placeholder="from step: 1" size={10} inputMode="numeric" value={step} onInput={(event) => setStep(event.currentTarget.value)} />
        <input aria-label="Model" placeholder="model: as before" size={16} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Act tone="first" done="Forked." act={replay("fork")}>Fork</Act>
        <Act done="Verified." act={replay("verify")}>Verify</Act>
        <button class="btn" onClick={() => setForm("")}>Not now</button>
        {verified && <div class="col"><p class={verified.diff ? "warn" : "good"}>{verified.words}</p>{verified.diff && <Unified text={verified.diff} />}</div>}
      </form>
    );
  }
  return (
    <div class="row wrap">
      {own && !over && (
        <>
          <button class="btn" onClick={() => setForm("message")}>Message</button>
          <Act act={send("pause")} done="Pauses after this step.">Pause</Act>
          {run.status === "waiting" && <Act act={send("resume")} done="Goes on.">Resume</Act>}
          <button class="btn" onClick={() => setForm("extend")}>Extend</button>
        </>
      )}
      {own && <button class="btn" onClick={() => setForm("fork")}>Replay…</button>}
      <button class="btn" onClick={() => exportRun(run, journal)}>Export</button>
      {own && !over && <Act tone="danger" act={send("cancel")} done="Cancelled." ask="Cancel this run?">Cancel</Act>}
      {!own && !over && <Act act={send("events", { type: "end", id: "studio-end" })} done="Ended.">It has ended</Act>}
    </div>
  );
}

function Transcript({ journal, version, run, live }: { journal: Journal; version: number; run: WholeRun; live: boolean }) {
  if (version === 0) return <div class="in"><p class="soft">The journal is loading.</p></div>;
  return <Long label="Transcript" count={journal.items.length} guess={92} follow={live} row={(index) => <ItemRow item={journal.items[index]!} run={run} />} />;
}

function ItemRow({ item, run }: { item: Item; run: WholeRun }) {
  switch (item.is) {
    case "note": return <div class="turn"><div class="who">{item.who}<br /><span class="faint">{time(item.at)}</span></div><div class="said"><span class={item.tone}><Text text={item.text} /></span></div></div>;
    case "turn": return <Turn item={item} />;
    case "step": return <Step item={item} run={run} />;
  }
}

function Failures({ attempts }: { attempts: TurnItem["attempts"] }) {
  const failed = attempts.filter((attempt) => attempt.error !== null);
  return (
    <>
      {failed.map((attempt) => (
        <div class="row wrap"><Badge tone="warn">attempt {attempt.number}: {attempt.kind}</Badge><span class="soft">{line(attempt.error!, 300)}</span>{attempt.call && <Link class="link" href={`/calls/${encodeURIComponent(attempt.call)}`}>call</Link>}</div>
      ))}
    </>
  );
}

const ENDINGS: Record<string, string> = { TOOL_CALLS: "calls tools · ", STOP: "", stop: "" };

function Turn({ item }: { item: TurnItem }) {
  const parts = useMemo(() => (item.message ? answer(JSON.stringify({ choices: [{ message: item.message }] })).parts.filter((part) => part.kind !== "call") : []), [item.message]);
  return (
    <div class="turn answer">
      <div class="who">turn {item.turn}<br /><span class="faint">{item.to ? ms(item.to - item.from) : "…"}</span></div>
      <div class="said">
        <Failures attempts={item.attempts} />
        <Parts parts={parts} />
        <div class="row wrap faint"><small>{ENDINGS[item.ending] ?? (item.ending && `${item.ending} · `)}{compact(item.tokens)} tokens · {item.nanos === null ? "price unknown" : usd(item.nanos / 1e9)}</small>{item.call && <Link class="link" href={`/calls/${encodeURIComponent(item.call)}`}><small>call</small></Link>}</div>
      </div>
    </div>
  );
}

function stepBadge(step: StepItem) {
  if (step.doubt) return <Badge tone="warn">in doubt</Badge>;
  if (step.approval === "asked") return <Badge tone="warn">waits for approval</Badge>;
  if (step.ok === null) return <Badge tone="info">{step.attempts.length ? "running" : "planned"}</Badge>;
  return step.ok ? <Badge tone="good">done</Badge> : <Badge tone="bad">error</Badge>;
}

function Step({ item, run }: { item: StepItem; run: WholeRun }) {
  return (
    <div class="turn">
      <div class="who">step {item.step}<br /><span class="faint">{item.from && item.to ? ms(item.to - item.from) : ""}</span></div>
      <div class="said">
        <ToolBox title={<><code>{item.tool}</code>{stepBadge(item)}</>} text={item.arguments} out={item.result} bad={item.ok === false}
          side={run.kind === "client" ? undefined : <><span class="faint"><small>{item.attempts.length > 1 ? `${item.attempts.length} attempts` : ""}</small></span><Act tone="small" done="Forked." act={async () => {
            const made = await post<{ run?: string; runs?: string[] }>(`/api/runs/${encodeURIComponent(run.run)}/replay`, { mode: "fork", from_step: item.step });
            const other = made.run ?? made.runs?.[0];
            if (other) go(`/runs/${encodeURIComponent(other)}`);
          }}>Replay from here</Act></>} />
        <Failures attempts={item.attempts} />
        {item.child && <Link class="link" href={`/runs/${encodeURIComponent(item.child)}`}>the run of {item.tool}</Link>}
        {item.doubt && <span class="warn">{line(item.doubt, 600)}</span>}
      </div>
    </div>
  );
}

/** One row for each turn and step; all its attempts stand in it, those that failed hatched. */
function Timeline({ journal, version, over }: { journal: Journal; version: number; over: boolean }) {
  const end = over ? journal.to : Math.max(journal.to, now());
  const span = Math.max(1, end - journal.from);
  const share = (length: number) => `${Math.max(0, (100 * length) / span)}%`;
  if (version === 0) return <div class="in"><p class="soft">The journal is loading.</p></div>;
  return (
    <>
      <div class="in"><div class="steps-row faint"><span>Turn or tool</span><span class="row"><span>0</span><span class="grow" /><span>{ms(span / 2)}</span><span class="grow" /><span>{ms(span)}</span></span><span /></div></div>
      <Long label="Timeline" count={journal.spans.length} guess={30} row={(index) => {
        const each = journal.spans[index]!;
        const attempts = each.attempts.length > 0 ? each.attempts : [];
        return (
          <div class="steps-row">
            <span class="cut">{each.is === "turn" ? <span>turn {each.turn}</span> : <span><span class="faint">{each.step}</span> <code>{each.tool}</code></span>}</span>
            <span class="track">{attempts.map((attempt) => (
              <span class={`bar ${attempt.error !== null ? "bad" : each.is === "step" ? "tool" : ""} ${attempt.to === null ? "open" : ""}`}
                title={attempt.error ? `attempt ${attempt.number}: ${line(attempt.error, 160)}` : `attempt ${attempt.number}`}
                style={{ left: share(attempt.from - journal.from), width: share((attempt.to ?? end) - attempt.from) }} />
            ))}</span>
            <span class="right soft nowrap">{each.from && each.to ? ms(each.to - each.from) : "…"}</span>
          </div>
        );
      }} />
    </>
  );
}

function Tree({ run }: { run: WholeRun }) {
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

const WIRE: Column<Call>[] = [
  { name: "Time", width: "96px", cell: (call) => <span class="soft">{time(call.started_at)}</span> },
  { name: "Outcome", width: "148px", cell: (call) => <CallBadge call={call} /> },
  { name: "Call", width: "minmax(180px, 1fr)", cell: (call) => <span class="id">{call.id}</span> },
  { name: "Answered by", width: "minmax(140px, 1fr)", cell: (call) => call.target ?? "–" },
  { name: "Attempts", width: "72px", number: true, cell: (call) => count(call.attempts) },
  { name: "Total", width: "80px", number: true, cell: (call) => ms(call.total_ms) },
  { name: "Cost", width: "80px", number: true, cell: (call) => usd(call.cost_usd) },
];

function Wire({ id }: { id: string }) {
  const calls = useApi<Calls>(url("/api/calls", { run: id, limit: 1000 }), 5000);
  return <Show from={calls}>{(data) => data.calls.length === 0 ? <div class="in"><p class="soft">The ledger has no model call of this run: the run has made none, or their retention has passed.</p></div> : <Table label="Calls of this run" rows={data.calls} columns={WIRE} id={(call) => call.id} href={(call) => `/calls/${encodeURIComponent(call.id)}`} />}</Show>;
}

const JOURNAL: Column<Entry>[] = [
  { name: "#", width: "56px", number: true, cell: (entry) => <span class="faint">{entry.sequence}</span> },
  { name: "Time", width: "96px", cell: (entry) => <span class="soft">{entry.at ? time(entry.at as number) : "–"}</span> },
  { name: "Entry", width: "128px", cell: (entry) => <Badge tone={/failed|doubt/.test(entry.type) ? "bad" : /ended/.test(entry.type) ? "good" : ""}>{entry.type}</Badge> },
  { name: "Step", width: "56px", number: true, cell: (entry) => count(entry.step as number | undefined) },
  { name: "What it says", width: "minmax(260px, 1fr)", cell: (entry) => {
    const { sequence: _, type: __, at: ___, step: ____, ...rest } = entry;
    return <code class="soft">{line(JSON.stringify(rest), 260)}</code>;
  } },
];

function JournalTab({ journal, version }: { journal: Journal; version: number }) {
  const [open, setOpen] = useParameter("entry", "");
  const rows = useMemo(() => [...journal.entries], [version]);
  const entry = open ? journal.entries.find((each) => String(each.sequence) === open) : undefined;
  return (
    <>
      {entry && <div class="in col"><div class="row"><h2>Entry {entry.sequence}, {entry.type}</h2><span class="grow" /><button class="btn small" onClick={() => setOpen("")}>Close</button></div><Raw text={JSON.stringify(entry)} whole /></div>}
      <Table label="Journal" rows={rows} columns={JOURNAL} id={(each) => String(each.sequence)} href={(each) => `${location.pathname}?tab=journal&entry=${each.sequence}`} />
    </>
  );
}

function Cost({ journal, run, version }: { journal: Journal; run: WholeRun; version: number }) {
  const rows = useMemo(() => journal.spans.map((each) => ({
    name: each.is === "turn" ? `turn ${each.turn}` : `${each.tool}, step ${each.step}`,
    tokens: each.is === "turn" ? each.tokens : 0, nanos: each.nanos, attempts: each.attempts.length,
  })).sort((a, b) => (b.nanos ?? 0) - (a.nanos ?? 0) || b.tokens - a.tokens).slice(0, 200), [version]);
  return (
    <div class="col gap16">
      <p class="soft">{run.cost_usd === null ? "A model of this run has no known price, so its sum is unknown too." : <>The whole run cost <strong>{usd(run.cost_usd)}</strong> for {compact(run.tokens)} tokens.</>}</p>
      <div class="scroll"><table class="plain"><thead><tr><th>What</th><th class="num">Attempts</th><th class="num">Tokens</th><th class="num">Cost</th></tr></thead>
        <tbody>{rows.map((row) => <tr><td>{row.name}</td><td class="num">{row.attempts}</td><td class="num">{count(row.tokens)}</td><td class="num">{row.nanos === null ? "–" : usd(row.nanos / 1e9)}</td></tr>)}</tbody></table></div>
    </div>
  );
}

