"""A made-up volume at the local Crossref: over HTTP, an invented article on its pages fails and real ones do not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from pytest_citecheck.checks import Evaluation
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY

JOURNAL = "Annals of Invented Machinery"
TITLES = (
    "Looms driven by falling water", "A census of northern windmills", "Why suction pumps fail in deep mines",
    "Clocks without escapements", "On printing with warm metal type", "Cranes for narrow harbours",
    "The firing curve of a brick kiln", "Lathes and the limits of oak", "Bellows, draught and the village forge",
    "Canal locks after heavy rain",
)  # fmt: skip
PEOPLE = ("Bauer", "Costa", "Dahl", "Eriksen", "Fontaine", "Garcia", "Horvat", "Ito", "Jansen", "Kovacs")
WORKS = tuple(
    Work(
        id=f"work{number}",
        title=title,
        type="journal-article",
        authors=(Name(given, family),),
        container=JOURNAL,
        issued=(1987, 1 + number),
        volume="12",
        issue="1",
        pages=f"{20 * number + 1}-{20 * number + 20}",
        issn=("1234-5679",),
        doi=f"10.5555/aim.12.{number}",
        agency="Crossref",
    )
    for number, (title, given, family) in enumerate(zip(TITLES, reversed(PEOPLE), PEOPLE, strict=True))
)
ASKED = [source for source in SOURCES if source.base_url]


class Run(NamedTuple):
    """Evaluations by key, and the paths of the requests."""

    found: Mapping[str, Evaluation]
    paths: Sequence[str]


def run(entries: Sequence[str], works: tuple[Work, ...] = WORKS) -> Run:
    references = {one.key: one for one in read_bibtex("refs.bib", "\n".join(entries).encode()).references}
    with LocalServices(Facts(works)) as services:
        rates = {source.name: Rate(5000, 8) for source in ASKED}
        settings = TransportSettings(base_urls=services.base_urls, rates=rates)
        gathered = asyncio.run(gather(references, ASKED, settings, TODAY))
        paths = [request.path for request in services.requests]
    return Run({key: state.evaluate_so_far() for key, state in gathered.states.items()}, paths)


def entry(key: str, title: str, people: str, pages: str, volume: str = "12") -> str:
    fields = {
        "title": title,
        "author": people,
        "journal": JOURNAL,
        "year": "1987",
        "volume": volume,
        "number": "1",
        "pages": pages,
    }
    return f"@article{{{key}, " + ", ".join(f"{name} = {{{value}}}" for name, value in fields.items()) + "}"


def cited(work: Work) -> str:
    people = " and ".join(map(str, work.authors))
    return entry(work.id, work.title, people, work.pages)


INVENTED = [
    entry(
        f"invented{page}", f"A quantum theory of {word} engines", "Grace Hopper and Alan Turing", f"{page}--{page + 9}"
    )
    for page, word in ((45, "difference"), (105, "analytical"), (161, "tabulating"))
]


def test_invented_articles_are_found_out_by_one_table_of_contents() -> None:
    done = run([*map(cited, WORKS), *INVENTED])
    for key, evaluation in done.found.items():
        finding = evaluation.findings["venue"]
        invented = key.startswith("invented")
        assert (finding.code, finding.outcome) == (
            ("place-other-work", "failed") if invented else ("place-ok", "passed")
        ), key
        assert (evaluation.verdict.name == "fabricated") == invented
    assert sum("/journals/" in path for path in done.paths) == 1


@pytest.mark.parametrize("missing", WORKS, ids=lambda work: work.id)
def test_a_real_article_that_the_service_lacks_is_not_accused(missing: Work) -> None:
    rest = tuple(work for work in WORKS if work is not missing)
    (evaluation,) = run([cited(missing)], rest).found.values()
    assert evaluation.findings["venue"].outcome == "unverifiable"
    assert evaluation.verdict.name == "undecided"


def test_a_service_without_the_volume_adds_nothing() -> None:
    elsewhere = tuple(replace(work, volume="14", issued=(1989, 1)) for work in WORKS)
    done = run(INVENTED, elsewhere)
    assert {evaluation.verdict.name for evaluation in done.found.values()} == {"undecided"}
