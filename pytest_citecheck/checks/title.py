"""title: a work with this title exists, and it is the cited work; a near miss is shown word by word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rapidfuzz.distance import OSA

from pytest_citecheck.checks.base import ReferenceCase, Shown, accusation, describe, finding, undecided
from pytest_citecheck.checks.title_differences import (
    is_a_slip_of_either,
    is_another_number,
    is_headed,
    is_misspelling,
    is_other_letter,
    is_renamed,
    is_replaced,
    is_slip,
    is_typo,
    one_word,
    one_word_replaced,
)
from pytest_citecheck.evidence import (
    STANDARDS,
    Candidate,
    RecordFault,
    Seen,
    by_these_people,
    fault,
    independent_sources,
    is_distinctive,
    misspelt_side,
    nearest_version,
    probability_invented,
    same_venue,
    same_venue_and_year,
    source_name,
    unseen_version_may_be_meant,
    upstream,
)
from pytest_citecheck.matching import (
    FUNCTION_WORDS,
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
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import (
    EARNED,
    FEW_LETTERS,
    FIRST_E_PRINTS,
    INVENTED_NOT_FOUND,
    LISTS_LACK,
    LONG_WORD,
    MIXED_TITLE_BY_ONE,
    MIXED_TITLE_BY_SEVERAL,
    PROBABLY_INVENTED,
    RATIO_OF_NAMESAKES,
    SEVERAL_AUTHORS,
    WORD_ENDING,
    WORDS_OF_A_NAMESAKE,
)

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
        if added := _added_subtitle(case) or _other_subtitle(case):
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
    doubts = [
        doubt for find in (_absent_from_scope, _unfindable, _mixed, _namesake) if (doubt := find(case)) is not None
    ]
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
            return accusation(
                case, "title", "title-subtitle", message, [work], cited=case.cited.title, found=work.record.title,
                record=work.record, fixes=_fix(work.record.title),
                rule="no record of this work has the cited subtitle",
            )  # fmt: skip
    return None


def _other_subtitle(case: ReferenceCase) -> Finding | None:
    """Report a cited subtitle where the works have none, and another record of the work has a different one."""
    if any(work.title.relation == "same" for work in case.works):
        return None
    cited = words(without_latex_and_markup(case.cited.title))
    heads = [words(work.record.title) for work in case.works if work.title.relation == "short"]
    for candidate in case.candidates:
        whole = words(candidate.title.found)
        head = next(
            (one for one in heads if len(one) < len(whole) and cited[: len(one)] == whole[: len(one)] == one), None
        )
        if head is None or not (candidate.people_agree and same_venue_and_year(case.cited, candidate.record)):
            continue
        cited_rest, rest = ({one for one in text[len(head) :] if one not in FUNCTION_WORDS} for text in (cited, whole))
        if cited_rest and 2 * len(cited_rest & rest) < min(len(cited_rest), len(rest)):
            message = f"{source_name(candidate.record.source)} has another subtitle: “{candidate.title.found}”"
            return accusation(
                case, "title", "title-subtitle", message, [candidate], cited=case.cited.title, found=candidate.title.found,
                record=candidate.record, fixes=_fix(candidate.title.found), rule="no record of this work has the cited subtitle",
            )  # fmt: skip
    return None


def _mixed(case: ReferenceCase) -> Finding | None:
    """Report a title that shares a part with another work by the same people in the same venue and year."""
    if any(target.same_people for target in case.identifier_targets):
        return None  # this is the cited work
    several = len(case.cited.people.names) >= SEVERAL_AUTHORS
    for candidate in case.candidates:
        record = candidate.record
        at_venue = case.cited.year in record.years and same_venue(case.cited.venue, record) == "same"
        if (
            at_venue
            and candidate.title.similarity >= (MIXED_TITLE_BY_SEVERAL if several else MIXED_TITLE_BY_ONE)
            and by_these_people(case.cited, candidate.authors)
        ):
            message = f"no source has this title; in the cited venue and year these authors have {describe(record)}"
            return accusation(
                case, "title", "title-mixed", message, [candidate], cited=case.cited.title, found=record.title, record=record,
                rule="the same people almost never have two works with such similar titles in one venue and year",
            )  # fmt: skip
    return None


def _namesake(case: ReferenceCase) -> Finding | None:
    """Report a title that only a work by completely different people has, in another venue or year."""
    if case.search_failed or not is_distinctive(case.cited.title, WORDS_OF_A_NAMESAKE):
        return None
    for candidate in case.candidates:
        if candidate.title.relation != "same" or candidate.relation != "similar":
            continue  # comparing the people would take longer
        record, people = candidate.record, candidate.authors
        of_others = not people.abstain and people.overlap == 0 and not fault("work", Seen(case.cited, record, people))
        if of_others and not _took_the_title(case, candidate):
            return accusation(
                case, "title", "title-namesake", f"a work with this title is by other people: {describe(record)}",
                [candidate], "single record", RATIO_OF_NAMESAKES, cited=case.cited.title, found=record.title, record=record,
                rule="few works of different people have the same title",
            )  # fmt: skip
    return None


def _took_the_title(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if a preprint of later years has the cited title: it may have taken the title of a known work."""
    later = case.cited.year is not None and min(candidate.record.years, default=0) > case.cited.year + 1
    return later and candidate.preprint


