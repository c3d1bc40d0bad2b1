"""``citecheck score selfcheck``: scores of a language model's self-checks, with real and hallucinated references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark import cohen, fleiss, write_json
from pytest_citecheck.cli import Column, NotDoneError, UsageError, number, refuse_overwrite, table_of
from pytest_citecheck.models.chat import PRICES, Prices
from pytest_citecheck.models.selfcheck import (
    FRACTIONS,
    CallLog,
    LabelledScores,
    Options,
    Replayed,
    column,
    compared,
    is_call_log,
    majority,
    raters_table,
    read_labelled,
    read_table,
    replay,
    scores_of_calls,
    taken,
    truth,
    verdicts_of,
)
from pytest_citecheck.screen import show

if TYPE_CHECKING:
    import argparse

_UNDRAWN = ("iq+dq1", "iq+dq2", "iq+dq3")  # more curves than a reader can distinguish
_PUBLISHED = "_results.csv"
_CLOSING = "self-check of a language model, not proof: a threshold holds for the model and the rows it was chosen on"


def score_selfcheck(chosen: argparse.Namespace) -> int:
    """Print the comparison and return the exit code. Raises UsageError, NotDoneError."""
    if chosen.bootstrap < 0 or not 0 <= chosen.target_fdr <= 1:
        raise UsageError("--bootstrap must be 0 or a number of replicates, and --target-fdr from 0 to 1")
    chosen.files = [file for path in chosen.files for file in _resolved(path)]
    refuse_overwrite([chosen.json], [*chosen.files, *filter(None, [chosen.labels, chosen.report])])
    raters = _raters(chosen)
    if raters is not None:
        return _agreement(chosen, raters)
    document: dict[str, Any] = {}
    parts: dict[str, LabelledScores] = {}
    with _not_done():
        for file in chosen.files:
            _compare(chosen, file, parts, document)
    show(f"\n{_CLOSING}")
    if chosen.json:
        write_json(chosen.json, document)
    if chosen.charts:
        _draw(chosen.charts, parts, document)
    return 0


@contextmanager
def _not_done() -> Iterator[None]:
    """Raise NotDoneError for a file that cannot be used."""
    try:
        yield
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    except OSError as error:
        raise NotDoneError(f"{error.filename}: {error.strerror or error}") from error


def _compare(
    chosen: argparse.Namespace, file: Path, parts: dict[str, LabelledScores], document: dict[str, Any]
) -> None:
    """Print the comparison of one file, and add it to parts and document."""
    for name, labelled in _labelled(chosen, file).items():
        parts[name] = labelled
        document[name] = compared(
            labelled,
            target=chosen.target_fdr,
            threshold=chosen.threshold,
            replicates=chosen.bootstrap,
            seed=chosen.seed,
        )
        show("\n\n".join(_tables(name, document[name], chosen.format)))
    if is_call_log(file):
        document["taken"] = taken(CallLog(file).known.values(), Prices.read(chosen.prices or PRICES))
        show(f"\n{table_of(document['taken'], _USAGE, chosen.format)}")
    if chosen.adaptive:
        savings = _savings(replay(file, Options(agree_after=None)), replay(file, Options()))
        show(f"\n{table_of(savings, _SAVINGS, chosen.format)}")


def _resolved(path: Path) -> list[Path]:
    """Return the file, or the files of the published study with this name: its answers, or its raters' labels in a folder."""
    places = [folder / path.name for folder in (path.parent, path.parent / "data")]
    found = [place for place in (path, *(Path(f"{place}{_PUBLISHED}") for place in places)) if place.is_file()]
    return found[:1] or next((files for place in places if (files := sorted(place.glob("*.csv")))), [path])


def _columns(text: str) -> list[str]:
    return [column(name) for name in text.split(",") if name.strip()]


def _raters(chosen: argparse.Namespace) -> dict[str, list[str]] | None:
    """Labels by rater: from columns, or from several files of labels alone; None if scores are compared. Raises UsageError."""
    names = _columns(chosen.raters)
    with _not_done():
        if not names and (len(chosen.files) < 2 or any(map(is_call_log, chosen.files))):
            return None
        rows = read_table(chosen.files[0]) if names else raters_table(chosen.files)
    if not rows:
        return None
    names = names or [name for name in rows[0] if name != "title"]
    missing = [name for name in names if not all(row.get(name) for row in rows)]
    if len(names) < 2 or missing:
        raise UsageError(f"--raters needs at least two columns without gaps: {', '.join(missing) or chosen.raters}")
    return {name: [str(row[name]) for row in rows] for name in names}


