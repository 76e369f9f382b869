// Ids of calls and runs: the first ten characters behind the underscore are the time of making, in
// milliseconds, in Crockford's base 32 (the ULID layout).

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIMED = 10;
const WHOLE = 26;
/** What begins may be written down a little after its id was made. */
const SLACK_MS = 5000;

/** An id, or its beginning as a page shows it. */
export interface Prefix { kind: "call" | "run"; text: string; whole: boolean; from: string; to: string }

/** What `text` is the beginning of; null for what is no id, and for too little of one. */
export function prefixOf(text: string): Prefix | null {
  const [, kind, behind = ""] = /^(call|run)_([0-9a-hjkmnp-tv-z]{4,26})(?:…|\.\.\.)?$/.exec(text.trim().toLowerCase()) ?? [];
  if (kind !== "call" && kind !== "run") return null;
  const read = (pad: string) => [...behind.slice(0, TIMED).padEnd(TIMED, pad)].reduce((sum, each) => sum * 32 + DIGITS.indexOf(each), 0);
  const [from, to] = [read("0") - SLACK_MS, read("z") + SLACK_MS];
  // Beyond what a date can be there is no id.
  if (to > 8.64e15) return null;
  return { kind, text: `${kind}_${behind}`, whole: behind.length === WHOLE, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
