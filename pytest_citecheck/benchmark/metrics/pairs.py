"""Labelled entries paired with predictions: where duplicates, missing predictions and foreign keys are dealt with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_citecheck.readers.hallmark.keyed_lines import is_canary
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = [
    "AnsweredEntry",
    "DuplicatePolicy",
    "NoOverlapError",
    "Pairs",
    "aggressive",
    "pair",
    "uncertain_as",
]

DuplicatePolicy = Literal["first", "last"]
AnsweredEntry = tuple[LabelledEntry, Prediction]

_AGGRESSIVE_CONFIDENCE = 0.55


class NoOverlapError(ValueError):
    """No prediction is about an entry of the split: most likely they belong to another split."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The entries of a split in file order, each with its prediction or None.

    predictions: all that the tool said, one a key, with those about keys outside the split.
    repeated: how many predictions were left out because their key has another one.
    """

    entries: tuple[LabelledEntry, ...]
    answers: tuple[Prediction | None, ...]
    predictions: tuple[Prediction, ...]
    repeated: int = 0

    def __iter__(self) -> Iterator[tuple[LabelledEntry, Prediction | None]]:
        return zip(self.entries, self.answers, strict=True)

    def __len__(self) -> int:
        return len(self.entries)

    def answered(self) -> Iterator[AnsweredEntry]:
        """Those with a prediction, UNCERTAIN ones too."""
        return ((entry, answer) for entry, answer in self if answer is not None)

    def committed(self) -> Iterator[AnsweredEntry]:
        """Those that the tool called VALID or HALLUCINATED."""
        return ((entry, answer) for entry, answer in self.answered() if answer.label != "UNCERTAIN")

    def where(self, chosen: Callable[[LabelledEntry, Prediction | None], bool]) -> Pairs:
        """The part of them that is chosen; the list of predictions stays whole."""
        kept = [(entry, answer) for entry, answer in self if chosen(entry, answer)]
        return replace(self, entries=tuple(entry for entry, _ in kept), answers=tuple(answer for _, answer in kept))


def pair(
    entries: Iterable[LabelledEntry], predictions: Sequence[Prediction], duplicates: DuplicatePolicy = "last"
) -> Pairs:
    """Pair each entry with its prediction. Of several predictions with one key the first or the last counts.

    Canaries, which mark a data set against its use as training data, are left out.

    Raises ValueError for an entry without label, and NoOverlapError if there are predictions but none for these entries.
    """
    scored = tuple(entry for entry in entries if not is_canary(entry.key))
    for entry in scored:
        if entry.label is None:
            raise ValueError(f"entry {entry.key!r} (line {entry.line}) has no label: a blind split cannot be scored")
    given: dict[str, Prediction] = {}
    for prediction in predictions:
        if duplicates == "last" or prediction.key not in given:
            given[prediction.key] = prediction
    answers = tuple(given.get(entry.key) for entry in scored)
    if predictions and scored and not any(answers):
        raise NoOverlapError(
            f"none of the {len(given)} predicted keys is in the split of {len(scored)} entries: is it another split?"
        )
    return Pairs(scored, answers, tuple(given.values()), len(predictions) - len(given))


def aggressive(pairs: Pairs) -> Pairs:
    """UNCERTAIN and missing become HALLUCINATED at .55; predictions about keys outside the split are left out."""
    forced = tuple(
        Prediction(key=entry.key, label="HALLUCINATED", confidence=_AGGRESSIVE_CONFIDENCE)
        if answer is None
        else replace(answer, label="HALLUCINATED", confidence=_AGGRESSIVE_CONFIDENCE)
        if answer.label == "UNCERTAIN"
        else answer
        for entry, answer in pairs
    )
    return Pairs(pairs.entries, forced, forced, pairs.repeated)


def uncertain_as(pairs: Pairs, label: Literal["VALID", "HALLUCINATED"]) -> Pairs:
    """Each UNCERTAIN read as ``label``; missing predictions stay missing, which counts as VALID."""
    answers = tuple(
        replace(answer, label=label) if answer is not None and answer.label == "UNCERTAIN" else answer
        for answer in pairs.answers
    )
    return replace(pairs, answers=answers)
