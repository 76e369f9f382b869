"""The SDKs as readers of streams: what a program has of an answer in the end, or the error that its SDK raised."""

import json
from dataclasses import dataclass, field

import anthropic
import mistralai.client
import openai
from google import genai
from google.genai import types
from mistralai.client.errors import MistralError

ANY = {"type": "object"}
TOOLS = ["look", "send"]


@dataclass
class Heard:
    """What a program has of one stream."""

    text: str = ""
    reasoning: str = ""
    calls: list = field(default_factory=list)
    # How the answer ended, as the SDK says it; more than one would be two endings.
    ends: list = field(default_factory=list)
    ids: set = field(default_factory=set)
    # Whether the reasoning came with its signature.
    signed: bool = False
    error: Exception | None = None


class Listener:
    """An SDK."""

    # The SDK's own error for a stream that failed.
    raised = ()

    def listen(self, model, kind, **asked):
        heard = Heard()
        try:
            self.read(heard, self.asked(model, kind) | asked)
        except self.raised as e:
            heard.error = e
        return heard

    def model(self, number):
        """A model of its own for each stream, of a family that takes prefills where there is one."""
        return f"{self.family}{number:06d}"


class OpenAiChat(Listener):
    name, provider, family = "openai-chat", "openai", "gpt-"
    good = {"stop", "tool_calls"}
    raised = (openai.APIError,)

    def __init__(self, gateway):
        self.client = openai.OpenAI(base_url=gateway + "/v1", api_key="any", timeout=60, max_retries=0)

    def asked(self, model, kind):
        asked = {"model": f"openai/{model}", "messages": [{"role": "user", "content": "hi"}]}
        if kind == "calls":
            asked["tools"] = [{"type": "function", "function": {"name": n, "parameters": ANY}} for n in TOOLS]
        if kind == "json":
            asked["response_format"] = {"type": "json_object"}
        return asked

    def read(self, heard, asked):
        # The helper that adds the chunks up, beside the chunks themselves.
        with self.client.chat.completions.stream(**asked) as events:
            for event in events:
                if event.type != "chunk":
                    continue
                heard.ids.add(event.chunk.id)
                for choice in event.chunk.choices:
                    heard.text += choice.delta.content or ""
                    heard.reasoning += (choice.delta.model_extra or {}).get("reasoning_content") or ""
                    if choice.finish_reason:
                        heard.ends.append(choice.finish_reason)
            message = events.get_final_completion().choices[0].message
        assert (message.content or "") == heard.text
        heard.calls = [(c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or []]


class OpenAiResponses(Listener):
    name, provider, family = "openai-responses", "openai", "gpt-"
    good = {"completed"}
    raised = (openai.APIError,)

    def __init__(self, gateway):
        self.client = openai.OpenAI(base_url=gateway + "/v1", api_key="any", timeout=60, max_retries=0)

    def asked(self, model, kind):
        asked = {"model": f"openai/{model}", "input": "hi"}
        if kind == "calls":
            asked["tools"] = [{"type": "function", "name": n, "parameters": ANY, "strict": False} for n in TOOLS]
        if kind == "json":
            asked["text"] = {"format": {"type": "json_object"}}
        return asked

    def read(self, heard, asked):
        numbers = 0
        with self.client.responses.stream(**asked) as events:
            for event in events:
                assert event.sequence_number == numbers, (event.type, event.sequence_number, numbers)
                numbers += 1
                match event.type:
                    case "response.output_text.delta":
                        heard.text += event.delta
                    case "response.reasoning_summary_text.delta":
                        heard.reasoning += event.delta
                    case "error" | "response.failed":
                        # The SDK hands over an error event as such and raises nothing.
                        heard.error = openai.APIError(event.type, None, body=None)
                    case "response.created" | "response.in_progress":
                        heard.ids.add(event.response.id)
                    case "response.completed" | "response.incomplete":
                        heard.ids.add(event.response.id)
                        heard.ends.append(event.response.status)
            if heard.error:
                return
            answer = events.get_final_response()
        assert answer.output_text == heard.text
        heard.calls = [(o.name, json.loads(o.arguments)) for o in answer.output if o.type == "function_call"]


class Anthropic(Listener):
    name, provider, family = "anthropic", "anthropic", "claude-sonnet-4-5@"
    good = {"end_turn", "tool_use"}
    raised = (anthropic.APIError,)

    def __init__(self, gateway):
        self.client = anthropic.Anthropic(base_url=gateway, api_key="any", timeout=60, max_retries=0)

    def asked(self, model, kind):
        asked = {"model": model, "max_tokens": 500, "messages": [{"role": "user", "content": "hi"}]}
        if kind == "calls":
            asked["tools"] = [{"name": n, "input_schema": ANY} for n in TOOLS]
        if kind == "json":
            asked["output_config"] = {"format": {"type": "json_schema", "schema": ANY}}
        return asked

    def read(self, heard, asked):
        with self.client.messages.stream(**asked) as events:
            for event in events:
                match event.type:
                    case "text":
                        heard.text += event.text
                    case "thinking":
                        heard.reasoning += event.thinking
                    case "signature":
                        heard.signed = True
                    case "message_start":
                        heard.ids.add(event.message.id)
                    case "message_stop":
                        heard.ends.append(event.message.stop_reason)
            answer = events.get_final_message()
        assert "".join(b.text for b in answer.content if b.type == "text") == heard.text
        heard.calls = [(b.name, b.input) for b in answer.content if b.type == "tool_use"]


class Mistral(Listener):
    name, provider, family = "mistral", "mistral", "mistral-"
    good = {"stop", "tool_calls"}
    raised = (MistralError,)

    def __init__(self, gateway):
        self.client = mistralai.client.Mistral(server_url=gateway, api_key="any", timeout_ms=60_000)

    def asked(self, model, kind):
        return OpenAiChat.asked(self, model, kind) | {"model": f"mistral/{model}"}

    def read(self, heard, asked):
        calls = {}
        with self.client.chat.stream(**asked) as events:
            for event in events:
                heard.ids.add(event.data.id)
                for choice in event.data.choices:
                    content = choice.delta.content or ""
                    for part in content if isinstance(content, list) else []:
                        heard.text += part.text if part.type == "text" else ""
                        heard.reasoning += "".join(t.text for t in part.thinking) if part.type == "thinking" else ""
                    heard.text += content if isinstance(content, str) else ""
                    for call in choice.delta.tool_calls or []:
                        name, arguments = calls.get(call.index, ("", ""))
                        calls[call.index] = (name + call.function.name, arguments + call.function.arguments)
                    if choice.finish_reason:
                        heard.ends.append(choice.finish_reason)
        heard.calls = [(name, json.loads(arguments)) for name, arguments in calls.values()]


class Gemini(Listener):
    name, provider, family = "gemini", "gemini", "gemini-2.5-"
    good = {"STOP"}
    raised = (genai.errors.APIError,)

    def __init__(self, gateway):
        self.client = genai.Client(api_key="any", http_options=types.HttpOptions(base_url=gateway, timeout=60_000))

    def asked(self, model, kind):
        asked = {"automatic_function_calling": types.AutomaticFunctionCallingConfig(disable=True)}
        if kind == "calls":
            functions = [types.FunctionDeclaration(name=n) for n in TOOLS]
            asked["tools"] = [types.Tool(function_declarations=functions)]
        if kind == "json":
            asked["response_mime_type"] = "application/json"
        return {"model": model, "contents": "hi", "config": types.GenerateContentConfig(**asked)}

    def read(self, heard, asked):
        for chunk in self.client.models.generate_content_stream(**asked):
            heard.ids.add(chunk.response_id)
            for candidate in chunk.candidates or []:
                for part in (candidate.content and candidate.content.parts) or []:
                    if part.thought:
                        heard.reasoning += part.text or ""
                    else:
                        heard.text += part.text or ""
                    if part.function_call:
                        heard.calls.append((part.function_call.name, part.function_call.args))
                if candidate.finish_reason:
                    heard.ends.append(candidate.finish_reason.name)


ALL = [OpenAiChat, OpenAiResponses, Anthropic, Mistral, Gemini]
