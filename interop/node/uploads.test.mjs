// What the official SDKs upload besides model calls, through the gateway, byte for byte.
import Anthropic, { toFile as toAnthropicFile } from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import OpenAI, { toFile } from "openai";
import { Stack } from "./stack.mjs";

const keys = Object.fromEntries(["openai", "anthropic", "mistral", "gemini"].map((name) => [name, `sk-planted-${name}-0123456789abcdef`]));
// Past every buffer on the way: a network chunk, the gateway's own bounds, Gemini's 8 MiB pieces.
const content = randomBytes(9 * 1024 * 1024);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

const asked = [];
const file = { id: "file_1", object: "file", type: "file", bytes: content.length, size_bytes: content.length, created_at: "2026-01-01T00:00:00Z" };
const mistralFile = { ...file, created_at: 1, filename: "a", purpose: "ocr", sample_type: "ocr_input", source: "upload" };
const answers = {
  "/openai/v1/audio/transcriptions": { text: "It was said." },
  "/openai/v1/images/edits": { created: 1, data: [{ b64_json: "AAAA" }] },
  "/openai/v1/vector_stores/vs_1/files": { id: "file_1", object: "vector_store.file", status: "completed" },
  "/openai/v1/batches": { id: "batch_1", object: "batch" },
  "/anthropic/v1/messages/batches": { id: "msgbatch_1", type: "message_batch" },
  "/mistral/v1/files": mistralFile,
  "/mistral/v1/ocr": { model: "m", pages: [], usage_info: { pages_processed: 1 } },
};

/** The bytes of the file in a multipart body, or the body itself. */
function uploaded(body, type = "") {
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (!boundary) return body;
  const mark = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(mark); at >= 0; ) {
    const next = body.indexOf(mark, at + mark.length);
    const part = body.subarray(at + mark.length, next < 0 ? body.length : next);
    const head = part.indexOf("\r\n\r\n");
    if (part.subarray(0, head).includes("filename=")) return part.subarray(head + 4, part.length - 2);
    at = next;
  }
  throw new Error("no file in the multipart body");
}

// A provider that takes uploads of any size and remembers what came.
const provider = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part)).on("end", () => {
    const path = request.url.split("?")[0];
    const { headers } = request;
    asked.push({ path, whole: sha256(uploaded(Buffer.concat(parts), headers["content-type"])) === sha256(content), headers });
    const command = headers["x-goog-upload-command"] ?? "";
    if (command === "start") response.setHeader("x-goog-upload-url", `${base}/gemini/upload/v1beta/files?upload_id=7`);
    else if (command) response.setHeader("x-goog-upload-status", command.includes("finalize") ? "final" : "active");
    const gemini = { file: { name: "files/1", uri: "https://files.example/1" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answers[path] ?? (path.startsWith("/gemini/") ? gemini : file)));
  });
});

let base, stack;
before(async () => {
  await new Promise((resolve) => provider.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${provider.address().port}`;
  const providers = Object.entries(keys).map(
    ([name, key]) => `  ${name}: { dialect: ${name}, base-url: "${base}/${name}${name === "openai" ? "/v1" : ""}", keys: ["${key}"] }`,
  );
  stack = await Stack.start((folder) => [`store: { url: "${folder}/data" }`, "providers:", ...providers].join("\n"));
});
after(async () => {
  await stack?.close();
  provider.closeAllConnections();
  provider.close();
});

/** What reached the provider while `body` ran: paths, and whether the content is what was sent. */
async function came(body) {
  const begin = asked.length;
  await body();
  for (const { path, headers } of asked.slice(begin)) {
    const sent = Object.values(headers).join(" ");
    assert.ok(sent.includes(keys[path.split("/")[1]]), "the provider's own key goes with every request");
    assert.ok(!sent.includes("clients-own-key"), "the client's key stays here");
  }
  return asked.slice(begin).map(({ path, whole }) => [path, whole]);
}

test("OpenAI: files, batches, audio, images, vector stores", async () => {
  const client = new OpenAI({ baseURL: `${stack.gateway}/v1`, apiKey: "clients-own-key", maxRetries: 0 });
  const paths = await came(async () => {
    const made = await client.files.create({ file: await toFile(content, "in.jsonl"), purpose: "batch" });
    await client.batches.create({ input_file_id: made.id, endpoint: "/v1/chat/completions", completion_window: "24h" });
    assert.equal((await client.audio.transcriptions.create({ model: "whisper-1", file: await toFile(content, "talk.wav") })).text, "It was said.");
    await client.images.edit({ model: "gpt-image-1", image: await toFile(content, "in.png", { type: "image/png" }), prompt: "Brighter" });
    await client.vectorStores.files.upload("vs_1", await toFile(content, "a.txt"));
  });
  assert.deepEqual(paths, [
    ["/openai/v1/files", true],
    ["/openai/v1/batches", false],
    ["/openai/v1/audio/transcriptions", true],
    ["/openai/v1/images/edits", true],
    ["/openai/v1/files", true],
    ["/openai/v1/vector_stores/vs_1/files", false],
  ]);
});

test("Anthropic: files and batches", async () => {
  const client = new Anthropic({ baseURL: stack.gateway, apiKey: "clients-own-key", maxRetries: 0 });
  const paths = await came(async () => {
    await client.beta.files.upload({ file: await toAnthropicFile(content, "a.txt", { type: "text/plain" }) });
    const params = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
    assert.equal((await client.messages.batches.create({ requests: [{ custom_id: "a", params }] })).id, "msgbatch_1");
  });
  assert.deepEqual(paths, [["/anthropic/v1/files", true], ["/anthropic/v1/messages/batches", false]]);
});

test("Mistral: files and OCR", async () => {
  const client = new Mistral({ serverURL: stack.gateway, apiKey: "clients-own-key" });
  const paths = await came(async () => {
    const made = await client.files.upload({ file: new File([content], "a.pdf"), purpose: "ocr" });
    await client.ocr.process({ model: "mistral-ocr-latest", document: { type: "file", fileId: made.id } });
  });
  assert.deepEqual(paths, [["/mistral/v1/files", true], ["/mistral/v1/ocr", false]]);
});

test("Gemini: a resumable upload goes on through the gateway", async () => {
  const client = new GoogleGenAI({ apiKey: "clients-own-key", httpOptions: { baseUrl: stack.gateway } });
  const begin = asked.length;
  await came(() => client.files.upload({ file: new Blob([content]), config: { mimeType: "text/plain" } }));
  const [start, ...pieces] = asked.slice(begin);
  assert.equal(start.headers["x-goog-upload-command"], "start");
  assert.deepEqual(pieces.map(({ path, headers }) => [path, headers["x-goog-upload-command"]]), [
    ["/gemini/upload/v1beta/files", "upload"],
    ["/gemini/upload/v1beta/files", "upload, finalize"],
  ]);
});
