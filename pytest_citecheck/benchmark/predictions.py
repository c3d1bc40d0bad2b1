"""The HALLMARK benchmark: predictions, baselines, ensembles, and validation of new entries.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from pytest_citecheck.inputs import (
    KINDS,
    SUBTESTS,
    TIERS,
    Bytes,
    Fields,
    JsonLine,
    LabelledEntry,
    LineError,
    Prediction,
    Problem,
    Verdict3,
    Warn,
    json_lines,
    keyed_lines,
    parted,
)

PREDICTED: Final[Mapping[str, str]] = {
    "verified": "VALID",
    "misdescribed": "HALLUCINATED",
    "fabricated": "HALLUCINATED",
    "unfindable": "UNCERTAIN",
    "undecided": "UNCERTAIN",
}
"""The predicted label of each verdict. A citation that misdescribes an existing work is hallucinated (HALLMARK, section 3)."""

SUBTEST_OF = {check: subtest for subtest, check in SUBTESTS.items()}
"""The sub-test that each check answers."""
_OUTCOMES: Final[Mapping[str, bool | None]] = {"passed": True, "failed": False, "unverifiable": None}
_RESOLVES = frozenset({"doi-other-work", "arxiv-other-work"})
_CHECK_RESULTS_LABELS = dict.fromkeys(PREDICTED.values())
_TRUTH = {"true": True, "false": False, "null": None}
_UNDECIDED = 0.5
_PREFIX = "citecheck.truth."


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of a reference, and the label of the reference.

    split: path of the file. line: of the entry. outcome, code: of the check. verdict: of the reference. probability: that the
    citation is wrong, 0 to 1. type: predicted hallucination type. predicted: the label that a policy predicts, if it does.
    sources: ``name=answer`` of each source queried. entry: its label and what scores need
    of it; None without a label. id: of the reference in the run; an answer of a model may repeat a key.
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
    entry: LabelledEntry | None = None
    id: str = ""

    @classmethod
    def from_properties(cls, properties: Mapping[str, str]) -> CheckResult | None:
        """Read the properties of a JUnit test case; None if it is not a check with a verdict.

        Raises ValueError if a property is missing or invalid.
        """
        verdict, label = (properties.get(f"citecheck.{name}", "") for name in ("verdict", "label"))
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
                predicted=label and _known(label, _CHECK_RESULTS_LABELS),
                sources=tuple(properties.get("citecheck.sources", "").split()),
                entry=_entry(truth, properties),
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
        "subtests": " ".join(f"{name}={json.dumps(value)}" for name, value in entry.subtests.items()),
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
        first = next(checks[check] for check in (*SUBTESTS.values(), *checks) if check in checks)
        if first.entry is not None:
            entries.append(first.entry)
        answers = {check: subtest_answer(check, case.outcome, case.code) for check, case in checks.items()}
        predictions.append(prediction(first, answers))
    return splits


def _entry(truth: Mapping[str, str], properties: Mapping[str, str]) -> LabelledEntry | None:
    if "label" not in truth:
        return None
    texts = ("label", "hallucination_type", "generation_method", "publication_date")
    return LabelledEntry(
        key=properties["citecheck.key"],
        type="",
        fields={"doi": truth["doi"]} if "doi" in truth else {},
        tier=int(truth["tier"]) if "tier" in truth else None,
        subtests=dict(_subtest(text) for text in truth.get("subtests", "").split()),
        line=int(properties["citecheck.line"]),
        **cast("Any", {name: truth[name] for name in texts if name in truth}),
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
        subtests={subtest: answers[check] for check, subtest in SUBTEST_OF.items() if check in answers},
        sources=tuple(sorted(source.partition("=")[0] for source in case.sources)),
        source="pytest-citecheck",
        type=case.type or None,
        kind=case.verdict if label == "HALLUCINATED" and case.verdict in KINDS else "",
    )


Kind = Literal["split", "predictions"]

_OF_ENTRIES = frozenset({"fields", "bibtex_type"})
_OF_PREDICTIONS = frozenset({"label", "pred_label", "prediction"})


def is_entry(value: Mapping[str, Any]) -> bool:
    """Return True if an object is an entry of a split: unlike a prediction, it contains a reference."""
    return not _OF_ENTRIES.isdisjoint(value)


def file_kind(data: Bytes) -> Kind | None:
    """The kind of a file according to its first object; None if it is neither or the file is empty."""
    value = next((line.value for line in json_lines("", data) if isinstance(line, JsonLine)), {})
    if is_entry(value):
        return "split"
    return "predictions" if "bibtex_key" in value and not _OF_PREDICTIONS.isdisjoint(value) else None


_LABELS: Final[tuple[str, ...]] = get_args(Verdict3)
_STAGES = ("stage1_db", "stage2_diagnosis", "prescreening")
_TYPES = tuple(TIERS)


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """All predictions of a file in its order, including repeated keys, and the problems of its lines."""

    path: str
    predictions: tuple[Prediction, ...]
    problems: tuple[Problem, ...]


def load_predictions(path: Path) -> PredictionFile:
    """Read a file from disk. Problems with its content are in ``problems``. Raises OSError."""
    with path.open("rb") as file:
        return read_predictions(str(path), file)


def read_predictions(path: str, data: Bytes) -> PredictionFile:
    """Read a whole file; ``path`` only appears in problems. Never raises because of the content.

    A line with an error is skipped: not a JSON object, an entry of a split, a missing key or label, a value of the wrong type, a
    confidence outside 0 to 1, a predicted hallucination type that is unknown or combined with VALID. A repeated key is a
    warning; the scoring decides which prediction counts. Unknown names are ignored, canaries are dropped.
    """
    repeated = "repeated prediction for this entry, first on line {line}"
    return PredictionFile(path, *parted(keyed_lines(path, data, _prediction, repeated, keep_repeated=True)))


def _prediction(line: JsonLine, warn: Warn) -> Prediction:
    if is_entry(line.value):
        raise LineError("this line is an entry of a split, not a prediction")
    fields = Fields(line.value, warn)
    key = fields.required("bibtex_key")
    label = _label(fields)
    sources_name = fields.named("api_sources_queried", "btu_api_sources")
    sources = fields.texts(sources_name)
    calls = fields.whole("api_calls")
    if calls is None:
        # bibtex-updater queries each service once and does not count calls.
        calls = len(sources) if sources_name == "btu_api_sources" else 0
    seconds = fields.number("wall_clock_seconds") or 0.0
    if seconds < 0 or calls < 0:
        raise LineError("`wall_clock_seconds` and `api_calls` must not be negative")
    return Prediction(
        key=key,
        label=label,
        confidence=_confidence(fields),
        reason=fields.text("reason"),
        subtests=fields.outcomes("subtest_results"),
        sources=sources,
        seconds=seconds,
        calls=calls,
        source=fields.text("source"),
        type=_type(fields, label),
        stage=fields.choice("cascade_stage", _STAGES),
        status=status if isinstance(status := fields.get("btu_status"), str) else "",
        kind=fields.choice("predicted_kind", KINDS) or "",
    )


def _label(fields: Fields) -> Verdict3:
    name = fields.named("label", "pred_label")
    label = fields.choice(name, _LABELS)
    if label is not None:
        return cast("Verdict3", label)
    if fields.get("prediction") is not None:
        raise LineError("unknown field `prediction`; the schema calls it `label`")
    raise LineError(f"missing `{name}`")


def _confidence(fields: Fields) -> float:
    name = fields.named("confidence", "pred_confidence")
    confidence = fields.number(name)
    if confidence is None:
        return _UNDECIDED
    if not 0 <= confidence <= 1:
        raise LineError(f"`{name}` is {confidence:g}, not between 0 and 1")
    return confidence


def _type(fields: Fields, label: Verdict3) -> str | None:
    name = fields.named("predicted_hallucination_type", "pred_type")
    predicted = fields.choice(name, _TYPES)
    if predicted is not None and label == "VALID":
        raise LineError(f"`{name}` is {predicted}, but the label is VALID")
    return predicted


def prediction_line(prediction: Prediction) -> str:
    """One line in the published schema, without a line end, and ``predicted_kind`` if the tool states it.

    Each line contains all names of the schema in a fixed order, and escapes non-ASCII characters, so that equal predictions
    give equal bytes and no program takes a character for a line end. Raises ValueError for NaN and infinity.
    """
    row = {
        "bibtex_key": prediction.key,
        "label": prediction.label,
        "confidence": prediction.confidence,
        "reason": prediction.reason,
        "subtest_results": dict(sorted(prediction.subtests.items())),
        "api_sources_queried": list(prediction.sources),
        "wall_clock_seconds": prediction.seconds,  # 0.0 if not measured: the published evaluator adds them up
        "api_calls": prediction.calls,
        "source": prediction.source or None,
        "predicted_hallucination_type": None if prediction.label == "VALID" else prediction.type,
        "cascade_stage": prediction.stage,
        **({"predicted_kind": prediction.kind} if prediction.kind else {}),
    }
    return json.dumps(row, allow_nan=False)


def predictions_text(predictions: Iterable[Prediction]) -> str:
    """The text of a prediction file: one prediction per line, in the given order. Raises ValueError."""
    return "".join(f"{prediction_line(prediction)}\n" for prediction in predictions)
