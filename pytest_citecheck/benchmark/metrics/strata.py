"""The confusion matrix of parts of a split: by tier, type, generation method, sources asked, and stage of a cascade."""

from __future__ import annotations

from collections.abc import Callable

from pytest_citecheck.benchmark.metrics.confusion import Confusion, confusion, ratio, share_of, tier_of, wilson
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.metrics.type_confusion import type_row
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = ["Block", "per_generation_method", "per_source_combination", "per_stage", "per_tier", "per_type"]

Block = dict[str, float | int | list[float] | None]
"""The field names of HALLMARK's result files. Rates over nothing are None (`published_scores.as_published`: 0)."""

Rows = list[tuple[LabelledEntry, Prediction | None]]
NameOf = Callable[[LabelledEntry, Prediction | None], str]

_STAGES = ("stage1_db", "stage2_diagnosis", "prescreening", "none")
_COLUMNS = (("HALL", "HALLUCINATED"), ("VALID", "VALID"), ("UNCERTAIN", "UNCERTAIN"))


def per_tier(pairs: Pairs) -> dict[str, Block]:
    """By tier, its hallucinated entries together with all valid ones."""
    tiers = sorted({tier_of(entry) for entry in pairs.entries if entry.label == "HALLUCINATED"})
    return {str(tier): _tier_block(pairs, tier) for tier in tiers}


def _tier_block(pairs: Pairs, tier: int) -> Block:
    part = pairs.where(lambda entry, _: entry.label == "VALID" or tier_of(entry) == tier)
    counts = confusion(part)
    return {**_block(list(part)), "precision": counts.precision if counts.decided else None}


def per_type(pairs: Pairs) -> dict[str, Block]:
    """By type, its entries alone; ``valid`` is a type too. With Wilson's interval of the DR, for ``valid`` of the FPR."""
    groups = _groups(pairs, lambda entry, _: type_row(entry))
    return {name: {**_block(rows), **_interval(name, rows)} for name, rows in groups.items()}


def _interval(name: str, rows: Rows) -> Block:
    counts = confusion(rows)
    if name == "valid":
        return {"false_positive_rate_ci": _wilson(counts.fp, counts.fp + counts.tn)}
    return {"detection_rate_ci": _wilson(counts.tp, counts.tp + counts.fn)}


def _wilson(successes: int, count: int) -> list[float] | None:
    return list(wilson(successes, count)) if count else None


def per_generation_method(pairs: Pairs) -> dict[str, Block]:
    """By the way in which the entries were made."""
    return _by(pairs, lambda entry, _: entry.generation_method or "unknown")


def per_source_combination(pairs: Pairs) -> dict[str, Block]:
    """By the services that were asked about an entry, sorted and joined by commas; ``none`` without any."""
    return _by(pairs, lambda _, answer: ",".join(sorted(set(answer.sources) if answer else ())) or "none")


def _by(pairs: Pairs, name_of: NameOf) -> dict[str, Block]:
    return {name: _block(rows) for name, rows in _groups(pairs, name_of).items()}


def _groups(pairs: Pairs, name_of: NameOf) -> dict[str, Rows]:
    groups: dict[str, Rows] = {}
    for entry, answer in pairs:
        groups.setdefault(name_of(entry, answer), []).append((entry, answer))
    return dict(sorted(groups.items()))


def _block(rows: Rows) -> Block:
    counts = confusion(rows)
    return {
        "detection_rate": share_of(counts.tp, counts.tp + counts.fn),
        "false_positive_rate": share_of(counts.fp, counts.fp + counts.tn),
        "f1": counts.f1 if counts.tp + counts.fn else None,
        "count": len(rows),
        **_counts(counts, sum(entry.label == "HALLUCINATED" for entry, _ in rows), len(rows)),
    }


def _counts(counts: Confusion, hallucinated: int, count: int) -> Block:
    """What the rates were computed from."""
    return {
        "num_hallucinated": hallucinated,
        "num_valid": count - hallucinated,
        "decided": counts.decided,
        "tp": counts.tp,
        "fp": counts.fp,
        "tn": counts.tn,
        "fn": counts.fn,
    }


def per_stage(pairs: Pairs) -> dict[str, Block]:
    """By the stage of a cascade that decided (``none``: not said): predictions about the split, and their labels."""
    answers = [answer for _, answer in pairs.answered()]
    members = {stage: [a for a in answers if (a.stage or "none") == stage] for stage in _STAGES}
    return {
        stage: {
            "count": len(rows),
            "fraction": ratio(len(rows), len(answers)),
            **{column: sum(answer.label == label for answer in rows) for column, label in _COLUMNS},
        }
        for stage, rows in members.items()
    }
