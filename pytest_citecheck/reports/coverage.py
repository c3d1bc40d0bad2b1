"""How far a run got: the references that it decided, the sources that decided them, and the sources that did not answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pytest_citecheck.linking.source_names import source_name

__all__ = ["Coverage", "CoverageCount", "coverage_of", "coverage_of_report", "coverage_properties"]

_UNDECIDED: Final = "undecided"
_ANSWERS: Final = frozenset({"found", "absent"})
_SHOWN: Final = 4  # sources in a sentence


@dataclass(frozen=True, slots=True)
class Coverage:
    """References with a verdict, and how many of them the run could decide and check.

    A reference is *decided* if its verdict is not ``undecided``. It is *checked* if it is decided, or if every source queried
    for it answered. deciding: decided references by source with a record of them. unreached: unchecked references by source
    that did not answer and by reason. required: the lowest share of checked references that passes.
    """

    references: int = 0
    decided: int = 0
    checked: int = 0
    deciding: Mapping[str, int] = field(default_factory=dict)
    unreached: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    required: float = 0.0

    @property
    def share(self) -> float:
        """Share of references that were checked; 1 if there are none."""
        return self.checked / self.references if self.references else 1.0

    @property
    def is_complete(self) -> bool:
        """Whether every reference was checked."""
        return self.checked == self.references

    @property
    def is_enough(self) -> bool:
        """Whether the run checked as many references as it must."""
        return self.share >= self.required

    @property
    def level(self) -> Literal["error", "warning", "info"]:
        """Severity of what `sentence` reports."""
        return "info" if self.is_complete else "warning" if self.is_enough else "error"

    @property
    def sentence(self) -> str:
        """``41 of 44 references decided (Crossref 38, DBLP 12); 3 not checked: timeout (arXiv)``."""
        if not self.references:
            return ""
        count = self.references
        by = _listed([f"{source_name(name)} {number}" for name, number in _most(self.deciding)])
        said = f"{self.decided} of {count} reference{'' if count == 1 else 's'} decided{f' ({by})' if by else ''}"
        return f"{said}; {self.gap}" if self.gap else said

    @property
    def gap(self) -> str:
        """References that could not be checked, with the reasons and the sources; empty if there are none."""
        if self.is_complete:
            return ""
        by_reason: dict[str, Counter[str]] = {}
        for name, reasons in self.unreached.items():
            for reason, number in reasons.items():
                by_reason.setdefault(reason, Counter())[name] += number
        totals = {reason: max(sources.values()) for reason, sources in by_reason.items()}
        why = [
            f"{reason} ({_listed([source_name(name) for name, _ in _most(by_reason[reason])])})"
            for reason, _ in _most(totals)
        ]
        said = f"{self.references - self.checked} not checked: {_listed(why) or 'no source was queried'}"
        return said if self.is_enough else f"{said}. {self.share:.0%} were checked, {self.required:.0%} are required"

    def data(self) -> dict[str, Any]:
        """The coverage as in the JSON report."""
        return {
            "references": self.references,
            "decided": self.decided,
            "checked": self.checked,
            "required": self.required,
            "deciding": dict(self.deciding),
            "unreached": {name: dict(reasons) for name, reasons in self.unreached.items()},
        }


class CoverageCount:
    """Counts the coverage of a run, reference by reference."""

    def __init__(self) -> None:
        self._references = self._decided = self._checked = 0
        self._deciding: Counter[str] = Counter()
        self._unreached: dict[str, Counter[str]] = {}

    def add(self, verdict: str, answers: Mapping[str, str]) -> None:
        """Count a reference. answers: for each source queried ``found``, ``absent``, or the reason why it did not answer."""
        self._references += 1
        if verdict != _UNDECIDED:
            self._decided += 1
            self._checked += 1
            self._deciding.update(name for name, answer in answers.items() if answer == "found")
            return
        silent = {name: answer for name, answer in answers.items() if answer not in _ANSWERS}
        if answers and not silent:
            self._checked += 1
        for name, reason in silent.items():
            self._unreached.setdefault(name, Counter())[reason] += 1

    def coverage(self, required: float = 0.0) -> Coverage:
        """The result."""
        return Coverage(
            self._references,
            self._decided,
            self._checked,
            dict(sorted(self._deciding.items())),
            {name: dict(sorted(reasons.items())) for name, reasons in sorted(self._unreached.items())},
            required,
        )


def coverage_of(payloads: Iterable[Mapping[str, Mapping[str, Any]]], required: float) -> Coverage:
    """The coverage of a run. payloads: the findings of each reference by check, as they travel in test reports."""
    count = CoverageCount()
    for by_check in payloads:
        data = next((one for one in by_check.values() if one["verdict"]), None)
        if data is not None:
            count.add(data["verdict"]["name"], data["sources"])
    return count.coverage(required)


def coverage_properties(coverage: Coverage) -> list[tuple[str, str]]:
    """The coverage as name and value of properties in JUnit XML."""
    silent = {name: sum(reasons.values()) for name, reasons in coverage.unreached.items()}
    return [
        ("citecheck.coverage", coverage.sentence),
        *((f"citecheck.coverage.{name}", str(getattr(coverage, name))) for name in ("decided", "checked", "required")),
        *((f"citecheck.deciding.{name}", str(number)) for name, number in coverage.deciding.items()),
        *((f"citecheck.unreached.{name}", str(number)) for name, number in silent.items()),
    ]


def coverage_of_report(report: Mapping[str, Any]) -> Coverage | None:
    """The coverage stated in a JSON report; None if it states none or none that can be read."""
    stated = (report.get("summary") or {}).get("coverage")
    if not isinstance(stated, Mapping):
        return None
    try:
        return Coverage(
            int(stated["references"]),
            int(stated["decided"]),
            int(stated["checked"]),
            {str(name): int(number) for name, number in stated["deciding"].items()},
            {
                str(name): {str(reason): int(number) for reason, number in reasons.items()}
                for name, reasons in stated["unreached"].items()
            },
            float(stated["required"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _listed(parts: list[str]) -> str:
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])
