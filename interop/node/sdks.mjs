// How each SDK is asked, and what it raises: one shape for all of them.
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import { SDKError } from "@mistralai/mistralai/models/errors/index.js";
import OpenAI from "openai";
import { PROMPT } from "./stack.mjs";

export const TOOL = "get_weather";
const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const messages = [{ role: "user", content: PROMPT }];
const functions = [{ type: "function", function: { name: TOOL, parameters: PARAMETERS } }];
const read = (text) => (typeof text === "string" ? JSON.parse(text) : text);

/** Reads a stream to its end through `take`, which adds to what was said. */
async function gather(stream, take) {
  const said = { text: "", calls: [], ended: false };
  for await (const event of stream) take(said, event);
  return said;
}

const chatCalls = (calls) => (calls ?? []).map((c) => [c.function.name, read(c.function.arguments)]);
const wellEnded = (reason) => reason === "stop" || reason === "tool_calls";

function openAiChat(gateway) {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: "anything", timeout: 30_000 });
  const request = (model, tools) => ({ model, messages, ...(tools && { tools: functions }) });
  return {
    name: "openai",
    dialect: "openai",
    patience: 2000,
    errors: { 400: OpenAI.BadRequestError, 401: OpenAI.AuthenticationError, 429: OpenAI.RateLimitError },
    async ask(model, stream, tools) {
      if (!stream) {
        const { message, finish_reason } = (await client.chat.completions.create(request(model, tools))).choices[0];
        return { text: message.content ?? "", calls: chatCalls(message.tool_calls), ended: wellEnded(finish_reason) };
      }
      const calls = [];
      const said = await gather(await client.chat.completions.create({ ...request(model, tools), stream: true }), (said, chunk) => {
        for (const { delta, finish_reason } of chunk.choices) {
          said.text += delta.content ?? "";
          said.ended ||= wellEnded(finish_reason);
          for (const c of delta.tool_calls ?? []) {
            const call = (calls[c.index] ??= { function: { name: "", arguments: "" } });
            call.function.name += c.function.name ?? "";
            call.function.arguments += c.function.arguments ?? "";
          }
        }
      });
      return { ...said, calls: chatCalls(calls) };
    },
    begin: (model, signal) => client.chat.completions.create({ ...request(model), stream: true }, { signal }),
    whole: (model, signal) => client.chat.completions.create(request(model), { signal }),
    models: async () => (await client.models.list()).data.map((m) => m.id),
    extras: async (model) => (await client.embeddings.create({ model, input: ["x", "y"] })).data.length === 2,
    facts: (e) => [e.status, e.headers, JSON.stringify(e.error)],
  };
}

function openAiResponses(gateway) {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: "anything", timeout: 30_000 });
  const tool = { type: "function", name: TOOL, parameters: PARAMETERS, strict: false };
  const request = (model, tools) => ({ model, input: PROMPT, ...(tools && { tools: [tool] }) });
  const said = (answer) => ({
    text: answer.output_text,
    calls: answer.output.filter((o) => o.type === "function_call").map((o) => [o.name, read(o.arguments)]),
    ended: answer.status === "completed",
  });
  return {
    ...openAiChat(gateway),
    name: "openai-responses",
    async ask(model, stream, tools) {
      if (!stream) return said(await client.responses.create(request(model, tools)));
      return said(await client.responses.stream(request(model, tools)).finalResponse());
    },
    begin: (model, signal) => client.responses.create({ ...request(model), stream: true }, { signal }),
    whole: (model, signal) => client.responses.create(request(model), { signal }),
    extras: async () => true,
  };
}

