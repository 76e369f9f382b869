// What went over the wire for a run: each request with its answer, to models and to tools, in order.

import { useMemo } from "preact/hooks";
import { Raw } from "../conversation";
import { bytes, ms, plural, time, usd } from "../format";
import { useApi, useParameter } from "../hooks";
import type { Journal, StepItem } from "../journal";
import { line } from "../text";
import { Badge, Facts, Link, Show } from "../ui";
import type { WholeCall } from "../types";
import { Long } from "../virtual";
import { Bodies, Waterfall } from "./call";
import { CallBadge } from "./shared";
import { useCall, useCallsOf, type CallsOf } from "./timeline";

/** One request and its answer. `key` is what the address calls it by. */
type Exchange = { key: string; at: number | null } & ({ is: "call"; id: string; turn: number; error: string | null; took: number | null } | { is: "tool"; step: StepItem });

/** The exchanges of a run, in the order in which they began. */
function exchanges(journal: Journal): Exchange[] {
  return journal.spans.flatMap((each): Exchange[] => {
    if (each.is === "step") return [{ key: `step-${each.step}`, at: each.from, is: "tool", step: each }];
    const last = each.attempts.length - 1;
    return each.attempts.flatMap((attempt, index): Exchange[] => {
      const id = attempt.call ?? (index === last ? each.call : null);
      return id ? [{ key: id, at: attempt.from, is: "call", id, turn: each.turn, error: attempt.error, took: attempt.to === null ? null : attempt.to - attempt.from }] : [];
    });
  });
}

export function Wire({ id, journal, version, over }: { id: string; journal: Journal; version: number; over: boolean }) {
  const calls = useCallsOf(id, over);
  const list = useMemo(() => exchanges(journal), [journal, version]);
  const [open, setOpen] = useParameter("open");
  if (version === 0) return <div class="in"><p class="soft">The journal is loading.</p></div>;
  if (list.length === 0) return <div class="in"><p class="soft">Nothing went over the wire yet: this run has made no call and used no tool.</p></div>;
  return <Long label="Requests and answers" count={list.length} guess={37} row={(index) => {
    const each = list[index]!;
    return <Row of={each} calls={calls} open={open === each.key} toggle={() => setOpen(open === each.key ? "" : each.key)} />;
  }} />;
}

function Row({ of, calls, open, toggle }: { of: Exchange; calls: CallsOf; open: boolean; toggle: () => void }) {
  const call = useCall(calls, of.is === "call" ? of.id : null);
  return (
    <div class="exchange">
      <button class="lane" aria-expanded={open} onClick={toggle}>
        <span class="soft wide">{of.at ? time(of.at) : "–"}</span>
        <Badge tone={of.is === "call" ? "accent" : "info"}>{of.is === "call" ? "model" : "tool"}</Badge>
        {of.is === "call" ? (
          <>
            <span class="cut">turn {of.turn} <span class="soft">{call ? `${call.model ?? call.path}${call.target ? ` → ${call.target}` : ""}` : line(of.error ?? "", 120)}</span></span>
            <span class="cut">{call ? <CallBadge call={call} /> : of.error !== null && <Badge tone="bad">failed</Badge>}{call && call.attempts > 1 && <span class="soft wide"> {plural(call.attempts, "attempt")}</span>}</span>
            <span class="right soft wide">{call ? usd(call.cost_usd) : ""}</span>
            <span class="right soft">{ms(call?.total_ms ?? of.took)}</span>
          </>
        ) : (
          <>
            <span class="cut"><code>{of.step.tool}</code> <code class="soft">{line(of.step.arguments, 160)}</code></span>
            <span class="cut"><Came step={of.step} />{of.step.attempts.length > 1 && <span class="soft wide"> {plural(of.step.attempts.length, "attempt")}</span>}</span>
            <span class="right soft wide">{of.step.result === null ? "" : bytes(of.step.result.length)}</span>
            <span class="right soft">{of.step.from && of.step.to ? ms(of.step.to - of.step.from) : "…"}</span>
          </>
        )}
      </button>
      {open && <div class="more">{of.is === "call" ? <Exchanged id={of.id} /> : <ToolExchanged step={of.step} />}</div>}
    </div>
  );
}

function Came({ step }: { step: StepItem }) {
  if (step.doubt) return <Badge tone="warn">in doubt</Badge>;
  if (step.ok === null) return <Badge tone="info">{step.attempts.length > 0 ? "running" : "not sent"}</Badge>;
  return step.ok ? <span class="fine"><span class="dot good" />ok</span> : <Badge tone="bad">error</Badge>;
}

/** A call's attempts, and the bytes that the client sent and got. */
function Exchanged({ id }: { id: string }) {
  const loaded = useApi<WholeCall>(`/api/calls/${encodeURIComponent(id)}`);
  return (
    <Show from={loaded}>{({ call, attempts, bodies = [] }) => (
      <div class="col gap16">
        <div class="row wrap"><code>POST {call.path}</code><Link class="link id" href={`/calls/${encodeURIComponent(id)}`}>{id}</Link></div>
        {attempts.length > 0 && <Waterfall attempts={attempts} start={Date.parse(call.started_at)} total={call.total_ms} />}
        <div class="grid2"><Bodies id={id} bodies={bodies} attempts={attempts} tab="request" />{bodies.length > 0 && <Bodies id={id} bodies={bodies} attempts={attempts} tab="answer" />}</div>
      </div>
    )}</Show>
  );
}

function ToolExchanged({ step }: { step: StepItem }) {
  return (
    <div class="col gap16">
      <Facts facts={[["Step", step.step], ["Idempotency key", step.key ? <code>{step.key}</code> : "–"], ...(step.child ? [["Run", <Link class="link" href={`/runs/${encodeURIComponent(step.child)}`}>{step.child}</Link>] as [string, preact.ComponentChildren]] : [])]} />
      {step.attempts.filter((each) => each.error !== null).map((each) => <div class="row wrap"><Badge tone="bad">attempt {each.number}{each.kind ? `: ${each.kind}` : ""}</Badge><span class="soft">{line(each.error!, 600)}</span></div>)}
      {step.doubt && <p class="warn">{line(step.doubt, 600)}</p>}
      <div class="grid2">
        <div class="col"><h2>Request <span class="faint">{bytes(step.arguments.length)}</span></h2><Raw text={step.arguments} whole /></div>
        <div class="col"><h2>Answer {step.result !== null && <span class="faint">{bytes(step.result.length)}</span>}</h2>{step.result === null ? <p class="soft">None came.</p> : <Raw text={step.result} whole />}</div>
      </div>
    </div>
  );
}
