"""The tool ``web_search``: queries sent, results for the model, and failures."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.model import Answer, Found, Person, Query, QueryResult, Record, Unavailable
from pytest_citecheck.models.chat import (
    ChatModels,
    ChatSettings,
    SearchOptions,
    SourceSearch,
    SpendingLimits,
    ToolError,
    search_tool,
)
from pytest_citecheck.sources import SOURCES, Source
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.support.chat_support import endpoint
from tests.support.transport_support import FakeTime

KEY = "tvly-a1b2c3d4e5"


def search(
    local: ModelEndpoints, *arguments: Mapping[str, Any], settings: ChatSettings | None = None, **given: Any
) -> list[str]:
    """Return the output of each call of the tool; errors begin with ``Error``."""
    options = SearchOptions(**{"api_key": KEY, "url": local.search_url, **given})
    time = FakeTime()

    async def call(one: Mapping[str, Any], models: ChatModels) -> str:
        (tool,) = models.tools("openai")
        try:
            return await tool.run(one)
        except ToolError as error:
            return f"Error: {error}"

    async def main() -> list[str]:
        one = replace(endpoint(local), search=options, token_prices=(0.0, 0.0))
        async with ChatModels([one], settings or ChatSettings(), clock=time.clock, sleep=time.sleep) as models:
            return [await call(each, models) for each in arguments or ({"query": "x"},)]

    return asyncio.run(main())


def test_tavily_gets_the_query_and_the_key() -> None:
    with ModelEndpoints() as local:
        assert search(local, {"query": " graph nets "}) == ["1. A title\nhttps://example.org\nWords."]
        (call,) = local.calls
        assert (call.path, call.headers["authorization"]) == ("/search", f"Bearer {KEY}")
        assert call.body == {"query": "graph nets", "search_depth": "advanced", "max_results": 5}


def test_a_server_like_searxng_gets_the_query() -> None:
    with ModelEndpoints() as local:
        assert search(local, {"query": "a & b"}, provider="json", api_key="") == [
            "1. A title\nhttps://example.org\nWords."
        ]
        assert local.calls[0].path == "/search?q=a+%26+b&format=json"
        search(local, {"query": "x"}, provider="json", url=f"{local.search_url}/search?engines=crossref")
        assert local.calls[1].path == "/search?engines=crossref&q=x&format=json"


@pytest.mark.parametrize(
    ("most", "asked", "depth"),
    [
        ("advanced", None, "advanced"),
        ("advanced", "basic", "basic"),
        ("basic", None, "basic"),
        ("basic", "advanced", "basic"),
    ],
)
def test_the_depth_is_at_most_the_one_configured(most: str, asked: str | None, depth: str) -> None:
    with ModelEndpoints() as local:
        search(local, {"query": "x", **({"search_depth": asked} if asked else {})}, depth=most)
        assert local.calls[0].body["search_depth"] == depth


@pytest.mark.parametrize("arguments", [{}, {"query": 5}, {"query": " "}, {"query": "x", "search_depth": "deep"}])
def test_wrong_arguments_are_told_to_the_model(arguments: dict[str, object]) -> None:
    with ModelEndpoints() as local:
        (said,) = search(local, arguments)
        assert said.startswith("Error: the argument '")
        assert not local.calls


def test_five_hits_are_shown_and_long_ones_cut() -> None:
    with ModelEndpoints() as local:
        local.hits = [{"title": f"T{number}", "link": "u", "snippet": "x" * 2000} for number in range(9)]
        (said,) = search(local)
        assert said.count("x" * 1500 + "…\n\n") == 4
        assert "5. T4" in said
        assert "T5" not in said
        local.hits = []
        assert search(local) == ["The search found nothing."]


@pytest.mark.parametrize("hits", [[None], ["text"], [{"title": 5, "url": None}], {"a": 1}, 7])
def test_hits_of_other_types_are_passed_over(hits: Any) -> None:
    with ModelEndpoints() as local:
        local.hits = hits
        assert search(local) == ["The search found nothing."]


@pytest.mark.parametrize(
    ("kind", "requests", "said"),
    [
        ("401", 1, "HTTP status 401: Incorrect API key provided"),
        ("500", 3, "HTTP status 500"),
        ("429-retry-after", 3, "HTTP status 429"),
        ("echo-key", 1, "HTTP status 401: not accepted"),
        ("page", 1, "could not be read"),
        ("malformed", 1, "could not be read"),
        ("cut", 3, "broke"),
    ],
)
def test_a_search_that_fails_is_told_to_the_model(kind: str, requests: int, said: str) -> None:
    with ModelEndpoints() as local:
        local.fault(kind, model="search")
        (shown,) = search(local)
        assert shown.startswith("Error: the search failed: ")
        assert said in shown
        assert KEY not in shown
        assert len(local.calls) == requests


def test_searches_are_recorded_and_replayed(tmp_path: Path) -> None:
    with ModelEndpoints() as local:
        queries = [{"query": "x"}, {"query": "y"}]
        for provider in ("tavily", "json"):
            folder = tmp_path / provider
            live = search(local, *queries, settings=ChatSettings(cassettes=folder, record="new"), provider=provider)
            sent = len(local.calls)
            replay = ChatSettings(cassettes=folder, record="none")
            assert search(local, *queries, {"query": "z"}, settings=replay, provider=provider)[:2] == live
            assert "not recorded" in search(local, {"query": "z"}, settings=replay, provider=provider)[0]
            assert len(local.calls) == sent
            assert KEY not in "".join(file.read_text() for file in folder.iterdir())


class Answers:
    """Answers for each source."""

    def __init__(self, answer: Mapping[str, Answer]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def ask(self, source: Source, questions: Iterable[Query]) -> dict[Query, QueryResult]:
        self.asked.append(source.name)
        nothing = Unavailable("timeout", f"{source.name} is slow")
        return {one: QueryResult(source.name, one, self.answer.get(source.name, nothing), "") for one in questions}


def record(title: str, doi: str = "", **given: Any) -> Record:
    return Record("s", title, title=title, doi=doi, **given)


def searched(answers: Answers, query: str = "Attention is all you need", depth: str = "advanced") -> str:
    tool = search_tool(SourceSearch(answers, SOURCES))

    async def main() -> str:
        return await tool.run({"query": query, "search_depth": depth})

    return asyncio.run(main())


def test_the_sources_that_cover_most_are_searched() -> None:
    vaswani = Person(family="Vaswani", given="Ashish")
    names = Answers({})
    with pytest.raises(ToolError, match=r"the search failed: .* is slow"):
        searched(names)
    assert {"crossref", "semantic_scholar"} < set(names.asked)
    assert len(names.asked) == 4
    first, second, *_ = names.asked
    same = record("Same", "10.1/A", authors=(vaswani,), years=(2017,), venues=("NeurIPS",), authors_complete=False)
    answers = Answers(
        {first: Found((same, record("Other"))), second: Found((record("same", "10.1/a"), record("Third")))}
    )
    shown = searched(answers)
    assert shown.split("\n\n") == [
        "1. Same\nAuthors: Ashish Vaswani; others\nYear: 2017\nVenue: NeurIPS\nDOI: 10.1/A\nSource: s",
        "2. Other\nSource: s",
        "3. Third\nSource: s",
    ]
    basic = Answers({first: Found(())})
    assert searched(basic, depth="basic") == "The search found nothing."
    assert basic.asked == [first] == ["crossref"]


def test_a_search_of_sources_needs_some() -> None:
    with ModelEndpoints() as local:
        one = replace(endpoint(local), search=SearchOptions("sources"))
        with pytest.raises(ValueError, match="endpoint openai: no sources are available for search"):
            ChatModels([one], ChatSettings())


def test_a_search_counts_for_the_limit_of_money() -> None:
    with ModelEndpoints() as local:
        limited = ChatSettings(limits=SpendingLimits(dollars=0.01))
        queries = [{"query": word} for word in ("a", "b", "c")]
        said = search(local, *queries, settings=limited, price=0.005)
        assert [text.startswith("Error: no search: the budget of $0.01") for text in said] == [False, False, True]
        assert len(local.calls) == 2
        with pytest.raises(ValueError, match="needs a price for its search"):
            search(local, settings=limited, url="")
