"""A stream that breaks, wherever and however it does, is the whole answer in the end or the SDK's own error."""

import breaks
import listeners
import pytest
from breaks import ANSWERS, CALLS, HABITS

each_sdk = pytest.mark.parametrize("name", [sdk.name for sdk in listeners.ALL])
each_answer = pytest.mark.parametrize("kind", ANSWERS)


def missing(case):
    """What is missing or too much in an answer; nothing where it is the whole one, once."""
    heard, answer = case.heard, ANSWERS[case.kind]
    wrong = []
    if heard.error is not None:
        wrong.append("an error")
    if heard.text != answer["text"]:
        wrong.append("another text")
    if heard.calls != (CALLS if "tool-calls" in answer else []):
        wrong.append("other calls")
    if len(heard.ends) != 1 or not set(heard.ends) <= case.sdk.good:
        wrong.append("not one good ending")
    if len(heard.ids) != 1:
        wrong.append("not one id")
    return wrong


def broken(case):
    """Whether the SDK raised its error, and what came before it is a beginning of the answer and no more."""
    heard, answer = case.heard, ANSWERS[case.kind]
    beginning = answer["text"].startswith(heard.text) and answer.get("reasoning", "").startswith(heard.reasoning)
    return heard.error is not None and beginning and not heard.calls and not heard.ends


def unsigned(case):
    """Anthropic's thinking without its signature, which is no beginning that anybody could go on from."""
    heard = case.heard
    return case.sdk.name == "anthropic" and heard.reasoning and not heard.text and not heard.signed


def none(cases, wrong):
    failed = [f"{said}: {case}"[:1500] for case in cases if (said := wrong(case))]
    assert not failed, f"{len(failed)} of {len(cases)}:\n" + "\n".join(failed[:10])


@each_sdk
@each_answer
def test_an_answer_that_breaks_once_is_finished(matrix, name, kind):
    # How a target goes on matters where text is gone on from; else it is asked the same again.
    habits = HABITS if kind == "text" else ["exactly", "starting-over"]
    cases = matrix.run(matrix.cases(matrix.sdks[name], kind, habits))
    assert len(cases) > 100
    none([case for case in cases if not unsigned(case)], missing)
    none([case for case in cases if unsigned(case)], lambda case: [] if broken(case) else ["no error"])


@each_sdk
@pytest.mark.parametrize("kind", ["text", "calls"])
def test_what_breaks_at_every_attempt_is_never_taken_for_whole(matrix, name, kind):
    sdk = matrix.sdks[name]
    # One that begins anew breaks between the same two events; one that goes on, wherever it then is.
    cases = matrix.cases(sdk, kind, ["starting-over"], ["cut", "ends", "error-event", "malformed"], always=True)
    cases += matrix.cases(sdk, kind, ["exactly"], ["cut", "ends"], always=True)
    matrix.run(cases)
    none(cases, lambda case: [] if broken(case) else missing(case))
    assert sum(case.heard.error is not None for case in cases) > len(cases) / 3
