import { useMemo } from "preact/hooks";
import { Stacked } from "../chart";
import { url } from "../api";
import { now } from "../clock";
import { compact, count, fullTime, percent, usd } from "../format";
import { useApi, useParameter } from "../hooks";
import { Bars, Empty, Figure, Link, Panel, Show } from "../ui";
import { series, type Stats } from "../stats";
import type { Costs } from "../types";
import { hue } from "./shared";

const BY = ["model", "client", "agent", "run", "day"];
const DAYS: [string, string][] = [["1", "Last day"], ["7", "Last 7 days"], ["30", "Last 30 days"], ["90", "Last 90 days"]];
const DAY = 86_400_000;
/** By what the chart tells colours apart: a price is of a target. */
const DRAWN: Record<string, string> = { model: "target", client: "client", agent: "agent" };

export function CostsPage() {
  const [by, setBy] = useParameter("by", "model");
  const [days, setDays] = useParameter("days", "30");
  const from = new Date(Math.floor(now() / DAY) * DAY - (Number(days) - 1) * DAY).toISOString().slice(0, 10);
  const costs = useApi<Costs>(url("/api/costs", { by, from }), 30_000);
  const daily = useApi<Stats>(url("/api/stats", { by: DRAWN[by] ?? "all", bucket: "1d", from: `${from}T00:00:00Z`, to: new Date((Math.floor(now() / DAY) + 1) * DAY).toISOString() }), 30_000);
  return (
    <>
      <div class="head"><h1>Costs</h1><span class="grow" />
        <select aria-label="Time range" value={days} onChange={(event) => setDays(event.currentTarget.value)}>{DAYS.map(([value, title]) => <option value={value}>{title}</option>)}</select>
        <select aria-label="Grouped by" value={by} onChange={(event) => setBy(event.currentTarget.value)}>{BY.map((each) => <option value={each}>by {each}</option>)}</select>
        <a class="btn" href={url("/api/costs", { by, from, format: "csv" })} download={`costs-by-${by}.csv`}>CSV</a>
      </div>
      <Show from={costs}>{(data) => data.rows.length === 0 ? <Panel flush><Empty title="Nothing was spent in this time" code={`curl '${location.origin}/api/costs?by=model'`}>Each attempt is priced when it ends, cached tokens and failed attempts included.</Empty></Panel> : <Whole data={data} daily={daily.data} by={by} />}</Show>
    </>
  );
}

function Whole({ data, daily, by }: { data: Costs; daily: Stats | null; by: string }) {
  const attempts = data.rows.reduce((sum, row) => sum + row.attempts, 0);
  const calls = data.rows.reduce((sum, row) => sum + row.calls, 0);
  const unpriced = data.rows.reduce((sum, row) => sum + row.attempts_without_price, 0);
  const input = data.rows.reduce((sum, row) => sum + row.tokens.input, 0);
  const cached = data.rows.reduce((sum, row) => sum + row.tokens.cached_input, 0);
  const chart = useMemo(() => daily && series(daily, (each) => each.cost_usd ?? 0), [daily]);
  return (
    <>
      <div class="numbers">
        <Figure name="Cost" value={usd(data.cost_usd)} note={unpriced > 0 ? `${compact(unpriced)} attempts without a price are not in it` : `${compact(attempts)} attempts`} />
        <Figure name="Per call" value={usd(data.cost_usd === null ? null : data.cost_usd / Math.max(1, calls))} note={`${compact(calls)} calls`} />
        <Figure name="This month, at this rate" value={usd(data.forecast?.month_usd)} note={data.forecast ? `${usd(data.forecast.day_usd)} a day, by the last ${data.forecast.basis_days} days` : "after the first whole day"} />
        <Figure name="Input from the cache" value={percent(cached, input)} note={`${compact(cached)} of ${compact(input)} tokens`} />
      </div>
      <Panel title="Cost by day">{chart && (chart.names.length === 0 ? <p class="soft">No cost is known for this time.</p> : <Stacked label="Cost by day" {...chart} names={chart.names.map((each) => (each === "all" ? "cost" : each))} colors={chart.names.map((_, index) => hue(index))} format={usd} />)}</Panel>
      {(data.spikes ?? []).length > 0 && <Panel title="Spikes" side={<span class="faint">hours that cost more than others</span>}><Spikes spikes={data.spikes ?? []} /></Panel>}
      <div class="grid2">
        <Panel title={`Share by ${by}`}><Bars rows={data.rows.filter((row) => row.cost_usd).slice(0, 12).map((row) => ({ key: row.key ?? "none", value: row.cost_usd ?? 0, note: percent(row.cost_usd ?? 0, data.cost_usd ?? 1) }))} show={usd} href={by === "model" || by === "client" || by === "run" ? (key) => `/calls?${by}=${encodeURIComponent(key)}` : undefined} />
          {unpriced > 0 && <p class="soft"><br />Some models have no price. <Link class="link" href="/settings">Add one</Link> and later attempts are counted.</p>}</Panel>
        <Panel title={`Every ${by}`}><div class="scroll"><table class="plain stacks"><thead><tr><th>{by === "day" ? "Day" : by === "model" ? "Priced model" : `${by[0]!.toUpperCase()}${by.slice(1)}`}</th><th class="num">Calls</th><th class="num">Attempts</th><th class="num">Tokens in</th><th class="num">Tokens out</th><th class="num">Cost</th></tr></thead><tbody>
          {data.rows.slice(0, 200).map((row) => <tr><td class="free">{row.key ?? <span class="soft" title="Refused or failed before an attempt was made">none</span>}</td><td class="num" data-label="calls">{count(row.calls)}</td><td class="num" data-label="attempts">{count(row.attempts)}</td><td class="num" data-label="tokens in">{compact(row.tokens.input)}</td><td class="num" data-label="tokens out">{compact(row.tokens.output)}</td><td class="num" data-label="cost">{usd(row.cost_usd)}</td></tr>)}
        </tbody></table></div></Panel>
      </div>
    </>
  );
}

const SPIKES = 12;
const HOUR = 3_600_000;

/** Each leads to the calls of its hour. */
function Spikes({ spikes }: { spikes: NonNullable<Costs["spikes"]> }) {
  return (
    <div class="scroll"><table class="plain"><thead><tr><th>Hour</th><th class="num">Cost</th><th class="num">Usual</th><th class="num">Times</th></tr></thead><tbody>
      {spikes.slice(0, SPIKES).map((each) => {
        const to = new Date(Date.parse(each.at) + HOUR).toISOString();
        return <tr><td><Link class="link" href={`/calls?from=${each.at}&to=${to}`}>{fullTime(each.at)}</Link></td><td class="num bad">{usd(each.spent_usd)}</td><td class="num soft">{usd(each.usual_usd)}</td><td class="num soft">{each.usual_usd ? `×${(each.spent_usd / each.usual_usd).toFixed(1)}` : "–"}</td></tr>;
      })}
      {spikes.length > SPIKES && <tr><td class="soft">{spikes.length - SPIKES} more</td><td /><td /><td /></tr>}
    </tbody></table></div>
  );
}
