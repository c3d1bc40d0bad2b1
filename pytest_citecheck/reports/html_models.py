"""The scores in the HTML report: tiles, curves and tables of the run, of other tools and of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports.groups import (
    ARENA_SCORES,
    SCORES,
    GroupTable,
    Rate,
    counted,
    defined,
    group_tables,
    number,
    points_of,
    ranked_tools,
    score_text,
    scored_rows,
    share,
    share_with_interval,
)
from pytest_citecheck.reports.models import (
    ModelTable,
    arena_models,
    comparison_table,
    coverage_table,
    discipline_table,
    field_table,
    ranking_table,
    readings_table,
    scope_text,
    unranked_text,
    usage_table,
)
from pytest_citecheck.reports.wording import TEXTS

# Markup of the HTML report for values from outside; all text is escaped here.


def text(value: object) -> str:
    """A value from outside as HTML text: markup escaped, control and direction characters visible."""
    return escape(safe_line(str(value)))


def name_text(value: object) -> str:
    """A long name as HTML text; the browser may break it only after an underscore."""
    return text(value).replace("_", "_<wbr>")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, has_heading: bool = False) -> str:
    """A table. caption, head and rows: markup. The first cell of a row is its heading; a cell may include its own
    ``td``.

    has_heading: the section heading equals the caption, which is then only for screen readers.
    """
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(cell if cell[:3] == "<td" else f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    shown = "" if has_heading else f"<caption>{caption}</caption>"
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}"><table>{shown}'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


# Claims in the HTML report: each with its passage, the marked quote, and the judges' answers side by side.


Data = Mapping[str, Any]


def claims_section(result: Data) -> str:
    """A table of judges, and the claims; empty if there are none. result: a JSON report."""
    claims = result.get("claims")
    if not claims:
        return ""
    judges = _judges(claims["judges"]) if claims["judges"] else ""
    pairs = "".join(map(_pair, claims["pairs"]))
    return f'<section aria-labelledby="claims-head"><h2 id="claims-head">Claims</h2>{judges}{pairs}</section>'


def _judges(judges: Mapping[str, Data]) -> str:
    head = (
        *("Judge", "Answers", "Exact", "95 % interval", "Always one answer", "Kappa", "Quotes in the source"),
        *("No verdict", "Errors"),
    )
    rows = []
    for name, scores in judges.items():
        exact, quotes = scores["exact"], scores["quotes"]
        low, high = exact["interval"] or (None, None)
        mark = " (below)" if exact["belowMajority"] else ""
        rows.append(
            (
                text(name),
                text(scores["answered"]),
                share(exact["value"]) + mark,
                f"{share(low)} – {share(high)}" if low is not None else "–",
                share(exact["majority"]),
                score_text(scores, "kappa", _T),
                text(f"{quotes['verified']} / {quotes['offered']}"),
                text(scores["parseErrors"]),
                text(scores["errors"]),
            )
        )
    return table("Judges", head, rows)


def _pair(pair: Data) -> str:
    answers: Sequence[Data] = pair["answers"]
    verdicts = list(dict.fromkeys(_said(answer) for answer in answers))
    if pair.get("not_judged"):
        verdicts = [f"not judged: {pair['not_judged']}"]
    opened = " open" if set(verdicts) - {"Supported"} and not pair.get("not_judged") else ""
    label = f' <span class="quiet">label: {text(pair["label"])}</span>' if pair.get("label") else ""
    heading = f"<summary><b>{text(pair['id'])}</b> {text(' / '.join(verdicts))}{label}</summary>"
    place = f'<p class="quiet">{text(pair["path"])}:{text(pair["line"])} · {text(pair.get("cites", ""))}</p>'
    claim = f"<blockquote><p>{text(pair['claim'])}</p></blockquote>"
    head = ("Judge", "Verdict", "Confidence", "Passage of the source", "Reason", "Marks")
    rows = [
        (
            text(answer["judge"]),
            text(_said(answer)),
            "–" if answer["confidence"] is None else text(f"{answer['confidence']:g} %"),
            _passage(answer),
            text(": ".join(filter(None, (answer["reason_type"], answer["comments"])))),
            text(", ".join(answer["flags"])),
        )
        for answer in answers
    ]
    body = table(f"Verdicts of the judges on {text(pair['id'])}", head, rows, has_heading=True) if rows else ""
    return f"<details{opened}>{heading}{place}{claim}{body}</details>"


def _said(answer: Data) -> str:
    if answer["error"]:
        return "no answer"
    if answer["verdict"] == "UNDECIDED":
        return "not shown"
    return "no verdict" if answer["verdict"] == "PARSE_ERROR" else str(answer["verdict"])


def _passage(answer: Data) -> str:
    if answer["passage"]:
        before, quote, after = answer["passage"]
        left, right = " " * before[-1:].isspace(), " " * after[:1].isspace()
        return f"{text(before).rstrip()}{left}<mark>{text(quote)}</mark>{right}{text(after).lstrip()}"
    quoted = (
        f'<s>{text(answer["quote"])}</s> <span class="quiet">{text(answer["quote_status"])}</span>'
        if answer["quote"]
        else ""
    )
    nearest = "".join(f'<p class="quiet">nearest: {text(one)}</p>' for one in answer.get("nearest", ()))
    return quoted + nearest or "–"


# Self-checks in the HTML report: the scores of each reference, and the answers behind them.


def selfcheck_section(result: Data) -> str:
    """A block for each reference; empty if there are none. result: a JSON report."""
    selfcheck = result.get("selfcheck")
    if not selfcheck:
        return ""
    references = "".join(_reference(one, selfcheck["methods"]) for one in selfcheck["references"])
    head = f'<h2 id="selfcheck-head">Self-checks</h2><p class="quiet">{text(selfcheck["note"])}</p>'
    return f'<section aria-labelledby="selfcheck-head">{head}{references}</section>'


def _reference(reference: Data, methods: Sequence[str]) -> str:
    scores: Mapping[str, Data] = reference["scores"]
    shown = [
        f"{name} {scores[name]['score']:.3f}"
        for name in methods
        if name in scores and scores[name]["score"] is not None
    ]
    said = ", ".join(shown) or next((score["reason"] for score in scores.values() if score["reason"]), "no score")
    opened = " open" if any(score["low"] for score in scores.values()) else ""
    asked = f' <span class="quiet">{text(", ".join(reference["models"]))}</span>' if reference["models"] else ""
    rows = [
        (
            text(name),
            "–" if score["score"] is None else text(f"{score['score']:.3f}{' (low)' if score['low'] else ''}"),
            "–" if score["threshold"] is None else text(f"{score['threshold']:.3f}"),
            "<br>".join("–" if answer is None else text(answer) for answer in score["answers"])
            or text(score["reason"])
            or "–",
        )
        for name in methods
        if (score := scores.get(name)) is not None
    ]
    caption = f"Self-checks of {text(reference['id'])}"
    body = table(caption, ("Method", "Score", "Threshold", "Answers"), rows, has_heading=True)
    return f"<details{opened}><summary><b>{text(reference['id'])}</b> {text(said)}{asked}</summary>{body}</details>"


# Charts of the HTML report as inline SVG. Colours are classes of page.css, which follow the theme.


_ROW = 26
_LABEL = 180
_WIDTH = 600
_SIDE = 240
_MARGIN = 44
_ROOM = 0.95  # above a higher bar there is no room for a number

Point = tuple[float, float]


def _svg(width: int, height: int, name: str, parts: Sequence[str]) -> str:
    return (
        f'<figure><figcaption>{escape(name)}</figcaption><svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(name)}">{"".join(parts)}</svg></figure>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def stacked_bars(name: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Stacked counts by row: (label, {outcome: count}). An outcome is also the CSS class of its colour."""
    largest = max((sum(counts.values()) for _, counts in rows), default=0) or 1
    parts = []
    for place, (label, counts) in enumerate(rows):
        y, x = place * _ROW, float(_LABEL)
        parts.append(_text(_LABEL - 8, y + 17, label, "end"))
        for outcome, count in counts.items():
            width = count / largest * (_WIDTH - _LABEL)
            if count:
                parts.append(
                    f'<rect class="fill-{escape(outcome)}" x="{x:.1f}" y="{y + 3}" width="{width:.1f}" height="20">'
                    f"<title>{escape(f'{label}, {outcome}: {count}')}</title></rect>"
                )
            # A digit needs about 8 units; the table below the chart shows the numbers that do not fit.
            if width > 8 * len(str(count)) + 4:
                parts.append(_text(x + width / 2, y + 17, str(count), "middle", f' class="on-{escape(outcome)}"'))
            x += width
    y = len(rows) * _ROW
    for place, outcome in enumerate(dict.fromkeys(outcome for _, counts in rows for outcome in counts)):
        x = _LABEL + place * 120.0
        parts.append(f'<rect class="fill-{escape(outcome)}" x="{x:.1f}" y="{y + 6}" width="14" height="14"/>')
        parts.append(_text(x + 20, y + 17, outcome))
    return _svg(_WIDTH, y + _ROW, name, parts)


