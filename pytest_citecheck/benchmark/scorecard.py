"""The scores of the checks on labelled references, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark.metric_table import METRICS
from pytest_citecheck.benchmark.metrics import wilson
from pytest_citecheck.benchmark.predictions import PREDICTED
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import (
    FIELDS,
    MODEL_RATES,
    TEXTS,
    Rate,
    arena_models,
    bounds_of,
    cost_text,
    counted,
    defined,
    field_rates,
    group_tables,
    model_rates,
    readings_of,
    scope_text,
    share,
    unranked_text,
)
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.plugin import Scores
    from pytest_citecheck.reports import ReferenceResult, RunResult

_T = TEXTS["en"]
_PROBLEMS = {
    "failed_calls": "failed calls",
    "refusals": "answers without references",
    "duplicates": "repeated",
    "not_asked": "not asked",
}
_PROFILES = {"strict": "strict rule", "lenient": "lenient profile"}
_SHOWN = 20  # wrong verdicts in each list
_READINGS = {
    "excluded": "UNCERTAIN excluded",
    "as_valid": "counted as VALID",
    "as_hallucinated": "counted as HALLUCINATED",
}
_HEADLINE = {row.name: row.column for row in METRICS if row.group == "headline" and row.column}
_GROUPS = {
    "per_kind": "detection rate of fabricated works and of real works described wrongly; named as such:",
    "per_type": "detection rate by hallucination type:",
    "subtests": "agreement of sub-tests with their labels: as published (null labels never agree), without null labels:",
}
_GROUP_WIDTH = 44  # of a rate with its counts in words
_CELL_WIDTH = 18  # of a rate with its counts in digits
_RATE_HEADS = {
    "verification_rate": "verified",
    "hallucination_rate": "hallucinated",
    "years_kept": "years kept",
    "delivered": "delivered",
    "checked": "coverage",
}
_OTHER = {
    row.name: row.column or row.label.removesuffix(" score")
    for row in METRICS
    if row.group == "probability" and row.label and row.name != "ece"
}


def write_scores(reporter: SafeReporter, scores: Scores, result: RunResult, *, selftest: bool = False) -> None:
    """Write the headline scores in the three readings of UNCERTAIN, the rates per type, wrong verdicts, and the
    thresholds.

    selftest: the scores belong to a self-test, which prints one table of the detected corruptions.
    """
    if scores.problem:
        reporter.line(f"citecheck: no scores: {scores.problem}", yellow=True)
    if reporter.config.get_verbosity() >= -1:  # also with -q: the scores are the result of a benchmark
        for document in scores.splits:
            if selftest:
                _write_selftest(reporter, document)
            else:
                _write_split(reporter, document)
        if scores.splits:
            _write_wrong(reporter, result)
        if scores.arena is not None:
            _write_models(reporter, scores.arena)
    for text, passed in scores.gates:
        reporter.line(f"{'passed' if passed else 'FAILED':<8}{text}", **({"green": True} if passed else {"red": True}))


def _write_selftest(reporter: SafeReporter, scores: Mapping[str, Any]) -> None:

    reporter.section(f"self-test on {scores['split_name']}: detected references")
    head, *lines = caught(scores)
    reporter.line(head, bold=True)
    for line in lines:
        reporter.line(line)


def _write_split(reporter: SafeReporter, scores: Mapping[str, Any]) -> None:
    counts, total = scores["counts"], scores["num_entries"]
    reporter.section(f"scores on {scores['split_name']}")
    reporter.line(
        f"{total} reference{'' if total == 1 else 's'} ({scores['num_hallucinated']} hallucinated, {scores['num_valid']} valid): "
        f"TP {counts['tp']}, FP {counts['fp']}, TN {counts['tn']}, FN {counts['fn']}, undecided {counts['uncertain']}; "
        f"decided: {scores['committed_coverage']:.1%}"
    )
    reporter.line(f"{'undecided':<24}{''.join(f'{name:>11}' for name in _HEADLINE.values())}", bold=True)
    for reading, values in readings_of(scores):
        cells = "".join(f"{_number(values[name]):>11}" for name in _HEADLINE)
        reporter.line(f"{_READINGS[reading]:<24}{cells}")
    known = defined(scores)
    reporter.line(", ".join(f"{label} {_number(known[name])}" for name, label in _OTHER.items()))
    for table in group_tables([("", scores)]):
        if table.title in _GROUPS:
            reporter.line(_GROUPS[table.title], bold=True)
            width = max(len(safe_line(name)) for name in table.rows) + 2
            for name, rates in table.rows.items():
                cells = "".join(_counted(rate).ljust(_GROUP_WIDTH) for rate in rates)
                reporter.line(f"  {safe_line(name):<{width}}{cells}".rstrip())


def _write_wrong(reporter: SafeReporter, result: RunResult) -> None:
    """List the first references whose verdict contradicts the label: label conflicts, false positives, missed hallucinations."""
    judged = [
        (reference, reference.verdict.get("label") or PREDICTED[reference.verdict["name"]])
        for reference in result.references
        if reference.verdict
    ]
    for label, proven, heading in (
        ("VALID", True, "label conflicts: references labelled valid that the records contradict:"),
        ("VALID", False, "valid references that failed on single evidence (false positives):"),
        ("HALLUCINATED", False, "hallucinations that passed as verified:"),
    ):
        wrong = [
            reference
            for reference, predicted in judged
            if reference.gold
            and reference.gold["label"] == label
            and predicted not in (label, "UNCERTAIN")
            and _contradicted(reference) == proven
        ]
        if wrong:
            reporter.line(heading, bold=True)
        for reference in wrong[:_SHOWN]:
            failed = (
                code
                for data in reference.findings.values()
                if data["outcome"] == "failed"
                for code in (data["code"], *data["also"])
            )
            what = ", ".join(failed) or (reference.gold and reference.gold["hallucination_type"]) or ""
            reporter.line(f"  {reference.path}:{reference.line} {safe_line(reference.key)}: {safe_line(what)}")
        if len(wrong) > _SHOWN:
            reporter.line(f"  and {len(wrong) - _SHOWN} more")


def _contradicted(reference: ReferenceResult) -> bool:
    """Return True if a check that decides fails on proof, not on single evidence: then the label is probably wrong."""
    return any(
        data["outcome"] == "failed" and data.get("evidence") not in ("single record", "compiled record")
        for check, data in reference.findings.items()
        if check != "completeness"
    )


def _write_models(reporter: SafeReporter, arena: Mapping[str, Any]) -> None:
    """The scores of each model, best first: rates over checked references, then accuracy of each field where decided."""
    reporter.section("models")
    models = arena_models({"arena": arena})
    width = max(20, *(len(safe_line(name)) + 2 for name in models))
    heads = [_RATE_HEADS[name] for name in MODEL_RATES]
    _write_heads(reporter, f"{'model':<{width}}{'references':>12}{'not checked':>13}", heads)
    for name, scores in models.items():
        rates = model_rates(scores)
        cells = "".join(_cell(rates[rate]) for rate in MODEL_RATES)
        reporter.line(f"{safe_line(name):<{width}}{scores['total_refs']:>12}{scores['errors']:>13}{cells}")
        problems = [f"{what}: {scores[field]}" for field, what in _PROBLEMS.items() if scores[field]]
        if problems:
            reporter.line("  " + ", ".join(problems))
    _write_heads(reporter, f"{'accuracy by field':<{width}}", [_T[f"{field}_accuracy"] for field in FIELDS])
    for name, scores in models.items():
        reporter.line(f"{safe_line(name):<{width}}{''.join(map(_cell, field_rates(scores).values()))}")
    if scope := scope_text(arena, _T):
        reporter.line(safe_line(scope))
    if left := unranked_text(arena, _T):
        reporter.line(safe_line(left), yellow=True)
    for line in _other_rankings(arena):
        reporter.line(line)


def _other_rankings(arena: Mapping[str, Any]) -> Iterator[str]:
    """The Arena's own rankings, the cost of a verified reference, and significant differences between models."""
    for profile in ("strict", "lenient"):
        ranked = arena_models({"arena": arena.get(profile)})
        if ranked:
            said = ", ".join(f"{safe_line(name)} {_verified(one)}" for name, one in ranked.items())
            yield f"verified by the Arena's {_PROFILES[profile]}: {said}"
    costs = [(one["model"], cost_text(one)) for one in arena["rankings"]]
    said = ", ".join(f"{safe_line(name)} {cost}" for name, cost in costs if cost != "–")
    if said:
        yield f"cost per verified reference: {said}"
    for pair in arena.get("comparisons") or ():
        if pair["winner"] is not None:
            is_first = pair["winner"] == pair["first"]
            better, worse = safe_line(pair["winner"]), safe_line(pair["second" if is_first else "first"])
            least = min(map(abs, pair["bounds"]))
            gap = share(least) if pair["difference"] is not None else f"at least {share(least)}"
            yield f"{better} is better than {worse} by {gap} of the requested references (p = {pair['p_adjusted']:.4f})"


