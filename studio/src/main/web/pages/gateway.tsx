import { post } from "../api";
import { bytes, count, ms } from "../format";
import { useApi } from "../hooks";
import { line } from "../text";
import { SelftestPanel } from "./selftest";
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

/** Whether the weights of a model's targets say anything: some differ. */
const weighted = (targets: (string | { weight?: number })[]) => new Set(targets.map((each) => (typeof each === "string" ? 1 : (each.weight ?? 1)))).size > 1;

function again(left: number | null): string {
  return left === null ? "" : left <= 0 ? ", the next call probes it" : `, next probe in ${ms(left)}`;
}

/** A row for each target, under its provider with the health of its keys. */
function Providers({ providers, reload }: { providers: Provider[]; reload: () => void }) {
  return (
    <div class="scroll"><table class="plain"><thead><tr><th>Provider and target</th><th>Health</th><th class="num">In flight</th><th class="num">Failed of the last</th><th class="num">Connections</th><th><span class="sr">Action</span></th></tr></thead>
      {providers.map((provider) => (
        <tbody>
          <tr>
            <td><strong>{provider.provider}</strong></td>
            <td class="health"><div class="row wrap">{provider.pool.map((key) => <Badge tone={TONES[key.state] ?? ""} title={Object.entries(key.resting_ms).map(([model, left]) => `${model}: ${ms(left)}`).join(", ")}>key {key.key} {WORDS[key.state] ?? key.state}{again(key.probe_ms)}</Badge>)}</div></td>
            <td /><td /><td class="num soft">{provider.connections_busy} busy, {provider.connections_idle} idle</td><td />
          </tr>
          {provider.targets.map((each) => (
            <tr>
              <td class="under"><Link class="link" href={`/calls?target=${encodeURIComponent(each.target)}`}>{each.target}</Link></td>
              <td><span class="row wrap"><span class={`dot ${TONES[each.state] ?? ""}`} /><span class={each.state === "closed" ? "soft" : ""}>{WORDS[each.state] ?? each.state}{again(each.next_probe_ms)}</span>{each.reason && <span class="faint">{line(each.reason, 160)}</span>}</span></td>
              <td class="num">{count(each.in_flight)}</td><td class="num">{each.requests === 0 ? <span class="faint">–</span> : `${count(each.failures)} of ${count(each.requests)}`}</td><td />
              <td class="num">{each.state !== "closed" && <Act tone="small" act={async () => { await post(`/api/breakers/${encodeURIComponent(each.target)}/reset`); reload(); }} done="Closed.">Reset</Act>}</td>
            </tr>
          ))}
          {provider.targets.length === 0 && <tr><td class="under soft">no call has gone there yet</td><td /><td /><td /><td /><td /></tr>}
        </tbody>
      ))}
    </table></div>
  );
}

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
          {(data.providers ?? []).length > 0 && <Panel title="Providers"><Providers providers={data.providers} reload={health.reload} /></Panel>}
          {(data.providers ?? []).length === 0 && <Panel flush><Empty title="No provider" code={"export OPENAI_API_KEY=…\n./mainstay serve"}>If a provider's usual key variable is set, Mainstay serves it without a configuration.</Empty></Panel>}
        </>
      )}</Show>
      <Show from={config}>{(data) => (
        <Panel title="Routes">{Object.keys(data.models ?? {}).length === 0 ? <p class="soft">The configuration names no models; clients request provider/model.</p> : (
          <div class="scroll"><table class="plain"><thead><tr><th>Model</th><th>Balance</th><th>Targets, in order</th></tr></thead><tbody>{Object.entries(data.models ?? {}).map(([name, model]) => (
            <tr><td><Link class="link" href={`/calls?model=${encodeURIComponent(name)}`}>{name}</Link></td><td class="soft">{model.balance ?? "order"}</td><td>{(model.targets ?? []).map((target, index) => <span>{index > 0 && <span class="faint"> → </span>}{typeof target === "string" ? target : target.target}{typeof target !== "string" && weighted(model.targets ?? []) && <span class="faint"> ×{target.weight}</span>}</span>)}</td></tr>
          ))}</tbody></table></div>
        )}</Panel>
      )}</Show>
      <SelftestPanel routes={Object.keys(config.data?.models ?? {})} />
    </>
  );
}
