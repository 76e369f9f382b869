"""An agent of the OpenAI Agents SDK: one header makes its calls a run that Mainstay shows."""

import asyncio
import json
import time
import uuid

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from stack import http

set_tracing_disabled(True)


@function_tool
def refund(order: str) -> str:
    """Pays money back."""
    return f"order {order} is refunded"


def run_agent(gateway, model, run):
    async def work():
        async with AsyncOpenAI(
            base_url=gateway + "/v1", api_key="none", default_headers={"x-mainstay-run": run}
        ) as client:
            agent = Agent(
                name="refunds",
                instructions="You handle refunds.",
                tools=[refund],
                model=OpenAIChatCompletionsModel(model, openai_client=client),
            )
            return (await Runner.run(agent, "Refund order 7.")).final_output

    return asyncio.run(work())


def shown(gateway, run, steps):
    """The run once all its steps are on record."""
    deadline = time.monotonic() + 120
    while True:
        seen = json.loads(http("GET", f"{gateway}/api/runs/{run}"))
        if seen["steps"] >= steps or time.monotonic() > deadline:
            return seen
        time.sleep(0.05)


def test_an_agent_of_openai_agents_is_a_run(stack):
    route = stack.route("openai")
    route.script(
        first=[
            {"answer": {"tool-calls": [{"name": "refund", "arguments": '{"order":"7"}'}]}},
            {"answer": "Order 7 is refunded."},
        ]
    )
    run = f"python-{uuid.uuid4()}"
    assert run_agent(stack.gateway, route.model, run) == "Order 7 is refunded."
    http("POST", f"{stack.gateway}/api/runs/{run}/events", b'{"type":"end","id":"end","status":"completed"}')
    seen = shown(stack.gateway, run, 3)
    assert (seen["kind"], seen["status"], seen["turns"]) == ("client", "completed", 2)
    assert [message["role"] for message in seen["transcript"]] == ["system", "user", "assistant", "tool", "assistant"]
    [call] = seen["tool_calls"]
    assert (call["name"], call["arguments"], call["result"]) == ("refund", {"order": "7"}, "order 7 is refunded")
    assert seen["output"] == "Order 7 is refunded."
