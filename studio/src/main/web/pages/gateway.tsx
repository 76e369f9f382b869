import { post } from "../api";
import { bytes, count, ms } from "../format";
import { useApi } from "../hooks";
import { line } from "../text";
import { Act, Badge, Empty, Facts, Link, Panel, Show, type Tone } from "../ui";

interface Key { key: number; state: string; probe_ms: number | null; resting_ms: Record<string, number> }
interface Target { target: string; state: string; reason: string; next_probe_ms: number | null; consecutive_failures: number; requests: number; failures: number; in_flight: number }
interface Provider { provider: string; keys: number; keys_set_aside: number; connections_busy: number; connections_idle: number; pool: Key[]; targets: Target[] }
interface Health {
  status: string; calls: number; providers: Provider[]; version?: string; level?: number | { level?: number; reason?: string };
  memory?: { limit_bytes: number; used_bytes: number };
  ledger?: { ok: boolean; trouble: string | null; written: number; waiting: number; dropped_calls: number; dropped_bodies: number };
  state?: { ok: boolean; trouble: string | null; kept?: { bytes: number; max_bytes: number } };
}
interface ConfigJson { models?: Record<string, { targets?: (string | { target: string; weight?: number })[]; balance?: string }> }

const TONES: Record<string, Tone> = { closed: "good", half_open: "warn", open: "bad", ready: "good", resting: "warn", set_aside: "bad" };
const WORDS: Record<string, string> = { closed: "serves", half_open: "being tried", open: "out", ready: "ready", resting: "resting", set_aside: "set aside" };

export function GatewayPage() {
  const health = useApi<Health>("/health", 3000);
  const config = useApi<ConfigJson>("/api/config");
  return (
    <>
      <div class="head"><h1>Gateway</h1></div>
      <Show from={health}>{(data) => (
        <>
          <Panel><Facts facts={[
            ["Status", <Badge tone={data.status === "ready" ? "good" : "warn"}>{data.status}</Badge>], ["Calls under way", count(data.calls)], ["Version", data.version],
            ["Memory", data.memory && `${bytes(data.memory.used_bytes)} of ${bytes(data.memory.limit_bytes)}`],
            ["Ledger", data.ledger && (data.ledger.ok ? `${count(data.ledger.written)} written, ${count(data.ledger.waiting)} waiting` : <span class="bad">{data.ledger.trouble}</span>)],
            ["Dropped", data.ledger && `${count(data.ledger.dropped_calls)} calls, ${count(data.ledger.dropped_bodies)} bodies`],
            ["Store", data.state && (data.state.ok ? "well" : <span class="bad">{data.state.trouble}</span>)],
            ["Kept calls", data.state?.kept && `${bytes(data.state.kept.bytes)} of ${bytes(data.state.kept.max_bytes)}`],
          ]} /></Panel>
          <div class="grid2">{(data.providers ?? []).map((provider) => (
            <Panel title={provider.provider} side={<span class="faint">{provider.connections_busy} busy, {provider.connections_idle} idle connections</span>}>
              <div class="col gap16">
                <div class="row wrap">{provider.pool.map((key) => <Badge tone={TONES[key.state] ?? ""} title={Object.entries(key.resting_ms).map(([model, left]) => `${model}: ${ms(left)}`).join(", ")}>key {key.key} {WORDS[key.state] ?? key.state}{key.probe_ms !== null ? `, tried again in ${ms(key.probe_ms)}` : ""}</Badge>)}</div>
                {provider.targets.length === 0 ? <p class="soft">No call has gone there yet.</p> : (
                  <div class="scroll"><table class="plain"><thead><tr><th>Target</th><th>Breaker</th><th class="num">In flight</th><th class="num">Failed, of</th><th><span class="sr">Action</span></th></tr></thead><tbody>{provider.targets.map((each) => (
                    <tr><td><Link class="link" href={`/calls?target=${encodeURIComponent(each.target)}`}>{each.target}</Link>{each.reason && <div class="faint">{line(each.reason, 160)}</div>}</td><td class="nowrap"><Badge tone={TONES[each.state] ?? ""}>{WORDS[each.state] ?? each.state}</Badge>{each.next_probe_ms !== null && <div class="faint">tried in {ms(each.next_probe_ms)}</div>}</td><td class="num">{each.in_flight}</td><td class="num">{each.failures} of {each.requests}</td>
                      <td class="num">{each.state !== "closed" && <Act tone="small" act={async () => { await post(`/api/breakers/${encodeURIComponent(each.target)}/reset`); health.reload(); }} done="Closed.">Reset</Act>}</td></tr>
                  ))}</tbody></table></div>
                )}
              </div>
            </Panel>
          ))}</div>
          {(data.providers ?? []).length === 0 && <Panel flush><Empty title="No provider" code={"export OPENAI_API_KEY=…\n./mainstay serve"}>A provider whose usual key variable is set is there without a configuration.</Empty></Panel>}
        </>
      )}</Show>
      <Show from={config}>{(data) => (
        <Panel title="Routes">{Object.keys(data.models ?? {}).length === 0 ? <p class="soft">No model is named in the configuration: clients ask for provider/model.</p> : (
          <div class="scroll"><table class="plain"><thead><tr><th>Model</th><th>Balance</th><th>Targets, in order</th></tr></thead><tbody>{Object.entries(data.models ?? {}).map(([name, model]) => (
            <tr><td><Link class="link" href={`/calls?model=${encodeURIComponent(name)}`}>{name}</Link></td><td class="soft">{model.balance ?? "order"}</td><td>{(model.targets ?? []).map((target, index) => <span>{index > 0 && <span class="faint"> → </span>}{typeof target === "string" ? target : `${target.target}${target.weight ? ` (${target.weight})` : ""}`}</span>)}</td></tr>
          ))}</tbody></table></div>
        )}</Panel>
      )}</Show>
      <Panel title="Which faults do these routes survive?"><div class="col"><p class="soft">The self-test plays the fault catalogue against your own routes, with every provider replaced by a simulated one. It costs nothing and needs no key.</p><pre class="code" tabIndex={0}>./mainstay selftest --config mainstay.yaml --require rescued</pre></div></Panel>
    </>
  );
}
