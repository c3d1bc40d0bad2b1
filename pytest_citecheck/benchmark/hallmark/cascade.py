"""Cascades: a tool decides what it can, a model gets the rest.

Source: HALLMARK, arXiv:2607.18360, section on cascades. The stages of the published cascade on dev_public (805 of the first
stage, 48 of prescreening, 266 of the second) follow from the predictions of bibtex-updater by the rules here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_citecheck.readers.hallmark.schema import Prediction

__all__ = ["cascade"]

_SURE = 0.85
"""From this confidence on, VALID is left to the first stage, whose decisions all get it, as in HALLMARK."""
_VALID_FROM = 0.7
"""In the aggressive mode, a VALID of the second stage counts from this confidence on."""
_FORCED = 0.55
_OPEN = frozenset({"", "unconfirmed", "not_found", "partial_match", "api_error", "skipped"})
"""What bibtex-updater says of an entry that it has not decided, whatever label it gives. Some rows state nothing."""
_WARNED = "strict_warn_"
_PRESCREENING = "prescreening"
Predictions = Iterable[Prediction]


def cascade(
    keys: Iterable[str], tool: Predictions, model: Predictions, *, aggressive: bool = False
) -> list[Prediction]:
    """One prediction per key, in the order of the keys, each with the stage that decided.

    The first stage keeps what prescreening found, VALID from .85 on, and HALLUCINATED with a type (any HALLUCINATED if the tool
    states no types). Files of bibtex-updater name a status; there, it tells what is open. The rest is the model's: what it does
    not decide is UNCERTAIN. aggressive: what the second stage calls neither HALLUCINATED nor VALID from .7 on becomes
    HALLUCINATED at .55, and keeps its stage.
    """
    first, second = ({prediction.key: prediction for prediction in run} for run in (tool, model))
    states_status = any(said.status for said in first.values())
    states_type = any(said.type for said in first.values())

    def decision(key: str) -> Prediction:
        said = first.get(key)
        if said is not None and _is_prescreened(said):
            return _staged(said, "prescreening")
        if said is not None and _keeps(said, states_status=states_status, states_type=states_type):
            return _staged(replace(said, confidence=_SURE), "stage1_db")
        return _second(key, said, second.get(key), aggressive=aggressive)

    return [decision(key) for key in keys]


def _is_prescreened(said: Prediction) -> bool:
    return said.stage == _PRESCREENING or said.source.startswith(_PRESCREENING)


def _keeps(said: Prediction, *, states_status: bool, states_type: bool) -> bool:
    if said.label == "UNCERTAIN":
        return False
    if states_status:
        return said.status not in _OPEN and not said.status.startswith(_WARNED)
    if said.label == "VALID":
        return said.confidence >= _SURE
    return said.type is not None or not states_type


def _second(key: str, first: Prediction | None, second: Prediction | None, *, aggressive: bool) -> Prediction:
    """The model's decision, with what both stages cost, and the type of whoever states one."""
    asked = [said for said in (first, second) if said is not None]
    decided = second or Prediction(key, "UNCERTAIN", reason="the second stage has no prediction")
    decided = replace(
        decided,
        sources=_all_sources(asked),
        seconds=sum(said.seconds for said in asked),
        calls=sum(said.calls for said in asked),
    )
    sure = decided.label == "HALLUCINATED" or (decided.label == "VALID" and decided.confidence >= _VALID_FROM)
    if aggressive and not sure:
        decided = replace(decided, label="HALLUCINATED", confidence=_FORCED)
    if decided.label == "HALLUCINATED" and decided.type is None and first is not None:
        decided = replace(decided, type=first.type)
    return _staged(decided, "stage2_diagnosis")


def _all_sources(asked: Sequence[Prediction]) -> tuple[str, ...]:
    return tuple(sorted({name for said in asked for name in said.sources}))


def _staged(said: Prediction, stage: str) -> Prediction:
    return replace(said, stage=stage, source="cascade")
