"""title: a work with this title exists, and it is the cited work; a near miss is shown word by word."""

from __future__ import annotations

import re
from typing import Literal

from rapidfuzz.distance import OSA, Indel, Prefix

from pytest_citecheck.checks.base import ReferenceCase, describe, finding, single_evidence, undecided
from pytest_citecheck.evidence import (
    STANDARDS,
    Candidate,
    by_these_people,
    independent_sources,
    nearest_version,
    same_venue,
    same_venue_and_year,
    source_name,
    unseen_version_may_be_meant,
    upstream,
)
from pytest_citecheck.matching import (
    FUNCTION_WORDS,
    TitleComparison,
    breaks_off,
    has_leftovers,
    is_damaged,
    is_placeholder,
    lazy_pattern,
    may_be_translation,
    render_diff,
    title_key,
    without_latex_and_markup,
    words,
)
from pytest_citecheck.model import Absent, Finding, Found, Outcome
from pytest_citecheck.thresholds import (
    CERTAINLY_INVENTED,
    FEW_LETTERS,
    FIRST_E_PRINTS,
    LONG_WORD,
    MIXED,
    MIXED_BY_SEVERAL,
    PROBABLY_INVENTED,
    SAME_WORD,
    SEVERAL_AUTHORS,
    WORD_ENDING,
    WORD_STEM,
)

# Classification of differences between a cited title and a record's: a slip, an ending, a word of another meaning,
# another name of a system.


_ARTICLES = frozenset({"a", "an", "the"})
_ENDINGS = frozenset({
    "", "s", "es", "y", "ies", "e", "d", "ed", "ing", "ings", "r", "er", "ers", "n", "al", "ally", "ly", "ic", "ical", "ion",
    "ions", "ation", "ations", "ive", "ity", "or", "ors",
})  # fmt: skip
_OF_NUMBER = frozenset({"", "s", "es", "y", "ies"})
_ROMAN = lazy_pattern(r"[ivx]+", re.IGNORECASE)


def is_another_number(comparison: TitleComparison) -> bool:
    """Return True if a word differs in singular and plural: publishers' pages have such titles for papers with the
    other form."""
    changes = comparison.changes
    if len(changes) != 1 or changes[0].kind != "replaced":
        return False
    cited, found = changes[0].cited.lower(), changes[0].found.lower()
    stem = Prefix.similarity(cited, found)
    return stem >= WORD_STEM and _OF_NUMBER.issuperset((cited[stem:], found[stem:]))


def is_a_slip_of_either(comparison: TitleComparison) -> bool:
    """Return True if the one word differs in its ending or in a letter or two: that may be the record's slip as well."""
    cited, found = (text.lower() for text in (comparison.changes[0].cited, comparison.changes[0].found))
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


def is_misspelling(comparison: TitleComparison) -> bool:
    """Return True if all words that differ do so in one letter, other than in an ending: no work is retitled like that."""
    return bool(comparison.changes) and all(_is_misspelt(change.cited, change.found) for change in comparison.changes)


def _is_misspelt(cited: str, found: str) -> bool:
    cited, found = cited.lower(), found.lower()
    if not (cited + found).isalpha() or min(len(cited), len(found)) <= LONG_WORD:
        return False
    stem = Prefix.similarity(cited, found)
    ending = stem >= WORD_STEM and _ENDINGS.issuperset((cited[stem:], found[stem:]))
    return not ending and OSA.distance(cited, found, score_cutoff=1) <= 1


def one_word_replaced(comparison: TitleComparison) -> bool:
    """Return True if two titles differ in one word that replaces another; the number of a part or a year is no word."""
    changes = comparison.changes
    return (
        len(changes) == 1
        and changes[0].kind == "replaced"
        and _is_a_word(changes[0].cited)
        and _is_a_word(changes[0].found)
    )


def _is_a_word(text: str) -> bool:
    """Return True if a text is one word of some meaning, with digits in it (3D, CHEK2) or without."""
    return (
        len(text) > 1
        and text.isalnum()
        and not text.isdigit()
        and _ROMAN.fullmatch(text) is None
        and not FUNCTION_WORDS.issuperset(words(text))
    )


def is_replaced(comparison: TitleComparison) -> bool:
    """Return True if a word replaces another one: dropped articles and prepositions are harmless, replaced ones change
    the meaning."""
    return any(
        change.kind == "replaced" and not _ARTICLES.issuperset((*words(change.cited), *words(change.found)))
        for change in comparison.changes
    )


