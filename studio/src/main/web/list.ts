// The pages of a list that were read so far: what is older by cursor, what is new on top by itself.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "./api";
import { useEvents } from "./hooks";

/** Rows of one page. */
export const PAGE = 100;
/** Rows that a tab keeps: a tail left on for a day must not grow without end. */
const MOST = 5000;
/** After an event, before the list is asked: events come in groups. */
const SETTLE_MS = 500;
const AGAIN_MS = 3000;
/** Pages without a row that are read on by themselves: the store looks for a few moments for each. */
const LOOKS = 20;
const NONE: readonly string[] = [];

export interface Rows<T> { rows: T[]; fresh: Set<string>; error: ApiError | null; loaded: boolean; more: (() => void) | null; reload: () => void }

interface Page<T> { rows: T[]; next: string | null }

/** What `asked` lists under `field`. With `live`, events of `types` bring what is new; without, the newest page is read again after each `every` milliseconds. */
export function useRows<T>({ asked, field, id, live = false, types = NONE, every = 0 }: { asked: string; field: string; id: (row: T) => string; live?: boolean; types?: readonly string[]; every?: number }): Rows<T> {
  const [rows, setRows] = useState<T[]>([]);
  const [last, setLast] = useState<{ asked: string; next: string | null }>({ asked, next: null });
  // A cursor belongs to the list that it came with.
  const next = last.asked === asked ? last.next : null;
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  const [error, setError] = useState<ApiError | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [round, setRound] = useState(0);
  const busy = useRef(false);
  const looks = useRef(0);
  const read = useCallback(async (path: string, signal?: AbortSignal): Promise<Page<T>> => {
    const page = await get<Record<string, unknown> & { next: string | null }>(path, signal);
    const list = page[field];
    if (!Array.isArray(list)) throw new ApiError(200, "unreadable", `The gateway's answer has no list of ${field}.`);
    return { rows: list as T[], next: page.next ?? null };
  }, [field]);
  useEffect(() => {
    const abort = new AbortController();
    busy.current = false;
    looks.current = 0;
    let timer = 0;
    const load = () =>
      read(asked, abort.signal).then(
        (page) => {
          setError(null);
          setLoaded(true);
          setLast({ asked, next: page.next });
          setRows(page.rows);
          setFresh(new Set());
        },
        (thrown: unknown) => {
          if (abort.signal.aborted) return;
          const problem = ApiError.of(thrown);
          setError(problem);
          setLoaded(true);
          if (problem.passes) timer = window.setTimeout(load, AGAIN_MS);
        },
      );
    void load();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [asked, read, round]);
  const merge = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const page = await read(asked);
      setError(null);
      setLoaded(true);
      setRows((old) => {
        const seen = new Set(page.rows.map(id));
        const known = new Set(old.map(id));
        const added = page.rows.map(id).filter((each) => !known.has(each));
        if (added.length > 0) setFresh(new Set(added));
        // More is new than one page has: what is between is read by cursor again, and leaves no hole.
        if (added.length === page.rows.length && page.next) {
          setLast({ asked, next: page.next });
          return page.rows;
        }
        return [...page.rows, ...old.filter((row) => !seen.has(id(row)))].slice(0, MOST);
      });
    } catch {
      // The next event or the next round asks again.
    } finally {
      busy.current = false;
    }
  }, [asked, read]);
  const due = useRef(0);
  const state = useEvents(live ? "/api/live" : null, () => {
    due.current ||= window.setTimeout(() => { due.current = 0; void merge(); }, SETTLE_MS);
  }, types, () => void merge());
  useEffect(() => () => window.clearTimeout(due.current), []);
  useEffect(() => {
    const pause = live ? (state === "live" ? 0 : AGAIN_MS) : every;
    if (pause === 0) return;
    const timer = window.setInterval(() => !document.hidden && void merge(), pause);
    return () => window.clearInterval(timer);
  }, [live, every, state, merge]);
  const on = useCallback(() => {
    if (!next || busy.current) return;
    busy.current = true;
    read(`${asked}&cursor=${encodeURIComponent(next)}`)
      .then((page) => {
        setLast({ asked, next: page.next });
        setRows((old) => {
          const known = new Set(old.map(id));
          return [...old, ...page.rows.filter((row) => !known.has(id(row)))];
        });
      })
      .catch(() => undefined)
      .finally(() => (busy.current = false));
  }, [asked, next, read]);
  // What few rows fit is far back: a page may be empty although others follow.
  useEffect(() => {
    if (rows.length > 0 || !next || looks.current >= LOOKS) return;
    looks.current += 1;
    on();
  }, [rows.length, next, on]);
  const more = useCallback(() => {
    looks.current = 0;
    on();
  }, [on]);
  return { rows, fresh, error, loaded, more: next ? more : null, reload: () => setRound(round + 1) };
}
