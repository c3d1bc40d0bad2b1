"""The doi check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import Person, Query, QueryResult, Record, Reference
from tests.support.evidence_builders import (
    absent,
    evaluated,
    failures,
    found,
    linked,
    outcome,
    record,
    reference,
    silent,
    stated,
)

TITLE = "Notes on the analysis of difference engines"
DOI = "10.1000/engines"
ARXIV = "1701.00001"
CITED = reference("article", author="Ada Lovelace and Alan Turing", title=TITLE, journal="Nature", year="2001", doi=DOI)
PREPRINT = reference(
    "misc", author="Ada Lovelace and Alan Turing", title=TITLE, year="2017", eprint=ARXIV, archiveprefix="arXiv"
)
PLAIN = reference("article", author="Ada Lovelace and Alan Turing", title=TITLE, journal="Nature", year="2001")


def replace_fields(cited: Reference, **fields: str) -> Reference:
    return reference(cited.type, **cited.fields, **fields)


RIGHT = record(TITLE, "Ada Lovelace; Alan Turing", doi=DOI, venue="Nature", year=2001)
OTHER = record("Weaving algebraical patterns", "Joseph Jacquard", doi=DOI, venue="Silk", year=1801)
NAMELESS = record("Weaving algebraical patterns", doi=DOI)
REGISTERED = Record("doi_org", DOI, doi=DOI)
ONLINE = record(
    TITLE, "Ada Lovelace; Alan Turing", source="arxiv", arxiv=ARXIV, venue="arXiv", year=2017, type="preprint"
)
RETITLED = record(
    "Notes on engines",
    "Ada Lovelace; Alan Turing",
    source="arxiv",
    arxiv=ARXIV,
    venue="arXiv",
    year=2017,
    type="preprint",
)
VOLUME = record("Scientific Memoirs", editors=(Person(literal="Richard Taylor"),), doi=DOI, type="book")


@pytest.mark.parametrize(
    ("cited", "lines", "expected"),
    [
        (CITED, [linked(RIGHT)], ("passed", "doi-ok")),
        (PREPRINT, [linked(ONLINE)], ("passed", "arxiv-ok")),
        (reference("incollection", title=TITLE, booktitle="Scientific Memoirs", doi=DOI), [linked(VOLUME)],
         ("passed", "doi-ok")),
        (PLAIN, [record(TITLE, "Ada Lovelace; Alan Turing", source="dblp", venue="Nature", year=2001)],
         ("passed", "doi-none")),
        (PLAIN, [RIGHT], ("unverifiable", "doi-to-add")),
        (PLAIN, [], ("unverifiable", "doi-not-cited")),
        (replace_fields(PLAIN, doi="10/f3vhpj"), [RIGHT], ("unverifiable", "doi-short")),
        (replace_fields(PLAIN, ee=f"https://doi.org/{DOI}"), [linked(OTHER)], ("unverifiable", "doi-not-cited")),
        (replace_fields(PLAIN, ee=f"https://doi.org/{DOI}"), [absent("doi_org", "doi", DOI, "no such DOI")],
         ("unverifiable", "doi-not-cited")),
        (reference("article", title=TITLE, doi="engines"), [], ("failed", "doi-malformed")),
        (replace_fields(PLAIN, doi=f"{DOI}/"), [absent("doi_org", "doi", DOI, "no such DOI")], ("unverifiable", "not-found")),
        (replace_fields(PLAIN, doi=f"{DOI}."),
         [linked(RIGHT), found(replace(OTHER, doi="10.1000/other"), kind="author_search")], ("passed", "doi-ok")),
        (replace_fields(PLAIN, doi=f"{DOI}/"), [replace(RIGHT, doi=f"{DOI}/")], ("passed", "doi-ok")),
        (replace_fields(PLAIN, doi=f"{DOI}/"),
         [absent("doi_org", "doi", DOI, "no such DOI"), absent("doi_org", "doi", f"{DOI}/", "no such DOI")],
         ("failed", "doi-unregistered")),
        (reference("misc", title=TITLE, eprint="1799.99999", archiveprefix="arXiv"), [], ("failed", "arxiv-malformed")),
        (CITED, [absent("crossref", "doi", DOI), absent("doi_org", "doi", DOI, "no such DOI")],
         ("failed", "doi-unregistered")),
        (CITED, [absent("crossref", "doi", DOI), silent("doi_org", "doi", DOI)], ("unverifiable", "unavailable")),
        (CITED, [absent("crossref", "doi", DOI)], ("unverifiable", "not-found")),
        (CITED, [found(REGISTERED, kind="doi", value=DOI)], ("unverifiable", "doi-registered")),
        (PREPRINT, [absent("arxiv", "arxiv", ARXIV, "no such id")], ("failed", "arxiv-unknown")),
        (CITED, [linked(OTHER)], ("failed", "doi-other-work")),
        (PREPRINT, [linked(record("Weaving", "Joseph Jacquard", source="arxiv", arxiv=ARXIV))],
         ("failed", "arxiv-other-work")),
        (CITED, [linked(NAMELESS)], ("unverifiable", "doi-unclear")),
        (CITED, [linked(replace(OTHER, compiled=True))], ("failed", "doi-other-work")),
        (PREPRINT, [linked(record("Weaving algebraical patterns", source="arxiv", arxiv=ARXIV))],
         ("unverifiable", "arxiv-unclear")),
        (PREPRINT, [found(Record("arxiv", ARXIV, arxiv=ARXIV), kind="arxiv", value=ARXIV)],
         ("unverifiable", "arxiv-registered")),
        (PREPRINT, [linked(RETITLED)], ("unverifiable", "arxiv-retitled")),
        # A publication that names the e-print may have another title than it.
        (PREPRINT, [replace(RETITLED, source="dblp", venues=("ICML",), type="inproceedings")],
         ("unverifiable", "arxiv-retitled")),
        (PREPRINT, [replace(RETITLED, source="dblp", venues=("ICML",), type="inproceedings", title="Weaving patterns")],
         ("failed", "arxiv-other-work")),
        (PREPRINT, [linked(replace(RETITLED, title="Weaving algebraical patterns"))], ("failed", "arxiv-other-work")),
        (PREPRINT, [linked(replace(RETITLED, title="Weaving algebraical patterns")), silent("dblp")],
         ("unverifiable", "arxiv-retitled")),
        (replace(CITED, fields={**CITED.fields, "title": "${{\\mathrm {Weaving"}),
         [linked(replace(RIGHT, title="$\\mathrm{WeavingLoom}$: patterns", venues=("Nature",)))],
         ("unverifiable", "doi-unclear")),
        (CITED, [silent("crossref", "doi", DOI, "not-recorded")], ("unverifiable", "not-recorded")),
        (CITED, [], ("unverifiable", "not-asked")),
    ],
)  # fmt: skip
def test_outcome(cited: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
    assert outcome(cited, "doi", *lines) == expected


LOOMS = "Weaving algebraical patterns"
AT_NATURE = reference("article", **{**PREPRINT.fields, "journal": "Nature"})


def latest(number: int, title: str, authors: str = "Ada Lovelace; Alan Turing") -> QueryResult:
    """Return arXiv's response with this version of the cited e-print, for a query without a version."""
    shown = record(title, authors, source="arxiv", arxiv=ARXIV, year=2017, type="preprint", version=number)
    return linked(shown)


