// A run's journal, entry by entry, as what people look at: turns, steps, attempts, decisions.

import { bytes } from "./format";

export interface Entry { sequence: number; type: string; [field: string]: unknown }

export interface Attempt { number: number; from: number; to: number | null; error: string | null; kind: string; call: string | null }

export interface TurnItem {
  is: "turn"; turn: number; step: number; attempts: Attempt[]; message: Record<string, unknown> | null; call: string | null;
  ending: string; tokens: number; nanos: number | null; from: number; to: number | null;
}

export interface StepItem {
  is: "step"; step: number; turn: number; tool: string; arguments: string; key: string; attempts: Attempt[];
  result: string | null; ok: boolean | null; tokens: number; nanos: number | null; from: number | null; to: number | null;
  approval: "asked" | "approved" | "refused" | null; doubt: string | null;
  /** When it waited for a person; `to` is null while it does. */
  waits: { from: number; to: number | null }[];
  /** The run that the step started, where its tool is another agent. */
  child: string | null;
}

export interface NoteItem { is: "note"; tone: "" | "warn" | "bad" | "good"; who: string; text: string; at: number }

export type Item = TurnItem | StepItem | NoteItem;

const KEYS: Record<string, string> = {};

/** `failureClass` and `failure_class` are one field. */
function snake(entry: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(entry)) {
    const key = (KEYS[name] ??= name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`));
    const value = entry[name];
    found[key] = (key === "used" || key === "request") && value && typeof value === "object" ? snake(value as Record<string, unknown>) : value;
  }
  return found;
}

const text = (value: unknown) => (typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));
const number = (value: unknown) => (typeof value === "number" ? value : 0);

/** A cost in nano-dollars, whichever unit it came in; null where it is unknown. */
function nanos(of: Record<string, unknown>): number | null {
  if (typeof of.cost_usd === "number") return of.cost_usd * 1e9;
  return typeof of.cost_nanos === "number" ? of.cost_nanos : null;
}

function time(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : number(value);
}

/** What a person decided, in words; "" for what the run tells itself. */
function decision(kind: string, content: Record<string, unknown>, step: string): string {
  switch (kind) {
    case "message": return text(content.text);
    case "approve": return `${content.approved === true ? "approved" : "refused"}${step}`;
    case "resolve": return `said that${step} ${content.happened === true ? "happened" : "did not happen"}`;
    case "pause": return "paused the run";
    case "resume": return "resumed the run";
    case "extend": return `extended the limits: ${text(content.budget ?? content)}`;
    case "cancel": return "cancelled the run";
    case "child_ended": return "";
    default: return `${kind}${step}`;
  }
}

/** Grows with each entry; `version` says that something changed. */
export class Journal {
  readonly entries: Entry[] = [];
  readonly items: Item[] = [];
  readonly steps = new Map<number, StepItem>();
  /** In the order in which they began: what the timeline draws. */
  readonly spans: (TurnItem | StepItem)[] = [];
  from = 0;
  to = 0;
  version = 0;
  private turn: TurnItem | null = null;

  add(sequence: number, raw: Record<string, unknown>) {
    const entry = snake(raw);
    const type = text(entry.type);
    this.entries.push({ ...entry, sequence, type });
    this.version++;
    const at = time(entry.at ?? entry.at_ms);
    entry.at ??= entry.at_ms;
    if (at) {
      this.from ||= at;
      this.to = Math.max(this.to, at);
    }
    switch (type) {
      case "run.accepted": {
        const request = (entry.request ?? entry) as Record<string, unknown>;
        this.note("", "user", text(request.input) || text(request.plan), at);
        break;
      }
      case "user.message": this.note("", "user", text(entry.text), at); break;
      case "turn.started": {
        if (this.turn?.turn !== number(entry.turn) || this.turn.to !== null) {
          this.turn = { is: "turn", turn: number(entry.turn), step: number(entry.step), attempts: [], message: null, call: null, ending: "", tokens: 0, nanos: 0, from: at, to: null };
          this.items.push(this.turn);
          this.spans.push(this.turn);
        }
        this.turn.attempts.push({ number: number(entry.attempt), from: at, to: null, error: null, kind: "", call: null });
        break;
      }
      case "turn.failed": {
        const attempt = this.turn?.attempts.at(-1);
        if (this.turn && attempt) {
          attempt.to = at;
          attempt.error = text(entry.message) || text(entry.kind);
          attempt.kind = `${text(entry.failure_class)}/${text(entry.kind)}`;
          attempt.call = text(entry.call_id) || null;
          this.use(this.turn, entry.used);
        }
        break;
      }
      case "turn.ended": {
        if (!this.turn) break;
        const attempt = this.turn.attempts.at(-1);
        if (attempt) attempt.to = at;
        this.turn.to = at;
        this.turn.call = text(entry.call_id) || null;
        this.turn.message = (entry.message ?? null) as Record<string, unknown> | null;
        this.turn.ending = text(entry.ending);
        this.use(this.turn, entry.used);
        break;
      }
      case "step.planned": {
        const step: StepItem = {
          is: "step", step: number(entry.step), turn: number(entry.turn), tool: text(entry.tool), arguments: text(entry.arguments), key: text(entry.key),
          attempts: [], result: null, ok: null, tokens: 0, nanos: null, from: null, to: null, approval: null, doubt: null, waits: [], child: null,
        };
        this.steps.set(step.step, step);
        this.items.push(step);
        this.spans.push(step);
        break;
      }
      case "step.started": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          step.from ??= at;
          step.attempts.push({ number: number(entry.attempt), from: at, to: null, error: null, kind: "", call: null });
        }
        break;
      }
      case "step.failed": {
        const attempt = this.steps.get(number(entry.step))?.attempts.at(-1);
        if (attempt) {
          attempt.to = at;
          attempt.error = text(entry.message) || text(entry.kind);
          attempt.kind = text(entry.kind);
        }
        break;
      }
      case "step.ended": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          const attempt = step.attempts.at(-1);
          if (attempt && attempt.to === null) attempt.to = at;
          step.to = at;
          step.ok = entry.ok === true;
          step.result = text(entry.result);
          // What a sub-agent used came with its end.
          step.nanos = nanos(entry) ?? step.nanos;
          step.doubt = null;
        }
        break;
      }
      case "step.skipped": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          step.ok = false;
          step.result = `Skipped: ${text(entry.because)}`;
        }
        break;
      }
      case "child.started": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          step.child = text(entry.run);
          step.from ??= at;
          step.attempts.push({ number: step.attempts.length + 1, from: at, to: null, error: null, kind: "", call: null });
        }
        break;
      }
      case "child.ended": {
        const step = this.steps.get(number(entry.step));
        const attempt = step?.attempts.at(-1);
        if (step && attempt) {
          attempt.to = at;
          if (text(entry.status) !== "completed") attempt.error = text(entry.status);
          step.to = at;
          const used = (entry.used ?? {}) as Record<string, unknown>;
          step.nanos = nanos(used);
          step.tokens = number(used.tokens);
        }
        break;
      }
      case "approval.asked": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          step.approval = "asked";
          step.waits.push({ from: at, to: null });
        }
        break;
      }
      case "in.doubt": {
        const step = this.steps.get(number(entry.step));
        if (step) {
          step.doubt = text(entry.evidence);
          step.waits.push({ from: at, to: null });
        }
        break;
      }
      case "decided": {
        const kind = text(entry.kind);
        const content = (entry.content ?? {}) as Record<string, unknown>;
        const step = this.steps.get(Number(text(entry.about).replace(/^\D+/, "")));
        if (kind === "approve" && step) step.approval = content.approved === true ? "approved" : "refused";
        const wait = step?.waits.at(-1);
        if (wait && (kind === "approve" || kind === "resolve")) wait.to ??= at;
        const words = decision(kind, content, step ? ` step ${step.step}` : "");
        if (words) this.note("", text(entry.by) || "person", words, at);
        break;
      }
      case "session.joined": if (entry.run) this.note("", "Mainstay", `continues the transcript of run ${text(entry.run)}`, at); break;
      case "tools.listed": Object.entries((entry.problems ?? {}) as Record<string, unknown>).forEach(([name, problem]) => this.note("warn", name, `No tools: ${text(problem)}`, at)); break;
      case "compacted": this.note("", "Mainstay", `shortened the conversation from ${bytes(number(entry.bytes_before))} to ${bytes(number(entry.bytes_after))}`, at); break;
      case "forked": this.note("", "Mainstay", `continues from step ${number(entry.step)} of run ${text(entry.run)}`, at); break;
      case "purged": this.note("", "Mainstay", "purged its texts, because the configuration requires it after the end of a run", at); break;
      case "warned": this.note("warn", "Mainstay", `${entry.percent} % of ${text(entry.what)} is used`, at); break;
      case "nudged": this.note("warn", "Mainstay", `${text(entry.why)}: ${text(entry.text)}`, at); break;
      case "run.ended": {
        const status = text(entry.status);
        this.note(status === "completed" ? "good" : status === "cancelled" ? "" : "bad", "end", `${status}. ${text(entry.reason)}: ${text(entry.words)}`, at);
        break;
      }
      default: break;
    }
  }

  private note(tone: NoteItem["tone"], who: string, words: string, at: number) {
    if (words) this.items.push({ is: "note", tone, who, text: words, at });
  }

  private use(turn: TurnItem, used: unknown) {
    const of = (used ?? {}) as Record<string, unknown>;
    turn.tokens += number(of.tokens);
    const cost = nanos(of);
    turn.nanos = turn.nanos === null || cost === null ? null : turn.nanos + cost;
  }
}

/** A step as `/api/runs/ID/steps` has it. */
export interface PlainStep {
  step: number; kind: "model" | "tool"; name: string; status: string; turn: number | null; call: string | null; arguments: unknown;
  message: Record<string, unknown> | null; result: string | null; attempts: number; tokens: number; cost_usd: number | null;
  started_at: string | null; ended_at: string | null;
}

/** A message that a call of a client's run added to what was said before. */
export interface Said { role: string; content: unknown; call?: string }

/** The run of a client's own agent: it has no journal here, but steps and messages that its calls tell of. */
export function ofSteps(input: string, steps: PlainStep[], transcript: Said[] = []): Journal {
  const journal = new Journal();
  let sequence = 0;
  let turn = 0;
  const first = steps.find((each) => each.started_at)?.started_at ?? null;
  const asked = transcript.filter((each) => each.role === "user" && typeof each.content === "string");
  if (asked.length === 0) journal.add(++sequence, { type: "run.accepted", request: { input }, at: first });
  for (const each of steps) {
    const at = each.started_at;
    const end = each.ended_at ?? at;
    if (each.kind === "model") {
      turn = each.turn ?? turn + 1;
      for (const said of asked) if (said.call === each.call) journal.add(++sequence, { type: "user.message", text: said.content, at });
      journal.add(++sequence, { type: "turn.started", step: each.step, turn, attempt: 1, at });
      const used = { attempts: each.attempts, tokens: each.tokens, cost_nanos: each.cost_usd === null ? null : each.cost_usd * 1e9 };
      if (each.status === "failed") journal.add(++sequence, { type: "turn.failed", turn, attempt: 1, call_id: each.call, kind: "failed", message: each.result, used, at: end });
      else journal.add(++sequence, { type: "turn.ended", turn, call_id: each.call, message: each.message, ending: "", used, at: end });
    } else {
      journal.add(++sequence, { type: "step.planned", step: each.step, turn, tool: each.name, arguments: text(each.arguments), key: "" });
      journal.add(++sequence, { type: "step.started", step: each.step, attempt: 1, at });
      if (each.result !== null) journal.add(++sequence, { type: "step.ended", step: each.step, ok: each.status !== "failed", result: each.result, cost_nanos: null, at: end });
    }
  }
  return journal;
}
