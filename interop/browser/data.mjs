// A gateway with something to look at: simulated providers that fail in every way, calls of two
// clients, runs with every kind of step. `node data.mjs [PORT]` keeps it up for a person.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MAINSTAY = process.env.MAINSTAY ?? join(dirname(fileURLToPath(import.meta.url)), "../../mainstay");

export const HOSTILE = [
  "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>",
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007 and \u202eright to left\u202c\u0000",
  "[link](javascript:window.hurt=1) {{7*7}} ${7*7}",
  "x".repeat(1_000_000),
].join("\n");

/** Starts a command of Mainstay and waits until it prints `ready`. */
function start(args, ready) {
  const child = spawn(MAINSTAY, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, MAINSTAY_NO_AOT: "1" } });
  const started = new Promise((done, failed) => {
    let text = "";
    const take = (data) => {
      text += data;
      const found = ready.exec(text);
      if (found) done(found[1]);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("exit", (code) => failed(new Error(`mainstay ${args[0]} ended with ${code}: ${text.slice(-2000)}`)));
  });
  return { child, started };
}

async function stopped(child) {
  if (child.exitCode !== null) return;
  const gone = new Promise((done) => child.on("exit", done));
  child.kill();
  await gone;
}

const tool = (name, args) => ({ name, arguments: JSON.stringify(args) });
const calls = (...list) => ({ answer: { "tool-calls": list } });

const SCRIPT = {
  models: {
    "agents/gpt-4.1": {
      script: [
        // A refund that is looked up, fails once on the way, waits for a person, and is done.
        { ...calls(tool("lookup", { order: "7" })), drip: "5ms" },
        "openai-server-error",
        { answer: { reasoning: "The order is there and was paid.", text: "I will refund order 7 now.", "tool-calls": [tool("refund", { order: "7", amount: 20 })] } },
        { answer: "Order 7 is refunded: 20 dollars.", drip: "5ms" },
        // One that waits for approval.
        calls(tool("refund", { order: "8", amount: 900 })),
        // One whose mail may have gone out or not.
        calls(tool("mail", { to: "ada@example.com", text: "Your refund is on its way." })),
        // One that says what no page must obey.
        calls(tool("lookup", { order: HOSTILE.slice(0, 300) })),
        { answer: HOSTILE },
      ],
    },
  },
};

const CONFIG = ({ simulator, tools, store, port }) => `
server: { port: ${port}, drain: 2s }
store: { url: ${store} }
providers:
  openai:    { dialect: openai, base-url: "${simulator}/openai/v1", keys: [key-1, key-2], proxy: none }
  backup:    { dialect: openai, base-url: "${simulator}/backup/v1", keys: [key-3], vendor: openai, proxy: none }
  anthropic: { dialect: anthropic, base-url: "${simulator}/anthropic", keys: [key-4], proxy: none }
  gemini:    { dialect: gemini, base-url: "${simulator}/gemini", keys: [key-5], proxy: none }
  agents:    { dialect: openai, base-url: "${simulator}/agents/v1", keys: [key-6], vendor: openai, proxy: none }
models:
  assistant: { targets: [openai/gpt-4o, backup/gpt-4o] }
  writer:    { targets: [anthropic/claude-sonnet-4-5, openai/gpt-4o] }
  quick:     { targets: [gemini/gemini-2.5-flash, openai/gpt-4o-mini] }
  # Its script is told step by step: an attempt that a slow machine ended would take another's step.
  careful:   { targets: [agents/gpt-4.1], recovery: { timeouts: { headers: 1m, first-token: 1m, idle: 1m } } }
recovery:
  timeouts: { connect: 3s, headers: 1s, first-token: 1s, idle: 1s }
  retry: { initial-delay: 40ms, max-delay: 300ms }
clients:
  - { name: checkout, key: checkout-key, budget: { usd: 5, per: day, reserve: 100 } }
  - { name: support, key: support-key }
agents:
  refunds:
    model: careful
    instructions: "You handle refunds."
    tools:
      - { name: lookup, description: "Looks an order up.", parameters: { type: object }, http: { method: POST, url: "${tools}/lookup" }, effect: read }
      - { name: refund, description: "Pays money back.", parameters: { type: object }, http: { method: POST, url: "${tools}/refund" }, effect: idempotent, approval: { when: /amount, above: 50 } }
      - { name: mail, description: "Sends a mail.", parameters: { type: object }, http: { method: POST, url: "${tools}/mail" }, effect: unsafe }
`;

/** What the agent's tools do: a mail's connection is cut when it may have gone out already. */
function toolServer() {
  return createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.url === "/mail") request.socket.destroy();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(request.url === "/lookup" ? { order: 7, paid: 20, customer: "Ada" } : { refunded: true }));
    });
  });
}

