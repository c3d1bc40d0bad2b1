"""Who says something of his own."""

from __future__ import annotations

import pytest

from pytest_citecheck.linking.provenance import independent_compilers, independent_sources, upstream


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
    ("origins", "collected", "said"),
    [
        ((), 0, 0),
        (("dblp",), 1, 1),
        (("dblp", "crossref"), 2, 2),
        (("dblp-2024", "api-dblp"), 1, 1),
        (("dblp", "mlanthology"), 1, 1),  # ML Anthology fills its gaps from dblp
        (("dblp", "mlanthology", "papercopilot"), 2, 2),
        (("mlanthology", "papercopilot"), 2, 1),  # both print the publisher's page
        (("crossref", "mlanthology", "papercopilot"), 2, 2),  # ML Anthology has it by way of OpenAlex
        (("crossref", "openalex", "semantic_scholar"), 1, 1),
        (("openalex", "semantic_scholar"), 2, 1),  # both compile what Crossref has
        (("pubmed", "europe_pmc"), 1, 1),
    ],
)
def test_who_takes_from_another_only_repeats_it(origins: tuple[str, ...], collected: int, said: int) -> None:
    assert (independent_compilers(origins), independent_sources(origins)) == (collected, said)
