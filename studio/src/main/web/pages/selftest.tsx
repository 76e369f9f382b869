// Which faults the routes survive: the self-test, started and shown here.

import { useState } from "preact/hooks";
import { post } from "../api";
import { ms, plural } from "../format";
import { useApi } from "../hooks";
import { line } from "../text";
import { Act, Ago, Badge, Facts, Panel, Problem, type Tone } from "../ui";

interface Outcome { route: string; fault: string; kind: string; lasting: boolean; result: string; status: number | null; error: string | null; attempts: number; took_ms: number; protect: string | null }

interface Selftest {
  state: "none" | "running" | "done" | "failed";
  started_at?: string; ended_at?: string | null; by?: string; trials?: number; done?: number; error?: string | null;
  results?: Record<string, number>; outcomes?: Outcome[];
}

const TONES: Record<string, Tone> = { rescued: "good", failed_cleanly: "", not_protected: "warn", wrong: "bad" };
/** Nothing is left to do about these: the answer came, or no setting could have brought it. */
const FINE = ["rescued", "failed_cleanly"];
const COMMAND = "./mainstay selftest --config mainstay.yaml --require rescued";

export function SelftestPanel({ routes }: { routes: string[] }) {
  const [busy, setBusy] = useState(false);
  const last = useApi<Selftest>("/api/selftest", busy ? 1000 : 15_000);
  const running = last.data?.state === "running";
  if (running !== busy && last.data) setBusy(running);
  const [route, setRoute] = useState("");
  const [lasting, setLasting] = useState(false);
  const start = async () => {
    await post("/api/selftest", { ...(route ? { route } : {}), ...(lasting ? { lasting } : {}) });
    last.reload();
  };
  return (
    <Panel title="Which faults do these routes survive?" side={last.data?.started_at && <span class="faint">last by {line(last.data.by ?? "", 40)}, <Ago at={last.data.started_at} /></span>}>
      <div class="col gap16">
        <div class="row wrap">
          <span class="soft grow">Tries the fault catalogue on these routes, with simulated providers. It costs nothing and needs no key.</span>
          <select aria-label="Route" value={route} onChange={(event) => setRoute(event.currentTarget.value)}><option value="">Every route</option>{routes.map((each) => <option value={each}>{each}</option>)}</select>
          <label class="row"><input type="checkbox" checked={lasting} onChange={(event) => setLasting(event.currentTarget.checked)} />lasting faults, too</label>
          {running ? <button class="btn" disabled>Running…</button> : <Act tone="first" act={start} done="The self-test has begun.">Run the self-test</Act>}
        </div>
        {last.error && (last.error.status === 404 ? <pre class="code" tabIndex={0}>{COMMAND}</pre> : <Problem error={last.error} retry={last.reload} />)}
        {last.data && last.data.state !== "none" && <Result of={last.data} />}
        {last.data?.state === "none" && <p class="soft">It has not run since this gateway started. In the terminal and in CI: <code>{COMMAND}</code></p>}
      </div>
    </Panel>
  );
}

function Result({ of }: { of: Selftest }) {
  const outcomes = of.outcomes ?? [];
  const routes = [...new Set(outcomes.map((each) => each.route))];
  const faults = [...new Map(outcomes.map((each) => [`${each.fault}${each.lasting ? ", lasting" : ""}`, each])).entries()];
  const cells = new Map(outcomes.map((each) => [`${each.route} ${each.fault}${each.lasting ? ", lasting" : ""}`, each]));
  const [open, setOpen] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const bad = faults.filter(([name]) => routes.some((route) => !FINE.includes(cells.get(`${route} ${name}`)?.result ?? "rescued")));
  const shown = all ? faults : bad;
  const chosen = open === null ? undefined : cells.get(open);
  return (
    <div class="col gap16">
      {of.state === "running" && <div class="meter" role="progressbar" aria-label="Self-test" aria-valuenow={of.done ?? 0} aria-valuemax={of.trials ?? 0}><div style={{ width: `${(100 * (of.done ?? 0)) / Math.max(1, of.trials ?? 1)}%` }} /></div>}
      {of.error && <p class="bad" role="alert">{line(of.error, 600)}</p>}
      <div class="row wrap">
        <span>{of.done} of {plural(of.trials ?? 0, "trial")}</span>
        {Object.entries(of.results ?? {}).map(([result, times]) => <Badge tone={TONES[result] ?? "bad"}>{result.replaceAll("_", " ")} {times}</Badge>)}
        <span class="grow" />
        {bad.length < faults.length && <button class="btn small" aria-pressed={all} onClick={() => setAll(!all)}>{all ? "Only faults that a setting would rescue" : `All of ${plural(faults.length, "fault")}`}</button>}
      </div>
      {shown.length > 0 && (
        <div class="scroll"><table class="plain"><thead><tr><th>Fault</th><th>Kind</th>{routes.map((route) => <th>{line(route, 30)}</th>)}</tr></thead><tbody>
          {shown.map(([name, first]) => (
            <tr><td class="nowrap">{name}</td><td class="nowrap soft">{first.kind?.replaceAll("_", " ")}</td>{routes.map((route) => {
              const key = `${route} ${name}`;
              const cell = cells.get(key);
              return <td>{cell ? <button class="plain" aria-expanded={open === key} onClick={() => setOpen(open === key ? null : key)}><Badge tone={TONES[cell.result] ?? "bad"}>{cell.result.replaceAll("_", " ")}</Badge></button> : <span class="faint">–</span>}</td>;
            })}</tr>
          ))}
        </tbody></table></div>
      )}
      {of.state === "done" && bad.length === 0 && <p class="good">Every route survives every fault that a route can survive. The other faults end in a clean error.</p>}
      {chosen && (
        <div class="ask"><strong>{chosen.fault} at {chosen.route}: {chosen.result.replaceAll("_", " ")}</strong>
          <Facts facts={[["Status", chosen.status ?? "–"], ["Attempts", chosen.attempts], ["Took", ms(chosen.took_ms)], ["What the client saw", line(chosen.error ?? "an answer", 300)]]} />
          {chosen.protect && <span>{line(chosen.protect, 600)}</span>}
        </div>
      )}
    </div>
  );
}