def first(title: str) -> QueryResult:
    """arXiv shows the first version, which was asked for."""
    return replace(latest(1, title), query=Query("arxiv", f"{ARXIV}v1"))


@pytest.mark.parametrize(
    ("cited", "lines", "expected"),
    [
        (PREPRINT, [latest(2, "Notes on engines"), first(TITLE)], ("passed", "arxiv-retitled")),
        (PREPRINT, [latest(5, LOOMS), first(TITLE)], ("passed", "arxiv-retitled")),
        (AT_NATURE, [latest(5, LOOMS), first(TITLE)], ("passed", "arxiv-retitled")),
        (PREPRINT, [latest(2, TITLE), first(LOOMS)], ("passed", "arxiv-ok")),
        (PREPRINT, [latest(2, TITLE)], ("passed", "arxiv-ok")),
        # All versions were seen: it never had this title. What is published may have another one than its preprint.
        (PREPRINT, [latest(2, "Notes on engines"), first("Engines")], ("failed", "arxiv-other-work")),
        (PREPRINT, [latest(1, "Notes on engines")], ("failed", "arxiv-other-work")),
        (AT_NATURE, [latest(2, "Notes on engines"), first("Engines")], ("unverifiable", "arxiv-retitled")),
        # Some were not.
        (PREPRINT, [latest(3, "Notes on engines"), first("Engines")], ("unverifiable", "arxiv-retitled")),
        (PREPRINT, [latest(2, "Notes on engines"), silent("arxiv", "arxiv", f"{ARXIV}v1")],
         ("unverifiable", "arxiv-retitled")),
        (PREPRINT, [latest(2, "Notes on engines"), absent("arxiv", "arxiv", f"{ARXIV}v1")],
         ("unverifiable", "arxiv-retitled")),
        (PREPRINT, [latest(2, LOOMS), silent("arxiv", "arxiv", f"{ARXIV}v1")], ("unverifiable", "arxiv-retitled")),
        (PREPRINT, [latest(2, "Notes on engines"), first("Engines"), silent("dblp")],
         ("unverifiable", "arxiv-retitled")),
        # Of other people no version is needed.
        (PREPRINT, [latest(2, LOOMS, "Joseph Jacquard"), silent("arxiv", "arxiv", f"{ARXIV}v1")],
         ("failed", "arxiv-other-work")),
        (PREPRINT, [latest(2, LOOMS, "Joseph Jacquard"), first(LOOMS)], ("failed", "arxiv-other-work")),
    ],
)  # fmt: skip
def test_versions_of_an_e_print(cited: Reference, lines: list[QueryResult], expected: tuple[str, str]) -> None:
    assert outcome(cited, "doi", *lines) == expected


