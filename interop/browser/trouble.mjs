// What the pages do with bad input, a wrong clock, a session that ended, and a day of being open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Gateway } from "./data.mjs";
import { open, studio, visit } from "./harness.mjs";

const NOWHERE = "00000000000000000000000000";

test("a filter that makes no sense says what is allowed, and goes by one click", async (t) => {
  const page = await open(t);
  for (const [query, words] of [["status=9999", /9999[\s\S]*Allowed: 100 to 599/], ["kind=nonsense", /Allowed: .*rate_limit/], ["class=odd", /Allowed: .*TRANSIENT/], ["failed=maybe", /Allowed: true, false/], ["from=tomorrowish", /tomorrowish/], ["from=2030-01-05&to=2030-01-01", /to is not after from/]]) {
    await visit(page, `/calls?${query}`);
    assert.match(await page.getByRole("alert").innerText(), words, query);
  }
  await visit(page, "/calls?status=9999");
  await page.getByRole("button", { name: "Remove the filter status" }).click();
  await page.locator(".tr").first().waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await visit(page, "/runs?status=odd");
  assert.match(await page.getByRole("alert").innerText(), /status must be one of .*completed/);
});

test("an id that does not exist is said to be unknown, with a way back", async (t) => {
  const page = await open(t);
  for (const [path, back] of [[`/calls/call_${NOWHERE}`, "/calls"], [`/runs/run_${NOWHERE}`, "/runs"], [`/dead-letters/call_${NOWHERE}`, "/dead-letters"], [`/failures/case_${NOWHERE}`, "/failures"], [`/compare?a=run_${NOWHERE}&b=${studio.runs.done}`, "/compare"], [`/compare?a=call_${NOWHERE}&b=${studio.recovered}`, "/compare"]]) {
    await visit(page, path);
    await page.getByRole("alert").first().waitFor();
    assert.match(await page.getByRole("alert").first().innerText(), /0000|no such|not|unknown/i, path);
    assert.ok((await page.locator(`main a[href="${back}"], nav a[href="${back}"]`).count()) > 0, path);
  }
  await page.goto(`${studio.url}/settings/nothing`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test("an answer that no page can read takes one page away, which comes back by itself", async (t) => {
  const page = await open(t);
  for (const [answer, words] of [[{ json: { total: null } }, /cannot show what the gateway answered/], [{ contentType: "text/html", body: "<h1>Proxy</h1>" }, /cannot be read/], [{ status: 500, body: "" }, /answered 500/], [{ status: 503, json: { error: { code: "store_unavailable", message: "The store cannot be read." } } }, /The store cannot be read/]]) {
    await page.route("**/api/stats?*", (route) => route.fulfill(answer));
    await page.goto(`${studio.url}/`);
    await page.getByRole("alert").first().waitFor();
    assert.match(await page.getByRole("alert").first().innerText(), words);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.unroute("**/api/stats?*");
    await page.locator(".numbers .value").first().waitFor();
  }
});

test("a clock that is wrong is named, and the gateway's is gone by", async (t) => {
  for (const [days, word] of [[3, "ahead of"], [-3, "behind"]]) {
    const page = await open(t);
    await page.clock.install({ time: Date.now() + days * 86_400_000 });
    await visit(page, "/");
    await page.getByText(`This computer's clock is`).waitFor();
    assert.match(await page.locator(".away").innerText(), new RegExp(word));
    // The last 24 hours are the gateway's: the calls of a minute ago are among them.
    await page.locator(".numbers .value").first().waitFor();
    await visit(page, `/dead-letters`);
    assert.match(await page.locator("table.plain tbody tr").first().innerText(), /now|\d+ (s|min) ago/);
  }
});

test("a session that ended leads to signing in and back to the page", async (t) => {
  const guarded = new Gateway();
  t.after(() => guarded.close());
  await guarded.start("admin: { token: a-long-admin-token-for-this-test }");
  const page = await open(t, { origin: () => guarded.url });
  const signIn = async () => {
    await page.getByLabel("Admin token", { exact: true }).fill("a-long-admin-token-for-this-test");
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await page.goto(`${guarded.url}/calls?model=writer`);
  await page.waitForURL("**/login?back=*");
  await page.getByLabel("Admin token", { exact: true }).fill("not this one");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await signIn();
  await page.waitForURL("**/calls?model=writer");
  await page.getByText("No call fits these filters").waitFor();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Costs", exact: true }).click();
  await page.getByRole("link", { name: "Sign in" }).first().click();
  await signIn();
  await page.waitForURL("**/costs");
  await page.getByRole("heading", { name: "Nothing was spent in this time" }).waitFor();
});

/** The gateway's clock does not jump with the page's: without its times no page takes its own for wrong. */
async function timeless(page) {
  for (const path of ["**/health", "**/api/**"]) {
    await page.route(path, async (route) => {
      const answer = await route.fetch().catch(() => null);
      if (!answer) return route.abort();
      const { date: _, ...headers } = answer.headers();
      return route.fulfill({ response: answer, headers });
    });
  }
}

const DAY = 24 * 60 * 60_000;
const STEP = 20 * 60_000;

test("a tab left open for a day does not grow", async (t) => {
  const page = await open(t, { away: true });
  await page.clock.install();
  await timeless(page);
  let made = 0;
  // The stream of changes is away, so that the list asks; each answer has two hundred calls that are new.
  await page.route("**/api/live", (route) => route.abort());
  await page.route("**/api/calls?*", (route) => route.fulfill({ json: { calls: Array.from({ length: 200 }, () => call(made++)), next: null } }));
  await visit(page, "/calls?live=1");
  const devtools = await page.context().newCDPSession(page);
  const size = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    return { heap: usedSize, elements: await page.evaluate(() => document.querySelectorAll("*").length), made };
  };
  let early;
  for (let passed = 0; passed < DAY; passed += STEP) {
    const before = made;
    await page.clock.fastForward(STEP);
    await page.waitForFunction((seen) => (document.querySelector(".tr")?.dataset.id ?? seen) !== seen, `call_${String(before - 1).padStart(26, "0")}`);
    if (passed === DAY / 2) early = await size();
  }
  const late = await size();
  t.diagnostic(`after half a day ${(early.heap / 1e6).toFixed(1)} MB and ${early.made} calls, after a day ${(late.heap / 1e6).toFixed(1)} MB and ${late.made} calls, ${late.elements} elements`);
  assert.ok(late.made > early.made + 5000, "calls kept coming");
  assert.ok(late.heap < early.heap + 2e6, `the heap grew from ${early.heap} to ${late.heap}`);
  assert.ok(late.elements > 300 && late.elements < early.elements + 50 && late.elements < 2000, `${late.elements} elements`);
});

const call = (number) => ({
  id: `call_${String(number).padStart(26, "0")}`, run: null, parent: null, client: "support", started_at: new Date().toISOString(), dialect: "openai", path: "/v1/chat/completions", model: "assistant", target: "openai/gpt-4o", stream: true,
  status: 200, verdict: null, recovery: [], attempts: 1, tokens: { input: 100, cached_input: 0, cache_write: 0, output: 20, reasoning: 0 }, cost_usd: 0.001, first_token_ms: 100, total_ms: 900,
});

/** Requests a second that an open page may make, all its parts together. */
const MOST_A_SECOND = 0.7;

test("a tab left open asks little, however long it is open", async (t) => {
  const page = await open(t);
  await page.clock.install();
  await timeless(page);
  for (const path of ["/", "/dead-letters"]) {
    await visit(page, path);
    let asked = 0;
    const count = () => asked++;
    page.on("request", count);
    const seconds = 60;
    for (let i = 0; i < seconds / 2; i++) {
      await page.clock.runFor(2000);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)).catch(() => undefined));
    }
    page.off("request", count);
    t.diagnostic(`${path}: ${asked} requests in ${seconds} s`);
    assert.ok(asked <= seconds * MOST_A_SECOND, `${path} made ${asked} requests in ${seconds} s`);
  }
});
