"""Charts of scores: selection, reproducibility and marks."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.support.report_data import finding, reference, report, scores

pytest.importorskip("matplotlib.figure")

from pytest_citecheck.benchmark import draw_arena, draw_charts
from pytest_citecheck.reports import (
    BarStyle,
    Rate,
    bars_figure,
    colours,
    cost_figure,
    curves_figure,
    heat_figure,
    is_font_missing,
    outcome_figure,
    reliability_figure,
)
from pytest_citecheck.reports import charts as charts_canvas
from tests.support.suites import first_fast


def everything() -> dict[str, Any]:
    """A report with data for every chart."""
    full = {
        "reliability": [{"low": 0.0, "high": 0.5, "count": 4, "confidence": 0.3, "accuracy": 0.25}, {"low": 0.5}],
        "risk_coverage": [{"coverage": 0.5, "risk": 0.0}, {"coverage": 1.0, "risk": 0.25}],
        "roc": [[0, 0], [0.25, 0.75], [1, 1]],
        "pr": [[0, 1], [1, 0.5]],
        "subtest_metrics": {"title_exists": {"accuracy": 0.5}},
        "cost": {"total_seconds": 10.0, "cost_usd": None},
    }
    model = {
        **{f"{name}_accuracy": 0.5 for name in ("title", "author", "year", "doi", "overall")},
        "fields": {"title": {"right": 1, "wrong": 1, "absent": 0, "undecided": 2, "accuracy": 0.5}},
        "by_discipline": {"physics": {"verification_rate": 0.5}},
    }
    return report(
        reference("a", checks={"title": finding("failed", "title-other")}),
        tools=[scores("one", 0.5, **full), scores("$x^2", 0.75, **full)],
        arena={"rankings": [{"model": "m1", **model}, {"model": "m2"}]},
    )


@pytest.mark.exhaustive
def test_every_chart_with_data_is_drawn_and_no_other(tmp_path: Path) -> None:
    assert draw_charts(tmp_path, {}, "svg").paths == ()
    drawn = draw_charts(tmp_path / "all", everything(), "svg")
    names = {path.stem for path in drawn.paths}
    assert names == {
        *(
            "outcomes",
            "fields",
            "arena",
            "disciplines",
            "subtests",
            "types",
            "reliability",
            "risk_coverage",
            "roc_pr",
            "cost",
        )
    }
    assert {path.name for path in (tmp_path / "all").iterdir()} == {f"{name}.svg" for name in names}


@pytest.mark.exhaustive
@pytest.mark.parametrize("file_format", first_fast(["svg", "png", "pdf"]))
def test_the_same_scores_give_the_same_file(tmp_path: Path, file_format: Any) -> None:
    data = {"tools": [scores("one", 0.5), scores("two", 0.25)]}
    files = [draw_charts(tmp_path / name, data, file_format).paths[0].read_bytes() for name in ("first", "second")]
    assert files[0] == files[1]


def test_values_and_counts_stand_on_the_bars_and_the_best_is_marked() -> None:
    series = {"one": [Rate(0.25, 1, 4, 9), Rate(0.5)], "two": [Rate(0.75, 3, 4, 9), Rate(None, 0, 0, 9)]}
    axes = bars_figure("T", ["Title", "Year"], series).axes[0]
    texts = {text.get_text(): text.get_fontweight() for text in axes.texts}
    assert texts == {"25.0\n(4)": "normal", "75.0\n(4)": "bold", "50.0": "normal", "–": "normal"}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Title", "Year"]


def test_the_heat_map_shows_what_is_missing_as_such() -> None:
    rows = {"near_miss": [Rate(0.25, 1, 4, 9), Rate(None, 0, 0, 9)], "other": [Rate(1.0), Rate(0.5)]}
    axes = heat_figure("T", ["one", "two"], rows).axes[0]
    assert [text.get_text() for text in axes.texts] == ["25 (4)", "–", "100", "50"]
    assert [text.get_fontweight() for text in axes.texts] == ["normal", "normal", "bold", "normal"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["near miss", "other"]


def test_costs_are_written_out() -> None:
    figure = cost_figure("calls", "F1", {"cheap": (10.0, 0.5), "dear": (1_000_000.0, 0.75)})
    axis = figure.axes[0].xaxis
    assert [axis.get_major_formatter()(tick, 0) for tick in (100.0, 10000.0, 0.01)] == ["100", "10,000", "0.01"]
    assert {axis.get_minor_formatter()(20.0, 0)} == {""}


def cost_of(name: str, seconds: float, calls: float) -> dict[str, Any]:
    return scores(name, 0.5, cost={"total_seconds": seconds, "mean_api_calls": calls})


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("others", "is_drawn"),
    [
        ([cost_of("two", 5.0, 0.0)], True),
        ([cost_of("two", 0.0, 0.0)], False),  # states neither
        ([cost_of("two", 0.0, 3.0)], True),  # then the calls of both
    ],
)
def test_a_tool_that_states_no_cost_has_none(tmp_path: Path, others: list[dict[str, Any]], *, is_drawn: bool) -> None:
    drawn = draw_charts(tmp_path, {"tools": [cost_of("one", 10.0, 2.0), *others]}, "svg")
    assert ("cost" in {path.stem for path in drawn.paths}) == is_drawn


@pytest.mark.parametrize("number", [1, 8, 9, 30])
def test_every_model_has_a_colour_of_its_own(number: int) -> None:
    assert len(set(colours(number))) == number


def test_a_font_for_east_asian_names_is_used_or_said_to_be_lacking_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"tools": [scores("模型甲", 0.5), scores("模型乙", 0.25)]}
    monkeypatch.setattr(charts_canvas, "_CJK_FONTS", ("No Such Font",))
    assert len(draw_charts(tmp_path, data, "svg").notes) == 1
    assert draw_charts(tmp_path, {"tools": [scores("plain", 0.5)]}, "svg").notes == ()
    monkeypatch.setattr(charts_canvas, "_CJK_FONTS", ("No Such Font", "DejaVu Serif"))
    assert not is_font_missing(["模型"])
    with charts_canvas.canvas():
        from matplotlib import rcParams  # noqa: PLC0415 - after it is known to be there

        assert rcParams["font.family"] == ["DejaVu Sans", "DejaVu Serif"]


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run.json"
    run.write_text(json.dumps(everything()), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["report", str(run), "--charts", str(tmp_path / "charts")]) == 2
    assert "pip install '.[charts]' in a checkout" in capsys.readouterr().err
    assert not (tmp_path / "charts").exists()


def test_the_unchecked_share_is_hatched_and_nothing_is_best() -> None:
    series = {"a": [Rate(1.0, 2, 2, 3, bounds=(2 / 3, 1.0))], "b": [Rate(0.5, 1, 2, 2)]}
    axes = bars_figure("T", ["Title"], series).axes[0]
    hatched = [bar for bar in axes.patches if bar.get_hatch()]
    assert [(round(bar.get_y()), round(bar.get_height())) for bar in hatched] == [(67, 33)]
    texts = {text.get_text(): text.get_fontweight() for text in axes.texts}
    assert texts == {"67–100\n(2)": "normal", "50.0\n(2)": "normal"}


def test_bars_lie_down_and_keep_their_values_as_the_style_says() -> None:
    series = {"one": [Rate(0.25), Rate(0.5)], "two": [Rate(0.75), Rate(0.5)]}
    bare = bars_figure("T", ["Title", "Overall"], series, BarStyle(show_values=False))
    assert list(bare.axes[0].texts) == []
    axes = bars_figure("T", ["Title", "Overall"], series, BarStyle(True, False)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["25.0", "50.0", "75.0", "50.0"]
    assert {text.get_fontweight() for text in axes.texts} == {"normal"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Title", "Overall"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first group on top


def test_a_dois_accuracy_that_is_unknown_is_named() -> None:
    axes = bars_figure("T", ["DOI"], {"one": [Rate(unasked=2)]}).axes[0]
    assert [text.get_text() for text in axes.texts] == ["doi.org\nnot\nasked"]


LONG = [f"a_model_with_a_long_name_{number}_dev_public" for number in range(7)]


def figures() -> dict[str, Any]:
    """Each kind of chart for one and for seven tools with long names, and with a title that is wider than the chart."""
    found: dict[str, Any] = {}
    title = "A title that no chart of the default width has room for, because it is a sentence"
    for names in (LONG[:1], LONG):
        rates = {name: [Rate(1.0, 4, 4, 9), Rate(0.5, bounds=(0.25, 0.75))] for name in names}
        curves = {name: ([(0.0, 0.0), (1.0, 1.0)], "AUROC 0.500") for name in names}
        bins = [{"low": 0.0, "high": 0.5, "count": 4, "accuracy": 0.25}]
        note = "Models covered: " + ", ".join(names)
        found |= {
            f"bars {len(names)}": bars_figure(title, ["Title", "Overall"], rates, BarStyle(note=note)),
            f"lying {len(names)}": bars_figure(title, ["Title", "Overall"], rates, BarStyle(True, note=note)),
            f"curves {len(names)}": curves_figure([("ROC", "x", "y", curves)], note),
            f"two {len(names)}": curves_figure([("ROC", "x", "y", curves), ("PR", "x", "y", curves)]),
            f"heat {len(names)}": heat_figure(title, names, {"near_miss": [rate for rate, _ in rates.values()]}),
            f"cost {len(names)}": cost_figure("calls", "F1", dict.fromkeys(names, (10.0, 0.5))),
            f"reliability {len(names)}": reliability_figure(dict.fromkeys(names, bins)),
            f"outcomes {len(names)}": outcome_figure({"title": {"passed": 4}}),
        }
    return found


@pytest.mark.exhaustive
def test_titles_notes_legends_and_values_are_inside_the_picture_and_apart() -> None:
    """And every panel has content."""
    for name, figure in figures().items():
        with charts_canvas.canvas():
            figure.draw_without_rendering()
        whole = figure.bbox.padded(1)
        panels = [axes for axes in figure.axes if axes.get_visible()]
        assert all(axes.has_data() for axes in panels), name
        parts = [*figure.legends, *figure.texts, *filter(None, (axes.get_legend() for axes in panels))]
        parts += [part for part in (figure._suptitle, figure._supxlabel) if part is not None]
        parts += [text for axes in panels for text in (*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label)]
        boxes = [part.get_window_extent() for part in dict.fromkeys(parts)]
        outside = [box for box in boxes if box.width and not (whole.contains(*box.min) and whole.contains(*box.max))]
        assert not outside, (name, outside, whole)
        legends = [part.get_window_extent() for part in (*figure.legends, *figure.texts)]
        assert not any(box.overlaps(axes.get_window_extent()) for box in legends for axes in panels), name
        assert figure._suptitle.get_text(), name


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_arena_s_charts_have_a_bar_for_all_fields_together(tmp_path: Path, language: Any) -> None:
    accuracies = {f"{name}_accuracy": 0.5 for name in ("title", "author", "year", "doi", "overall")}
    part = {"total_refs": 4, "errors": 0, "verified": 2, "suspect": 1, "not_found": 1, "verification_rate": 0.5}
    model = {"model": "m", **part, **accuracies, "by_discipline": {"physics": part}}
    paths = draw_arena(tmp_path, {"arena": {"rankings": [model]}}, file_format="svg", language=language, dpi=72)
    assert [path.name for path in paths] == ["verification_chart.svg", "discipline_chart.svg"]
    assert draw_arena(tmp_path, {}) == ()
    assert "50.0" in paths[0].read_text(encoding="utf-8").replace("<!-- ", "")


@pytest.mark.sample(2)
@pytest.mark.parametrize("horizontal", [False, True])
@pytest.mark.parametrize("names", [1, 4, 9])
def test_legend_and_note_lie_inside_the_figure_and_over_nothing(names: int, horizontal: bool) -> None:
    series = {
        f"a model with a long name {number} (checked 90 %)": [Rate(0.5, 5, 10, 10)] * 3 for number in range(names)
    }
    note = "Models covered: all. Queries covered: 12 of 400 in queries.jsonl. Answers: 48. " * 3
    figure = bars_figure("T", ["Title", "Year", "DOI"], series, BarStyle(horizontal, note=note))
    pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg(figure).draw()
    legend = figure.legends[0].get_window_extent()
    assert 0 <= legend.x0 < legend.x1 <= figure.bbox.x1
    others = [axes.get_tightbbox() for axes in figure.axes] + [one.get_window_extent() for one in figure.texts]
    assert not any(legend.overlaps(other) for other in others)
