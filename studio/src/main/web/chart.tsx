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

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** The height of the times below a chart, in pixels. */
const AXIS = 22;
/** Seconds that are drawn on both sides of a single point. */
const ALONE = 1800;
const ROOMY = "(min-width: 1800px)";

/** How tall a chart is drawn, in pixels: more on a screen that has the room. */
function useTall(): number {
  const [roomy, setRoomy] = useState(() => matchMedia(ROOMY).matches);
  useEffect(() => {
    const query = matchMedia(ROOMY);
    const change = () => setRoomy(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return roomy ? 210 : 116;
}

export interface Line { name: string; color: string; values: (number | null)[]; dash?: number[] }

/** Lines over time. `color` names a token, such as `--s1`. */
export function Lines({ at, lines, format, label }: { at: number[]; lines: Line[]; format: (value: number | null) => string; label: string }) {
  const tall = useTall() + AXIS;
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [hover, setHover] = useState<{ index: number; left: number } | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const alone = at.length === 1;
    const axis: uPlot.Axis = {
      stroke: token("--faint"), font: `11px ${token("--sans")}`, grid: { stroke: token("--line"), width: 1 }, ticks: { show: false }, border: { show: false },
    };
    const plot = new uPlot({
      width: Math.max(200, element.clientWidth), height: tall, legend: { show: false }, padding: [6, 22, 0, 0],
      cursor: { y: false, points: { size: 6 } }, select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1e-9)] } },
      axes: [{ ...axis, grid: { show: false }, size: AXIS, gap: 7, space: 64, values: (_, ticks, __, ___, step) => ticks.map((tick) => (step >= 86_400 ? day : hour).format(new Date(tick * 1000))) }, { ...axis, size: 52, space: 34, values: (_, ticks) => ticks.map((tick) => format(tick)) }],
      series: [{}, ...lines.map((line): uPlot.Series => ({
        label: line.name, stroke: token(line.color), width: 1.6, dash: line.dash, spanGaps: true, points: { show: line.values.filter((value) => value !== null).length < 3, size: 5, fill: token(line.color) },
      }))],
      hooks: { setCursor: [(self) => setHover(self.cursor.idx === null || self.cursor.idx === undefined || (self.cursor.left ?? -1) < 0 ? null : { index: alone ? 0 : self.cursor.idx, left: self.cursor.left ?? 0 })] },
    }, alone ? [[-ALONE, 0, ALONE].map((by) => at[0]! / 1000 + by), ...lines.map((line) => [null, line.values[0] ?? null, null])] : [at.map((time) => time / 1000), ...lines.map((line) => line.values)], element);
    const size = new ResizeObserver(() => plot.setSize({ width: Math.max(200, element.clientWidth), height: tall }));
    size.observe(element);
    return () => {
      size.disconnect();
      plot.destroy();
    };
  }, [at, lines, theme, tall]);
  const width = box.current?.clientWidth ?? 600;
  return (
    <div class="col">
      <div class="chart" role="img" aria-label={`${label}: ${lines.map((line) => `${line.name} ${format(line.values.findLast((value) => value !== null) ?? null)}`).join(", ")} at last`} ref={box}>
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

/** Round numbers, whose halves are round too. */
const ROUND = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

/** The next round number from `most` on; an even one where few things are counted. */
function roundUp(most: number): number {
  if (most < 10 && Number.isInteger(most)) return 2 * Math.ceil(most / 2);
  const power = 10 ** Math.floor(Math.log10(most));
  return ROUND.map((each) => each * power).find((each) => each >= most * 0.9999) ?? most;
}

/** Bars over time, one on top of the other. */
export function Stacked({ at, names, values, colors, format, label, pick, span, more = 0 }: {
  at: number[]; names: string[]; values: number[][]; colors: string[]; format: (value: number) => string; label: string;
  pick?: (name: string) => void;
  /** Narrows the page to one bucket of time. */
  span?: (from: number) => void;
  /** Pixels that it is taller than other charts. */
  more?: number;
}) {
  const tall = useTall() + more;
  const [over, setOver] = useState<number | null>(null);
  const sums = at.map((_, i) => values.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  const highest = Math.max(0, ...sums);
  const totals = names.map((each, s) => `${each} ${format(values[s]?.reduce((sum, value) => sum + value, 0) ?? 0)}`);
  const most = highest > 0 ? roundUp(highest) : 1;
  const each = 1000 / Math.max(1, at.length);
  const gap = Math.min(3, each * 0.2);
  const step = at.length > 1 ? at[1]! - at[0]! : 3_600_000;
  const name = (time: number) => (step >= 20_000_000 ? day : hour).format(new Date(time));
  return (
    <div class="col">
      <div class="chart" onMouseLeave={() => setOver(null)}>
        <div class="plot">
          <div class="scale" aria-hidden="true">{[1, 0.5].map((share) => <small style={{ top: `${100 * (1 - share)}%` }}>{highest > 0 ? format(most * share) : ""}</small>)}</div>
          <svg viewBox={`0 0 1000 ${tall}`} preserveAspectRatio="none" width="100%" height={tall} role="img" aria-label={`${label}: ${totals.join(", ")}`}>
            {[0.5, tall / 2, tall - 0.5].map((y) => <line x1="0" x2="1000" y1={y} y2={y} stroke="var(--line)" vector-effect="non-scaling-stroke" />)}
            {at.map((time, i) => {
              let y = tall;
              return (
                <g onMouseEnter={() => setOver(i)} onClick={() => span?.(time)} style={span && { cursor: "pointer" }}>
                  <rect x={i * each} y="0" width={each} height={tall} fill={over === i ? "var(--hover)" : "transparent"} />
                  {values.map((row, s) => {
                    const value = row[i] ?? 0;
                    if (value <= 0) return null;
                    const high = Math.max(1.5, (value / most) * tall);
                    y -= high;
                    return <rect x={i * each + gap / 2} y={y} width={Math.max(1, each - gap)} height={high} fill={colors[s]} />;
                  })}
                </g>
              );
            })}
          </svg>
        </div>
        <div class="row faint times"><small>{at[0] ? name(at[0]) : ""}</small><span class="grow" />{at.length > 6 && <small>{name(at[Math.floor(at.length / 2)]!)}</small>}<span class="grow" /><small>now</small></div>
        {over !== null && (
          <div class="tip" style={over > at.length / 2 ? { right: `${100 - (100 * over) / at.length}%`, top: "24px" } : { left: `${(100 * (over + 1)) / at.length}%`, top: "24px" }}>
            <div class="faint">{fullTime(at[over])}</div>
            {names.map((each, s) => (values[s]?.[over] ?? 0) > 0 && <div class="row"><span class="swatch" style={{ background: colors[s] }} />{each}<span class="grow" /><strong>{format(values[s]![over]!)}</strong></div>)}
            {sums[over] === 0 && <div>nothing</div>}
          </div>
        )}
      </div>
      <Legend items={names.map((each, i) => [each, colors[i] ?? "var(--s6)"])} pick={pick} />
    </div>
  );
}
