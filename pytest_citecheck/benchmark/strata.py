"""The confusion matrix of parts of a split: by tier, type, generation method, sources asked, and stage of a cascade."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_citecheck.benchmark.metrics import Confusion, Pairs, confusion, grouped, ratio, share_of, tier_of, wilson
from pytest_citecheck.inputs import STRESS_TYPES, SUBTESTS, TIERS, LabelledEntry, Prediction, kind_of
from pytest_citecheck.matching import lazy_pattern

Block = dict[str, float | int | list[float] | None]
"""The field names of HALLMARK's result files. Rates over nothing are None (`as_published`: 0)."""


def _score(outcomes: Sequence[tuple[bool | None, bool, bool]]) -> Block:
    """accuracy: the share of ``count`` outcomes that equal the gold value (None if count is 0); ``correct`` of them do."""
    matches = sum(gold == said for gold, said, _ in outcomes)
    cells = Counter((gold is True, said) for gold, said, _ in outcomes)
    return {
        "accuracy": share_of(matches, len(outcomes)),
        "count": len(outcomes),
        "correct": matches,
        **{name: cells[cell] for name, cell in _CELLS.items()},
    }


_CELLS = {"tp": (True, True), "fp": (False, True), "tn": (False, False), "fn": (True, False)}
"""The gold value (True or False) and the answer of the tool."""


def _outcomes(pairs: Pairs, name: str) -> Iterable[tuple[bool | None, bool, bool]]:
    """(gold, said, whether the entry has a DOI) where both sides have the sub-test and the tool decided it."""
    for entry, answer in pairs.answered():
        said = answer.subtests.get(name)
        if name in entry.subtests and said is not None:
            yield entry.subtests[name], said, bool(entry.fields.get("doi"))


def subtest_metrics(pairs: Pairs) -> dict[str, dict[str, Any]]:
    """By the name of the sub-test, as HALLMARK scores it: gold null never matches, and counts as negative.

    ``cleaned``: the same without gold null, and ``doi_resolves`` only where the entry has a DOI.
    """
    found: dict[str, dict[str, Any]] = {}
    for name in SUBTESTS:
        outcomes = list(_outcomes(pairs, name))
        cleaned = [row for row in outcomes if row[0] is not None and (row[2] or name != "doi_resolves")]
        found[name] = {**_score(outcomes), "cleaned": _score(cleaned)}
    return found


