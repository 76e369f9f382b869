import { useMemo, useState } from "preact/hooks";
import { post, url } from "../api";
import { usd } from "../format";
import { go, useApi, useParameter } from "../hooks";
import { Act, Ago, Empty, Link, Panel, Show } from "../ui";
import type { Runs } from "../types";
import { FIRST_RUN } from "./runs";
import { RunBadge } from "./shared";

interface ConfigJson { agents?: Record<string, { model?: string; instructions?: unknown; tools?: { name: string }[]; "max-turns"?: number }> }

/** What `agents:` may hold, whichever way it is written. */
export function agentsOf(config: ConfigJson): { name: string; model: string; tools: string[] }[] {
  return Object.entries(config.agents ?? {}).map(([name, each]) => ({ name, model: each.model ?? "", tools: (Array.isArray(each.tools) ? each.tools : []).map((tool) => tool.name) }));
}

export function StartPage() {
  const config = useApi<ConfigJson>("/api/config");
  return (
    <>
      <div class="head"><h1>Run an agent</h1></div>
      <Show from={config}>{(data) => {
        const agents = agentsOf(data);
        return agents.length === 0 ? (
          <Panel flush><Empty title="No agent is declared" code={"agents:\n  refunds: { model: assistant, instructions: \"You handle refunds.\",\n    tools: [{ name: refund, description: \"Pay money back.\", parameters: { type: object }, http: { method: POST, url: \"http://127.0.0.1:9100/effect\" }, effect: idempotent }] }"}>Add one to the configuration; it is reloaded when the file changes.</Empty></Panel>
        ) : <Form agents={agents} />;
      }}</Show>
    </>
  );
}

/** What the agent did lately: the way back to a run, and an input to begin from. */
function Latest({ agent }: { agent: string }) {
  const runs = useApi<Runs>(url("/api/runs", { agent, limit: 12 }), 5000);
  return (
    <Panel title={`Latest runs of ${agent}`} side={<Link class="link" href={`/runs?agent=${encodeURIComponent(agent)}`}>All</Link>}>
      <Show from={runs}>{(data) => data.runs.length === 0 ? <p class="soft">None yet.</p> : (
        <div class="col gap4">{data.runs.map((run) => <Link class="row latest" href={`/runs/${encodeURIComponent(run.run)}`}><RunBadge status={run.status} /><span class="id cut">{run.run}</span><span class="grow" /><span class="soft nowrap">{usd(typeof run.cost_usd === "number" ? run.cost_usd : null)}</span><span class="faint nowrap"><Ago at={run.accepted_at} /></span></Link>)}</div>
      )}</Show>
    </Panel>
  );
}

function Form({ agents }: { agents: { name: string; model: string; tools: string[] }[] }) {
  const [agent, setAgent] = useParameter("agent", agents[0]?.name ?? "");
  const [input, setInput] = useState("");
  const [session, setSession] = useState("");
  const [priority, setPriority] = useState("0");
  // One key for each thing that is asked: a second press starts no second run.
  const key = useMemo(() => crypto.randomUUID(), [agent, input, session]);
  const chosen = agents.find((each) => each.name === agent);
  const body = { agent, input, priority: Number(priority), ...(session ? { session } : {}) };
  const start = async () => {
    const made = await post<{ run: string }>("/api/runs", body, key);
    go(`/runs/${encodeURIComponent(made.run)}`);
  };
  return (
    <div class="grid2">
    <Panel>
      <form class="col gap16" onSubmit={(event) => event.preventDefault()}>
        <label class="field">Agent<select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>{agents.map((each) => <option>{each.name}</option>)}</select></label>
        {chosen && <p class="soft">Model {chosen.model || "by default"}{chosen.tools.length > 0 ? `, tools ${chosen.tools.join(", ")}` : ", no tools"}.</p>}
        <label class="field">Input<textarea rows={6} value={input} placeholder="What the agent is to do" onInput={(event) => setInput(event.currentTarget.value)} /></label>
        <div class="row wrap">
          <label class="field grow">Session, to continue from its last run<input value={session} onInput={(event) => setSession(event.currentTarget.value)} /></label>
          <label class="field">Priority<select value={priority} onChange={(event) => setPriority(event.currentTarget.value)}>{Array.from({ length: 10 }, (_, i) => <option>{i}</option>)}</select></label>
        </div>
        <div class="row"><Act tone="first" act={start} done="Started.">Run and watch</Act></div>
        <details><summary>The same from a terminal</summary><pre class="code" tabIndex={0}>{input ? `./mainstay run ${agent} ${JSON.stringify(input)}` : FIRST_RUN}</pre></details>
      </form>
    </Panel>
    <Latest agent={agent} />
    </div>
  );
}
