// Data that follows the gateway, and the page's address as its only state.

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "./api";
import { now } from "./clock";

export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  /** The data is of an earlier question, or of before the gateway went away. */
  stale: boolean;
  reload: () => void;
}

const LONGEST_WAIT = 10_000;

/** After `failures` in a row: 1 s, 2 s, 4 s, at most 10 s, each with up to a quarter more. */
export function backOff(failures: number): number {
  return Math.min(LONGEST_WAIT, 1000 * 2 ** (failures - 1)) * (1 + Math.random() / 4);
}

/**
 * What `path` answers; null asks nothing. `every` milliseconds again while the tab is visible. A
 * gateway that is away is asked again with growing waits.
 */
export function useApi<T>(path: string | null, every = 0): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data: T | null; error: ApiError | null }>({
    path: null,
    data: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    let timer = 0;
    let failures = 0;
    let due = false;
    const plan = (wait: number) => {
      window.clearTimeout(timer);
      timer = window.setTimeout(load, wait);
    };
    const load = async () => {
      if (document.hidden && failures + every > 0) {
        due = true;
        return;
      }
      try {
        const data = await get<T>(path, abort.signal);
        failures = 0;
        setState({ path, data, error: null });
        if (every > 0) plan(every);
      } catch (thrown) {
        if (abort.signal.aborted) return;
        const error = ApiError.of(thrown);
        setState((old) => ({ path, data: old.path === path ? old.data : null, error }));
        if (error.passes) plan(backOff(++failures));
        else if (every > 0 && error.status !== 401) plan(Math.max(every, 10_000));
      }
    };
    const shown = () => {
      if (!document.hidden && due) {
        due = false;
        void load();
      }
    };
    document.addEventListener("visibilitychange", shown);
    void load();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [path, every, round]);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  return {
    data: state.data,
    error: state.error,
    stale: state.data !== null && (state.path !== path || state.error !== null),
    reload,
  };
}

/**
 * Server-Sent Events of `path`, each once: a stream that begins anew is skipped up to where it was.
 * Closed while the tab is hidden. Events arrive in groups of 50 ms. `opened` is called at each
 * opening but the first: what happened in between may have to be asked for.
 */
export function useEvents(
  path: string | null,
  take: (events: MessageEvent<string>[]) => void,
  types: readonly string[] = [],
  opened?: () => void,
): "live" | "away" | "ended" {
  const [state, setState] = useState<"live" | "away" | "ended">("away");
  const taker = useRef(take);
  taker.current = take;
  const opener = useRef(opened);
  opener.current = opened;
  useEffect(() => {
    if (path === null || path === "") return;
    let source: EventSource | null = null;
    let timer = 0;
    let frame = 0;
    let failures = 0;
    let last = 0;
    let openings = 0;
    let over = false;
    let waiting: MessageEvent<string>[] = [];
    const flush = () => {
      frame = 0;
      const group = waiting;
      waiting = [];
      taker.current(group);
    };
    const close = () => {
      source?.close();
      source = null;
    };
    const on = (event: MessageEvent<string>) => {
      const number = Number(event.lastEventId);
      if (number > 0) {
        if (number <= last) return;
        last = number;
      }
      waiting.push(event);
      if (!frame) frame = window.setTimeout(flush, 50);
      if (event.type === "run.ended") {
        over = true;
        setState("ended");
        close();
      }
    };
    const open = () => {
      if (document.hidden || over) return;
      source = new EventSource(path);
      source.onopen = () => {
        failures = 0;
        setState("live");
        if (openings++ > 0) opener.current?.();
      };
      source.onmessage = on;
      types.forEach((type) => source?.addEventListener(type, on as EventListener));
      source.onerror = () => {
        if (over) return;
        setState("away");
        // A browser opens a lost connection again by itself, from the last event on; not a refused one.
        if (source?.readyState !== EventSource.CLOSED) return;
        close();
        timer = window.setTimeout(open, backOff(++failures));
      };
    };
    const shown = () => {
      window.clearTimeout(timer);
      if (document.hidden) close();
      else if (!source) open();
    };
    document.addEventListener("visibilitychange", shown);
    open();
    return () => {
      over = true;
      close();
      window.clearTimeout(timer);
      window.clearTimeout(frame);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [path]);
  return state;
}

// ---- the address

const listeners = new Set<() => void>();
window.addEventListener("popstate", () => listeners.forEach((listener) => listener()));

/** Goes to an address of the studio. `replace`: without a step of the history. */
export function go(to: string, replace = false) {
  if (to === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  listeners.forEach((listener) => listener());
}

export function useAddress(): { path: string; query: URLSearchParams } {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The address with some parameters changed; null or "" takes one away. */
export function withQuery(change: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  return location.pathname + (text ? `?${text}` : "");
}

/** One parameter of the address, as state. */
export function useParameter(name: string, otherwise = ""): [string, (value: string) => void] {
  const value = useAddress().query.get(name) ?? otherwise;
  return [value, (next) => go(withQuery({ [name]: next === otherwise ? null : next }), true)];
}

/** State of this browser, such as saved views. */
export function useKept<T>(name: string, otherwise: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => kept(name, otherwise));
  return [
    value,
    (next) => {
      setValue(next);
      keep(name, next);
    },
  ];
}

export function kept<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`mainstay.${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown) {
  try {
    localStorage.setItem(`mainstay.${name}`, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}

/** The time now, every `every` milliseconds, for words such as "3 s ago". */
export function useNow(every = 5000): number {
  const [time, setTime] = useState(now());
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && setTime(now()), every);
    return () => window.clearInterval(timer);
  }, [every]);
  return time;
}

/**
 * Calls `read` with the element of `box`: at first, and after it was scrolled or has another size, once a
 * frame at most. The `read` of the first render stays, so it may use setters and refs alone.
 */
export function useScrolled(box: RefObject<HTMLElement>, read: (element: HTMLElement) => void): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const soon = () => {
      frame = 0;
      read(element);
    };
    const later = () => (frame ||= requestAnimationFrame(soon));
    const size = new ResizeObserver(later);
    size.observe(element);
    element.addEventListener("scroll", later, { passive: true });
    read(element);
    return () => {
      cancelAnimationFrame(frame);
      size.disconnect();
      element.removeEventListener("scroll", later);
    };
  }, []);
}
