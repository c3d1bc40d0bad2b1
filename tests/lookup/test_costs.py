"""Cost of a reference list: requests per reference by discipline, and accuracy of the plan's forecast."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from pytest_citecheck.evidence import discipline, work_types
from pytest_citecheck.inputs import cited_metadata, read_bibtex
from pytest_citecheck.lookup import forecast, gather
from pytest_citecheck.model import Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins import load_facts
from tests.stand_ins.server import CONVENTIONS_FILE, FACTS_FILE, LocalServices
from tests.support.evidence_builders import TODAY

FIXTURES = Path(__file__).parents[2] / "fixtures"
FACTS = load_facts(FACTS_FILE).joined_with(load_facts(CONVENTIONS_FILE))
# Web pages are asked on request alone.
ASKED = [source for source in SOURCES if source.base_url]
WITH_PMID = frozenset(work.id for work in FACTS.works if work.pmid or work.published)

APART = 0.1
"""Share by which plan and run may differ."""


def cited(*names: str) -> dict[str, Reference]:
    files = {name: (FIXTURES / name).read_bytes() for name in names}
    return {one.key: one for name, text in files.items() for one in read_bibtex(name, text).references}


def of_list(name: str) -> dict[str, Reference]:
    """Return the correct references of the fixtures that belong in a list of this kind."""
    return {key: one for key, one in cited("refs.bib", "conventions.bib").items() if name in kinds(one)}


def kinds(reference: Reference) -> Collection[str]:
    metadata = cited_metadata(reference)
    works, field = work_types(metadata), discipline(metadata)
    if not works.isdisjoint({"book", "thesis"}):
        return ("books",)
    if works.isdisjoint({"article", "paper", "misc"}):
        return ()
    natural = field in ("physics", "mathematics", "biomedical") or reference.key in WITH_PMID
    return ("sciences",) if natural else (field,)


def settings(services: LocalServices) -> TransportSettings:
    return TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(5000, 8) for source in ASKED})


def sent(references: Mapping[str, Reference], services: LocalServices) -> int:
    before = len(services.requests)
    asyncio.run(gather(references, ASKED, settings(services), TODAY))
    return len(services.requests) - before


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "most"), [("computer_science", 0.35), ("sciences", 0.6), ("books", 1.2)])
def test_requests_a_reference_by_discipline(name: str, most: float) -> None:
    references = of_list(name)
    assert len(references) >= 40
    with LocalServices(FACTS) as services:
        count = sent(references, services)
        names = {request.service for request in services.requests}
    assert count <= most * len(references)
    if name == "computer_science":
        assert not names & {"inspire", "zbmath", "ads", "biorxiv"}


@pytest.mark.exhaustive
def test_the_plan_foretells_what_a_right_list_costs() -> None:
    references = cited("refs.bib")
    with LocalServices(FACTS) as services:
        plan = asyncio.run(forecast(references, ASKED, settings(services), TODAY))
        assert not services.requests
        count = sent(references, services)
    expected = sum(line.expected for line in plan)
    assert abs(expected - count) <= APART * count
    assert all(line.least <= line.most and line.expected <= line.most for line in plan)
