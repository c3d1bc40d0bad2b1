"""The venue check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    absent,
    covering,
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


NO_SUCH_DOI = absent("doi_org", "doi", "10.1000/x", "no such DOI")
FORUM = "https://openreview.net/forum?id=B1x2y3z4A5"
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
        # A record elsewhere is an error only if a source that was searched by title covers the cited venue and year.
        (paper("NeurIPS"), [at("ICML")], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), absent("dblp")], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), covering("neurips", 2019)], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), absent("dblp"), covering("neurips", 2018)], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), absent("dblp"), covering("icml", 2019)], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), absent("dblp"), covering("neurips", 2019)], ("failed", "venue-other")),
        (paper("NeurIPS"), [at("ICML"), absent("dblp"), covering("conf/nips", 2019)], ("failed", "venue-other")),
        (article("Nature"), [at("Science", kind="article")], ("failed", "venue-elsewhere")),
        (article("Nature"), [at("Science", kind="article"), covering("nature", 2019, "crossref")],
         ("failed", "venue-other")),
        (article("Nature", doi="10.1000/x"), [linked(at("Science", 2015, kind="article", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp")], ("unverifiable", "venue-version")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp", reason="offline")], ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp", reason="offline"), covering("neurips", 2019)],
         ("failed", "venue-elsewhere")),
        (paper("NeurIPS"), [at("ICML"), silent("dblp", reason="offline"), covering("neurips", 2019, "crossref")],
         ("failed", "venue-other")),
        # Records of other people show nothing, however many there are.
        (paper("NeurIPS", "2020"), [at("ICML")], ("failed", "venue-elsewhere")),
        (paper("NeurIPS", "2020"), [at("ICML"), covering("neurips", 2020, "crossref")], ("failed", "venue-other")),
        (paper("NeurIPS"), [by_more("ICML"), by_more("ICML", "dblp"), covering("neurips", 2019)],
         ("unverifiable", "venue-version")),
        # An abstract or a demonstration printed elsewhere is another publication, and IJCAI prints papers again.
        (paper("NeurIPS"), [retitled("(Extended Abstract)"), retitled("(Extended Abstract)", "dblp")],
         ("unverifiable", "not-found")),
        (paper("ICML"), [retitled("(Extended Abstract)")], ("passed", "venue-ok")),
        (paper("NeurIPS"), [retitled("(Demo)")], ("unverifiable", "not-found")),
        (paper("ICML"), [at("IJCAI", 2020), at("IJCAI", 2020, "dblp"), covering("icml", 2019)],
         ("unverifiable", "venue-version")),
        (paper("ICML"), [at("IJCAI"), at("IJCAI", 2019, "dblp")], ("failed", "venue-elsewhere")),
        (paper("ICML"), [at("IJCAI"), at("IJCAI", 2019, "dblp"), covering("icml", 2019)], ("failed", "venue-other")),
        (paper("Discovery Science"), [at("ALT")], ("unverifiable", "venue-unclear")),  # they meet together
        # The cited DOI was not seen, and the record has another one.
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML", doi="10.1000/y"), absent("index", "doi", "10.1000/x")],
         ("unverifiable", "venue-version")),
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML", doi="10.1000/y"), NO_SUCH_DOI], ("failed", "venue-elsewhere")),
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML", doi="10.1000/y"), NO_SUCH_DOI, covering("neurips", 2019, "crossref")],
         ("failed", "venue-other")),
        # No coverage helps while a cited identifier may lead to another publication.
        (paper("NeurIPS", doi="10.1000/x"), [at("ICML"), covering("neurips", 2019, "crossref")],
         ("failed", "venue-elsewhere")),
        (paper("NeurIPS", url=FORUM), [at("ICML"), covering("neurips", 2019, "crossref")],
         ("failed", "venue-elsewhere")),
        (paper("NeurIPS", url=FORUM), [at("ICML", related=(("openreview", "B1x2y3z4A5"),)),
                                       covering("neurips", 2019, "crossref")], ("failed", "venue-other")),
        # Workshops: of the cited conference, beside the DOI of a conference, under the name of the event.
        (paper("Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition"), [at("CVPR Workshops")],
         ("passed", "venue-workshop")),
        (paper("CVPR", "2022"), [at("CVPR Workshops")], ("unverifiable", "venue-version")),
        (paper("ICCV"), [at("CVPR Workshops")], ("unverifiable", "venue-version")),
        # A paper of the conference itself, cited as one of a workshop there in that year.
        (paper("ICML 2019 Workshop on Machines"), [at("ICML")], ("failed", "venue-main")),
        (paper("ICML 2018 Workshop on Machines", "2018"), [at("ICML")], ("unverifiable", "venue-version")),
        (paper("ICML 2019 Workshop on Machines"), [at("ICML", kind="submission")], ("unverifiable", "venue-preprint-only")),
        (paper("Workshop on Difference Engines", doi="10.1000/x"), [linked(at("CVPR", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("Workshop on Computer Vision", doi="10.1000/x"), [linked(at("CVPR", doi="10.1000/x"))],
         ("failed", "venue-other")),
        (paper("Workshop on Difference Engines"), [at("CVPR")], ("unverifiable", "venue-version")),
        (paper("NUT@EMNLP", doi="10.1000/x"), [linked(at("Workshop on Argument Mining", doi="10.1000/x"))],
         ("unverifiable", "venue-unclear")),
        (paper("NUT@EMNLP", doi="10.1000/x"), [linked(at("ICML", doi="10.1000/x"))], ("unverifiable", "venue-version")),
        (paper("NUT@EMNLP"), [at("Proceedings of the 3rd Workshop on Noisy User-generated Text")], ("passed", "venue-ok")),
        # A submission appeared nowhere.
        (paper("ICML"), [at("ICML", kind="submission")], ("unverifiable", "venue-preprint-only")),
        (paper("NeurIPS"), [at("ICML", kind="submission")], ("unverifiable", "venue-preprint-only")),
        (paper("IJCAI", "2020"), [at("ICML")], ("unverifiable", "venue-version")),  # prints papers of others again
        (paper("Conference on Engines", "2020"), [at("ICML")], ("unverifiable", "venue-version")),
        # An article of another year needs two sources as well.
        (article("Nature", "2021"), [at("Science", kind="article"), covering("nature", 2021, "crossref")],
         ("unverifiable", "venue-version")),
        (article("Nature", "2021"), [at("Science", kind="article"), at("Science", source="dblp", kind="article")],
         ("failed", "venue-elsewhere")),
        (article("Nature", "2021"), [at("Science", kind="article"), at("Science", source="dblp", kind="article"),
                                     covering("nature", 2021)], ("failed", "venue-other")),
        # Two of ten people: what they sign alone is another publication.
        (article("Nature"), [record(TITLE, NINE, venue="Science", year=2019, type="article")],
         ("unverifiable", "venue-version")),
        (article("Communications of the ACM", "2021"), [at("Science", kind="article")],
         ("unverifiable", "venue-version")),
        (article("ACM Transactions on Programming Languages and Systems", "2021"),
         [at("Proceedings of the ACM on Programming Languages", kind="article")], ("unverifiable", "venue-version")),
        (paper("ICLR 2019 Workshop on Machines"), [at("ICML")], ("unverifiable", "venue-version")),
        (article("Journal of Machine Learning Research"), [at("ICML")], ("unverifiable", "venue-version")),
        (article("Nature"), [at("Science", kind="article"), at("BMJ", kind="article", id="2")],
         ("unverifiable", "venue-version")),
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
def test_outcome(cited: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
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
    rest = silent("arxiv"), covering("icml", 2019)
    assert outcome(cited, "venue", *neurips, silent("arxiv")) == ("failed", "venue-elsewhere")
    assert outcome(cited, "venue", *neurips, *rest) == ("failed", "venue-other")
    assert outcome(cited, "venue", neurips[0], *rest) == ("unverifiable", "venue-version")
    later = [replace(found, years=(2020,)) for found in neurips]
    assert outcome(cited, "venue", *later, *rest) == ("failed", "venue-other")
    much_later = [replace(found, years=(2022,)) for found in neurips]
    assert outcome(cited, "venue", *much_later, *rest) == ("unverifiable", "venue-version")
    in_both = [neurips[0], replace(neurips[1], venues=("ECML",))]
    assert outcome(cited, "venue", *in_both, *rest) == ("unverifiable", "venue-version")
    journal = [replace(found, venues=("Journal of Machine Learning Research",), type="article") for found in neurips]
    assert outcome(cited, "venue", *journal, *rest) == ("unverifiable", "venue-version")


@pytest.mark.parametrize(
    ("venue", "expected"),
    [
        ("Symposium on Regularised Looms", ("failed", "venue-elsewhere")),  # no source can be said to cover it
        ("International Conference on Weaving Machinery", ("failed", "venue-elsewhere")),
        ("Workshop on Regularised Looms", ("unverifiable", "venue-version")),
        ("Journal of Regularised Looms", ("unverifiable", "venue-version")),
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
    assert outcome(cited, "venue", *known, absent("arxiv")) == ("failed", "venue-elsewhere")
    assert outcome(cited, "venue", *known, absent("arxiv"), prior=0.3) == ("failed", "venue-elsewhere")
    assert outcome(cited, "venue", known[0], absent("arxiv")) == ("unverifiable", "venue-version")
    assert outcome(cited, "venue", *known, silent("arxiv")) == ("unverifiable", "venue-version")
    # An extended version comes later, and a journal that is known has records of its own.
    before = [replace(found, years=(2018,)) for found in known]
    assert outcome(cited, "venue", *before, absent("arxiv")) == ("unverifiable", "venue-version")
    known_journal = replace(cited, fields={**cited.fields, "journal": "Machine Learning"})
    assert outcome(known_journal, "venue", *known, absent("arxiv")) == ("unverifiable", "venue-version")


def test_a_submission_that_was_withdrawn_appeared_nowhere() -> None:
    known = [
        record(TITLE, TWO, source=name, venues=("NeurIPS",), years=(2019,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    submitted = record(TITLE, TWO, source="openreview", venues=("ICLR submission (withdrawn)",), years=(2019,))
    assert outcome(paper("ICML"), "venue", *known, submitted) == ("failed", "venue-elsewhere")
    assert outcome(paper("ICML"), "venue", *known, submitted, covering("icml", 2019)) == ("failed", "venue-other")


def test_who_prints_papers_of_others_again_may_have_printed_this_one() -> None:
    known = [
        record(TITLE, TWO, source=name, venues=("ICML",), years=(2018,), type="inproceedings")
        for name in ("dblp", "crossref")
    ]
    lines: list[QueryResult | Record] = [*known, silent("arxiv"), covering("ijcai", 2019), covering("cvpr", 2019)]
    assert outcome(paper("IJCAI"), "venue", *lines) == ("unverifiable", "venue-version")
    assert outcome(paper("CVPR"), "venue", *lines) == ("failed", "venue-other")
    assert outcome(paper("CVPR"), "venue", *known, silent("arxiv")) == ("failed", "venue-elsewhere")


def test_a_submission_does_not_verify_a_paper_of_the_venue() -> None:
    assert evaluated(paper("ICML"), at("ICML", kind="submission")).verdict.name == "undecided"


def test_a_title_like_that_of_a_workshop_paper_is_not_missing_from_the_conference() -> None:
    near = record(TITLE.replace("analysis", "synthesis"), TWO, venue="ICML 2019 Workshops: Looms", year=2019)
    findings = evaluated(paper("ICML"), near, LISTED, NONE_OF_THEIRS).findings
    assert (findings["title"].outcome, findings["venue"].code) == ("unverifiable", "venue-workshop")
    assert "synthesis" in findings["venue"].message
    by_others = record(near.title, "Grace Hopper; Eve Eff", venue=near.venues[0], year=2019)
    assert outcome(paper("ICML"), "title", by_others, LISTED, NONE_OF_THEIRS)[1] == "title-not-in-venue"


def test_a_workshop_paper_cited_with_its_conference_is_neither_verified_nor_wrong() -> None:
    evaluation = evaluated(paper("CVPR"), at("CVPR Workshops"))
    assert evaluation.verdict.name == "undecided"
    assert evaluation.verdict.reason.endswith("probably wrong: venue-workshop")
    assert evaluation.findings["venue"].fixes == {"booktitle": "CVPR Workshops"}
    assert evaluated(paper("CVPR Workshops"), at("CVPR Workshops")).verdict.name == "verified"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (("dblp",), "single record"),  # collections also give DOIs to records of other works
        (("dblp", "mlanthology"), "single record"),  # which takes from DBLP
        (("dblp", "papercopilot"), "two records"),
        (("crossref",), "registry"),
    ],
)
def test_the_record_of_the_cited_doi_is_in_another_journal(sources: tuple[str, ...], expected: str) -> None:
    lines = [linked(at("Science", source=source, kind="article", doi="10.1000/x")) for source in sources]
    finding = evaluated(article("Nature", doi="10.1000/x"), *lines).findings["venue"]
    assert (finding.code, finding.evidence) == ("venue-other", expected)


@pytest.mark.parametrize(
    ("cited", "code"), [(paper("NeurIPS"), "venue-elsewhere"), (paper("ICML 2019 Workshop on Machines"), "venue-main")]
)
def test_a_venue_that_one_record_contradicts_is_wrong_where_many_references_are(cited: Reference, code: str) -> None:
    warned = evaluated(cited, at("ICML"))
    assert (warned.findings["venue"].outcome, warned.findings["venue"].code) == ("unverifiable", code)
    assert warned.verdict.name == "undecided"
    failed = evaluated(cited, at("ICML"), prior=0.3)
    assert (failed.findings["venue"].outcome, failed.findings["venue"].code) == ("failed", code)
    assert failed.verdict.name == "misdescribed"


def test_a_complete_list_covers_the_cited_venue() -> None:
    lines: list[QueryResult | Record] = [at("NeurIPS"), LISTED, NONE_OF_THEIRS]
    assert outcome(paper("ICML"), "venue", *lines) == ("failed", "venue-other")
    assert outcome(paper("ICML"), "venue", *lines[:2]) == ("failed", "venue-elsewhere")


def test_a_collection_gives_the_doi_of_another_paper_to_a_record() -> None:
    """DOIs of the NeurIPS registrant never have this form, so the DOI does not link DBLP's record to the citation."""
    doi = "10.1109/iccv.2019.00612"
    cited = paper("ICCV", doi=doi)
    assert outcome(cited, "venue", linked(at("NeurIPS", doi=doi, source="dblp"))) == ("unverifiable", "venue-version")
    assert evaluated(cited, linked(at("NeurIPS", doi=doi, source="dblp"))).case.works[0].matched_identifier == ""
    assert evaluated(cited, linked(at("NeurIPS", doi=doi))).case.works[0].matched_identifier == "doi"


def test_a_technical_report_and_a_paper_are_two_publications() -> None:
    report = reference(
        "techreport", author="Ada Lovelace and Alan Turing", title=TITLE, institution="Engine Lab", year="2019"
    )
    assert evaluated(report, at("ICML")).case.works == ()
    assert evaluated(report, record(TITLE, TWO, type="report", year=2019)).case.works
    assert evaluated(paper("ICML"), record(TITLE, TWO, type="report", year=2019)).case.works == ()
    assert evaluated(paper("ICML", note="Technical report"), at("ICML")).case.works == ()


def test_the_same_doi_is_the_same_work_under_another_name_of_the_venue() -> None:
    cited = paper("Workshop on Noisy Engines", doi="10.1000/x")
    named = at("NEN@EMNLP", doi="10.1000/x", source="acl")
    assert outcome(cited, "venue", linked(named))[0] == "unverifiable"
    known = paper("NeurIPS", doi="10.1000/x")
    assert outcome(known, "venue", linked(at("ICML", doi="10.1000/x"))) == ("failed", "venue-other")
