// A list of any length whose rows differ in height: those in sight exist, the heights of the others
// are guessed until they have been seen.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useScrolled } from "./hooks";
import { useKeys } from "./keys";

const BEYOND = 600;

export function Long({ count, guess, row, label, follow = false }: {
  count: number;
  guess: number;
  row: (index: number) => ComponentChildren;
  label: string;
  /** Stays at the end while it grows, if it was there. */
  follow?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef<Map<number, number>>(new Map());
  const [version, setVersion] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800 });
  const atEnd = useRef(true);
  const tops = useMemo(() => {
    const found = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) found[i + 1] = found[i]! + (heights.current.get(i) ?? guess);
    return found;
  }, [count, version, guess]);
  const find = (y: number) => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1]! <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const first = find(Math.max(0, view.top - BEYOND));
  const last = Math.min(count - 1, find(view.top + view.height + BEYOND));
  const observer = useMemo(() => new ResizeObserver((entries) => {
    let changed = false;
    for (const entry of entries) {
      const index = Number((entry.target as HTMLElement).dataset.index);
      const height = entry.borderBoxSize[0]?.blockSize ?? 0;
      if (height > 0 && Math.abs((heights.current.get(index) ?? -1) - height) > 0.5) {
        heights.current.set(index, height);
        changed = true;
      }
    }
    if (changed) setVersion((n) => n + 1);
  }), []);
  useEffect(() => () => observer.disconnect(), [observer]);
  const measured = useCallback((element: HTMLDivElement | null) => {
    if (element) observer.observe(element);
  }, [observer]);
  useScrolled(box, (element) => {
    atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 40;
    setView({ top: element.scrollTop, height: element.clientHeight });
  });
  useLayoutEffect(() => {
    if (follow && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count, version, follow]);
  useKeys({
    j: () => box.current?.scrollBy({ top: 160 }),
    k: () => box.current?.scrollBy({ top: -160 }),
    G: () => box.current?.scrollTo({ top: box.current.scrollHeight }),
  });
  const rows: ComponentChildren[] = [];
  for (let i = first; i <= last; i++) {
    rows.push(<div key={i} data-index={i} ref={measured} style={{ transform: `translateY(${tops[i]}px)` }}>{row(i)}</div>);
  }
  return (
    <div class="long" ref={box} tabIndex={0} role="region" aria-label={label}>
      <div style={{ height: `${tops[count]}px` }}>{rows}</div>
    </div>
  );
}
