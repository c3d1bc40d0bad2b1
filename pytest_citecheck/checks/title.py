"""title: a work of this title exists, and it is the one that the reference means; a near miss is shown word by word."""

from __future__ import annotations

import re
from typing import Literal

from rapidfuzz.distance import OSA, Indel, Prefix

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.identifiers.doi import is_placeholder
from pytest_citecheck.linking.candidates import Candidate
from pytest_citecheck.linking.provenance import independent_sources
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.linking.versions import nearest_version, unseen_version_may_be_meant
from pytest_citecheck.model import Absent, Finding, Found, Outcome
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.thresholds import FEW_LETTERS, LONG_WORD, SAME_WORD, SEVERAL_AUTHORS, WORD_ENDING, WORD_STEM
from pytest_citecheck.titles.comparison import TitleComparison, render_diff, title_key
from pytest_citecheck.titles.languages import may_be_translation
from pytest_citecheck.titles.tokens import FUNCTION_WORDS

__all__ = ["check_title", "one_word_replaced"]

# Of other works (books, theses, reports) many have no DOI, or one that says nothing of this edition.
_REGISTERED_AS_A_RULE = frozenset({"article", "inproceedings", "conference"})

_ARTICLES = frozenset({"a", "an", "the"})
_ENDINGS = frozenset({
    "", "s", "es", "y", "ies", "e", "d", "ed", "ing", "ings", "r", "er", "ers", "n", "al", "ally", "ly", "ic", "ical", "ion",
    "ions", "ation", "ations", "ive", "ity", "or", "ors",
})  # fmt: skip
_OF_NUMBER = frozenset({"", "s", "es", "y", "ies"})
_ROMAN = re.compile(r"[ivx]+", re.IGNORECASE)


def check_title(case: Case) -> Finding:
    """Passed by any record of the work under this title; failed by a record of the same work under another one."""
    title = case.cited.title
    if not title:
        return finding("title", "unverifiable", "title-missing", "the reference has no title to check")
    if case.works:
        # Another version of the same e-print may have another title.
        best = next((work for work in case.works if work.title.relation in ("same", "short")), case.works[0])
        how = "the title, without its prefix or subtitle, of" if best.title.relation == "short" else "the title of"
        return finding(
            "title",
            "passed",
            "title-ok",
            f"{how} {source_name(best.record.source)}'s record",
            found=best.title.found,
            record=best.record,
        )
    if case.near_matches:
        return _near_miss(case)
    contradicted = _other_title_of_same_people(case)
    if contradicted is not None:
        return contradicted
    absent = _absent_from_scope(case)
    return absent if absent is not None else undecided(case, "title", "the title")


def _near_miss(case: Case) -> Finding:
    best = nearest_version(case.near_matches)
    same = title_key(best.title.found)
    several = (
        independent_sources(
            {candidate.upstream for candidate in case.near_matches if title_key(candidate.title.found) == same}
        )
        > 1
    )
    misspelt = _misspelt(case, best)
    diff = render_diff(best.title, case.cited.title)
    outcome: Outcome
    if best.title.only_function_words and not several and not _is_replaced(best):
        outcome, code = "passed", "title-function-word"
        message = f"{source_name(best.record.source)}'s record differs in an article or preposition only"
    elif best.title.only_function_words and not several:
        outcome, code = "unverifiable", "title-similar"
        message = f"the citation or {source_name(best.record.source)}'s record has the wrong preposition: {diff}"
    elif misspelt != "cited" and _may_be_an_earlier_version(case, best) and (not several or case.cited.preprint):
        outcome, code = "unverifiable", "title-version"
        message = "arXiv's version has a slightly different title; an unseen version may have the cited title"
    elif _unseen_preprint(case) and not _is_other_letter(best):
        outcome, code = "unverifiable", "title-version"
        message = f"the record of the cited arXiv id is not available, and may have the cited title: {diff}"
    elif _nearer_preprint(case, best):
        outcome, code = "unverifiable", "title-version"
        message = f"a preprint of this work has a title nearer to the cited one, and may have had it: {diff}"
    elif misspelt == "found":
        outcome, code = "unverifiable", "title-similar"
        message = f"{source_name(best.record.source)}'s record is probably misspelt: {diff}"
    elif misspelt != "cited" and not several and _is_typo(best):
        outcome, code = "unverifiable", "title-similar"
        message = f"the citation or {source_name(best.record.source)}'s record is misspelt: {diff}"
    elif not best.anchor and _is_another_number(best):
        outcome, code = "unverifiable", "title-similar"
        message = (
            f"the citation or the page that {source_name(best.record.source)} copied has plural for singular: {diff}"
        )
    elif not (
        best.anchor
        or case.missing_from_scope
        or misspelt == "cited"
        or (_is_slip(best) and several)
        or _has_no_sibling(case, best)
    ):
        outcome, code = "unverifiable", "title-similar"
        message = f"these authors have a similar work in this venue and year, which may be another one: {diff}"
    else:
        outcome, code = "failed", "title-near-miss"
        message = f"this work has a slightly different title: {diff}"
    return finding(
        "title",
        outcome,
        code,
        message,
        cited=case.cited.title,
        found=best.title.found,
        diff=diff,
        record=best.record,
        rule="no word of a title may be changed, dropped, added or moved where the record has the cited identifier, or the same "
        "authors, venue and year",
        fixes={"title": best.title.found} if outcome == "failed" else {},
    )