def _near_miss(case: ReferenceCase) -> Finding:
    best = nearest_version(case.near_matches)
    same = title_key(best.title.found)
    several = (
        independent_sources(
            {candidate.upstream for candidate in case.near_matches if title_key(candidate.title.found) == same}
        )
        > 1
    )
    facts = _NearMiss(case, best, several)
    decided = _NEAR_MISSES.deciding(facts)
    code, message, diff = decided.gives, decided.said(facts), facts.diff
    rule = (
        "the title must match word for word if the record has the cited identifier or volume and pages, or if "
        "publication and preprint agree"
    )
    shown: Shown = {
        "cited": case.cited.title, "found": best.title.found, "diff": diff, "record": best.record, "rule": rule,
    }  # fmt: skip
    if code in _AGAINST:
        under = [one for one in case.near_matches if title_key(one.title.found) == same]
        shown["fixes"] = _fix(best.title.found)
        return accusation(case, "title", code, message, under, **shown)
    outcome: Outcome = "passed" if code == "title-function-word" else "unverifiable"
    return finding("title", outcome, code, message, **shown)


_AGAINST = frozenset({"title-near-miss", "title-misspelt", "title-similar", "title-published"})
"""Near misses that speak against the citation, though another work or a preprint may have the cited title."""


def _fix(title: str) -> dict[str, str]:
    """The title of a record as a correction; none if letters of it are lost."""
    return {} if is_damaged(title) else {"title": title}


_SLIGHTLY = "this work has a slightly different title: {0.diff}"


@dataclass(frozen=True)
class _NearMiss:
    """A record with a similar title; several: independent sources have its title."""

    case: ReferenceCase
    best: Candidate
    several: bool

    @cached_property
    def spoilt(self) -> RecordFault | None:
        """The fault of the record's title, if it has one."""
        return fault(
            "title", Seen(self.case.cited, self.best.record, title=self.best.title, evidence=self.case.evidence)
        )

    @property
    def source(self) -> str:
        return source_name(self.best.record.source)

    @property
    def diff(self) -> str:
        return render_diff(self.best.title, self.case.cited.title)

    @cached_property
    def misspelt(self) -> Literal["cited", "found", ""]:
        return _misspelt(self.case, self.best)

    @property
    def has_unknown_word(self) -> bool:
        """True if the titles differ by slips of the pen, and a cited word is in no record (7 of 7 judged ones were right)."""
        title = self.best.title
        return misspelt_side(title, self.case.evidence) == "cited" and (is_slip(title) or len(title.changes) == 1)

    @property
    def proven(self) -> bool:
        """True if the record is certainly of the cited work, or the cited title certainly misspelt."""
        best = self.best
        if best.matched_identifier or _on_the_same_pages(self.case, best) or self.misspelt == "cited":
            return True
        return self.several and is_misspelling(best.title)

    @property
    def may_have_sibling(self) -> bool:
        """True if the same people may have another work with the cited title."""
        slip = is_slip(self.best.title) and self.several
        return not (self.case.missing_from_scope or slip or _has_no_sibling(self.case, self.best))

    @property
    def before_e_prints(self) -> bool:
        return self.case.cited.year is not None and self.case.cited.year < FIRST_E_PRINTS


