"""The official OpenAI client for Python, changed by its base URL alone."""

import time

import openai
import pytest

QUESTION = [{"role": "user", "content": "Say something."}]


@pytest.fixture
def client(gateway):
    return openai.OpenAI(base_url=gateway + "/v1", api_key="anything", timeout=30)


def ask(client, stream, model="assistant"):
    """The text of the answer, the same way for whole answers and streams."""
    if not stream:
        return client.chat.completions.create(model=model, messages=QUESTION).choices[0].message.content
    chunks = list(client.chat.completions.create(model=model, messages=QUESTION, stream=True))
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert len({c.id for c in chunks}) == 1
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@both
def test_an_answer_passes_through(client, simulator, stream):
    simulator.script(first=[{"answer": "Grüße, 世界 🌍"}])
    assert ask(client, stream) == "Grüße, 世界 🌍"
    assert len(simulator.received()) == 1


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
def test_what_passes_is_rescued_on_the_same_target(client, simulator, stream, fault):
    simulator.script(first=[fault, {"answer": "Here it is."}])
    assert ask(client, stream) == "Here it is."
    assert [r["model"] for r in simulator.received()] == ["first", "first"]


@both
def test_a_stream_that_breaks_before_its_first_token_starts_again(client, simulator, stream):
    simulator.script(first=[{"ends": 0}, {"answer": "Whole."}])
    assert ask(client, stream) == "Whole."


@both
def test_a_spent_quota_goes_to_the_next_target_without_a_second_try(client, simulator, stream):
    spent = {"status": 429, "body": {"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}}}
    simulator.script(first={"script": [spent], "then": "repeat"}, other=[{"answer": "From the other."}])
    assert ask(client, stream) == "From the other."
    assert [r["model"] for r in simulator.received()] == ["first", "other"]


@both
def test_a_permanent_400_costs_one_request_and_raises_the_typed_error(client, simulator, stream):
    bad = {"status": 400, "body": {"error": {"message": "Invalid value: 'robot'. Supported values are: 'system' and 'user'.", "type": "invalid_request_error", "param": "messages[0].role", "code": "invalid_value"}}}
    simulator.script(first={"script": [bad], "then": "repeat"}, other=[{"answer": "must not be asked"}])
    with pytest.raises(openai.BadRequestError) as raised:
        ask(client, stream)
    assert raised.value.code == "invalid_value"
    assert raised.value.param == "messages[0].role"
    assert raised.value.response.headers["x-should-retry"] == "false"
    assert raised.value.body["message"].startswith("Invalid value")
    assert len(simulator.received()) == 1


def test_a_limit_nobody_can_wait_for_comes_back_at_once_with_its_wait(client, simulator):
    limited = {"status": 429, "headers": {"retry-after": "1800"}, "body": {"error": {"message": "Rate limit reached. Please try again in 30m0s.", "type": "requests", "code": "rate_limit_exceeded"}}}
    simulator.script(first={"script": [limited], "then": "repeat"}, other={"script": [limited], "then": "repeat"})
    started = time.monotonic()
    with pytest.raises(openai.RateLimitError) as raised:
        ask(client, stream=False)
    assert time.monotonic() - started < 20, "waited although it could not help"
    assert float(raised.value.response.headers["retry-after"]) >= 1700
    assert raised.value.response.headers["x-should-retry"] == "false"
    assert len(simulator.received()) == 2


def test_a_stream_cut_after_text_is_never_taken_for_a_whole_answer(client, simulator):
    simulator.script(first={"script": [{"cut": 2}], "then": "repeat"}, other={"script": [{"cut": 2}], "then": "repeat"})
    with pytest.raises(openai.APIError):
        ask(client, stream=True)


def test_a_client_that_leaves_cancels_the_upstream_request(client, simulator):
    simulator.script(first=[{"answer": "word " * 200, "drip": "50ms"}])
    stream = client.chat.completions.create(model="assistant", messages=QUESTION, stream=True)
    next(iter(stream))
    stream.close()
    deadline = time.monotonic() + 10
    while not any(r["client_left"] for r in simulator.received()):
        assert time.monotonic() < deadline, "the provider went on working"
        time.sleep(0.02)


def test_models_are_listed(client):
    assert "assistant" in [m.id for m in client.models.list()]


def test_no_secret_is_in_what_mainstay_wrote(client, simulator, stack):
    simulator.script(first={"script": [{"status": 401, "body": {"error": {"message": "Incorrect API key provided: sk-main-0123456789.", "type": "invalid_request_error", "code": "invalid_api_key"}}}], "then": "repeat"}, other=[{"status": 400, "body": {"error": {"message": "no"}}}])
    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(model="assistant", messages=[{"role": "user", "content": "secret-prompt-4711"}])
    assert "sk-main-0123456789" not in raised.value.response.text
    log = (stack[2] / "serve.log").read_text()
    assert "sk-main-0123456789" not in log and "secret-prompt-4711" not in log
