"""The transport as its callers use it: batches, memory, recording, replaying, interruption."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from pytest_citecheck.model import Absent, Found, Query, QueryResult, Unavailable
from pytest_citecheck.net import CassetteError, NetworkBackend, Pacer, RecordMode, Transport, TransportSettings, load
from pytest_citecheck.sources import Rate, Source
from tests.support.transport_support import ISO_DATE, FakeSource, FakeTime, Reply, dois, reply, serving, titles

if TYPE_CHECKING:
    from collections.abc import Callable


def ask(
    source: Source,
    queries: list[Query],
    base_url: str = "http://127.0.0.1:9",
    cassettes: Path | None = None,
    record: RecordMode | None = None,
    contact: str = "",
) -> tuple[dict[Query, QueryResult], Transport]:
    settings = TransportSettings(base_urls={source.name: base_url}, cassettes=cassettes, record=record, contact=contact)

    async def main() -> tuple[dict[Query, QueryResult], Transport]:
        async with Transport(settings, jitter=lambda: 0.0) as transport:
            return await transport.ask(source, queries), transport

    return asyncio.run(main())


def found(answers: dict[Query, QueryResult]) -> dict[str, str]:
    return {
        query.value: asked.answer.records[0].title
        for query, asked in answers.items()
        if isinstance(asked.answer, Found)
    }


def test_questions_are_deduplicated_batched_by_kind_and_answered_in_order() -> None:
    queries = [*dois("a", "b", "a"), Query("title", "t"), *dois("c"), Query("title", "u")]
    with serving(titles) as server:
        answers, transport = ask(FakeSource(size=2, rate=Rate(1e4, 1)), queries, server.url)
    assert [query.value for query in answers] == ["a", "b", "t", "c", "u"]
    assert found(answers) == {value: f"Title of {value}" for value in "abtcu"}
    assert sorted(path.partition("=")[2] for path in server.paths) == ["a%2Cb", "c", "t", "u"]
    assert transport.statistics["fake"].answered == 5


def test_no_questions_no_requests() -> None:
    answers, _ = ask(FakeSource(), [])
    assert answers == {}


def test_identity_goes_into_the_user_agent_only() -> None:
    with serving(titles) as server:
        ask(FakeSource(), dois("a"), server.url, contact="jane@example.org")
    path, headers = server.requests[0]
    assert headers["user-agent"].endswith(" (mailto:jane@example.org)")
    assert headers["accept"] == "application/json"
    assert "jane" not in path


def test_same_question_is_sent_once_a_run_however_often_it_is_asked() -> None:
    source = FakeSource()

    async def main(url: str) -> None:
        async with Transport(TransportSettings(base_urls={"fake": url})) as transport:
            first = await asyncio.gather(*(transport.ask(source, dois("a", f"b{n}")) for n in range(8)))
            again = await transport.ask(source, dois("a"))
            assert {id(answers[dois("a")[0]]) for answers in [*first, again]} == {id(again[dois("a")[0]])}

    with serving(titles) as server:
        asyncio.run(main(server.url))
    assert len(server.requests) == 9


def test_who_waits_for_an_interrupted_question_asks_it_again() -> None:
    source = FakeSource()
    slow = [True]

    def script(path: str) -> Reply:
        return [5.0] if slow.pop() else titles(path)

    async def main(url: str) -> QueryResult:
        async with Transport(TransportSettings(base_urls={"fake": url})) as transport:
            first = asyncio.create_task(transport.ask(source, dois("a")))
            while not server.requests:
                await asyncio.sleep(0.005)
            second = asyncio.create_task(transport.ask(source, dois("a")))
            third = asyncio.create_task(transport.ask(source, dois("a")))
            await asyncio.sleep(0.01)
            slow.append(False)
            third.cancel()
            await asyncio.sleep(0)
            first.cancel()
            (asked,) = (await second).values()
            assert first.cancelled()
            assert third.cancelled()
            return asked

    with serving(script) as server:
        asked = asyncio.run(main(server.url))
    assert isinstance(asked.answer, Found)
    assert len(server.requests) == 2


def test_progress_adds_up() -> None:
    calls: list[tuple[str, int]] = []

    async def main(url: str) -> None:
        settings = TransportSettings(base_urls={"fake": url})
        async with Transport(settings, on_answer=lambda name, number: calls.append((name, number))) as transport:
            await transport.ask(FakeSource(size=2), dois("a", "b", "c", "d", "e"))

    with serving(titles) as server:
        asyncio.run(main(server.url))
    assert sorted(calls) == [("fake", 1), ("fake", 2), ("fake", 2)]


def test_rate_of_the_settings_replaces_that_of_the_source() -> None:
    fake = FakeTime()

    async def main(url: str) -> None:
        settings = TransportSettings(base_urls={"fake": url}, rates={"fake": Rate(0.5, 1)})
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            await transport.ask(FakeSource(), dois("a", "b", "c"))
            assert transport.statistics["fake"].waited == pytest.approx(4 / 0.95)

    with serving(titles) as server:
        asyncio.run(main(server.url))


@pytest.mark.sample(1)
@pytest.mark.parametrize("noted", [False, True], ids=["announced now", "noted by an earlier run"])
@pytest.mark.parametrize("has_rate", [True, False])
def test_rate_of_the_user_at_a_mirror_counts_more_than_announced_limits(
    tmp_path: Path, has_rate: bool, noted: bool
) -> None:
    fake = FakeTime()
    # Processes share a budget by the clock of the machine; without a folder no test waits.
    shared: dict[str, Any] = {"cache": tmp_path, "refresh": True} if noted else {"clock": fake.clock}
    clock = shared.pop("clock", time.monotonic)

    def limited(path: str) -> Reply:
        return reply(
            json.dumps({path.partition("=")[2]: "A title"}),
            x_rate_limit_limit="1", x_rate_limit_interval="1s", x_concurrency_limit="1",
        )  # fmt: skip

    async def waited(url: str, rates: dict[str, Rate], *ids: str) -> float:
        settings = TransportSettings(base_urls={"fake": url}, rates=rates, **shared)
        sleep = asyncio.sleep if noted else fake.sleep
        async with Transport(settings, clock=clock, sleep=sleep) as transport:
            await transport.ask(FakeSource(rate=Rate(20, 1)), dois(*ids))
            return transport.statistics["fake"].waited

    with serving(limited) as server:
        asyncio.run(waited(server.url, {}, "a"))
        seconds = asyncio.run(waited(server.url, {"fake": Rate(20, 1)} if has_rate else {}, "b", "c", "d"))
    assert seconds < 0.9 if has_rate else seconds > 0.9


def test_retry_after_of_a_mirror_counts_more_than_the_rate_of_the_user() -> None:
    fake = FakeTime()
    replies = iter([reply("", 429, **{"retry-after": "7"})])

    async def main(url: str) -> None:
        settings = TransportSettings(base_urls={"fake": url}, rates={"fake": Rate(100, 1)})
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            await transport.ask(FakeSource(), dois("a"))
            assert transport.statistics["fake"].waited >= 7

    with serving(lambda path: next(replies, None) or titles(path)) as server:
        asyncio.run(main(server.url))


def test_recorded_answers_are_replayed_without_a_server(tmp_path: Path) -> None:
    queries = dois("a", "b", "gone", "c", "d")

    def script(path: str) -> Reply:
        return reply('{"gone": null}', 404) if "gone" in path else titles(path)

    with serving(script) as server:
        live, transport = ask(FakeSource(), queries, server.url, tmp_path, "new")
        assert transport.statistics["fake"].recorded == 5
    replayed, transport = ask(FakeSource(), list(reversed(queries)), cassettes=tmp_path, record="none")
    assert replayed == live
    assert replayed[queries[0]].date == ISO_DATE
    assert isinstance(replayed[queries[2]].answer, Absent)
    tally = transport.statistics["fake"]
    assert (tally.requests, tally.replayed, tally.answered) == (0, 5, 5)


def test_recorded_batch_answers_any_part_of_it_and_is_read_once(tmp_path: Path) -> None:
    with serving(titles) as server:
        ask(FakeSource(size=10), dois(*"abcdef"), server.url, tmp_path, "new")
    assert len(server.requests) == 1
    source = FakeSource(size=3)
    answers, _ = ask(source, dois("e", "b", "f"), cassettes=tmp_path, record="none")
    assert found(answers) == {value: f"Title of {value}" for value in "ebf"}
    assert source.parsed == [tuple(dois("e", "b", "f"))]


def test_missing_recording_says_how_to_record(tmp_path: Path) -> None:
    answers, transport = ask(FakeSource(), dois("a"), cassettes=tmp_path / "none", record="none")
    (asked,) = answers.values()
    detail = "not in the cassettes; record it with --citecheck-record=new"
    assert asked.answer == Unavailable("not-recorded", detail)
    assert asked.endpoint == "https://api.fake.example.org/works?ids=a"
    assert transport.statistics["fake"].requests == 0
    assert not (tmp_path / "none").exists()


def test_new_sends_only_what_is_missing_and_all_sends_everything(tmp_path: Path) -> None:
    with serving(titles) as server:
        ask(FakeSource(), dois("a", "b"), server.url, tmp_path, "new")
        ask(FakeSource(), dois("a", "b", "c"), server.url, tmp_path, "new")
        assert len(server.requests) == 3
        ask(FakeSource(), dois("a", "b"), server.url, tmp_path, "all")
        assert len(server.requests) == 5
    assert len(load(tmp_path / "fake.json")) == 3


def test_without_record_mode_cassettes_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "fake.json").write_text("broken")
    with serving(titles) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url, tmp_path, None)
    assert found(answers) == {"a": "Title of a"}


@pytest.mark.parametrize(
    "script",
    [lambda _: reply("", 429), lambda _: reply("", 500), lambda _: reply("<html>"), lambda _: reply("{}", 200)],
    ids=["429", "500", "HTML", "no record"],
)
def test_failures_are_never_recorded(tmp_path: Path, script: Callable[[str], Reply]) -> None:
    with serving(script) as server:
        ask(FakeSource(), dois("a"), server.url, tmp_path, "new")
    assert not (tmp_path / "fake.json").exists()


@pytest.mark.parametrize(("checksum", "reason"), [("sha256", "damaged-recording"), ("other", "malformed")])
def test_recording_that_cannot_be_read_is_asked_anew_or_named(tmp_path: Path, checksum: str, reason: str) -> None:
    with serving(titles) as server:
        ask(FakeSource(), dois("a"), server.url, tmp_path, "new")
        path = tmp_path / "fake.json"
        path.write_text(path.read_text().replace("Title of a", 'x\\"y').replace("sha256", checksum))
        answers, transport = ask(FakeSource(), dois("a"), cassettes=tmp_path, record="none")
        (asked,) = answers.values()
        assert isinstance(asked.answer, Unavailable)
        assert asked.answer.reason == reason
        told = [f"{path}: not used" in problem and "ids=a" in problem for problem in transport.problems]
        assert told == ([True] if reason == "damaged-recording" else [])
        answers, transport = ask(FakeSource(), dois("a"), server.url, tmp_path, "new")
        assert transport.problems == ()
    assert found(answers) == {"a": "Title of a"}
    assert len(server.requests) == 2


def test_no_secret_reaches_cassette_or_evidence(tmp_path: Path) -> None:
    source = FakeSource(extra="&api_key=s3cr3tvalue&mailto=jane%40example.org")

    def script(path: str) -> Reply:
        body = json.dumps({"a": "By Jane@Example.org with s3cr3tvalue"})
        return reply(body, set_cookie="s3cr3tvalue", location="/?api_key=s3cr3tvalue")

    with serving(script) as server:
        live, _ = ask(source, dois("a"), server.url, tmp_path, "new", contact="jane@example.org")
        assert "s3cr3tvalue" in server.paths[0]
    text = (tmp_path / "fake.json").read_text()
    assert "s3cr3tvalue" not in text
    assert "example.org" not in text.lower().replace("api.fake.example.org", "")
    assert "127.0.0.1" not in text
    replayed, _ = ask(source, dois("a"), cassettes=tmp_path, record="none", contact="jane@example.org")
    assert replayed == live
    assert found(live) == {"a": "By REDACTED with REDACTED"}
    assert "s3cr3t" not in repr(live)


def test_secrets_stay_out_of_failures() -> None:
    class Chatty(FakeSource):
        def parse(self, queries: object, response: object) -> dict[Query, Absent]:  # type: ignore[override]
            raise RuntimeError("https://h/?api_key=s3cr3tvalue")

    with serving(titles) as server:
        answers, _ = ask(Chatty(extra="&api_key=s3cr3tvalue"), dois("a"), server.url)
    assert "s3cr3t" not in repr(answers)


def test_interrupted_recording_keeps_what_was_received(tmp_path: Path) -> None:
    def script(path: str) -> Reply:
        return [5.0] if path.endswith("slow") else titles(path)

    async def main(url: str) -> None:
        received: list[int] = []

        def on_answer(_: str, number: int) -> None:
            received.append(number)
            if sum(received) == 2:
                run.cancel()

        async def recording() -> None:
            settings = TransportSettings(base_urls={"fake": url}, cassettes=tmp_path, record="new")
            async with Transport(settings, on_answer=on_answer) as transport:
                await transport.ask(FakeSource(), dois("a", "slow", "b"))

        run = asyncio.create_task(recording())
        with pytest.raises(asyncio.CancelledError):
            await run

    with serving(script) as server:
        asyncio.run(main(server.url))
    assert len(load(tmp_path / "fake.json")) == 2
    answers, _ = ask(FakeSource(), dois("a", "b"), cassettes=tmp_path, record="none")
    assert found(answers) == {"a": "Title of a", "b": "Title of b"}


def test_recording_is_saved_while_it_goes_on(tmp_path: Path) -> None:
    fake = FakeTime()

    async def main(url: str) -> None:
        settings = TransportSettings(
            base_urls={"fake": url}, cassettes=tmp_path, record="new", rates={"fake": Rate(0.1, 1)}
        )
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            await transport.ask(FakeSource(), dois("a", "b"))
            assert len(load(tmp_path / "fake.json")) == 2

    with serving(titles) as server:
        asyncio.run(main(server.url))


def test_answer_that_a_cassette_cannot_hold_is_counted(tmp_path: Path) -> None:
    class Binary(FakeSource):
        def parse(self, queries: object, response: object) -> dict[Query, Absent]:  # type: ignore[override]
            return {dois("a")[0]: Absent()}

    with serving(lambda _: reply(b"\xff\xfe")) as server:
        answers, transport = ask(Binary(), dois("a"), server.url, tmp_path, "new")
    assert isinstance(answers[dois("a")[0]].answer, Absent)
    assert (transport.statistics["fake"].recorded, transport.statistics["fake"].unrecordable) == (0, 1)


def test_broken_cassette_is_reported_before_anything_is_sent(tmp_path: Path) -> None:
    (tmp_path / "fake.json").write_text('{"version": 1, "interactions": [')
    with serving(titles) as server:
        with pytest.raises(CassetteError, match=r"fake\.json"):
            ask(FakeSource(), dois("a"), server.url, tmp_path, "new")
        assert server.requests == []
    assert (tmp_path / "fake.json").read_text() == '{"version": 1, "interactions": ['


def test_recording_that_cannot_be_saved_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    def script(path: str) -> Reply:
        (tmp_path / "fake.json").write_text("another program was here")
        return titles(path)

    with serving(script) as server, pytest.raises(CassetteError, match=r"fake\.json"):
        ask(FakeSource(), dois("a"), server.url, tmp_path, "new")
    assert (tmp_path / "fake.json").read_text() == "another program was here"


def test_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    for record in ("none", "new"):
        with pytest.raises(CassetteError, match="file"):
            ask(FakeSource(), dois("a"), cassettes=path, record=record)


def test_services_that_share_a_host_share_its_breaker() -> None:
    one, other = FakeSource("one"), FakeSource("other")
    other.base_url = one.base_url

    async def main(url: str) -> QueryResult:
        settings = TransportSettings(base_urls={"one": url, "other": url})
        async with Transport(settings) as transport:
            await transport.ask(one, dois("a"))
            (asked,) = (await transport.ask(other, dois("a"))).values()
            return asked

    with serving(lambda _: reply("", 429, retry_after="99")) as server:
        asked = asyncio.run(main(server.url))
    assert isinstance(asked.answer, Unavailable)
    assert asked.answer.reason == "breaker"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "faulty",
    [
        {"record": "new"},
        {"record": "once", "cassettes": Path("x")},
        {"timeout": 0},
        {"connect_timeout": -1},
        {"base_urls": {"crossref": "localhost:8000"}},
        {"rates": {"crossref": Rate(0, 1)}},
        {"rates": {"crossref": Rate(1, 0)}},
        {"contact": "a@b.org\r\nX-Evil: 1"},
    ],
)
def test_settings_that_cannot_work_are_refused(faulty: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"record|timeouts|base URL|rate of|contact"):
        TransportSettings(**faulty)  # type: ignore[arg-type]


def test_settings_import_nothing_heavy() -> None:
    code = (
        "import sys, pytest_citecheck.net.settings;"
        "print([name for name in ('httpx', 'httpcore', 'vcr', 'yaml', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_question_that_cannot_stand_in_a_batch_is_asked_alone() -> None:
    from pytest_citecheck.sources import CROSSREF  # noqa: PLC0415

    queries = [Query("doi", name) for name in ("10.1000/a", "10.1000/b,c", "10.1000/d")]
    control = CROSSREF.controls["doi"].value
    one = f'[{{"DOI": "{control}", "title": ["A work"]}}]'
    found = f'{{"status": "ok", "message-type": "work-list", "message": {{"total-results": 1, "items": {one}}}}}'

    def script(path: str) -> Reply:
        return reply("Resource not found.", 404) if path.startswith("/works/") else reply(found)

    with serving(script) as server:
        answers, _ = ask(CROSSREF, queries, server.url)
    assert [type(answers[query].answer) for query in queries] == [Absent] * 3
    together, *alone = server.paths
    assert control in unquote(together)
    assert [path.startswith("/works/") for path in alone] == [True, True]  # denied, and denied again


def test_who_has_to_connect_first_waits_for_another_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such requests would arrive together with those on open connections and exceed the limit."""
    connect, turn = NetworkBackend.connect_tcp, Pacer.turn
    connections, turns = [], []

    async def slowly(*args: Any, **options: Any) -> Any:
        connections.append(args)
        await asyncio.sleep(0.15)
        return await connect(*args, **options)

    async def counted(pacer: Pacer, longest_hold: float) -> float | None:
        turns.append(pacer)
        return await turn(pacer, longest_hold)

    monkeypatch.setattr(NetworkBackend, "connect_tcp", slowly)
    monkeypatch.setattr(Pacer, "turn", counted)
    with serving(titles) as server:
        ask(FakeSource(rate=Rate(50, 3)), dois(*"abcdefghij"), server.url)
    assert connections
    assert len(turns) == 10 + len(connections)