def test_what_was_renamed_says_how_and_all_its_versions_are_the_work() -> None:
    three = "Ada Lovelace; Alan Turing; Grace Hopper"
    renamed = replace(ONLINE, title=LOOMS, version=4, years=(2017, 2019), authors=record("", three).authors)
    lines = linked(renamed), first(TITLE)
    findings = evaluated(PREPRINT, *lines).findings
    assert f"version 1 of {ARXIV} has the cited title; the latest is titled “{LOOMS}”" in findings["doi"].message
    # Year and people may be those of either version, whatever the title.
    mixed = reference("misc", **{**PREPRINT.fields, "author": three.replace(";", " and"), "year": "2019"})
    again = evaluated(mixed, *lines).findings
    assert [again[name].outcome for name in ("title", "authors", "cross_db")] == ["passed"] * 3
    assert evaluated(PREPRINT, *lines).verdict.name == evaluated(mixed, *lines).verdict.name == "verified"
    assert findings["cross_db"].code == "agree-registry"  # two versions are one voice


def test_the_doi_of_another_version_than_the_one_cited() -> None:
    two = "Ada Lovelace; Alan Turing"
    talk = record(TITLE, two, doi=DOI, venues=("ICML",), years=(1999,), type="inproceedings")
    paper = record(TITLE, two, doi="10.1000/paper", venue="Nature", year=2001, source="dblp")
    finding = evaluated(CITED, linked(talk), paper).findings["doi"]
    assert stated(finding) == ("failed", "doi-other-version")
    assert finding.fixes == {"doi": "10.1000/paper"}
    harmless: list[list[QueryResult | Record]] = [
        [linked(replace(talk, years=(2001,))), paper],  # printed and presented in one year
        [
            linked(replace(talk, venues=("Sketches of 1843",))),
            paper,
        ],  # a venue that nobody knows may be the journal's series
        [linked(replace(talk, type="preprint")), paper],
        [linked(talk), replace(paper, doi="")],
        [linked(talk), replace(paper, compiled=True)],
    ]
    for lines in harmless:
        assert outcome(CITED, "doi", *lines) == ("passed", "doi-ok")


def test_a_preprint_under_another_title_is_a_version_of_the_cited_work_if_the_work_is_found_and_like_it() -> None:
    earlier = record(
        "Notes on analysis of some engines", "Ada Lovelace; Alan Turing", source="arxiv", arxiv=ARXIV, type="preprint"
    )
    cited = reference("article", author="Ada Lovelace and Alan Turing", title=TITLE, journal="Nature", year="2001", eprint=ARXIV,
                      archiveprefix="arXiv")  # fmt: skip
    finding = evaluated(
        cited, linked(earlier), record(TITLE, "Ada Lovelace; Alan Turing", venue="Nature", year=2001)
    ).findings["doi"]
    assert stated(finding) in [("passed", "arxiv-retitled"), ("passed", "arxiv-ok")]


def test_a_preprint_may_have_been_renamed_if_it_shares_a_coined_name_or_all_its_authors() -> None:
    three = "Ada Lovelace; Alan Turing; Grace Hopper"
    cited = reference("inproceedings", author=three.replace(";", " and"), title="DeltaLoom: weaving states by shuttles",
                      year="2019", booktitle="ICML", eprint=ARXIV, archiveprefix="arXiv")  # fmt: skip
    work = record("DeltaLoom: weaving states by shuttles", three, venue="ICML", year=2019, type="inproceedings")
    coined = replace(ONLINE, title="DeltaLoom: the power of looms made greater", authors=work.authors)
    assert outcome(cited, "doi", linked(coined), work) == ("passed", "arxiv-retitled")
    renamed = replace(coined, title="How the power of looms grows")
    assert outcome(cited, "doi", linked(renamed), work) == ("unverifiable", "arxiv-retitled")
    by_two = replace(renamed, authors=work.authors[:2])
    assert outcome(cited, "doi", linked(by_two), work) == ("failed", "arxiv-other-work")


