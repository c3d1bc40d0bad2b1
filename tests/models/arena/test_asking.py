"""The answer file as checkpoint: queries sent, answers kept, and the state after a killed process."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.models import AnswerLog, Ask, ModelAnswer, Outcome, ask, best_answers, read_log, to_ask
from pytest_citecheck.models.arena import (
    ArenaQuery,
    Cell,
    SelectionError,
    bare_answer,
    bibliography_of,
    cells_of,
    selected_models,
    selected_queries,
)
from pytest_citecheck.models.chat import CallFailure, ChatRequest, Endpoint, Reply, SearchOptions

BARE, TOOL = (Endpoint("a/b", "http://x/v1", "m"), Endpoint("c", "http://y/v1", "m", search=SearchOptions()))
QUERIES = [ArenaQuery(number, f"topic {number}", "physics", 2, "en") for number in (1, 2, 3)]
CELLS = cells_of([BARE, TOOL], QUERIES)


def answered(cells: Iterable[Cell], log: AnswerLog, *, failing: str = "") -> tuple[list[str], Outcome]:
    """Return the queries sent, by model, and the outcome."""
    asked = []

    async def converse(cell: Cell) -> ModelAnswer:
        asked.append(f"{cell.endpoint.name} {cell.query.number}")
        await asyncio.sleep(0)
        if cell.query.text == failing:
            return ModelAnswer(None, "http-500", "down")
        return ModelAnswer(f"@misc{{k, title={{On {cell.query.text}}}}}", prompt_tokens=3, cost=0.5)

    with log.opened():
        outcome = asyncio.run(ask(list(cells), log, converse))
        log.put_in_order(CELLS)
    return asked, outcome


def numbers(cells: Iterable[Cell], log: AnswerLog, mode: Ask = "missing") -> list[str]:
    return [f"{cell.endpoint.name} {cell.query.number}" for cell in to_ask(list(cells), log, mode)]


@pytest.fixture
def log(tmp_path: Path) -> AnswerLog:
    return AnswerLog(tmp_path / "out" / "answers.jsonl")


def test_w17_each_answer_is_kept_for_itself(log: AnswerLog) -> None:
    """Queries by query, and a model that failed costs the others nothing."""
    assert numbers(CELLS, log) == [f"{name} {number}" for number in (1, 2, 3) for name in ("a/b", "c")]
    answered(CELLS[:1], log)
    assert numbers(CELLS, log) == ["c 1", "a/b 2", "c 2", "a/b 3", "c 3"]


def test_w18_failures_are_asked_again_and_changes_ask_the_delta(log: AnswerLog) -> None:
    _, outcome = answered(CELLS, log, failing="topic 2")
    assert (outcome.asked, outcome.failures) == (6, {"http-500": 2})
    modes: tuple[Ask, ...] = ("missing", "failed", "all", "none")
    assert [len(numbers(CELLS, log, mode)) for mode in modes] == [2, 2, 6, 0]
    more = cells_of([BARE, TOOL, replace(BARE, name="new")], [*QUERIES, ArenaQuery(4, "topic 4")])
    assert len(numbers(more, log, "failed")) == 2
    assert numbers(more, log) == ["new 1", "a/b 2", "c 2", "new 2", "new 3", "a/b 4", "c 4", "new 4"]
    hotter = cells_of([replace(BARE, parameters={"temperature": 1})], QUERIES)
    other = cells_of([replace(BARE, system_prompt="Give {num_refs}.")], QUERIES)
    assert len(numbers(hotter, log)) == len(numbers(other, log)) == 3
    moved = cells_of([replace(BARE, base_url="http://z", api_key="k", concurrency=9)], QUERIES)
    scored_otherwise = cells_of([BARE], [replace(query, discipline="other") for query in QUERIES])
    assert numbers(moved, log) == numbers(scored_otherwise, log) == ["a/b 2"]
    asked, _ = answered(to_ask(CELLS, log, "missing"), log)
    assert sorted(asked) == ["a/b 2", "c 2"]
    assert numbers(CELLS, log) == []


def test_samples_and_the_same_query_twice_are_cells_of_their_own(log: AnswerLog) -> None:
    twice = cells_of([BARE], [*QUERIES, replace(QUERIES[0], number=4)], 2)
    assert len({cell.key for cell in twice}) == 8
    assert cells_of([BARE], QUERIES)[0].key == twice[0].key


@pytest.mark.parametrize("kept", [0, 1, 40, -2, -1])
def test_w19_a_torn_line_is_dropped_and_asked_again(log: AnswerLog, kept: int) -> None:
    answered(CELLS[:2], log)
    first, second, _ = log.path.read_bytes().split(b"\n")
    log.path.write_bytes(first + b"\n" + second[: kept or None] if kept else first + b"\n")
    assert numbers(CELLS[:2], log) == ["c 1"]
    asked, _ = answered(to_ask(CELLS[:2], log, "missing"), log)
    assert asked == ["c 1"]
    assert [logged.key[0] for logged in read_log(log.path)] == ["a/b", "c"]


def test_damaged_lines_are_passed_over(log: AnswerLog) -> None:
    answered(CELLS[:2], log)
    damaged = [
        b"{}",
        b"[1]",
        b'"x"',
        b"\xff",
        b'{"model": 1, "answer": "", "fingerprint": "", "call": {}}',
        b"[" * 9999,
    ]
    log.path.write_bytes(b"\n".join([*damaged, log.path.read_bytes()]))
    assert numbers(CELLS[:2], log) == []


def test_the_file_is_the_same_in_whatever_order_answers_come(log: AnswerLog, tmp_path: Path) -> None:
    other = AnswerLog(tmp_path / "other.jsonl")
    answered(CELLS, log)
    answered(CELLS[3:], other, failing="topic 3")
    answered(CELLS[:3][::-1], other)
    answered(to_ask(CELLS, other, "missing"), other)
    assert other.path.read_bytes() == log.path.read_bytes()
    lines = [json.loads(line) for line in log.path.read_text(encoding="utf-8").splitlines()]
    assert [(line["query"], line["model"]) for line in lines[:2]] == [("topic 1", "a/b"), ("topic 1", "c")]
    assert lines[0]["num_refs"] == 2


def test_what_was_paid_for_stays(log: AnswerLog) -> None:
    """A prompt that is changed and changed back asks nothing twice."""
    answered(CELLS, log)
    other = cells_of([replace(BARE, system_prompt="x")], QUERIES)
    answered(other, log)
    assert numbers(CELLS, log) == []
    assert len(best_answers(read_log(log.path))) == 9


def test_w20_an_answer_costs_one_line(log: AnswerLog) -> None:
    """Not one more writing of the whole file."""
    with log.opened():
        log.append(CELLS[0], ModelAnswer("a"))
        before = log.path.read_bytes()
        log.append(CELLS[1], ModelAnswer("b"))
    assert log.path.read_bytes().startswith(before)


def test_one_process_asks_at_a_time(log: AnswerLog) -> None:
    waited = threading.Event()
    done: list[str] = []

    def second() -> None:
        with log.opened(waited.set):
            done.append("second")

    with log.opened():
        thread = threading.Thread(target=second)
        thread.start()
        assert waited.wait(30)
        done.append("first")
    thread.join(30)
    assert done == ["first", "second"]


def test_w15_answers_stay_with_their_queries(log: AnswerLog) -> None:
    """Query numbers come from the file, even if queries failed, were left out or are still pending."""
    answered(CELLS[2:4], log, failing="topic 2")
    read = bibliography_of("arena.yaml", CELLS, log.path, "answers.jsonl")
    groups = [place.group for place in read.answered if place is not None]
    assert [(one.number, one.model, one.tool) for one in groups[:3]] == [
        (1, "a/b", False),
        (1, "c", True),
        (2, "a/b", False),
    ]
    codes = [reference.defects[0].code for reference in read.references]
    assert codes == ["answer-not-asked"] * 2 + ["answer-missing"] * 2 + ["answer-not-asked"] * 2
    assert read.references[2].defects[0].message == "no answer from a/b: the call failed (http-500)"


def test_models_and_queries_are_selected() -> None:
    queries = [*QUERIES, ArenaQuery(4, "x", "chemistry", id="q-four")]
    assert [one.name for one in selected_models([BARE, TOOL], ["a*"])] == ["a/b"]
    assert [one.number for one in selected_queries(queries, ["2-3", "q-four"])] == [2, 3, 4]
    assert [one.number for one in selected_queries(queries, ["chemistry", "1"])] == [1, 4]
    assert selected_queries(queries, []) == tuple(queries)
    with pytest.raises(SelectionError, match="unknown model 'z'; known are a/b, c"):
        selected_models([BARE, TOOL], ["z"])
    with pytest.raises(SelectionError, match="unknown query '9'"):
        selected_queries(queries, ["9"])


class _Model:
    name = "m"

    def __init__(self, said: Reply | CallFailure) -> None:
        self.said, self.requests = said, list[ChatRequest]()

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        self.requests.append(request)
        return self.said


def test_a_bare_answer_is_one_call() -> None:
    model = _Model(Reply("", "length", prompt_tokens=5, completion_tokens=0, cost=0.25, model="m-2026"))
    answer = asyncio.run(bare_answer(model, replace(CELLS[0], sample=3)))
    assert (answer.text, answer.finish, answer.prompt_tokens, answer.cost) == ("", "length", 5, 0.25)
    (request,) = model.requests
    assert [(message.role, message.content) for message in request.messages] == [
        ("system", CELLS[0].prompt), ("user", "topic 1"),
    ]  # fmt: skip
    assert request.sample == 2
    failed = asyncio.run(bare_answer(_Model(CallFailure("http-401", "no")), CELLS[0]))
    assert (failed.text, failed.failure, failed.calls) == (None, "http-401", 0)


def test_a_call_that_was_never_sent_is_not_a_failure_of_the_model(log: AnswerLog) -> None:
    """A budget that is used up, a replay without the call, an endpoint that refused the key of another call."""

    async def converse(cell: Cell) -> ModelAnswer:
        return ModelAnswer(None, "budget", "used up", attempts=0)

    with log.opened():
        outcome = asyncio.run(ask(CELLS, log, converse))
    assert outcome.failures == {"budget": 6}
    assert read_log(log.path) == []


def test_w21_a_model_that_waits_holds_up_no_other(log: AnswerLog) -> None:
    """The search of one waits until all answers of the other are there."""
    others = asyncio.Event()
    left = [cell for cell in CELLS if cell.endpoint is BARE]

    async def converse(cell: Cell) -> ModelAnswer:
        if cell.endpoint is TOOL:
            await others.wait()
        else:
            left.remove(cell)
            if not left:
                others.set()
        return ModelAnswer("a")

    async def all_of_them() -> Outcome:
        async with asyncio.timeout(60):
            return await ask(CELLS, log, converse)

    with log.opened():
        assert asyncio.run(all_of_them()).asked == len(CELLS)
    assert [logged.key[0] for logged in read_log(log.path)] == ["a/b"] * 3 + ["c"] * 3
