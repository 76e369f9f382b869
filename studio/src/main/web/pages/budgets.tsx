// What clients may still spend: how the budget of a period went down, and when it will be gone.

import { useMemo } from "preact/hooks";
import { now } from "../clock";
import { ms, time as shown, usd } from "../format";
import { useApi, useNow } from "../hooks";
import type { Stats } from "../stats";
import { url } from "../api";
import { Panel, Show } from "../ui";

interface Account {
  account: string; period: string | null; ends_at: string | null;
  limit_usd: number | null; spent_usd: number | null; reserved_usd: number | null;
}

const AGAIN = 30_000;
const SHOWN = 6;

export function Budgets() {
  const budgets = useApi<{ accounts: Account[] }>("/api/budgets", AGAIN);
  return (
    <Panel title="Budgets" side={<span class="faint">what is left, and how it went down</span>}>
      <Show from={budgets}>{(data) => {
        const time = now();
        // What was spent in periods that are over says nothing about what is left.
        const open = data.accounts.filter((each) => !each.ends_at || Date.parse(each.ends_at) > time);
        return open.length === 0 ? <p class="soft">No client has used its budget. <code>budget: {"{ usd: 50, per: day }"}</code> under a client sets one.</p> : <div class="col">{open.slice(0, SHOWN).map((each) => <Budget account={each} />)}</div>;
      }}</Show>
    </Panel>
  );
}

function Budget({ account }: { account: Account }) {
  const time = useNow(AGAIN);
  const used = (account.spent_usd ?? 0) + (account.reserved_usd ?? 0);
  const limit = account.limit_usd;
  const left = limit === null ? null : Math.max(0, limit - used);
  const share = limit ? Math.min(1, used / limit) : 0;
  const gone = limit === null ? null : end(account, used, limit, time);
  return (
    <div class="budget">
      <div class="row"><strong class="cut">{account.account.replace(/^client:/, "")}</strong><span class="grow" /><span class="nowrap">{left === null ? `${usd(used)} spent` : `${usd(left)} left of ${usd(limit)}`}</span></div>
      {limit !== null && account.period && account.ends_at && <BurnDown account={account} limit={limit} used={used} now={time} />}
      {limit !== null && <div class="row faint"><small>{share > 0.95 ? <span class="bad">{Math.round(100 * share)} % used</span> : share > 0.85 ? <span class="warn">{Math.round(100 * share)} % used</span> : `${Math.round(100 * share)} % used`}</small><span class="grow" /><small>{gone}</small></div>}
    </div>
  );
}

/** When the budget is gone if its use goes on as it did in this period so far. */
function end(account: Account, used: number, limit: number, now: number): string {
  if (used >= limit) return account.ends_at ? `refuses calls until ${shown(account.ends_at)}` : "refuses calls";
  if (!account.period || !account.ends_at) return "";
  const began = Date.parse(account.period);
  const over = Date.parse(account.ends_at);
  if (used <= 0 || now <= began) return `full again in ${ms(over - now)}`;
  const at = began + ((now - began) * limit) / used;
  return at < over ? `gone by ${shown(at)} at this rate` : `lasts until ${shown(over)} at this rate`;
}

const WIDTH = 300;
const TALL = 34;

/** A line that goes down from the limit, hour by hour; dashed where it would go at this rate. */
function BurnDown({ account, limit, used, now }: { account: Account; limit: number; used: number; now: number }) {
  const began = Date.parse(account.period!);
  const over = Date.parse(account.ends_at!);
  const client = account.account.replace(/^client:/, "");
  const stats = useApi<Stats>(url("/api/stats", { by: "client", bucket: over - began > 100_000_000 ? "1d" : "1h", from: account.period, to: new Date(Math.min(over, Math.ceil(now / 3_600_000) * 3_600_000)).toISOString() }), 60_000);
  const path = useMemo(() => {
    const x = (at: number) => (WIDTH * Math.max(0, Math.min(1, (at - began) / (over - began)))).toFixed(1);
    const y = (left: number) => (1 + (TALL - 2) * (1 - Math.max(0, left) / limit)).toFixed(1);
    const step = (stats.data?.bucket_s ?? 3600) * 1000;
    let left = limit;
    let line = `M0,${y(limit)}`;
    for (const bucket of stats.data?.buckets ?? []) {
      if (bucket.key !== client) continue;
      left -= bucket.cost_usd ?? 0;
      line += ` L${x(Math.min(now, Date.parse(bucket.at) + step))},${y(left)}`;
    }
    // What calls under way may cost at most is used too.
    line += ` L${x(now)},${y(limit - used)}`;
    const spent = Math.max(1, now - began);
    return { line, ahead: `M${x(now)},${y(limit - used)} L${x(over)},${y(limit - (used * (over - began)) / spent)}` };
  }, [stats.data, used, limit, now]);
  return (
    <svg class="burn" viewBox={`0 0 ${WIDTH} ${TALL}`} preserveAspectRatio="none" width="100%" height={TALL} role="img" aria-label={`The budget of ${client} over its period`}>
      <line x1="0" x2={WIDTH} y1={TALL - 0.5} y2={TALL - 0.5} stroke="var(--line)" vector-effect="non-scaling-stroke" />
      <path d={path.ahead} fill="none" stroke="var(--faint)" stroke-dasharray="3 3" vector-effect="non-scaling-stroke" />
      <path d={path.line} fill="none" stroke={used / limit > 0.95 ? "var(--bad)" : "var(--s1)"} stroke-width="1.6" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
