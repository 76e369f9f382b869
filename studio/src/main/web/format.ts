// Numbers and times as people read them. Units are always shown; an unknown value is a dash.

import { now } from "./clock";

export const NONE = "–";

const whole = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayClock = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

type Maybe<T> = T | null | undefined;

export function count(value: Maybe<number>): string {
  return value === null || value === undefined ? NONE : whole.format(value);
}

export function compact(value: Maybe<number>): string {
  if (value === null || value === undefined) return NONE;
  return Math.abs(value) < 10_000 ? whole.format(Math.round(value)) : short.format(value);
}

export function ms(value: Maybe<number>): string {
  if (value === null || value === undefined) return NONE;
  if (value < 1) return value === 0 ? "0 ms" : `${value.toFixed(1)} ms`;
  if (value < 1000) return `${Math.round(value)} ms`;
  if (value < 60_000) return `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`;
  if (value < 600_000) return `${Math.floor(value / 60_000)} min ${Math.floor((value % 60_000) / 1000)} s`;
  if (value < 3_600_000) return `${Math.floor(value / 60_000)} min`;
  if (value < 172_800_000) return `${(value / 3_600_000).toFixed(1)} h`;
  return `${Math.round(value / 86_400_000)} d`;
}

export function bytes(value: Maybe<number>): string {
  if (value === null || value === undefined) return NONE;
  if (value < 1024) return `${value} B`;
  if (value < 1 << 20) return `${(value / 1024).toFixed(1)} KiB`;
  if (value < 1 << 30) return `${(value / (1 << 20)).toFixed(1)} MiB`;
  return `${(value / (1 << 30)).toFixed(1)} GiB`;
}

/** Dollars with as many places as the amount needs to be told from others. */
export function usd(value: Maybe<number>): string {
  if (value === null || value === undefined) return NONE;
  if (value === 0) return "$0";
  const size = Math.abs(value);
  if (size >= 1000) return `$${whole.format(Math.round(value))}`;
  if (size >= 1) return `$${value.toFixed(2)}`;
  if (size >= 0.01) return `$${value.toFixed(3)}`;
  return `$${value.toPrecision(2).replace(/e-(\d+)$/, "e-$1")}`;
}

export function percent(part: number, of: number): string {
  if (of === 0) return NONE;
  const share = (100 * part) / of;
  return share === 100 || share === 0 ? `${share} %` : `${share.toFixed(share > 99 || share < 1 ? 2 : 1)} %`;
}

export function time(at: Maybe<string | number>): string {
  if (!at) return NONE;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  return now() - date.getTime() < 72_000_000 ? clock.format(date) : dayClock.format(date);
}

export function fullTime(at: Maybe<string | number>): string {
  if (!at) return NONE;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : full.format(date);
}

/** "12 s ago"; a time ahead of this clock by more than a minute is shown as it is. */
export function ago(at: Maybe<string | number>, from: number): string {
  if (!at) return NONE;
  const passed = from - new Date(at).getTime();
  if (passed < -60_000) return time(at);
  if (passed < 2000) return "now";
  if (passed < 60_000) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < 3_600_000) return `${Math.floor(passed / 60_000)} min ago`;
  if (passed < 86_400_000) return `${Math.floor(passed / 3_600_000)} h ago`;
  return `${Math.floor(passed / 86_400_000)} d ago`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}
