"""The cross_db check: every outcome from hand-made evidence."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import absent, covering, evaluated, linked, outcome, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
CITED = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019")


def cited(year: str, type_: str = "inproceedings", **fields: str) -> Reference:
    place = {"booktitle": "ICML"} if type_ == "inproceedings" else {"journal": "Nature"}
    return reference(
        type_, **{"author": "Ada Lovelace and Alan Turing", "title": TITLE, "year": year, **place, **fields}
    )


def known(year: int = 2019, source: str = "crossref", authors: str = TWO, **fields: Any) -> Record:
    return record(TITLE, authors, source=source, year=year, **{"venue": "ICML", "type": "inproceedings"} | fields)


def in_nature(year: int, source: str = "crossref", **fields: Any) -> Record:
    return known(year, source, venue="Nature", type="article", **fields)


def at_iclr() -> list[Record]:
    return [known(2019, source, venue="ICLR") for source in ("crossref", "dblp")]


PREPRINT = known(2019, "arxiv", arxiv="1901.00001", venue="arXiv", type="preprint")
ITS_COPY = known(2019, "dblp", arxiv="1901.00001", venue="CoRR", type="preprint")


@pytest.mark.parametrize(
    ("reference_", "lines", "expected"),
    [
        (CITED, [known(), known(source="dblp")], ("passed", "agree")),
        (CITED, [known(), PREPRINT], ("passed", "agree")),
        (CITED, [linked(known(doi="10.1000/x"))], ("unverifiable", "single-source")),
        (cited("2019", doi="10.1000/x"), [linked(known(doi="10.1000/x"))], ("passed", "agree-registry")),
        (CITED, [known()], ("unverifiable", "single-source")),
        (CITED, [PREPRINT, ITS_COPY], ("unverifiable", "single-source")),
        (CITED, [known(), known(source="dblp", authors="Joseph Jacquard")], ("unverifiable", "sources-disagree")),
        (CITED, [known(authors="Joseph Jacquard")], ("unverifiable", "other-authors")),
        (CITED, [record("Notes on the synthesis of difference engines", TWO, venue="ICML", year=2019)],
         ("unverifiable", "other-title")),
        (CITED, [known(), silent("dblp")], ("unverifiable", "unavailable")),
        (CITED, [absent("crossref")], ("unverifiable", "not-found")),
        (CITED, [silent("crossref", reason="not-recorded")], ("unverifiable", "not-recorded")),
        (CITED, [], ("unverifiable", "not-asked")),
        # the year
        # An error needs two independent sources, and one that covers the cited venue and year.
        (cited("2015"), [known(), known(source="dblp")], ("failed", "year-other")),
        (cited("2015"), [known(), known(source="dblp"), covering("icml", 2015)], ("failed", "year-other")),
        (cited("2015"), [known(), known(source="dblp"), covering("icml", 2019)], ("failed", "year-other")),
        (cited("2015"), [known(), known(source="dblp"), covering("icml", 2015, "index")], ("failed", "year-other")),
        (cited("2015"), [known(source="dblp"), covering("icml", 2015)], ("unverifiable", "year-unclear")),
        (cited("2017"), [known(source="dblp")], ("failed", "year-other")),
        (cited("2017"), [known(source="dblp"), covering("icml", 2017)], ("failed", "year-other")),
        (cited("2017"), [known(source="dblp"), known(source="mlanthology"), covering("icml", 2017)],
         ("failed", "year-other")),  # which derives from it
        (cited("2017"), [known(source="dblp"), known(), covering("icml", 2017)], ("failed", "year-other")),
        (cited("2017", "article"), [in_nature(2019, "dblp")], ("unverifiable", "year-unclear")),
        (cited("2041"), [known(source="dblp")], ("failed", "year-other")),
        (cited("2018"), [known(), known(source="dblp")], ("failed", "year-other")),
        (cited("2018"), [known(), known(source="dblp"), covering("icml", 2018)], ("failed", "year-other")),
        (cited("2018", booktitle="ICLR"), at_iclr(), ("passed", "year-submission")),  # its submissions are public then
        (cited("2020", booktitle="ICLR"), at_iclr(), ("failed", "year-other")),
        (cited("2020", booktitle="ICLR", eventdate="May 6, 2019"), [*at_iclr(), covering("iclr", 2020)],
         ("failed", "year-other")),
        (cited("2020", booktitle="NeurIPS"), [known(venue="NeurIPS")], ("passed", "year-printed")),
        (cited("2018", "misc"), [PREPRINT], ("unverifiable", "year-preprint")),
        (cited("2018", "article"), [PREPRINT, in_nature(2019)], ("passed", "agree")),
        (cited("2020", "misc"), [PREPRINT], ("unverifiable", "single-source")),
        (cited("2018"), [known(), known(source="dblp"), silent("arxiv")], ("passed", "agree")),
        (cited("2018"), [known(), known(source="dblp"), silent("arxiv", reason="offline")],
         ("failed", "year-other")),
        (cited("2020"), [known(), known(source="dblp")], ("failed", "year-other")),
        (cited("2017"), [known(), known(source="dblp"), known(2016, "arxiv", arxiv="1", type="preprint", venue="arXiv")],
         ("failed", "year-mixed")),
        (cited("2018"), [known(), known(source="dblp"), known(2016, "arxiv", arxiv="1", type="preprint", venue="arXiv")],
         ("passed", "agree")),
        (cited("2017"), [known(), known(2016, "arxiv", arxiv="1", type="preprint", venue="arXiv")], ("passed", "agree")),
        (cited("2017", "article"), [in_nature(2019), in_nature(2019, "dblp"),
                                    known(2016, "arxiv", arxiv="1", type="preprint", venue="arXiv")], ("passed", "agree")),
        (cited("2018", "article"), [in_nature(2019), in_nature(2019, "dblp")], ("passed", "agree")),
        (cited("2021", "article"), [in_nature(2019)], ("unverifiable", "year-unclear")),
        (cited("1990"), [known(1986)], ("failed", "year-other")),
        (cited("1990"), [known(1986), known(1986, "dblp"), covering("icml", 1990)], ("failed", "year-other")),
        (cited("1998"), [known(1996)], ("failed", "year-other")),
        (cited("2021", "article"), [in_nature(2019, "dblp")], ("failed", "year-other")),  # dated by its volume
        (cited("2021", "article", volume="2"), [in_nature(2019, "dblp")], ("unverifiable", "year-unclear")),
        (cited("2021", "article", volume="2"), [in_nature(2019, "dblp", volume="2")], ("failed", "year-other")),
        (cited("2021", "article", volume="2"), [in_nature(2019, "dblp"), in_nature(2019)], ("failed", "year-other")),
        (cited("2021", "article", volume="2"), [in_nature(2019, "dblp"), in_nature(2019), covering("nature", 2021)],
         ("failed", "year-other")),
        (cited("2021", "article"), [known(2019, "dblp", venue="Science", type="article")], ("unverifiable", "year-unclear")),
        (cited("1937", "article", doi="10.1000/x"), [linked(in_nature(2007, doi="10.1000/x"))],
         ("unverifiable", "year-unclear")),
        (cited("2012", "article", doi="10.1000/x"), [linked(in_nature(2007, doi="10.1000/x"))],
         ("failed", "year-other")),
        (cited("2001", "book", publisher="Taylor"), [known(2009, type="book"), known(2009, "dblp", type="book")],
         ("unverifiable", "year-unclear")),
        (cited("2024", "article"), [PREPRINT], ("unverifiable", "year-unclear")),
        # Only a preprint is known, of three years or more after the cited conference.
        (cited("2016"), [PREPRINT], ("failed", "year-other")),
        (cited("2016"), [PREPRINT, ITS_COPY, covering("icml", 2016)], ("failed", "year-other")),
        (cited("2017"), [PREPRINT], ("unverifiable", "year-unclear")),
        (cited("2016", "article"), [PREPRINT], ("unverifiable", "year-unclear")),
        # reprints, and the year in which the cited arXiv id was given out
        (cited("2009", "article"), [known(1999, venue="Science", type="article"), known(1999, "dblp", venue="Science")],
         ("unverifiable", "year-unclear")),
        (reference("misc", author="Ada Lovelace and Alan Turing", title=TITLE, year="2014", eprint="1409.0473v2",
                   archiveprefix="arXiv"),
         [record(TITLE, TWO, source="crossref", arxiv="1409.0473", venue="arXiv", year=2016, type="preprint")],
         ("passed", "agree-registry")),
        (cited("2024"), [known(venue="NeurIPS"), known(source="dblp", venue="NeurIPS")],
         ("unverifiable", "year-unclear")),
        (cited(""), [known(), known(source="dblp")], ("passed", "agree")),
    ],
)  # fmt: skip
def test_outcome(reference_: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
    assert outcome(reference_, "cross_db", *lines) == expected


def test_one_record_convicts_where_many_references_are_wrong() -> None:
    assert outcome(cited("2017"), "cross_db", known(source="dblp"), prior=0.3) == ("failed", "year-other")
    assert evaluated(cited("2017"), known(source="dblp")).verdict.name == "undecided"
    finding = evaluated(cited("2016"), PREPRINT).findings["cross_db"]
    assert finding.evidence == "single record"
    assert "3 years after the cited 2016" in finding.message


def test_the_fix_is_written_into_the_field_that_holds_the_year() -> None:
    dated = cited("", date="2015-06-01")
    fixes = evaluated(dated, known(), known(source="dblp")).findings["cross_db"].fixes
    assert fixes == {"date": "2019"}
    assert evaluated(cited("2015"), known(), known(source="dblp")).findings["cross_db"].fixes == {"year": "2019"}