_NEAR_MISSES: Table[_NearMiss] = Table(
    "title: near misses",
    "checks/title",
    Rule("additional function word",
         lambda f: f.best.title.only_function_words and not f.several and not is_replaced(f.best.title),
         "{0.source}'s record differs only in an article or preposition", "title-function-word"),
    Rule("other function word", lambda f: f.best.title.only_function_words and not f.several,
         "the citation or {0.source}'s record has the wrong preposition: {0.diff}", "title-variant"),
    Rule("damaged record", lambda f: f.spoilt and not f.several, "{0.spoilt.sentence} ({0.source}): {0.diff}",
         "title-variant"),
    Rule("broken-off record",
         lambda f: is_damaged(f.best.title.found) or breaks_off(f.best.record.title, f.case.cited.title),
         "the title of {0.source}'s record is damaged: {0.diff}", "title-variant"),
    Rule("head of one side", lambda f: is_headed(f.case.cited.title, f.best.title),
         "one of the titles has a heading before a colon, which may be a rubric: {0.diff}", "title-variant"),
    Rule("unknown word", lambda f: f.has_unknown_word,
         "the cited title has a word that no record of the index has, and is probably misspelled: {0.diff}", "title-misspelt"),
    Rule("earlier version",
         lambda f: (f.misspelt != "cited" and _may_be_an_earlier_version(f.case, f.best)
         and (not f.several or f.case.cited.preprint)),
         "arXiv's version has a slightly different title; another version may have the cited title", "title-version"),
    Rule("unseen preprint", lambda f: _unseen_preprint(f.case) and not is_other_letter(f.best.title),
         "the record of the cited arXiv id is not available and may have the cited title: {0.diff}", "title-version"),
    Rule("nearer preprint", lambda f: _nearer_preprint(f.case, f.best),
         "a preprint of this work has a title closer to the cited one and may once have had it: {0.diff}",
         "title-version"),
    Rule("misspelt record", lambda f: f.misspelt == "found", "{0.source}'s record is probably misspelled: {0.diff}",
         "title-variant"),
    Rule("typo of one side", lambda f: f.misspelt != "cited" and not f.several and is_typo(f.best.title),
         "the citation or {0.source}'s record is misspelled: {0.diff}", "title-similar"),
    Rule("standard", lambda f: f.best.matched_identifier in STANDARDS and not is_replaced(f.best.title),
         "the title of {0.source}'s record is longer or shorter, as is usual for standards: {0.diff}", "title-variant"),
    Rule("proven", lambda f: f.proven, _SLIGHTLY, "title-near-miss"),
    Rule("plural", lambda f: is_another_number(f.best.title) and not f.several,
         "the citation or the page that {0.source} copied has a plural instead of a singular: {0.diff}",
         "title-variant"),
    Rule("sibling", lambda f: f.may_have_sibling,
         "these authors have a similar work in this venue and year, which may be a different one: {0.diff}",
         "title-similar"),
    Rule("several before e-prints", lambda f: f.before_e_prints and f.several, _SLIGHTLY, "title-near-miss"),
    Rule("one before e-prints", lambda f: f.before_e_prints,
         "the citation or {0.source}'s record has a different word: {0.diff}", "title-similar"),
    Rule("published under another title",
         lambda f: is_renamed(f.case.cited.title, f.best.title) or not _preprint_agrees(f.case, f.best),
         "the title of the publication differs; a preprint may have had the cited one: {0.diff}", "title-published"),
    Rule("preprint agrees", always, _SLIGHTLY, "title-near-miss"),
)  # fmt: skip


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


def is_placed(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if a record has the cited venue and year."""
    return same_venue(case.cited.venue, candidate.record) == "same" and case.cited.year in candidate.record.years


def _other_title_of_same_people(case: ReferenceCase) -> Finding | None:
    """Finding if the cited identifier leads to another title by the cited people, and no record has the cited title."""
    if case.silent:
        return None  # the cited title may be right, and the identifier may belong to another work by these people
    for candidate in case.identifier_targets:
        if candidate.matched_identifier == "arxiv" and _unseen_preprint(case):
            continue
        if candidate.same_people and not candidate.preprint:
            found = candidate.title.found
            one, other = sorted((title_key(case.cited.title), title_key(found)), key=len)
            if one and other.startswith(one) and is_placed(case, candidate):
                message = f"the record of this work has a shorter or longer title: “{found}”"
                return finding("title", "unverifiable", "title-version", message, found=found, record=candidate.record)
            if may_be_translation(case.cited.title, found):
                message = f"the cited identifier leads to a work titled “{found}”, which may be a translation"
                return finding(
                    "title", "unverifiable", "title-translated", message, found=found, record=candidate.record
                )
            return accusation(
                case,
                "title",
                "title-other",
                f"the cited identifier leads to a work by these authors titled “{found}”",
                [candidate],
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
    # Only the share that the user states may convict: several missing references of a file may have one gap as their cause.
    outcome: Outcome = "failed" if probability_invented(missed.high, absences.prior) >= EARNED else "unverifiable"
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
    scope, lacks = case.proven_absence
    if scope and not case.retitled_there:
        return accusation(
            case,
            "title",
            "title-not-listed" if lacks else "title-not-in-venue",
            f"no work with this title in the cited venue and year: {scope}. If it was a workshop paper, cite the "
            "workshop",
            (),
            "single record"
            if lacks > LISTS_LACK
            else "complete list",  # the list of one catalogue, which may have gaps
            INVENTED_NOT_FOUND / lacks if lacks else None,
            cited=case.cited.title,
            rule="the source lists the papers of this volume, but no workshop papers, tutorials and keynotes, which must be "
            "cited as such",
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
            return accusation(
                case,
                "title",
                "title-not-found",
                f"{agency} registers every DOI under the cited prefix and has neither this DOI nor a work with this title",
                (),
                "complete list",
                cited=case.cited.title,
                rule="the registration agency of the cited DOI found no such work in a title search",
            )
    return None
