"""Who says something of his own."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching.origins import upstream, voices


@pytest.mark.parametrize(
    ("collection", "whose"),
    [("dblp-2024", "dblp"), ("api-dblp", "dblp"), ("acl_anthology", "acl"), ("semantic_scholar", "semanticscholar")],
)
def test_whose_word_a_collection_is(collection: str, whose: str) -> None:
    assert upstream(collection) == whose


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
