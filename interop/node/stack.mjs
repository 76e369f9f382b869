// One simulator and one gateway for all tests, both started as a user would start them.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const faults = JSON.parse(readFileSync(join(root, "interop", "faults.json"), "utf8"));

// A spent quota sets a key aside and failures open a breaker: each test has providers of its own.
const ROUTES = 56;
const CROSSINGS = 6;
export const dialects = Object.keys(faults);
export const KEY = "sk-planted-0123456789abcdef";
export const PROMPT = "secret-prompt-4711";

export const soon = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function everyRoute(folder, simulator) {
  const lines = [`store: { url: "${folder}/data" }`];
  // Waits that a provider asks for are kept; Mainstay's own need not be as long as in service.
  lines.push("recovery: { retry: { initial-delay: 20ms } }", "providers:");
  const models = ["models:"];
  const route = (name, first, other) => {
    for (const [provider, dialect] of [[name, first], [`${name}b`, other]]) {
      // The simulator tells Mistral's requests by the first part of the path.
      const base = `${simulator}/${dialect}${dialect === "openai" ? "/v1" : ""}`;
      lines.push(`  ${provider}: { dialect: ${dialect}, base-url: "${base}", keys: ["${KEY}-${provider}"] }`);
    }
    const targets = `targets: [${name}/first-${name}, ${name}b/other-${name}]`;
    models.push(`  assistant-${name}: { ${targets} }`);
    models.push(`  erring-${name}: { ${targets}, recovery: { mid-stream: error } }`);
  };
  for (const dialect of dialects) {
    for (let n = 0; n < ROUTES; n++) route(`${dialect}${n}`, dialect, dialect);
    for (const client of dialects) {
      for (let n = 0; client !== dialect && n < CROSSINGS; n++) route(`${client}-via-${dialect}${n}`, dialect, client);
    }
  }
  return [...lines, ...models].join("\n");
}

/** A model of the gateway with two targets of its own, and the simulator behind them. */
class Route {
  constructor({ simulator, gateway }, dialect, name) {
    this.base = simulator;
    this.gateway = gateway;
    this.dialect = dialect;
    this.name = name;
    this.model = `assistant-${this.name}`;
    // The same targets, for tests of what is seen where nothing goes on from a break.
    this.erring = `erring-${this.name}`;
  }

  /** What a failure looks like at this dialect's provider. */
  fault(name) {
    return JSON.parse(JSON.stringify(faults[this.dialect][name]).replaceAll("${key}", `${KEY}-${this.name}`));
  }

  /** Sets the steps of the targets `first` and `other`; forgets what was received before. */
  async script(targets) {
    await fetch(`${this.base}/_sim`, { method: "DELETE" });
    const models = Object.fromEntries(Object.entries(targets).map(([name, steps]) => [`${name}-${this.name}`, steps]));
    const set = await fetch(`${this.base}/_sim/script`, { method: "PUT", body: JSON.stringify({ models }) });
    if (!set.ok) throw new Error(await set.text());
  }

  /** Both targets fail so, however often they are asked. */
  always(fault) {
    const step = { script: [fault], then: "repeat" };
    return this.script({ first: step, other: step });
  }

  async received() {
    return (await (await fetch(`${this.base}/_sim/log`)).json()).requests;
  }

  /** Which targets were asked, in order. */
  async asked() {
    return (await this.received()).map((request) => request.model.replace(`-${this.name}`, ""));
  }

  /** The request that its client left, and by how many milliseconds the machine was `late` meanwhile. */
  async untilLeft() {
    let late = 0;
    for (const began = Date.now(); ; await soon(20)) {
      const looked = Date.now();
      const left = (await this.received()).find((request) => request.client_left);
      await (await fetch(`${this.gateway}/health/live`)).text();
      late = Math.max(late, Date.now() - looked);
      if (left) return { ...left, late };
      if (Date.now() - began > 120_000) throw new Error("the provider went on working");
    }
  }
}

export class Stack {
  #processes = [];
  #numbers = {};

  /** `config`: makes the gateway's configuration of its folder and the simulator's URL. */
  static async start(config = everyRoute) {
    const stack = new Stack();
    stack.folder = mkdtempSync(join(tmpdir(), "mainstay-"));
    stack.simulator = await stack.#run("simulate");
    const file = join(stack.folder, "mainstay.yaml");
    writeFileSync(file, config(stack.folder, stack.simulator));
    stack.gateway = await stack.#run("serve", "--config", file);
    return stack;
  }

  /** The URL that it says it listens at, on a port of its own choice. */
  async #run(...args) {
    const log = join(this.folder, `${args[0]}.log`);
    const out = openSync(log, "w");
    const child = spawn(join(root, "mainstay"), [...args, "--port", "0"], { cwd: this.folder, stdio: ["ignore", out, out] });
    this.#processes.push(child);
    for (const began = Date.now(); ; await soon(50)) {
      const said = /ready on (\S+:\d+)\s/.exec(readFileSync(log, "utf8"));
      if (said) return said[1];
      if (child.exitCode !== null || Date.now() - began > 300_000) {
        throw new Error(`${args[0]} did not start:\n${readFileSync(log)}`);
      }
    }
  }

  route(dialect) {
    return new Route(this, dialect, this.#next(dialect));
  }

  /** A route whose first target speaks another dialect than its client, and the other the client's. */
  crossing(client, dialect) {
    return new Route(this, dialect, this.#next(`${client}-via-${dialect}`));
  }

  #next(prefix) {
    this.#numbers[prefix] ??= 0;
    return `${prefix}${this.#numbers[prefix]++}`;
  }

  /** All that the gateway has written. */
  output() {
    return readFileSync(join(this.folder, "serve.log"), "utf8");
  }

  async close() {
    for (const child of this.#processes) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    }
  }
}
