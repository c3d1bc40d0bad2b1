"""Shapes that the parsers expect, compared with real responses: those recorded today, and older ones."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.doctor import body_of, change, expected_shape
from pytest_citecheck.sources import source
from tests.conformance.live_bodies import FOLDER, assert_read, rows
from tests.conformance.recorded import needs_recordings, recordings


@pytest.mark.parametrize("row", rows(FOLDER), ids=lambda row: f"{row['service']}-{row['kind']}")
def test_the_answer_of_today_is_read(row: dict[str, Any]) -> None:
    assert_read(FOLDER, row)


@needs_recordings
@pytest.mark.parametrize(
    ("service", "name", "kind", "envelope", "count"),
    [
        ("arxiv", "arxiv", "arxiv", "{http://www.w3.org/2005/Atom}feed/entry", 12),
        ("crossref", "crossref", "title", "message/items", 20),
        ("doi_ra", "doi_ra", "prefix", "*/RA", 9),
        ("openalex", "openalex", "doi", "results", 4),
        ("ncbi", "pubmed", "pmid", "PubmedArticleSet/PubmedArticle", 40),
        ("semanticscholar", "semantic_scholar", "doi", "*/externalIds", 10),
    ],
)
def test_no_place_of_a_real_answer_has_another_type(
    service: str, name: str, kind: Any, envelope: str, count: int
) -> None:
    """These responses have other works, so members may be missing, but present members must have the expected type."""
    asked = source(name)
    expected = expected_shape(asked, asked.controls[kind])
    assert expected
    compared = 0
    for recorded in recordings(service):
        body = body_of(recorded.body)
        if recorded.status in (200, None) and body is not None and envelope in body.places():
            # A title may consist of marked-up parts alone.
            said = [one for one in change(expected, recorded.body, None).retyped if "ArticleTitle" not in one]
            assert not said, recorded.file
            compared += 1
    assert compared >= count