def bars(name: str, rows: Sequence[tuple[str, float | None]]) -> str:
    """Shares from 0 to 1 by row, with their values beside the bars; a dash for None."""
    room = _WIDTH - _LABEL - 70
    parts = []
    for place, (label, value) in enumerate(rows):
        y, width = place * _ROW, min(max(value or 0.0, 0.0), 1.0) * room
        parts.append(_text(_LABEL - 8, y + 17, label, "end"))
        parts.append(f'<rect class="fill-track" x="{_LABEL}" y="{y + 3}" width="{room}" height="20"/>')
        parts.append(f'<rect class="fill-main" x="{_LABEL}" y="{y + 3}" width="{width:.1f}" height="20"/>')
        parts.append(_text(_LABEL + room + 8, y + 17, share(value)))
    return _svg(_WIDTH, len(rows) * _ROW, name, parts)


def curve(name: str, axes: tuple[str, str], points: Sequence[Point], *, diagonal: bool = False) -> str:
    """A curve in the unit square. diagonal: also draw the line of chance."""
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    return _square(name, axes, f'<polyline class="line-main" points="{path}"/>', diagonal=diagonal)


def reliability(name: str, axes: tuple[str, str], bins: Sequence[Mapping[str, Any]]) -> str:
    """A reliability diagram (Niculescu-Mizil and Caruana, 2005): accuracy by confidence bin; the diagonal is ideal."""
    parts, small = list[str](), ' class="small"'
    for part in bins:
        low, high, accuracy = (number(part.get(key)) for key in ("low", "high", "accuracy"))
        count = number(part.get("count"))
        if low is None or high is None or accuracy is None or not count:
            continue
        top = _y(accuracy)
        parts.append(
            f'<rect class="fill-main" x="{_x(low) + 1:.1f}" y="{top:.1f}" '
            f'width="{max(_x(high) - _x(low) - 2, 1):.1f}" height="{_y(0) - top:.1f}">'
            f"<title>{escape(f'{low:.2f} to {high:.2f}: {accuracy:.3f} of {count:.0f}')}</title></rect>"
            + _text(
                (_x(low) + _x(high)) / 2, top - 2 if accuracy < _ROOM else top + 12, f"{count:.0f}", "middle", small
            )
        )
    return _square(name, axes, "".join(parts), diagonal=True)


