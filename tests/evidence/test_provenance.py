"""Sources with first-hand information."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from pytest_citecheck.evidence import (
    first_hand_evidence,
    independent_compilers,
    independent_sources,
    is_compiler,
    upstream,
)
from pytest_citecheck.model import Absent
from pytest_citecheck.sources import SOURCES
from tests.support.evidence_builders import absent, evidence, found, record


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


def test_a_service_without_a_first_word_compiles() -> None:
    compilers = {source.name for source in SOURCES if is_compiler(source.name)}
    assert compilers == {"open_library", "europe_pmc", "web_page", "openalex", "semantic_scholar", "inspire", "ads"}
    assert is_compiler("openalex-2024-06")
    assert not any(map(is_compiler, ("mlanthology", "papercopilot", "dblp-2024", "zotero-of-mine")))


def test_compiled_records_convict_of_nothing() -> None:
    own, compiled = record("Of engines", "Ada Lovelace"), record("Of looms", source="openalex", compiled=True)
    assert first_hand_evidence(evidence(found(own, compiled))) == evidence(found(own))
    assert first_hand_evidence(evidence(found(compiled))).asked[0].answer == Absent()
    listed, complete = (
        found(kind="venue_year", value="icml", source="mine"),
        absent("mine", "doi", "10.1/x", "every DOI"),
    )
    assert first_hand_evidence(evidence(listed, complete)) == evidence(listed, complete)
    by_compiler = [replace(line, compiled=True) for line in (listed, complete)]
    assert [line.answer for line in first_hand_evidence(evidence(*by_compiler)).asked] == [Absent(), Absent()]


@pytest.mark.exhaustive
def test_the_services_are_known_whatever_was_imported_before() -> None:
    code = "from pytest_citecheck.evidence.provenance import label; print(label('crossref'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "Crossref\n"