def is_slip(comparison: TitleComparison) -> bool:
    """Return True if the titles differ only by slips in function words, endings and letters, not in their subject."""
    changes = comparison.changes
    return bool(changes) and all(
        change.kind != "moved" and _same_meaning(change.cited, change.found) for change in changes
    )


def is_typo(comparison: TitleComparison) -> bool:
    """Return True if the titles differ in one letter inside a word, not at its beginning or end."""
    cited, found = one_word(comparison)
    inside = cited[:WORD_STEM] == found[:WORD_STEM] and cited[-WORD_ENDING:] == found[-WORD_ENDING:] and bool(cited)
    return inside and OSA.distance(cited, found, score_cutoff=1) <= 1


def one_word(comparison: TitleComparison) -> tuple[str, str]:
    """The one word in which the titles differ, in small letters, as cited and as found; empty if it is not one that differs."""
    changes = comparison.changes
    if len(changes) != 1 or changes[0].kind != "replaced" or not (changes[0].cited + changes[0].found).isalpha():
        return "", ""
    return changes[0].cited.lower(), changes[0].found.lower()


def _same_meaning(cited: str, found: str) -> bool:
    """Return True if the words of one difference are the same but for their endings and letters, articles and prepositions
    aside."""
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


def is_other_letter(comparison: TitleComparison) -> bool:
    """Return True if the titles differ in one letter in the place of another: no work is retitled like that."""
    cited, found = one_word(comparison)
    return len(cited) == len(found) > LONG_WORD and OSA.distance(cited, found, score_cutoff=1) <= 1


def is_renamed(cited: str, comparison: TitleComparison) -> bool:
    """Return True if a system has another name in the title: the one word before the colon of both, or one coined word for
    another.

    Systems are renamed between preprint and publication (GPTQ and OPTQ, ConvMAE and MCMAE).
    """
    if len(comparison.changes) != 1 or comparison.changes[0].kind != "replaced":
        return False
    change = comparison.changes[0]
    if len(change.cited.split()) > 1 or len(change.found.split()) > 1:
        return False
    if all(
        _title_changes_named(title).startswith(name)
        for title, name in ((cited, change.cited), (comparison.found, change.found))
    ):
        return True
    return _coined(change.cited) and _coined(change.found)


def _coined(word: str) -> bool:
    """Return True if a word has a capital where other words have none ("ConvMAE")."""
    return any(map(str.islower, word)) and any(map(str.isupper, word[1:]))


def _title_changes_named(title: str) -> str:
    """The one word that a title has before its colon; empty if it has none or more."""
    name, colon, _ = without_latex_and_markup(title).partition(":")
    return name.strip() if colon and len(name.split()) == 1 else ""


_KEEPING_SUBTITLES = frozenset({"acl", "arxiv", "dblp", "mlanthology", "openreview", "papercopilot"})
"""Sources whose titles include the subtitle; Crossref and library catalogues have it in a separate field, or not at
all."""
_NUMBER = lazy_pattern(r"(?<!\d)\d{1,7}(?!\d)")
# Many other works (books, theses, reports) have no DOI, or one that is not specific to this edition.
_REGISTERED_AS_A_RULE = frozenset({"article", "inproceedings", "conference"})


def check_title(case: ReferenceCase) -> Finding:
    """Passed if any record of the work has this title; failed if a record of the same work has a different one."""
    title = case.cited.title
    if not words(title):
        return finding("title", "unverifiable", "title-missing", "the reference has no title to check")
    if case.works:
        # Another version of the same e-print may have another title.
        best = next((work for work in case.works if work.title.relation in ("same", "short")), case.works[0])
        if has_leftovers(title):
            return finding(
                "title",
                "passed",
                "title-leftovers",
                f"the title contains export artefacts: “{title}”",
                cited=title,
                found=best.title.found,
                record=best.record,
                fixes=_fix(best.title.found),
            )
        if added := _added_subtitle(case):
            return added
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
    if absent := _absent_from_scope(case):
        return absent
    doubts = [doubt for doubt in (_unfindable(case), _mixed(case)) if doubt is not None]
    errors = [doubt for doubt in doubts if doubt.outcome == "failed"]
    return next(iter(errors or doubts), None) or undecided(case, "title", "the title")


