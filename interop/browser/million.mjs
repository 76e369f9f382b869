// How soon each page is usable over a ledger of a million calls: `node million.mjs STORE [LIMIT_MS]`.
// STORE is a folder or a JDBC URL that `bench/run ledger STORE` has filled. Fails where a page's median is over
// the limit, 500 ms unless given.

import { resolve } from "node:path";
import { Gateway } from "./data.mjs";
import { launch } from "./launch.mjs";

const [store, limit = "500"] = process.argv.slice(2);
if (!store) {
  console.error("Which ledger? node million.mjs STORE, where `bench/run ledger STORE` has filled STORE");
  process.exit(2);
}
const ROUNDS = 7;

/** Each page with what is on it once it can be used: its data, not its frame. */
const pages = (call, run) => ({
  "overview, 24 hours": ["/", ".numbers .value"],
  "overview, 30 days": ["/?span=30d", ".board .plot"],
  "calls": ["/calls", ".tr"],
  "calls of a model, 30 days": ["/calls?from=30d&model=writer", ".tr"],
  "calls that failed": ["/calls?failed=true", ".tr"],
  "calls with no match": ["/calls?model=nothing", ".empty"],
  "a call": [`/calls/${call}`, ".fall .lane"],
  "runs": ["/runs", ".tr, .empty"],
  ...(run ? { "a run": [`/runs/${run}`, ".facts"] } : {}),
  "compare": ["/compare", ".empty"],
  "run an agent": ["/run", ".empty, form"],
  "failures": ["/failures", ".empty, table.plain"],
  "dead letters": ["/dead-letters", ".empty, table.plain"],
  "costs, 30 days": ["/costs", ".numbers .value"],
  "costs by run": ["/costs?by=run", ".numbers .value"],
  "evaluations": ["/evaluations", ".empty, table.plain"],
  "alerts": ["/alerts", ".empty, table.plain"],
  "gateway": ["/gateway", "table.plain"],
  "settings": ["/settings", "table.plain"],
  "prices": ["/settings?tab=prices", "table.plain"],
});

const gateway = new Gateway();
await gateway.start("", store.startsWith("jdbc:") ? store : resolve(store));
const browser = await launch();
let slow = 0;
try {
  const get = async (path) => (await fetch(gateway.url + path)).json();
  const call = (await get("/api/calls?limit=1")).calls[0].id;
  const run = (await get("/api/runs?limit=1")).runs[0]?.run;
  const calls = (await get(`/api/stats?by=all&bucket=1d&from=${new Date(Date.now() - 60 * 86_400_000).toISOString()}`)).total.calls;
  console.log(`${calls.toLocaleString("en-US")} calls in the last 60 days, ${ROUNDS} rounds`);
  console.log("| page | median ms | worst ms |\n|---|---:|---:|");
  for (const [name, [path, selector]] of Object.entries(pages(call, run))) {
    const took = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A browser that keeps nothing but the bundle: each round is a first visit.
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.addInitScript((wanted) => {
        const look = () => {
          if (document.querySelector(wanted)) window.usable ??= performance.now();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }, selector);
      await page.goto(gateway.url + path);
      await page.waitForFunction(() => window.usable);
      took.push(await page.evaluate(() => window.usable));
      await page.close();
    }
    took.sort((a, b) => a - b);
    const median = took[ROUNDS >> 1];
    if (median > Number(limit)) slow++;
    console.log(`| ${name} | ${Math.round(median)} | ${Math.round(took.at(-1))} |`);
  }
} finally {
  await browser.close();
  await gateway.close();
}
if (slow > 0) {
  console.error(`${slow} pages take more than ${limit} ms`);
  process.exit(1);
}
