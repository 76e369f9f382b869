// What a run is made of: the entries of its journal, and what each turn and step cost.

import { useMemo } from "preact/hooks";
import { compact, count, time, usd } from "../format";
import { Raw } from "../conversation";
import { useParameter } from "../hooks";
import type { Entry, Journal } from "../journal";
import { Table, type Column } from "../table";
import { line } from "../text";
import { Badge, type Tone } from "../ui";
import type { WholeRun } from "../types";

type Json = Record<string, unknown>;

const written = (value: unknown) => (typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value));

/** How far the effect of a step is known to have come with an entry. */
function effect(entry: Entry): [Tone, string] | null {
  switch (entry.type) {
    case "step.planned": return ["", "not begun"];
    case "approval.asked": return ["warn", "awaits approval"];
    case "step.started":
    case "child.started": return ["info", "may have happened"];
    case "step.failed": return ["bad", "failed"];
    case "step.ended": return entry.ok === true ? ["good", "happened"] : ["bad", "error"];
    case "step.skipped": return ["", "skipped"];
    case "in.doubt": return ["warn", "in doubt"];
    case "decided": {
      const content = (entry.content ?? {}) as Json;
      if (entry.kind === "resolve") return content.happened === true ? ["good", "happened"] : ["", "did not happen"];
      return entry.kind === "approve" ? (content.approved === true ? ["good", "approved"] : ["bad", "refused"]) : null;
    }
    default: return null;
  }
}

/** What an entry says, in one line of words. */
function gist(entry: Entry): string {
  const { sequence: _, type, at: __, step: ___, ...rest } = entry;
  const used = (entry.used ?? {}) as Json;
  switch (type) {
    case "run.accepted": return written(((entry.request ?? entry) as Json).input) || written(((entry.request ?? entry) as Json).plan);
    case "turn.started": return `turn ${entry.turn}, attempt ${entry.attempt}${entry.why ? `: ${written(entry.why)}` : ""}`;
    case "turn.failed": return `turn ${entry.turn}: ${written(entry.failure_class)}/${written(entry.kind)}: ${written(entry.message)}`;
    case "turn.ended": {
      const message = (entry.message ?? {}) as Json;
      const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []) as { function?: { name?: string } }[];
      const said = [written(message.content), ...calls.map((each) => `calls ${each.function?.name}`)].filter(Boolean).join("; ");
      return `turn ${entry.turn}, ${compact(Number(used.tokens ?? 0))} tokens: ${said}`;
    }
    case "step.planned": return `${written(entry.tool)} ${written(entry.arguments)}`;
    case "step.started": return `attempt ${entry.attempt}`;
    case "step.failed": return `${written(entry.kind)}: ${written(entry.message)}`;
    case "step.ended": return written(entry.result);
    case "in.doubt": return written(entry.evidence);
    case "decided": return `${written(entry.by) || "a person"}: ${written(entry.kind)} ${written(entry.content)}`;
    case "run.ended": return `${written(entry.status)}: ${written(entry.words)}`;
    default: return Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
  }
}

const COLUMNS: Column<Entry>[] = [
  { name: "#", width: "48px", narrow: "26px", number: true, cell: (entry) => <span class="faint">{entry.sequence}</span> },
  { name: "Time", width: "96px", wide: true, cell: (entry) => <span class="soft">{entry.at ? time(entry.at as number) : "–"}</span> },
  { name: "Entry", width: "124px", narrow: "104px", cell: (entry) => <Badge tone={/failed|doubt/.test(entry.type) ? "bad" : /ended/.test(entry.type) ? "good" : ""}>{entry.type}</Badge> },
  { name: "Step", width: "44px", number: true, wide: true, cell: (entry) => (entry.step ? count(entry.step as number) : "") },
  { name: "Effect", width: "150px", wide: true, cell: (entry) => {
    const found = effect(entry);
    return found && <Badge tone={found[0]}>{found[1]}</Badge>;
  } },
  { name: "What it says", width: "minmax(240px, 1fr)", narrow: "minmax(120px, 1fr)", cell: (entry) => <span class="soft" title="Open the whole entry">{line(gist(entry), 260)}</span> },
];

export function JournalTab({ journal, version }: { journal: Journal; version: number }) {
  const [open, setOpen] = useParameter("entry");
  const rows = useMemo(() => [...journal.entries], [version]);
  const entry = open ? journal.entries.find((each) => String(each.sequence) === open) : undefined;
  return (
    <>
      {entry && <div class="in col opened"><div class="row"><h2>Entry {entry.sequence}, {entry.type}</h2><span class="grow" /><button class="btn small" onClick={() => setOpen("")}>Close</button></div><Raw text={JSON.stringify(entry)} whole /></div>}
      <Table label="Journal" rows={rows} columns={COLUMNS} id={(each) => String(each.sequence)} href={(each) => `${location.pathname}?tab=journal&entry=${each.sequence}`} />
    </>
  );
}

/** Turns and steps that a page of costs shows: the dearest ones. */
const DEAREST = 200;

export function RunCost({ journal, run, version }: { journal: Journal; run: WholeRun; version: number }) {
  const rows = useMemo(() => journal.spans.map((each) => ({
    name: each.is === "turn" ? `turn ${each.turn}` : `${each.tool}, step ${each.step}`,
    tokens: each.is === "turn" || each.child ? each.tokens : null, nanos: each.nanos, attempts: each.attempts.length,
  })).sort((a, b) => (b.nanos ?? 0) - (a.nanos ?? 0) || (b.tokens ?? 0) - (a.tokens ?? 0)), [version]);
  const most = Math.max(1, rows[0]?.nanos ?? 0);
  return (
    <div class="col gap16">
      <p class="soft">{run.cost_usd === null ? "A model of this run has no known price, so its sum is unknown too." : <>The whole run cost <strong>{usd(run.cost_usd)}</strong> for {compact(run.tokens)} tokens. The dearest part comes first.</>}</p>
      <table class="plain stacks"><thead><tr><th>Turn or tool</th><th><span class="sr">Share</span></th><th class="num">Attempts</th><th class="num">Tokens</th><th class="num">Cost</th></tr></thead>
        <tbody>{rows.slice(0, DEAREST).map((row) => <tr><td class="free">{row.name}</td><td class="share wide"><div class="meter" aria-hidden="true"><div style={{ width: `${(100 * (row.nanos ?? 0)) / most}%` }} /></div></td><td class="num" data-label="attempts">{row.attempts}</td><td class="num" data-label="tokens">{count(row.tokens)}</td><td class="num" data-label="cost">{row.nanos === null ? "–" : usd(row.nanos / 1e9)}</td></tr>)}</tbody></table>
      {rows.length > DEAREST && <p class="soft">{count(rows.length - DEAREST)} more turns and steps cost less than these.</p>}
    </div>
  );
}
