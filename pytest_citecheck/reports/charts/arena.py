"""The two charts of an arena, by the names and options of the Reference Hallucination Arena."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.reports.charts.canvas import ChartFormat, canvas, is_font_missing, new_figure, save
from pytest_citecheck.reports.charts.scores import BarStyle, bars_figure
from pytest_citecheck.reports.groups import Rate
from pytest_citecheck.reports.model_rows import scope_text
from pytest_citecheck.reports.models import arena_models, arena_rates, discipline_rates, with_coverage
from pytest_citecheck.reports.wording import TEXTS, Language

__all__ = ["draw_arena"]

_FIELDS = ("title", "author", "year", "doi", "overall")


def draw_arena(
    folder: Path,
    result: Mapping[str, Any],
    *,
    title: str | None = None,
    dpi: int = 300,
    file_format: ChartFormat = "png",
    horizontal: bool = False,
    show_values: bool = True,
    highlight_best: bool = True,
    language: Language = "en",
) -> tuple[Path, ...]:
    """Draw ``verification_chart`` (accuracy by field, Overall with its value) and ``discipline_chart``; returns their paths.

    Without a font for Chinese, the words of the charts are English. Raises OSError, and ModuleNotFoundError, which names the
    extra, if matplotlib is missing.
    """
    new_figure(1, 1)  # raises before anything is written if matplotlib is missing
    models = arena_models(result)
    if not models:
        return ()
    words = TEXTS[language]
    if is_font_missing(words.values()):
        words = TEXTS["en"]
    fields = [words["overall"] if name == "overall" else words[f"{name}_accuracy"] for name in _FIELDS]
    rates = {with_coverage(name, scores, words): arena_rates(scores, _FIELDS) for name, scores in models.items()}
    disciplines = sorted({name for scores in models.values() for name in scores.get("by_discipline") or {}})
    groups = [words.get(f"group_{name}", name) for name in disciplines]
    verified = {with_coverage(name, scores, words): _verified(scores, disciplines) for name, scores in models.items()}
    only_overall = frozenset({words["overall"]} if show_values else ())
    scope = scope_text(result.get("arena") or {}, words)
    paths = []
    with canvas():
        style = BarStyle(horizontal, highlight_best, only_overall, scope)
        paths.append(folder / f"verification_chart.{file_format}")
        save(bars_figure(title or words["arena_title"], fields, rates, style), paths[-1], dpi)
        if groups:
            style = BarStyle(horizontal, highlight_best, None if show_values else frozenset(), scope)
            paths.append(folder / f"discipline_chart.{file_format}")
            save(bars_figure(words["per_discipline"], groups, verified, style), paths[-1], dpi)
    return tuple(paths)


def _verified(scores: Mapping[str, Any], disciplines: list[str]) -> list[Rate]:
    parts = scores.get("by_discipline") or {}
    return [discipline_rates(parts[name])["verification_rate"] if name in parts else Rate() for name in disciplines]
