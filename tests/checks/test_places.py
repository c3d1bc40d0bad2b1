"""Volume and pages: they confirm the cited work, show a slip, or show that another work is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import absent, evaluated, found, outcome, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
JOURNAL = "Annals of Invented Machinery"
NUMBERS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")
ARTICLES = [
    record(
        f"{number} report on looms and mills", f"Weaver {number}; Miller {number}", source="dblp", venue=JOURNAL, year=1950,
        type="article", volume="12", pages=f"{20 * place + 1}-{20 * place + 20}",
    )
    for place, number in enumerate(NUMBERS)
]  # fmt: skip
"""A whole volume of 160 pages."""


SHORT = [replace(one, venues=(JOURNAL, "Ann Inv Mach")) for one in ARTICLES]
"""The same by a source that states the abbreviation of the journal."""


def cited(pages: str, volume: str = "12", title: str = TITLE, **fields: str) -> Reference:
    stated = {"author": "Ada Lovelace and Alan Turing", "title": title, "journal": JOURNAL, "year": "1950"}
    return reference("article", **{**stated, "volume": volume, "pages": pages, **fields})


def volume(*articles: Record, kind: str = "volume", scope: str = "") -> QueryResult:
    return found(*articles, kind=kind, value=f"{JOURNAL}||12", source="index", scope=scope)  # type: ignore[arg-type]


def at(pages: str, volume: str = "12", **fields: object) -> Record:
    stated = {"source": "dblp", "venue": JOURNAL, "year": 1950, "type": "article", "volume": volume, "pages": pages}
    return record(TITLE, TWO, **{**stated, **fields})  # type: ignore[arg-type]


NOWHERE = absent("index")
WHOLE = volume(*ARTICLES)


@pytest.mark.parametrize(
    ("reference", "evidence", "expected"),
    [
        (cited("41--60"), [at("41-60")], ("passed", "place-ok")),
        (cited("45"), [at("41-60")], ("passed", "place-ok")),
        (cited("41--60"), [at("41-60"), at("43-60", source="crossref")], ("passed", "place-ok")),
        (cited("81--100"), [at("41-60")], ("failed", "pages-other")),
        (cited("41--60", "14"), [at("41-60")], ("failed", "volume-other")),
        (cited("41--60"), [at("", "")], ("passed", "venue-ok")),
        (cited("41--60"), [at("1-20")], ("passed", "venue-ok")),
        # The title is nowhere, and the cited pages belong to a different work.
        (cited("41--60"), [NOWHERE, WHOLE], ("failed", "place-other-work")),
        (cited("47--55"), [NOWHERE, WHOLE], ("failed", "place-other-work")),
        (cited("1--9"), [NOWHERE, WHOLE], ("failed", "place-other-work")),  # this volume is paged through
        (cited("41--60"), [NOWHERE, volume(ARTICLES[2], kind="place")], ("failed", "place-other-work")),
        (cited("300--310"), [NOWHERE, WHOLE], ("failed", "not-in-volume")),
        (cited("190--199"), [NOWHERE, WHOLE], ("failed", "not-in-volume")),
        # No evidence: a gap, a list without pages, the end of a list with gaps, a work that may be missing at the end.
        (cited("41--60"), [NOWHERE, volume(*ARTICLES[:2], *ARTICLES[3:])], ("unverifiable", "not-found")),
        (cited("300--310"), [NOWHERE, volume(*ARTICLES[:2], *ARTICLES[4:])], ("unverifiable", "not-found")),
        (cited("165--170"), [NOWHERE, WHOLE], ("unverifiable", "not-found")),
        (cited("41--60"), [NOWHERE, volume(*(replace(one, pages="") for one in ARTICLES))], ("unverifiable", "not-found")),
        # The source that has the volume did not search for the title.
        (cited("41--60"), [silent("index"), absent("crossref"), WHOLE], ("unverifiable", "unavailable")),
        # Another journal, a compiled record, a note that shares its page, and page 1 of a journal that pages each work.
        (cited("41--60"), [NOWHERE, volume(*(replace(one, venues=("Mill",)) for one in ARTICLES))],
         ("unverifiable", "not-found")),
        (cited("41--60"), [NOWHERE, volume(*(replace(one, compiled=True) for one in ARTICLES))],
         ("unverifiable", "not-found")),
        (cited("41"), [NOWHERE, volume(replace(ARTICLES[2], pages="41"), kind="place")], ("unverifiable", "not-found")),
        (cited("1--20"), [NOWHERE, volume(*(replace(one, pages="1-20") for one in ARTICLES))], ("unverifiable", "not-found")),
        # A supplement, whose pages may begin anew, and an abbreviation that may stand for another journal.
        (cited("41--60", number="Suppl 1"), [NOWHERE, WHOLE], ("unverifiable", "not-found")),
        (cited("41--60", journal="AIM"), [NOWHERE, WHOLE], ("unverifiable", "not-found")),
        (cited("41--60", journal="Ann. Inv. Mach."), [NOWHERE, WHOLE], ("unverifiable", "not-found")),
        (cited("41--60", journal="Ann. Inv. Mach."), [NOWHERE, volume(*SHORT)], ("failed", "place-other-work")),
        # By some of the same people, or under a similar title: it may be meant.
        (cited("41--60"), [NOWHERE, volume(replace(ARTICLES[2], authors=at("1").authors), kind="place")],
         ("unverifiable", "not-found")),
        (cited("47--55"), [NOWHERE, volume(*ARTICLES[:2], replace(ARTICLES[2], authors=at("1").authors), *ARTICLES[3:])],
         ("unverifiable", "not-found")),
        (cited("41--60"), [NOWHERE, volume(*ARTICLES[:7], replace(ARTICLES[7], authors=at("1").authors))],
         ("unverifiable", "not-found")),
        (cited("41--60"), [NOWHERE, WHOLE, record(f"{TITLE} and of looms", "", source="dblp", venue=JOURNAL)],
         ("unverifiable", "not-found")),
    ],
)  # fmt: skip
def test_a_place_is_compared_with_the_evidence(
    reference: Reference, evidence: list[QueryResult | Record], expected: tuple[str, str]
) -> None:
    assert outcome(reference, "venue", *evidence) == expected


def of_volumes(*known: tuple[str, int]) -> QueryResult:
    articles = [replace(ARTICLES[0], volume=number, years=(year,)) for number, year in known]
    return volume(*articles)


@pytest.mark.parametrize(
    ("number", "known", "expected"),
    [
        ("300", [("1", 1939), ("80", 2018)], ("failed", "not-in-volume")),
        ("85", [("1", 1939), ("80", 2018)], ("unverifiable", "not-found")),  # it may have appeared since
        ("300", [("80", 2018)], ("unverifiable", "not-found")),  # nobody knows how many volumes a year has
        ("40", [("1", 1939), ("80", 2018)], ("unverifiable", "not-found")),  # a gap
    ],
)
def test_a_volume_that_cannot_have_appeared_yet_does_not_exist(
    number: str, known: list[tuple[str, int]], expected: tuple[str, str]
) -> None:
    assert outcome(cited("41--60", number), "venue", NOWHERE, of_volumes(*known)) == expected


def test_a_place_confirms_a_translated_title_and_a_reference_without_title() -> None:
    translated = replace(at("41-60"), title="Notes sur l'analyse des machines à différences")
    there = volume(translated, kind="place")
    assert outcome(cited("41--60"), "venue", NOWHERE, there) == ("passed", "place-ok")
    assert outcome(cited("41--60", title=""), "venue", NOWHERE, there) == ("passed", "place-ok")
    by_others = replace(translated, authors=ARTICLES[0].authors)
    assert outcome(cited("41--60", title=""), "venue", volume(by_others, kind="place"))[0] == "unverifiable"


def test_a_place_of_another_work_makes_a_reference_fabricated_and_a_slip_does_not() -> None:
    invented = evaluated(cited("41--60"), NOWHERE, WHOLE)
    assert "has a different work there" in invented.findings["venue"].message
    assert invented.verdict.name == "fabricated"
    assert evaluated(cited("81--100"), at("41-60")).verdict.name == "verified"


def test_a_slip_is_corrected_with_the_place_of_the_record() -> None:
    finding = evaluated(cited("81--100", number="3"), at("41-60", number="4")).findings["venue"]
    assert finding.fixes == {"number": "4", "pages": "41--60"}


def test_one_page_may_be_of_an_abstract_in_a_supplement() -> None:
    assert evaluated(cited("41--41"), NOWHERE, WHOLE).findings["venue"].level == "warning"
    assert evaluated(cited("41"), NOWHERE, WHOLE).findings["venue"].level == "error"