def _verified(scores: Mapping[str, Any]) -> str:
    rate, bounds = share(scores.get("verification_rate")), bounds_of(scores, "verification_rate")
    return rate if bounds is None else f"{rate} (from {share(bounds[0])} to {share(bounds[1])})"


def _write_heads(reporter: SafeReporter, first: str, names: Sequence[str]) -> None:
    reporter.line(first + "".join(f"{name.lower():>{_CELL_WIDTH}}" for name in names), bold=True)


def _cell(rate: Rate) -> str:
    """``66.7% 4/6``, or a dash."""
    if rate.unasked:
        return _T["registry_unasked"].rjust(_CELL_WIDTH)
    counts = f" {rate.part}/{rate.decided}" if rate.decided else ""
    return f"{_percent(rate)}{counts}".rjust(_CELL_WIDTH)


def _counted(rate: Rate) -> str:
    """``66.7% (4 of 6 decided, 9 in all)``, or a dash."""
    counts = counted(rate, _T)
    return f"{_percent(rate)} ({counts})" if counts else _percent(rate)


def _percent(rate: Rate) -> str:
    return "-" if rate.value is None else f"{rate.value:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


# Result of a self-test: detected corruptions by type of hallucination.


_HEAD = ("made of your references", "caught", "95 % interval", "undecided")


