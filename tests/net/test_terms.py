"""Recordings of a service that forbids handing its answers on: the fields that are read, and nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.model import Query, QueryResult
from pytest_citecheck.net import Transport, TransportSettings, load
from pytest_citecheck.sources import SOURCES, Rate, SemanticScholar, Terms, source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stand_ins.server import LocalServices

NAME = "semantic_scholar"
QUESTIONS = (
    Query("arxiv", "1706.03762"),
    Query("arxiv", "2999.99999"),
    Query("title", "Deep Residual Learning for Image Recognition", ("He",)),
    Query("title", "Spectral gradients for entirely invented learning problems", ("Quillfeather",)),
)
UNREAD = ("authorId", "CorpusId", "DBLP", "issn", "alternate_urls")


def ask(
    services: LocalServices, folder: Path, record: str, asked: SemanticScholar | None = None
) -> dict[Query, QueryResult]:
    settings = TransportSettings(
        base_urls=services.base_urls,
        rates={NAME: Rate(1000, 4)},
        cassettes=folder,
        record=record,  # type: ignore[arg-type]
        offline=record == "none",
    )

    async def run() -> dict[Query, QueryResult]:
        async with Transport(settings) as transport:
            return await transport.ask(asked or source(NAME), QUESTIONS)

    return asyncio.run(run())


def bodies(folder: Path) -> str:
    return "".join(one.body.decode() for one in load(folder / f"{NAME}.json"))


def test_only_what_is_read_is_recorded_and_reads_the_same(services: LocalServices, tmp_path: Path) -> None:
    live = ask(services, tmp_path, "all")
    assert not [field for field in UNREAD if f'"{field}"' in bodies(tmp_path)]
    assert ask(services, tmp_path, "none") == live


def test_recordings_of_whole_answers_still_replay(services: LocalServices, tmp_path: Path) -> None:
    class Whole(SemanticScholar):
        terms = Terms("raw answers")

    live = ask(services, tmp_path, "all", Whole())
    assert '"authorId"' in bodies(tmp_path)
    assert ask(services, tmp_path, "none") == live


def test_what_would_read_otherwise_is_not_recorded(services: LocalServices, tmp_path: Path) -> None:
    class Careless(SemanticScholar):
        def kept(self, body: bytes) -> bytes:
            return body.replace(b"Residual", b"Remaining")

    ask(services, tmp_path, "all", Careless())
    assert "Remaining" not in bodies(tmp_path)
    assert "Attention" in bodies(tmp_path)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"null", b'"x"', b"[null, 1, []]", b'{"data": [null, 1, {"authors": 3}]}']
)
def test_no_answer_is_too_odd_to_be_cut(body: bytes) -> None:
    kept = source(NAME).kept(body)
    assert kept == body or json.loads(kept) is not None


def test_only_semantic_scholar_says_so() -> None:
    assert [one.name for one in SOURCES if not one.terms.raw] == [NAME]
    assert all(one.terms.said for one in SOURCES)
