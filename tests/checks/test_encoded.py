"""Citations that contradict their own identifiers, and citations that only seem to."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
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
)

TITLE = "Notes on the analysis of difference engines"
PEOPLE = "Ada Lovelace; Alan Turing"
CVPR = "10.1109/cvpr52688.2022.00042"
ARXIV = "2301.00001"


def paper(venue: str, year: str, doi: str = CVPR, type_: str = "inproceedings", **more: str) -> Reference:
    field = "journal" if type_ in ("article", "misc") else "booktitle"
    return reference(
        type_, author="Ada Lovelace and Alan Turing", title=TITLE, year=year, doi=doi, **{field: venue}, **more
    )


def known(venue: str, year: int, source: str = "dblp", **more: str) -> Record:
    return record(TITLE, PEOPLE, source=source, venue=venue, year=year, **more)


AT_CVPR = known("CVPR", 2022, type="inproceedings")
AT_ICML = known("ICML", 2022, type="inproceedings")
UNSEEN = found(Record("doi_org", CVPR, doi=CVPR), kind="doi", value=CVPR)
DEAD = absent("doi_org", "doi", CVPR, "no such DOI")
POSTED = record(TITLE, PEOPLE, source="arxiv", arxiv="2106.00001", venue="arXiv", year=2021, type="preprint")
OF_ARXIV = record(TITLE, PEOPLE, source="arxiv", arxiv=ARXIV, doi=CVPR, venue="arXiv", year=2022, type="preprint")


@pytest.mark.parametrize(
    ("cited", "lines", "check", "expected"),
    [
        # Nothing is known of the work: the citation contradicts itself.
        (paper("NeurIPS", "2022"), [], "doi", ("failed", "doi-venue")),
        (paper("NeurIPS", "2022"), [UNSEEN], "doi", ("failed", "doi-venue")),
        (paper("NeurIPS", "2022"), [silent("crossref", "doi", CVPR)], "doi", ("failed", "doi-venue")),
        (paper("International Conference on Textile Innovation", "2022"), [], "doi", ("failed", "doi-venue")),
        (paper("CVPR", "2024"), [], "doi", ("failed", "doi-year")),
        # The work is known: where it is cited, the DOI is wrong; where the DOI is from, the venue or the year.
        (paper("ICML", "2022"), [AT_ICML], "doi", ("failed", "doi-venue")),
        (paper("ICML", "2022"), [AT_CVPR], "venue", ("failed", "venue-doi")),
        (paper("ICML", "2022"), [OF_ARXIV], "venue", ("failed", "venue-doi")),
        (paper("Workshop on Weaving at NeurIPS", "2022"), [AT_CVPR], "venue", ("failed", "venue-doi")),
        (paper("Workshop on Weaving", "2022"), [AT_CVPR], "venue", ("failed", "venue-doi")),
        (paper("CVPR", "2024"), [known("CVPR", 2024, type="inproceedings")], "doi", ("failed", "doi-year")),
        (paper("CVPR", "2023"), [AT_CVPR], "cross_db", ("failed", "year-doi")),
        (paper("CVPR", "2023"), [linked(known("CVPR", 2022, "crossref", doi=CVPR, type="inproceedings"))], "cross_db",
         ("failed", "year-doi")),
        # The year may be that of a preprint.
        (paper("CVPR", "2021"), [], "doi", ("unverifiable", "doi-year")),
        # The registry has no such DOI: that says more.
        (paper("NeurIPS", "2022"), [DEAD], "doi", ("failed", "doi-unregistered")),
        # A preprint of a later year than cited.
        (paper("arXiv preprint", "2019", "", "article", eprint=ARXIV), [], "cross_db", ("failed", "year-preprint")),
        (paper("arXiv preprint", "2019", f"10.48550/arxiv.{ARXIV}", "article"), [], "cross_db", ("failed", "year-preprint")),
        (reference("misc", title=TITLE, year="1999", eprint=ARXIV), [], "cross_db", ("unverifiable", "year-preprint")),
    ],
)  # fmt: skip
def test_a_contradiction(
    cited: Reference, lines: list[QueryResult | Record], check: str, expected: tuple[str, str]
) -> None:
    assert outcome(cited, check, *lines) == expected


def test_where_the_doi_or_the_citation_is_wrong_only_that_check_fails() -> None:
    assert [item.code for item in failures(paper("ICML", "2022"), AT_ICML)] == ["doi-venue"]
    assert [item.code for item in failures(paper("ICML", "2022"), AT_CVPR)] == ["venue-doi"]
    assert [item.code for item in failures(paper("CVPR", "2023"), AT_CVPR)] == ["year-doi"]


@pytest.mark.parametrize(
    ("cited", "lines"),
    [
        # The record behind the DOI agrees with the citation, whatever stands in the DOI.
        (paper("ICML", "2022"), [linked(known("ICML", 2022, "crossref", doi=CVPR))]),
        # A paper that appeared in both: the DOI is that of the other version.
        (paper("ICML", "2022"), [AT_ICML, known("CVPR", 2022, "crossref", type="inproceedings")]),
        # The journal version with the DOI of the conference's, and the other way round.
        (paper("Journal of Machine Learning Research", "2023", type_="article"),
         [known("Journal of Machine Learning Research", 2023, type="article")]),
        (paper("ICRA", "2020", "10.1109/lra.2020.2974653"), []),
        (paper("ACL", "2020", "10.1162/tacl_a_00343"), []),
        (paper("SIGMOD Record", "2010", "10.1145/1807167.1807184", "article"), []),
        # Papers of others, printed again.
        (paper("ICML", "2017", "10.24963/ijcai.2018/753"), []),
        # Parts of conferences, volumes of several, conferences that were held in the year after.
        (paper("CVPR", "2022", "10.1109/cvprw56347.2022.00310"), []),
        (paper("CVPR Workshops", "2022"), []),
        (paper("A Workshop on Weaving at NeurIPS", "2022"), []),
        (paper("EMNLP", "2021", "10.18653/v1/2021.findings-emnlp.12"), []),
        (paper("IJCNLP", "2021", "10.18653/v1/2021.acl-long.7"), []),
        (paper("IAAI", "2023", "10.1609/aaai.v37i11.26528"), []),
        (paper("IJCAI", "2021", "10.24963/ijcai.2020/7"), []),
        (paper("ECCV", "2023", "10.1007/978-3-031-19787-1_5"), []),
        # Issues follow what is taken in; the year of the preprint does no harm.
        (paper("IEEE Trans. Pattern Anal. Mach. Intell.", "2023", "10.1109/tpami.2021.3050505", "article"), []),
        (paper("CVPR", "2021"), [AT_CVPR, POSTED]),
        # A preprint that is cited with the DOI of its publication, and a publication with that of its preprint.
        (paper("arXiv preprint arXiv:2106.00001", "2021", type_="article"), []),
        (paper("CVPR", "2022", "10.48550/arxiv.2106.00001"), []),
        (paper("CVPR", "2022", "10.48550/arxiv.2306.00001"), []),
        # Posted in the first days of a year, or long after it was published.
        (paper("arXiv preprint", "2022", "", "article", eprint=ARXIV), []),
        (paper("ICML", "2019", "", eprint=ARXIV), []),
        # Nothing to compare with.
        (reference("inproceedings", title=TITLE, doi=CVPR), []),
        (reference("book", title=TITLE, year="1999", publisher="Springer", doi=CVPR), []),
        (paper("Lecture Notes in Computer Science", "2022"), []),
    ],
)  # fmt: skip
def test_no_contradiction(cited: Reference, lines: list[QueryResult | Record]) -> None:
    assert failures(cited, *lines) == []


def test_a_finding_says_which_is_wrong_by_which_rule_and_what_to_cite() -> None:
    right = known("ICML", 2022, type="inproceedings", doi="10.1000/icml")
    wrong_doi = evaluated(paper("ICML", "2022"), right).findings["doi"]
    assert wrong_doi.message == f"{CVPR} belongs to CVPR 2022, but the citation says “ICML”: DBLP has this work as cited, so the cited DOI is wrong"  # fmt: skip # noqa: E501
    assert "ieeexplore.ieee.org" in wrong_doi.rule
    assert wrong_doi.fixes == {"doi": "10.1000/icml"}
    wrong_venue = evaluated(paper("ICML", "2022"), AT_CVPR).findings["venue"]
    assert (wrong_venue.cited, wrong_venue.found) == ("ICML", "CVPR 2022")
    assert wrong_venue.fixes == {"booktitle": "CVPR"}
    assert evaluated(paper("CVPR", "2023"), AT_CVPR).findings["cross_db"].fixes == {"year": "2022"}
    unknown = evaluated(paper("NeurIPS", "2022")).findings["doi"]
    assert unknown.message.endswith("one of the two is wrong")
    assert unknown.fixes == {}
