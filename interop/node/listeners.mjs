// The SDKs as readers of streams: what a program has of an answer in the end, or the error that its SDK raised.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import { MistralError } from "@mistralai/mistralai/models/errors/index.js";
import OpenAI from "openai";

const ANY = { type: "object" };
const TOOLS = ["look", "send"];
const messages = [{ role: "user", content: "hi" }];

/** What a program has of one stream. */
class Heard {
  text = "";
  reasoning = "";
  calls = [];
  /** How the answer ended, as the SDK says it; more than one would be two endings. */
  ends = [];
  ids = new Set();
  /** Whether the reasoning came with its signature. */
  signed = false;
  error = null;
}

/** Asks through `sdk`; an error that is none of its own is not one that a program can expect. */
export async function listen(sdk, model, kind) {
  const heard = new Heard();
  try {
    await sdk.read(heard, model, kind);
  } catch (e) {
    if (!sdk.raised(e)) throw e;
    heard.error = e;
  }
  return heard;
}

const chatRequest = (model, kind) => ({
  model,
  messages,
  ...(kind === "calls" && { tools: TOOLS.map((name) => ({ type: "function", function: { name, parameters: ANY } })) }),
});

function openAiChat(gateway) {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: "any", timeout: 60_000, maxRetries: 0 });
  return {
    name: "openai-chat",
    provider: "openai",
    family: "gpt-",
    good: ["stop", "tool_calls"],
    raised: (e) => e instanceof OpenAI.APIError,
    async read(heard, model, kind) {
      const json = kind === "json" && { response_format: { type: "json_object" } };
      // The helper that adds the chunks up, beside the chunks themselves.
      const stream = client.chat.completions.stream({ ...chatRequest(`openai/${model}`, kind), ...json });
      for await (const chunk of stream) {
        heard.ids.add(chunk.id);
        for (const { delta, finish_reason } of chunk.choices) {
          heard.text += delta.content ?? "";
          heard.reasoning += delta.reasoning_content ?? "";
          if (finish_reason) heard.ends.push(finish_reason);
        }
      }
      const { message } = (await stream.finalChatCompletion()).choices[0];
      assert.equal(message.content ?? "", heard.text);
      heard.calls = (message.tool_calls ?? []).map((c) => [c.function.name, JSON.parse(c.function.arguments)]);
    },
  };
}

function openAiResponses(gateway) {
  const client = new OpenAI({ baseURL: `${gateway}/v1`, apiKey: "any", timeout: 60_000, maxRetries: 0 });
  return {
    name: "openai-responses",
    provider: "openai",
    family: "gpt-",
    good: ["completed"],
    raised: (e) => e instanceof OpenAI.APIError,
    async read(heard, model, kind) {
      const tools = TOOLS.map((name) => ({ type: "function", name, parameters: ANY, strict: false }));
      const stream = client.responses.stream({
        model: `openai/${model}`,
        input: "hi",
        ...(kind === "calls" && { tools }),
        ...(kind === "json" && { text: { format: { type: "json_object" } } }),
      });
      let numbers = 0;
      for await (const event of stream) {
        assert.equal(event.sequence_number, numbers++, event.type);
        if (event.type === "response.output_text.delta") heard.text += event.delta;
        if (event.type === "response.reasoning_summary_text.delta") heard.reasoning += event.delta;
        if (event.response) heard.ids.add(event.response.id);
        if (["response.completed", "response.incomplete"].includes(event.type)) heard.ends.push(event.response.status);
        if (["error", "response.failed"].includes(event.type)) throw new OpenAI.APIError(undefined, event, event.message);
      }
      const answer = await stream.finalResponse();
      assert.equal(answer.output_text, heard.text);
      const calls = answer.output.filter((item) => item.type === "function_call");
      heard.calls = calls.map((call) => [call.name, JSON.parse(call.arguments)]);
    },
  };
}

function anthropic(gateway) {
  const client = new Anthropic({ baseURL: gateway, apiKey: "any", timeout: 60_000, maxRetries: 0 });
  return {
    name: "anthropic",
    provider: "anthropic",
    family: "claude-sonnet-4-5@",
    good: ["end_turn", "tool_use"],
    raised: (e) => e instanceof Anthropic.APIError,
    async read(heard, model, kind) {
      const stream = client.messages.stream({
        model,
        max_tokens: 500,
        messages,
        ...(kind === "calls" && { tools: TOOLS.map((name) => ({ name, input_schema: ANY })) }),
        ...(kind === "json" && { output_config: { format: { type: "json_schema", schema: ANY } } }),
      });
      for await (const event of stream) {
        if (event.type === "message_start") heard.ids.add(event.message.id);
        if (event.type === "message_delta") heard.ends.push(event.delta.stop_reason);
        if (event.type !== "content_block_delta") continue;
        heard.text += event.delta.text ?? "";
        heard.reasoning += event.delta.thinking ?? "";
        heard.signed ||= event.delta.type === "signature_delta";
      }
      const { content } = await stream.finalMessage();
      assert.equal(content.map((block) => (block.type === "text" ? block.text : "")).join(""), heard.text);
      heard.calls = content.filter((block) => block.type === "tool_use").map((block) => [block.name, block.input]);
    },
  };
}

function mistral(gateway) {
  const client = new Mistral({ serverURL: gateway, apiKey: "any", timeoutMs: 60_000 });
  return {
    name: "mistral",
    provider: "mistral",
    family: "mistral-",
    good: ["stop", "tool_calls"],
    // In a stream it has a type for chunks alone: whatever else comes, an error event too, does not fit its schema.
    raised: (e) => e instanceof MistralError || e.name === "ZodError",
    async read(heard, model, kind) {
      const json = kind === "json" && { responseFormat: { type: "json_object" } };
      const calls = [];
      for await (const { data } of await client.chat.stream({ ...chatRequest(`mistral/${model}`, kind), ...json })) {
        heard.ids.add(data.id);
        for (const { delta, finishReason } of data.choices) {
          for (const part of Array.isArray(delta.content) ? delta.content : [{ type: "text", text: delta.content ?? "" }]) {
            if (part.type === "text") heard.text += part.text;
            if (part.type === "thinking") heard.reasoning += part.thinking.map((thought) => thought.text).join("");
          }
          for (const call of delta.toolCalls ?? []) calls.push([call.function.name, call.function.arguments]);
          if (finishReason) heard.ends.push(finishReason);
        }
      }
      heard.calls = calls.map(([name, said]) => [name, typeof said === "string" ? JSON.parse(said) : said]);
    },
  };
}

function gemini(gateway) {
  const client = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: gateway, timeout: 60_000 } });
  return {
    name: "gemini",
    provider: "gemini",
    family: "gemini-2.5-",
    good: ["STOP"],
    raised: (e) => e instanceof ApiError,
    async read(heard, model, kind) {
      const config = {
        ...(kind === "calls" && { tools: [{ functionDeclarations: TOOLS.map((name) => ({ name })) }] }),
        ...(kind === "json" && { responseMimeType: "application/json" }),
      };
      for await (const chunk of await client.models.generateContentStream({ model, contents: "hi", config })) {
        heard.ids.add(chunk.responseId);
        for (const { content, finishReason } of chunk.candidates ?? []) {
          for (const part of content?.parts ?? []) {
            heard[part.thought ? "reasoning" : "text"] += part.text ?? "";
            if (part.functionCall) heard.calls.push([part.functionCall.name, part.functionCall.args]);
          }
          if (finishReason) heard.ends.push(finishReason);
        }
      }
    },
  };
}

export const all = [openAiChat, openAiResponses, anthropic, mistral, gemini];
