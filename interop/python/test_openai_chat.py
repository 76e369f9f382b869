"""The official OpenAI client for Python, changed by its base URL alone."""

import time

import openai
import pytest
from conftest import KEY

QUESTION = [{"role": "user", "content": "Say something."}]


@pytest.fixture
def client(gateway):
    return openai.OpenAI(base_url=gateway + "/v1", api_key="anything", timeout=30)


def ask(client, stream, model):
    """The text of the answer, the same way for whole answers and streams."""
    if not stream:
        return client.chat.completions.create(model=model, messages=QUESTION).choices[0].message.content
    chunks = list(client.chat.completions.create(model=model, messages=QUESTION, stream=True))
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert len({c.id for c in chunks}) == 1
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@both
def test_an_answer_passes_through(client, route, stream):
    route.script(first=[{"answer": "Grüße, 世界 🌍"}])
    assert ask(client, stream, route.model) == "Grüße, 世界 🌍"
    assert len(route.received()) == 1


RESCUED = {
    "a 429 with a wait": {"status": 429, "headers": {"retry-after": "1"}, "body": {"error": {"message": "Rate limit reached for requests. Please try again in 1s.", "type": "requests", "code": "rate_limit_exceeded"}}},
    "a 500": {"status": 500, "body": {"error": {"message": "The server had an error while processing your request.", "type": "server_error"}}},
    "a 503 page of a proxy": {"status": 503, "headers": {"content-type": "text/html"}, "body": "<html><head><title>503 Service Temporarily Unavailable</title></head></html>"},
    "a reset before the headers": {"reset": "before-headers"},
    "a reset after the headers": {"reset": "after-headers"},
    "an error inside a 200": {"error-in-200": {"error": {"message": "The server is overloaded.", "type": "server_error", "code": 503}}},
}


@both
@pytest.mark.parametrize("fault", RESCUED.values(), ids=RESCUED.keys())
def test_what_passes_is_rescued_on_the_same_target(client, route, stream, fault):
    route.script(first=[fault, {"answer": "Here it is."}])
    assert ask(client, stream, route.model) == "Here it is."
    assert route.asked() == ["first", "first"]


@both
def test_a_stream_that_breaks_before_its_first_token_starts_again(client, route, stream):
    route.script(first=[{"ends": 0}, {"answer": "Whole."}])
    assert ask(client, stream, route.model) == "Whole."


@both
def test_a_spent_quota_goes_to_the_next_target_without_a_second_try(client, route, stream):
    spent = {"status": 429, "body": {"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}}}
    route.script(first={"script": [spent], "then": "repeat"}, other=[{"answer": "From the other."}])
    assert ask(client, stream, route.model) == "From the other."
    assert route.asked() == ["first", "other"]


@both
def test_a_permanent_400_costs_one_request_and_raises_the_typed_error(client, route, stream):
    bad = {"status": 400, "body": {"error": {"message": "Missing required parameter: 'messages[0].content'.", "type": "invalid_request_error", "param": "messages[0].content", "code": "missing_required_parameter"}}}
    route.script(first={"script": [bad], "then": "repeat"}, other=[{"answer": "must not be asked"}])
    with pytest.raises(openai.BadRequestError) as raised:
        ask(client, stream, route.model)
    assert raised.value.code == "missing_required_parameter"
    assert raised.value.param == "messages[0].content"
    assert raised.value.response.headers["x-should-retry"] == "false"
    assert raised.value.body["message"].startswith("Missing required parameter")
    assert len(route.received()) == 1


def test_a_limit_nobody_can_wait_for_comes_back_at_once_with_its_wait(client, route):
    limited = {"status": 429, "headers": {"retry-after": "1800"}, "body": {"error": {"message": "Rate limit reached. Please try again in 30m0s.", "type": "requests", "code": "rate_limit_exceeded"}}}
    route.script(first={"script": [limited], "then": "repeat"}, other={"script": [limited], "then": "repeat"})
    started = time.monotonic()
    with pytest.raises(openai.RateLimitError) as raised:
        ask(client, stream=False, model=route.model)
    assert time.monotonic() - started < 20, "waited although it could not help"
    assert float(raised.value.response.headers["retry-after"]) >= 1700
    assert raised.value.response.headers["x-should-retry"] == "false"
    assert len(route.received()) == 2


def test_a_stream_cut_after_text_is_never_taken_for_a_whole_answer(client, route):
    route.script(first={"script": [{"cut": 2}], "then": "repeat"}, other={"script": [{"cut": 2}], "then": "repeat"})
    with pytest.raises(openai.APIError):
        ask(client, stream=True, model=route.model)


def test_a_client_that_leaves_cancels_the_upstream_request(client, route):
    route.script(first=[{"answer": "word " * 200, "drip": "50ms"}])
    stream = client.chat.completions.create(model=route.model, messages=QUESTION, stream=True)
    next(iter(stream))
    stream.close()
    deadline = time.monotonic() + 10
    while not any(r["client_left"] for r in route.received()):
        assert time.monotonic() < deadline, "the provider went on working"
        time.sleep(0.02)


def test_models_are_listed(client):
    assert "assistant0" in [m.id for m in client.models.list()]


def test_no_secret_is_in_what_mainstay_wrote(client, route, stack):
    route.script(first={"script": [{"status": 401, "body": {"error": {"message": f"Incorrect API key provided: {KEY}.", "type": "invalid_request_error", "code": "invalid_api_key"}}}], "then": "repeat"}, other=[{"status": 400, "body": {"error": {"message": "no"}}}])
    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(model=route.model, messages=[{"role": "user", "content": "secret-prompt-4711"}])
    assert KEY not in raised.value.response.text
    log = (stack[2] / "serve.log").read_text()
    assert KEY not in log and "secret-prompt-4711" not in log
