"""A service that asks for a pause, temporary or permanent: the run, its messages, and the next run."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.model import Query, QueryResult, Unavailable
from pytest_citecheck.net import (
    LONGEST_HOLD,
    AnswerCache,
    Budget,
    Transport,
    TransportSettings,
    budget_path,
    hold_messages,
)
from pytest_citecheck.sources import Rate
from tests.support.suites import first_fast
from tests.support.transport_support import FakeSource, dois, reply, serving, titles

FOR_EVER = ["999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 -2300", "45"]


def ask(url: str, cache: Path) -> tuple[list[str], tuple[str, ...]]:
    """Return the result of one query and the messages to the user."""
    source = FakeSource(rate=Rate(1000, 1))

    async def run() -> tuple[dict[Query, QueryResult], tuple[str, ...]]:
        settings = TransportSettings(base_urls={source.name: url}, cache=cache)
        async with Transport(settings, jitter=lambda: 0.0) as transport:
            answers = await transport.ask(source, dois("a"))
            return answers, transport.problems

    answers, problems = asyncio.run(run())
    answered = [asked.answer for asked in answers.values()]
    return [each.reason if isinstance(each, Unavailable) else "Found" for each in answered], problems


@pytest.mark.exhaustive
@pytest.mark.parametrize("retry_after", first_fast(FOR_EVER, 2))
def test_no_service_is_left_alone_for_more_than_an_hour(
    tmp_path: Path, retry_after: str, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = [reply("", 429, retry_after=retry_after)]
    with serving(lambda path: replies.pop() if replies else titles(path)) as server:
        reasons, problems = ask(server.url, tmp_path)
        if retry_after.endswith("-2300"):  # no moment that there is
            assert (reasons, problems) == (["Found"], ())
            return
        assert reasons == ["http-429"]
        assert len(problems) == 1
        assert problems[0].startswith("api.fake.example.org at 127.0.0.1:")
        assert "UTC; run `citecheck cache clear --holds`" in problems[0]
        with closing(Budget(budget_path(tmp_path))) as budget:
            (hold,) = budget.holds().values()
        assert 30 < hold.seconds <= LONGEST_HOLD
        assert hold.until <= time.time() + LONGEST_HOLD
        assert ask(server.url, tmp_path) == (["breaker"], problems)
        assert len(server.requests) == 1

        def cache(*arguments: str) -> list[str]:
            assert main(["cache", *arguments, f"--cache={tmp_path}"]) == 0
            return capsys.readouterr().out.splitlines()

        assert cache("info") == [*problems, cache("info")[-1]]
        assert cache("clear")[0] == problems[0]  # they stay, and that is told
        assert cache("clear", "--holds") == [f"{tmp_path}: 1 hold removed"]
        assert cache("clear", "--holds") == [f"{tmp_path}: 0 holds removed"]
        assert len(cache("info")) == 1
        assert ask(server.url, tmp_path) == (["Found"], ())


def test_the_holds_go_and_the_answers_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(titles) as server:
        ask(server.url, tmp_path)
    with closing(AnswerCache(tmp_path, "x")) as cache:
        cache.put_many(1, [])
    before = answers(tmp_path, capsys)
    assert main(["cache", "clear", "--holds", f"--cache={tmp_path}"]) == 0
    assert answers(tmp_path, capsys) == before


def answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["cache", "info", f"--cache={folder}"]) == 0
    return capsys.readouterr().out


def test_holds_go_with_clear_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "info", "--holds", f"--cache={tmp_path}"]) == 2
    assert "--holds needs the action clear" in capsys.readouterr().err


def test_short_holds_and_those_of_others_are_not_told(tmp_path: Path) -> None:
    with closing(Budget(tmp_path / "budget")) as budget:
        budget.hold("mine", 600)
        budget.hold("short", 3)
        budget.hold("of\x1b[2Jothers", 600)
        assert [text.partition(" ")[0] for text in hold_messages(budget, {"mine", "short"}, 30)] == ["mine"]
        assert len(hold_messages(budget)) == 3
        assert all(text.isprintable() for text in hold_messages(budget))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "content", first_fast([b"\0" * 5000, b"no database at all " * 500, b"SQLite format 3\0" + b"\xff" * 8000])
)
def test_the_command_leaves_a_usable_cache_whatever_stands_there(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "answers-1.sqlite", *(budget_path(tmp_path) / f"{digit}.json" for digit in "0123456789abcdef")]
    budget_path(tmp_path).mkdir()
    for file in files:
        file.write_bytes(content)
    assert main(["cache", "info", f"--cache={tmp_path}"]) == 0
    told = capsys.readouterr().out
    assert ("set aside" in told, "has been recreated" in told) == (True, True)
    for file in files:
        file.write_bytes(content)
    for action in (["clear"], ["clear", "--holds"], ["info"]):
        assert main(["cache", *action, f"--cache={tmp_path}"]) == 0
    with serving(titles) as server:
        assert ask(server.url, tmp_path) == (["Found"], ())
