"""The types of hallucination that wrong citations look like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import Query, QueryResult, Record, Reference
from tests.support.evidence_builders import LISTED, NONE_OF_THEIRS, absent, evaluated, linked, record, reference

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
OTHERS = "John McCarthy; Edsger Dijkstra"
DOI = "10.1000/engines"
OF_CVPR_2022 = "10.1109/CVPR52688.2022.00042"


def paper(**fields: str) -> Reference:
    stated = {"title": TITLE, "author": "Ada Lovelace and Alan Turing", "booktitle": "ICML", "year": "2019"} | fields
    return reference("inproceedings", **stated)


def known(
    source: str = "dblp", *, authors: str = TWO, title: str = TITLE, venue: str = "ICML", year: int = 2019
) -> Record:
    return record(title, authors, source=source, venues=(venue,), years=(year,), type="inproceedings")


ONLINE = record(TITLE, TWO, source="arxiv", arxiv="1801.00001", year=2018, type="preprint")
BOTH = [known(), known("crossref")]
ELSEWHERE = [known(venue="NeurIPS"), known("crossref", venue="NeurIPS")]
A_YEAR_AGO = [known(venue="NeurIPS", year=2017), known("crossref", venue="NeurIPS", year=2017)]

THEIRS = known(authors=OTHERS, title="Looms of another kind", venue="UAI", year=2012)


@pytest.mark.parametrize(
    ("cited", "lines", "kind"),
    [
        (paper(), BOTH, ""),
        (paper(year="2031"), BOTH, "future_date"),
        (paper(year="2016"), [*BOTH, record(TITLE, TWO, source="arxiv", arxiv="1501.00001", year=2015, type="preprint")],
         "arxiv_version_mismatch"),
        (paper(author="Grace Hopper and Edsger Dijkstra"), BOTH, "swapped_authors"),
        (paper(author="Ada Lovelace and Alan Turing"),
         [known(authors=TWO + "; Grace Hopper; Edsger Dijkstra; John McCarthy")] * 2, "partial_author_list"),
        (paper(title="Notes on the synthesis of difference engines"), [*BOTH, ONLINE, LISTED, NONE_OF_THEIRS],
         "near_miss_title"),
        (paper(), ELSEWHERE, "wrong_venue"),  # single evidence, which suffices where many are wrong
        (paper(), [*ELSEWHERE, LISTED], "wrong_venue"),
        (paper(year="2018"), [*A_YEAR_AGO, replace(LISTED, query=Query("venue_year", "conf/icml", (), 2018))],
         "arxiv_version_mismatch"),
        (paper(author="John McCarthy and Edsger Dijkstra"), ELSEWHERE, "swapped_authors"),
        (paper(author="John McCarthy and Edsger Dijkstra"), [*ELSEWHERE, THEIRS], "merged_citation"),
        (paper(author="John McCarthy and Edsger Dijkstra"), [*ELSEWHERE, THEIRS, LISTED, NONE_OF_THEIRS],
         "merged_citation"),
        (paper(author="John McCarthy and Edsger Dijkstra"), [*ELSEWHERE, LISTED, NONE_OF_THEIRS],
         "swapped_authors"),
        (paper(), [known(title="Notes on the synthesis of difference engines", venue="NeurIPS"), LISTED, NONE_OF_THEIRS],
         "near_miss_title"),
        (paper(), [known(title="Looms of another kind", venue="NeurIPS"), LISTED, NONE_OF_THEIRS], "chimeric_title"),
        (paper(author="John McCarthy and Edsger Dijkstra", title="Notes on the synthesis of different engines"),
         [known(), LISTED, NONE_OF_THEIRS], "hybrid_fabrication"),
        (paper(), [absent("dblp"), LISTED, NONE_OF_THEIRS], "plausible_fabrication"),
        (paper(doi=DOI), [*BOTH, absent("doi_org", "doi", DOI, "no such DOI")], "fabricated_doi"),
        (paper(doi=OF_CVPR_2022), [], "wrong_venue"),
        (paper(doi=OF_CVPR_2022, booktitle="Conference on Looms"), [], "nonexistent_venue"),
        (paper(doi=OF_CVPR_2022, booktitle="CVPR", year="2024"), [], "arxiv_version_mismatch"),
        (paper(doi=OF_CVPR_2022), BOTH, "fabricated_doi"),
        (paper(doi=DOI), [linked(record("Looms of another kind", OTHERS, doi=DOI))], "plausible_fabrication"),
        (paper(doi=DOI), [linked(record("Looms of another kind", TWO, doi=DOI, venues=("ICML",)))], "chimeric_title"),
    ],
)  # fmt: skip
def test_kind(cited: Reference, lines: list[QueryResult | Record], kind: str) -> None:
    evaluation = evaluated(cited, *lines, prior=0.3)
    assert evaluation.verdict.type == kind, [finding.code for finding in evaluation.findings.values()]
