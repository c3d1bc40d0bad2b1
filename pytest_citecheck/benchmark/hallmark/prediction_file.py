"""Reading and writing predictions, one per line.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0. The files of bibtex-updater, which use other names, can be read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO, cast, get_args

from pytest_citecheck.benchmark.hallmark.file_kind import is_entry
from pytest_citecheck.readers.hallmark.json_lines import Bytes, JsonLine, Problem, parted
from pytest_citecheck.readers.hallmark.keyed_lines import keyed_lines
from pytest_citecheck.readers.hallmark.schema import TIERS, Prediction, Verdict3
from pytest_citecheck.readers.hallmark.values import Fields, LineError, Warn

__all__ = [
    "PredictionFile",
    "iterate_predictions",
    "load_predictions",
    "prediction_line",
    "read_predictions",
    "write_predictions",
]

_LABELS: Final[tuple[str, ...]] = get_args(Verdict3)
_STAGES = ("stage1_db", "stage2_diagnosis", "prescreening")
_TYPES = tuple(TIERS)
_UNDECIDED = 0.5


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
    """Read a whole file; ``path`` only appears in problems. Never raises because of the content."""
    return PredictionFile(path, *parted(iterate_predictions(path, data)))


def iterate_predictions(path: str, data: Bytes) -> Iterator[Prediction | Problem]:
    """Read predictions and problems one by one, in the order of the file; only the keys stay in memory.

    A line with an error is skipped: not a JSON object, an entry of a split, a missing key or label, a value of the wrong type, a
    confidence outside 0 to 1, a predicted hallucination type that is unknown or combined with VALID. A repeated key is a
    warning; the scoring decides which prediction counts. Unknown names are ignored, canaries are dropped.
    """
    repeated = "repeated prediction for this entry, first on line {line}"
    return keyed_lines(path, data, _prediction, repeated, keep_repeated=True)


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
    """One line in the published schema, without a line end.

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
    }
    return json.dumps(row, allow_nan=False)


def write_predictions(file: TextIO, predictions: Iterable[Prediction]) -> None:
    """Write predictions, one per line, in the given order. Raises OSError and ValueError."""
    file.writelines(prediction_line(prediction) + "\n" for prediction in predictions)