def caught(scores: Mapping[str, Any]) -> Iterator[str]:
    """Lines of the table. Undecided references are not caught; failed originals are counted.

    scores: of one file. Intervals: Wilson (1927), over all references of a type.
    """
    rows = [
        _row(safe_line(name), values["tp"], values["num_hallucinated"], values["decided"])
        for name, values in scores["per_type_metrics"].items()
        if values["num_hallucinated"]
    ]
    counts = scores["counts"]
    if rows:
        decided = counts["tp"] + counts["fn"]
        rows.append(_row("all of these", counts["tp"], scores["num_hallucinated"], decided))
    rows.append(_row("originals accused", counts["fp"], scores["num_valid"], counts["fp"] + counts["tn"]))
    width = max(len(row[0]) for row in (_HEAD, *rows)) + 2
    for first, *cells in (_HEAD, *rows):
        yield (f"{first:<{width}}" + "".join(f"{cell:>22}" for cell in cells)).rstrip()


def _row(name: str, part: int, whole: int, decided: int) -> tuple[str, str, str, str]:
    if not whole:
        return name, "none made", "-", "-"
    low, high = wilson(part, whole)
    return name, f"{part} of {whole}  {part / whole:6.1%}", f"{low:.1%} to {high:.1%}", str(whole - decided)
