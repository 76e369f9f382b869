// The price list in force: one row for each model and day that its prices began, and what has none.

import { useMemo } from "preact/hooks";
import { count } from "../format";
import { useApi, useParameter } from "../hooks";
import { line } from "../text";
import { Badge, Empty, Show } from "../ui";

interface Price { model: string; unit: string; usd_per_million: number; from: string; above_tokens: number; source: string }

interface PriceList { version: string; prices: Price[]; unpriced: string[] }

const TOKENS = ["input", "cached_input", "cache_write", "output"];

interface Row { model: string; from: string; above: number; source: string; of: Map<string, number> }

/** The rows of one model, one day and one length of prompt, side by side. */
function rows(prices: Price[]): Row[] {
  const found = new Map<string, Row>();
  for (const each of prices) {
    const key = `${each.model} ${each.from} ${each.above_tokens} ${each.source}`;
    const row = found.get(key) ?? { model: each.model, from: each.from, above: each.above_tokens, source: each.source, of: new Map() };
    row.of.set(each.unit, each.usd_per_million);
    found.set(key, row);
  }
  return [...found.values()];
}

const dollars = (value: number | undefined) => (value === undefined ? <span class="faint">–</span> : value >= 0.1 ? value.toFixed(2) : String(value));

/** What is priced by the piece, in dollars a piece. */
const pieces = (row: Row) => [...row.of.entries()].filter(([unit]) => !TOKENS.includes(unit)).map(([unit, value]) => `${unit.replaceAll("_", " ")} $${Number((value / 1e6).toPrecision(6))}`);

export function Prices() {
  const list = useApi<PriceList>("/api/prices");
  return <Show from={list}>{(data) => data.prices.length === 0 ? <Empty title="No price list" code={'prices:\n  - { model: my-model, unit: input, price: 0.15, from: 2026-01-01, source: "contract" }'}>Prices ship with Mainstay; rows of your own add to them or replace them, each with a date and a source.</Empty> : <Whole list={data} />}</Show>;
}

function Whole({ list }: { list: PriceList }) {
  const [find, setFind] = useParameter("find");
  const all = useMemo(() => rows(list.prices), [list]);
  const words = find.toLowerCase();
  const shown = all.filter((row) => `${row.model} ${row.source} ${[...row.of.keys()].join(" ")}`.toLowerCase().includes(words));
  return (
    <div class="col gap16">
      {list.unpriced.length > 0 && <div class="row wrap"><Badge tone="warn">without a price</Badge>{list.unpriced.map((each) => <code>{line(each, 120)}</code>)}<span class="soft">Add a row under <code>prices:</code>; later attempts are counted by it.</span></div>}
      <div class="row wrap"><input class="grow" type="search" aria-label="Find a price" placeholder={`Find among ${all.length} rows, version ${list.version}`} value={find} onInput={(event) => setFind(event.currentTarget.value)} /><span class="soft">US dollars for a million tokens</span></div>
      {shown.length === 0 && <p class="soft">No row has <code>{line(find, 80)}</code> in its model, unit or source.</p>}
      <div class="scroll"><table class="plain stacks"><thead><tr><th>Model</th><th class="num">Input</th><th class="num">Cached</th><th class="num">Cache write</th><th class="num">Output</th><th>By the piece</th><th>From</th><th>Source</th></tr></thead><tbody>
        {shown.map((row) => (
          <tr><td class="free">{line(row.model, 80)}{row.above > 0 && <span class="faint"> above {count(row.above)} tokens</span>}</td>{TOKENS.map((unit) => <td class="num" data-label={unit.replaceAll("_", " ")}>{dollars(row.of.get(unit))}</td>)}<td class="pieces">{pieces(row).join(", ")}</td><td class="nowrap soft" data-label="from">{row.from}</td><td class="nowrap soft" title={row.source}>{/^https?:/.test(row.source) ? <a class="link" href={row.source} target="_blank" rel="noreferrer">{new URL(row.source).host}</a> : line(row.source, 60)}</td></tr>
        ))}
      </tbody></table></div>
    </div>
  );
}