def _x(value: float) -> float:
    return _MARGIN + min(max(value, 0.0), 1.0) * _SIDE


def _y(value: float) -> float:
    return 10 + (1 - min(max(value, 0.0), 1.0)) * _SIDE


def _square(name: str, axes: tuple[str, str], content: str, *, diagonal: bool) -> str:
    bottom = _y(0)
    parts = [f'<rect class="frame" x="{_MARGIN}" y="10" width="{_SIDE}" height="{_SIDE}"/>']
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(_x(tick), bottom + 15, f"{tick:g}", "middle"))
        parts.append(_text(_MARGIN - 6, _y(tick) + 4, f"{tick:g}", "end"))
    parts.append(content)
    if diagonal:
        parts.append(f'<line class="line-chance" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>')
    middle = _MARGIN + _SIDE / 2
    parts.append(_text(middle, bottom + 32, axes[0], "middle"))
    turned = f' transform="rotate(-90 12 {_y(0.5):.0f})"'
    parts.append(_text(12, _y(0.5), axes[1], "middle", turned))
    return _svg(_MARGIN + _SIDE + 12, int(bottom) + 40, name, parts)


_T = TEXTS["en"]
_TILES = (
    *("detection_rate", "false_positive_rate", "precision", "f1_hallucination", "tier_weighted_f1", "ece_tie_safe"),
    "committed_coverage",
)

