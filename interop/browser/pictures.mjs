// The pictures of README.md and docs/studio.md: `node pictures.mjs [FOLDER]`. FOLDER is a store that
// `bench/run ledger FOLDER` has filled: a month of calls for the overview.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Studio } from "./data.mjs";
import { launch } from "./launch.mjs";

const DOCS = join(dirname(fileURLToPath(import.meta.url)), "../../docs");
const [folder] = process.argv.slice(2);

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: "light" });
const page = await context.newPage();

/** A page with its data, without the pointer on anything. */
async function take(url, seen, name) {
  await page.goto(url);
  await page.locator(seen).first().waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(DOCS, `${name}.jpg`), type: "jpeg", quality: 82 });
}

const studio = new Studio();
await studio.start(0, folder && resolve(folder));
try {
  await studio.fill();
  await take(`${studio.url}/?span=7d`, ".board .plot", "studio");
  await take(`${studio.url}/calls/${studio.recovered}`, ".seam", "studio-call");
  await take(`${studio.url}/runs/${studio.runs.done}`, ".turn", "studio-run");
} finally {
  await browser.close();
  await studio.close();
}
