"""Calls to failing endpoints: retries, waits, errors that end all calls, and secrets."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import threading
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.models.chat import (
    LONGEST_WAIT,
    CallFailure,
    ChatModels,
    ChatRequest,
    ChatSettings,
    Endpoint,
    Reply,
)
from tests.stand_ins.model_endpoints import FAULTS, PLAYED, RETRY_AFTER, Call, ModelEndpoints, Said
from tests.support.chat_support import KEY, QUESTION, ask, endpoint, outcome, question
from tests.support.transport_support import FakeTime

ROOT = Path(__file__).parents[3]


# Each fault for good: what a call comes to, and after how many requests.
EFFECTS = {
    "400": ("http-400", 1),
    "400-filter": ("content_filter", 1),
    "401": ("http-401", 1),
    "402": ("http-402", 1),
    "403": ("http-403", 1),
    "404": ("http-404", 1),
    "408": ("http-408", 3),
    "429": ("http-429", 3),
    "429-retry-after": ("http-429", 3),
    "429-milliseconds": ("http-429", 3),
    "429-quota": ("quota", 1),
    "500": ("http-500", 3),
    "529": ("http-529", 3),
    "echo-key": ("http-401", 1),
    "page": ("malformed", 1),
    "timeout": ("timeout", 3),
    "drip": ("timeout", 3),
    "cut": ("connection", 3),
    "reset": ("connection", 3),
    "huge": ("too-large", 1),
    "malformed": ("malformed", 1),
    "no-message": ("malformed", 1),
    "wrapped-502": ("http-502", 3),
    "empty": ("stop", 1),
    "null": ("stop", 1),
    "filter": ("content_filter", 1),
    "length": ("length", 1),
    "unknown-tool": ("tool_calls", 1),
    "endless-tools": ("tool_calls", 1),
}
FATAL = {"401", "402", "403", "429-quota", "echo-key"}
SLOW = {"timeout", "drip"}


def test_the_matrix_has_every_fault() -> None:
    assert tuple(EFFECTS) == FAULTS


def test_the_page_on_models_names_every_effect() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    reasons = {re.sub("http-5..", "http-5xx", reason) for reason, _ in EFFECTS.values()} - {"stop"}
    assert [reason for reason in sorted(reasons) if f"`{reason}`" not in page] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_costs_its_call_and_no_other(kind: str) -> None:
    """The call of another model is answered; one of the same model too, unless its endpoint refuses all."""
    with ModelEndpoints() as local:
        local.fault(kind, model="m")
        bad, good = endpoint(local, timeout=0.1 if kind in SLOW else 20.0), endpoint(local, name="good", model="g")
        time = FakeTime()

        async def main() -> list[Reply | CallFailure]:
            async with ChatModels([bad, good], ChatSettings(), clock=time.clock, sleep=time.sleep) as models:
                struck = await models["openai"].ask(QUESTION)
                other = await models["good"].ask(QUESTION)
                local.heal()
                return [struck, other, await models["openai"].ask(QUESTION)]

        struck, other, later = asyncio.run(main())
        assert outcome(struck) == EFFECTS[kind]
        assert isinstance(other, Reply)
        if kind not in SLOW:  # on a busy machine so short a time-out may strike at any moment
            assert isinstance(later, CallFailure) is (kind in FATAL)
            assert len(local.calls) == EFFECTS[kind][1] + 1 + (kind not in FATAL)
        assert KEY not in repr((struck, other, later))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("api", sorted({*PLAYED} - {"openai"}))
def test_a_fault_has_the_same_effect_with_every_api(api: str, kind: str) -> None:
    if kind in ("no-message", "wrapped-502"):
        pytest.skip("the body is that of the other API")
    with ModelEndpoints() as local:
        local.fault(kind)
        (said,) = ask(endpoint(local, api, timeout=0.1 if kind in SLOW else 20.0))
        assert outcome(said) == EFFECTS[kind]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(60))
def test_faults_in_any_order_cost_what_is_reported_and_no_more(seed: int) -> None:
    chosen = random.Random(seed)  # noqa: S311
    with ModelEndpoints() as local:
        for _ in range(chosen.randrange(1, 12)):
            local.fault(chosen.choice(sorted({*FAULTS} - SLOW)), 1)
        said = ask(endpoint(local, concurrency=chosen.randrange(1, 5)), *[QUESTION] * 8)
        assert sum(one.attempts for one in said) == len(local.calls)
        assert all(one.attempts <= 3 for one in said)
        assert all(isinstance(one, Reply) or one.detail for one in said)
        assert KEY not in repr(said)


@pytest.mark.parametrize("kind", ["429", "500", "529", "408", "cut", "reset"])
def test_a_call_that_is_retried_succeeds(kind: str) -> None:
    with ModelEndpoints() as local:
        local.fault(kind, 2)
        time = FakeTime()
        (said,) = ask(endpoint(local), time=time)
        assert outcome(said) == ("stop", 3)
        assert time.slept == [2.0, 4.0]
        assert said.seconds == 6.0


def test_retry_after_is_honoured_and_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelEndpoints() as local:
        local.fault("429-retry-after", 1)
        time = FakeTime()
        ask(endpoint(local), time=time)
        assert time.slept == [RETRY_AFTER]
        monkeypatch.setattr("tests.stand_ins.model_endpoints.RETRY_AFTER", 90_000)
        local.fault("429-retry-after", 1)
        time = FakeTime()
        ask(endpoint(local), time=time)
        assert time.slept == [LONGEST_WAIT]
        local.fault("429-milliseconds", 1)
        time = FakeTime()
        ask(endpoint(local), time=time)
        assert time.slept == [0.25]


def test_who_waits_for_another_try_leaves_the_slot_to_others() -> None:
    with ModelEndpoints() as local:
        local.fault("429-retry-after", 1)
        said = ask(endpoint(local, concurrency=1), question("first"), question("second"))
        assert [outcome(one) for one in said] == [("stop", 2), ("stop", 1)]
        assert [call.messages[0]["content"] for call in local.calls] == ["first", "second", "first"]


def test_a_limit_that_strikes_two_calls_holds_all() -> None:
    with ModelEndpoints() as local:
        local.fault("429-retry-after", 2)
        time = FakeTime()
        ask(endpoint(local, concurrency=1), *(question(str(number)) for number in range(4)), time=time)
        assert Counter(call.messages[0]["content"] for call in local.calls) == {"0": 2, "1": 2, "2": 1, "3": 1}
        assert time.seconds >= RETRY_AFTER
        # Nobody asked between the second refusal and the time that it named.
        assert [call.messages[0]["content"] for call in local.calls[:2]] == ["0", "1"]


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (3, 3)])
def test_no_more_calls_at_once_than_the_endpoint_has_room_for(concurrency: int, most: int) -> None:
    with ModelEndpoints() as local:
        said = ask(endpoint(local, concurrency=concurrency), *[QUESTION] * 12)
        assert all(isinstance(one, Reply) for one in said)
        assert local.most_at_once <= most


def test_more_calls_at_once_than_a_run_asks_services() -> None:
    """The limit over all services of a bibliography does not apply to an endpoint."""
    with ModelEndpoints() as local:
        together = threading.Barrier(60, timeout=20)

        def script(_: Call) -> Said:
            together.wait()
            return Said()

        local.script = script
        said = ask(endpoint(local, concurrency=60), *[QUESTION] * 60)
        assert {outcome(one) for one in said} == {("stop", 1)}


def test_a_rate_spaces_the_calls() -> None:
    with ModelEndpoints() as local:
        time = FakeTime()
        ask(endpoint(local, rate=2.0), *[QUESTION] * 4, time=time)
        assert time.seconds == pytest.approx(3 * 0.5 / 0.95)


@pytest.mark.parametrize("kind", sorted(FATAL))
def test_an_endpoint_that_refuses_all_is_asked_once_a_worker(kind: str) -> None:
    with ModelEndpoints() as local:
        local.fault(kind)
        said = ask(endpoint(local, concurrency=3), *[QUESTION] * 30)
        assert len(local.calls) <= 3
        assert {one.reason for one in said if isinstance(one, CallFailure)} == {EFFECTS[kind][0]}
        assert len({one.detail for one in said if isinstance(one, CallFailure)}) == 1
        assert sum(one.attempts for one in said) == len(local.calls)


def test_an_endpoint_that_never_responds_is_given_up() -> None:
    async def one_by_one(one: Endpoint, calls: int) -> list[str]:
        time = FakeTime()
        async with ChatModels([one], ChatSettings(), clock=time.clock, sleep=time.sleep) as models:
            said = [await models[one.name].ask(QUESTION) for _ in range(calls)]
            assert "10 calls in a row without a response" in models.notes[0]
            return [outcome(each)[0] for each in said]

    with ModelEndpoints() as local:
        local.fault("reset", 9)
        local.fault("400", 1)
        local.fault("reset")
        reasons = asyncio.run(one_by_one(endpoint(local, attempts=1), 25))
        assert reasons == ["connection"] * 9 + ["http-400"] + ["connection"] * 15
        assert len(local.calls) == 20


@pytest.mark.parametrize("api", PLAYED)
def test_the_key_is_nowhere_but_in_the_request(api: str, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """The endpoint repeats the key, in an error and in an answer."""
    caplog.set_level(logging.DEBUG)
    with ModelEndpoints(lambda call: f"you sent {dict(call.headers)}") as local:
        local.fault("echo-key", 1, model="bad")
        one = endpoint(local, api, parameters={"extra_headers": {"X-Extra-Auth": "hidden-value-77"}})
        settings = ChatSettings(cassettes=tmp_path, record="new")
        said = [*ask(one, settings=settings), *ask(replace(one, model="bad"), settings=settings)]
        assert all(KEY in str(call.headers) and "hidden-value-77" in str(call.headers) for call in local.calls)
        stored = "".join(file.read_text() for file in tmp_path.iterdir())
        shown = repr((said, one, settings)) + caplog.text
        for secret in (KEY, "hidden-value-77"):
            assert secret not in stored + shown
        assert "REDACTED" in repr(said[0])
        assert "REDACTED" in repr(said[1])


def test_the_traceback_of_a_crash_shows_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelEndpoints() as local:
        monkeypatch.setattr("pytest_citecheck.models.chat.calls.read_refusal", None)
        local.fault("400")
        with pytest.raises(TypeError) as caught:
            ask(endpoint(local))
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        assert KEY not in "".join(shown.format())


def test_the_time_of_all_calls_ends_them() -> None:
    with ModelEndpoints() as local:
        local.fault("timeout")
        said = ask(endpoint(local, concurrency=1), QUESTION, QUESTION, settings=ChatSettings(total_timeout=0.3))
        assert [outcome(one) for one in said] == [("deadline", 1), ("deadline", 0)]


def test_what_cannot_be_said_is_a_failure() -> None:
    with ModelEndpoints() as local:
        strange = ChatRequest(QUESTION.messages, parameters={"seed": float("nan")})
        half = question("half a pair \ud83d")
        said = ask(endpoint(local), strange, half)
        assert [outcome(one) for one in said] == [("request", 0), ("stop", 1)]
