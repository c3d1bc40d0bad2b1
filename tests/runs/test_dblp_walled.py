"""Twenty unknown works of computer science without identifiers."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import LocalServices
from tests.stand_ins.venue_year_lists import LISTS
from tests.support.evidence_builders import TODAY, entry
from tests.support.fault_matrix import hurried

CLOSED = (("NeurIPS", 2017), ("CVPR", 2016), ("NAACL", 2019), ("ICLR", 2017))
OPEN = ("Workshop on Entirely Invented Results", "Journal of Entirely Invented Results")
SUBJECTS = ("gradients", "kernels", "lattices", "samplers", "queries")
FAMILIES = ("Quillfeather", "Nightwhistle", "Saltmarsh", "Thornwick")


def references() -> dict[str, str]:
    """By id: twelve in venues and years that are listed completely, eight in others."""
    places = [
        *((venue, year) for venue, year in CLOSED for _ in range(3)),
        *((venue, 2018) for venue in OPEN for _ in range(4)),
    ]
    return {
        f"{venue}-{number}": (
            f"@inproceedings{{a, title = {{Spectral {SUBJECTS[number % 5]} of order {number} for invented problems}}, "
            f"author = {{Ada {FAMILIES[number % 4]} and Tom {FAMILIES[(number + 1) % 4]}}}, booktitle = {{{venue}}}, "
            f"year = {{{year}}}}}"
        )
        for number, (venue, year) in enumerate(places)
    }


def run(services: LocalServices) -> Gathered:
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    cited = {name: entry(text) for name, text in references().items()}
    with hurried():
        return asyncio.run(gather(cited, SOURCES, settings, TODAY))


def invented(gathered: Gathered) -> set[str]:
    return {name for name, state in gathered.states.items() if state.evaluate_so_far().verdict.name == "fabricated"}


LISTED = {name for name in references() if name.partition("-")[0] in dict(CLOSED)}


@pytest.mark.exhaustive
def test_dblp_answers_over_sparql_and_nobody_is_asked_more_than_its_share(services: LocalServices) -> None:
    """Eight titles per query, each list once for all authors and once to confirm; no search if a list answers.

    The eight works that no list covers are searched for once more, and their two venues at a second source.
    """
    gathered = run(services)
    assert invented(gathered) == LISTED
    assert not [name for name, tally in gathered.statistics.items() if tally.unavailable]
    assert Counter(request.service for request in services.requests) == {
        "semantic_scholar": 4,
        "dblp_sparql": 15,
        "crossref": 10,
        "openalex": 8,
        **dict.fromkeys(("acl_events", "cvf", "iclr", "neurips"), 1),
    }


@pytest.mark.exhaustive
def test_with_dblp_gone_each_publisher_is_asked_once(services: LocalServices) -> None:
    services.fault("dblp_sparql", "503")
    assert invented(run(services)) == LISTED
    asked = Counter(request.service for request in services.requests if request.service in LISTS)
    assert asked == {"neurips": 1, "cvf": 1, "acl_events": 1, "iclr": 1}
