// The browser and the gateway that all tests of one process share.

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { Studio } from "./data.mjs";
import { launch } from "./launch.mjs";

export const PICTURES = join(dirname(fileURLToPath(import.meta.url)), "target/screenshots");
/** Behind the heading the page's data comes in; no test reads a time from it. */
const SETTLED = 150;

export const studio = new Studio();
let running;
export const browser = () => running;

before(async () => {
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  [running] = await Promise.all([launch(), studio.start().then(() => studio.fill())]);
});

after(async () => {
  await running?.close();
  await studio.close();
});

/** A page that fails the test for an error on its console and a request to another origin. */
export async function open(t, { width = 1280, theme = "light", away = false, origin = () => studio.url } = {}) {
  const context = await running.newContext({ viewport: { width, height: 900 }, colorScheme: theme, acceptDownloads: true });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    // The browser itself notes an answer of 404; the page says what it means.
    const noted = /status of (400|401|404|409|500|503)/.test(message.text()) || (away && /net::ERR_(CONNECTION|SOCKET|INCOMPLETE|EMPTY|FAILED)/.test(message.text()));
    if (message.type() === "error" && !noted) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error.stack)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "blob:" && url.origin !== new URL(origin()).origin) wrong.push(`a request to ${request.url()}`);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return page;
}

export const visit = async (page, path, url = studio.url) => {
  await page.goto(url + path);
  await page.locator("h1").first().waitFor();
  await page.waitForTimeout(SETTLED);
};
