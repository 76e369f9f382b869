// A table of any length: rows of one height, of which only those in sight exist. j and k move among rows,
// the arrows to the left and right among the values of one. Enter opens the row, or filters by the value.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { go, useScrolled } from "./hooks";
import { useKeys } from "./keys";

const ROW = 33;
const BEYOND = 8;
/** Between two columns, and at both ends of a row, as `.tr` has them. */
const GAP = 10;
const ENDS = 24;

/** A table of fewer pixels keeps the columns that it cannot do without. */
const NARROW = 620;

/** The least room that columns need side by side, in pixels. */
const room = (widths: string[]) => widths.reduce((sum, width) => sum + Number(/(\d+)px/.exec(width)?.[1] ?? 80) + GAP, ENDS - GAP);

/** The height of a table of so many rows with its head and its borders, in pixels. */
export const tall = (rows: number) => (rows + 1) * ROW + 2;

export interface Column<T> {
  name: string;
  /** A width of CSS grid: `80px`, `minmax(120px, 1fr)`. */
  width: string;
  /** The width where the table is narrow. */
  narrow?: string;
  number?: boolean;
  /** Left out where the table is narrower than its columns need: what a phone can do without. */
  wide?: boolean;
  /** Left out while no row has a value in it. */
  has?: (row: T) => boolean;
  /** What stands below the name and filters the rows by this column. */
  filter?: () => ComponentChildren;
  cell: (row: T) => ComponentChildren;
}

export function Table<T>({ rows, columns: all, id, href, more, label, fresh }: {
  rows: T[];
  columns: Column<T>[];
  id: (row: T) => string;
  href: (row: T) => string | null;
  /** Loads what follows; null where nothing does. */
  more?: (() => void) | null;
  label: string;
  fresh?: Set<string>;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600, narrow: false });
  /** The chosen row, and the value in it; -1 for none. */
  const [at, setAt] = useState(-1);
  const [cell, setCell] = useState(-1);
  const name = useId();
  useScrolled(box, (element) =>
    setScroll({ top: element.scrollTop, height: element.clientHeight, narrow: element.clientWidth < NARROW }));
  const used = useMemo(() => all.filter((column) => !column.has || rows.some(column.has)), [all, rows]);
  const columns = scroll.narrow ? used.filter((column) => !column.wide) : used;
  const widths = columns.map((column) => (scroll.narrow && column.narrow) || column.width);
  const first = Math.max(0, Math.floor(scroll.top / ROW) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((scroll.top + scroll.height) / ROW) + BEYOND);
  useEffect(() => {
    if (more && last >= rows.length - BEYOND && rows.length > 0) more();
  }, [last, rows.length, more]);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at + by));
    setAt(next);
    setCell(-1);
    const element = box.current;
    if (!element) return;
    const top = next * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW * 2 > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW * 2 - element.clientHeight + 33;
  };
  const open = () => {
    const value = cell < 0 ? null : box.current?.querySelector<HTMLElement>(".td.at .filterable");
    if (value) {
      setCell(-1);
      value.click();
      return;
    }
    const row = rows[at];
    const to = row && href(row);
    if (to) go(to);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Enter: open });
  // Head and rows are grids of their own: the same least width keeps their columns in line.
  const least = room(widths);
  const template = { gridTemplateColumns: widths.join(" "), minWidth: `${least}px` };
  const chosen = at < first || at >= last ? undefined : cell < 0 ? `${name}-${at}` : `${name}-${at}-${cell}`;
  return (
    <div class="table" ref={box} tabIndex={0} role="grid" aria-label={label} aria-rowcount={rows.length + 1} aria-activedescendant={chosen}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key];
        if (by) {
          event.preventDefault();
          move(by);
        }
        const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (aside && event.target === box.current && at >= 0) {
          event.preventDefault();
          setCell((old) => Math.max(-1, Math.min(columns.length - 1, old + aside)));
        }
      }}
    >
      <div class="thead" role="row" style={template}>
        {columns.map((column) => <div class={column.number ? "th num" : "th"} role="columnheader">{column.filter ? column.filter() : column.name}</div>)}
      </div>
      <div role="rowgroup" style={{ height: `${rows.length * ROW}px`, position: "relative", minWidth: `${least}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * ROW}px)` }}>
          {rows.slice(first, last).map((row, index) => {
            const key = id(row);
            const to = href(row);
            return (
              <div key={key} data-id={key} id={`${name}-${first + index}`} role="row" aria-rowindex={first + index + 2} style={template}
                class={`tr${first + index === at ? " at" : ""}${fresh?.has(key) ? " fresh" : ""}`}
                onClick={(event) => {
                  setAt(first + index);
                  setCell(-1);
                  if (!to) return;
                  if (event.metaKey || event.ctrlKey) window.open(to, "_blank", "noopener");
                  else go(to);
                }}
              >
                {columns.map((column, i) => <div id={`${name}-${first + index}-${i}`} class={`td${column.number ? " num" : ""}${first + index === at && i === cell ? " at" : ""}`} role="gridcell">{column.cell(row)}</div>)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
