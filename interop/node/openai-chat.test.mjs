// The official OpenAI client for Node, changed by its base URL alone.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import OpenAI from "openai";

const root = join(import.meta.dirname, "..", "..");
const processes = [];
let simulator, client;

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function start(folder, name, args, url) {
  const log = join(folder, `${name}.log`);
  const out = openSync(log, "w");
  const child = spawn(join(root, "mainstay"), args, { cwd: folder, stdio: ["ignore", out, out] });
  processes.push(child);
  for (const began = Date.now(); ; ) {
    const up = await fetch(url).then((r) => r.ok, () => false);
    if (up) return;
    if (child.exitCode !== null || Date.now() - began > 120_000) throw new Error(`${url} did not come up:\n${readFileSync(log)}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-"));
  const [simulatorPort, gatewayPort] = [await freePort(), await freePort()];
  simulator = `http://127.0.0.1:${simulatorPort}`;
  writeFileSync(
    join(folder, "mainstay.yaml"),
    `server: { port: ${gatewayPort} }
store: { url: "${folder}/data" }
providers:
  main: { dialect: openai, base-url: "${simulator}/v1", keys: ["sk-main"] }
models:
${Array.from({ length: 20 }, (_, n) => `  assistant${n}: { targets: [main/first${n}, main/other${n}] }`).join("\n")}
`,
  );
  await start(folder, "simulate", ["simulate", "--port", `${simulatorPort}`], `${simulator}/_sim`);
  await start(folder, "serve", ["serve", "--config", join(folder, "mainstay.yaml")], `http://127.0.0.1:${gatewayPort}/health/ready`);
  client = new OpenAI({ baseURL: `http://127.0.0.1:${gatewayPort}/v1`, apiKey: "anything", timeout: 30_000 });
});

after(async () => {
  for (const child of processes) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }
});

// Failures open a target's breaker: each test has targets of its own.
let route = 0;

async function script(targets) {
  route += 1;
  question.model = `assistant${route}`;
  const models = Object.fromEntries(Object.entries(targets).map(([name, steps]) => [`${name}${route}`, steps]));
  await fetch(`${simulator}/_sim`, { method: "DELETE" });
  const set = await fetch(`${simulator}/_sim/script`, { method: "PUT", body: JSON.stringify({ models }) });
  assert.equal(set.status, 200, await set.text());
}

const received = async () => (await (await fetch(`${simulator}/_sim/log`)).json()).requests;
const question = { model: "", messages: [{ role: "user", content: "Say something." }] };

async function ask(stream) {
  if (!stream) return (await client.chat.completions.create(question)).choices[0].message.content;
  let text = "";
  for await (const chunk of await client.chat.completions.create({ ...question, stream: true })) text += chunk.choices[0]?.delta?.content ?? "";
  return text;
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  test(`an answer passes through, ${how}`, async () => {
    await script({ first: [{ answer: "Grüße, 世界 🌍" }] });
    assert.equal(await ask(stream), "Grüße, 世界 🌍");
  });

  test(`a reset is rescued, ${how}`, async () => {
    await script({ first: [{ reset: "before-headers" }, { answer: "Here it is." }] });
    assert.equal(await ask(stream), "Here it is.");
    assert.equal((await received()).length, 2);
  });

  test(`a permanent 400 costs one request and raises the typed error, ${how}`, async () => {
    const bad = { status: 400, body: { error: { message: "Missing required parameter: 'messages'.", type: "invalid_request_error", param: "messages", code: "missing_required_parameter" } } };
    await script({ first: { script: [bad], then: "repeat" } });
    await assert.rejects(ask(stream), (e) => e instanceof OpenAI.BadRequestError && e.code === "missing_required_parameter");
    assert.equal((await received()).length, 1);
  });
}

test("a stream cut after text raises", async () => {
  const cut = { script: [{ cut: 2 }], then: "repeat" };
  await script({ first: cut, other: cut });
  await assert.rejects(ask(true));
});

test("an aborted stream cancels the upstream request", async () => {
  await script({ first: [{ answer: "word ".repeat(200), drip: "50ms" }] });
  const stream = await client.chat.completions.create({ ...question, stream: true });
  for await (const _ of stream) break;
  for (const began = Date.now(); !(await received()).some((r) => r.client_left); ) {
    assert.ok(Date.now() - began < 10_000, "the provider went on working");
    await new Promise((r) => setTimeout(r, 20));
  }
});