def _has_no_sibling(case: Case, candidate: Candidate) -> bool:
    """Whether the cited title is hardly that of another paper: several people would have printed two in one volume whose
    titles differ in one word. Almost nobody did (`benchmarks/one_record.py`, "siblings").

    Who did not answer may know the paper under the cited title before it was published.
    """
    return (
        one_word_replaced(candidate.title)
        and not _is_a_slip_of_either(candidate)
        and not case.outage
        and not candidate.preprint
        and len(case.cited.people.names) >= SEVERAL_AUTHORS
        and not candidate.authors.code
    )


def _is_another_number(candidate: Candidate) -> bool:
    """Whether one word is singular here and plural there: publishers' pages have titles so that the paper has otherwise."""
    changes = candidate.title.changes
    if len(changes) != 1 or changes[0].kind != "replaced":
        return False
    cited, found = changes[0].cited.lower(), changes[0].found.lower()
    stem = Prefix.similarity(cited, found)
    return stem >= WORD_STEM and _OF_NUMBER.issuperset((cited[stem:], found[stem:]))


def _is_a_slip_of_either(candidate: Candidate) -> bool:
    """Whether the one word differs in its ending or in a letter or two: that may be the record's slip as well."""
    cited, found = (text.lower() for text in (candidate.title.changes[0].cited, candidate.title.changes[0].found))
    stem = Prefix.similarity(cited, found)
    endings = cited[stem:], found[stem:]
    if not (cited + found).isalpha():
        return False  # another digit is another thing
    if stem >= WORD_STEM and (
        _ENDINGS.issuperset(endings) or (stem > WORD_STEM and max(map(len, endings)) <= WORD_STEM)
    ):
        return True
    return (
        min(len(cited), len(found)) > LONG_WORD and OSA.distance(cited, found, score_cutoff=FEW_LETTERS) <= FEW_LETTERS
    )


def one_word_replaced(comparison: TitleComparison) -> bool:
    """Whether two titles differ in one word that replaces another; the number of a part or a year is no word."""
    changes = comparison.changes
    return (
        len(changes) == 1
        and changes[0].kind == "replaced"
        and _is_a_word(changes[0].cited)
        and _is_a_word(changes[0].found)
    )


def _is_a_word(text: str) -> bool:
    """Whether a text is one word of some meaning, with digits in it (3D, CHEK2) or without."""
    return (
        len(text) > 1
        and text.isalnum()
        and not text.isdigit()
        and _ROMAN.fullmatch(text) is None
        and not FUNCTION_WORDS.issuperset(words(text))
    )


def _is_replaced(candidate: Candidate) -> bool:
    """Whether a word replaces another one: dropped articles and prepositions are haste, replaced ones change the sense."""
    return any(
        change.kind == "replaced" and not _ARTICLES.issuperset((*words(change.cited), *words(change.found)))
        for change in candidate.title.changes
    )


def _is_slip(candidate: Candidate) -> bool:
    """Whether the titles differ as by a slip: in function words, endings and letters, not in what they speak of."""
    changes = candidate.title.changes
    return bool(changes) and all(
        change.kind != "moved" and _same_meaning(change.cited, change.found) for change in changes
    )


def _is_typo(candidate: Candidate) -> bool:
    """Whether the titles differ in one letter within one word, neither at its beginning nor at its end."""
    cited, found = _one_word(candidate)
    inside = cited[:WORD_STEM] == found[:WORD_STEM] and cited[-WORD_ENDING:] == found[-WORD_ENDING:] and bool(cited)
    return inside and OSA.distance(cited, found, score_cutoff=1) <= 1


def _one_word(candidate: Candidate) -> tuple[str, str]:
    """The one word in which the titles differ, in small letters, as cited and as found; empty if it is not one that differs."""
    changes = candidate.title.changes
    if len(changes) != 1 or changes[0].kind != "replaced" or not (changes[0].cited + changes[0].found).isalpha():
        return "", ""
    return changes[0].cited.lower(), changes[0].found.lower()


def _same_meaning(cited: str, found: str) -> bool:
    """Whether the words of one difference are the same but for their endings and letters, articles and prepositions aside."""
    one, other = ([word for word in words(text) if word not in FUNCTION_WORDS] for text in (cited, found))
    return len(one) == len(other) and all(
        word == match
        or (
            word.isalpha()
            and word[:WORD_STEM] == match[:WORD_STEM]
            and Indel.normalized_similarity(word, match) >= SAME_WORD
        )
        or (
            word.isalpha()
            and min(len(word), len(match)) >= LONG_WORD
            and OSA.distance(word, match, score_cutoff=1) <= 1
        )
        for word, match in zip(one, other, strict=True)
    )


