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

export interface Rows<T> { rows: T[]; fresh: Set<string>; error: ApiError | null; loaded: boolean; more: (() => void) | null; reload: () => void }

interface Page<T> { rows: T[]; next: string | null }

/** What `asked` lists under `field`; with `live`, events of `types` bring what is new. */
export function useRows<T>({ asked, field, id, live, types }: { asked: string; field: string; id: (row: T) => string; live: boolean; types: readonly string[] }): Rows<T> {
  const [rows, setRows] = useState<T[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  const [error, setError] = useState<ApiError | null>(null);
  const [loaded, setLoaded] = useState(false);
  const [round, setRound] = useState(0);
  const busy = useRef(false);
  const read = useCallback(async (path: string, signal?: AbortSignal): Promise<Page<T>> => {
    const page = await get<Record<string, unknown> & { next: string | null }>(path, signal);
    const list = page[field];
    if (!Array.isArray(list)) throw new ApiError(200, "unreadable", `The gateway's answer has no list of ${field}.`);
    return { rows: list as T[], next: page.next ?? null };
  }, [field]);
  useEffect(() => {
    const abort = new AbortController();
    busy.current = false;
    let timer = 0;
    const load = () =>
      read(asked, abort.signal).then(
        (page) => {
          setError(null);
          setLoaded(true);
          setNext(page.next);
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
          setNext(page.next);
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
    if (!live || state === "live") return;
    const timer = window.setInterval(() => !document.hidden && void merge(), AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [live, state, merge]);
  const more = useCallback(() => {
    if (!next || busy.current) return;
    busy.current = true;
    read(`${asked}&cursor=${encodeURIComponent(next)}`)
      .then((page) => {
        setNext(page.next);
        setRows((old) => {
          const known = new Set(old.map(id));
          return [...old, ...page.rows.filter((row) => !known.has(id(row)))];
        });
      })
      .catch(() => undefined)
      .finally(() => (busy.current = false));
  }, [asked, next, read]);
  return { rows, fresh, error, loaded, more: next ? more : null, reload: () => setRound(round + 1) };
}
