// Charts: lines by uPlot, stacked bars and sparks as SVG. Colours come from the design tokens.

import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { fullTime } from "./format";

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The theme in force, so that canvases are drawn again when it changes. */
function useTheme(): string {
  const read = () => `${document.documentElement.dataset.theme ?? ""}${matchMedia("(prefers-color-scheme: dark)").matches}`;
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const change = () => setTheme(read());
    const query = matchMedia("(prefers-color-scheme: dark)");
    query.addEventListener("change", change);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      query.removeEventListener("change", change);
      observer.disconnect();
    };
  }, []);
  return theme;
}

export interface Line { name: string; color: string; values: (number | null)[]; dash?: number[] }

/** Lines over time. `color` names a token, such as `--s1`. */
export function Lines({ at, lines, format, label }: { at: number[]; lines: Line[]; format: (value: number | null) => string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [hover, setHover] = useState<{ index: number; left: number } | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const axis: uPlot.Axis = {
      stroke: token("--faint"), font: `11px ${token("--sans")}`, grid: { stroke: token("--line"), width: 1 }, ticks: { show: false }, border: { show: false },
    };
    const plot = new uPlot({
      width: Math.max(200, element.clientWidth), height: 176, legend: { show: false }, padding: [8, 4, 0, 0],
      cursor: { y: false, points: { size: 6 } }, select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1e-9)] } },
      axes: [{ ...axis, grid: { show: false } }, { ...axis, size: 58, space: 36, values: (_, ticks) => ticks.map((tick) => format(tick)) }],
      series: [{}, ...lines.map((line): uPlot.Series => ({
        label: line.name, stroke: token(line.color), width: 1.6, dash: line.dash, spanGaps: true, points: { show: line.values.filter((value) => value !== null).length < 3, size: 5, fill: token(line.color) },
      }))],
      hooks: { setCursor: [(self) => setHover(self.cursor.idx === null || self.cursor.idx === undefined || (self.cursor.left ?? -1) < 0 ? null : { index: self.cursor.idx, left: self.cursor.left ?? 0 })] },
    }, [at.map((time) => time / 1000), ...lines.map((line) => line.values)], element);
    const size = new ResizeObserver(() => plot.setSize({ width: Math.max(200, element.clientWidth), height: 176 }));
    size.observe(element);
    return () => {
      size.disconnect();
      plot.destroy();
    };
  }, [at, lines, theme]);
  const width = box.current?.clientWidth ?? 600;
  return (
    <div class="col">
      <div class="chart" role="img" aria-label={label} ref={box}>
        {hover && (
          <div class="tip" style={hover.left > width / 2 ? { right: `${width - hover.left - 40}px`, top: "8px" } : { left: `${hover.left + 72}px`, top: "8px" }}>
            <div class="faint">{fullTime(at[hover.index])}</div>
            {lines.map((line) => <div class="row"><span class="swatch" style={{ background: `var(${line.color})` }} />{line.name}<span class="grow" /><strong>{format(line.values[hover.index] ?? null)}</strong></div>)}
          </div>
        )}
      </div>
      <Legend items={lines.map((line) => [line.name, `var(${line.color})`])} />
    </div>
  );
}

export function Legend({ items, pick }: { items: [string, string][]; pick?: (name: string) => void }) {
  return (
    <div class="legend">
      {items.map(([name, color]) => {
        const inside = <><span class="swatch" style={{ background: color }} />{name}</>;
        return pick ? <button class="plain" onClick={() => pick(name)}>{inside}</button> : <span>{inside}</span>;
      })}
    </div>
  );
}

/** Bars over time, one on top of the other. */
export function Stacked({ at, names, values, colors, format, label, pick, span }: {
  at: number[]; names: string[]; values: number[][]; colors: string[]; format: (value: number) => string; label: string;
  pick?: (name: string) => void;
  /** Narrows the page to one bucket of time. */
  span?: (from: number) => void;
}) {
  const [over, setOver] = useState<number | null>(null);
  const height = 148;
  const sums = at.map((_, i) => values.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  const most = Math.max(1e-12, ...sums);
  const each = 1000 / Math.max(1, at.length);
  const gap = Math.min(3, each * 0.2);
  return (
    <div class="col">
      <div class="chart" onMouseLeave={() => setOver(null)}>
        <div class="row faint"><small>{format(most === 1e-12 ? 0 : most)}</small></div>
        <svg viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" width="100%" height={height} role="img" aria-label={label}>
          <line x1="0" x2="1000" y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
          {at.map((time, i) => {
            let y = height;
            return (
              <g onMouseEnter={() => setOver(i)} onClick={() => span?.(time)} style={span && { cursor: "pointer" }}>
                <rect x={i * each} y="0" width={each} height={height} fill={over === i ? "var(--hover)" : "transparent"} />
                {values.map((row, s) => {
                  const value = row[i] ?? 0;
                  if (value <= 0) return null;
                  const tall = Math.max(1.5, (value / most) * (height - 2));
                  y -= tall;
                  return <rect x={i * each + gap / 2} y={y} width={Math.max(1, each - gap)} height={tall} fill={colors[s]} />;
                })}
              </g>
            );
          })}
        </svg>
        <div class="row faint"><small>{at[0] ? fullTime(at[0]).replace(/:\d\d [A-Z+:\d]*$/, "") : ""}</small><span class="grow" /><small>now</small></div>
        {over !== null && (
          <div class="tip" style={over > at.length / 2 ? { right: `${100 - (100 * over) / at.length}%`, top: "24px" } : { left: `${(100 * (over + 1)) / at.length}%`, top: "24px" }}>
            <div class="faint">{fullTime(at[over])}</div>
            {names.map((name, s) => (values[s]?.[over] ?? 0) > 0 && <div class="row"><span class="swatch" style={{ background: colors[s] }} />{name}<span class="grow" /><strong>{format(values[s]![over]!)}</strong></div>)}
            {sums[over] === 0 && <div>nothing</div>}
          </div>
        )}
      </div>
      <Legend items={names.map((name, i) => [name, colors[i] ?? "var(--s6)"])} pick={pick} />
    </div>
  );
}