_HISTORICAL_FROM = 2015
_DATE = lazy_pattern(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")


Sides = tuple[Block, Block, int]
"""The entries on either side, and how many are on none."""


def segments(pairs: Pairs, year: int) -> dict[str, Confusion]:
    """The confusion matrices of works of 2015 to year-2 (historical), year-1 to year (recent), year+1 to year+5 (future)."""
    bounds = {"historical": (_HISTORICAL_FROM, year - 2), "recent": (year - 1, year), "future": (year + 1, year + 5)}
    dated = [(int(found[1]), pair) for pair in pairs if (found := _DATE.match(pair[0].publication_date))]
    return {
        name: confusion(pair for published, pair in dated if low <= published <= high)
        for name, (low, high) in bounds.items()
    }


def temporal_robustness(pairs: Pairs, year: int) -> float | None:
    """The DR on historical works minus that on future ones. None if either segment has no decided hallucinated entry."""
    parts = segments(pairs, year)
    before, after = parts["historical"].detection_rate, parts["future"].detection_rate
    return None if before is None or after is None else before - after


def compare_around(pairs: Pairs, cutoff: str) -> Sides:
    """Works published on a day or before it against those published later, as HALLMARK divides them. On no side: entries
    without a date, or whose date is too coarse.

    cutoff: ISO 8601, YYYY-MM-DD. Raises ValueError for anything else.
    """
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", cutoff):
        raise ValueError(f"the cut-off date must be YYYY-MM-DD, not {cutoff!r}")
    return compare_parts(pairs, lambda entry: _is_before(entry, cutoff))


def compare_parts(pairs: Pairs, is_first: Callable[[LabelledEntry], bool | None]) -> Sides:
    """Compare the entries of two parts. is_first: True for the first part, False for the second, None for neither."""
    sides = {entry.key: is_first(entry) for entry in pairs.entries}
    first = pairs.where(lambda entry, _: sides[entry.key] is True)
    second = pairs.where(lambda entry, _: sides[entry.key] is False)
    return _side(first), _side(second), len(pairs) - len(first) - len(second)


def _is_before(entry: LabelledEntry, cutoff: str) -> bool | None:
    """None if the entry has no date, or only the year or month in which the cut-off lies."""
    found = _DATE.match(entry.publication_date)
    if not found:
        return None
    same = cutoff[: len(found[0])]
    if found[0] == same and len(same) < len(cutoff):
        return None
    return found[0] <= same


def _side(pairs: Pairs) -> Block:
    """uncertain_rate: the share that is UNCERTAIN or missing. coverage: the share with a prediction.

    The rates are None where nothing was decided that they count.
    """
    counts = confusion(pairs)
    return {
        "count": len(pairs),
        "detection_rate": counts.detection_rate,
        "false_positive_rate": counts.false_positive_rate,
        "uncertain_rate": share_of(counts.uncertain + counts.missing, len(pairs)),
        "coverage": share_of(len(pairs) - counts.missing, len(pairs)),
    }


_OTHER_COLUMNS = ("VALID", "UNCERTAIN", "HALLUCINATED_unknown")


def type_row(entry: LabelledEntry) -> str:
    """``valid``, the type of hallucination, or ``unknown`` for a hallucinated entry that states none."""
    return "valid" if entry.label == "VALID" else entry.hallucination_type or "unknown"


def _column(answer: Prediction | None) -> str:
    if answer is None:
        return "VALID"
    if answer.label != "HALLUCINATED":
        return answer.label
    return answer.type if answer.type is not None and answer.type in TIERS else "HALLUCINATED_unknown"


def type_confusion(pairs: Pairs) -> dict[str, list[Any]]:
    """``counts[row][column]`` entries of the gold type ``rows[row]`` that were predicted as ``columns[column]``.

    Rows: the 14 types and valid, then types that HALLMARK does not know. A missing prediction counts as VALID.
    """
    unknown = sorted({type_row(entry) for entry in pairs.entries} - {*TIERS, "valid"})
    rows, columns = (*TIERS, "valid", *unknown), (*TIERS, *_OTHER_COLUMNS)
    counts = {row: dict.fromkeys(columns, 0) for row in rows}
    for entry, answer in pairs:
        counts[type_row(entry)][_column(answer)] += 1
    return {"rows": [*rows], "columns": [*columns], "counts": [[*counts[row].values()] for row in rows]}


def recognised(pairs: Pairs) -> list[tuple[LabelledEntry, Prediction]]:
    """The hallucinated entries that were called so, with a predicted type."""
    return [
        (entry, answer)
        for entry, answer in pairs.answered()
        if entry.label == answer.label == "HALLUCINATED" and answer.type is not None
    ]


def _share(rows: Iterable[tuple[LabelledEntry, Prediction]]) -> float | None:
    hits = [answer.type == entry.hallucination_type for entry, answer in rows]
    return sum(hits) / len(hits) if hits else None


def type_accuracy(pairs: Pairs) -> dict[str, float | int | None]:
    """Among `recognised` entries the share with the right type; None where there are none.

    Keys: overall, main_types_only, stress_test_only, num_evaluated, num_correct, and tier_1, tier_2 and tier_3.
    """
    rows = recognised(pairs)
    return {
        "overall": _share(rows),
        "main_types_only": _share(row for row in rows if row[0].hallucination_type not in STRESS_TYPES),
        "stress_test_only": _share(row for row in rows if row[0].hallucination_type in STRESS_TYPES),
        "num_evaluated": len(rows),
        "num_correct": sum(answer.type == entry.hallucination_type for entry, answer in rows),
        **{f"tier_{tier}": _share(row for row in rows if tier_of(row[0]) == tier) for tier in (1, 2, 3)},
    }


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
    return {**_block(list(part)), "precision": confusion(part).precision}


def per_type(pairs: Pairs) -> dict[str, Block]:
    """By type, its entries alone; ``valid`` is a type too. With Wilson's interval of the DR, for ``valid`` of the FPR."""
    groups = _groups(pairs, lambda entry, _: type_row(entry))
    return {name: {**_block(rows), **_interval(name, rows)} for name, rows in groups.items()}


def per_kind(pairs: Pairs) -> dict[str, Block]:
    """By kind of hallucination, its entries alone. ``named``: predictions that name this kind, of ``naming`` that name one."""
    part = pairs.where(lambda entry, _: entry.label == "HALLUCINATED")
    groups = _groups(part, lambda entry, _: kind_of(entry.hallucination_type or ""))
    return {name: {**_block(rows), **_interval(name, rows), **_named(name, rows)} for name, rows in groups.items()}


def _named(kind: str, rows: Rows) -> Block:
    named = [answer.kind for _, answer in rows if answer is not None and answer.kind]
    return {"named": named.count(kind), "naming": len(named)}


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
    groups = grouped(pairs, lambda pair: name_of(*pair))
    return dict(sorted(groups.items()))


def _block(rows: Rows) -> Block:
    """Rates, and the counts from which they were computed."""
    counts = confusion(rows)
    hallucinated = sum(entry.label == "HALLUCINATED" for entry, _ in rows)
    return {
        "detection_rate": counts.detection_rate,
        "false_positive_rate": counts.false_positive_rate,
        "f1": counts.f1,
        "count": len(rows),
        "num_hallucinated": hallucinated,
        "num_valid": len(rows) - hallucinated,
        "decided": counts.decided,
        **{name: getattr(counts, name) for name in ("tp", "fp", "tn", "fn")},
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


STRATA: Mapping[str, tuple[str, Callable[[Pairs], dict[str, Any]]]] = {
    "tier": ("per_tier_metrics", per_tier),
    "type": ("per_type_metrics", per_type),
    "kind": ("per_kind_metrics", per_kind),
    "generation-method": ("per_generation_method", per_generation_method),
    "source": ("per_source_combination", per_source_combination),
    "stage": ("cascade_breakdown_stats", per_stage),
    "subtest": ("subtest_metrics", subtest_metrics),
    "type-accuracy": ("type_accuracy", type_accuracy),
}
"""Parts of the scores by their names on the command line: the field of a score, and its computation."""
