"""Recorded calls are replayed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_citecheck.models.chat import ChatSettings, Reply, cassette_name
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.support.chat_support import ask, endpoint, outcome, question


def test_recorded_calls_are_replayed_without_network_and_key(tmp_path: Path) -> None:
    request, again = question(parameters={"temperature": 0}), question(parameters={"temperature": 0}, sample=1)
    with ModelEndpoints(lambda _: f"answer {len(local.calls)}") as local:
        one = endpoint(local, name="My model/1")
        live = ask(one, request, settings=ChatSettings(cassettes=tmp_path, record="new"))
        live += ask(one, again, settings=ChatSettings(cassettes=tmp_path, record="new"))
        known = ask(one, request, settings=ChatSettings(cassettes=tmp_path, record="new"))
        assert len(local.calls) == 2
    elsewhere = replace(one, base_url="https://other.example.org/v2", api_key="")
    replay = ChatSettings(cassettes=tmp_path, record="none")
    said = ask(elsewhere, request, again, settings=replay)
    texts = [reply.content for reply in (*live, *known, *said) if isinstance(reply, Reply)]
    assert texts == ["answer 1", "answer 2", "answer 1", "answer 1", "answer 2"]
    assert all(isinstance(reply, Reply) and reply.replayed and reply.attempts == 0 for reply in said)
    for other in (
        question("other"),
        question(parameters={"temperature": 1}),
        question(parameters={"temperature": 0}, sample=2),
        replace(request, tools=()),
    ):
        (missing,) = ask(replace(elsewhere, parameters={"seed": 1}), other, settings=replay)
        assert outcome(missing) == ("not-recorded", 0)


def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    settings = ChatSettings(cassettes=tmp_path, record="new")
    with ModelEndpoints() as local:
        local.fault("400", 1)
        local.fault("filter", 1)
        said = [*ask(endpoint(local), settings=settings), *ask(endpoint(local), settings=settings)]
        assert [outcome(one) for one in said] == [("http-400", 1), ("content_filter", 1)]


def test_a_recording_that_was_changed_is_not_used(tmp_path: Path) -> None:
    with ModelEndpoints() as local:
        one = endpoint(local)
        ask(one, settings=ChatSettings(cassettes=tmp_path, record="new"))
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text().replace("Hello.", "Howdy."))
    (said,) = ask(one, settings=ChatSettings(cassettes=tmp_path, record="none"))
    assert outcome(said) == ("not-recorded", 0)


def test_offline_sends_nothing() -> None:
    with ModelEndpoints() as local:
        (said,) = ask(endpoint(local), settings=ChatSettings(offline=True))
        assert (outcome(said), local.calls) == (("offline", 0), [])


def test_names_that_differ_in_capitals_only_have_cassettes_of_their_own() -> None:
    """On some systems they would be one file."""
    names = [cassette_name(name).lower() for name in ("gpt", "GPT", "Gpt", "g.p.t", "g/p/t")]
    assert len(set(names)) == len(names)
