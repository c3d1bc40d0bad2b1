"""doi: the cited DOI or arXiv id is well formed, registered, and its record is this work (otherwise: which work it is)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.checks.base import (
    LABELS,
    ReferenceCase,
    Shown,
    accusation,
    describe,
    finding,
    notice_details,
    undecided,
)
from pytest_citecheck.checks.catalogue_numbers import is_by_several, number_of_another_work
from pytest_citecheck.checks.codes import CODES
from pytest_citecheck.checks.corrections import has_doi_of_cited
from pytest_citecheck.checks.identifier_patterns import (
    cited_project,
    doi_against_registrants,
    named_standard,
    other_standard,
)
from pytest_citecheck.checks.title import is_placed
from pytest_citecheck.checks.title_differences import is_misspelling, is_slip
from pytest_citecheck.evidence import STANDARDS, Candidate, all_versions_seen, nearest_version, same_venue, source_name
from pytest_citecheck.matching import (
    FUNCTION_WORDS,
    beyond_month,
    beyond_volume,
    breaks_off,
    compare_authors,
    compare_titles,
    is_damaged,
    is_placeholder,
    lookup,
    may_be_translation,
    normalise_doi,
    rfc_number,
    title_key,
    without_latex_and_markup,
    words,
)
from pytest_citecheck.model import Absent, EvidenceKind, Finding, Found, NameList, QueryResult, Record, Unavailable
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import COINED_NAME_WORDS, ENOUGH_PEOPLE, RETITLED, STATING_IT, SUBJECT_STEM

# Comparison of cited identifiers without a record with the identifiers of the work and with the numbers that exist.
_ARXIV = "arxiv"
_ARXIV_DOI = "10.48550/"


def number_against_records(case: ReferenceCase, kind: str, value: str) -> Finding | None:
    """Return the doi finding for an identifier without a record that cannot belong to the work; None if it may.

    kind: ``doi`` or ``arxiv``. An answer of a registry takes precedence.
    """
    if (kind, value) not in case.unseen_identifiers or _denied(case, kind, value):
        return None
    return _another_doi(case, value) if kind == "doi" else _another_arxiv_id(case, value)


def _denied(case: ReferenceCase, kind: str, value: str) -> bool:
    answers = (asked.answer for asked in case.asked(kind) if asked.query.value == value)
    return any(isinstance(answer, Absent) and answer.scope for answer in answers)


def _another_doi(case: ReferenceCase, value: str) -> Finding | None:
    stated: dict[str, list[Candidate]] = {}
    for work in case.works:
        doi = normalise_doi(work.record.doi)
        if doi and not work.preprint and _is_cited_publication(case, work):
            stated.setdefault(doi, []).append(work)
    found, works = next(iter(stated.items()), ("", []))
    beyond = beyond_volume(value)
    if beyond and not (len(stated) == 1 and is_by_several(works)):
        message = f"no paper has the DOI {value}: {beyond}"
        return _wrong(
            case, "doi-beyond-volume", value, message, _FURTHER_OUT, works, {"doi": found} if found else {}, "syntax"
        )
    if len(stated) == 1 and _is_other_number(value, found):
        placed = any(is_placed(case, work) for work in works)
        message = f"in the cited venue and year this work has the DOI {found}, not {value}: {_named(works)}"
        if not placed:
            message = f"this work has the DOI {found}, not {value}: {_named(works)}"
        rule = f"at least {STATING_IT} collections list another DOI of the same registrant, and no source has the cited one"
        return _wrong(
            case, "doi-other-number", value, message, rule, works, {"doi": found},
            "two records" if placed and is_by_several(works) else "single record",
        )  # fmt: skip
    return None


def _is_cited_publication(case: ReferenceCase, work: Candidate) -> bool:
    """True if the record has the cited venue and year, or the cited people and year and no other venue."""
    if is_placed(case, work):
        return True
    return (
        bool(work.people_agree)
        and work.title.relation == "same"
        and case.cited.year in work.record.years
        and same_venue(case.cited.venue, work.record) != "different"
    )


_FURTHER_OUT = "the number is far higher than those of papers in the same series"


def _is_other_number(cited: str, found: str) -> bool:
    """Return True if two DOIs have the same registrant and neither is a part of the other (a volume and its chapters)."""
    if cited.startswith((found, _ARXIV_DOI)) or found.startswith(cited):
        return False
    return cited.partition("/")[0] == found.partition("/")[0]


def _another_arxiv_id(case: ReferenceCase, value: str) -> Finding | None:
    stated: dict[str, list[Candidate]] = {}
    for work in case.works:
        if work.record.arxiv and not work.record.compiled and work.title.relation == "same" and work.people_agree:
            stated.setdefault(work.record.arxiv, []).append(work)
    found, works = next(iter(stated.items()), ("", []))
    if len(stated) == 1:
        return _wrong(
            case,
            "arxiv-other-number",
            value,
            f"this work is arXiv:{found}, not arXiv:{value}: {_named(works)}",
            f"arXiv's own record, or {STATING_IT} collections, list another id, and no source has the cited one",
            works,
            {"eprint": found} if value in case.reference.fields.get("eprint", "") else {},
            _of_numbers(works),
        )
    if beyond := beyond_month(value, case.today):
        message = f"arXiv has no e-print {value}: {beyond}"
        return _wrong(case, "arxiv-beyond-month", value, message, _FURTHER_OUT, works, {}, "syntax")
    return None


def _of_numbers(works: Sequence[Candidate]) -> EvidenceKind:
    if any(work.upstream == _ARXIV for work in works):
        return "registry"
    return "two records" if is_by_several(works) else "single record"


def _named(works: Sequence[Candidate]) -> str:
    return ", ".join(dict.fromkeys(source_name(work.record.source) for work in works))


def _wrong(
    case: ReferenceCase,
    code: str,
    cited: str,
    message: str,
    rule: str,
    works: Sequence[Candidate],
    fixes: dict[str, str],
    evidence: EvidenceKind | None = None,
) -> Finding:
    """The finding on a wrong number. evidence: its kind, where it is not that of the works."""
    record = works[0].record if works else None
    found = (record.doi if code.startswith("doi") else record.arxiv) if record else ""
    shown: Shown = {"cited": cited, "found": found, "record": record, "rule": rule, "fixes": fixes}
    return accusation(case, "doi", code, message, works, evidence, **shown)


_SEVERAL = 2


def check_doi(case: ReferenceCase) -> Finding:
    """The worst finding about the cited identifiers, and notices on the work; without any, a report of the DOI to cite."""
    found = _of_identifiers(case)
    notices = case.alarming_notices
    if not notices:
        return found
    codes = tuple(dict.fromkeys(f"doi-{one.kind}" for one in notices))
    said = "; ".join(f"{CODES[f'doi-{one.kind}']} ({notice_details(one)})" for one in notices)
    if found.outcome == "failed":
        return replace(found, also=(*found.also, *codes), message=f"{found.message}; {said}")
    earlier = (found.code,) if found.outcome == "unverifiable" else ()
    return replace(found, code=codes[0], also=(*codes[1:], *earlier, *found.also), message=said)


def _of_identifiers(case: ReferenceCase) -> Finding:
    identifiers = case.cited.identifiers
    if identifiers.doi_problem:
        cited = case.reference.fields.get("doi", "")
        return accusation(
            case, "doi", "doi-malformed", identifiers.doi_problem, (), "syntax", cited=cited, fixes=_known_doi(case)
        )
    if identifiers.arxiv_problem:
        cited = case.reference.fields.get("eprint", "")
        return accusation(case, "doi", "arxiv-malformed", identifiers.arxiv_problem, (), "syntax", cited=cited)
    findings = _counted(case, "arxiv", identifiers.arxiv)
    # An arXiv DOI is made from the arXiv id, so one answer settles both.
    if identifiers.doi and not (identifiers.doi.startswith("10.48550/arxiv.") and _settled(findings)):
        findings = [*_counted(case, "doi", identifiers.doi), *findings]
    settled = any(item.outcome == "passed" for item in findings)
    if not settled:  # a DOI is more informative than the number in the same citation
        named = ((kind, getattr(identifiers, kind)) for kind in sorted(STANDARDS))
        asked = [(kind, value) for kind, value in named if _was_asked(case, kind, value)]
        findings += [item for kind, value in asked for item in _counted(case, kind, value)]
    outcomes = {item.outcome for item in findings}
    if "failed" not in outcomes and (another := number_of_another_work(case, identified="passed" in outcomes)):
        return another
    if not findings:
        return _nothing_cited(case)
    failed = [item for item in findings if item.outcome == "failed"]
    return (failed or [item for item in findings if item.evidence] or findings)[0]


def _counted(case: ReferenceCase, kind: str, value: str) -> list[Finding]:
    """The finding on one identifier, if it is cited. Nothing speaks against a reference in a field that no style prints."""
    found = [_identifier(case, kind, value)] if value else []
    hidden = kind in case.cited.identifiers.unprinted
    return [item for item in found if not (hidden and item.evidence)]


def _was_asked(case: ReferenceCase, kind: str, value: str) -> bool:
    return any(asked.query.value == value for asked in case.asked(kind))


def _settled(findings: list[Finding]) -> bool:
    return bool(findings) and findings[0].outcome != "unverifiable"


def _known_doi(case: ReferenceCase) -> dict[str, str]:
    """DOI that the databases have for the cited version of the work; empty: remove the field."""
    dois = [
        candidate.record.doi
        for candidate in (*case.works, *case.near_matches)
        if has_doi_of_cited(case, candidate)
        and (case.cited.year in candidate.record.years or same_venue(case.cited.venue, candidate.record) == "same")
    ]
    published = [doi for doi in dois if not doi.startswith("10.48550/")]
    # A preprint and its publication have different DOIs.
    if published or (dois and case.cited.preprint):
        return {"doi": (published or dois)[0]}
    return {"doi": ""} if case.works else {}


def _nothing_cited(case: ReferenceCase) -> Finding:
    if short := case.cited.identifiers.short_doi:
        if _denied(case, "doi", short):
            return _no_record(case, "doi", short)
        message = f"{short} is a short DOI, and doi.org did not say which DOI it means"
        return finding("doi", "unverifiable", "doi-short", message, cited=short)
    known = _known_doi(case).get("doi", "")
    if not known and (project := cited_project(case)):
        return project
    if known:
        return finding(
            "doi",
            "unverifiable",
            "doi-to-add",
            f"no DOI or arXiv id is cited; this work has {known}",
            found=known,
            fixes={"doi": known},
        )
    if case.works:
        record = case.works[0].record
        message = f"no DOI is cited, and {source_name(record.source)} has none for this work"
        return finding("doi", "passed", "doi-none", message, record=record)
    return finding("doi", "unverifiable", "doi-not-cited", "no DOI or arXiv id is cited")


def _identifier(case: ReferenceCase, kind: str, value: str) -> Finding:
    label = LABELS[kind]
    # A record reached by either identifier speaks for both if it carries both.
    anchored = [
        candidate
        for candidate in case.candidates
        if candidate.matched_identifier == kind or value == _stated(kind, candidate.record)
    ]
    for candidate in anchored:
        if candidate.relation in ("work", "near"):
            if kind == "doi" and (sibling := _sibling_meant(case, candidate)):
                return _of_sibling(case, value, candidate, sibling)
            other = _version_meant(case, candidate) if kind == "doi" else None
            if other is not None:
                return _other_version(case, value, candidate, other)
            if renamed := _renamed_since(candidate, anchored):
                return renamed
            name = named_standard(kind, value) if kind in STANDARDS else value
            source = source_name(candidate.record.source)
            return _passed(candidate, kind, f"{name} is registered, and {source}'s record is this work")
        if candidate.relation == "container":
            return _passed(candidate, kind, f"{value} is the {label} of the volume that contains this work")
    if anchored and kind in STANDARDS:
        return other_standard(case, kind, value, anchored[0])
    if anchored:
        return _other_work(case, kind, value, nearest_version(anchored), anchored)
    if kind == "doi" and (against := doi_against_registrants(case, value, _known_doi(case))):
        return against
    against = number_against_records(case, kind, value) if kind not in STANDARDS else None
    return against or _no_record(case, kind, value)


def _stated(kind: str, record: Record) -> str:
    """The identifier of a kind that a record states; the DOI of an RFC is made from its number."""
    return rfc_number("", {}, record.doi) if kind == "rfc" else str(getattr(record, kind, ""))


def _version_meant(case: ReferenceCase, target: Candidate) -> Candidate | None:
    """Return the cited version of the work if the cited DOI belongs to another published version; None if the DOI may
    be right.

    Venue and year must match a version with a different DOI, and the record of the cited DOI must match neither. Citing
    a preprint's DOI for its publication is common and harmless.
    """
    venue, year = case.cited.venue, case.cited.year
    if target.preprint or year is None or year in target.record.years or not target.record.years:
        return None
    if same_venue(venue, target.record) != "different" or not lookup(venue) or not lookup(target.record.venues[0]):
        return None
    return next(
        (
            work
            for work in case.works
            if same_venue(venue, work.record) == "same"
            and year in work.record.years
            and work.record.doi not in ("", target.record.doi)
            and not (work.preprint or work.record.compiled or target.record.compiled)
        ),
        None,
    )


def _sibling_meant(case: ReferenceCase, target: Candidate) -> Candidate | None:
    """Return a record that has exactly the cited title and another DOI, if the cited DOI leads to a similar title.

    Such siblings are parts of a series, comments and corrections. A retitled preprint is a version of the work, not a sibling.
    """
    if target.title.relation != "near" or target.preprint or breaks_off(target.record.title, case.cited.title):
        return None
    doi = target.record.doi
    return next(
        (
            work
            for work in case.works
            if work.title.relation == "same" and not work.preprint and work.record.doi not in ("", doi) and doi
        ),
        None,
    )


def _of_sibling(case: ReferenceCase, value: str, target: Candidate, meant: Candidate) -> Finding:
    """Report a DOI that leads to a sibling. If the two titles differ only by a slip, one record may be misspelt: a warning."""
    message = (
        f"{value} leads to {describe(target.record)}; {source_name(meant.record.source)} has the cited title under "
        f"{meant.record.doi}"
    )
    shown: Shown = {
        "cited": value,
        "found": meant.record.doi,
        "record": meant.record,
        "rule": "another record has exactly the cited title, with a different DOI",
        "fixes": {"doi": meant.record.doi},
    }
    slip = is_slip(target.title) or is_misspelling(target.title)
    return accusation(case, "doi", "doi-other-work", message, [target], "single record" if slip else None, **shown)


def _other_version(case: ReferenceCase, value: str, target: Candidate, meant: Candidate) -> Finding:
    return accusation(
        case,
        "doi",
        "doi-other-version",
        f"{value} is the DOI of another version: {describe(target.record)}; the cited one has {meant.record.doi}",
        [target],
        cited=value,
        found=meant.record.doi,
        record=meant.record,
        rule="venue and year belong to one version of the work, and the DOI belongs to another",
        fixes={"doi": meant.record.doi},
    )


def _passed(candidate: Candidate, kind: str, message: str) -> Finding:
    return finding("doi", "passed", f"{kind}-ok", message, record=candidate.record)


def _renamed_since(candidate: Candidate, anchored: Sequence[Candidate]) -> Finding | None:
    """Finding if an earlier version of an e-print has the cited title, and the latest a different one; else None."""
    versions = [one for one in anchored if one.record.version is not None and one.record.id == candidate.record.id]
    if len(versions) < _SEVERAL:
        return None
    latest = max(versions, key=lambda one: one.record.version or 0)
    cited = next((one.record for one in versions if one.title.relation in ("same", "short")), latest.record)
    if latest.title.relation in ("same", "short") or cited is latest.record:
        return None
    message = f"version {cited.version} of {cited.id} has the cited title; the latest is titled “{latest.record.title}”"
    return finding("doi", "passed", "arxiv-retitled", message, found=latest.record.title, record=cited)


@dataclass(frozen=True)
class _OtherTitle:
    """Facts about a cited identifier whose record has another title than the reference."""

    case: ReferenceCase
    kind: str
    value: str
    target: Candidate

    @property
    def described(self) -> str:
        return describe(self.target.record)

    @property
    def title(self) -> str:
        return self.target.record.title

    @property
    def ours(self) -> bool:
        return self.target.same_people

    @property
    def published_arxiv(self) -> bool:
        return self.kind == "arxiv" and not self.target.preprint


_UNCLEAR, _RETITLED = ("unverifiable", "unclear"), ("passed", "retitled")
_OTHER_TITLE: Table[_OtherTitle] = Table(
    "doi: the identifier of a work with another title",
    "checks/doi",
    Rule("no cited title", lambda f: not words(f.case.cited.title),
         "{0.value} is registered for {0.described}; the reference has no title to compare", _UNCLEAR),
    Rule("preprint and publication", lambda f: f.ours and _retitled(f.case, f.target),
         "{0.value} belongs to a version of this work with a different title, by the same authors", _RETITLED),
    Rule("retitled preprint", lambda f: f.ours and f.target.preprint and _may_be_retitled(f.case, f.target),
         "the latest version of {0.value} has a different title by the same authors: retitled, or a different paper",
         ("unverifiable", "retitled")),
    Rule("retitled publication",
         lambda f: f.ours and f.published_arxiv and _share_a_word(f.case.cited.title, f.target.title.found),
         "the publication of {0.value} has a different title by the same authors: retitled, or a different paper",
         ("unverifiable", "retitled")),
    Rule("record without authors", lambda f: f.target.people_agree is None and not f.case.works,
         "{0.value} is registered with a different title and without authors", _UNCLEAR),
    Rule("damaged record", lambda f: breaks_off(f.title, f.case.cited.title) or (f.ours and is_damaged(f.title)),
         "{0.value} belongs to a work whose title is truncated or damaged in the record", _UNCLEAR),
    Rule("damaged citation", lambda f: f.ours and _is_damaged(f.case.reference.fields.get("title", "")),
         "{0.value} belongs to a work by these authors; the cited title is truncated or damaged", _UNCLEAR),
    Rule("translation", lambda f: f.ours and may_be_translation(f.case.cited.title, f.target.title.found),
         "{0.value} belongs to a work by these authors; the cited title may be a translation", _UNCLEAR),
    Rule("cited place", lambda f: f.kind == "doi" and f.ours and is_placed(f.case, f.target),
         "{0.value} is of a work by these authors in this venue and year, titled “{0.title}”", _RETITLED),
    Rule("another work", always),
)  # fmt: skip


def _other_work(
    case: ReferenceCase, kind: str, value: str, target: Candidate, anchored: Sequence[Candidate]
) -> Finding:
    facts = _OtherTitle(case, kind, value, target)
    rule, record = _OTHER_TITLE.deciding(facts), target.record
    if rule.gives:
        outcome, code = rule.gives
        return finding("doi", outcome, f"{kind}-{code}", rule.said(facts), found=record.title, record=record)
    return accusation(
        case,
        "doi",
        f"{kind}-other-work",
        f"the cited {LABELS[kind]} belongs to a different work: {facts.described}",
        anchored,
        cited=f"{value} for “{case.cited.title}”",
        found=facts.described,
        record=record,
        rule=f"the record of the {LABELS[kind]} has a different title"
        + ("" if target.same_people else " and different authors"),
        fixes=_known_doi(case) if kind == "doi" else {},
    )


def _may_be_retitled(case: ReferenceCase, target: Candidate) -> bool:
    """Return True if the title of a preprint by the cited people may be a former or later one of the cited work.

    True during an outage: the service may know the cited title as the title of this preprint's publication.
    """
    if not case.works:
        if case.cited.preprint and all_versions_seen(case.evidence, target.record.arxiv):
            return case.outage  # it never had the cited title, and is cited as nothing but a preprint
        return case.outage or _share_a_word(case.cited.title, target.title.found)
    return any(not work.preprint and _by_just_these(work, target) for work in case.works)


def _retitled(case: ReferenceCase, target: Candidate) -> bool:
    """Return True if a record of the cited work and the record of the identifier are preprint and publication of one work."""
    for work in case.works:
        if any(identifier in (work.record.doi, work.record.arxiv) for _, identifier in target.record.related):
            return True
        if work.preprint != target.preprint:
            if _coined(work.record.title) == _coined(target.record.title) != "":
                return True
            similarity = compare_titles(work.record.title, target.record.title, target.record.subtitle).similarity
            if similarity >= RETITLED:
                return True
    return False


def _coined(title: str) -> str:
    """Normal form of the name before a colon in a title ("DeltaProduct: …"); empty without one."""
    name, colon, _ = without_latex_and_markup(title).partition(":")
    return title_key(name) if colon and len(name.split()) <= COINED_NAME_WORDS else ""


def _by_just_these(work: Candidate, target: Candidate) -> bool:
    """Return True if two records name the same people, and enough of them to be no coincidence."""
    comparison = compare_authors(NameList(work.record.authors), target.record.authors)
    return len(work.record.authors) >= ENOUGH_PEOPLE and not comparison.abstain and not comparison.code


def _share_a_word(cited: str, found: str) -> bool:
    """Return True if two titles have the beginning of a content word in common.

    Preprints are renamed during a review, but their subject stays; authors have several on different subjects.
    """
    first, second = (
        {word[:SUBJECT_STEM] for word in words(without_latex_and_markup(text)) if word not in FUNCTION_WORDS}
        for text in (cited, found)
    )
    return not first.isdisjoint(second)


def _is_damaged(title: str) -> bool:
    """Return True if a title as written has an unclosed brace or formula: the rest is lost."""
    unescaped = re.sub(r"\\.", "", title)
    return unescaped.count("{") != unescaped.count("}") or unescaped.count("$") % 2 == 1


def _no_record(case: ReferenceCase, kind: str, value: str) -> Finding:
    label = LABELS[kind]
    answers = [asked for asked in case.asked(kind) if asked.query.value == value]
    if any(isinstance(asked.answer, Found) for asked in answers):
        prefix = [asked.answer for asked in case.asked("prefix") if isinstance(asked.answer, Found)]
        holder = f" with {prefix[0].records[0].agency}" if kind == "doi" and prefix else ""
        message = f"{value} is registered{holder}, but no source queried has its metadata"
        return finding("doi", "unverifiable", f"{kind}-registered", message)
    denial = next((asked for asked in answers if isinstance(asked.answer, Absent) and asked.answer.scope), None)
    if denial is not None:
        return _denied_by_registry(case, kind, value, denial)
    if answers and not any(isinstance(asked.answer, Unavailable) for asked in answers):
        sources = ", ".join(dict.fromkeys(source_name(asked.source) for asked in answers))
        return finding(
            "doi", "unverifiable", "not-found", f"{value} is unknown to {sources}; its registry was not queried"
        )
    return undecided(case, "doi", f"the {label}")


def _denied_by_registry(case: ReferenceCase, kind: str, value: str, denial: QueryResult) -> Finding:
    """The finding on an identifier that its registry denies."""
    assert isinstance(denial.answer, Absent)  # noqa: S101 - narrows the type
    label, literal = LABELS[kind], case.cited.identifiers.doi_literal if kind == "doi" else ""
    if literal and not _denied(case, kind, literal):
        return undecided(case, "doi", f"the {label} {literal}")
    if is_placeholder(value):
        message = f"{value} is not a DOI but the ACM Digital Library's number for a work without one"
        return finding("doi", "unverifiable", "doi-placeholder", message, cited=value)
    return accusation(
        case,
        "doi",
        "doi-unregistered" if kind == "doi" else f"{kind}-unknown",
        f"the cited {label} {value} does not exist: {denial.answer.scope}",
        (),
        "compiled record" if denial.compiled else "registry",
        cited=value,
        rule="the registry for this type of identifier has no such identifier",
        fixes=_known_doi(case) if kind == "doi" else {},
    )
