"""Queries of a self-check: number, parameters, and stored results."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.model import Person
from pytest_citecheck.models.chat import CallFailure, ChatRequest, ConfigurationError, Endpoint, Reply
from pytest_citecheck.models.selfcheck import (
    LISTED_AT_MOST,
    AskedModel,
    CallLog,
    Method,
    MethodScore,
    ModelCallError,
    NotAnsweredError,
    Options,
    Subject,
    cross_model,
    ensemble,
    question,
    read_selfcheck,
    score_of,
    shown_list,
)

SUBJECT = Subject("refs.bib::k", "Deep Nets in 28 nm", (Person(literal="Ada Lovelace"),), 2019, "Nature")
ENDPOINT = Endpoint("one", "https://h/v1", "model-1")
Said = Reply | CallFailure


class Model:
    """A model that answers from a script and records its queries."""

    def __init__(self, script: Callable[[ChatRequest], str | Said]) -> None:
        self.name, self.asked, self._script = "one", list[ChatRequest](), script

    async def ask(self, request: ChatRequest) -> Said:
        await asyncio.sleep(0)
        self.asked.append(request)
        said = self._script(request)
        return Reply(said, prompt_tokens=20, completion_tokens=2, model="served") if isinstance(said, str) else said


OFF = Model(lambda _: CallFailure("offline", "no model is called"))


def in_turn(*answers: str | Said) -> Callable[[ChatRequest], str | Said]:
    left: Iterator[str | Said] = iter(answers)
    return lambda _: next(left)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def run(model: Model, log: Path, method: Method, options: Options, subject: Subject = SUBJECT) -> MethodScore:
    asked = AskedModel(ENDPOINT, CallLog(log), model, lambda: "2026-01-01T00:00:00Z")
    return asyncio.run(score_of(asked, subject, method, options))


FULL = Options(agree_after=None)


@pytest.mark.parametrize("method", ["dq1", "dq2", "dq3"])
def test_q1_fault_1_ten_samples_at_temperature_1_with_a_token_limit(method: Method, log: Path) -> None:
    model = Model(lambda _: "Yes")
    assert run(model, log, method, FULL).value == 1
    assert [dict(asked.parameters) for asked in model.asked] == [{"temperature": 1.0, "max_tokens": 15}] * 10
    assert sorted(asked.sample for asked in model.asked) == list(range(10))


def test_q1_fault_2_one_sample_is_asked_at_temperature_0(log: Path) -> None:
    model = Model(lambda _: "No")
    assert run(model, log, "dq1", replace(FULL, direct=1)).value == 0
    assert model.asked[0].parameters["temperature"] == 0.0
    model = Model(lambda _: "A. Lovelace")
    assert run(model, log, "iq", Options(indirect=1, engine="cited")).value == 1
    assert model.asked[0].parameters == {"temperature": 0.0, "max_tokens": 300}


def test_token_limits_are_sent_under_the_name_of_the_provider() -> None:
    newer = question(SUBJECT, "dq1", 0, FULL, replace(ENDPOINT, parameters={"max_completion_tokens": 9}))
    assert newer.request.parameters["max_completion_tokens"] == 15
    assert (
        question(SUBJECT, "dq1", 0, FULL, replace(ENDPOINT, api="gemini")).request.parameters["maxOutputTokens"] == 15
    )
    assert question(SUBJECT, "dq1", 0, replace(FULL, reasoning=True), ENDPOINT).request.parameters == {}


@pytest.mark.parametrize("length", [1, 5, 37, 400])
def test_q2_the_list_shows_the_reference_at_the_number_that_is_asked_for(length: int) -> None:
    titles = tuple(f"Title {number}" for number in range(length))
    for position in {0, length // 2, length - 1}:
        subject = replace(SUBJECT, title=titles[position], listed=titles, position=position)
        text = question(subject, "dq3", 0, FULL, ENDPOINT).request.messages[-1].content
        number = text.partition("publication with number ")[2].split()[0]
        assert f"\n{number}. {titles[position]}\n" in text
        assert text.count("Title ") == min(length, LISTED_AT_MOST)
        if length <= LISTED_AT_MOST:
            assert int(number) == position + 1
    assert shown_list((), 0) == ((), 1)


def test_dq2_puts_the_title_into_the_mouth_of_the_model() -> None:
    messages = question(SUBJECT, "dq2", 0, FULL, ENDPOINT).request.messages
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[1].content == SUBJECT.title


def test_fault_10_another_wording_has_another_hash() -> None:
    same = question(SUBJECT, "dq1", 0, FULL, ENDPOINT).prompt_hash
    assert question(SUBJECT, "dq1", 5, FULL, ENDPOINT).prompt_hash == same
    others = {question(SUBJECT, method, 0, FULL, ENDPOINT).prompt_hash for method in ("dq2", "dq3", "iq")}
    assert len({same, *others, question(replace(SUBJECT, title="X"), "dq1", 0, FULL, ENDPOINT).prompt_hash}) == 5


def test_q3_the_mean_of_all_pairs_and_a_note_for_who_names_nobody(log: Path) -> None:
    model = Model(in_turn("Ada Lovelace", "I am sorry, I cannot find it.", Reply("", "content_filter")))
    result = run(model, log, "iq", FULL)
    assert result.value == 0
    assert [note[:20] for note in result.notes] == ["answer 3: no answer,", "answer 2 has no name"]
    assert result.answers[2] is None


def test_answers_that_agree_are_enough(log: Path) -> None:
    model = Model(lambda _: "yes")
    assert run(model, log, "dq1", Options()).value == 1
    assert len(model.asked) == 3
    model = Model(in_turn(*["yes", "no", "yes"], *["no"] * 7))
    assert run(model, log, "dq2", Options()).value == pytest.approx(0.2)
    assert len(model.asked) == 10
    model = Model(in_turn("Ada Lovelace", "A. Lovelace"))
    assert run(model, log, "iq", Options()).value == 1


def test_q4_fault_5_a_model_can_judge_the_overlap_of_whole_lists(log: Path) -> None:
    def script(request: ChatRequest) -> str:
        text = request.messages[-1].content
        if "First list" in text:
            assert request.parameters == {"temperature": 0.0, "max_tokens": 50}
            return "ANS: 40 JUSTIFICATION: few"
        return "Ada Lovelace, " + "Charles Babbage, " * 20

    model = Model(script)
    assert run(model, log, "iq", replace(FULL, engine="lm")).value == pytest.approx(0.4)
    assert len(model.asked) == 6
    # Names are not cut off unless that is wanted.
    assert "Charles Babbage, " * 19 in model.asked[-1].messages[-1].content
    model = Model(script)
    run(model, log.with_name("cut.jsonl"), "iq", replace(FULL, engine="lm", cut=100))
    assert (
        max(len(line) for line in model.asked[-1].messages[-1].content.splitlines()[1:]) == len("Second list: ") + 100
    )


def test_q4_answers_compare_with_what_is_cited(log: Path) -> None:
    cited = replace(FULL, engine="cited")
    model = Model(lambda _: "Grace Hopper")
    assert run(model, log, "iq", cited).value == 0
    assert run(Model(lambda _: "YEAR: 2019"), log, "year", cited).value == 1
    assert run(Model(lambda _: "VENUE: Nature"), log, "venue", cited).value == 1
    nothing = replace(SUBJECT, key="x", authors=())
    assert run(model, log, "iq", cited, nothing).reason == "the entry has no value to compare with"


JUNK = b"""[]
{}
\xff
{"pair": 5}
"""


@pytest.mark.parametrize(
    "wrong", [{"answer": 5}, {"key": []}, {"sample": "0"}, {"pair": "x"}, {"prompt_tokens": {}}, {"cost": ""}]
)
def test_a_line_of_wrong_types_is_no_call(wrong: dict[str, object], log: Path) -> None:
    run(Model(lambda _: "Yes"), log, "dq1", replace(FULL, direct=1))
    log.write_text(json.dumps({**json.loads(log.read_text()), **wrong}) + "\n")
    assert not CallLog(log).known


def test_fault_4_what_was_answered_is_not_asked_again_whatever_the_order(log: Path) -> None:
    first = run(Model(lambda _: "Yes"), log, "dq1", FULL)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(reversed(lines[2:])) + JUNK + lines[0][:40])  # two lost, one cut off
    model = Model(lambda _: "Yes")
    assert run(model, log, "dq1", FULL) == first
    assert len(model.asked) == 2
    assert run(OFF, log, "dq1", FULL) == first  # Q15: without a model


def test_a_line_says_what_a_call_was(log: Path) -> None:
    run(Model(lambda _: "Yes"), log, "dq1", replace(FULL, direct=1))
    assert json.loads(log.read_text()) == {
        "key": "refs.bib::k",
        "method": "dq1",
        "sample": 0,
        "pair": None,
        "provider": "one",
        "model": "model-1",
        "served": "served",
        "temperature": 0.0,
        "token_limit": 15,
        "prompt_hash": question(SUBJECT, "dq1", 0, replace(FULL, direct=1), ENDPOINT).prompt_hash,
        "answer": "Yes",
        "finish": "stop",
        "prompt_tokens": 20,
        "completion_tokens": 2,
        "cost": None,
        "time": "2026-01-01T00:00:00Z",
    }


def test_fault_3_a_failed_call_is_told_apart_from_one_that_was_not_made(log: Path) -> None:
    with pytest.raises(NotAnsweredError, match="the limit"):
        run(Model(in_turn("Yes", *[CallFailure("budget", "the limit is reached")] * 9)), log, "dq1", FULL)
    assert len(CallLog(log).known) == 1  # what was paid for is kept
    with pytest.raises(ModelCallError, match="http-500"):
        run(Model(lambda _: CallFailure("http-500", "no")), log, "dq1", FULL)
    with pytest.raises(NotAnsweredError, match="one: offline: no model is called"):
        run(OFF, log, "dq1", FULL)


def test_a_model_that_answers_nothing_has_no_score(log: Path) -> None:
    result = run(Model(lambda _: Reply("", "content_filter")), log, "dq1", FULL)
    assert (result.value, result.reason) == (None, "the model gave no answer")


def test_q7_an_ensemble_weighs_what_was_asked() -> None:
    weights = Options().weights
    scores: dict[Method, float | None] = {"iq": 0.5, "dq1": 1.0, "dq2": 0.4, "dq3": 0.4}
    assert ensemble(scores, weights) == pytest.approx((0.5 + 0.6) / 2)
    assert ensemble({"dq1": 1.0, "dq2": 0.4}, weights) == pytest.approx(0.7)
    assert ensemble({**scores, "iq": None}, weights) is None
    assert ensemble({"year": 1.0}, weights) is None


def test_two_models_are_compared_over_all_pairs() -> None:
    assert cross_model("iq", ["Ada Lovelace"], ["A. Lovelace", "Grace Hopper"]) == 0.5
    assert cross_model("iq", [], ["A"]) is None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("direct_samples: 0", "selfcheck.direct_samples: must be a whole number from 1 to 100"),
        ("indirect_samples: 1", "selfcheck: an indirect query needs at least two samples"),
        ("agree_after: 0", "selfcheck.agree_after: must be a whole number from 1 upwards"),
        ("weights: {iq: 0}", "selfcheck: weights must not all be 0"),
        ("weights: {iq: -1.0, dq1: 2.0}", "selfcheck.weights.iq: must be a number from 0 upwards"),
    ],
)
def test_options_that_cannot_work_are_refused(wrong: str, problem: str, tmp_path: Path) -> None:
    endpoint = "{base_url: 'https://h', model: m, api_key: k}"
    text = f"target_endpoints: {{e: {endpoint}}}\nselfcheck: {{{wrong}}}\n"
    with pytest.raises(ConfigurationError, match=re.escape(problem)):
        read_selfcheck(tmp_path / "models.yaml", text, {})
