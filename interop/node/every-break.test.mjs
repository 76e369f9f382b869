// A stream that breaks, wherever and however it does, is the whole answer in the end or the SDK's own error.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ANSWERS, CALLS, config, HABITS, Matrix } from "./breaks.mjs";
import { all } from "./listeners.mjs";
import { Stack } from "./stack.mjs";

let stack, matrix;
before(async () => {
  stack = await Stack.start(config);
  matrix = new Matrix(stack);
});
after(async () => {
  console.log(matrix?.summary());
  await stack?.close();
});

/** What is missing or too much in an answer; nothing where it is the whole one, once. */
function missing({ sdk, kind, heard }) {
  const answer = ANSWERS[kind];
  const wrong = [];
  if (heard.error) wrong.push("an error");
  if (heard.text !== answer.text) wrong.push("another text");
  if (!isDeepStrictEqual(heard.calls, answer["tool-calls"] ? CALLS : [])) wrong.push("other calls");
  if (heard.ends.length !== 1 || !sdk.good.includes(heard.ends[0])) wrong.push("not one good ending");
  if (heard.ids.size !== 1) wrong.push("not one id");
  return wrong;
}

/** What is wrong with an error: before it came a beginning of the answer, and no more. */
function broken({ kind, heard }) {
  const answer = ANSWERS[kind];
  const wrong = [];
  if (!heard.error) wrong.push("no error");
  if (!answer.text.startsWith(heard.text)) wrong.push("another text");
  if (!(answer.reasoning ?? "").startsWith(heard.reasoning)) wrong.push("other reasoning");
  if (heard.calls.length || heard.ends.length) wrong.push("more than a beginning");
  return wrong;
}

/** Anthropic's thinking without its signature, which is no beginning that anybody could go on from. */
const unsigned = ({ sdk, heard }) => sdk.name === "anthropic" && heard.reasoning && !heard.text && !heard.signed;

function none(cases, judge) {
  const failed = cases.flatMap((each) => (judge(each).length ? [`${judge(each)}: ${each}`.slice(0, 1500)] : []));
  assert.equal(failed.length, 0, `${failed.length} of ${cases.length}:\n${failed.slice(0, 10).join("\n")}`);
}

for (const make of all) {
  const { name } = make("http://127.0.0.1");

  describe(name, () => {
    for (const kind of Object.keys(ANSWERS)) {
      test(`an answer that breaks once is finished: ${kind}`, async () => {
        // How a target goes on matters where text is gone on from; else it is asked the same again.
        const habits = kind === "text" ? HABITS : ["exactly", "starting-over"];
        const cases = await matrix.run(await matrix.cases(make(stack.gateway), kind, habits));
        assert.ok(cases.length > 100);
        none(cases, (each) => (unsigned(each) ? broken(each) : missing(each)));
      });
    }

    for (const kind of ["text", "calls"]) {
      test(`what breaks at every attempt is never taken for whole: ${kind}`, async () => {
        const sdk = make(stack.gateway);
        // One that begins anew breaks between the same two events; one that goes on, wherever it then is.
        const cases = await matrix.cases(sdk, kind, ["starting-over"], ["cut", "ends", "error-event", "malformed"], true);
        cases.push(...(await matrix.cases(sdk, kind, ["exactly"], ["cut", "ends"], true)));
        await matrix.run(cases);
        none(cases, (each) => (each.heard.error ? broken(each) : missing(each)));
        assert.ok(cases.filter((each) => each.heard.error).length > cases.length / 3);
      });
    }
  });
}
