import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { now } from "../clock";
import { parse } from "../dialects";
import { compact, count, fullTime, ms, time, usd } from "../format";
import { useApi, useEvents, useParameter } from "../hooks";
import { Journal, ofSteps, type PlainStep, type Said } from "../journal";
import { Linked, line } from "../text";
import { Copy, Facts, Filter, Link, Panel, Show, Tabs } from "../ui";
import type { WholeRun } from "../types";
import { Evaluate } from "./evaluations";
import { Memory } from "./memory";
import { Ask, Buttons } from "./run-actions";
import { JournalTab, RunCost } from "./run-journal";
import { ENDED, RunBadge } from "./shared";
import { Timeline } from "./timeline";
import { Transcript } from "./transcript";
import { Tree } from "./tree";
import { Wire } from "./wire";

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
      const entry = parse(event.data);
      // What is no entry is left out: the ones behind it count all the same.
      if (entry !== null && typeof entry === "object") journal.add(Number(event.lastEventId), { type: event.type, ...entry });
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
          ["Client", <Filter of="/runs" name="client" value={run.client} />], 
          ...(typeof run.definition_hash === "string" ? [["Definition", <code title={run.definition_hash}>{run.definition_hash.slice(0, 10)}</code>] as [string, preact.ComponentChildren]] : []),
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
        {tab === "timeline" && <Timeline run={run.run} journal={journal} version={version} over={over} />}
        {tab === "tree" && <div class="in"><Tree run={run} /></div>}
        {tab === "wire" && <Wire id={run.run} journal={journal} version={version} over={over} />}
        {tab === "journal" && <JournalTab journal={journal} version={version} />}
        {tab === "memory" && <Memory id={run.run} client={run.kind === "client"} journal={journal} version={version} />}
        {tab === "cost" && <div class="in"><RunCost journal={journal} run={run} version={version} /></div>}
        {tab === "evaluations" && <div class="in"><Evaluate run={run.run} /></div>}
      </section>
    </>
  );
}
