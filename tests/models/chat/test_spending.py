"""The budget is a hard limit: the provider's bill stays within it, even if calls fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.models.chat import (
    LARGEST_ANSWER,
    LEDGER,
    NOTHING,
    Amount,
    Booking,
    CallFailure,
    ChatModels,
    ChatSettings,
    Ledger,
    Price,
    Reply,
    Spending,
    SpendingLimits,
    bound,
)
from tests.stand_ins.model_endpoints import PLAYED, ModelEndpoints, Said
from tests.support.chat_support import QUESTION, ask, endpoint, outcome, question
from tests.support.transport_support import FakeTime

ANSWER = Said(tokens=(1_000, 1_000))
PRICES = (3.0, 15.0)
COST = 0.018  # of an answer


def billed(local: ModelEndpoints) -> float:
    read, written = local.billed
    return (read * PRICES[0] + written * PRICES[1]) / 1e6


def limited(**limits: float) -> ChatSettings:
    return ChatSettings(limits=SpendingLimits(**limits))  # type: ignore[arg-type]


@pytest.mark.exhaustive
@pytest.mark.parametrize("api", PLAYED)
@pytest.mark.parametrize("kind", ["", "malformed", "cut", "reset", "timeout", "500", "429", "page"])
def test_no_more_is_billed_than_the_budget(api: str, kind: str) -> None:
    """A hundred calls at once, each of which would cost 0.018 dollars, and a budget of 0.1."""
    with ModelEndpoints(lambda _: ANSWER) as local:
        if kind:
            local.fault(kind)
        cap = {"maxOutputTokens" if api == "gemini" else "max_tokens": 1_000}
        one = endpoint(
            local, api, token_prices=PRICES, concurrency=100, parameters=cap, timeout=0.3 if kind == "timeout" else 20.0
        )
        calls = 20 if kind == "429" else 100
        said = ask(one, *(question(str(number)) for number in range(calls)), settings=limited(dollars=0.1))
        assert billed(local) <= 0.1
        if not kind:
            assert len(local.calls) == 5  # all that fit, although only four could be booked at once
            assert Counter(outcome(one)[0] for one in said) == {"stop": 5, "budget": 95}
            ids = {call.headers["x-client-request-id"] for call in local.calls}
            assert len(ids) == 5
            assert all(one.startswith("citecheck-") for one in ids)
        assert len(local.calls) >= 1


def test_an_answer_without_a_limit_gets_one_where_the_budget_needs_it() -> None:
    with ModelEndpoints(lambda _: ANSWER) as local:
        for api in PLAYED:
            ask(endpoint(local, api, token_prices=PRICES), settings=limited(dollars=0.1))
            ask(endpoint(local, api, token_prices=(0.0, 0.0)), settings=limited(dollars=0.1))
            ask(endpoint(local, api, token_prices=PRICES), settings=limited(calls=9))
        first = {call.api: call.body for call in local.calls[::3]}
        assert first["openai"]["max_tokens"] == first["anthropic"]["max_tokens"] == LARGEST_ANSWER
        assert first["gemini"]["generationConfig"] == {"maxOutputTokens": LARGEST_ANSWER}
        assert not any(
            "max_tokens" in call.body for call in local.calls if call.api == "openai" and call.body != first["openai"]
        )


@pytest.mark.parametrize(
    "parameters", [{"max_tokens": 10}, {"extra_body": {"max_completion_tokens": 10}}, {"max_tokens": 5, "n": 2}]
)
def test_the_answer_is_as_large_as_the_parameters_allow(parameters: dict[str, object]) -> None:
    with ModelEndpoints(lambda _: Said(tokens=(5, 5))) as local:
        one = endpoint(local, token_prices=(0.0, 1.0), parameters=parameters)
        assert outcome(ask(one, settings=limited(dollars=10e-6))[0])[0] == "stop"
        assert outcome(ask(one, settings=limited(dollars=9e-6))[0])[0] == "budget"


def test_calls_count_with_their_retries_and_refused_ones_do_not() -> None:
    with ModelEndpoints() as local:
        local.fault("reset", 2)  # of either call the first request
        one = endpoint(local, concurrency=1)
        said = ask(one, QUESTION, QUESTION, settings=limited(calls=3))
        assert [outcome(each) for each in said] == [("stop", 2), ("budget", 1)]
        local.fault("429", 2)
        assert outcome(ask(one, settings=limited(calls=1))[0]) == ("stop", 3)
        local.fault("reset", 1)
        assert outcome(ask(one, settings=limited(calls=1))[0]) == ("budget", 1)  # the retry has no room


@pytest.mark.exhaustive
def test_answers_that_stay_late_or_unreadable_end_the_calls() -> None:
    for kind in ("malformed", "timeout"):
        with ModelEndpoints() as local:
            local.fault(kind)
            one = endpoint(local, concurrency=1, timeout=0.1 if kind == "timeout" else 20.0)
            said = ask(one, *[QUESTION] * 30)
            assert len(local.calls) == 10, kind
            assert isinstance(said[-1], CallFailure)
            assert "10 late or unreadable answers in a row" in said[-1].detail


def test_a_readable_answer_in_between_starts_anew() -> None:
    with ModelEndpoints() as local:
        local.fault("malformed", 9)
        local.fault("empty", 1)
        local.fault("malformed", 9)
        said = ask(endpoint(local, concurrency=1), *[QUESTION] * 25)
        assert len(local.calls) == 25
        assert isinstance(said[-1], Reply)


def test_runs_of_one_folder_share_its_budget(tmp_path: Path) -> None:
    settings = ChatSettings(limits=SpendingLimits(dollars=0.1), ledger=tmp_path / "out" / LEDGER)
    with ModelEndpoints(lambda _: ANSWER) as local:
        one = endpoint(local, token_prices=PRICES, parameters={"max_tokens": 1_000})
        for _ in range(5):
            ask(one, QUESTION, QUESTION, settings=settings)
        assert len(local.calls) == 5
        assert len({call.headers["x-client-request-id"] for call in local.calls}) == 1  # the same call
        more = ChatSettings(limits=SpendingLimits(dollars=0.2), ledger=settings.ledger)
        ask(one, *[QUESTION] * 9, settings=more)
        assert len(local.calls) == 11


def test_notes_state_what_is_billed_booked_and_left(tmp_path: Path) -> None:
    async def main(local: ModelEndpoints) -> list[tuple[str, ...]]:
        notes: list[tuple[str, ...]] = []
        one = endpoint(local, token_prices=PRICES, parameters={"max_tokens": 1_000}, attempts=1)
        settings = ChatSettings(limits=SpendingLimits(dollars=1.0, calls=7), ledger=tmp_path / LEDGER)
        for kind in ("", "malformed", ""):
            if kind:
                local.fault(kind, 1)
            async with ChatModels([one], settings) as models:
                await models[one.name].ask(question(kind or "hi"))
                if not kind and notes:
                    await models[one.name].ask(question("malformed"))
                notes.append(models.notes)
        return notes

    with ModelEndpoints(lambda _: ANSWER) as local:
        first, second, third = asyncio.run(main(local))
    assert first[0] == (
        "budget of $1: $0.018 billed, $0 booked for calls whose outcome is unknown, $0.982 left (spending.jsonl)"
    )
    assert first[1].startswith("budget of 7 calls: 1 call billed, 0 calls booked")
    assert second[1].startswith("budget of 7 calls: 1 call billed, 1 call booked")
    assert "5 calls left" in second[1]
    assert third[2] == ("1 request was sent again, because an earlier run did not receive the outcome (spending.jsonl)")


def test_what_states_no_tokens_stays_booked() -> None:
    with ModelEndpoints(lambda _: Said(tokens=None)) as local:
        one = endpoint(local, parameters={"max_tokens": 100}, concurrency=1)
        said = ask(one, *[QUESTION] * 3, settings=limited(tokens=3_000))
        assert [outcome(each)[0] for each in said] == ["stop", "stop", "budget"]


def test_a_longer_answer_than_allowed_teaches_the_next_booking() -> None:
    """Some providers do not count reasoning for the limit of an answer."""
    with ModelEndpoints(lambda _: Said(tokens=(10, 900))) as local:
        one = endpoint(local, parameters={"max_tokens": 10}, concurrency=1)
        said = ask(one, *[QUESTION] * 3, settings=limited(tokens=2_500))
        assert [outcome(each)[0] for each in said] == ["stop", "budget", "budget"]


AMOUNT = Amount.of_money(0.4)


def test_processes_race_for_the_rest_of_a_budget(tmp_path: Path) -> None:
    """The order of lines decides; who comes too late spends nothing, also when it is read again under another limit."""
    path, limits = tmp_path / LEDGER, SpendingLimits(dollars=1.0)
    one, two = Ledger(path), Ledger(path)
    assert one.book(AMOUNT, limits, "m", "1")
    assert two.book(AMOUNT, limits, "m", "2")
    assert one.book(AMOUNT, limits, "m", "3") is None
    assert len(path.read_bytes().splitlines()) == 2  # a call that is refused at once leaves no line
    late = {"book": "late", "request": "4", "model": "m", "calls": 1, "tokens": 0, "nanodollars": 400_000_000}
    with path.open("a") as file:  # as if both had read before either wrote
        file.write(json.dumps({**late, "limits": {"dollars": 1.0}}) + "\n")
    assert Ledger(path).total == AMOUNT + AMOUNT
    assert Ledger(path).book(AMOUNT, SpendingLimits(dollars=1.2), "m", "5")
    assert Ledger(path).is_repeat("5")
    assert not one.is_repeat("5")


@pytest.mark.parametrize(
    "line",
    [
        *("", "[1]", "{}", "{", '"x"', "[" * 9_999),
        '{"book": "x", "request": "", "calls": -9, "tokens": 0, "nanodollars": 0}',
        '{"settle": "unknown", "calls": 1, "tokens": 1, "nanodollars": 1}',
    ],
)
def test_damaged_lines_of_the_ledger_count_for_nothing(line: str, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / LEDGER)
    booking = ledger.book(AMOUNT, SpendingLimits(), "m", "1")
    assert booking is not None
    with (tmp_path / LEDGER).open("a") as file:
        file.write(line or "\n")  # cut off, or an empty line
    ledger.settle(booking, NOTHING)
    assert Ledger(tmp_path / LEDGER).total == ledger.total == NOTHING


def test_a_call_waits_for_the_bills_of_its_own_process_only() -> None:
    async def main() -> tuple[Booking | str, Booking | str]:
        spending = Spending(SpendingLimits(dollars=0.5))
        first = await spending.reserve(AMOUNT, "m")
        assert isinstance(first, Booking)
        second = asyncio.create_task(spending.reserve(AMOUNT, "m"))
        await asyncio.sleep(0)
        assert not second.done()
        first.billed = Amount.of_money(0.1)
        spending.close(first)
        got = await second
        assert isinstance(got, Booking)
        spending.close(got)  # its outcome is unknown
        return got, await spending.reserve(AMOUNT, "m")

    got, refused = asyncio.run(main())
    assert isinstance(got, Booking)
    assert refused == (
        "the budget of $0.5 has no room for a call of up to $0.4: $0.1 billed, $0.4 booked for calls whose outcome is unknown"
    )


_HOLDER = """
import asyncio, os, sys
from pathlib import Path
from pytest_citecheck.models.chat import Amount, Ledger, Spending, SpendingLimits
async def main():
    spending = Spending(SpendingLimits(dollars=0.5), Ledger(Path(sys.argv[1])))
    booking = await spending.reserve(Amount.of_money(0.4), "m")
    print(os.getpid(), flush=True)
    answer = sys.stdin.readline().strip()
    booking.billed = Amount.of_money(float(answer)) if answer else None
    spending.close(booking)
    print("closed", flush=True)
    sys.stdin.readline()
