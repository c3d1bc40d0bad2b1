"""The venue check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import Asked, Record, Reference
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    absent,
    evaluated,
    found,
    linked,
    outcome,
    record,
    reference,
    silent,
)

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
NINE = f"{TWO}; Ann Bee; Cy Dee; Eve Eff; Guy Hay; Ivy Jay; Kay Ell; Moe Nan"


def paper(venue: str, year: str = "2019", **fields: str) -> Reference:
    return reference(
        "inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle=venue, year=year, **fields
    )


def article(journal: str, year: str = "2019", **fields: str) -> Reference:
    return reference(
        "article", author="Ada Lovelace and Alan Turing", title=TITLE, journal=journal, year=year, **fields
    )


def at(venue: str, year: int = 2019, source: str = "crossref", kind: str = "inproceedings", **fields: object) -> Record:
    return record(TITLE, TWO, source=source, venue=venue, year=year, type=kind, **fields)


def by_more(venue: str, source: str = "crossref") -> Record:
    return record(TITLE, f"{TWO}; Grace Hopper", source=source, venue=venue, year=2019, type="inproceedings")


def retitled(label: str, source: str = "crossref") -> Record:
    return record(f"{TITLE} {label}", TWO, source=source, venue="ICML", year=2019, type="inproceedings")


PREPRINT = record(TITLE, TWO, source="arxiv", venue="arXiv", year=2019, arxiv="1901.00001", type="preprint")
AS_PREPRINT = article("arXiv preprint arXiv:1901.00001")
BOOK = reference("book", author="Ada Lovelace and Alan Turing", title=TITLE, publisher="Taylor", year="2019")


@pytest.mark.parametrize(
    ("cited", "lines", "expected"),
    [
        (paper("Proceedings of the 36th International Conference on Machine Learning"), [at("ICML")],
         ("passed", "venue-ok")),
        (AS_PREPRINT, [PREPRINT], ("passed", "venue-ok")),
        (AS_PREPRINT, [PREPRINT, at("ICML")], ("passed", "venue-preprint-published")),
        (AS_PREPRINT, [at("ICML")], ("unverifiable", "venue-preprint-unknown")),
        (BOOK, [record(TITLE, TWO, publisher="Taylor and Francis")], ("passed", "venue-ok")),
        (BOOK, [record(TITLE, TWO, publisher="Springer")], ("unverifiable", "venue-unknown")),
        (paper("NeurIPS"), [at("ICML")], ("failed", "venue-other")),
        (article("Nature"), [at("Science", kind="article")], ("failed", "venue-other")),
        (article("Nature", doi="10.1000/x"), [linked(at("Science", 2015, kind="article", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp")], ("unverifiable", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp", reason="offline")], ("failed", "venue-other")),
        # Of another year it takes two sources, and of other people any number of them shows nothing.
        (paper("NeurIPS", "2020"), [at("ICML")], ("failed", "venue-other")),
        (paper("NeurIPS"), [by_more("ICML"), by_more("ICML", "dblp")], ("unverifiable", "venue-elsewhere")),
        # An abstract or a talk of it, and what IJCAI prints again.
        (paper("NeurIPS"), [retitled("(Extended Abstract)"), retitled("(Extended Abstract)", "dblp")],
         ("unverifiable", "venue-elsewhere")),
        (paper("NeurIPS"), [retitled("(Demo)")], ("unverifiable", "venue-elsewhere")),
        (paper("ICML"), [at("IJCAI", 2020), at("IJCAI", 2020, "dblp")], ("unverifiable", "venue-elsewhere")),
        (paper("ICML"), [at("IJCAI"), at("IJCAI", 2019, "dblp")], ("failed", "venue-other")),
        (paper("Discovery Science"), [at("ALT")], ("unverifiable", "venue-unclear")),  # they meet together
        # The cited DOI was not seen, and the record has another one.
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML", doi="10.1000/y"), absent("index", "doi", "10.1000/x")],
         ("unverifiable", "venue-elsewhere")),
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML", doi="10.1000/y"), absent("doi_org", "doi", "10.1000/x", "no such DOI")],
         ("failed", "venue-other")),
        # Workshops: of the cited conference, beside the DOI of a conference, under the name of the event.
        (paper("Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition"), [at("CVPR Workshops")],
         ("passed", "venue-workshop")),
        (paper("CVPR", "2022"), [at("CVPR Workshops")], ("unverifiable", "venue-elsewhere")),
        (paper("ICCV"), [at("CVPR Workshops")], ("unverifiable", "venue-elsewhere")),
        (paper("Workshop on Difference Engines", doi="10.1000/x"), [linked(at("CVPR", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("Workshop on Computer Vision", doi="10.1000/x"), [linked(at("CVPR", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("Workshop on Difference Engines"), [at("CVPR")], ("unverifiable", "venue-elsewhere")),
        (paper("NUT@EMNLP", doi="10.1000/x"), [linked(at("Workshop on Argument Mining", doi="10.1000/x"))],
         ("unverifiable", "venue-unclear")),
        (paper("NUT@EMNLP", doi="10.1000/x"), [linked(at("ICML", doi="10.1000/x"))], ("unverifiable", "venue-elsewhere")),
        (paper("NUT@EMNLP"), [at("Proceedings of the 3rd Workshop on Noisy User-generated Text")], ("passed", "venue-ok")),
        # A submission appeared nowhere.
        (paper("ICML"), [at("ICML", kind="submission")], ("unverifiable", "venue-preprint-only")),
        (paper("NeurIPS"), [at("ICML", kind="submission")], ("unverifiable", "venue-preprint-only")),
        (paper("IJCAI", "2020"), [at("ICML")], ("unverifiable", "venue-elsewhere")),  # prints papers of others again
        (paper("Conference on Engines", "2020"), [at("ICML")], ("unverifiable", "venue-elsewhere")),
        (article("Nature", "2021"), [at("Science", kind="article"), at("Science", source="dblp", kind="article")],
         ("failed", "venue-other")),
        # Two of ten people: what they sign alone is another publication.
        (article("Nature"), [record(TITLE, NINE, venue="Science", year=2019, type="article")],
         ("unverifiable", "venue-elsewhere")),
        (article("Communications of the ACM", "2021"), [at("Science", kind="article")],
         ("unverifiable", "venue-elsewhere")),
        (article("ACM Transactions on Programming Languages and Systems", "2021"),
         [at("Proceedings of the ACM on Programming Languages", kind="article")], ("unverifiable", "venue-elsewhere")),
        (paper("ICLR 2019 Workshop on Machines"), [at("ICML")], ("unverifiable", "venue-elsewhere")),
        (article("Journal of Machine Learning Research"), [at("ICML")], ("unverifiable", "venue-elsewhere")),
        (article("Nature"), [at("Science", kind="article"), at("BMJ", kind="article", id="2")],
         ("unverifiable", "venue-elsewhere")),
        (paper("ICML"), [at("Nature", kind="article", source="dblp"), LISTED, NONE_OF_THEIRS],
         ("failed", "venue-other")),
        (paper("ICML"), [PREPRINT, LISTED, NONE_OF_THEIRS], ("failed", "venue-preprint-only")),
        (paper("ICML"), [PREPRINT, NONE_OF_THEIRS], ("unverifiable", "venue-preprint-only")),
        (paper("ICML"), [PREPRINT, LISTED, NONE_OF_THEIRS, silent("crossref")], ("failed", "venue-preprint-only")),
        (paper("ICML"), [PREPRINT, LISTED, NONE_OF_THEIRS, silent("dblp")], ("unverifiable", "venue-preprint-only")),
        (paper("ICML"), [replace(PREPRINT, venues=("arXiv", "NeurIPS 2019"))],
         ("failed", "venue-other")),
        (paper("Engines and More"), [at("ICML")], ("unverifiable", "venue-unclear")),
        (paper(""), [at("ICML")], ("unverifiable", "venue-missing")),
        (paper("ICML"), [absent("crossref")], ("unverifiable", "not-found")),
        (paper("ICML"), [silent("crossref")], ("unverifiable", "unavailable")),
        (paper("ICML"), [silent("crossref", reason="not-recorded")], ("unverifiable", "not-recorded")),
        (paper("ICML"), [], ("unverifiable", "not-asked")),
    ],
)  # fmt: skip
def test_outcome(cited: Reference, lines: list[Asked | Record], expected: tuple[str, str]) -> None:
    assert outcome(cited, "venue", *lines) == expected


def test_a_work_of_theirs_in_the_cited_venue_may_be_the_cited_one_retitled() -> None:
    retitled = record(
        "Remarks about analysing engines", TWO, source="dblp", venue="ICML", year=2019, id="conf/icml/L19"
    )
    listed = found(retitled, kind="author_search", value="conf/icml", year=2019, scope="dblp lists 1 work")
    assert outcome(paper("ICML"), "venue", PREPRINT, LISTED, listed) == ("unverifiable", "venue-preprint-only")


def test_the_list_of_the_cited_authors_says_nothing_of_a_work_by_others() -> None:
    theirs = record(
        TITLE, "Joseph Jacquard; Michael Faraday", source="arxiv", venue="arXiv", year=2019, arxiv="1", type="preprint"
    )
    assert outcome(paper("ICML"), "venue", theirs, LISTED, NONE_OF_THEIRS)[0] == "unverifiable"


def test_the_fix_names_the_venue_as_the_author_does_and_keeps_the_field() -> None:
    finding = evaluated(paper("NeurIPS"), at("ICML")).findings["venue"]
    assert finding.fixes == {"booktitle": "ICML"}
    assert "ICML" in finding.message


def test_a_second_archive_is_not_where_a_preprint_was_published() -> None:
    claimed = reference(
        "article", author="Ada Lovelace", title="On engines of every kind", journal="Genome Biology", year="2014"
    )
    preprint = record(
        "On engines of every kind", "Ada Lovelace", source="crossref", year=2014, type="preprint", doi="10.1101/002832"
    )
    archived = replace(preprint, venues=("bioRxiv", "medRxiv"))
    assert outcome(claimed, "venue", archived) == ("unverifiable", "venue-preprint-only")


def test_conferences_exclude_each_other_if_two_origins_agree() -> None:
    cited = paper("ICML")
    neurips = [
        record(TITLE, TWO, source=name, venues=("NeurIPS",), years=(2019,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    assert outcome(cited, "venue", *neurips, silent("arxiv")) == ("failed", "venue-other")
    assert outcome(cited, "venue", neurips[0], silent("arxiv")) == ("unverifiable", "venue-elsewhere")
    later = [replace(found, years=(2020,)) for found in neurips]
    assert outcome(cited, "venue", *later, silent("arxiv")) == ("failed", "venue-other")
    much_later = [replace(found, years=(2022,)) for found in neurips]
    assert outcome(cited, "venue", *much_later, silent("arxiv")) == ("unverifiable", "venue-elsewhere")
    in_both = [neurips[0], replace(neurips[1], venues=("ECML",))]
    assert outcome(cited, "venue", *in_both, silent("arxiv")) == ("unverifiable", "venue-elsewhere")
    journal = [replace(found, venues=("Journal of Machine Learning Research",), type="article") for found in neurips]
    assert outcome(cited, "venue", *journal, silent("arxiv")) == ("unverifiable", "venue-elsewhere")


@pytest.mark.parametrize(
    ("venue", "expected"),
    [
        ("Symposium on Regularised Looms", ("failed", "venue-other")),
        ("International Conference on Weaving Machinery", ("failed", "venue-other")),
        ("Workshop on Regularised Looms", ("unverifiable", "venue-elsewhere")),
        ("Journal of Regularised Looms", ("unverifiable", "venue-elsewhere")),
    ],
)
def test_unknown_venues_that_call_themselves_conferences(venue: str, expected: tuple[str, str]) -> None:
    known = [
        record(TITLE, TWO, source=name, venues=("NeurIPS",), years=(2019,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    assert outcome(paper(venue), "venue", *known, silent("arxiv")) == expected


def test_an_unknown_journal_in_the_year_of_the_conference() -> None:
    cited = reference(
        "article",
        author="Ada Lovelace and Alan Turing",
        title=TITLE,
        journal="Journal of Regularised Looms",
        year="2019",
    )
    known = [
        record(TITLE, TWO, source=name, venues=("NeurIPS",), years=(2019,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    assert outcome(cited, "venue", *known, absent("arxiv")) == ("failed", "venue-other")
    assert outcome(cited, "venue", known[0], absent("arxiv")) == ("unverifiable", "venue-elsewhere")
    assert outcome(cited, "venue", *known, silent("arxiv")) == ("unverifiable", "venue-elsewhere")
    # An extended version comes later, and a journal that is known has records of its own.
    before = [replace(found, years=(2018,)) for found in known]
    assert outcome(cited, "venue", *before, absent("arxiv")) == ("unverifiable", "venue-elsewhere")
    known_journal = replace(cited, fields={**cited.fields, "journal": "Machine Learning"})
    assert outcome(known_journal, "venue", *known, absent("arxiv")) == ("unverifiable", "venue-elsewhere")


def test_a_submission_that_was_withdrawn_appeared_nowhere() -> None:
    known = [
        record(TITLE, TWO, source=name, venues=("NeurIPS",), years=(2019,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    submitted = record(TITLE, TWO, source="openreview", venues=("ICLR submission (withdrawn)",), years=(2019,))
    assert outcome(paper("ICML"), "venue", *known, submitted) == ("failed", "venue-other")


def test_who_prints_papers_of_others_again_may_have_printed_this_one() -> None:
    known = [
        record(TITLE, TWO, source=name, venues=("ICML",), years=(2018,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    assert outcome(paper("IJCAI"), "venue", *known, silent("arxiv")) == ("unverifiable", "venue-elsewhere")
    assert outcome(paper("CVPR"), "venue", *known, silent("arxiv")) == ("failed", "venue-other")


def test_a_submission_does_not_verify_a_paper_of_the_venue() -> None:
    assert evaluated(paper("ICML"), at("ICML", kind="submission")).verdict.name == "undecided"


def test_a_title_like_that_of_a_workshop_paper_is_not_missing_from_the_conference() -> None:
    near = record(TITLE.replace("analysis", "synthesis"), TWO, venue="ICML 2019 Workshops: Looms", year=2019)
    findings = evaluated(paper("ICML"), near, LISTED, NONE_OF_THEIRS).findings
    assert (findings["title"].outcome, findings["venue"].code) == ("unverifiable", "venue-workshop")
    assert "synthesis" in findings["venue"].message
    by_others = record(near.title, "Grace Hopper; Eve Eff", venue=near.venues[0], year=2019)
    assert outcome(paper("ICML"), "title", by_others, LISTED, NONE_OF_THEIRS)[1] == "title-not-in-venue"


def test_a_paper_of_a_workshop_is_no_wrong_reference() -> None:
    evaluation = evaluated(paper("CVPR"), at("CVPR Workshops"))
    assert evaluation.verdict.name == "verified"
    assert evaluation.findings["venue"].fixes == {"booktitle": "CVPR Workshops"}


def test_the_same_doi_is_the_same_work_under_another_name_of_the_venue() -> None:
    cited = paper("Workshop on Noisy Engines", doi="10.1000/x")
    named = at("NEN@EMNLP", doi="10.1000/x", source="acl")
    assert outcome(cited, "venue", linked(named))[0] == "unverifiable"
    known = paper("NeurIPS", doi="10.1000/x")
    assert outcome(known, "venue", linked(at("ICML", doi="10.1000/x"))) == ("failed", "venue-other")
