"""Corrections of venue and year: volume, number and pages go with the version that they belong to."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.checks import unsound
from pytest_citecheck.model import Record, Reference
from pytest_citecheck.reports import corrected_entry, explain
from tests.support.evidence_builders import entry, evaluated, record

TITLE = "On engines of every kind"
PLACED = {"volume": "25", "number": "17", "pages": "3389--3402"}


def cited(venue: str, year: str = "1997", **fields: str) -> Reference:
    """The article in this journal, with volume, number and pages, and with its DOI, as it is written in a file."""
    written = {"author": "Ada Lovelace", "title": TITLE, "journal": venue, "year": year, "doi": "10.1000/x"}
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in (written | PLACED | fields).items())
    return entry(f"@article{{key,\n{body}\n}}")


def behind_doi(**fields: object) -> Record:
    """The record behind the DOI: the same article in Nature, in 1990."""
    stated = {"venue": "Nature", "year": 1990, "doi": "10.1000/x", "type": "article"}
    return record(TITLE, "Ada Lovelace", **(stated | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cited_fields", "stated", "expected"),
    [
        # Nothing stated: nothing contradicts volume and pages; the ISSN is that of the other venue.
        ({"issn": "0028-0836"}, {}, {"issn": ""}),
        ({}, {"volume": "215", "pages": "403-410"}, {"volume": "215", "number": "", "pages": "403--410"}),
        # What fits is no correction, dashes or not.
        ({}, {"volume": "25", "pages": "3389–3402"}, {}),
        ({"issue": "17", "number": ""}, {"volume": "25", "number": "3", "pages": "1"}, {"issue": "3", "pages": "1"}),
        # A field that the entry does not have is not added.
        (dict.fromkeys(PLACED, ""), {"volume": "215", "number": "3", "pages": "403-410"}, {}),
    ],
)  # fmt: skip
def test_another_venue_brings_its_own_volume_number_and_pages(
    cited_fields: dict[str, str], stated: dict[str, str], expected: dict[str, str]
) -> None:
    finding = evaluated(cited("Science", **cited_fields), behind_doi(**stated)).findings["venue"]
    assert finding.code == "venue-other"
    assert finding.fixes == {"journal": "Nature", "year": "1990"} | expected


@pytest.mark.parametrize(
    ("cited_fields", "stated", "expected"),
    [
        ({"organization": "PMLR"}, {}, {"organization": ""}),
        ({"publisher": "AAAS"}, {"publisher": "Springer"}, {"publisher": "Springer"}),
        ({"publisher": "Springer"}, {"publisher": "Springer"}, {}),
        ({"publisher": "AAAS"}, {}, {"publisher": ""}),
    ],
)
def test_publisher_and_organization_follow_the_venue(
    cited_fields: dict[str, str], stated: dict[str, str], expected: dict[str, str]
) -> None:
    reference = cited("Science", **dict.fromkeys(PLACED, ""), **cited_fields)
    finding = evaluated(reference, behind_doi(**stated)).findings["venue"]
    assert finding.fixes == {"journal": "Nature", "year": "1990"} | expected


def test_a_doi_that_is_known_is_offered_with_other_corrections() -> None:
    text = f"@article{{key,\n  author = {{Ada Lovelace}},\n  title = {{{TITLE}}},\n  journal = {{Nature}},\n  year = {{1997}}\n}}"
    other_year = evaluated(entry(text), behind_doi(), behind_doi(source="pubmed"))
    assert other_year.findings["cross_db"].code == "year-other"
    assert other_year.findings["doi"].fixes == {}
    reference = entry(text.replace("1997", "1990").replace("  journal = {Nature},\n", ""))
    evaluation = evaluated(reference, behind_doi(), behind_doi(source="pubmed"))
    assert evaluation.findings["doi"].fixes == {"doi": "10.1000/x"}
    lines = corrected_entry(reference, evaluation.findings.values())
    assert sorted(line.rstrip(",") for line in lines if line.startswith(">")) == [
        ">   doi = {10.1000/x}",
        ">   journal = {Nature}",
    ]


@pytest.mark.parametrize("publisher", ["Association for Computing Machinery (ACM)", "World Scientific Pub Co Pte Lt"])
def test_a_publisher_is_no_venue(publisher: str) -> None:
    findings = evaluated(cited("Science", "1990"), behind_doi(venue=publisher)).findings
    assert findings["venue"].outcome != "failed"
    bare = entry(
        f"@article{{key, author = {{Ada Lovelace}}, title = {{{TITLE}}}, year = {{1990}}, doi = {{10.1000/x}}}}"
    )
    assert "journal" not in evaluated(bare, behind_doi(venue=publisher)).findings["completeness"].fixes


def test_a_year_that_fits_stays() -> None:
    finding = evaluated(cited("Science", "1990", **dict.fromkeys(PLACED, "")), behind_doi()).findings["venue"]
    assert finding.fixes == {"journal": "Nature"}


def test_a_venue_in_another_form_changes_nothing() -> None:
    assert evaluated(cited("Nature (London)", "1990"), behind_doi(volume="215")).findings["venue"].fixes == {}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [({}, {"year": "1990"}), ({"volume": "215", "pages": "3389-3402"}, {"year": "1990", "volume": "215"})],
)
def test_another_year_brings_what_the_record_of_the_cited_venue_states(
    stated: dict[str, str], expected: dict[str, str]
) -> None:
    finding = evaluated(cited("Nature"), behind_doi(**stated), behind_doi(source="pubmed")).findings["cross_db"]
    assert finding.code == "year-other"
    assert finding.fixes == expected


def test_the_corrected_entry_says_what_it_dropped() -> None:
    reference = cited("Science")
    evaluation = evaluated(reference, behind_doi(volume="215"))
    lines = explain(reference, evaluation.findings["venue"], evaluation).splitlines()
    marked = [line.strip() for line in lines if line.startswith(("    >", "    -"))]
    assert [" ".join(line.split()) for line in marked] == [
        "> journal = {Nature},",
        "> year = {1990},",
        "> volume = {215},",
        "- number = {17},",
        "- pages = {3389--3402}",
    ]
    assert lines[-1] == "  removed: number, pages (of the other venue)"


@pytest.mark.parametrize(("eprint", "second"), [("2001.00001", "Mary Shelley"), ("2001.00001v1", "Emma Goldman")])
def test_authors_are_those_of_the_newest_version_unless_an_older_one_is_cited(eprint: str, second: str) -> None:
    versions = [
        record(
            TITLE, f"Ada Lovelace; {name}; Alan Turing; Grace Hopper", source="arxiv", year=2020, arxiv="2001.00001",
            type="preprint", venue="arXiv", version=number, id="2001.00001",
        )
        for number, name in ((1, "Emma Goldman"), (2, "Mary Shelley"))
    ]  # fmt: skip
    reference = entry(
        f"@misc{{key, title = {{{TITLE}}}, author = {{Ada Lovelace and Alan Turing and Grace Hopper}}, year = {{2020}}, "
        f"eprint = {{{eprint}}}, archiveprefix = {{arXiv}}}}"
    )
    finding = evaluated(reference, *versions).findings["authors"]
    assert finding.code == "authors-left-out"
    assert finding.fixes["author"].split(" and ")[1] == ", ".join(reversed(second.split()))


MEETING = "@inproceedings{k, title = {T}, year = {2024}, booktitle = {NAACL}, "


@pytest.mark.parametrize(
    ("body", "fixes"),
    [
        ("author = {Madou, Matias and De Sutter, Bjorn}",
         {"author": "Madou, Matias De Sutter, Bjorn and Sutter, Bjorn De"}),
        ("author = {Ada Lovelace and Alan Turing}", {"author": "Lovelace, Ada and Lovelace, Ada"}),
        ("author = {Ada Lovelace and Alan Turing and Grace Hopper}", {"author": "Lovelace, Ada and Turing, Alan"}),
        ("journal = {Nature}", {"journal": "bioRxiv"}),
        ("journal = {Nature}", {"journal": "Zenodo (CERN European Organization for Nuclear Research)"}),
        ("journal = {Nature}", {"journal": "Dagstuhl Research Online Publication Server"}),
        ("publisher = {Association for Computational Linguistics}", {"booktitle": "ICLR 2024 Workshops"}),
        ("publisher = {ACL}", {"booktitle": "International Conference on Machine Learning", "publisher": ""}),
        ("series = {NAACL '24}", {"booktitle": "International Conference on Machine Learning"}),
        ("doi = {10.18653/v1/2024.naacl-long.5}", {"booktitle": "IEEE International Conference on Computer Vision"}),
    ],
)  # fmt: skip
def test_unsound_corrections(body: str, fixes: dict[str, str]) -> None:
    assert unsound(entry(f"{MEETING}{body}}}"), fixes, None)


@pytest.mark.parametrize(
    ("body", "fixes"),
    [
        ("author = {Ada Lovelace and Alan Turing and Grace Hopper}", {"author": "Lovelace, Ada and others"}),
        ("author = {Jane Doe and John Roe and Max Moe}", {"author": "Lovelace, Ada and Turing, Alan"}),
        ("author = {Ada Lovelace}", {"author": "Lovelace, Ada and Turing, Alan and Turing, A. B."}),
        ("journal = {Nature}", {"journal": "Science"}),
        ("publisher = {ACL}", {"booktitle": "EMNLP"}),
        ("publisher = {PMLR}", {"booktitle": "ICML"}),
        ("series = {LNCS}", {"booktitle": "European Conference on Computer Vision"}),
    ],
)  # fmt: skip
def test_sound_corrections(body: str, fixes: dict[str, str]) -> None:
    assert unsound(entry(f"{MEETING}{body}}}"), fixes, None) == ""


@pytest.mark.parametrize(
    "other",
    [
        {"venue": "Science"},
        {"year": 2001},
        {"type": "chapter"},
        {"type": "preprint", "venue": "arXiv"},
        {"people": "Grace Hopper"},
        {"title": "Erratum: On engines of every kind"},
    ],
)
def test_a_doi_of_another_version_is_not_offered(other: dict[str, object]) -> None:
    reference = entry(
        f"@article{{key, author = {{Ada Lovelace}}, title = {{{TITLE}}}, journal = {{Nature}}, year = {{1990}}}}"
    )
    stated: dict[str, Any] = {"venue": "Nature", "year": 1990, "doi": "10.1000/y", "type": "article"} | other
    known = record(stated.pop("title", TITLE), stated.pop("people", "Ada Lovelace"), **stated)
    here = record(TITLE, "Ada Lovelace", "dblp", venue="Nature", year=1990, type="article")
    assert evaluated(reference, here, known).findings["doi"].fixes.get("doi", "") == ""


def test_a_list_that_another_record_continues_is_not_offered() -> None:
    reference = cited("Nature", "1990", author="Jane Doe and John Roe")
    short = behind_doi()
    assert evaluated(reference, short).findings["authors"].fixes == {"author": "Lovelace, Ada"}
    whole = record(
        TITLE, "Ada Lovelace; Alan Turing", "dblp", venue="Nature", year=1990, doi="10.1000/x", type="article"
    )
    assert evaluated(reference, short, whole).findings["authors"].fixes in (
        {},
        {"author": "Lovelace, Ada and Turing, Alan"},
    )
