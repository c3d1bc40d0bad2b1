"""The results of single checks, as in a test report and in the properties of JUnit XML.

Labelled entries and predictions are built from them, in any order and from any number of files, so that JUnit files give the
same scores as the run itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pytest_citecheck.readers.hallmark.schema import SUBTESTS, LabelledEntry, Prediction

__all__ = [
    "PREDICTED",
    "CheckResult",
    "by_split",
    "parse_probability",
    "prediction",
    "subtest_answer",
    "truth_properties",
]

PREDICTED: Final[Mapping[str, str]] = {
    "verified": "VALID",
    "misdescribed": "HALLUCINATED",
    "fabricated": "HALLUCINATED",
    "unfindable": "UNCERTAIN",
    "undecided": "UNCERTAIN",
}
"""The predicted label of each verdict. A citation that misdescribes an existing work is hallucinated (HALLMARK, section 3)."""

_SUBTEST_OF = {check: subtest for subtest, check in SUBTESTS.items()}
_OUTCOMES: Final[Mapping[str, bool | None]] = {"passed": True, "failed": False, "unverifiable": None}
_RESOLVES = frozenset({"doi-other-work", "arxiv-other-work"})
_LABELS = dict.fromkeys(PREDICTED.values())
_TRUTH = {"true": True, "false": False, "null": None}
_UNDECIDED = 0.5
_PREFIX = "citecheck.truth."


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of a reference, and the label of the reference.

    split: path of the file. line: of the entry. outcome, code: of the check. verdict: of the reference. probability: that the
    citation is wrong, 0 to 1. type: predicted hallucination type. predicted: the label that a policy predicts, if it does.
    sources: ``name=answer`` of each source queried. label to subtests: as in `LabelledEntry`. doi: in the fields of the entry.
    id: of the reference in the run; an answer of a model may repeat a key.
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
    id: str = ""

    @classmethod
    def from_properties(cls, properties: Mapping[str, str]) -> CheckResult | None:
        """Read the properties of a JUnit test case; None if it is not a check with a verdict.

        Raises ValueError if a property is missing or invalid.
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
                probability=parse_probability(properties["citecheck.probability"]),
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
                id=properties.get("citecheck.id", ""),
            )
        except KeyError as error:
            raise ValueError(f"missing property {error}") from error


def truth_properties(entry: LabelledEntry) -> dict[str, str]:
    """Name and value of the properties of a label, which `CheckResult.from_properties` reads; empty without a label."""
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
        raise ValueError(f"{value!r} is not one of {', '.join(values)}")
    return value


def parse_probability(text: str) -> float:
    """A probability from 0 to 1. Raises ValueError for anything else, such as NaN."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(f"{text!r} is not a probability")
    return value


def _word(value: bool | None) -> str:
    return "null" if value is None else str(value).lower()


def _subtest(text: str) -> tuple[str, bool | None]:
    name, _, value = text.partition("=")
    return name, _TRUTH[_known(value, _TRUTH)]


def by_split(cases: Iterable[CheckResult]) -> dict[str, tuple[list[LabelledEntry], list[Prediction]]]:
    """Entries and predictions of each split, in the order of names and lines, independent of the order of the results.

    If a result occurs twice, the first counts. An entry without a label has a prediction only.
    """
    together: dict[tuple[str, int, str, str], dict[str, CheckResult]] = {}
    for case in cases:
        together.setdefault((case.split, case.line, case.key, case.id), {}).setdefault(case.check, case)
    splits: dict[str, tuple[list[LabelledEntry], list[Prediction]]] = {}
    for place in sorted(together):
        split, checks = place[0], together[place]
        entries, predictions = splits.setdefault(split, ([], []))
        # With -k some checks are missing: take the reference's data from the first check that is there.
        one = next(checks[check] for check in (*SUBTESTS.values(), *checks) if check in checks)
        if one.label:
            entries.append(_entry(one))
        answers = {check: subtest_answer(check, case.outcome, case.code) for check, case in checks.items()}
        predictions.append(prediction(one, answers))
    return splits


def _entry(case: CheckResult) -> LabelledEntry:
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


def subtest_answer(check: str, outcome: str, code: str) -> bool | None:
    """The predicted result of the sub-test that a check answers; None if it is undecided.

    A DOI of another work resolves, although the check fails.
    """
    return True if check == "doi" and code in _RESOLVES else _OUTCOMES[outcome]


def prediction(case: CheckResult, answers: Mapping[str, bool | None]) -> Prediction:
    """The prediction for a reference; answers: the results of the sub-tests by check."""
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
