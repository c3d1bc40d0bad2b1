"""Comparison of two JSON reports. The cause of a change is an edited entry, a new answer of a source, or a changed
rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final, Literal

from pytest_citecheck.reports.explanation import codes_of, report_severity

Report = Mapping[str, Any]
Reason = Literal["", "entry", "evidence", "rule"]
"""Why a verdict or finding changed: the entry was edited, a source answers otherwise, or version or policy judge otherwise."""

_BADNESS: Final = {"verified": 0, "undecided": 1, "unfindable": 2, "misdescribed": 3, "fabricated": 4}


@dataclass(frozen=True, slots=True)
class Change:
    """A reference that is in one report only, or whose verdict or failing codes changed.

    was, now: the verdict; empty if the report does not have the reference. sources: those that answer otherwise.
    """

    kind: Literal["appeared", "went", "changed"]
    place: str
    key: str
    was: str
    now: str
    appeared: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    reason: Reason = ""
    sources: tuple[str, ...] = field(default=())

    @property
    def is_worse(self) -> bool:
        """True if something fails now that did not fail before, or the verdict is a worse one."""
        return bool(self.appeared) or (self.kind == "changed" and _BADNESS.get(self.now, 0) > _BADNESS.get(self.was, 0))


def differences(old: Report, new: Report) -> list[Change]:
    """Changes in the order of the new report, then removed references. References are matched by id, or by a unique
    key."""
    before, after = _by_id(old), _by_id(new)
    moved = _moved(before, after)
    changes = []
    for name, reference in after.items():
        earlier = before.get(moved.get(name, name))
        change = _appeared(reference) if earlier is None else _changed(earlier, reference)
        if change is not None:
            changes.append(change)
    kept = set(moved.values()) | after.keys()
    changes += [
        Change(
            "went", _place(reference), str(reference.get("key", "")), _verdict(reference), "", (), _failing(reference)
        )
        for name, reference in before.items()
        if name not in kept
    ]
    return changes


def _by_id(report: Report) -> dict[str, Report]:
    return {str(one.get("id") or one.get("key")): one for one in report.get("references") or ()}


def _moved(before: Mapping[str, Report], after: Mapping[str, Report]) -> dict[str, str]:
    """New id → old id of references that are in another file now."""

    def by_key(ids: Mapping[str, Report], others: Mapping[str, Report]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, reference in ids.items():
            if name not in others:
                found.setdefault(str(reference.get("key", "")), []).append(name)
        return found

    old, new = by_key(before, after), by_key(after, before)
    return {
        names[0]: old[key][0] for key, names in new.items() if key and len(names) == 1 and len(old.get(key, ())) == 1
    }


def _appeared(reference: Report) -> Change:
    return Change(
        "appeared", _place(reference), str(reference.get("key", "")), "", _verdict(reference), _failing(reference)
    )


def _changed(old: Report, new: Report) -> Change | None:
    was, now = _verdict(old), _verdict(new)
    failed, fails = _failing(old), _failing(new)
    if was == now and set(failed) == set(fails):
        return None
    sources = tuple(_other_answers(old, new))
    reason: Reason = "entry" if _cited(old) != _cited(new) else "evidence" if sources else "rule"
    return Change(
        "changed",
        _place(new),
        str(new.get("key", "")),
        was,
        now,
        tuple(code for code in fails if code not in failed),
        tuple(code for code in failed if code not in fails),
        reason,
        sources,
    )


def _verdict(reference: Report) -> str:
    return str((reference.get("verdict") or {}).get("name") or "")


def _failing(reference: Report) -> tuple[str, ...]:
    """The codes of the findings that fail and are not waived."""
    found = [
        code
        for finding in (reference.get("checks") or {}).values()
        if report_severity(finding) in ("error", "demanded") and not finding.get("waived")
        for code in codes_of(finding)
    ]
    return tuple(dict.fromkeys(found))


def _cited(reference: Report) -> object:
    """Fields of the entry that a report contains."""
    checks = reference.get("checks") or {}
    return reference.get("type"), reference.get("title"), {name: one.get("cited") or "" for name, one in checks.items()}


def _answers(reference: Report) -> dict[tuple[str, str, str], object]:
    return {
        (str(one.get("source")), str(asked.get("kind")), str(asked.get("value"))): (
            one.get("answer"),
            one.get("reason"),
            sorted(map(str, one.get("records") or ())),
        )
        for one in reference.get("evidence") or ()
        for asked in [one.get("question") or {}]
    }


def _other_answers(old: Report, new: Report) -> Iterator[str]:
    before, after = _answers(old), _answers(new)
    names = [source for source, *_ in dict.fromkeys((*after, *before))]
    for source in dict.fromkeys(names):
        of_source = [{key: value for key, value in all_.items() if key[0] == source} for all_ in (before, after)]
        if of_source[0] != of_source[1]:
            yield source


def _place(reference: Report) -> str:
    return f"{reference.get('path', '')}:{reference.get('line', '')}"


_COLOURS = {"good": "#2a7d2e", "open": "#8a6d00", "bad": "#b3261e"}
_LABEL, _CHARACTER, _PAD = 64, 6.6, 14  # widths in px
HISTORY_HEAD = (
    "| evidence of | version | references | verified | undecided | unfindable | misdescribed | fabricated | failing |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)
"""The head of the table that lines of history make."""


def badge(report: Report) -> str:
    """An SVG: ``citations | 132 of 134 verified``; green if nothing fails, red if something does, else amber."""
    failing, total, verdicts = _counts(report)
    if failing:
        said, colour = f"{failing} of {total} wrong", _COLOURS["bad"]
    else:
        said = f"{verdicts.get('verified', 0)} of {total} verified"
        colour = _COLOURS["good" if verdicts.get("verified", 0) == total else "open"]
    width = round(len(said) * _CHARACTER + _PAD)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABEL + width}" height="20" role="img" '
        f'aria-label="citations: {escape(said)}"><title>citations: {escape(said)}</title>'
        f'<rect width="{_LABEL + width}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{_LABEL - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{_LABEL / 2:g}" y="14">citations</text><text x="{_LABEL + width / 2:g}" y="14">{escape(said)}</text>'
        f"</g></svg>\n"
    )


def history_line(report: Report) -> str:
    """A row of a Markdown table. Its day is the day of the newest answer: a report has no clock."""
    failing, total, verdicts = _counts(report)
    dates = (
        str(one.get("date") or "")[:10] for each in report.get("references") or () for one in each.get("evidence") or ()
    )
    names = ("verified", "undecided", "unfindable", "misdescribed", "fabricated")
    cells = [max(dates, default="") or "–", str(report.get("version", "")), str(total)]
    return f"| {' | '.join([*cells, *(str(verdicts.get(name, 0)) for name in names), str(failing)])} |\n"


def _counts(report: Report) -> tuple[int, int, Mapping[str, int]]:
    """References with a failing check, all references, and their number by verdict."""
    references = report.get("references") or ()
    failing = sum(
        any(
            report_severity(finding) in ("error", "demanded") and not finding.get("waived")
            for finding in (one.get("checks") or {}).values()
        )
        for one in references
    )
    return failing, len(references), (report.get("summary") or {}).get("verdicts") or {}
