"""The parts of the page that need no script: tiles, charts and tables of scores. Every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from pytest_citecheck.model import CHECKS
from pytest_citecheck.reports.html.charts import bars, curve, reliability, stacked_bars
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.reports.scores import (
    ARENA_SCORES,
    LOWER_IS_BETTER,
    SCORES,
    arena_models,
    best,
    group_columns,
    number,
    points_of,
    ranked_tools,
    score_text,
    share,
)
from pytest_citecheck.reports.wording import TEXTS

__all__ = ["notes_list", "outcome_charts", "score_sections", "sources_table", "text", "tiles"]

_T = TEXTS["en"]
_VERDICTS = ("verified", "misdescribed", "fabricated", "unverified")
_OUTCOMES = ("passed", "failed", "unverifiable")


def text(value: object) -> str:
    """A value from outside as text of the page: markup escaped, control and direction characters visible."""
    return escape(safe_line(str(value)))


def _check_name(check: str) -> str:
    return _T["check_title"] if check == "title" else _T.get(check, check)


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """head and rows: markup. The first cell of a row is its heading."""
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(cell if cell[:3] == "<td" else f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def tiles(result: Mapping[str, Any]) -> str:
    """The number of references and of each verdict; a verdict is a button that filters by it."""
    summary = result.get("summary") or {}
    verdicts = summary.get("verdicts") or {}
    total = f'<li><span class="tile"><b>{text(summary.get("references", 0))}</b> references</span></li>'
    buttons = "".join(
        f'<li><button type="button" class="tile verdict-{name}" data-verdict="{name}" aria-pressed="false">'
        f"<b>{text(verdicts.get(name, 0))}</b> {_T[name]}</button></li>"
        for name in _VERDICTS
    )
    return f'<ul class="tiles">{total}{buttons}</ul>'


def outcome_charts(result: Mapping[str, Any]) -> str:
    """Outcomes by check, as a chart and as a table."""
    checks = (result.get("summary") or {}).get("checks") or {}
    rows = [
        (check, {name: int(number(checks[check].get(name)) or 0) for name in _OUTCOMES})
        for check in ("syntax", *CHECKS)
        if check in checks
    ]
    if not rows:
        return ""
    chart = stacked_bars(_T["accuracy_by_check"], [(_check_name(check), counts) for check, counts in rows])
    head = [_T["check"], *(_T[name] for name in _OUTCOMES), _T["share_passed"]]
    lines = []
    for check, counts in rows:
        decided = counts["passed"] + counts["failed"]
        passed = share(counts["passed"] / decided if decided else None)
        lines.append([_check_name(check), *(str(counts[name]) for name in _OUTCOMES), passed])
    return f'<div class="charts">{chart}{_table(_T["accuracy_note"], head, lines)}</div>'


def score_sections(result: Mapping[str, Any]) -> str:
    """Charts and tables of what was scored against labels, for the run and for other tools; empty without any."""
    tools = ranked_tools(result)
    models = arena_models(result)
    metrics = result.get("metrics") or {}
    parts = [_score_tiles(metrics), _curves(metrics)]
    if tools:
        parts += [_scores_table(_T["ranking"], _T["tool"], SCORES, {_tool_name(tool): tool for tool in tools})]
        names = [_tool_name(tool) for tool in tools]
        groups = ""
        for key, field, score in (
            ("per_tier", "per_tier_metrics", "detection_rate"),
            ("per_type", "per_type_metrics", "detection_rate"),
            ("per_method", "per_generation_method", "detection_rate"),
            ("subtests", "subtest_metrics", "accuracy"),
        ):
            groups += _group_table(_T[key], names, group_columns(tools, field, score))
        parts.append(f'<div class="charts">{groups}</div>')
        parts.append(_confusion(metrics))
    if models:
        parts.append(_scores_table(_T["arena_ranking"], _T["model"], ARENA_SCORES, models))
        disciplines = group_columns(list(models.values()), "by_discipline", "verification_rate")
        parts.append(_group_table(_T["per_discipline"], list(models), disciplines))
    content = "".join(parts)
    return (
        f'<section aria-labelledby="scores-head"><h2 id="scores-head">Scores</h2>{content}</section>' if content else ""
    )


def _score_tiles(metrics: Mapping[str, Any]) -> str:
    shown = (
        "detection_rate",
        "false_positive_rate",
        "precision",
        "f1_hallucination",
        "tier_weighted_f1",
        "ece",
        "committed_coverage",
    )
    items = "".join(
        f'<li><span class="tile"><b>{_written(metrics, name)}</b> {_T[name]}</span></li>'
        for name in shown
        if number(metrics.get(name)) is not None
    )
    return f'<ul class="tiles">{items}</ul>' if items else ""


def _written(scores: Mapping[str, Any], name: str) -> str:
    """A score with its interval on a line of its own."""
    value, bracket, interval = score_text(scores, name).partition(" [")
    return f"{value}<small>[{interval}</small>" if bracket else value


def _tool_name(scores: Mapping[str, Any]) -> str:
    return str(scores.get("tool_name") or "this run")


def _curves(metrics: Mapping[str, Any]) -> str:
    parts = []
    bins = [part for part in metrics.get("reliability") or () if isinstance(part, Mapping) and part.get("count")]
    if bins:
        parts.append(reliability("Reliability", ("confidence", "accuracy"), bins))
    risk = points_of(metrics.get("risk_coverage"), ("coverage", "risk"))
    if risk:
        parts.append(curve("Risk and coverage", ("coverage", "risk"), risk))
    for key, name, axes, diagonal in (
        ("roc", "ROC", ("false positive rate", "true positive rate"), True),
        ("pr", "Precision and recall", ("recall", "precision"), False),
    ):
        points = points_of(metrics.get(key))
        if points:
            parts.append(curve(name, axes, points, diagonal=diagonal))
    types = group_columns([metrics], "per_type_metrics", "detection_rate")
    rows = [(safe_line(name).replace("_", " "), values[0]) for name, values in types.items()]
    known = [(name, value) for name, value in rows if value is not None]
    if known:
        parts.append(bars(_T["per_type"], known))
    return f'<div class="charts">{"".join(parts)}</div>' if parts else ""


def _scores_table(caption: str, first: str, names: Sequence[str], tools: Mapping[str, Mapping[str, Any]]) -> str:
    """One row a tool; the best value of a column is marked. Columns that nobody fills are left out."""
    shown = [name for name in names if any(number(scores.get(name)) is not None for scores in tools.values())]
    tops = {
        name: best([number(scores.get(name)) for scores in tools.values()], lower=name in LOWER_IS_BETTER)
        for name in shown
    }
    rows = []
    for tool, scores in tools.items():
        cells = [text(tool)]
        for name in shown:
            written = _written(scores, name)
            is_best = tops[name] is not None and number(scores.get(name)) == tops[name]
            cells.append(f"<strong>{written}</strong>" if is_best else written)
        rows.append(cells)
    return _table(caption, [first, *(_T[name] for name in shown)], rows)


def _group_table(caption: str, tools: Sequence[str], groups: Mapping[str, Sequence[float | None]]) -> str:
    """One row a group, one column a tool, as a heat map in steps of a tenth."""
    if not groups:
        return ""
    rows = []
    for group, values in groups.items():
        cells = [text(f"tier {group}" if group.isdigit() else group.replace("_", " "))]
        for value in values:
            step = "" if value is None else f' class="heat-{int(min(max(value, 0.0), 1.0) * 10)}"'
            cells.append(f"<td{step}>{share(value)}</td>")
        rows.append(cells)
    return _table(caption, ["", *(text(tool).replace("_", "_<wbr>") for tool in tools)], rows)


def _confusion(metrics: Mapping[str, Any]) -> str:
    """Of each type, which types were predicted."""
    confusion = metrics.get("type_confusion") or {}
    rows, columns, counts = (confusion.get(key) or [] for key in ("rows", "columns", "counts"))
    if not rows:
        return ""
    lines = [[text(name), *(text(count) for count in line)] for name, line in zip(rows, counts, strict=False)]
    return _table("Labelled type (row) and predicted type (column)", ["", *map(text, columns)], lines)


def sources_table(result: Mapping[str, Any]) -> str:
    """What was asked of each source."""
    columns = ("requests", "replayed", "cached", "local", "answered")
    rows = []
    for source in result.get("sources") or ():
        missing = ", ".join(f"{reason} {count}" for reason, count in (source.get("unavailable") or {}).items())
        numbers = (text(source.get(name, 0)) for name in columns)
        rows.append([text(source.get("label") or source.get("name")), *numbers, text(missing or "0")])
    if not rows:
        return ""
    head = [_T["source"], *(_T[name] for name in columns), _T["unavailable"]]
    return f"<section><h2>{_T['sources']}</h2>{_table(_T['sources'], head, rows)}</section>"


def notes_list(result: Mapping[str, Any]) -> str:
    """What was noted while the files were read."""
    items = "".join(f'<li dir="auto">{text(note)}</li>' for note in result.get("notes") or ())
    return f"<section><h2>{_T['notes']}</h2><ul>{items}</ul></section>" if items else ""