def _added_subtitle(case: ReferenceCase) -> Finding | None:
    """Report a cited subtitle that no record has, if a source that keeps subtitles has the work in the cited venue and year."""
    if any(work.title.relation == "same" for work in case.works):
        return None
    cited = title_key(case.cited.title)
    for work in case.works:
        found = title_key(work.record.title)
        whole = upstream(work.record.source) in _KEEPING_SUBTITLES and not work.record.subtitle
        if (
            whole
            and cited.startswith(found)
            and cited != found
            and same_venue_and_year(case.cited, work.record)
            and work.people_agree
        ):
            message = (
                f"{source_name(work.record.source)} has this work without the cited subtitle: “{work.record.title}”"
            )
            return single_evidence(
                case, "subtitle", "title", "title-subtitle", message, cited=case.cited.title, found=work.record.title,
                record=work.record, fixes=_fix(work.record.title),
                rule="no record of this work has the cited subtitle",
            )  # fmt: skip
    return None


def _mixed(case: ReferenceCase) -> Finding | None:
    """Report a title that shares a part with another work by the same people in the same venue and year."""
    if any(target.same_people for target in case.identifier_targets):
        return None  # this is the cited work
    several = len(case.cited.people.names) >= SEVERAL_AUTHORS
    for candidate in case.candidates:
        record = candidate.record
        there = case.cited.year in record.years and same_venue(case.cited.venue, record) == "same"
        if (
            there
            and candidate.title.similarity >= (MIXED_BY_SEVERAL if several else MIXED)
            and by_these_people(case.cited, candidate.authors)
        ):
            message = f"no source has this title; in the cited venue and year these authors have {describe(record)}"
            return single_evidence(
                case, "mixed", "title", "title-mixed", message, cited=case.cited.title, found=record.title, record=record,
                rule="the same people almost never have two works with such similar titles in one venue and year",
            )  # fmt: skip
    return None


def _near_miss(case: ReferenceCase) -> Finding:
    best = nearest_version(case.near_matches)
    same = title_key(best.title.found)
    several = (
        independent_sources(
            {candidate.upstream for candidate in case.near_matches if title_key(candidate.title.found) == same}
        )
        > 1
    )
    diff = render_diff(best.title, case.cited.title)
    code, message = _why_open(case, best, diff, several=several)
    rule = (
        "the title must match word for word if the record has the cited identifier or volume and pages, or if "
        "publication and preprint agree"
    )
    if kind := _SINGLE.get(code):
        return single_evidence(
            case, kind, "title", code, message, cited=case.cited.title, found=best.title.found, diff=diff,
            record=best.record, rule=rule, fixes=_fix(best.title.found),
        )  # fmt: skip
    outcome: Outcome = "unverifiable" if code else "failed"
    if code == "title-function-word":
        outcome = "passed"
    return finding(
        "title",
        outcome,
        code or "title-near-miss",
        message or f"this work has a slightly different title: {diff}",
        cited=case.cited.title,
        found=best.title.found,
        diff=diff,
        record=best.record,
        rule=rule,
        fixes=_fix(best.title.found) if outcome == "failed" else {},
    )


_SINGLE = {"title-similar": "similar title", "title-published": "published title"}
"""Near misses that rest on single evidence, with its kind."""


def _fix(title: str) -> dict[str, str]:
    """The title of a record as a correction; none if letters of it are lost."""
    return {} if is_damaged(title) else {"title": title}


