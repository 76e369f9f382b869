"""What an SDK writes by itself, accepted by a provider of another dialect: the simulator refuses what the real one does."""

import pytest
from google.genai import types
from sdks import PARAMETERS, TOOL, Gemini
from stack import FAULTS

OTHERS = [dialect for dialect in FAULTS if dialect != "gemini"]
# Its base64 has the characters in which the alphabets differ.
IMAGE = b"\xfb\xff\xfe\xfa PNG"


@pytest.mark.parametrize("dialect", OTHERS)
def test_googles_sdk_gives_results_without_ids_and_media_in_its_alphabet(stack, dialect):
    route = stack.crossing("gemini", dialect)
    calls = [{"name": TOOL, "arguments": '{"city":"Oslo"}'}, {"name": TOOL, "arguments": '{"city":"Rome"}'}]
    route.script(first=[{"answer": {"tool-calls": calls}}, {"answer": "Cold, and warm."}])
    client = Gemini(stack.gateway).client
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(name=TOOL, parameters_json_schema=PARAMETERS)])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    chat = client.chats.create(model=route.model, config=config)
    asked = chat.send_message(["Which is warmer?", types.Part.from_bytes(data=IMAGE, mime_type="image/png")])
    assert [call.args["city"] for call in asked.function_calls] == ["Oslo", "Rome"]
    results = [types.Part.from_function_response(name=TOOL, response={"output": each}) for each in ("3", "21")]
    assert chat.send_message(results).text == "Cold, and warm."
    steps = [request["step"] for request in route.received()]
    assert not any(step.startswith("refused") for step in steps), steps
