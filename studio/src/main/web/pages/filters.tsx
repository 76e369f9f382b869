// What narrows a list, of calls and of runs: heads of columns, values that filter, chips.

import type { ComponentChildren } from "preact";
import { now } from "../clock";
import { fullTime, time } from "../format";
import { go, useAddress, withQuery } from "../hooks";
import { bounds, plain, words, type Bounds, type Unit } from "../ranges";

/** A column of numbers: its parameters are its name with `_min` and `_max`. */
export interface Measure { name: string; title: string; unit: Unit }

const ASK: Record<Unit, string> = { ms: "> 2 s, < 500 ms or 1s..5s", count: "> 1, = 2 or 1k..5k", usd: "> 0.01 or 0.01..0.5" };

const parameters = (name: string, { min, max }: Bounds, unit: Unit) => ({
  [`${name}_min`]: min === undefined ? null : plain(min, unit),
  [`${name}_max`]: max === undefined ? null : plain(max, unit),
  cursor: null,
});

/** What "total:>2s" in the search box changes in the address; null where it is no range of `measure`. */
export function typed(measure: Measure, text: string): Record<string, string | null> | null {
  const found = bounds(text, measure.unit);
  return found && parameters(measure.name, found, measure.unit);
}

/** A column's head that takes a range: its name until one is given. */
export function RangeFilter({ of: { name, title, unit } }: { of: Measure }) {
  const { query } = useAddress();
  const value = words(query.get(`${name}_min`), query.get(`${name}_max`), unit);
  const set = (input: HTMLInputElement) => {
    const text = input.value.trim();
    if (text === value) return;
    const found = text ? bounds(text, unit) : {};
    input.setCustomValidity(found ? "" : `Not a range: ${text}. Type one such as ${ASK[unit]}.`);
    if (found) go(withQuery(parameters(name, found, unit)));
    else input.reportValidity();
  };
  return (
    <input key={value} class={value ? "head-filter on" : "head-filter"} aria-label={`Filter by ${title.toLowerCase()}`} title={`Only a range: ${ASK[unit]}`} placeholder={title} defaultValue={value}
      onInput={(event) => event.currentTarget.setCustomValidity("")}
      onChange={(event) => set(event.currentTarget)}
      onKeyDown={(event) => event.key === "Enter" && set(event.currentTarget)} />
  );
}

/** A number that keeps, by one click, the rows that have at least as much. */
export function AtLeast({ of: { name, title, unit }, value, children }: { of: Measure; value: number | null | undefined; children: ComponentChildren }) {
  if (value === null || value === undefined) return <>{children}</>;
  const least = plain(value, unit);
  return (
    <span class="filterable" title={`Only ${title.toLowerCase()} ${words(least, null, unit)}`} onClick={(event) => {
      event.stopPropagation();
      go(withQuery({ [`${name}_min`]: least, [`${name}_max`]: null, cursor: null }));
    }}>{children}</span>
  );
}

const HOUR = 3_600_000;

/** When it began; a click keeps what began in that hour. */
export function Hour({ at }: { at: string }) {
  const from = Math.floor(Date.parse(at) / HOUR) * HOUR;
  return (
    <time title={`${fullTime(at)}: only this hour`} class="soft filterable" onClick={(event) => {
      event.stopPropagation();
      go(withQuery({ from: new Date(from).toISOString(), to: new Date(from + HOUR).toISOString(), cursor: null }));
    }}>{time(at)}</time>
  );
}

const SPANS: [string, string][] = [["", "All time"], ["1h", "Last hour"], ["24h", "Last 24 hours"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]];

/** "24h" as the instant that long ago; an instant as it is; null for all time. */
export function since(span: string): string | null {
  const found = /^(\d+)([hd])$/.exec(span);
  if (!found) return span || null;
  const length = Number(found[1]) * (found[2] === "h" ? HOUR : 24 * HOUR);
  // Whole minutes, so that a page asked twice asks for the same.
  return new Date(Math.floor((now() - length) / 60_000) * 60_000).toISOString();
}

/** The time range of a list: a span that ends now, or one that a click chose. */
export function TimeRange() {
  const { query } = useAddress();
  const span = query.get("from") ?? "";
  const known = !query.get("to") && SPANS.some(([value]) => value === span);
  return (
    <select aria-label="Time range" value={known ? span : "own"} onChange={(event) => go(withQuery({ from: event.currentTarget.value, to: null }))}>
      {SPANS.map(([value, title]) => <option value={value}>{title}</option>)}
      {!known && <option value="own">{time(span) || "the beginning"} to {query.get("to") ? time(query.get("to")) : "now"}</option>}
    </select>
  );
}

/** What narrows the list now, each with a button that takes it away. */
export function Chips({ names, measures }: { names: readonly string[]; measures: readonly Measure[] }) {
  const { query } = useAddress();
  const one = (name: string, text: string, without: Record<string, null>) => (
    <span class="chip" key={name}>{text}<button aria-label={`Remove the filter ${name}`} onClick={() => go(withQuery(without))}>×</button></span>
  );
  return (
    <>
      {names.filter((name) => query.get(name)).map((name) => one(name, `${name}: ${query.get(name)}`, { [name]: null }))}
      {measures.map(({ name, title, unit }) => {
        const text = words(query.get(`${name}_min`), query.get(`${name}_max`), unit);
        return text && one(name, `${title.toLowerCase()} ${text}`, { [`${name}_min`]: null, [`${name}_max`]: null });
      })}
    </>
  );
}

/** The names of all parameters of a list, as its address has them. */
export const parametersOf = (names: readonly string[], measures: readonly Measure[]) => [...names, ...measures.flatMap(({ name }) => [`${name}_min`, `${name}_max`])];
