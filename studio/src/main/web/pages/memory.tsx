// What a run remembers after each of its steps, as a difference to the step before.

import { useMemo } from "preact/hooks";
import { bytes, plural, time } from "../format";
import { useApi } from "../hooks";
import type { Entry, Journal } from "../journal";
import { line } from "../text";
import { Empty, Show } from "../ui";
import { Long } from "../virtual";

/** What is remembered after a step: one line for each thing. `size` in bytes, roughly. */
interface Snapshot { title: string; at: number | string | null; gone: string[]; came: string[]; kept: number; size: number }

type Json = Record<string, unknown>;

const written = (value: unknown) => (typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));

/** A message as one line: who, what was said, which tools are called. */
function words(message: Json): string {
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []) as { function?: { name?: string; arguments?: string } }[];
  return [`${written(message.role)}:`, written(message.content), ...calls.map((each) => `→ ${each.function?.name} ${each.function?.arguments ?? ""}`)].filter(Boolean).join(" ");
}

function size(lines: string[]): number {
  return lines.reduce((sum, each) => sum + each.length, 0);
}

/** The messages that an agent's next turn is given, entry by entry of its journal. */
function ofJournal(entries: Entry[]): Snapshot[] {
  const found: Snapshot[] = [];
  let held: string[] = [];
  let total = 0;
  const add = (title: string, entry: Entry, came: string) => {
    total += came.length;
    found.push({ title, at: (entry.at as number | undefined) ?? null, gone: [], came: [came], kept: held.length, size: total });
    held.push(came);
  };
  for (const entry of entries) {
    const tool = written(entry.tool);
    switch (entry.type) {
      case "run.accepted": add("Accepted", entry, `user: ${written(((entry.request ?? entry) as Json).input)}`); break;
      case "turn.ended": add(`Turn ${entry.turn}`, entry, words((entry.message ?? { role: "assistant" }) as Json)); break;
      case "step.ended": add(`Step ${entry.step}${tool ? `, ${tool}` : ""}`, entry, `tool: ${written(entry.result)}`); break;
      case "decided": {
        const content = (entry.content ?? {}) as Json;
        if (entry.kind === "message") add("A person", entry, `user: ${written(content.text)}`);
        break;
      }
      case "compacted": {
        const now = (Array.isArray(entry.messages) ? entry.messages : []).map((each) => words(each as Json));
        const stays = new Set(now);
        const was = new Set(held);
        total = size(now);
        found.push({ title: "Compacted", at: (entry.at as number | undefined) ?? null, gone: held.filter((each) => !stays.has(each)), came: now.filter((each) => !was.has(each)), kept: now.filter((each) => was.has(each)).length, size: total });
        held = now;
        break;
      }
      default: break;
    }
  }
  return found;
}

interface Told { id?: string; step?: number; at?: string; memory?: unknown }

/** What an agent of one's own says that it remembers: any JSON, line by line. */
function ofTold(list: Told[]): Snapshot[] {
  let before: string[] = [];
  return list.map((each, index) => {
    const now = JSON.stringify(each.memory ?? each, null, 2).split("\n");
    const stays = new Set(now);
    const was = new Set(before);
    const found: Snapshot = { title: each.step ? `Step ${each.step}` : `Snapshot ${index + 1}`, at: each.at ?? null, gone: before.filter((one) => !stays.has(one)), came: now.filter((one) => !was.has(one)), kept: now.filter((one) => was.has(one)).length, size: size(now) };
    before = now;
    return found;
  });
}

export function Memory({ id, client, journal, version }: { id: string; client: boolean; journal: Journal; version: number }) {
  const own = useMemo(() => (client ? [] : ofJournal(journal.entries)), [client, version]);
  const memory = useApi<{ memory?: Told[] }>(client ? `/api/runs/${encodeURIComponent(id)}/memory` : null, 5000);
  if (!client) return <Steps list={own} />;
  return <Show from={memory}>{(data) => <Steps list={ofTold(data.memory ?? [])} />}</Show>;
}

function Steps({ list }: { list: Snapshot[] }) {
  if (list.length === 0) {
    return <Empty title="No memory is recorded" code={`curl ${location.origin}/api/runs/RUN/events -H 'content-type: application/json' \\\n  -d '{"type": "memory", "id": "m-1", "memory": {"customer": "Ada", "orders": [7]}}'`}>Your agent can report its memory; each step shows the changes.</Empty>;
  }
  return <Long label="Memory" count={list.length} guess={64} row={(index) => <Step step={list[index]!} />} />;
}

const LINE = 600;

function Step({ step }: { step: Snapshot }) {
  return (
    <div class="turn">
      <div class="who">{step.title}<br /><span class="faint">{step.at ? time(step.at) : ""}</span></div>
      <div class="said">
        <div class="diff">
          {step.gone.map((each) => <div class="del">− {line(each, LINE)}</div>)}
          {step.came.map((each) => <div class="add">+ {line(each, LINE)}</div>)}
        </div>
        <span class="faint"><small>{step.kept > 0 ? `${plural(step.kept, "line")} as before, ` : ""}{bytes(step.size)} in all</small></span>
      </div>
    </div>
  );
}
