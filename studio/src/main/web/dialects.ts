// Requests and answers of the four dialects as one conversation. What is not understood is left out
// here and stays readable in the raw tab.

export interface Part {
  kind: "text" | "thought" | "call" | "result" | "other";
  text: string;
  name?: string;
  id?: string;
}

export interface Turn {
  who: string;
  parts: Part[];
}

type Json = Record<string, unknown>;

const object = (value: unknown): Json => (value && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const string = (value: unknown): string => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value, null, 2));

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The data of an event stream, or the one document of a plain answer. */
function documents(text: string): Json[] {
  const whole = parse(text);
  if (whole) return Array.isArray(whole) ? whole.map(object) : [object(whole)];
  const found: Json[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.startsWith("data:")) {
      const data = parse(line.slice(5).trim());
      if (data) found.push(object(data));
    }
  }
  return found;
}

function content(value: unknown): Part[] {
  if (typeof value === "string") return value ? [{ kind: "text", text: value }] : [];
  return list(value).flatMap((each) => block(object(each)));
}

function block(part: Json): Part[] {
  const type = string(part.type);
  if (part.functionCall) {
    const call = object(part.functionCall);
    return [{ kind: "call", name: string(call.name), text: string(call.args) }];
  }
  if (part.functionResponse) {
    const result = object(part.functionResponse);
    return [{ kind: "result", name: string(result.name), text: string(result.response) }];
  }
  if (type === "tool_use" || type === "function_call") {
    return [{ kind: "call", name: string(part.name), id: string(part.id ?? part.call_id), text: string(part.input ?? part.arguments) }];
  }
  if (type === "tool_result" || type === "function_call_output") {
    const inner = content(part.content);
    const text = inner.length ? inner.map((each) => each.text).join("\n") : string(part.output ?? part.content);
    return [{ kind: "result", id: string(part.tool_use_id ?? part.call_id), text }];
  }
  if (type === "thinking" || type === "reasoning" || part.thought === true) {
    const summary = list(part.summary).map((each) => string(object(each).text)).join("\n");
    return [{ kind: "thought", text: string(part.thinking ?? part.text) || summary }];
  }
  if (typeof part.text === "string") return [{ kind: "text", text: part.text }];
  if (typeof part.refusal === "string") return [{ kind: "text", text: part.refusal }];
  return [{ kind: "other", name: type || Object.keys(part)[0] || "part", text: "" }];
}

function calls(value: unknown): Part[] {
  return list(value).map((each) => {
    const call = object(each);
    const inner = object(call.function);
    return { kind: "call", name: string(inner.name), id: string(call.id), text: string(inner.arguments) };
  });
}

export function request(text: string): Turn[] {
  const body = object(parse(text));
  const turns: Turn[] = [];
  const system = body.system ?? object(body.systemInstruction ?? body.system_instruction).parts ?? body.instructions;
  if (system) turns.push({ who: "system", parts: content(system) });
  for (const each of list(body.messages ?? body.contents)) {
    const message = object(each);
    const role = string(message.role) || "user";
    const parts: Part[] = [];
    if (message.reasoning_content ?? message.reasoning) parts.push({ kind: "thought", text: string(message.reasoning_content ?? message.reasoning) });
    if (role === "tool") parts.push({ kind: "result", id: string(message.tool_call_id), text: content(message.content).map((part) => part.text).join("\n") });
    else parts.push(...content(message.content ?? message.parts), ...calls(message.tool_calls));
    turns.push({ who: role === "model" ? "assistant" : role, parts });
  }
  if (typeof body.input === "string") turns.push({ who: "user", parts: content(body.input) });
  for (const each of Array.isArray(body.input) ? body.input : []) {
    if (typeof each === "string") turns.push({ who: "input", parts: content(each) });
    else {
      const item = object(each);
      const parts = item.role ? content(item.content) : block(item);
      turns.push({ who: string(item.role) || (item.type === "function_call" ? "assistant" : "tool"), parts });
    }
  }
  return turns.filter((turn) => turn.parts.length > 0);
}

/** The answer, and what it says of its ending. */
export function answer(text: string): { parts: Part[]; ending: string } {
  const parts: Part[] = [];
  const slots = new Map<string, Part>();
  let ending = "";
  const add = (key: string, kind: Part["kind"], more: string, name?: string) => {
    let part = slots.get(key);
    if (!part) {
      part = { kind, text: "", name };
      slots.set(key, part);
      parts.push(part);
    }
    part.text += more;
    if (name) part.name = name;
  };
  for (const each of documents(text)) {
    const error = object(each.error);
    if (error.message) parts.push({ kind: "other", name: "error", text: string(error.message) });
    const type = string(each.type);
    for (const found of list(each.choices)) {
      const choice = object(found);
      const delta = object(choice.delta ?? choice.message);
      const index = string(choice.index ?? 0);
      const thought = delta.reasoning_content ?? delta.reasoning;
      if (typeof thought === "string") add(`r${index}`, "thought", thought);
      if (typeof delta.content === "string") add(`t${index}`, "text", delta.content);
      else for (const part of content(delta.content)) add(`t${index}${part.kind}`, part.kind, part.text);
      for (const one of list(delta.tool_calls)) {
        const call = object(one);
        const inner = object(call.function);
        add(`c${index}-${string(call.index ?? call.id)}`, "call", string(inner.arguments), string(inner.name) || undefined);
      }
      if (choice.finish_reason) ending = string(choice.finish_reason);
    }
    for (const found of list(each.candidates)) {
      const candidate = object(found);
      for (const one of list(object(candidate.content).parts)) {
        for (const part of block(object(one))) {
          if (part.kind === "call") parts.push(part);
          else add(`g${part.kind}`, part.kind, part.text);
        }
      }
      if (candidate.finishReason) ending = string(candidate.finishReason);
    }
    if (type === "message" || (each.role === "assistant" && each.content)) {
      parts.push(...content(each.content));
      ending = string(each.stop_reason) || ending;
    } else if (type === "content_block_start") {
      const start = object(each.content_block);
      const kind = start.type === "tool_use" ? "call" : start.type === "thinking" ? "thought" : "text";
      add(`a${string(each.index)}`, kind, string(start.text ?? start.thinking), string(start.name) || undefined);
    } else if (type === "content_block_delta") {
      const delta = object(each.delta);
      add(`a${string(each.index)}`, "text", string(delta.text ?? delta.thinking ?? delta.partial_json));
    } else if (type === "message_delta") {
      ending = string(object(each.delta).stop_reason) || ending;
    } else if (type === "response.output_text.delta") {
      add(`o${string(each.output_index)}`, "text", string(each.delta));
    } else if (type.startsWith("response.reasoning") && type.endsWith(".delta")) {
      add(`q${string(each.output_index)}`, "thought", string(each.delta));
    } else if (type === "response.output_item.added" && object(each.item).type === "function_call") {
      add(`o${string(each.output_index)}`, "call", "", string(object(each.item).name));
    } else if (type === "response.function_call_arguments.delta") {
      add(`o${string(each.output_index)}`, "call", string(each.delta));
    } else if (type === "response.completed" || type === "response.incomplete") {
      ending = string(object(each.response).status);
    } else if (each.object === "response") {
      for (const one of list(each.output)) {
        const item = object(one);
        parts.push(...(item.type === "message" ? content(item.content) : block(item)));
      }
      ending = string(each.status);
    }
  }
  return { parts: parts.filter((part) => part.text || part.kind === "call"), ending };
}
