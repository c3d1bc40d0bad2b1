"""The title check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.model import Person, QueryResult, Record, Reference
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    NONE_OF_THEIRS_IN_DBLP,
    absent,
    asked,
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
DOI = "10.1000/engines"
HOPPER = Person(literal="Grace Hopper")
CITED = reference("article", author="Ada Lovelace and Alan Turing", title=TITLE, journal="Nature", year="2001", doi=DOI)
AT_ICML = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019")
PREPRINT = reference(
    "misc", author="Ada Lovelace and Alan Turing", title=TITLE, year="2017", eprint="1701.00001", archiveprefix="arXiv"
)
SECOND = reference("misc", **{**PREPRINT.fields, "eprint": "1701.00001v2"})
AT_ICML_TOO = reference("inproceedings", **AT_ICML.fields, eprint="1701.00001", archiveprefix="arXiv")
SYNTHESIS = "Notes on the synthesis of difference engines"
OF_CROSSREF = asked("doi_ra", "prefix", "10.1000", found(Record("doi_ra", "10.1000", agency="Crossref")).answer)


def here(title: str, **fields: object) -> Record:
    return record(title, TWO, **{"venue": "Nature", "year": 2001, **fields})  # type: ignore[arg-type]


def online(title: str, version: int = 3) -> Record:
    return record(
        title, TWO, source="arxiv", arxiv="1701.00001", year=2017, venue="arXiv", type="preprint", version=version
    )


def asked_for(title: str, version: int) -> QueryResult:
    """arXiv shows the version that is asked for, under this title."""
    return found(online(title, version), kind="arxiv", value=f"1701.00001v{version}")


def first(title: str) -> QueryResult:
    return asked_for(title, 1)


LOOMS = record("Analysis of looms", "Grace Hopper", source="dblp")
WITH_DOI = reference("inproceedings", **dict(AT_ICML.fields), doi=DOI)
WITH_EPRINT = reference("inproceedings", **dict(AT_ICML.fields), doi=DOI, eprint="1701.00001", archiveprefix="arXiv")
RETITLED = [
    linked(here("Notes on the synthesis of difference engines", venue="ICML", year=2019, doi=DOI)),
    here("Notes on the synthesis of difference engines", venue="ICML", year=2019, source="dblp"),
]
RETITLED_BY_A_LETTER = [
    linked(here("Notes on the analysis of differenbe engines", venue="ICML", year=2019, doi=DOI)),
    here("Notes on the analysis of differenbe engines", venue="ICML", year=2019, source="dblp"),
]
MISSPELT = [
    here("Notes on the anylysis of difference engines", venue="ICML", year=2019, source="dblp"),
    here("Notes on the anylysis of difference engines", venue="ICML", year=2019),
]
SLIPPED = reference("article", **{**CITED.fields, "title": "Notes on the analycis of difference engines"})
SLIPPED_AT_ICML = reference(
    "inproceedings", **{**AT_ICML.fields, "title": "Notes on the analycis of difference engines"}
)
KNOWN = found(LOOMS, kind="word", value="analysis", source="index")
UNKNOWN = absent("index", "word", "analycis", "no record has the word")
SLIPPED_PREPRINT = reference("misc", **{**PREPRINT.fields, "title": "Notes on the analycis of difference engines"})
BY_ONE = reference("inproceedings", author="Ada Lovelace", title=TITLE, booktitle="ICML", year="2019")
IN_1988 = reference("inproceedings", **{**AT_ICML.fields, "year": "1988"})
GPTQ = reference("inproceedings", **{**AT_ICML.fields, "title": f"GPTQ: {TITLE}"})
LO_RA = reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE} with LoRA"})
WITH_SUBTITLE = reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE}: a survey of looms"})
MIXED = reference("inproceedings", **{**AT_ICML.fields, "title": "Weaving silk on large looms with difference engines"})
PARTLY = "Teaching children mathematics by means of difference engines"
TAKO = reference("article", **{**CITED.fields, "title": f"täkō: {TITLE}"})


@pytest.mark.parametrize(
    ("cited", "lines", "expected"),
    [
        (CITED, [here(TITLE)], ("passed", "title-ok")),
        (CITED, [linked(here("Notes on analysis of difference engines", doi=DOI))], ("passed", "title-function-word")),
        (CITED, [linked(here("Notes on an analysis of difference engines", doi=DOI))], ("passed", "title-function-word")),
        (CITED, [linked(here("Notes on the analysis for difference engines", doi=DOI))],
         ("unverifiable", "title-variant")),
        (CITED, [linked(here("Notes on the synthesis of difference engines", doi=DOI))], ("failed", "title-near-miss")),
        (AT_ICML, [here("Note on the analysis of difference engine", venue="ICML", year=2019, source="dblp"),
                   here("Note on the analysis of difference engine", venue="ICML", year=2019)],
         ("failed", "title-published")),
        (AT_ICML, [here("Note on the analysis of difference engine", venue="ICML", year=2019, source="dblp"),
                   here("Note on the analysis of difference engine", venue="ICML", year=2019),
                   online("Note on the analysis of difference engine")], ("failed", "title-near-miss")),
        # Two letters of two words, in two sources: no preprint is retitled like that.
        (AT_ICML, [here("Notes on the anolysis of differance engines", venue="ICML", year=2019, source="dblp"),
                   here("Notes on the anolysis of differance engines", venue="ICML", year=2019)],
         ("failed", "title-near-miss")),
        # One word stands for another: nobody prints two such papers in one volume, parts of a series aside. The preprint may
        # have had the cited one, if it was not seen and there may be one.
        (AT_ICML, [here(SYNTHESIS, venue="ICML", year=2019)], ("failed", "title-published")),
        (AT_ICML, [here(SYNTHESIS, venue="ICML", year=2019), here(SYNTHESIS, venue="ICML", year=2019, source="dblp")],
         ("failed", "title-published")),
        (AT_ICML, [here(SYNTHESIS, venue="ICML", year=2019), online(SYNTHESIS)], ("failed", "title-near-miss")),
        (AT_ICML, [here(SYNTHESIS, venue="ICML", year=2019), online("Notes on the history of difference engines")],
         ("failed", "title-published")),
        (AT_ICML, [here(SYNTHESIS, venue="ICML", year=2019), replace(online(SYNTHESIS), authors=(HOPPER,))],
         ("failed", "title-published")),
        (IN_1988, [here(SYNTHESIS, venue="ICML", year=1988)], ("failed", "title-similar")),
        (IN_1988, [here(SYNTHESIS, venue="ICML", year=1988), here(SYNTHESIS, venue="ICML", year=1988, source="dblp")],
         ("failed", "title-near-miss")),
        # Systems are renamed, whatever the preprint is called by now.
        (GPTQ, [here("OPTQ: Notes on the analysis of difference engines", venue="ICML", year=2019),
                online("OPTQ: Notes on the analysis of difference engines")], ("failed", "title-published")),
        (LO_RA, [here("Notes on the analysis of difference engines with QLoRA", venue="ICML", year=2019),
                 online("Notes on the analysis of difference engines with QLoRA")], ("failed", "title-published")),
        # A record that has lost letters says nothing of the word, and corrects nothing.
        (TAKO, [linked(here("täk¯: notes on the analysis of difference engines", doi=DOI))], ("unverifiable", "title-variant")),
        (TAKO, [linked(here("täka: notes on the analysis of difference engines", doi=DOI))], ("failed", "title-near-miss")),
        *((CITED, [linked(here(f"{head}: {TITLE}", doi=DOI)), here(f"{head}: {TITLE}", source="dblp")],
           ("unverifiable", "title-variant")) for head in ("Letter", "Technical Note", "Case Report", "Communication")),
        (reference("article", **{**CITED.fields, "title": f"Letter: {TITLE}"}), [linked(here(TITLE, doi=DOI))],
         ("unverifiable", "title-variant")),
        (CITED, [linked(here(f"Letter: {SYNTHESIS}", doi=DOI))], ("failed", "title-near-miss")),
        # An index has the one word in some record, and the other in none.
        (SLIPPED, [here(TITLE), KNOWN, UNKNOWN], ("failed", "title-misspelt")),
        (SLIPPED_AT_ICML, [here(TITLE, venue="ICML", year=2019), KNOWN, UNKNOWN], ("failed", "title-misspelt")),
        (SLIPPED_PREPRINT, [linked(online(TITLE)), KNOWN, UNKNOWN], ("failed", "title-misspelt")),
        (SLIPPED, [here(TITLE), KNOWN, absent("index", "word", "analycis")], ("failed", "title-near-miss")),
        (CITED, [here("Notes on the analycis of difference engines"), KNOWN, UNKNOWN], ("unverifiable", "title-variant")),
        (AT_ICML, [here("Note on the analysis of difference engines", venue="ICML", year=2019)],
         ("unverifiable", "title-variant")),  # another ending may be the record's slip
        (AT_ICML, [here("Notes on the analysis of difference engine", venue="ICML", year=2019),
                   here("Notes on the analysis of difference engine", venue="ICML", year=2019, source="dblp")],
         ("failed", "title-published")),  # which two sources would not share
        (WITH_DOI, [linked(here("Notes on the analysis of difference engine", venue="ICML", year=2019, doi=DOI)),
                    here("Notes on the analysis of difference engine", venue="ICML", year=2019, source="dblp")],
         ("failed", "title-near-miss")),
        (AT_ICML, [here("Notes on the anylisis of difference engines", venue="ICML", year=2019)],
         ("failed", "title-similar")),  # so may two letters
        (AT_ICML, [here("Notes on the synthesis of difference engines", venue="ICML", year=2019), silent("arxiv")],
         ("failed", "title-similar")),  # it may be the title of the preprint
        (AT_ICML, [here("Notes on the synthesis of difference engines", venue="ICML", year=2018)],
         ("unverifiable", "not-found")),
        (AT_ICML, [here("Notes on the synthesis of difference engines", venue="NeurIPS", year=2019)],
         ("unverifiable", "not-found")),
        (AT_ICML, [here("Notes on the synthesis of different engines", venue="ICML", year=2019)],
         ("failed", "title-similar")),
        (AT_ICML, [here("Notes on the early analysis of difference engines", venue="ICML", year=2019)],
         ("failed", "title-similar")),
        (BY_ONE, [record("Notes on the synthesis of difference engines", "Ada Lovelace", venue="ICML", year=2019)],
         ("failed", "title-similar")),
        (reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE}: Part 1"}),
         [here(f"{TITLE}: Part 2", venue="ICML", year=2019)], ("failed", "title-similar")),
        (reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE} II"}),
         [here(f"{TITLE} IV", venue="ICML", year=2019)], ("failed", "title-similar")),
        (reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE} with CHEK2"}),
         [here(f"{TITLE} with CHEK1", venue="ICML", year=2019), online(f"{TITLE} with CHEK1")],
         ("failed", "title-near-miss")),
        (reference("inproceedings", **{**AT_ICML.fields, "title": f"{TITLE} in 2D"}),
         [here(f"{TITLE} in 3D", venue="ICML", year=2019), online(f"{TITLE} in 3D")], ("failed", "title-near-miss")),
        (CITED, [linked(here("Notes on the analysis of diffrence engines", doi=DOI))],
         ("failed", "title-similar")),
        (PREPRINT, [linked(online("Notes on the synthesis of difference engines"))], ("unverifiable", "title-version")),
        (PREPRINT, [linked(online("Notes on the synthesis of difference engines", version=1))],
         ("failed", "title-near-miss")),
        # The versions that were seen decide together: the first has it; all are seen, and none has it; some were not seen.
        (PREPRINT, [linked(online(SYNTHESIS, 2)), first(TITLE)], ("passed", "title-ok")),
        (PREPRINT, [linked(online("Weaving algebraical patterns", 2)), first(TITLE)], ("passed", "title-ok")),
        (PREPRINT, [linked(online(SYNTHESIS, 2)), first("Notes on analysis of difference engines")],
         ("passed", "title-function-word")),
        (PREPRINT, [linked(online(SYNTHESIS, 2)), first("Notes on the history of difference engines")],
         ("failed", "title-near-miss")),
        (PREPRINT, [linked(online("Weaving algebraical patterns", 2)), first(SYNTHESIS)], ("failed", "title-near-miss")),
        (PREPRINT, [linked(online("Weaving algebraical patterns", 3)), first(SYNTHESIS)],
         ("unverifiable", "title-version")),
        (PREPRINT, [linked(online(SYNTHESIS)), first("Notes on the history of difference engines")],
         ("unverifiable", "title-version")),
        (PREPRINT, [linked(online(SYNTHESIS, 2)), silent("arxiv", "arxiv", "1701.00001v1")],
         ("unverifiable", "title-version")),
        (PREPRINT, [linked(online(SYNTHESIS, 2)), absent("arxiv", "arxiv", "1701.00001v1")],
         ("unverifiable", "title-version")),
        # The publication may have it, which a source knows that did not answer; of a preprint arXiv knows all titles.
        (AT_ICML_TOO, [linked(online(SYNTHESIS, 1)), absent("dblp")], ("failed", "title-near-miss")),
        (AT_ICML_TOO, [linked(online(SYNTHESIS, 1)), silent("dblp")], ("unverifiable", "title-version")),
        (PREPRINT, [linked(online(SYNTHESIS, 1)), silent("dblp")], ("failed", "title-near-miss")),
        (SECOND, [linked(online("Weaving algebraical patterns")), asked_for(SYNTHESIS, 2)], ("failed", "title-near-miss")),
        (SECOND, [linked(online(SYNTHESIS)), asked_for(TITLE, 2)], ("passed", "title-ok")),
        # The first version is known, and that there are others, of which nothing is: the latest was not shown.
        (PREPRINT, [asked_for(SYNTHESIS, 1), silent("arxiv", "arxiv", "1701.00001")], ("unverifiable", "title-version")),
        # The record behind the cited arXiv id may have the cited title, unless arXiv says that there is none.
        (WITH_EPRINT, RETITLED, ("unverifiable", "title-version")),
        (WITH_EPRINT, [*RETITLED, found(online("Notes on the synthesis of difference engines"), kind="arxiv",
                                        value="1701.00001")], ("failed", "title-near-miss")),
        (WITH_EPRINT, [*RETITLED, absent("arxiv", "arxiv", "1701.00001", "no such id")], ("failed", "title-near-miss")),
        (WITH_EPRINT, RETITLED_BY_A_LETTER, ("failed", "title-near-miss")),
        # So may an earlier version of a preprint whose title is nearer to the cited one; not of one whose title is no nearer.
        (WITH_DOI, [*RETITLED, online("Notes on the analysis of difference engine")], ("unverifiable", "title-version")),
        (WITH_DOI, [*RETITLED, online("Notes on the synthesis of difference engines")], ("failed", "title-near-miss")),
        (WITH_DOI, [*RETITLED, record("Notes on the analysis of difference engine", "Grace Hopper", source="arxiv",
                                      arxiv="1701.00001", year=2017, venue="arXiv", type="preprint")],
         ("failed", "title-near-miss")),
        # Two lists with one misspelling: the cited word is a word of other works, the found one is none.
        (AT_ICML, [*MISSPELT, record("Analysis of looms", "Grace Hopper", source="dblp")], ("unverifiable", "title-variant")),
        (AT_ICML, MISSPELT, ("failed", "title-near-miss")),
        (AT_ICML, [*MISSPELT, record("Analysis and anylysis of looms", "Grace Hopper", source="dblp")],
         ("failed", "title-near-miss")),
        # One record suffices if the found word is a word of other works and the cited one is none.
        (SLIPPED, [linked(here(TITLE, doi=DOI)), LOOMS], ("failed", "title-near-miss")),
        (SLIPPED, [linked(here(TITLE, doi=DOI))], ("failed", "title-similar")),
        (SLIPPED, [here(TITLE), LOOMS], ("failed", "title-near-miss")),
        (SLIPPED, [here(TITLE), LOOMS, record("Analycis of looms", "Grace Hopper")], ("failed", "title-similar")),
        (SLIPPED_PREPRINT, [linked(online(TITLE)), LOOMS], ("failed", "title-near-miss")),
        (SLIPPED_PREPRINT, [linked(online(TITLE))], ("unverifiable", "title-version")),
        # A publication that names the e-print says nothing of the title that the e-print has.
        (PREPRINT, [here("Notes on the synthesis of difference engines", arxiv="1701.00001")], ("unverifiable", "title-version")),
        (PREPRINT, [here("Weaving algebraical patterns", arxiv="1701.00001")], ("unverifiable", "not-found")),
        (SLIPPED_PREPRINT, [linked(online("Notes on the analogue of difference engines")), LOOMS],
         ("unverifiable", "title-version")),  # no slip of the pen
        (CITED, [linked(here("Weaving algebraical patterns", doi=DOI))], ("failed", "title-other")),
        (CITED, [linked(here("Weaving algebraical patterns", doi=DOI)), silent("dblp")],
         ("unverifiable", "unavailable")),
        (CITED, [linked(here("Weaving algebraical patterns", doi=DOI)), silent("dblp", "venue_year")],
         ("unverifiable", "unavailable")),
        (AT_ICML, [absent("dblp"), LISTED, NONE_OF_THEIRS], ("failed", "title-not-in-venue")),
        (AT_ICML, [absent("dblp"), NONE_OF_THEIRS], ("unverifiable", "not-found")),
        (AT_ICML, [absent("dblp"), LISTED, NONE_OF_THEIRS, silent("crossref")], ("failed", "title-not-in-venue")),
        (AT_ICML, [silent("dblp"), LISTED, NONE_OF_THEIRS, absent("crossref")], ("unverifiable", "unavailable")),
        (CITED, [absent("crossref"), absent("doi_org", "doi", DOI, "no such DOI"), OF_CROSSREF],
         ("failed", "title-not-found")),
        (CITED, [silent("crossref"), absent("doi_org", "doi", DOI, "no such DOI"), OF_CROSSREF],
         ("unverifiable", "unavailable")),
        (reference("article", author="Ada Lovelace"), [], ("unverifiable", "title-missing")),
        (reference("article", author="Ada Lovelace", title="--", doi=DOI), [linked(here(TITLE, doi=DOI))],
         ("unverifiable", "title-missing")),
        # What an export leaves in a title, and what a page runs together with it.
        (reference("article", **{**CITED.fields, "title": f"Looms &amp; {TITLE}"}), [here(f"Looms and {TITLE}")],
         ("passed", "title-leftovers")),
        (reference("article", **{**CITED.fields, "title": f"{TITLE}. arXiv e-prints"}), [here(TITLE)],
         ("passed", "title-leftovers")),
        (reference("article", **{**CITED.fields, "title": f"Editorial {TITLE}"}), [linked(here(TITLE, doi=DOI))],
         ("passed", "title-ok")),
        (CITED, [linked(here(f"Editorial {TITLE}", doi=DOI))], ("passed", "title-ok")),
        (reference("article", **{**CITED.fields, "title": f"Editorial {TITLE}", "doi": ""}), [here(TITLE)],
         ("failed", "title-similar")),
        # A subtitle that a source which keeps subtitles does not have.
        (WITH_SUBTITLE, [here(TITLE, venue="ICML", year=2019, source="dblp")], ("failed", "title-subtitle")),
        (WITH_SUBTITLE, [here(TITLE, venue="ICML", year=2019)], ("passed", "title-ok")),  # Crossref may lack it
        (WITH_SUBTITLE, [here(TITLE, venue="ICML", year=2019, source="dblp"), here(f"{TITLE}: a survey of looms")],
         ("passed", "title-ok")),
        # A record without a subtitle says nothing about the cited one, if another record has a different one.
        (reference("article", **{**AT_ICML.fields, "title": f"{TITLE}: a game of chess"}),
         [here(TITLE, venue="ICML", year=2019), here(f"{TITLE}: a survey of looms", venue="ICML", year=2019, source="dblp")],
         ("failed", "title-subtitle")),
        (WITH_SUBTITLE,
         [here(TITLE, venue="ICML", year=2019), here(f"{TITLE}: survey of some looms", venue="ICML", year=2019, source="dblp")],
         ("passed", "title-ok")),
        # A title that shares some words with one of the same people in the same venue and year.
        (MIXED, [here(PARTLY, venue="ICML", year=2019)], ("failed", "title-mixed")),
        (MIXED, [here(PARTLY, venue="ICML", year=2018)], ("unverifiable", "not-found")),
        (MIXED, [here(PARTLY, venue="NeurIPS", year=2019)], ("unverifiable", "not-found")),
        (MIXED, [replace(here(PARTLY, venue="ICML", year=2019), authors=(HOPPER,))], ("unverifiable", "not-found")),
        (CITED, [], ("unverifiable", "not-asked")),
        (CITED, [absent("crossref")], ("unverifiable", "not-found")),
        (CITED, [silent("crossref", reason="not-recorded")], ("unverifiable", "not-recorded")),
    ],
)  # fmt: skip
def test_outcome(cited: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
    assert outcome(cited, "title", *lines) == expected


@pytest.mark.parametrize(
    ("cited", "line", "code"),
    [
        (AT_ICML, here("Notes on the early analysis of difference engines", venue="ICML", year=2019), "title-similar"),
        (AT_ICML, here(SYNTHESIS, venue="ICML", year=2019), "title-published"),
        (WITH_SUBTITLE, here(TITLE, venue="ICML", year=2019, source="dblp"), "title-subtitle"),
        (MIXED, here(PARTLY, venue="ICML", year=2019), "title-mixed"),
    ],
)
def test_single_evidence_about_a_title_is_an_error_where_many_references_are_wrong(
    cited: Reference, line: Record, code: str
) -> None:
    warned = evaluated(cited, line, prior=0.0004)
    finding = warned.findings["title"]
    assert (finding.outcome, finding.code, finding.likelihood_ratio > 1) == ("unverifiable", code, True)
    assert warned.verdict.name == "undecided"
    assert outcome(cited, "title", line, prior=0.3) == ("failed", code)


def test_a_variant_of_a_title_is_never_an_error() -> None:
    variant = here("Notes on the analysis of difference engine", venue="ICML", year=2019)
    finding = evaluated(AT_ICML, variant, prior=0.3).findings["title"]
    assert (finding.outcome, finding.code, finding.likelihood_ratio) == ("unverifiable", "title-variant", 0.0)


@pytest.mark.parametrize(
    ("cited_", "stated", "code"),
    [
        ({"pages": "11--19"}, {"pages": "11-19"}, "title-near-miss"),
        ({"pages": "11--19"}, {"pages": "11-18"}, "title-published"),
        ({"pages": "11"}, {"pages": "11"}, "title-published"),
        ({"pages": "1--9"}, {"pages": "1-9"}, "title-published"),  # as every paper of these proceedings
        ({"pages": "2--9"}, {"pages": "2-9"}, "title-near-miss"),
        ({"pages": "11--19", "volume": "97"}, {"pages": "11–19", "volume": "97"}, "title-near-miss"),
        ({"pages": "11--19", "volume": "97"}, {"pages": "11–19", "volume": "98"}, "title-published"),
        ({"pages": "11--19"}, {"pages": "11–19", "type": "article"}, "title-published"),  # of which volume
        ({"pages": "11--19", "volume": "9"}, {"pages": "11–19", "type": "article", "volume": "9"}, "title-near-miss"),
    ],
)
def test_volume_and_pages_identify_the_publication(cited_: dict[str, str], stated: dict[str, str], code: str) -> None:
    claimed = replace(AT_ICML, fields={**AT_ICML.fields, **cited_})
    kept = here(SYNTHESIS, **{"venue": "ICML", "year": 2019, "type": "inproceedings", **stated})
    assert outcome(claimed, "title", kept)[1] == code


def test_whoever_cites_a_talk_or_a_workshop_is_told_what_to_do() -> None:
    finding = evaluated(AT_ICML, absent("dblp"), LISTED, NONE_OF_THEIRS).findings["title"]
    assert finding.code == "title-not-in-venue"
    assert "If it was a workshop paper, cite the workshop" in finding.message
    assert "must be cited as such" in finding.rule


def test_a_near_miss_shows_the_difference_and_the_right_title() -> None:
    right = here("Notes on the synthesis of difference engines", doi=DOI)
    finding = evaluated(CITED, linked(right)).findings["title"]
    assert finding.diff == "Notes on the [-analysis-]{+synthesis+} of difference engines"
    assert finding.fixes == {"title": right.title}


def test_a_complete_list_with_a_sibling_and_without_the_cited_title_convicts() -> None:
    sibling = here(
        "Notes on the synthesis of difference engines", venue="ICML", year=2019, source="dblp", id="conf/icml/L19"
    )
    listed = found(sibling, kind="author_search", value="conf/icml", year=2019, scope="dblp lists 1 work")
    preprint = online(sibling.title)
    assert outcome(AT_ICML, "title", sibling, preprint, LISTED, listed) == ("failed", "title-near-miss")
    assert outcome(AT_ICML, "title", sibling, LISTED, listed) == ("failed", "title-published")


def test_the_version_that_is_cited_is_taken_at_its_word() -> None:
    cited = reference("misc", author="Ada Lovelace and Alan Turing", title=TITLE, year="2017", eprint="1701.00001v3",
                      archiveprefix="arXiv")  # fmt: skip
    assert outcome(cited, "title", linked(online("Notes on the synthesis of difference engines"))) == (
        "failed",
        "title-near-miss",
    )


def test_the_version_with_the_cited_title_is_the_one_that_is_named() -> None:
    titles = evaluated(PREPRINT, linked(online(SYNTHESIS, 2)), first(TITLE)).findings["title"]
    assert (titles.found, titles.record and titles.record.version) == (TITLE, 1)


def test_a_lookalike_keeps_an_absence_from_counting() -> None:
    retitled = record("Remarks about analysing engines", TWO, source="crossref", year=2019, venue="ICML")
    assert outcome(AT_ICML, "title", retitled, LISTED, NONE_OF_THEIRS)[1] != "title-not-in-venue"


def test_while_a_service_is_down_any_work_of_theirs_in_the_volume_may_be_the_cited_one() -> None:
    """It may have been a preprint under the cited title, which only that service would have shown."""
    theirs = found(
        record("Looms of quite another kind", TWO, source="dblp", venues=("ICML",), years=(2019,)),
        kind="author_search", value="icml", year=2019, scope="index is complete for icml 2019", source="index",
    )  # fmt: skip
    proof = [absent("dblp"), LISTED, theirs]
    assert outcome(AT_ICML, "title", *proof) == ("failed", "title-not-in-venue")
    assert outcome(AT_ICML, "title", *proof, silent("arxiv", reason="offline")) == ("failed", "title-not-in-venue")
    assert outcome(AT_ICML, "title", *proof, silent("arxiv")) == ("unverifiable", "unavailable")


def test_one_catalogue_alone_does_not_prove_that_a_volume_lacks_a_paper() -> None:
    """DBLP lacks some papers of volumes that it lists; the publisher's list, or an index of several collections, proves it."""
    alone = [absent("dblp"), LISTED, NONE_OF_THEIRS_IN_DBLP]
    assert outcome(AT_ICML, "title", *alone)[0] == "unverifiable"
    assert outcome(AT_ICML, "title", *alone, NONE_OF_THEIRS) == ("failed", "title-not-in-venue")