def _why_open(case: ReferenceCase, best: Candidate, diff: str, *, several: bool) -> tuple[str, str]:
    """Why the difference of the titles does not convict, as a code and a message; empty if it does."""
    source = source_name(best.record.source)
    if best.title.only_function_words and not several:
        if not is_replaced(best.title):
            return "title-function-word", f"{source}'s record differs only in an article or preposition"
        return "title-variant", f"the citation or {source}'s record has the wrong preposition: {diff}"
    if is_damaged(best.title.found) or breaks_off(best.record.title, case.cited.title):
        return "title-variant", f"the title of {source}'s record is damaged: {diff}"
    misspelt = _misspelt(case, best)
    if misspelt != "cited" and _may_be_an_earlier_version(case, best) and (not several or case.cited.preprint):
        return (
            "title-version",
            "arXiv's version has a slightly different title; another version may have the cited title",
        )
    if _unseen_preprint(case) and not is_other_letter(best.title):
        return (
            "title-version",
            f"the record of the cited arXiv id is not available and may have the cited title: {diff}",
        )
    if _nearer_preprint(case, best):
        return (
            "title-version",
            f"a preprint of this work has a title closer to the cited one and may once have had it: {diff}",
        )
    if misspelt == "found":
        return "title-variant", f"{source}'s record is probably misspelled: {diff}"
    if misspelt != "cited" and not several and is_typo(best.title):
        return "title-similar", f"the citation or {source}'s record is misspelled: {diff}"
    if best.matched_identifier in STANDARDS and not is_replaced(best.title):
        return (
            "title-variant",
            f"the title of {source}'s record is longer or shorter, as is usual for standards: {diff}",
        )
    if (
        best.matched_identifier
        or _on_the_same_pages(case, best)
        or misspelt == "cited"
        or (several and is_misspelling(best.title))
    ):
        return "", ""
    if is_another_number(best.title) and not several:
        return (
            "title-variant",
            f"the citation or the page that {source} copied has a plural instead of a singular: {diff}",
        )
    if not (case.missing_from_scope or (is_slip(best.title) and several) or _has_no_sibling(case, best)):
        return (
            "title-similar",
            f"these authors have a similar work in this venue and year, which may be a different one: {diff}",
        )
    if case.cited.year is not None and case.cited.year < FIRST_E_PRINTS:
        return (
            ("", "")
            if several
            else ("title-similar", f"the citation or {source}'s record has a different word: {diff}")
        )
    if is_renamed(case.cited.title, best.title) or not _preprint_agrees(case, best):
        return "title-published", f"the title of the publication differs; a preprint may have had the cited one: {diff}"
    return "", ""


