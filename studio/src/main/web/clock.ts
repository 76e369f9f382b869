// The gateway's time: what the pages ask for and how old things are goes by it, not by a clock of
// this computer that is wrong.

/** Below this, in milliseconds, a difference is the way of an answer and no matter. */
const TOLERATED = 60_000;

let ahead = 0;
const listeners = new Set<() => void>();

/** Milliseconds since 1970, as the gateway counts them. */
export function now(): number {
  return Date.now() - ahead;
}

/** By how many milliseconds this computer's clock is ahead of the gateway's; 0 where they agree. */
export function clockAhead(): number {
  return ahead;
}

/** Takes the time of an answer, as its `date` header has it. */
export function heard(date: string | null) {
  const at = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const off = Date.now() - at;
  const next = Math.abs(off) < TOLERATED ? 0 : off;
  // The header counts seconds: a second more or less is no other clock.
  if (Math.abs(next - ahead) < TOLERATED && (next === 0) === (ahead === 0)) return;
  ahead = next;
  listeners.forEach((listener) => listener());
}

export function onClock(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
