"""Who says something of his own."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching.origins import upstream, voices


@pytest.mark.parametrize(
    ("collection", "expected"),
    [
        ("dblp", "dblp"),
        ("dblp-2024", "dblp"),
        ("DBLP-crawl-3", "dblp"),
        ("api-dblp", "dblp"),
        ("api_dblp", "dblp"),
        ("api-dblp-2024", "dblp"),
        ("api", "api"),
        ("api-", "api"),
        ("apiary", "apiary"),
        ("semantic_scholar", "semanticscholar"),
        ("acl_anthology", "acl"),
        ("acl-anthology-crawl", "acl"),
        ("-odd", "-odd"),
    ],
)
def test_upstreams(collection: str, expected: str) -> None:
    assert upstream(collection) == expected


@pytest.mark.parametrize(
    ("origins", "count"),
    [
        ((), 0),
        (("dblp",), 1),
        (("dblp", "crossref"), 2),
        (("dblp-2024", "api-dblp"), 1),
        (("dblp", "mlanthology"), 1),  # ML Anthology fills its gaps from dblp
        (("dblp", "mlanthology", "papercopilot"), 2),
        (("crossref", "openalex", "semantic_scholar"), 1),
        (("openalex", "semantic_scholar"), 2),
        (("pubmed", "europe_pmc"), 1),
    ],
)
def test_who_takes_from_another_that_is_there_only_repeats_it(origins: tuple[str, ...], count: int) -> None:
    assert voices(origins) == count
