// A run on one scale of time: a row for each turn and step, in which all its attempts stand.

import { useMemo } from "preact/hooks";
import { url } from "../api";
import { Legend } from "../chart";
import { now } from "../clock";
import { ms, plural } from "../format";
import { useApi } from "../hooks";
import type { Journal, StepItem, TurnItem } from "../journal";
import { line } from "../text";
import { Link } from "../ui";
import type { Call, Calls, WholeCall } from "../types";
import { Long } from "../virtual";

interface Bar { tone: string; title: string; from: number; to: number | null }

/** The calls of a run by their ids. `rest`: it has more than one answer of the API lists. */
export interface CallsOf { listed: Map<string, Call>; rest: boolean }

/** `over`: the run has ended, and its calls change no more. */
export function useCallsOf(run: string, over: boolean): CallsOf {
  const calls = useApi<Calls>(url("/api/calls", { run, limit: 1000 }), over ? 0 : 5000);
  return useMemo(() => ({ listed: new Map((calls.data?.calls ?? []).map((call) => [call.id, call])), rest: !!calls.data?.next }), [calls.data]);
}

/** One of them; a call beyond the list is asked for by itself. */
export function useCall(of: CallsOf, id: string | null): Call | undefined {
  const listed = id ? of.listed.get(id) : undefined;
  const alone = useApi<WholeCall>(id && !listed && of.rest ? `/api/calls/${encodeURIComponent(id)}` : null);
  return listed ?? alone.data?.call;
}

const AREAS: [string, string][] = [["turn of the model", "var(--s1)"], ["tool", "var(--s3)"], ["failed attempt", "var(--bad)"], ["waits for a person", "var(--fill-warn)"]];

export function Timeline({ run, journal, version, over }: { run: string; journal: Journal; version: number; over: boolean }) {
  const calls = useCallsOf(run, over);
  const end = over ? journal.to : Math.max(journal.to, now());
  const span = Math.max(1, end - journal.from);
  if (version === 0) return <div class="in"><p class="soft">The journal is loading.</p></div>;
  return (
    <>
      <div class="in col">
        <Legend items={AREAS} />
        <div class="steps-row faint"><span>Turn or tool</span><span class="marks">{[0, 1, 2, 3, 4].map((quarter) => <small>{quarter === 0 ? "0" : ms((span * quarter) / 4)}</small>)}</span><span class="right wide">Attempts</span><span class="right">Took</span></div>
      </div>
      <Long label="Timeline" count={journal.spans.length} guess={30} row={(index) => <Row of={journal.spans[index]!} calls={calls} from={journal.from} span={span} end={end} />} />
    </>
  );
}

function Row({ of, calls, from, span, end }: { of: TurnItem | StepItem; calls: CallsOf; from: number; span: number; end: number }) {
  const call = useCall(calls, of.is === "turn" ? of.call : null);
  // A turn's attempts at providers are in the ledger: they are asked for where there was more than one.
  const whole = useApi<WholeCall>(call && call.attempts > 1 ? `/api/calls/${encodeURIComponent(call.id)}` : null);
  const inner = (whole.data?.attempts ?? []).map((each): Bar => ({
    tone: each.verdict ? "bad" : "", title: `attempt ${each.number} at ${each.target}${each.verdict ? `: ${each.verdict}` : ""}`,
    from: Date.parse(each.started_at), to: each.total_ms === null ? null : Date.parse(each.started_at) + each.total_ms,
  }));
  const own = of.attempts.map((each): Bar => ({
    tone: each.error !== null ? "bad" : of.is === "step" ? "tool" : inner.length > 0 ? "around" : "",
    title: `attempt ${each.number}${each.error ? `: ${line(each.error, 160)}` : ""}`, from: each.from, to: each.to,
  }));
  const waits = of.is === "step" ? of.waits.map((each): Bar => ({ tone: "wait", title: "waits for a person", ...each })) : [];
  const share = (length: number) => `${Math.max(0, Math.min(100, (100 * length) / span))}%`;
  const attempts = of.attempts.length - 1 + Math.max(1, call?.attempts ?? 1);
  const name = of.is === "turn" ? <>turn {of.turn}</> : <><span class="faint">{of.step}</span> <code>{of.tool}</code></>;
  return (
    <div class="steps-row">
      <span class="cut">{of.is === "turn" && of.call ? <Link class="link" href={`/calls/${encodeURIComponent(of.call)}`}>{name}</Link> : of.is === "step" && of.child ? <Link class="link" href={`/runs/${encodeURIComponent(of.child)}?tab=timeline`}>{name}</Link> : name}</span>
      <span class="track">{[...waits, ...own, ...inner].map((bar) => (
        <span class={`bar ${bar.tone} ${bar.to === null ? "open" : ""}`} title={bar.title} style={{ left: share(bar.from - from), width: share((bar.to ?? end) - bar.from) }} />
      ))}</span>
      <span class="right soft wide" title={plural(attempts, "attempt")}>{of.attempts.length === 0 ? "–" : attempts}</span>
      <span class="right soft nowrap">{of.from && of.to ? ms(of.to - of.from) : "…"}</span>
    </div>
  );
}
