// `/api/stats`, and the series that charts draw of it.

import { url } from "./api";
import { now } from "./clock";

export interface Percentiles { p50: number | null; p95: number | null; p99: number | null }

export interface Sums {
  calls: number;
  delivered: number;
  recovered: number;
  failed: number;
  failed_by_kind: Record<string, number>;
  attempts: number;
  failed_attempts: number;
  failed_attempts_by_kind: Record<string, number>;
  tokens: { input: number; cached_input: number; cache_write: number; output: number; reasoning: number };
  cost_usd: number | null;
  attempts_without_price: number;
  first_token_ms: Percentiles;
  total_ms: Percentiles;
}

export interface Stats {
  from: string;
  to: string;
  by: string;
  bucket_s: number;
  total: Sums;
  rows: (Sums & { key: string | null })[];
  buckets: (Sums & { key: string | null; at: string })[];
}

export const SPANS: [string, string, number, string][] = [
  ["24h", "Last 24 hours", 86_400_000, "1h"],
  ["7d", "Last 7 days", 7 * 86_400_000, "6h"],
  ["30d", "Last 30 days", 30 * 86_400_000, "1d"],
];

/** The address of the statistics of a span that ends now, or one span earlier. */
export function statsOf(span: string, by: string, before = false): string {
  const [, , length, bucket] = SPANS.find(([name]) => name === span) ?? SPANS[0]!;
  const minute = Math.floor(now() / 60_000) * 60_000;
  const to = before ? minute - length : minute + 60_000;
  return url("/api/stats", {
    by,
    bucket,
    from: new Date(to - length).toISOString(),
    to: new Date(to).toISOString(),
  });
}

/** Whether calls were recorded from near the beginning of `stats` on: of a part of a time nothing follows. */
export function covers(stats: Stats): boolean {
  const from = Date.parse(stats.from);
  const first = Math.min(...stats.buckets.map((each) => Date.parse(each.at)));
  return stats.buckets.length > 0 && first - from <= Math.max(stats.bucket_s * 1000, (Date.parse(stats.to) - from) / 4);
}

/** A young ledger is drawn from its first calls on, with at least so many buckets. */
const FEWEST = 12;

/** Every time of the range, so that hours without calls are drawn as such. */
export function times(stats: Stats): number[] {
  const step = stats.bucket_s * 1000;
  const last = Date.parse(stats.to);
  const called = Math.min(...stats.buckets.map((each) => Date.parse(each.at)), last);
  const first = Math.floor(Math.max(Date.parse(stats.from), Math.min(called, last - FEWEST * step)) / step) * step;
  const found: number[] = [];
  for (let at = first; at < last && found.length < 2000; at += step) found.push(at);
  return found;
}

/** One series per key, at most `most`; what is left is summed up as "others". */
export function series(stats: Stats, value: (sums: Sums) => number, most = 5): { names: string[]; at: number[]; values: number[][] } {
  const at = times(stats);
  const index = new Map(at.map((time, i) => [time, i]));
  const step = stats.bucket_s * 1000;
  const totals = new Map<string, number>();
  for (const bucket of stats.buckets) totals.set(bucket.key ?? "none", (totals.get(bucket.key ?? "none") ?? 0) + value(bucket));
  const ranked = [...totals.entries()].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const names = ranked.length > most + 1 ? [...ranked.slice(0, most), "others"] : ranked;
  const values = names.map(() => at.map(() => 0));
  for (const bucket of stats.buckets) {
    const slot = index.get(Math.floor(Date.parse(bucket.at) / step) * step);
    if (slot === undefined) continue;
    const name = bucket.key ?? "none";
    const row = values[names.includes(name) ? names.indexOf(name) : names.length - 1];
    if (row) row[slot] = (row[slot] ?? 0) + value(bucket);
  }
  return { names, at, values };
}
