"""What must come of each failure, the same for every SDK."""

import datetime
import time

import pytest
from sdks import ALL, TOOL
from stack import FAULTS, KEY, PROMPT, http

both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest.fixture(params=ALL, ids=[sdk.name for sdk in ALL], scope="session")
def sdk(request, stack):
    return request.param(stack.gateway)


@pytest.fixture
def route(sdk, stack):
    return stack.route(sdk.dialect)


@both
def test_an_answer_passes_through(sdk, route, stream):
    route.script(first=[{"answer": "Grüße, 世界 🌍"}])
    said = sdk.ask(route.model, stream)
    assert said.text == "Grüße, 世界 🌍"
    assert said.ended
    assert route.asked() == ["first"]


@both
def test_a_long_answer_arrives_whole_though_it_is_compressed(sdk, route, stream):
    text = "Grüße, 世界 🌍 " * 2000
    route.script(first=[{"answer": text}])
    assert sdk.ask(route.model, stream).text == text


@both
def test_a_tool_call_arrives_once_and_whole(sdk, route, stream):
    call = {"tool-calls": [{"name": "${tool}", "arguments": '{"city":"Oslo"}'}]}
    route.script(first=[{"answer": call}])
    assert sdk.ask(route.model, stream, tools=True).calls == [(TOOL, {"city": "Oslo"})]


RESCUED = ["rate-limit", "server-error", "error-in-200", "html-502", "connection-reset", "reset-after-headers", "empty-stream"]


@both
def test_what_passes_is_rescued_on_the_same_target(sdk, route, stream):
    for name in RESCUED:
        fault = name if name in ("html-502", "connection-reset", "reset-after-headers", "empty-stream") else route.fault(name)
        route.script(first=[fault, {"answer": "Here it is."}])
        said = sdk.ask(route.model, stream)
        assert (said.text, said.ended) == ("Here it is.", True), name
        assert route.asked() in (["first", "first"], ["first", "other"]), name


@both
def test_a_spent_quota_goes_to_the_next_target_without_a_second_try(sdk, route, stream):
    route.script(first={"script": [route.fault("spent")], "then": "repeat"}, other=[{"answer": "From the other."}])
    assert sdk.ask(route.model, stream).text == "From the other."
    assert route.asked() == ["first", "other"]


@both
def test_a_permanent_400_costs_one_request_and_raises_the_typed_error(sdk, route, stream):
    bad = route.fault("bad-request")
    route.script(first={"script": [bad], "then": "repeat"}, other=[{"answer": "must not be asked"}])
    with pytest.raises(sdk.errors[400]) as raised:
        sdk.ask(route.model, stream)
    status, headers, text = sdk.facts(raised.value)
    assert status == 400
    assert headers["x-should-retry"] == "false"
    message = bad["body"].get("error", bad["body"])["message"]
    assert message in text
    assert route.asked() == ["first"]


@both
def test_a_refused_key_raises_the_typed_error_and_does_not_show_it(sdk, route, stack, stream):
    route.always(route.fault("bad-key"))
    with pytest.raises(sdk.errors[401]) as raised:
        sdk.ask(route.model, stream)
    status, headers, text = sdk.facts(raised.value)
    assert status == 401
    assert headers["x-should-retry"] == "false"
    assert KEY not in text + repr(raised.value) + repr(dict(headers))
    assert route.asked() == ["first", "other"]


@both
def test_a_limit_nobody_can_wait_for_comes_back_at_once_with_its_wait(sdk, route, stream):
    route.always(route.fault("half-an-hour"))
    started = time.monotonic()
    with pytest.raises(sdk.errors[429]) as raised:
        sdk.ask(route.model, stream)
    assert time.monotonic() - started < 60, "waited although it could not help"
    status, headers, _ = sdk.facts(raised.value)
    assert status == 429
    assert float(headers["retry-after"]) >= 1700
    assert headers["x-should-retry"] == "false"
    assert route.asked() == ["first", "other"]


BREAKS = [{"cut": 2}, {"reset": 2}, {"ends": 2}, {"cut-inside": "json"}]


def test_a_broken_stream_is_never_taken_for_a_whole_answer(sdk, route):
    for fault in BREAKS + [route.fault("error-event")]:
        route.script(first=[fault, fault], other=[fault, fault])
        with pytest.raises(sdk.broken):
            said = sdk.ask(route.erring, stream=True)
            assert said.ended, f"half an answer, as if whole: {said}"


def test_a_stream_that_breaks_goes_on_where_it_stopped(sdk, route):
    text = "One two three four five six seven eight nine ten."
    route.script(first=[{"answer": text, "cut": 4}, {"answer": text}], other=[{"answer": text}])
    said = sdk.ask(route.model, stream=True)
    assert (said.text, said.ended) == (text, True)
    assert len(route.received()) == 2


@both
def test_a_provider_of_any_dialect_serves_it(sdk, stack, stream):
    call = {"tool-calls": [{"name": "${tool}", "arguments": '{"city":"Oslo"}'}]}
    for dialect in FAULTS:
        if dialect == sdk.dialect:
            continue
        route = stack.crossing(sdk.dialect, dialect)
        route.script(first=[{"answer": "Grüße, 世界 🌍"}, {"answer": call}, route.fault("spent")], other=[{"answer": "Yours."}])
        said = sdk.ask(route.model, stream)
        assert (said.text, said.ended) == ("Grüße, 世界 🌍", True), dialect
        assert sdk.ask(route.model, stream, tools=True).calls == [(TOOL, {"city": "Oslo"})], dialect
        assert sdk.ask(route.model, stream).text == "Yours.", dialect


def test_the_error_of_a_provider_of_another_dialect_is_the_sdks_own(sdk, stack):
    for dialect in FAULTS:
        if dialect == sdk.dialect:
            continue
        route = stack.crossing(sdk.dialect, dialect)
        bad = route.fault("bad-request")
        route.script(first={"script": [bad], "then": "repeat"}, other={"script": [bad], "then": "repeat"})
        with pytest.raises(sdk.errors[400]) as raised:
            sdk.ask(route.erring, stream=False)
        assert sdk.facts(raised.value)[0] == 400, dialect


def test_a_client_that_leaves_cancels_the_upstream_request(sdk, route):
    route.script(first=[{"answer": "word " * 400, "drip": "50ms"}])
    with sdk.begun(route.model):
        left = time.time()
    request, late = route.wait_until_left()
    ended = datetime.datetime.fromisoformat(request["at"]).timestamp() + request["millis"] / 1000
    # The SDK leaves, the gateway gives up on its coming back, the provider sees that: each as late as the machine is.
    assert ended - left < sdk.patience + 0.5 + 3 * late


def test_models_are_listed(sdk, route):
    assert route.model in sdk.models()


def test_what_else_the_sdk_offers(sdk, route):
    route.script(first=[])
    sdk.extras(route.model)


def test_zz_no_secret_is_in_what_mainstay_wrote(stack):
    """After all the others, with the keys and prompts of all of them."""
    for name, text in {
        "its output": stack.output(),
        "its metrics": http("GET", stack.gateway + "/metrics"),
        "its health": http("GET", stack.gateway + "/health/ready"),
        "its configuration": http("GET", stack.gateway + "/api/config"),
        "its list of calls": http("GET", stack.gateway + "/api/calls"),
    }.items():
        assert KEY not in text, name
        assert PROMPT not in text, name