asyncio.run(main())
"""


@contextlib.contextmanager
def holder(path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process with a booking of $0.4, and its id. A line on its input is the bill; an empty one: unknown."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def told(process: subprocess.Popen[str], bill: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{bill}\n")
    process.stdin.flush()
    process.stdout.readline()


UNKNOWN = "$0.4 booked for calls whose outcome is unknown"


@pytest.mark.sample(1)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
@pytest.mark.parametrize(("end", "state"), [("0.05", ""), ("", UNKNOWN), ("killed", UNKNOWN)])
def test_a_call_waits_for_the_bills_of_other_processes_while_they_live(tmp_path: Path, end: str, state: str) -> None:
    async def main(process: subprocess.Popen[str]) -> Booking | str:
        spending = Spending(SpendingLimits(dollars=0.5), Ledger(tmp_path / LEDGER))
        waiting = asyncio.create_task(spending.reserve(AMOUNT, "m"))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        if end == "killed":
            process.kill()
            process.wait()
        else:
            told(process, end)
        return await waiting

    with holder(tmp_path / LEDGER) as (process, _):
        got = asyncio.run(main(process))
    if state:
        assert got == f"the budget of $0.5 has no room for a call of up to $0.4: $0 billed, {state}"
    else:
        assert isinstance(got, Booking)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_a_refusal_names_the_process_with_the_bookings(tmp_path: Path) -> None:
    """It does not wait if the bills of the others cannot make room."""

    async def main(number: int) -> None:
        ledger = Ledger(tmp_path / LEDGER)
        ledger.settle(ledger.book(Amount.of_money(0.05), SpendingLimits(), "m", ""), Amount.of_money(0.05))  # type: ignore[arg-type]
        refused = await Spending(SpendingLimits(dollars=0.5), ledger).reserve(Amount.of_money(0.46), "m")
        assert isinstance(refused, str)
        assert f"$0.05 billed, $0.4 booked by process {number}, $0 booked for calls" in refused

    with holder(tmp_path / LEDGER) as (_, number):
        asyncio.run(main(number))


def test_two_runs_in_one_process_wait_for_each_other(tmp_path: Path) -> None:
    async def main() -> None:
        one, two = (Spending(SpendingLimits(dollars=0.5), Ledger(tmp_path / LEDGER)) for _ in range(2))
        first = await one.reserve(AMOUNT, "m")
        assert isinstance(first, Booking)
        second = asyncio.create_task(two.reserve(AMOUNT, "m"))
        await asyncio.sleep(0.1)
        assert not second.done()
        first.billed = NOTHING
        one.close(first)
        assert isinstance(await second, Booking)

    asyncio.run(main())


def test_the_bound_has_room_for_what_providers_add() -> None:
    price = Price("m", 1.0, 10.0, "", "", largest_prompt=5_000)
    small = bound(b"x" * 100, 50, price)
    assert small is not None
    assert small.tokens >= 100 + 50 + 804
    assert bound(b"x" * 5_000, 50, price) is None  # the price of so long a prompt is not known
    assert bound(b"x" * 5_000, 50, None) is not None


def test_amounts_add_up_exactly() -> None:
    assert sum((Amount.of_money(0.1) for _ in range(10)), start=NOTHING) == Amount.of_money(1.0, calls=10)
    assert not SpendingLimits(dollars=0.3).exceeded(Amount.of_money(0.1) + Amount.of_money(0.2))


def test_many_calls_at_once_use_a_budget_up() -> None:
    with ModelEndpoints(lambda _: ANSWER) as local:
        time = FakeTime()
        one = endpoint(local, token_prices=PRICES, concurrency=100)  # booked with the default limit of an answer
        said = ask(one, *(question(str(number)) for number in range(60)), settings=limited(dollars=0.5), time=time)
        assert 0.5 - COST - 15e-6 * LARGEST_ANSWER <= billed(local) <= 0.5
        assert Counter(outcome(each)[0] for each in said)["stop"] == len(local.calls)
