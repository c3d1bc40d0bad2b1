"""The authors check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.model import Asked, Person, Record, Reference
from tests.evidence_builders import absent, behind, evaluated, found, outcome, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
FOUR = "Ada Lovelace; Alan Turing; Grace Hopper; Barbara Liskov"


def cited(author: str = "Ada Lovelace and Alan Turing and Grace Hopper and Barbara Liskov", **fields: str) -> Reference:
    return reference("article", **{"author": author, "title": TITLE, "journal": "Nature", "year": "2001", **fields})


def known(authors: str = FOUR, source: str = "crossref", **fields: Any) -> Record:
    return record(TITLE, authors, source=source, **{"venue": "Nature", "year": 2001, **fields})


def twice(authors: str = FOUR) -> list[Asked | Record]:
    return [known(authors), known(authors, "dblp")]


@pytest.mark.parametrize(
    ("reference_", "lines", "expected"),
    [
        (cited(), [known()], ("passed", "authors-ok")),
        (cited("Lovelace, A. and others"), [known()], ("passed", "authors-ok")),
        (cited("Ada Lovelace and Alan Turing"), [known()], ("failed", "authors-truncated")),
        (cited("Ada Lovelace and Alan Turing"), [known("Ada Lovelace; Alan Turing; Grace Hopper", source="arxiv", arxiv="1",
                                                       type="preprint", venue="arXiv")], ("unverifiable", "authors-unclear")),
        (cited(), twice("Ada Lovelace; Alan Turing; Grace Hopper"), ("failed", "authors-added")),
        (cited(), [known("Ada Lovelace; Alan Turing; Grace Hopper")], ("unverifiable", "authors-unclear")),
        (cited(), twice("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace"), ("failed", "authors-reordered")),
        (cited(), [known("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace")],
         ("unverifiable", "authors-unclear")),
        (cited("Mary Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-given-name")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-misspelled")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("unverifiable", "authors-unclear")),
        (cited("Joseph Jacquard and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-partly-other")),
        (cited("Joseph Jacquard and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("unverifiable", "authors-unclear")),
        (cited("Joseph Jacquard and Charles Wheatstone and Michael Faraday"), [known()], ("failed", "authors-other")),
        (cited(), [known("")], ("unverifiable", "authors-unclear")),
        (cited("{Analytical Engine Consortium}"), [known()], ("unverifiable", "authors-unclear")),
        (cited(""), [known()], ("unverifiable", "authors-missing")),
        (cited("Anonymous"), [known()], ("unverifiable", "authors-missing")),
        (cited(), [absent("crossref")], ("unverifiable", "not-found")),
        (cited(), [silent("crossref")], ("unverifiable", "unavailable")),
        (cited(), [silent("crossref", reason="not-recorded")], ("unverifiable", "not-recorded")),
        (cited(), [], ("unverifiable", "not-asked")),
    ],
)  # fmt: skip
def test_outcome(reference_: Reference, lines: list[Asked | Record], expected: tuple[str, str]) -> None:
    assert outcome(reference_, "authors", *lines) == expected


def test_a_short_form_of_a_given_name_is_not_held_against_it() -> None:
    people = "Ada Lovelace; Alan Turing; Grace Hopper"
    lines = [known(people), known(people, "dblp")]
    assert (
        outcome(cited("Adabella Lovelace and Arthur Turing and Grace Hopper"), "authors", *lines)[0] == "unverifiable"
    )
    assert outcome(cited("Ada Lovelace and Walter Turing and Grace Hopper"), "authors", *lines) == (
        "failed",
        "authors-given-name",
    )


def test_the_people_of_a_work_whose_title_is_only_similar_convict_nobody() -> None:
    near = [
        replace(known("Alan Turing; Ada Lovelace", source), title=TITLE.replace("analysis", "synthesis"))
        for source in ("crossref", "dblp")
    ]
    assert outcome(cited("Ada Lovelace and Alan Turing"), "authors", *near) == ("unverifiable", "authors-unclear")


def test_the_fix_is_written_as_bibtex_wants_it() -> None:
    people = (
        Person(family="Beethoven", given="Ludwig", particle="van", suffix="Jr."),
        Person(literal="Analytical Engine Consortium", group=True),
        Person(literal="Alan Turing"),
    )
    right = Record(
        "crossref", "10.1000/x", title=TITLE, authors=people, venues=("Nature",), years=(2001,), doi="10.1000/x"
    )
    finding = evaluated(cited("Joseph Jacquard and Charles Wheatstone", doi="10.1000/x"), behind(right)).findings[
        "authors"
    ]
    assert finding.fixes == {"author": "van Beethoven, Jr., Ludwig and {Analytical Engine Consortium} and Turing, Alan"}


def test_editors_are_compared_with_editors() -> None:
    volume = reference(
        "proceedings", editor="Ada Lovelace and Alan Turing", title="Proceedings of the engine conference", year="2001"
    )
    people = (Person(literal="Joseph Jacquard"), Person(literal="Michael Faraday"))
    other = Record("crossref", "1", title="Proceedings of the engine conference", editors=people, years=(2001,))
    finding = evaluated(volume, other).findings["authors"]
    assert finding.code == "authors-other"
    assert list(finding.fixes) == ["editor"]


def test_an_author_is_not_held_against_the_editors_of_the_volume() -> None:
    edited = Record(
        "crossref", "1", title=TITLE, editors=(Person(literal="Richard Taylor"),), years=(2001,), venues=("Nature",)
    )
    assert outcome(cited(), "authors", edited) == ("unverifiable", "authors-unclear")


def test_thousands_of_names_are_shown_in_part() -> None:
    names = "; ".join(f"A. Physic{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600))
    finding = evaluated(
        cited("Joseph Jacquard and Ada Lovelace", doi="10.1000/x"), behind(known(names, doi="10.1000/x"))
    ).findings["authors"]
    assert finding.outcome == "failed"
    assert finding.found.endswith("… (600 names)")


def test_a_namesake_does_not_convict_while_the_record_of_the_cited_doi_is_unseen() -> None:
    doi = "10.1103/physrev.47.777"
    title = "Can quantum mechanical description of physical reality be considered complete"
    claimed = reference("article", author="Albert Einstein and Boris Podolsky", title=title, journal="Phys. Rev.", year="1935",
                        doi=doi)  # fmt: skip
    namesake = record(
        title, "Niels Bohr", venue="Physical Review", year=1935, type="article", doi="10.1103/physrev.48.696"
    )
    assert outcome(claimed, "authors", namesake) == ("failed", "authors-other")
    registered = found(Record("doi_org", doi, doi=doi), kind="doi", value=doi)
    assert outcome(claimed, "authors", namesake, registered) == ("unverifiable", "authors-unclear")
