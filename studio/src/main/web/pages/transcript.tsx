// A run as it was said and done: turns of the model with its reasoning, steps with what came of them.

import { useMemo } from "preact/hooks";
import { post } from "../api";
import { Parts, ToolBox } from "../conversation";
import { answer } from "../dialects";
import { compact, ms, time, usd } from "../format";
import { go } from "../hooks";
import type { Item, Journal, StepItem, TurnItem } from "../journal";
import { Text, line } from "../text";
import { Act, Badge, Link } from "../ui";
import type { WholeRun } from "../types";
import { Long } from "../virtual";

export function Transcript({ journal, version, run, live }: { journal: Journal; version: number; run: WholeRun; live: boolean }) {
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
