// What is different from the time before: the few lines that somebody reads first.

import { count, ms, percent, plural, usd } from "../format";
import { useApi } from "../hooks";
import { covers, type Stats, type Sums } from "../stats";
import { line } from "../text";
import { Link, Panel } from "../ui";

interface Case { id: string; target: string; message: string; rule: string; count: number; first_seen: string }

interface Change { weight: number; worse: boolean | null; what: string; words: string; href: string }

const MOST = 5;
/** New failures that stand beside other changes; the rest is counted. */
const FRESH = 3;
/** Below so many calls on either side a share or a percentile says nothing. */
const ENOUGH = 20;
/** By how much a figure must differ to be named. */
const NOTABLE = 0.2;

export function Changes({ now, before, title, since, span }: { now: Stats; before: Stats | null; title: string; since: number; span: string }) {
  const cases = useApi<{ failures: Case[] }>("/api/failures?limit=200", 30_000);
  const fresh = (cases.data?.failures ?? []).filter((each) => Date.parse(each.first_seen) >= since);
  const quiet = !before || !covers(before);
  const news = fresh.slice(0, FRESH).map((each): Change => ({ weight: 2, worse: true, what: "new", words: line(each.message, 90) || each.rule, href: `/failures/${encodeURIComponent(each.id)}` }));
  if (fresh.length > FRESH) news.push({ weight: 1.9, worse: true, what: "new", words: `${fresh.length - FRESH} failures more`, href: "/failures" });
  const list = [...(quiet ? [] : changes(now, before, span)), ...news].sort((a, b) => b.weight - a.weight).slice(0, MOST);
  return (
    <Panel title={before && quiet ? "Newest failures" : title}>
      {list.length > 0 && <ul class="changes">{list.map((each) => (
        <li><Link class="row" href={each.href}><span class={each.worse === null ? "sign" : each.worse ? "sign bad" : "sign good"}>{each.what}</span><span class="words" title={each.words}>{each.words}</span></Link></li>
      ))}</ul>}
      {before && quiet && <p class="soft after-list">The ledger has no earlier time to compare with yet.</p>}
      {before && !quiet && list.length === 0 && <p class="soft">No notable change in failures, times or cost.</p>}
    </Panel>
  );
}

/** Whether two shares differ by more than chance would: a two-proportion z-test at three sigma. */
function differs(part: number, of: number, thenPart: number, thenOf: number): boolean {
  const pooled = (part + thenPart) / (of + thenOf);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / of + 1 / thenOf));
  return deviation > 0 && Math.abs(part / of - thenPart / thenOf) / deviation >= 3;
}

const share = (part: number, of: number) => (of === 0 ? 0 : part / of);

/** "+40 %", "×12" */
export function factor(now: number, then: number): string {
  const by = now / then;
  return by >= 3 ? `×${by < 10 ? by.toFixed(1) : Math.round(by)}` : `${by >= 1 ? "+" : "−"}${Math.round(100 * Math.abs(by - 1))} %`;
}

function changes(now: Stats, before: Stats, span: string): Change[] {
  const found: Change[] = [];
  const calls = `/calls?from=${span}`;
  const compare = (name: string, a: number | null, b: number | null, show: (value: number | null) => string, more: boolean | null, href: string, weight = 1) => {
    if (!a || !b || Math.abs(a / b - 1) < NOTABLE) return;
    found.push({ weight: weight * Math.abs(Math.log(a / b)), worse: more === null ? null : a > b === more, what: factor(a, b), words: `${name}: ${show(b)} → ${show(a)}`, href });
  };
  const sums = (name: string, a: Sums, b: Sums, href: string, weight: number) => {
    if (a.calls < ENOUGH || b.calls < ENOUGH) return;
    compare(`${name}first token, p95`, a.first_token_ms.p95, b.first_token_ms.p95, ms, true, href, weight);
    compare(`${name}total time, p95`, a.total_ms.p95, b.total_ms.p95, ms, true, href, weight * 0.8);
    const [fails, failed] = [share(a.failed, a.calls), share(b.failed, b.calls)];
    if (!differs(a.failed, a.calls, b.failed, b.calls)) return;
    found.push({ weight: weight * (1 + 20 * Math.abs(fails - failed)), worse: fails > failed, what: fails > failed ? "more fail" : "fewer fail", words: `${name}${percent(b.failed, b.calls)} → ${percent(a.failed, a.calls)}`, href: `${href}&failed=true` });
  };
  const [a, b] = [now.total, before.total];
  compare("calls", a.calls, b.calls, count, null, calls, 0.8);
  compare("cost", a.cost_usd, b.cost_usd, usd, true, "/costs");
  compare("cost per call", share(a.cost_usd ?? 0, a.calls), share(b.cost_usd ?? 0, b.calls), usd, true, "/costs");
  compare("attempts per call", share(a.attempts, a.calls), share(b.attempts, b.calls), (value) => (value ?? 0).toFixed(2), true, `${calls}&recovery=retry`, 2);
  sums("", a, b, calls, 1.2);
  for (const row of now.rows) {
    const then = before.rows.find((each) => each.key === row.key);
    if (row.key && then) sums(`${row.key}, `, row, then, `${calls}&${now.by}=${encodeURIComponent(row.key)}`, 1);
    if (row.key && !then && row.calls > 0) found.push({ weight: 0.9, worse: null, what: "new", words: `${row.key}: ${count(row.calls)} calls`, href: `${calls}&${now.by}=${encodeURIComponent(row.key)}` });
  }
  for (const [kind, times] of Object.entries(a.failed_attempts_by_kind)) {
    const then = b.failed_attempts_by_kind[kind] ?? 0;
    const href = `/failures?state=all&find=${kind}`;
    if (then === 0) found.push({ weight: 1.5 + Math.log10(times) / 2, worse: true, what: "new", words: `${kind.replaceAll("_", " ")}: ${plural(times, "failed attempt")}`, href });
    else if (Math.max(times, then) >= 5) compare(`failed attempts, ${kind.replaceAll("_", " ")}`, times, then, count, true, href);
  }
  return found;
}
