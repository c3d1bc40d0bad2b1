"""The queries of an arena, and the prompts for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.models.arena import ArenaQuery, Queries, QueryError, read_queries, system_prompt
from pytest_citecheck.models.chat import Endpoint, SearchOptions

QUERIES: list[dict[str, Any]] = [
    {"query": f"topic {number}", "discipline": "physics", "num_refs": 20, "language": "en"} for number in range(9)
]


def read(value: object, name: str = "q.json", **options: Any) -> Queries:
    return read_queries(Path(name), json.dumps(value).encode(), **options)


def test_the_three_forms() -> None:
    lines = "\n\n".join(map(json.dumps, QUERIES)).encode()
    forms = [read(QUERIES), read({"queries": QUERIES}), read_queries(Path("q.jsonl"), lines)]
    assert forms[0] == forms[1] == forms[2]
    assert [query.number for query in forms[0].queries] == list(range(1, 10))


def test_fields_and_their_defaults() -> None:
    constraint = {"exact": 2020, "min_year": 2000, "max_year": None}
    given = {"query": " 主题 ", "year_constraint": constraint, "metadata": {"a": 1}, "id": 7, "discipline": None}
    bare, full = read([{"query": "x"}, given]).queries
    assert (bare.discipline, bare.num_refs, bare.language, bare.earliest, bare.latest) == ("other", 5, "zh", None, None)
    assert (full.text, full.id, full.earliest, full.latest, full.discipline) == (" 主题 ", "7", 2020, 2020, "other")


def test_the_shuffle_is_that_of_its_seed_and_keeps_the_numbers() -> None:
    first, again, other = (read(QUERIES, shuffle=True, seed=seed, most=4) for seed in (3, 3, 4))
    assert first == again != other
    assert len(first.queries) == 4
    assert all(query.text == f"topic {query.number - 1}" for query in first.queries)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("text", "a query must be a JSON object"),
        ({}, "query must be non-empty text"),
        ({"query": "x", "num_refs": 25}, "num_refs must be a whole number from 1 to 20, not 25"),
        ({"query": "x", "num_refs": True}, "num_refs must be"),
        (
            {"query": "x", "year_constraint": {"after": 2020}},
            "year_constraint allows exact, min_year, max_year, not after",
        ),
        ({"query": "x", "year_constraint": {"exact": "2020"}}, "year_constraint.exact must be a whole number"),
        ({"query": "x", "language": 3}, "language must be text"),
        ({"query": "x", "metadata": []}, "metadata must be an object"),
    ],
)
def test_an_invalid_query_is_an_error_with_its_place(item: object, said: str) -> None:
    with pytest.raises(QueryError, match=f"query 2: {said}"):
        read([QUERIES[0], item, QUERIES[1]])
    lenient = read([QUERIES[0], item, QUERIES[1]], lenient=True)
    assert [query.number for query in lenient.queries] == [1, 3]
    assert (lenient.in_file, len(lenient.omitted)) == (3, 1)


@pytest.mark.parametrize("name", ["q.txt", "q.yaml"])
def test_other_files_are_refused(name: str) -> None:
    with pytest.raises(QueryError, match=r"in a \.json or \.jsonl file"):
        read(QUERIES, name)
    for text in ("{", '{"query": "x"}', "[]"):
        with pytest.raises(QueryError, match=r"q\.json: "):
            read_queries(Path("q.json"), text.encode())


def test_the_four_built_in_prompts() -> None:
    bare = Endpoint("n", "http://x", "m")
    tool = Endpoint("n", "http://x", "m", search=SearchOptions())
    english, chinese = ArenaQuery(1, "q", language="en", num_refs=7), ArenaQuery(1, "q", language="zh", num_refs=7)
    prompts = [system_prompt(endpoint, query) for endpoint in (bare, tool) for query in (english, chinese)]
    assert len(set(prompts)) == 4
    assert all("7" in prompt and "BibTeX" in prompt and "{" not in prompt for prompt in prompts)
    assert [("with a tool" in prompt or "用工具" in prompt) for prompt in prompts] == [False, False, True, True]


def test_w24_braces_of_an_own_prompt_stay() -> None:
    endpoint = Endpoint("n", "http://x", "m", system_prompt='Give {num_refs} as {"title": {x}} {0} {num_ref}')
    assert system_prompt(endpoint, ArenaQuery(1, "q", num_refs=3)) == 'Give 3 as {"title": {x}} {0} {num_ref}'