def _agreement(chosen: argparse.Namespace, ratings: Mapping[str, list[str]]) -> int:
    """Print Cohen's kappa of each pair of raters, Fleiss' of all, and how many labels the majority gives. Raises NotDoneError.

    With --combine, Fleiss' kappa and the majority are of these raters, and the majority is compared with each other rater.
    """
    joint = _columns(chosen.combine) or list(ratings)
    if unknown := [name for name in joint if name not in ratings]:
        raise UsageError(f"--combine: no rater {', '.join(unknown)}; there are {', '.join(ratings)}")
    found = {f"{one} - {other}": cohen(ratings[one], ratings[other]) for one, other in combinations(ratings, 2)}
    rows = list(zip(*(ratings[name] for name in joint), strict=True))
    combined = list(map(majority, rows))
    for name in [name for name in ratings if name not in joint]:
        pairs = [(known, truth(said)) for known, said in zip(combined, ratings[name], strict=True) if known is not None]
        found[f"majority - {name}"] = cohen(*zip(*pairs, strict=True))
    if len(joint) > 2:
        found["all (Fleiss)" if len(joint) == len(ratings) else "combined (Fleiss)"] = fleiss(rows)
    records = [{"raters": name, **asdict(one)} for name, one in found.items()]
    show(table_of(records, [("raters", "raters"), ("agreement", "observed", 4), ("kappa", "kappa", 4)], chosen.format))
    counts = {"grounded": combined.count(True), "hallucinated": combined.count(False), "tied": combined.count(None)}
    if set(combined) != {None}:
        show("combined by majority: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if chosen.json:
        write_json(chosen.json, {name: asdict(one) for name, one in found.items()} | {"combined": counts})
    return 0


def _labelled(chosen: argparse.Namespace, file: Path) -> dict[str, LabelledScores]:
    """By model; the name of the file where it contains scores."""
    if is_call_log(file):
        if chosen.labels is None:
            raise UsageError(f"{file} holds calls: --labels must name a file with the columns key and label")
        return scores_of_calls(file, chosen.labels, verdicts_of(chosen.report) if chosen.report else None)
    labelled = read_labelled(
        file,
        wanted=chosen.score,
        group=chosen.group,
        group_size=chosen.group_size,
        weights=_weights(chosen.weights),
        raters=_columns(chosen.combine),
        labels=chosen.labels,
    )
    return {file.name.removesuffix(_PUBLISHED).removesuffix(file.suffix): labelled}


def _weights(text: str) -> dict[str, float]:
    """``iq=0.7,dq1=0.3``. Raises UsageError."""
    found = {}
    for part in filter(None, text.split(",")):
        name, _, weight = part.partition("=")
        try:
            found[name.strip().lower()] = float(weight)
        except ValueError as error:
            raise UsageError(f"--weights: not METHOD=NUMBER: {part}") from error
    if found and (min(found.values()) < 0 or not sum(found.values())):
        raise UsageError("--weights: weights must be 0 or more, and not all 0")
    return found


def _tables(name: str, scores: Mapping[str, Any], style: str) -> list[str]:
    left_out = f", {scores['left_out']} left out" if scores["left_out"] else ""
    share = f"{100 * scores['hallucination_rate']:.1f} %"
    found = [f"{name}: {scores['rows']} references, {scores['hallucinated']} hallucinated ({share}){left_out}"]
    methods: list[dict[str, Any]] = [
        {**row, "method": method, "span": row["logit_interval" if (row["auc"] or 0) > 0.95 else "interval"]}
        for method, row in scores["methods"].items()
    ]
    areas: list[Column] = [
        ("method", "method"),
        ("AUC", "auc"),
        ("SE", "se", 4),
        ("95 %", "span"),
        ("reachable", "reachable"),
    ]
    areas += [(f"FDR@{fraction:g}", f"fdr/{fraction}", 4) for fraction in FRACTIONS]
    found.append(table_of(methods, areas, style))
    for note in dict.fromkeys(row["note"] for row in methods if row["note"]):
        of = ", ".join(row["method"] for row in methods if row["note"] == note)
        found.append(f"{of}: {note}")
    at, target = f"> {scores['threshold']:g}: kept", f"FDR ≤ {scores['target_fdr']:g}: score >"
    found.append(
        table_of(
            methods, [("method", "method"), (at, "kept/rows"), *_KEPT, (target, "for_target/value"), *_CHOSEN], style
        )
    )
    if any(row["bootstrap"] for row in methods):
        found.append(table_of(methods, _BOOTSTRAP, style))
    best = max(methods, key=lambda row: row["auc"] or 0.0)["method"]
    if differences := [
        {**row, "pair": f"{row['a']} - {row['b']}"} for row in scores["paired"] if best in (row["a"], row["b"])
    ]:
        found.append(table_of(differences, _DIFFERENCES, style))
    return found


_KEPT: tuple[Column, ...] = (
    *(("FDR", "kept/fdr", 4), ("95 %", "kept/interval")),
    *(("flagged: precision", "flagged/precision", 4), ("recall", "flagged/recall", 4)),
)
_CHOSEN: tuple[Column, ...] = (
    *(("kept", "for_target/kept/rows"), ("FDR", "for_target/kept/fdr", 4), ("95 %", "for_target/kept/interval")),
    ("Youden: score >", "youden/threshold"),
)
_BOOTSTRAP: tuple[Column, ...] = (
    *(("bootstrap", "method"), ("SD", "bootstrap/sd", 4), ("95 %", "bootstrap/percentile")),
    *(("SD by group", "bootstrap_by_group/sd", 4), ("95 % by group", "bootstrap_by_group/percentile")),
)
_DIFFERENCES: tuple[Column, ...] = (
    *(("difference of AUC (DeLong)", "pair"), ("value", "value", 4), ("z", "z"), ("p", "p", 4)),
)
_USAGE: tuple[Column, ...] = (
    *(("model", "provider"), ("method", "method"), ("references", "references"), ("calls", "calls")),
    *(("tokens in", "prompt_tokens"), ("tokens out", "completion_tokens"), ("USD", "cost", 4)),
)
_SAVINGS: tuple[Column, ...] = (
    *(("stopping when answers agree", "name"), ("calls", "calls"), ("of", "of_calls")),
    *(("AUC", "area", 4), ("of", "of_area", 4)),
)


def _savings(full: Replayed, early: Replayed) -> list[dict[str, Any]]:
    """Calls and area of each method with early stopping, and without; the last one with the calls of all methods."""
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "calls": early.calls.get(name),
            "of_calls": full.calls.get(name),
            "area": area,
            "of_area": full.areas[name],
        }
        for name, area in early.areas.items()
    ]
    rows[-1] |= {"calls": early.all_calls, "of_calls": full.all_calls}
    return rows


def _draw(folder: Path, parts: Mapping[str, LabelledScores], document: Mapping[str, Any]) -> None:
    """ROC curves, and FDR against the fraction kept. Raises UsageError without matplotlib, NotDoneError."""
    from pytest_citecheck.reports import canvas, curves_figure, save  # noqa: PLC0415 - slow

    try:
        with canvas():
            for name in parts:
                methods = {
                    method: row
                    for method, row in document[name]["methods"].items()
                    if row["roc"] and method not in _UNDRAWN
                }
                if not methods:
                    continue
                panels = [
                    (
                        "ROC of the self-check",
                        "hallucinated references kept",
                        "grounded references kept",
                        {method: (row["roc"], f"AUC {number(row['auc'], 3)}") for method, row in methods.items()},
                    ),
                    (
                        "False discoveries",
                        "fraction of references kept",
                        "hallucinated among kept references",
                        {method: (row["fdr_curve"], "") for method, row in methods.items()},
                    ),
                ]
                save(curves_figure(panels), folder / f"selfcheck-{name}.svg")
    except ModuleNotFoundError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise NotDoneError(f"{folder}: {error.strerror or error}") from error
