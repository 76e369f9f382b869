"""How each SDK is asked, and what it raises: one shape for all of them."""

import contextlib
import json
from dataclasses import dataclass, field

import anthropic
import mistralai.client
import openai
from google import genai
from google.genai import types
from mistralai.client.errors import MistralError, SDKError
from stack import PROMPT

TOOL = "get_weather"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass
class Said:
    """An answer: its text, its tool calls, and whether the SDK saw it end well."""

    text: str = ""
    calls: list = field(default_factory=list)
    ended: bool = False


class OpenAiChat:
    name, dialect, patience = "openai", "openai", 2.0
    errors = {429: openai.RateLimitError, 400: openai.BadRequestError, 401: openai.AuthenticationError}
    broken = openai.APIError

    def __init__(self, gateway):
        self.client = openai.OpenAI(base_url=gateway + "/v1", api_key="anything", timeout=30)

    def request(self, model, tools=False):
        asked = {"model": model, "messages": [{"role": "user", "content": PROMPT}]}
        if tools:
            asked["tools"] = [{"type": "function", "function": {"name": TOOL, "parameters": PARAMETERS}}]
        return asked

    def ask(self, model, stream, tools=False):
        asked = self.request(model, tools)
        if not stream:
            choice = self.client.chat.completions.create(**asked).choices[0]
            calls = [(c.function.name, json.loads(c.function.arguments)) for c in choice.message.tool_calls or []]
            return Said(choice.message.content or "", calls, choice.finish_reason in ("stop", "tool_calls"))
        said, calls, ids = Said(), {}, set()
        for chunk in self.client.chat.completions.create(**asked, stream=True):
            ids.add(chunk.id)
            for choice in chunk.choices:
                said.text += choice.delta.content or ""
                said.ended |= choice.finish_reason in ("stop", "tool_calls")
                for c in choice.delta.tool_calls or []:
                    name, arguments = calls.get(c.index, ("", ""))
                    calls[c.index] = (name + (c.function.name or ""), arguments + (c.function.arguments or ""))
        assert len(ids) == 1
        said.calls = [(name, json.loads(arguments)) for name, arguments in calls.values()]
        return said

    @contextlib.contextmanager
    def begun(self, model):
        """A stream of which one event has been read; leaving the block leaves the stream."""
        stream = self.client.chat.completions.create(**self.request(model), stream=True)
        next(iter(stream))
        yield
        stream.close()

    def models(self):
        return [m.id for m in self.client.models.list()]

    def extras(self, model):
        assert len(self.client.embeddings.create(model=model, input=["x", "y"]).data) == 2

    @staticmethod
    def facts(error):
        """Status, headers and message of what was raised."""
        return error.status_code, error.response.headers, error.response.text


class OpenAiResponses(OpenAiChat):
    name = "openai-responses"

    def request(self, model, tools=False):
        asked = {"model": model, "input": PROMPT}
        if tools:
            asked["tools"] = [{"type": "function", "name": TOOL, "parameters": PARAMETERS, "strict": False}]
        return asked

    def ask(self, model, stream, tools=False):
        asked = self.request(model, tools)
        if not stream:
            answer = self.client.responses.create(**asked)
        else:
            text = answer = None
            for event in self.client.responses.create(**asked, stream=True):
                if event.type == "response.output_text.delta":
                    text = (text or "") + event.delta
                if event.type in ("error", "response.failed"):
                    raise openai.APIError("the response failed", None, body=None)
                if event.type == "response.completed":
                    answer = event.response
            if answer is None:
                return Said(text or "")
            assert text is None or text == answer.output_text
        calls = [(o.name, json.loads(o.arguments)) for o in answer.output if o.type == "function_call"]
        return Said(answer.output_text, calls, answer.status == "completed")

    @contextlib.contextmanager
    def begun(self, model):
        stream = self.client.responses.create(**self.request(model), stream=True)
        next(iter(stream))
        yield
        stream.close()

    def extras(self, model):
        pass


