// Every way and every place in which a recorded stream can break, and what comes of it at the SDKs.
import { listen } from "./listeners.mjs";
import { soon } from "./stack.mjs";

const TEXT = "The naïve café in Kraków serves 12 crêpes for 30 € 🙂.";
const JSON_TEXT = '{"harbour": "Kraków", "boats": [12, {"name": "Zoë 🙂"}], "open": true}';
export const CALLS = [["look", { at: "the harbour" }], ["send", { to: "Zoë", times: 2 }]];
export const ANSWERS = {
  text: { text: TEXT },
  reasoning: { text: TEXT, reasoning: "They ask, so I say." },
  json: { text: JSON_TEXT },
  calls: { text: "I look and send.", "tool-calls": CALLS.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })) },
};

const ERRORS = {
  openai: { error: { message: "The server had an error", type: "server_error", code: null, param: null } },
  mistral: { object: "error", message: "Service unavailable", type: "internal_server_error", code: "3000" },
  anthropic: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  gemini: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
};
const ANYWHERE = ["cut", "reset", "ends", "silence"];
export const WAYS = [...ANYWHERE, "error-event", "malformed"];
export const HABITS = ["exactly", "repeating", "starting-over", "refusing-prefills"];

// A stream is silent for good; this is how long the gateway waits for it.
const PATIENCE = "1500ms";
// Streams that mostly wait cost nothing; more that work would only be in each other's way.
const AT_ONCE = { silent: 60, others: 8 };
// What a gateway says that is behind, as a cold one on a busy machine is, before it has asked anybody.
const BUSY = "more requests than it can answer";

export function config(folder, simulator) {
  const lines = [`store: { url: "${folder}/data" }`, "recording: { bodies: false }"];
  lines.push("recovery:", "  retry: { initial-delay: 0ms }", "  retry-budget: 100");
  // What must come of a break is the subject, not what is done about a provider that breaks always.
  lines.push("  breaker: { consecutive-failures: 1000000, of-at-least: 1000000 }");
  lines.push(`  timeouts: { idle: ${PATIENCE}, first-token: ${PATIENCE} }`, "providers:");
  for (const name of Object.keys(ERRORS)) {
    const base = `${simulator}/${name}${name === "openai" ? "/v1" : ""}`;
    lines.push(`  ${name}: { dialect: ${name}, base-url: "${base}", keys: ["k"] }`);
  }
  return lines.join("\n");
}

/** One stream that breaks: once, or at every attempt where it does so `always`. */
class Case {
  constructor(sdk, kind, model, way, at, habit, always) {
    Object.assign(this, { sdk, kind, model, way, at, habit, always });
  }

  script() {
    const answer = ANSWERS[this.kind];
    const at = { byte: this.at };
    const fault = this.way === "error-event" ? { "error-event": ERRORS[this.sdk.provider], at } : { [this.way]: at };
    const steps = this.always ? [{ answer, ...fault }] : [{ answer, ...fault }, { answer, times: 1000 }];
    return { script: steps, then: "repeat", continues: this.habit };
  }

  toString() {
    const { error, ...heard } = this.heard ?? {};
    const again = this.always ? "at every attempt" : `then ${this.habit}`;
    const told = `${JSON.stringify({ ...heard, ids: [...(heard.ids ?? [])] })} ${error ?? ""}`;
    return `${this.sdk.name}, ${this.kind}: ${this.way} after byte ${this.at}, ${again} (${this.model}): ${told}`;
  }
}

/** The gateway before the simulator, and the clients. Counts what came of all streams. */
export class Matrix {
  #simulator;
  #number = 0;
  #counts = {};

  constructor(stack) {
    this.#simulator = stack.simulator;
  }

  async #script(models) {
    await fetch(`${this.#simulator}/_sim`, { method: "DELETE" });
    const set = await fetch(`${this.#simulator}/_sim/script`, { method: "PUT", body: JSON.stringify({ models }) });
    if (!set.ok) throw new Error(await set.text());
  }

  /** A model of its own for each stream, of a family that takes prefills where there is one. */
  #model(sdk) {
    return sdk.family + String(++this.#number).padStart(6, "0");
  }

  /** What the provider sends when nothing goes wrong, byte for byte. */
  async #recorded(sdk, kind) {
    const model = this.#model(sdk);
    await this.#script({ [model]: { script: [{ answer: ANSWERS[kind], times: 9 }] } });
    await listen(sdk, model, kind);
    const log = await (await fetch(`${this.#simulator}/_sim/log?bodies=true&model=${model}`)).json();
    const { path, body } = log.requests.at(-1);
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.#simulator + path, { method: "POST", headers, body });
    return Buffer.from(await response.arrayBuffer());
  }

  async cases(sdk, kind, habits = HABITS, ways = WAYS, always = false) {
    const points = [0, ...boundaries(await this.#recorded(sdk, kind))];
    const cases = [];
    const add = (way, at, habit) => cases.push(new Case(sdk, kind, this.#model(sdk), way, at, habit, always));
    // The last point is the one behind the ending, where nothing can be missing any more.
    points.forEach((start, i) => {
      for (const habit of habits) {
        for (const way of ways) {
          add(way, start, habit);
          // What the client has is the same anywhere inside the event, and so is what follows.
          if (i + 1 < points.length && ANYWHERE.includes(way) && habit === habits[0] && !always) {
            add(way, Math.floor((start + points[i + 1]) / 2), habit);
          }
        }
      }
    });
    return cases;
  }

  /** Asks for all of them, and gives them back as they ended. */
  async run(cases) {
    await this.#script(Object.fromEntries(cases.map((each) => [each.model, each.script()])));
    const silent = cases.filter((each) => each.way === "silence").values();
    const others = cases.filter((each) => each.way !== "silence").values();
    const asker = async (queue) => {
      for (const each of queue) {
        each.heard = await listened(each);
        const count = (this.#counts[each.sdk.name] ??= { whole: 0, typed: 0 });
        count[each.heard.error ? "typed" : "whole"]++;
      }
    };
    const askers = (many, queue) => Array.from({ length: many }, () => asker(queue));
    await Promise.all([...askers(AT_ONCE.silent, silent), ...askers(AT_ONCE.others, others)]);
    return cases;
  }

  summary() {
    const sdks = Object.entries(this.#counts);
    const sum = (what) => sdks.reduce((all, [, count]) => all + count[what], 0);
    const said = sdks.map(([name, { whole, typed }]) => `${name} ${whole + typed} = ${whole} + ${typed}`);
    const [whole, typed] = [sum("whole"), sum("typed")];
    return `${whole + typed} broken streams = ${whole} whole answers + ${typed} typed errors (${said.join(", ")})`;
  }
}

/** What came of it, asked again where the gateway said to ask again shortly. */
async function listened(each) {
  for (const deadline = Date.now() + 120_000; ; await soon(200)) {
    const heard = await listen(each.sdk, each.model, each.kind).catch((e) => {
      throw new Error(`no error of the SDK's: ${e.stack}\n${each}`);
    });
    if (!String(heard.error).includes(BUSY) || Date.now() > deadline) return heard;
  }
}

/** The places right after each event. */
function boundaries(body) {
  return [...body.toString("latin1").matchAll(/\r?\n\r?\n/g)].map((end) => end.index + end[0].length);
}