def test_a_record_linked_to_the_work_is_a_version_of_it_whatever_its_title() -> None:
    preprint = record("On weaving", "Ada Lovelace; Alan Turing", doi=DOI, related=(("is-preprint-of", "10.1000/work"),))
    work = record(TITLE, "Ada Lovelace; Alan Turing", doi="10.1000/work", venue="Nature", year=2001, source="dblp")
    assert outcome(CITED, "doi", linked(preprint), work) == ("passed", "doi-retitled")


def test_a_dead_doi_is_replaced_by_the_one_of_the_work() -> None:
    right = record(TITLE, "Ada Lovelace; Alan Turing", doi="10.1000/right", venue="Nature", year=2001)
    finding = evaluated(CITED, absent("doi_org", "doi", DOI, "no such DOI"), right).findings["doi"]
    assert finding.fixes == {"doi": "10.1000/right"}


def test_a_doi_of_arxiv_is_settled_by_arxiv() -> None:
    cited = reference("misc", author="Ada Lovelace and Alan Turing", title=TITLE, doi=f"10.48550/arXiv.{ARXIV}", eprint=ARXIV,
                      archiveprefix="arXiv")  # fmt: skip
    assert outcome(cited, "doi", linked(ONLINE)) == ("passed", "arxiv-ok")


def test_a_title_in_another_language_is_not_another_work() -> None:
    german = record(
        "Bemerkungen über die Analyse von Maschinen und der Mathematik", "Ada Lovelace; Alan Turing", doi=DOI
    )
    assert outcome(CITED, "doi", linked(german)) == ("unverifiable", "doi-unclear")
    assert outcome(CITED, "title", linked(german)) == ("unverifiable", "title-translated")


def test_a_number_that_only_looks_like_a_doi_convicts_nobody() -> None:
    cited = reference(
        "book", author="Ada Lovelace", title="On engines of every kind", year="2006", doi="10.5555/1162264"
    )
    judged = evaluated(cited, absent("doi_org", "doi", "10.5555/1162264", "no such DOI"), absent("crossref"))
    assert (judged.findings["doi"].outcome, judged.findings["doi"].code) == ("unverifiable", "doi-placeholder")
    assert judged.verdict.name == "undecided"


def test_the_doi_of_another_version_is_not_proposed() -> None:
    cited = reference(
        "inproceedings", author="Ada Lovelace", title="On engines of every kind", booktitle="NIPS", year="2014"
    )
    people = "Ada Lovelace"
    conference = record(
        "On engines of every kind", people, source="dblp", venue="NIPS", year=2014, type="inproceedings"
    )
    reprint = record(
        "On engines of every kind", people, venue="Commun. ACM", year=2020, type="article", doi="10.1/reprint"
    )
    finding = evaluated(cited, reprint, conference).findings["doi"]
    assert "10.1/reprint" not in finding.message


def test_a_foreign_registrant_counts_only_where_no_registry_is_down() -> None:
    cited = reference(
        "inproceedings", title=TITLE, author="Ada Lovelace and Alan Turing", booktitle="CVPR", year="2019", doi=DOI
    )
    here = record(
        TITLE, "Ada Lovelace; Alan Turing", doi="10.1109/cvpr.2019.1", venues=("CVPR",), years=(2019,), source="dblp"
    )
    unknown = absent("crossref", "doi", DOI)
    assert outcome(cited, "doi", here, unknown) == ("failed", "doi-registrant")
    assert outcome(cited, "doi", here, unknown, prior=0.3) == ("failed", "doi-registrant")
    assert evaluated(cited, here, unknown).verdict.name == "undecided"
    assert outcome(cited, "doi", here, unknown, silent("doi_org", "doi", DOI, "offline")) == (
        "failed",
        "doi-registrant",
    )
    assert outcome(cited, "doi", here, unknown, silent("doi_org", "doi", DOI)) == ("unverifiable", "unavailable")
    denied = absent("doi_org", "doi", DOI, "no such DOI")
    assert outcome(cited, "doi", here, unknown, denied) == ("failed", "doi-unregistered")


def test_without_a_doi_the_nearest_version_is_the_one_that_is_named() -> None:
    there = record(TITLE, "Ada Lovelace; Alan Turing", source="dblp", venue="Nature", year=2001)
    elsewhere = record(TITLE, "Ada Lovelace; Alan Turing", source="pubmed", venue="Science", year=2001)
    for lines in ([there, elsewhere], [elsewhere, there]):
        found = evaluated(PLAIN, *lines).findings["doi"]
        assert (found.code, found.record) == ("doi-none", there)


def test_without_a_title_an_identifier_is_of_no_other_work() -> None:
    headless = reference("article", author="Leo Breiman", journal="Machine Learning", year="2001", doi=DOI)
    known = record("Random Forests", "Leo Breiman", venue="Machine Learning", year=2001, doi=DOI)
    assert not failures(headless, linked(known))
