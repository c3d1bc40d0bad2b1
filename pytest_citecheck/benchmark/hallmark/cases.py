"""One check of one labelled reference as it travels: in a test report, and as properties of a case in JUnit XML.

From such cases, in whatever order and from however many files they come, labelled entries and predictions are put together
again, so that metrics are computed from JUnit files as they are at the end of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pytest_citecheck.readers.hallmark.schema import SUBTESTS, LabelledEntry, Prediction

__all__ = ["PREDICTED", "Case", "answer", "judged", "prediction", "share", "truth_properties"]

PREDICTED: Final[Mapping[str, str]] = {
    "verified": "VALID",
    "misdescribed": "HALLUCINATED",
    "fabricated": "HALLUCINATED",
    "unverified": "UNCERTAIN",
}
"""Verdicts as labels: a work that exists and is described wrongly is a hallucinated citation (HALLMARK, section 3)."""

_SUBTEST_OF = {check: subtest for subtest, check in SUBTESTS.items()}
_OUTCOMES: Final[Mapping[str, bool | None]] = {"passed": True, "failed": False, "unverifiable": None}
_RESOLVES = frozenset({"doi-other-work", "arxiv-other-work"})
_LABELS = dict.fromkeys(PREDICTED.values())
_TRUTH = {"true": True, "false": False, "null": None}
_UNDECIDED = 0.5
_PREFIX = "citecheck.truth."


@dataclass(frozen=True, slots=True)
class Case:
    """What one check said of a reference, and what is known to be true of it.

    split: the file. line: of the entry in it. outcome, code: of the check. verdict, probability: of the reference (that the
    citation is wrong). type: of hallucination that it looks like. predicted: the label, where a policy says it and not the
    verdict. sources: those that were asked, with a word for what they answered. label to subtests: as in `LabelledEntry`;
    doi: that of its fields.
    """

    split: str
    key: str
    line: int
    check: str
    outcome: str
    code: str
    verdict: str
    probability: float
    type: str = ""
    predicted: str = ""
    sources: tuple[str, ...] = ()
    label: str = ""
    hallucination_type: str = ""
    tier: int | None = None
    generation_method: str = ""
    publication_date: str = ""
    subtests: Mapping[str, bool | None] = field(default_factory=dict)
    doi: str = ""

    @classmethod
    def from_properties(cls, properties: Mapping[str, str]) -> Case | None:
        """The case that the properties of a JUnit case describe; None if it is none of a check with a verdict.

        Raises ValueError if a property is not of the form in which it is written.
        """
        verdict = properties.get("citecheck.verdict", "")
        if not verdict:
            return None
        truth = {name.removeprefix(_PREFIX): value for name, value in properties.items() if name.startswith(_PREFIX)}
        try:
            return cls(
                split=properties["citecheck.file"],
                key=properties["citecheck.key"],
                line=int(properties["citecheck.line"]),
                check=properties["citecheck.check"],
                outcome=_known(properties["citecheck.outcome"], _OUTCOMES),
                code=properties.get("citecheck.code", ""),
                verdict=_known(verdict, PREDICTED),
                probability=share(properties["citecheck.probability"]),
                type=properties.get("citecheck.type", ""),
                predicted=_known(properties["citecheck.label"], _LABELS) if "citecheck.label" in properties else "",
                sources=tuple(properties.get("citecheck.sources", "").split()),
                label=truth.get("label", ""),
                hallucination_type=truth.get("hallucination_type", ""),
                tier=int(truth["tier"]) if "tier" in truth else None,
                generation_method=truth.get("generation_method", ""),
                publication_date=truth.get("publication_date", ""),
                subtests=dict(_subtest(text) for text in truth.get("subtests", "").split()),
                doi=truth.get("doi", ""),
            )
        except KeyError as error:
            raise ValueError(f"the property {error} is missing") from error


def truth_properties(entry: LabelledEntry) -> dict[str, str]:
    """Name and value of the properties that say what is labelled; `Case.from_properties` reads them. Empty without a label."""
    if entry.label is None:
        return {}
    stated = {
        "label": entry.label,
        "hallucination_type": entry.hallucination_type or "",
        "tier": "" if entry.tier is None else str(entry.tier),
        "generation_method": entry.generation_method,
        "publication_date": entry.publication_date,
        "subtests": " ".join(f"{name}={_word(value)}" for name, value in entry.subtests.items()),
        "doi": entry.fields.get("doi", "").strip(),
    }
    return {f"{_PREFIX}{name}": value for name, value in stated.items() if value}


def _known(value: str, values: Mapping[str, Any]) -> str:
    if value not in values:
        raise ValueError(f"{value!r} is none of {', '.join(values)}")
    return value


def share(text: str) -> float:
    """A probability. Raises ValueError for what is none, such as NaN."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(f"{text!r} is no probability")
    return value


def _word(value: bool | None) -> str:
    return "null" if value is None else str(value).lower()


def _subtest(text: str) -> tuple[str, bool | None]:
    name, _, value = text.partition("=")
    return name, _TRUTH[_known(value, _TRUTH)]


def judged(cases: Iterable[Case]) -> dict[str, tuple[list[LabelledEntry], list[Prediction]]]:
    """Entries and predictions of each split, in the order of the names and lines, whatever the order of the cases.

    Of a case that occurs twice the first counts. An entry without a label is in the predictions only.
    """
    together: dict[tuple[str, int, str], dict[str, Case]] = {}
    for case in cases:
        together.setdefault((case.split, case.line, case.key), {}).setdefault(case.check, case)
    splits: dict[str, tuple[list[LabelledEntry], list[Prediction]]] = {}
    for split, line, key in sorted(together):
        checks = together[split, line, key]
        entries, predictions = splits.setdefault(split, ([], []))
        # The check that stands first in the table tells of the reference: under -k not every one is there.
        one = next(checks[check] for check in (*SUBTESTS.values(), *checks) if check in checks)
        if one.label:
            entries.append(_entry(one))
        answers = {check: answer(check, case.outcome, case.code) for check, case in checks.items()}
        predictions.append(prediction(one, answers))
    return splits


def _entry(case: Case) -> LabelledEntry:
    return LabelledEntry(
        key=case.key,
        type="",
        fields={"doi": case.doi} if case.doi else {},
        label=cast("Any", case.label),
        hallucination_type=case.hallucination_type or None,
        tier=case.tier,
        generation_method=case.generation_method,
        publication_date=case.publication_date,
        subtests=case.subtests,
        line=case.line,
    )


def answer(check: str, outcome: str, code: str) -> bool | None:
    """What a finding says to the question of its sub-test; None if it is open.

    A DOI that leads to another work resolves, though the check of the DOI fails.
    """
    return True if check == "doi" and code in _RESOLVES else _OUTCOMES[outcome]


def prediction(case: Case, answers: Mapping[str, bool | None]) -> Prediction:
    """What the checks predict of a reference; ``answers`` to the sub-tests by the name of the check."""
    label = case.predicted or PREDICTED[case.verdict]
    confidence = {"VALID": 1 - case.probability, "HALLUCINATED": case.probability}.get(label, _UNDECIDED)
    return Prediction(
        key=case.key,
        label=cast("Any", label),
        confidence=confidence,
        subtests={subtest: answers[check] for check, subtest in _SUBTEST_OF.items() if check in answers},
        sources=tuple(sorted(source.partition("=")[0] for source in case.sources)),
        source="pytest-citecheck",
        type=case.type or None,
    )