def test_no_correction_repeats_the_damage_of_a_record() -> None:
    lost = here("Notes on the synth\ufffdsis of difference engines", doi=DOI)
    other = here("Notes on the synth\ufffdsis of difference engines", doi=DOI, source="dblp")
    finding = evaluated(CITED, linked(lost), linked(other)).findings["title"]
    assert (finding.code, finding.fixes) == ("title-variant", {})


@pytest.mark.parametrize(
    ("title", "people", "year", "code"),
    [
        ("Looms of Lyon", "Grace Hopper", 1999, "title-namesake"),
        ("Looms of Lyon", "Grace Hopper; Ada Lovelace", 1999, "not-found"),  # one of the cited people
        ("Annual report", "Grace Hopper", 1999, "not-found"),  # a title of many works
        ("Looms of Lyons", "Grace Hopper", 1999, "not-found"),
    ],
)
def test_a_title_of_a_work_by_other_people(title: str, people: str, year: int, code: str) -> None:
    cited = reference(
        "article", author="Ada Lovelace and Alan Turing", title="Looms of Lyon", journal="Nature", year="2001"
    )
    if title.startswith("Annual"):
        cited = reference("article", **{**cited.fields, "title": title})
    elsewhere = record(title, people, source="dblp", venue="Annals of Weaving", year=year)
    finding = evaluated(cited, found(elsewhere)).findings["title"]
    assert finding.code == code
    assert ("Grace Hopper" in finding.message) == (code == "title-namesake")


@pytest.mark.parametrize(("type_", "code"), [("preprint", "not-found"), ("article", "title-namesake")])
def test_a_later_preprint_may_have_taken_the_title_of_a_known_work(type_: str, code: str) -> None:
    cited = reference("article", author="Ada Lovelace", title="Looms of Lyon", journal="Nature", year="2001")
    later = record("Looms of Lyon", "Grace Hopper", source="arxiv", venue="arXiv", year=2020, type=type_)
    finding = evaluated(
        cited, found(replace(later, venues=("Weaving",) if type_ == "article" else ("arXiv",)))
    ).findings["title"]
    assert finding.code == code
