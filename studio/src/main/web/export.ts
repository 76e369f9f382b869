// A run as one HTML file that needs nothing else: no script, no address of a server.

import type { Journal } from "./journal";
import { harmless } from "./text";
import type { WholeRun } from "./types";

const STYLE = `body{font:14px/21px system-ui,sans-serif;max-width:860px;margin:40px auto;padding:0 20px;color:#1b1d1f;background:#fafaf8}
h1{font-size:20px}dl{display:grid;grid-template-columns:auto 1fr;gap:4px 20px}dt{color:#696e75}dd{margin:0}
section{border-top:1px solid #e4e4df;padding:12px 0}h2{font-size:12px;color:#0b6b72;margin:0 0 6px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f3f3f0;padding:10px;border-radius:6px;font:12.5px/19px ui-monospace,monospace;margin:6px 0}.bad{color:#b3291f}
@media(prefers-color-scheme:dark){body{background:#0f1113;color:#e8eaeb}pre{background:#1c2023}section{border-color:#272c30}h2{color:#57c4c6}}`;

function escape(text: string): string {
  return harmless(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function html(run: WholeRun, journal: Journal): string {
  const facts: [string, unknown][] = [["Run", run.run], ["Status", run.status], ["Reason", run.reason], ["Accepted", run.accepted_at], ["Ended", run.ended_at], ["Turns", run.turns], ["Steps", run.steps], ["Attempts", run.attempts], ["Tokens", run.tokens], ["Cost, USD", run.cost_usd], ["Definition", run.definition_hash]];
  const parts = journal.items.map((item) => {
    if (item.is === "note") return `<section><h2>${escape(item.who)}</h2><pre>${escape(item.text)}</pre></section>`;
    const failed = item.attempts.filter((each) => each.error !== null).map((each) => `<p class="bad">attempt ${each.number}: ${escape(`${each.kind} ${each.error}`)}</p>`).join("");
    if (item.is === "turn") {
      const said = item.message?.content;
      return `<section><h2>turn ${item.turn}</h2>${failed}${said ? `<pre>${escape(typeof said === "string" ? said : JSON.stringify(said, null, 2))}</pre>` : ""}</section>`;
    }
    return `<section><h2>step ${item.step}: ${escape(item.tool)}</h2><pre>${escape(item.arguments)}</pre>${failed}${item.result === null ? "" : `<pre${item.ok ? "" : ' class="bad"'}>${escape(item.result)}</pre>`}</section>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escape(run.agent)}, ${escape(run.run)}</title><style>${STYLE}</style><h1>${escape(run.agent)}</h1><dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escape(String(value ?? "–"))}</dd>`).join("")}</dl>${parts.join("")}</html>`;
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