def _on_the_same_pages(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if volume and pages match the record: they were copied from the publication, and identify it like a
    DOI.

    Pages that begin with 1 identify nothing: each paper of a volume may be numbered from 1.
    """
    fields, record = case.reference.fields, candidate.record
    pages = [int(number) for number in _NUMBER.findall(fields.get("pages", ""))]
    volume = fields.get("volume", "")
    same_volume = volume == record.volume if volume and record.volume else record.type != "article"
    ranged = len(pages) > 1 and pages[0] > 1 and pages[0] != pages[1]
    return ranged and same_volume and pages == [int(number) for number in _NUMBER.findall(record.pages)]


def _preprint_agrees(case: ReferenceCase, best: Candidate) -> bool:
    """Return True if the preprint of this work was seen, under the title of the record.

    167 of 6,108 preprints have a title that differs in one word from their publication, and many people cite the
    publication under it.
    """
    return any(
        candidate.preprint
        and candidate.same_people
        and candidate.title.relation == "near"
        and candidate.title.changes == best.title.changes
        for candidate in case.candidates
    )


def _has_no_sibling(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the cited title hardly belongs to another paper: the same people would have printed two papers in
    one volume whose titles differ in one word, which almost nobody did (`benchmarks/one_record.py`, "siblings").

    A service that did not answer may know the paper under the cited title before it was published.
    """
    return (
        one_word_replaced(candidate.title)
        and not is_a_slip_of_either(candidate.title)
        and not case.outage
        and not candidate.preprint
        and len(case.cited.people.names) >= SEVERAL_AUTHORS
        and not candidate.authors.code
    )


def _may_be_an_earlier_version(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if an unseen version may have the cited title; a source that did not answer may have it for the publication."""
    if candidate.upstream != "arxiv":
        return False
    if case.outage and not case.cited.preprint:
        return True
    return unseen_version_may_be_meant(case.cited, case.evidence, candidate.record.arxiv)


def _unseen_preprint(case: ReferenceCase) -> bool:
    """Return True if an arXiv id is cited of which no record was seen: preprints are often retitled for their venue.

    A record of the publication that names the id does not show the record of the id.
    """
    seen = any(candidate.matched_identifier == "arxiv" and candidate.preprint for candidate in case.candidates)
    if not case.cited.identifiers.arxiv or seen:
        return False
    return not any(isinstance(asked.answer, Absent) and asked.answer.scope for asked in case.asked("arxiv"))


def _nearer_preprint(case: ReferenceCase, best: Candidate) -> bool:
    """Return True if arXiv has this work under a title that is nearer to the cited one than the record's."""
    return any(
        candidate.upstream == "arxiv" and candidate.same_people and candidate.title.similarity > best.title.similarity
        for candidate in case.candidates
        if candidate.title.relation != "different"
    )


def _misspelt(case: ReferenceCase, best: Candidate) -> Literal["cited", "found", ""]:
    """Side with the slip if the titles differ in a letter or two of one word: the side whose word no other work has.

    Another work must have the other side's word. Two lists copied from one web page repeat its errors.
    """
    cited, found = one_word(best.title)
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


def _other_title_of_same_people(case: ReferenceCase) -> Finding | None:
    """Finding if the cited identifier leads to another title by the cited people, and no record has the cited title."""
    if case.silent:
        return None  # the cited title may be right, and the identifier may belong to another work by these people
    for candidate in case.identifier_targets:
        if candidate.matched_identifier == "arxiv" and _unseen_preprint(case):
            continue
        found = candidate.title.found
        if candidate.same_people and not candidate.preprint and not breaks_off(found, case.cited.title):
            if may_be_translation(case.cited.title, found):
                message = f"the cited identifier leads to a work titled “{found}”, which may be a translation"
                return finding(
                    "title", "unverifiable", "title-translated", message, found=found, record=candidate.record
                )
            return finding(
                "title",
                "failed",
                "title-other",
                f"the cited identifier leads to a work by these authors titled “{found}”",
                cited=case.cited.title,
                found=found,
                record=candidate.record,
                rule="the record of the cited identifier has the cited authors and a different title",
                fixes=_fix(found),
            )
    return None


def _unfindable(case: ReferenceCase) -> Finding | None:
    """Report a title that no source has, if a real work would hardly be missed (docs/verdicts.md)."""
    missed, absences = case.miss_probability, case.absences
    if missed is None or absences is None:
        return None
    if missed.mean > absences.limit and (case.silent or missed.invented < PROBABLY_INVENTED):
        return None
    outcome: Outcome = "failed" if missed.invented >= CERTAINLY_INVENTED else "unverifiable"
    counted = (
        f"; they found {missed.found} of {missed.looked_for} other references of this run" if missed.looked_for else ""
    )
    nearest = case.perhaps_meant
    return finding(
        "title",
        outcome,
        "title-unfindable",
        f"not found: {_named(missed.sources)} answered and together find {1 - missed.mean:.1%} "
        f"({1 - missed.high:.1%} to {1 - missed.low:.1%}) of {missed.kind}{counted}. {_nearest(case)}",
        cited=case.cited.title,
        found=nearest.title.found if nearest is not None else "",
        record=nearest.record if nearest is not None else None,
        rule=f"these searches miss a real work of this kind with a probability of at most {absences.limit:.2g} "
        "(docs/verdicts.md); add an identifier or a URL, or correct the title",
    )


def _nearest(case: ReferenceCase) -> str:
    """The nearest real work and how it differs, or that the cited authors have none like it."""
    nearest = case.perhaps_meant
    if nearest is None:
        sources = {source_name(asked.source) for asked in case.asked("author_search") if not asked.query.value}
        by = f"{' and '.join(sorted(sources))} list no work like it by these authors" if sources else ""
        return by or "No source returned a work like it"
    differs = []
    if nearest.title.relation != "same":
        differs.append(f"title {render_diff(nearest.title, case.cited.title)}")
    if nearest.people_agree is not True:
        differs.append("other authors")
    if nearest.record.years and case.cited.year not in nearest.record.years:
        differs.append(f"year {nearest.record.years[0]}")
    return f"Nearest work: {describe(nearest.record)}; differs in {', '.join(differs) or 'its venue'}"


def _named(sources: tuple[str, ...]) -> str:
    return ", ".join(dict.fromkeys(map(source_name, sources)))


def _absent_from_scope(case: ReferenceCase) -> Finding | None:
    """Finding for a title that a complete source lacks in the cited venue and year, or under the cited DOI prefix."""
    searches = case.asked("title")
    if not searches:
        return None
    scope = case.proven_absence
    if scope and not case.retitled_there:
        return finding(
            "title",
            "failed",
            "title-not-in-venue",
            f"no work with this title in the cited venue and year: {scope}. If it was a workshop paper, cite the "
            "workshop",
            cited=case.cited.title,
            rule="the source lists every paper in these proceedings, but no workshop papers, tutorials and keynotes, "
            "which must be cited as such",
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
                f"{agency} registers every DOI under the cited prefix and has neither this DOI nor a work with this title",
                cited=case.cited.title,
                rule="the registration agency of the cited DOI found no such work in a title search",
            )
    return None
