"""The files that a run writes at its end, each with the report that makes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.plugin.scoring import Scores, run_predictions

if TYPE_CHECKING:
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports.results import RunResult

__all__ = ["write_reports"]

# ruff: noqa: PLC0415 - a report is imported only where one is asked for


def write_reports(citecheck: CitecheckSession, result: RunResult, scores: Scores) -> None:
    """Write what the options ask for. Raises OSError."""
    settings = citecheck.settings
    scored = replace(result, scores=scores.splits, arena=scores.arena)
    if settings.json:
        from pytest_citecheck.reports.json_report import write_json

        write_json(settings.json, scored)
    if settings.chart:
        from pytest_citecheck.reports.charts import draw_outcomes

        draw_outcomes(settings.chart, scored)
    if settings.html or settings.markdown:
        from pytest_citecheck.reports.json_report import report_data

        data = report_data(scored)
        if settings.html:
            from pytest_citecheck.reports.html import write_html

            write_html(data, settings.html)
        if settings.markdown:
            from pytest_citecheck.reports.markdown import write_markdown

            write_markdown(data, settings.markdown, settings.language)
    if settings.predictions:
        from pytest_citecheck.reports.whole_file import write_whole

        write_whole(settings.predictions, run_predictions(citecheck.payloads))
