// A run as one HTML file that needs nothing else: no script, no address of a server.

import { pretty } from "./conversation";
import { answer } from "./dialects";
import { bytes, compact, count, fullTime, ms, plural, usd } from "./format";
import type { Attempt, Item, Journal } from "./journal";
import { harmless } from "./text";
import type { WholeRun } from "./types";

const STYLE = `:root{--paper:#fafaf8;--sunk:#f3f3f0;--line:#e4e4df;--ink:#1b1d1f;--soft:#565b61;--accent:#0b6b72;--tool:#5b68b8;--bad:#b3291f;--warn:#8a5a00;--good:#17734a;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--paper:#0f1113;--sunk:#1c2023;--line:#272c30;--ink:#e8eaeb;--soft:#a9b0b6;--accent:#57c4c6;--tool:#96a2ee;--bad:#f58578;--warn:#e2ae4a;--good:#55c48d}}
body{font:14px/21px system-ui,sans-serif;max-width:940px;margin:40px auto;padding:0 20px;color:var(--ink);background:var(--paper)}
h1{font-size:22px;margin:0 0 2px}h1 small{font-size:13px;font-weight:500;margin-left:8px}p{margin:6px 0}code,pre{font:12.5px/19px ui-monospace,monospace}
dl{display:flex;flex-wrap:wrap;gap:12px 30px;margin:20px 0}dt{color:var(--soft);font-size:12px}dd{margin:0}
section{display:grid;grid-template-columns:96px minmax(0,1fr);gap:16px;border-top:1px solid var(--line);padding:12px 0}h2{font-size:13px;margin:0;color:var(--soft);font-weight:500}h2 small{display:block;font-weight:400}.turn h2{color:var(--accent);font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--sunk);padding:10px;border-radius:6px;margin:6px 0}.text{white-space:pre-wrap;overflow-wrap:anywhere}.thought{border-left:2px solid var(--line);padding-left:12px;font-style:italic}
.soft,.thought{color:var(--soft)}.bad{color:var(--bad)}.warn{color:var(--warn)}.good{color:var(--good)}svg{display:block;width:100%;margin:8px 0 2px}.scale{display:flex;justify-content:space-between;color:var(--soft);font-size:12px;margin:0 0 24px}.scale b{font-weight:500}.turns{color:var(--accent)}.tools{color:var(--tool)}
@media(max-width:620px){section{grid-template-columns:minmax(0,1fr);gap:4px}}@media print{body{margin:0;max-width:none}}`;

const TONES: Record<string, string> = { completed: "good", failed: "bad", dead_letter: "bad", in_doubt: "warn", waiting: "warn" };

function escape(text: string): string {
  return harmless(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Rows that the timeline of a file has: more of them tell nothing at that size. */
const ROWS = 200;
const [WIDE, TALL] = [940, 12];

/** All attempts of a turn or a step in one row, on one scale of time. */
function timeline(journal: Journal): string {
  const span = Math.max(1, journal.to - journal.from);
  const x = (at: number) => Math.round(((at - journal.from) * WIDE) / span);
  const rows = journal.spans.slice(0, ROWS).map((each, row) => each.attempts.map((attempt) => {
    const [from, to] = [x(attempt.from), x(attempt.to ?? journal.to)];
    return `<rect x="${from}" y="${row * TALL + 2}" width="${Math.max(3, to - from)}" height="${TALL - 4}" rx="2" fill="var(--${attempt.error !== null ? "bad" : each.is === "turn" ? "accent" : "tool"})"><title>${escape(`${each.is === "turn" ? `turn ${each.turn}` : `step ${each.step}, ${each.tool}`}: ${ms(to === from ? 0 : (attempt.to ?? journal.to) - attempt.from)}`)}</title></rect>`;
  }).join(""));
  const tall = Math.max(1, rows.length) * TALL;
  return `<svg viewBox="0 0 ${WIDE} ${tall}" role="img" aria-label="Turns and steps over ${escape(ms(span))}">${rows.join("")}<path d="M0 ${tall}H${WIDE}" stroke="var(--line)"/></svg><p class="scale"><span>0</span><span><b class="turns">turns of the model</b>, <b class="tools">tools</b>, <b class="bad">failed attempts</b></span><span>${escape(ms(span))}</span></p>`;
}

const failures = (attempts: Attempt[]) => attempts.filter((each) => each.error !== null).map((each) => `<p class="bad">attempt ${each.number}: ${escape(`${each.kind} ${each.error}`)}</p>`).join("");

const section = (kind: string, title: string, under: string, inside: string) => `<section class="${kind}"><h2>${escape(title)}<small>${escape(under)}</small></h2><div>${inside}</div></section>`;

function part(item: Item): string {
  switch (item.is) {
    case "note": return section("note", item.who, "", `<div class="text ${item.tone}">${escape(item.text)}</div>`);
    case "turn": {
      const said = item.message ? answer(JSON.stringify({ choices: [{ message: item.message }] })).parts : [];
      const words = said.filter((each) => each.kind === "text" || each.kind === "thought").map((each) => `<div class="${each.kind} text">${escape(each.text)}</div>`).join("");
      const used = `<p class="soft">${compact(item.tokens)} tokens, ${item.nanos === null ? "price unknown" : usd(item.nanos / 1e9)}${item.call ? `, <code>${escape(item.call)}</code>` : ""}</p>`;
      return section("turn", `turn ${item.turn}`, item.to ? ms(item.to - item.from) : "", failures(item.attempts) + words + used);
    }
    case "step": {
      const came = item.doubt ? `<p class="warn">${escape(item.doubt)}</p>` : item.result === null ? '<p class="soft">No result.</p>' : `<pre${item.ok ? "" : ' class="bad"'}>${escape(pretty(item.result))}</pre>`;
      return section("step", `step ${item.step}`, item.from && item.to ? ms(item.to - item.from) : "", `<strong>${escape(item.tool)}</strong>${item.attempts.length > 1 ? ` <span class="soft">${plural(item.attempts.length, "attempt")}</span>` : ""}<pre>${escape(pretty(item.arguments))}</pre>${failures(item.attempts)}${came}`);
    }
  }
}

export function html(run: WholeRun, journal: Journal): string {
  const facts: [string, string][] = [
    ["Accepted", fullTime(run.accepted_at)], ["Ended", fullTime(run.ended_at)], ["Turns", count(run.turns)], ["Steps", count(run.steps)], ["Attempts", count(run.attempts)],
    ["Tokens", count(run.tokens)], ["Cost", run.cost_usd === null ? "price unknown" : usd(run.cost_usd)], ["Definition", String(run.definition_hash ?? "–").slice(0, 16)],
  ];
  const name = run.agent ?? run.run;
  const body = journal.items.map(part).join("");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escape(name)}, ${escape(run.run)}</title><style>${STYLE}</style>
<h1>${escape(name)}<small class="${TONES[run.status] ?? "soft"}">${escape(run.status.replace("_", " "))}</small></h1><code class="soft">${escape(run.run)}</code>
<dl>${facts.map(([title, value]) => `<div><dt>${title}</dt><dd>${escape(value)}</dd></div>`).join("")}</dl>${run.reason ? `<p>${escape(run.reason)}</p>` : ""}${timeline(journal)}${body}
<p class="soft">Exported from Mainstay's studio, ${bytes(body.length)} of transcript.</p></html>`;
}

function save(name: string, type: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function exportRun(run: WholeRun, journal: Journal) {
  save(`${run.run}.html`, "text/html", html(run, journal));
}