Scores = Mapping[str, Any]
Named = Sequence[tuple[str, Scores]]


def score_sections(result: Scores) -> str:
    """Charts and tables of scores against labels and of models; empty if there are none. result: a JSON report."""
    tools = [(str(tool.get("tool_name") or "this run"), tool) for tool in ranked_tools(result)]
    metrics = defined(result.get("metrics") or {})
    content = _score_tiles(metrics) + _curves(metrics) + _tools(tools) + _confusion(metrics)
    content += _models(list(arena_models(result).items()), result.get("arena") or {})
    return (
        f'<section class="scores" aria-labelledby="scores-head"><h2 id="scores-head">Scores</h2>{content}</section>'
        if content
        else ""
    )


def _score_tiles(metrics: Scores) -> str:
    items = "".join(
        f'<li><span class="tile"><b>{_written(metrics, name)}</b> {_T[name]}</span></li>'
        for name in _TILES
        if number(metrics.get(name)) is not None
    )
    return f'<ul class="tiles">{items}</ul>' if items else ""


def _written(scores: Scores, name: str) -> str:
    return _in_two_lines(score_text(scores, name, _T))


def _in_two_lines(written: str) -> str:
    """A score with its interval on a separate line."""
    value, bracket, interval = written.partition(" [")
    return f"{value}<small>[{interval}</small>" if bracket else value


def _rate(rate: Rate) -> str:
    """A rate with its interval and its counts on separate lines."""
    value = share(rate.value) if rate.value is None else _in_two_lines(share_with_interval(rate.value, rate.interval))
    counts = counted(rate, _T)
    return f"{value}<small>{text(counts)}</small>" if counts else value


def _curves(metrics: Scores) -> str:
    parts = []
    bins = [part for part in metrics.get("reliability") or () if isinstance(part, Mapping) and part.get("count")]
    if bins:
        name = _valued("Reliability", metrics, "ece_tie_safe")
        parts.append(reliability(f"{name}; numbers: predictions", ("confidence", "accuracy"), bins))
    risk = points_of(metrics.get("risk_coverage"), ("coverage", "risk"))
    if risk:
        parts.append(curve("Risk and coverage", ("coverage", "risk"), risk))
    for key, area, name, axes, diagonal in (
        ("roc", "auroc", "ROC", ("false positive rate", "true positive rate"), True),
        ("pr", "auprc", "Precision and recall", ("recall", "precision"), False),
    ):
        points = points_of(metrics.get(key))
        if points:
            parts.append(curve(_valued(name, metrics, area), axes, points, diagonal=diagonal))
    for group in group_tables([("", metrics)]):
        if group.title == "per_type":
            rows = [(safe_line(name).replace("_", " "), rate.value) for name, (rate,) in group.rows.items()]
            parts.append(bars(_T["per_type"], rows))
    return f'<div class="charts">{"".join(parts)}</div>' if parts else ""


def _valued(name: str, metrics: Scores, score: str) -> str:
    """The name of a chart with the score that sums it up, if there is one."""
    return name if number(metrics.get(score)) is None else f"{name}, {_T[score]} {score_text(metrics, score, _T)}"