function anthropic(gateway) {
  const client = new Anthropic({ baseURL: gateway, apiKey: "anything", timeout: 30_000 });
  const request = (model, tools) => ({
    model,
    messages,
    max_tokens: 20_000,
    ...(tools && { tools: [{ name: TOOL, input_schema: PARAMETERS }] }),
  });
  return {
    name: "anthropic",
    dialect: "anthropic",
    patience: 2000,
    errors: { 400: Anthropic.BadRequestError, 401: Anthropic.AuthenticationError, 429: Anthropic.RateLimitError },
    async ask(model, stream, tools) {
      const asked = request(model, tools);
      const { content, stop_reason } = await (stream ? client.messages.stream(asked).finalMessage() : client.messages.create(asked));
      return {
        text: content.map((b) => b.text ?? "").join(""),
        calls: content.filter((b) => b.type === "tool_use").map((b) => [b.name, b.input]),
        ended: stop_reason === "end_turn" || stop_reason === "tool_use",
      };
    },
    begin: (model, signal) => client.messages.create({ ...request(model), stream: true }, { signal }),
    whole: (model, signal) => client.messages.create(request(model), { signal }),
    async models() {
      const names = [];
      for await (const model of client.models.list()) names.push(model.id);
      return names;
    },
    extras: async (model) => (await client.messages.countTokens({ model, messages })).input_tokens > 0,
    facts: (e) => [e.status, e.headers, JSON.stringify(e.error)],
  };
}

function mistral(gateway) {
  const client = new Mistral({ serverURL: gateway, apiKey: "anything", timeoutMs: 30_000 });
  const request = (model, tools) => ({ model, messages, ...(tools && { tools: functions }) });
  const calls = (found) => chatCalls(found);
  return {
    name: "mistral",
    dialect: "mistral",
    patience: 1000,
    errors: { 400: SDKError, 401: SDKError, 429: SDKError },
    async ask(model, stream, tools) {
      if (!stream) {
        const { message, finishReason } = (await client.chat.complete(request(model, tools))).choices[0];
        return { text: message.content ?? "", calls: calls(message.toolCalls), ended: wellEnded(finishReason) };
      }
      return gather(await client.chat.stream(request(model, tools)), (said, event) => {
        for (const { delta, finishReason } of event.data.choices) {
          said.text += delta.content ?? "";
          said.calls.push(...calls(delta.toolCalls));
          said.ended ||= wellEnded(finishReason);
        }
      });
    },
    begin: (model, signal) => client.chat.stream(request(model), { fetchOptions: { signal } }),
    whole: (model, signal) => client.chat.complete(request(model), { fetchOptions: { signal } }),
    models: async () => (await client.models.list()).data.map((m) => m.id),
    extras: async (model) => (await client.embeddings.create({ model, inputs: ["x", "y"] })).data.length === 2,
    facts: (e) => [e.statusCode, e.headers, e.body],
  };
}

function gemini(gateway) {
  const client = new GoogleGenAI({ apiKey: "anything", httpOptions: { baseUrl: gateway, timeout: 30_000 } });
  const tool = { functionDeclarations: [{ name: TOOL, parametersJsonSchema: PARAMETERS }] };
  const request = (model, tools, abortSignal) => ({
    model,
    contents: PROMPT,
    config: { ...(tools && { tools: [tool] }), ...(abortSignal && { abortSignal }) },
  });
  return {
    name: "gemini",
    dialect: "gemini",
    patience: 1000,
    errors: { 400: ApiError, 401: ApiError, 429: ApiError },
    async ask(model, stream, tools) {
      const asked = request(model, tools);
      const parts = stream ? await client.models.generateContentStream(asked) : [await client.models.generateContent(asked)];
      return gather(parts, (said, part) => {
        for (const { content, finishReason } of part.candidates ?? []) {
          said.ended ||= finishReason === "STOP";
          for (const piece of content?.parts ?? []) {
            said.text += piece.text ?? "";
            if (piece.functionCall) said.calls.push([piece.functionCall.name, piece.functionCall.args]);
          }
        }
      });
    },
    begin: (model, signal) => client.models.generateContentStream(request(model, false, signal)),
    whole: (model, signal) => client.models.generateContent(request(model, false, signal)),
    async models() {
      const names = [];
      for await (const model of await client.models.list()) names.push(model.name.replace("models/", ""));
      return names;
    },
    async extras(model) {
      const contents = ["x", "y"].map((text) => ({ parts: [{ text }] }));
      const embedded = await client.models.embedContent({ model, contents });
      return (await client.models.countTokens({ model, contents: "x" })).totalTokens > 0 && embedded.embeddings.length === 2;
    },
    // This SDK keeps no headers.
    facts: (e) => [e.status, null, e.message],
  };
}

export const all = [openAiChat, openAiResponses, anthropic, mistral, gemini];
