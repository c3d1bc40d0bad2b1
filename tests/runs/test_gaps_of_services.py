"""Services that lack a journal, a period, or nothing: only an invention in a venue that they cover is unfindable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from random import Random

import pytest

from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS
from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry

HELD, MISSING = "Journal of Applied Weaving", "Annals of Theoretical Looms"
_REGISTRIES = ("doi_org", "doi_ra")


def _title(dice: Random) -> str:
    """A title of made-up words, so that no two works are alike by chance."""
    made = ("".join(dice.choice("bdfglmnprstv") + dice.choice("aeiou") for _ in range(3)) for _ in range(7))
    return " ".join(made).capitalize()


def _works() -> Iterator[Work]:
    dice = Random(4)  # noqa: S311 - a simulation
    for number in range(40):
        yield Work(
            f"w{number}", _title(dice), "journal-article", authors=(Name("Ada", "Quill"), Name("Tom", "Night")),
            container=HELD if number < 32 else MISSING, issued=(2008 + number % 8,), doi=f"10.5555/w{number}", agency="Crossref",
        )  # fmt: skip


WORKS = tuple(_works())


def _entry(key: str, title: str, journal: str, year: int, doi: str = "") -> str:
    identifier = f", doi = {{{doi}}}" if doi else ""
    return (
        f"@article{{{key}, author = {{Quill, Ada and Night, Tom}}, title = {{{title}}}, journal = {{{journal}}}, "
        f"year = {year}{identifier}}}"
    )


def _checked(lacking: Callable[[str, Work], bool] | None, invented: Sequence[str]) -> dict[str, tuple[str, float]]:
    """The verdict and P(invented) of each reference: all works, every other one without its DOI, and the inventions."""
    entries = {
        work.id: _entry(work.id, work.title, work.container, work.issued[0], work.doi if number % 2 else "")
        for number, work in enumerate(WORKS)
    }
    for number, journal in enumerate(invented):
        title = _title(Random(number + 100))  # noqa: S311 - a simulation
        entries[f"x{number}"] = _entry(f"x{number}", title, journal, 2012)
    references = {key: entry(text) for key, text in entries.items()}
    with LocalServices(Facts(WORKS, {"10.5555": "Crossref"}), lacking=lacking) as services:
        settings = TransportSettings(
            base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES}
        )
        gathered = asyncio.run(gather(references, SOURCES, settings, TODAY))
    absences = AbsenceContext(gathered.controls, prior=PRIOR_OF_PAPERS)
    verdicts = {key: state.evaluate_finally(absences).verdict for key, state in gathered.states.items()}
    return {key: (verdict.name, verdict.probability) for key, verdict in verdicts.items()}


@pytest.mark.exhaustive
def test_an_invention_in_a_journal_that_services_hold_is_unfindable() -> None:
    verdicts = _checked(None, [HELD, "Journal That Nobody Ever Printed"])
    assert verdicts["x0"][0] == "unfindable"
    assert verdicts["x1"][0] == "undecided", "no source holds its venue"
    assert verdicts["x0"][1] > verdicts["x1"][1]
    assert {name for key, (name, _) in verdicts.items() if key.startswith("w")} == {"verified"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [4, 10])
def test_several_inventions_do_not_hide_each_other(count: int) -> None:
    verdicts = _checked(None, [HELD] * count)
    assert [verdicts[f"x{number}"][0] for number in range(count)] == ["unfindable"] * count


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "lacks",
    [
        pytest.param(lambda work: work.container == MISSING, id="a journal"),
        pytest.param(lambda work: work.issued[0] < 2011, id="a period"),
    ],
)
def test_real_works_of_a_gap_are_not_called(lacks: Callable[[Work], bool]) -> None:
    lacking = {work.id for work in WORKS if lacks(work)}
    verdicts = _checked(lambda service, work: service not in _REGISTRIES and work.id in lacking, [])
    assert {verdicts[key][0] for key in lacking} == {"undecided"}
    assert {name for key, (name, _) in verdicts.items() if key not in lacking} == {"verified"}
