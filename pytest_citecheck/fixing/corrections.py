"""Which fields of a reference get which value, and who vouches for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from textwrap import shorten

from pytest_citecheck.checks.base import Case
from pytest_citecheck.checks.corrections import in_bibtex, unsound
from pytest_citecheck.fixing.entry_edits import TYPE
from pytest_citecheck.fixing.upgrades import published_version
from pytest_citecheck.fixing.vouching import vouchers
from pytest_citecheck.linking.candidates import same_venue
from pytest_citecheck.model import Finding, Reference
from pytest_citecheck.thresholds import SOMETHING_IN_COMMON
from pytest_citecheck.verdict.evaluation import Evaluation

__all__ = ["Correction", "Wanted", "corrected_reference", "corrections", "obstacle"]

_ADDED = "doi-to-add"
_SHOWN = 80
"""Characters of a value in a message."""


def _none_waived(reference: Reference, finding: Finding) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to correct: of which checks or codes (none: of all).

    add_doi: DOIs that are missing. unsafe: also what is not certain. upgrade: preprints that have been published. waived: whether
    somebody has accepted a finding on a reference.
    """

    select: frozenset[str] = frozenset()
    add_doi: bool = False
    unsafe: bool = False
    upgrade: bool = False
    waived: Callable[[Reference, Finding], bool] = _none_waived

    def covers(self, finding: Finding) -> bool:
        return not self.select or not self.select.isdisjoint({finding.check, *finding.codes})


@dataclass(frozen=True, slots=True)
class Correction:
    """A field and its right value; an empty one removes the field.

    check, code: of the finding. vouched: who states the value, as people call them; empty if it is not certain.
    """

    field: str
    value: str
    check: str
    code: str
    vouched: tuple[str, ...]

    @property
    def certain(self) -> bool:
        return bool(self.vouched)


def corrections(evaluation: Evaluation, wanted: Wanted, original: Reference | None = None) -> tuple[Correction, ...]:
    """The corrections of one reference; only certain ones, unless others are wanted. original: the reference before any.

    Those of one finding go together: a venue is not corrected while its year, which changes with it, is not certain.
    """
    found: dict[str, Correction] = {}
    for finding, fixes in _proposals(evaluation, wanted):
        if finding.likelihood_ratio or not wanted.covers(finding):
            continue  # single evidence: too many of these corrections are wrong, so they are left to people
        if wanted.waived(original or evaluation.case.reference, finding):
            continue
        group = _vouched(evaluation.case, finding, fixes, found)
        if group and (wanted.unsafe or all(one.certain for one in group)):
            for one in group:
                found.setdefault(one.field, one)
    return tuple(found.values())


def obstacle(evaluation: Evaluation, wanted: Wanted, original: Reference) -> str:
    """Return why failed checks of a reference, and those with single evidence, lead to no correction; empty if there are none."""
    failed = [one for one in evaluation.findings.values() if _speaks_against(one)]
    covered = [one for one in failed if wanted.covers(one) and not wanted.waived(original, one)]
    if not covered:
        return ""
    codes = ", ".join(dict.fromkeys(one.code for one in covered))
    proposals = [fixes for finding, fixes in _proposals(evaluation, wanted) if finding in covered]
    uncertain = {name: value for fixes in proposals for name, value in fixes.items()}
    if uncertain:
        values = "; ".join(
            f"{name} = {{{shorten(value, _SHOWN, placeholder=' …')}}}" if value else f"no {name}"
            for name, value in uncertain.items()
        )
        if all(one.likelihood_ratio for one in covered):
            return f"{codes}: single evidence for {values}; correct it by hand if it is right"
        return f"{codes}: too few sources state {values}; --unsafe writes it"
    return f"{codes}: no correction is known"


def corrected_reference(reference: Reference, fixes: Mapping[str, str]) -> Reference:
    """The reference as it would be read with these values."""
    kept = {name: value for name, value in reference.fields.items() if fixes.get(name, value)}
    raw = {name: value for name, value in reference.raw.items() if fixes.get(name, value)}
    given = {name: value for name, value in fixes.items() if value and name != TYPE}
    return replace(reference, fields={**kept, **given}, raw={**raw, **given})


def _proposals(evaluation: Evaluation, wanted: Wanted) -> Iterator[tuple[Finding, Mapping[str, str]]]:
    if wanted.upgrade and (upgraded := published_version(evaluation)):
        yield upgraded
    for finding in evaluation.findings.values():
        if _speaks_against(finding) or (wanted.add_doi and finding.code == _ADDED):
            fixes = finding.fixes or _of_the_identifier(evaluation.case, finding)
            written = evaluation.case.reference.fields
            fixes = {name: value for name, value in fixes.items() if value != written.get(name, "")}
            if fixes and not unsound(evaluation.case.reference, fixes, finding.record):
                yield finding, fixes


def _speaks_against(finding: Finding) -> bool:
    return finding.outcome == "failed" or bool(finding.likelihood_ratio)


def _of_the_identifier(case: Case, finding: Finding) -> dict[str, str]:
    """Title and authors of the work of the cited DOI, where all else is cited as of that work: venue, year and pages.

    A title that has nothing in common with that of the work is the citation of another one, which nobody has seen.
    """
    if finding.code != "doi-other-work":
        return {}
    cited, fields = case.cited, case.reference.fields
    for target in case.identifier_targets:
        record = target.record
        pages = [part for part in fields.get("pages", "").replace("–", "-").split("-") if part]
        there = pages and pages == [part for part in record.pages.replace("–", "-").split("-") if part]
        dated = cited.year in record.years and same_venue(cited.venue, record) == "same"
        if target.anchor == "doi" and there and dated and target.title.similarity >= SOMETHING_IN_COMMON:
            if not record.authors_complete or record.compiled:
                continue
            return {"title": target.title.found, "author": " and ".join(map(in_bibtex, record.authors))}
    return {}


def _vouched(
    case: Case, finding: Finding, fixes: Mapping[str, str], earlier: Mapping[str, Correction]
) -> list[Correction]:
    meant = corrected_reference(case.reference, {**{one.field: one.value for one in earlier.values()}, **fixes})
    stated = {name: vouchers(case, meant, name) for name, value in fixes.items() if value and name != TYPE}
    group = [Correction(name, fixes[name], finding.check, finding.code, names) for name, names in stated.items()]
    witnesses = group[0].vouched if group else ()
    for name, value in fixes.items():
        if not value or name == TYPE:  # what goes with the others; alone, a registry has to deny it
            names = witnesses or vouchers(case, meant, name)
            group.append(Correction(name, value, finding.check, finding.code, names))
    return group