export async function listening(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${server.address().port}`;
}

async function until(what, check, patience = 120_000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen in ${patience} ms`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const QUESTIONS = ["Summarise the incident of last night.", "Translate this sentence into French.", "Write a haiku about retries.", "Is this order fraudulent?", "Name three ports in Portugal."];

/** A gateway without providers, for what is not about calls. */
export class Gateway {
  async start(config, store) {
    this.folder = mkdtempSync(join(tmpdir(), "mainstay-studio-"));
    const file = join(this.folder, "mainstay.yaml");
    writeFileSync(file, `store: { url: ${JSON.stringify(store ?? join(this.folder, "data"))} }\nproviders: { none: { dialect: openai, base-url: "http://127.0.0.1:9/v1", keys: [k], proxy: none } }\n${config}\n`);
    const gateway = start(["serve", "--config", file, "--port", "0"], /(http:\/\/127\.0\.0\.1:\d+)/);
    this.process = gateway.child;
    this.url = await gateway.started;
    await until("a healthy gateway", () => fetch(`${this.url}/health/ready`).then((answer) => answer.ok, () => false));
  }

  async close() {
    if (this.process) await stopped(this.process);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Studio {
  /** Over the ledger in `store`; without one, over an empty one. */
  async start(port = 0, store = undefined) {
    this.folder = mkdtempSync(join(tmpdir(), "mainstay-studio-"));
    this.tools = toolServer();
    const simulator = start(["simulate", "--port", "0"], /ready on (http:\S+?)(?:\u001b|\s)/);
    this.simulator = simulator.child;
    this.providers = await simulator.started;
    const file = join(this.folder, "mainstay.yaml");
    writeFileSync(file, CONFIG({ simulator: this.providers, tools: await listening(this.tools), store: store ?? join(this.folder, "data"), port }));
    this.file = file;
    await this.serve(port);
  }

  async serve(port) {
    const gateway = start(["serve", "--config", this.file, "--port", String(port)], /(http:\/\/127\.0\.0\.1:\d+)/);
    this.gateway = gateway.child;
    this.url = await gateway.started;
    await until("a healthy gateway", () => fetch(`${this.url}/health/ready`).then((answer) => answer.ok, () => false));
  }

  async play(script) {
    const answer = await fetch(`${this.providers}/_sim/script`, { method: "PUT", body: JSON.stringify(script) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async ask(model, { stream = false, client = "support", content = QUESTIONS[0], keep = false, run } = {}) {
    const answer = await fetch(`${this.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${client}-key`, ...(keep ? { "x-mainstay-keep": "on" } : {}), ...(run ? { "x-mainstay-run": run } : {}) },
      body: JSON.stringify({ model, stream, messages: [{ role: "system", content: "You answer in one sentence." }, { role: "user", content }] }),
    });
    await answer.text();
    return answer.headers.get("x-mainstay-call");
  }

  async post(path, body) {
    const answer = await fetch(this.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  }

  async get(path) {
    return (await fetch(this.url + path)).json();
  }

  /** A call of each kind of failure, calls that go well, a run of each ending. */
  async fill() {
    await this.play({ models: { "openai/gpt-4o": [{ reset: 9, answer: "A mainstay is the rope that keeps the mast from falling, whatever the wind does.", drip: "20ms" }, { answer: " from falling, whatever the wind does.", drip: "20ms" }] } });
    this.recovered = await this.ask("assistant", { stream: true, content: "What is a mainstay?" });
    await this.play({ models: { "openai/gpt-4o": [{ answer: HOSTILE }] } });
    this.hostile = await this.ask("assistant", { content: HOSTILE.slice(0, 600) });
    const { faults } = await fetch(`${this.providers}/_sim/faults`).then(async (answer) => ({ faults: await answer.json() }));
    const list = Array.isArray(faults) ? faults : (faults.faults ?? Object.entries(faults).map(([name, each]) => ({ name, ...each })));
    const names = list.map((each) => each.name);
    const dialect = (name) => (/anthropic|claude/.test(name) ? "writer" : /gemini|vertex/.test(name) ? "quick" : "assistant");
    const model = { writer: "anthropic/claude-sonnet-4-5", quick: "gemini/gemini-2.5-flash", assistant: "openai/gpt-4o" };
    let n = 0;
    for (const name of names) {
      const asked = dialect(name);
      await this.play({ models: { [model[asked]]: [name] } });
      await Promise.all([
        this.ask(asked, { stream: n % 2 === 0, client: n % 3 ? "support" : "checkout", content: QUESTIONS[n % 5] }),
        ...(n % 2 ? [this.ask("quick", { content: QUESTIONS[(n + 1) % 5] })] : []),
      ]);
      n++;
    }
    await this.play({ models: { "openai/gpt-4o": [{ fault: "openai-server-error", times: 50 }], "backup/gpt-4o": [{ fault: "openai-server-error", times: 50 }] } });
    this.lost = await this.ask("assistant", { client: "checkout", content: "This one is lost for now.", keep: true });
    await this.play(SCRIPT);
    this.runs = {};
    for (const [name, input, status] of [["done", "Refund order 7.", "completed"], ["waiting", "Refund order 8.", "waiting"], ["doubt", "Tell Ada.", "in_doubt"], ["hostile", "Look at this order.", "completed"]]) {
      const made = await this.post("/api/runs", { agent: "refunds", input });
      this.runs[name] = made.body.run;
      await until(`the run ${name} being ${status}`, async () => (await this.get(`/api/runs/${made.body.run}`)).status === status);
    }
    this.runs.client = "nightly-report";
    for (const content of ["What went wrong last night?", "Did a customer notice any of it?"]) await this.ask("quick", { content, run: this.runs.client });
    await this.post("/api/evaluations", { run: this.runs.done, metrics: { correct: 1, tone: 0.8 }, note: "as it should be", by: "ada" }).catch(() => undefined);
  }

  async close() {
    if (this.gateway) await stopped(this.gateway);
    if (this.simulator) await stopped(this.simulator);
    this.tools?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const studio = new Studio();
  await studio.start(Number(process.argv[2] ?? 0));
  console.log(studio.url);
  await studio.fill();
  console.log(JSON.stringify({ runs: studio.runs, lost: studio.lost, recovered: studio.recovered, hostile: studio.hostile }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => studio.close().then(() => process.exit(0)));
}
