// Ranges of numbers as one types them into a column's head: "> 2 s", "1k..5k", "0.01".

import { compact, ms, usd } from "./format";

export type Unit = "ms" | "count" | "usd";

/** In the API's unit; undefined is without a bound. */
export interface Bounds { min?: number; max?: number }

/** The least difference that a value of the unit can have. */
const STEP: Record<Unit, number> = { ms: 1, count: 1, usd: 1e-9 };
const FACTORS: Record<Unit, Record<string, number>> = {
  ms: { "": 1, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 },
  count: { "": 1, k: 1000, m: 1e6 },
  usd: { "": 1, k: 1000 },
};

function amount(text: string, unit: Unit): number | null {
  const [, digits, letters = ""] = /^\$?\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = FACTORS[unit][letters.toLowerCase()];
  if (digits === undefined || factor === undefined) return null;
  return unit === "usd" ? Number((Number(digits) * factor).toFixed(9)) : Math.round(Number(digits) * factor);
}

/** What `text` asks for: a bare number is the least; null where it is no range of the unit. */
export function bounds(text: string, unit: Unit): Bounds | null {
  const between = /^(.+?)\s*(?:\.\.|–|-|\bto\b)\s*(.+)$/.exec(text);
  if (between) {
    const min = amount(between[1]!, unit);
    const max = amount(between[2]!, unit);
    return min === null || max === null || min > max ? null : { min, max };
  }
  const [, sign = "", rest = ""] = /^\s*(>=|<=|[><=≥≤])?\s*(.+)$/.exec(text) ?? [];
  const value = amount(rest, unit);
  if (value === null) return null;
  switch (sign) {
    case ">": return { min: value + STEP[unit] };
    case "<": return value >= STEP[unit] ? { max: value - STEP[unit] } : null;
    case "<=":
    case "≤": return { max: value };
    case "=": return { min: value, max: value };
    default: return { min: value };
  }
}

const WRITE: Record<Unit, (value: number) => string> = { ms, count: compact, usd };

/** Bounds as the address has them, in words. */
export function words(min: string | null, max: string | null, unit: Unit): string {
  const one = (value: string) => (Number.isFinite(Number(value)) ? WRITE[unit](Number(value)) : value);
  if (min && max) return min === max ? one(min) : `${one(min)} to ${one(max)}`;
  return min ? `≥ ${one(min)}` : max ? `≤ ${one(max)}` : "";
}

/** A number as the API reads it: never with an exponent. */
export function plain(value: number, unit: Unit): string {
  return unit === "usd" ? value.toFixed(9).replace(/\.?0+$/, "") : String(Math.floor(value));
}
