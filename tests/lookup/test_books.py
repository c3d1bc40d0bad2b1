"""Few requests for books and theses, and no catalogue requests for lists of papers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import gather
from pytest_citecheck.model import Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import HOLDING_NOTHING, LocalServices
from tests.support.evidence_builders import TODAY, entry

REFS = read_bibtex("refs.bib", (Path(__file__).parents[2] / "fixtures" / "refs.bib").read_bytes()).references
CATALOGUES = frozenset({"k10plus", "loc", "hal", "theses_fr"})
MOST_A_REFERENCE = 1.2


def requests(services: LocalServices, references: Iterable[Reference]) -> Counter[str]:
    """Count the requests to each source that has works."""
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    before = len(services.requests)
    asyncio.run(gather({one.key: one for one in references}, SOURCES, settings, TODAY))
    asked = Counter(request.service for request in services.requests[before:])
    return Counter({service: count for service, count in asked.items() if service not in HOLDING_NOTHING})


def without(reference: Reference, *names: str) -> Reference:
    fields, raw = (
        {name: value for name, value in held.items() if name not in names} for held in (reference.fields, reference.raw)
    )
    return replace(reference, fields=fields, raw=raw)


def test_a_bibliography_of_books(services: LocalServices) -> None:
    books = [one for one in REFS if one.type == "book"]
    assert len(books) >= 25
    counts = requests(services, books)
    assert counts["k10plus"] > 0
    assert counts.total() <= 0.5 * len(books), counts
    unnumbered = requests(services, [without(one, "isbn", "doi") for one in books])
    assert unnumbered.total() <= MOST_A_REFERENCE * len(books), unnumbered


@pytest.mark.exhaustive
def test_papers_ask_no_catalogue(services: LocalServices) -> None:
    papers = [
        without(one, "doi", "eprint", "url")
        for one in REFS
        if one.type in ("article", "inproceedings", "misc") and "hal" not in one.fields.get("archiveprefix", "").lower()
    ]
    numbered = entry(
        "@inproceedings{a, author = {Ada Quillfeather}, title = {An invented theory of absent gradients}, year = 2019, "
        "booktitle = {Proceedings of CVPR}, isbn = {9780262035613}}"
    )
    assert not CATALOGUES & requests(services, [*papers, numbered]).keys()


def test_theses_ask_the_catalogues_of_their_country(services: LocalServices) -> None:
    asked = "@phdthesis{{a, author = {{Ada Quillfeather}}, title = {{An invented theory of absent gradients}}, school = {{{}}}}}"
    assert CATALOGUES & requests(services, [entry(asked.format("MIT"))]).keys() == {"k10plus"}
    french = requests(services, [entry(asked.format("Universit\\'e de Grenoble"))])
    assert CATALOGUES & french.keys() == {"k10plus", "hal", "theses_fr"}