def _may_be_an_earlier_version(case: Case, candidate: Candidate) -> bool:
    """Whether an unseen version may have the cited title; a source that did not answer may have it for the publication."""
    if candidate.upstream != "arxiv":
        return False
    if case.outage and not case.cited.preprint:
        return True
    return unseen_version_may_be_meant(case.cited, case.evidence, candidate.record.arxiv)


def _unseen_preprint(case: Case) -> bool:
    """Whether an arXiv id is cited of which no record was seen: preprints are often retitled for their venue.

    A record of the publication that names the id does not show the record of the id.
    """
    seen = any(candidate.anchor == "arxiv" and candidate.preprint for candidate in case.candidates)
    if not case.cited.identifiers.arxiv or seen:
        return False
    return not any(isinstance(asked.answer, Absent) and asked.answer.scope for asked in case.asked("arxiv"))


def _is_other_letter(candidate: Candidate) -> bool:
    """Whether the titles differ in one letter in the place of another: no work is retitled like that."""
    cited, found = _one_word(candidate)
    return len(cited) == len(found) > LONG_WORD and OSA.distance(cited, found, score_cutoff=1) <= 1


def _nearer_preprint(case: Case, best: Candidate) -> bool:
    """Whether arXiv has this work under a title that is nearer to the cited one than the record's."""
    return any(
        candidate.upstream == "arxiv" and candidate.same_people and candidate.title.similarity > best.title.similarity
        for candidate in case.candidates
        if candidate.title.relation != "different"
    )


def _misspelt(case: Case, best: Candidate) -> Literal["cited", "found", ""]:
    """Which side has the slip if the titles differ in a letter or two of one word: the one whose word no other work found has.

    The other side's has to be known from another work. Two lists that were read off one web page repeat its errors.
    """
    cited, found = _one_word(best)
    apart = OSA.distance(cited, found, score_cutoff=FEW_LETTERS)
    if min(len(cited), len(found)) <= LONG_WORD or apart > FEW_LETTERS:
        return ""
    known = {
        word
        for candidate in case.candidates
        if title_key(candidate.title.found) != title_key(best.title.found)
        for word in words(candidate.record.title)
    }
    if found in known and cited not in known and apart == 1:
        return "cited"
    inside = cited[:WORD_ENDING] == found[:WORD_ENDING] and cited[-WORD_ENDING:] == found[-WORD_ENDING:]
    return "found" if inside and cited in known and found not in known else ""


def _other_title_of_same_people(case: Case) -> Finding | None:
    """What it means that the cited identifier leads to another title by the cited people, and nothing has the cited one."""
    if case.silent:
        return None  # the cited title may be right, and the identifier be that of another work of theirs
    for candidate in case.identifier_targets:
        if candidate.anchor == "arxiv" and _unseen_preprint(case):
            continue
        if candidate.same_people and not candidate.preprint:
            found = candidate.title.found
            if may_be_translation(case.cited.title, found):
                message = (
                    f"the cited identifier leads to a work titled “{found}”, which may be the same in another language"
                )
                return finding(
                    "title", "unverifiable", "title-translated", message, found=found, record=candidate.record
                )
            return finding(
                "title",
                "failed",
                "title-other",
                f"the cited identifier leads to a work of these authors titled “{found}”",
                cited=case.cited.title,
                found=found,
                record=candidate.record,
                rule="the record of the cited identifier has the cited authors and another title",
                fixes={"title": found},
            )
    return None


def _absent_from_scope(case: Case) -> Finding | None:
    """The finding on a title that a complete source lacks in the cited venue and year, or under the cited DOI prefix."""
    searches = case.asked("title")
    if not searches:
        return None
    scope = case.missing_from_scope
    if scope and not case.retitled_there:
        return finding(
            "title",
            "failed",
            "title-not-in-venue",
            f"no such work in the cited venue and year: {scope}, and none with this title; a workshop paper must be "
            "cited with its workshop, and a talk as a talk",
            cited=case.cited.title,
            rule="the source lists every paper of the proceedings of this venue and year; workshop papers, tutorials and "
            "keynotes are not in the list, and must be cited as such",
        )
    if case.reference.type not in _REGISTERED_AS_A_RULE or is_placeholder(case.cited.identifiers.doi):
        return None
    denied = [asked for asked in case.asked("doi") if isinstance(asked.answer, Absent) and asked.answer.scope]
    agencies = {
        record.agency
        for asked in case.asked("prefix")
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
    }
    if not denied or not agencies or case.unavailable or case.has_lookalikes:  # the last takes longest
        return None
    for agency in sorted(agencies):
        if any(asked.source == agency.lower() for asked in searches):
            return finding(
                "title",
                "failed",
                "title-not-found",
                f"{agency} registers every DOI under the cited prefix; it has neither this DOI nor a work of this title",
                cited=case.cited.title,
                rule="the agency of the cited DOI answered a search by title and has no such work",
            )
    return None