class Anthropic:
    name, dialect, patience = "anthropic", "anthropic", 2.0
    errors = {429: anthropic.RateLimitError, 400: anthropic.BadRequestError, 401: anthropic.AuthenticationError}
    broken = (anthropic.APIError, anthropic.AnthropicError)

    def __init__(self, gateway):
        self.client = anthropic.Anthropic(base_url=gateway, api_key="anything", timeout=30)

    def request(self, model, tools=False):
        asked = {"model": model, "max_tokens": 20_000, "messages": [{"role": "user", "content": PROMPT}]}
        if tools:
            asked["tools"] = [{"name": TOOL, "input_schema": PARAMETERS}]
        return asked

    def ask(self, model, stream, tools=False):
        if stream:
            with self.client.messages.stream(**self.request(model, tools)) as events:
                answer = events.get_final_message()
        else:
            answer = self.client.messages.create(**self.request(model, tools))
        return Said(
            "".join(b.text for b in answer.content if b.type == "text"),
            [(b.name, b.input) for b in answer.content if b.type == "tool_use"],
            answer.stop_reason in ("end_turn", "tool_use"),
        )

    @contextlib.contextmanager
    def begun(self, model):
        with self.client.messages.stream(**self.request(model)) as events:
            next(iter(events.text_stream))
            yield

    def models(self):
        return [m.id for m in self.client.models.list()]

    def extras(self, model):
        asked = self.request(model)
        del asked["max_tokens"]
        assert self.client.messages.count_tokens(**asked).input_tokens > 0

    facts = staticmethod(OpenAiChat.facts)


class Mistral:
    name, dialect, patience = "mistral", "mistral", 1.0
    errors = {429: SDKError, 400: SDKError, 401: SDKError}
    # What a stream raises that is cut: the SDK lets its HTTP client's own error through.
    broken = Exception

    def __init__(self, gateway):
        self.client = mistralai.client.Mistral(server_url=gateway, api_key="anything", timeout_ms=30_000)

    def request(self, model, tools=False):
        return OpenAiChat.request(self, model, tools)

    def ask(self, model, stream, tools=False):
        asked = self.request(model, tools)
        if not stream:
            choice = self.client.chat.complete(**asked).choices[0]
            said = Said(choice.message.content or "", [], choice.finish_reason in ("stop", "tool_calls"))
            return self.with_calls(said, choice.message.tool_calls or [])
        said = Said()
        calls = []
        with self.client.chat.stream(**asked) as events:
            for event in events:
                for choice in event.data.choices:
                    said.text += choice.delta.content or ""
                    said.ended |= choice.finish_reason in ("stop", "tool_calls")
                    calls += choice.delta.tool_calls or []
        return self.with_calls(said, calls)

    @staticmethod
    def with_calls(said, calls):
        for c in calls:
            arguments = c.function.arguments
            said.calls.append((c.function.name, json.loads(arguments) if isinstance(arguments, str) else arguments))
        return said

    @contextlib.contextmanager
    def begun(self, model):
        with self.client.chat.stream(**self.request(model)) as events:
            next(iter(events))
            yield

    def models(self):
        return [m.id for m in self.client.models.list().data]

    def extras(self, model):
        assert len(self.client.embeddings.create(model=model, inputs=["x", "y"]).data) == 2

    @staticmethod
    def facts(error):
        return error.status_code, error.headers, error.body


class Gemini:
    name, dialect, patience = "gemini", "gemini", 1.0
    errors = {429: genai.errors.ClientError, 400: genai.errors.ClientError, 401: genai.errors.ClientError}
    # As with Mistral's.
    broken = Exception

    def __init__(self, gateway):
        options = types.HttpOptions(base_url=gateway, timeout=30_000)
        self.client = genai.Client(api_key="anything", http_options=options)

    def request(self, model, tools=False):
        asked = {"model": model, "contents": PROMPT}
        if tools:
            function = types.FunctionDeclaration(name=TOOL, parameters_json_schema=PARAMETERS)
            asked["config"] = types.GenerateContentConfig(
                tools=[types.Tool(function_declarations=[function])],
                automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            )
        return asked

    def ask(self, model, stream, tools=False):
        asked = self.request(model, tools)
        parts = (
            self.client.models.generate_content_stream(**asked)
            if stream
            else [self.client.models.generate_content(**asked)]
        )
        said = Said()
        for part in parts:
            for candidate in part.candidates or []:
                said.ended |= candidate.finish_reason == types.FinishReason.STOP
                for piece in candidate.content.parts if candidate.content and candidate.content.parts else []:
                    said.text += piece.text or ""
                    if piece.function_call:
                        said.calls.append((piece.function_call.name, piece.function_call.args))
        return said

    @contextlib.contextmanager
    def begun(self, model):
        stream = self.client.models.generate_content_stream(**self.request(model))
        next(stream)
        yield
        stream.close()

    def models(self):
        return [m.name.removeprefix("models/") for m in self.client.models.list()]

    def extras(self, model):
        assert self.client.models.count_tokens(model=model, contents="x").total_tokens > 0
        contents = [types.Content(parts=[types.Part(text=text)]) for text in ("x", "y")]
        assert len(self.client.models.embed_content(model=model, contents=contents).embeddings) == 2

    @staticmethod
    def facts(error):
        return error.code, error.response.headers, json.dumps(error.details)


ALL = [OpenAiChat, OpenAiResponses, Anthropic, Mistral, Gemini]
