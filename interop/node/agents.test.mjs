// An agent of Vercel's AI SDK: one header makes its calls a run that Mainstay shows.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";
import { Stack, soon } from "./stack.mjs";

let stack;
before(async () => (stack = await Stack.start()));
after(() => stack.close());

const refund = tool({
  description: "Pays money back.",
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => `order ${order} is refunded`,
});

const agent = (model, run) =>
  generateText({
    model: createOpenAI({ baseURL: `${stack.gateway}/v1`, apiKey: "none", headers: { "x-mainstay-run": run } }).chat(model),
    system: "You handle refunds.",
    prompt: "Refund order 7.",
    tools: { refund },
    stopWhen: stepCountIs(5),
  });

async function shown(run, steps) {
  for (let i = 0; i < 2400; i++) {
    const seen = await (await fetch(`${stack.gateway}/api/runs/${run}`)).json();
    if (seen.steps >= steps) return seen;
    await soon(50);
  }
  assert.fail("the run is not on record");
}

test("an agent of the AI SDK is a run", async () => {
  const route = stack.route("openai");
  await route.script({
    first: [
      { answer: { "tool-calls": [{ name: "refund", arguments: '{"order":"7"}' }] } },
      { answer: "Order 7 is refunded." },
    ],
  });
  const run = `node-${randomUUID()}`;
  assert.equal((await agent(route.model, run)).text, "Order 7 is refunded.");
  const told = await fetch(`${stack.gateway}/api/runs/${run}/events`, {
    method: "POST",
    body: JSON.stringify({ type: "end", id: "end", status: "completed" }),
  });
  assert.equal(told.status, 202);
  const seen = await shown(run, 3);
  assert.deepEqual([seen.kind, seen.status, seen.turns], ["client", "completed", 2]);
  assert.deepEqual(seen.transcript.map((message) => message.role), ["system", "user", "assistant", "tool", "assistant"]);
  const [call] = seen.tool_calls;
  assert.deepEqual([call.name, call.arguments, call.result], ["refund", { order: "7" }, "order 7 is refunded"]);
  assert.equal(seen.output, "Order 7 is refunded.");
});
