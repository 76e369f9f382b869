// Calls and runs as every page writes them.

import { line } from "../text";
import { Badge, type Tone } from "../ui";
import type { Call } from "../types";

export function recoveries(call: Call): string[] {
  const value = call.recovery;
  if (!value) return [];
  return (Array.isArray(value) ? value : value.split(",")).map((each) => each.trim()).filter(Boolean);
}

/** Whether its client had an answer in the end. */
export function delivered(call: Call): boolean {
  return call.status !== null && call.status < 400 && !call.verdict;
}

export function kind(verdict: string | null): string {
  return verdict?.split("/")[1] ?? verdict ?? "";
}

export function CallBadge({ call }: { call: Call }) {
  if (call.verdict) {
    const client = /client_closed|cancelled/.test(call.verdict);
    return <Badge tone={client ? "" : "bad"} title={call.verdict}>{kind(call.verdict).replaceAll("_", " ")}</Badge>;
  }
  if (call.status === null) return <Badge tone="info">running</Badge>;
  const saved = recoveries(call);
  if (call.status >= 400) return <Badge tone="bad">{call.status}</Badge>;
  return saved.length > 0 ? <Badge tone="warn">recovered</Badge> : <span class="fine"><span class="dot good" />ok</span>;
}

/** The states that a run does not leave. */
export const ENDED = /^(completed|failed|cancelled|dead_letter)$/;

const RUNS: Record<string, Tone> = { completed: "good", failed: "bad", dead_letter: "bad", in_doubt: "warn", waiting: "warn", running: "info", queued: "", cancelled: "" };

export function RunBadge({ status }: { status: string }) {
  return <Badge tone={RUNS[status] ?? ""}>{status.replace("_", " ")}</Badge>;
}

/** A stable colour of the palette for a name. */
export function hue(index: number): string {
  return `var(--s${(index % 6) + 1})`;
}

/** A number as it was typed; an error that names it where it is none. */
export function figure(name: string, text: string): number {
  const value = Number(text.trim().replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value)) throw new Error(`${name} must be a number, not ${text.trim() === "" ? "nothing" : line(text, 40)}.`);
  return value;
}