def _tools(tools: Named) -> str:
    if not tools:
        return ""
    caption = _T["ranking"] if len(tools) > 1 else _T["scores"]
    groups = "".join(_group_table(group, alone=len(tools) == 1) for group in group_tables(tools))
    readings = _rows("readings", readings_table(tools, _T, _in_two_lines, text), shown=str)
    return f'{_scores_table(caption, _T["tool"], SCORES, tools)}{readings}<div class="charts">{groups}</div>'


def _scores_table(caption: str, first: str, names: Sequence[str], tools: Named) -> str:
    """One row per tool; the best value of a column is marked. Empty columns are omitted."""
    shown, rows = scored_rows(names, tools, _T, _marked)
    return table(
        caption,
        [first, *(_T[name] for name in shown)],
        [[text(tool), *row] for (tool, _), row in zip(tools, rows, strict=True)],
    )


def _marked(score: str, is_best: bool) -> str:
    written = _in_two_lines(score)
    return f"<strong>{written}</strong>" if is_best else written


def _group_table(group: GroupTable, *, alone: bool) -> str:
    """One row per group and one column per rate of a tool, as a heat map in steps of a tenth."""
    rows = []
    for name, rates in group.rows.items():
        cells = [text(f"tier {name}" if name.isdigit() else name.replace("_", " "))]
        for rate in rates:
            step = "" if rate.value is None else f' class="heat-{int(min(max(rate.value, 0.0), 1.0) * 10)}"'
            cells.append(f"<td{step}>{_rate(rate)}</td>")
        rows.append(cells)
    head = ["", *group.heads(_T, name_text, alone=alone)]
    note = f" ({_T['null_note']})" if group.title == "subtests" else ""
    return table(_T[group.title] + note, head, rows)


def _confusion(metrics: Scores) -> str:
    """The predicted hallucination types by labelled type, without empty rows and columns; empty if no type is predicted."""
    confusion = metrics.get("type_confusion") or {}
    rows, columns, counts = (confusion.get(key) or [] for key in ("rows", "columns", "counts"))
    filled = [place for place in range(len(columns)) if any(place < len(line) and line[place] for line in counts)]
    if all(columns[place] in _NO_TYPE for place in filled):
        return ""
    lines = [
        [name_text(name), *(text(line[place]) if line[place] else '<td class="quiet">0</td>' for place in filled)]
        for name, line in zip(rows, counts, strict=False)
        if any(line)
    ]
    head = ["", *(name_text(columns[place]) for place in filled)]
    return table("Labelled type (row) and predicted type (column)", head, lines)


_NO_TYPE = frozenset({"VALID", "UNCERTAIN", "HALLUCINATED_unknown"})


def _models(models: Named, arena: Scores) -> str:
    """Rates over checked references, delivered references, accuracy of decided fields, the Arena's scores and rankings,
    disciplines, comparisons, cost of the answers."""
    if not models:
        return ""
    content = (
        table(_T["arena_ranking"], *ranking_table(models, _T, _rate, text))
        + "".join(f"<p>{text(line)}</p>" for line in (scope_text(arena, _T), unranked_text(arena, _T)) if line)
        + _rows("delivery", coverage_table(models, _T))
        + _rows("per_field", field_table(models, _T, _rate, text), shown=str)
    )
    content += _scores_table(_T["arena_scores"], _T["model"], ARENA_SCORES, models)
    for profile in ("strict", "lenient"):
        ranked = list(arena_models({"arena": arena.get(profile)}).items())
        if ranked:
            content += _scores_table(_T[f"{profile}_ranking"], _T["model"], ARENA_SCORES, ranked)
    disciplines = discipline_table(models)
    content += _group_table(disciplines, alone=False) if disciplines.rows else ""
    return content + _rows("comparisons", comparison_table(arena, _T)) + _rows("usage", usage_table(models, _T))


def _rows(title: str, content: ModelTable, shown: Callable[[str], str] = text) -> str:
    head, rows = content
    return table(_T[title], head, [list(map(shown, row)) for row in rows]) if rows else ""
