// What must come of each failure, the same for every SDK.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { all, TOOL } from "./sdks.mjs";
import { dialects, KEY, PROMPT, soon, Stack } from "./stack.mjs";

let stack;
before(async () => void (stack = await Stack.start()));
after(() => stack?.close());

const ANY = ["html-502", "connection-reset", "reset-after-headers", "empty-stream"];
const RESCUED = ["rate-limit", "server-error", "error-in-200", ...ANY];
const BREAKS = [{ cut: 2 }, { reset: 2 }, { ends: 2 }, { "cut-inside": "json" }];

/** What `promise` raises. */
const raised = (promise) => promise.then((answer) => assert.fail(`nothing was raised: ${JSON.stringify(answer)}`), (e) => e);

for (const make of all) {
  const { name, dialect } = make("http://127.0.0.1");

  describe(name, () => {
    let sdk, route;
    const scenario = (title, body) =>
      test(title, async () => {
        sdk ??= make(stack.gateway);
        route = stack.route(dialect);
        await body();
      });

    const others = dialects.filter((each) => each !== dialect);

    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "whole";

      scenario(`an answer passes through, ${how}`, async () => {
        await route.script({ first: [{ answer: "Grüße, 世界 🌍" }] });
        assert.deepEqual(await sdk.ask(route.model, stream), { text: "Grüße, 世界 🌍", calls: [], ended: true });
        assert.deepEqual(await route.asked(), ["first"]);
      });

      scenario(`a long answer arrives whole though it is compressed, ${how}`, async () => {
        const text = "Grüße, 世界 🌍 ".repeat(2000);
        await route.script({ first: [{ answer: text }] });
        assert.equal((await sdk.ask(route.model, stream)).text, text);
      });

      scenario(`a tool call arrives once and whole, ${how}`, async () => {
        const call = { "tool-calls": [{ name: "${tool}", arguments: '{"city":"Oslo"}' }] };
        await route.script({ first: [{ answer: call }] });
        assert.deepEqual((await sdk.ask(route.model, stream, true)).calls, [[TOOL, { city: "Oslo" }]]);
      });

      scenario(`what passes is rescued, ${how}`, async () => {
        for (const fault of RESCUED) {
          await route.script({ first: [ANY.includes(fault) ? fault : route.fault(fault), { answer: "Here it is." }], other: [{ answer: "Here it is." }] });
          const said = await sdk.ask(route.model, stream);
          assert.deepEqual([said.text, said.ended], ["Here it is.", true], fault);
          assert.equal((await route.received()).length, 2, fault);
        }
      });

      scenario(`a spent quota goes to the next target without a second try, ${how}`, async () => {
        await route.script({ first: { script: [route.fault("spent")], then: "repeat" }, other: [{ answer: "From the other." }] });
        assert.equal((await sdk.ask(route.model, stream)).text, "From the other.");
        assert.deepEqual(await route.asked(), ["first", "other"]);
      });

      scenario(`a permanent 400 costs one request and raises the typed error, ${how}`, async () => {
        const bad = route.fault("bad-request");
        await route.script({ first: { script: [bad], then: "repeat" }, other: [{ answer: "must not be asked" }] });
        const error = await raised(sdk.ask(route.model, stream));
        assert.ok(error instanceof sdk.errors[400], error);
        const [status, headers, text] = sdk.facts(error);
        assert.equal(status, 400);
        if (headers) assert.equal(headers.get("x-should-retry"), "false");
        assert.ok(text.includes((bad.body.error ?? bad.body).message), text);
        assert.deepEqual(await route.asked(), ["first"]);
      });

      scenario(`a refused key raises the typed error and does not show it, ${how}`, async () => {
        await route.always(route.fault("bad-key"));
        const error = await raised(sdk.ask(route.model, stream));
        assert.ok(error instanceof sdk.errors[401], error);
        const [status, headers, text] = sdk.facts(error);
        assert.equal(status, 401);
        if (headers) assert.equal(headers.get("x-should-retry"), "false");
        assert.ok(!`${text} ${error.message} ${JSON.stringify([...(headers ?? [])])}`.includes(KEY));
        assert.deepEqual(await route.asked(), ["first", "other"]);
      });

      scenario(`a limit nobody can wait for comes back at once with its wait, ${how}`, async () => {
        await route.always(route.fault("half-an-hour"));
        const began = Date.now();
        const error = await raised(sdk.ask(route.model, stream));
        assert.ok(Date.now() - began < 60_000, "waited although it could not help");
        assert.ok(error instanceof sdk.errors[429], error);
        const [status, headers] = sdk.facts(error);
        assert.equal(status, 429);
        if (headers) assert.ok(Number(headers.get("retry-after")) >= 1700);
        assert.deepEqual(await route.asked(), ["first", "other"]);
      });

      scenario(`an abort cancels the upstream request, ${how}`, async () => {
        await route.script({ first: [{ answer: "word ".repeat(400), ...(stream ? { drip: "50ms" } : { silence: "after-headers" }) }] });
        const abort = new AbortController();
        let left;
        const leave = () => {
          left ??= Date.now();
          abort.abort();
        };
        const asked = stream
          ? sdk.begin(route.model, abort.signal).then(async (events) => {
              for await (const _ of events) leave();
            })
          : sdk.whole(route.model, abort.signal);
        if (!stream) {
          while ((await route.received()).length === 0) await soon(10);
          leave();
        }
        await asked.catch(() => {});
        const request = await route.untilLeft();
        const ended = Date.parse(request.at) + request.millis;
        // The SDK leaves, the gateway gives up on its coming back, the provider sees that: each as late as the machine is.
        assert.ok(ended - left < sdk.patience + 500 + 3 * request.late, `${ended - left} ms, ${request.late} ms late`);
      });
    }

    for (const stream of [false, true]) {
      scenario(`a provider of any dialect serves it, ${stream ? "streamed" : "whole"}`, async () => {
        const call = { "tool-calls": [{ name: "${tool}", arguments: '{"city":"Oslo"}' }] };
        for (const other of others) {
          const route = stack.crossing(dialect, other);
          await route.script({ first: [{ answer: "Grüße, 世界 🌍" }, { answer: call }, route.fault("spent")], other: [{ answer: "Yours." }] });
          const said = await sdk.ask(route.model, stream);
          assert.deepEqual([said.text, said.ended], ["Grüße, 世界 🌍", true], other);
          assert.deepEqual((await sdk.ask(route.model, stream, true)).calls, [[TOOL, { city: "Oslo" }]], other);
          assert.equal((await sdk.ask(route.model, stream)).text, "Yours.", other);
        }
      });
    }

    scenario("the error of a provider of another dialect is the SDK's own", async () => {
      for (const other of others) {
        const route = stack.crossing(dialect, other);
        await route.always(route.fault("bad-request"));
        const error = await raised(sdk.ask(route.erring, false));
        assert.ok(error instanceof sdk.errors[400], `${other}: ${error}`);
        assert.equal(sdk.facts(error)[0], 400, other);
      }
    });

    scenario("a stream that breaks goes on where it stopped", async () => {
      const text = "One two three four five six seven eight nine ten.";
      await route.script({ first: [{ answer: text, cut: 4 }, { answer: text }], other: [{ answer: text }] });
      const said = await sdk.ask(route.model, true);
      assert.deepEqual([said.text, said.ended], [text, true]);
      assert.equal((await route.received()).length, 2);
    });

    scenario("a broken stream is never taken for a whole answer", async () => {
      for (const fault of [...BREAKS, route.fault("error-event")]) {
        await route.script({ first: [fault, fault], other: [fault, fault] });
        const said = await sdk.ask(route.erring, true).catch((e) => e);
        assert.ok(said instanceof Error, `half an answer: ${JSON.stringify(said)} after ${JSON.stringify(fault)}`);
      }
    });

    scenario("models are listed", async () => assert.ok((await sdk.models()).includes(route.model)));

    scenario("what else the SDK offers", async () => {
      await route.script({});
      assert.ok(await sdk.extras(route.model));
    });
  });
}

test("no planted key or prompt is in what the gateway wrote", async () => {
  const shown = [stack.output()];
  for (const path of ["/metrics", "/health/ready", "/api/config", "/api/calls"]) shown.push(await (await fetch(stack.gateway + path)).text());
  for (const text of shown) {
    assert.ok(!text.includes(KEY));
    assert.ok(!text.includes(PROMPT));
  }
});
