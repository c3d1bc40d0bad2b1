"""The report files that a run writes at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.plugin.results.formatted import format_files
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports.results import RunResult

__all__ = ["refuse_to_overwrite", "write_reports"]

# ruff: noqa: PLC0415 - a report module is imported only if that report is requested


def refuse_to_overwrite(citecheck: CitecheckSession) -> None:
    """Raise pytest.UsageError if a report would overwrite an input file or another report."""
    settings = citecheck.settings
    read = {path.resolve() for path in (*citecheck.named, *settings.indexes)}
    written: set[Path] = set()
    formats = [file for _, file in settings.formats]
    own = (
        settings.json,
        settings.chart,
        settings.html,
        settings.markdown,
        settings.predictions,
        settings.documents.table,
        *formats,
    )
    for path in (*filter(None, own), *(report.path for report in citecheck.extensions.reports)):
        if path.resolve() in read:
            raise pytest.UsageError(f"refusing to overwrite the input file {path}")
        if path.resolve() in written:
            raise pytest.UsageError(f"two reports have the same path: {path}")
        written.add(path.resolve())


def write_reports(citecheck: CitecheckSession, result: RunResult) -> list[str]:
    """Write the reports of options and hooks; return a message for each that could not be written."""
    problems = []
    for path, write in _reports(citecheck, result):
        try:
            write()
        except OSError as error:
            problems.append(f"{path} could not be written: {error.strerror or error}")
    problems += _write_arenas(citecheck, result)
    for report in citecheck.extensions.reports:
        try:
            report.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(report.path, report.render(result))
        except Exception as error:  # noqa: BLE001 - code of others: it must not cost the other reports
            what = f"{type(error).__name__}: {error}"
            problems.append(f"{report.path} could not be written: pytest_citecheck_reports: {what}")
    return problems


def _write_arenas(citecheck: CitecheckSession, result: RunResult) -> list[str]:
    """The Arena's own files of each arena, where they are asked for."""
    if not citecheck.arenas or citecheck.settings.plan:
        return []
    from pytest_citecheck.plugin.arena.files import folder_of, write_arena_files
    from pytest_citecheck.reports.json_report import report_data

    problems: list[str] = []
    for arena in citecheck.arenas:
        folder = folder_of(arena, citecheck)
        if folder is not None:
            try:
                data = report_data(result, evidence=False)
                citecheck.late_notes += write_arena_files(arena, folder, citecheck, data)
            except OSError as error:
                problems.append(f"{folder}: {error.filename or ''} could not be written: {error.strerror or error}")
    return problems


def _reports(citecheck: CitecheckSession, result: RunResult) -> Iterator[tuple[Path, Callable[[], None]]]:
    settings = citecheck.settings
    if path := settings.json:
        from pytest_citecheck.reports.json_report import write_json

        yield path, lambda: write_json(path, result)
    if chart := settings.chart:
        from pytest_citecheck.reports.charts.verdicts import draw_outcomes

        yield chart, lambda: draw_outcomes(chart, result)
    if settings.html or settings.markdown:
        from pytest_citecheck.reports.json_report import report_data

        data = report_data(result)
        if page := settings.html:
            from pytest_citecheck.reports.html import write_html

            yield page, lambda: write_html(data, page)
        if text := settings.markdown:
            from pytest_citecheck.reports.markdown.page import write_markdown

            yield text, lambda: write_markdown(data, text, settings.language)
    yield from format_files(settings.formats, result)
    if sheet := settings.documents.table:
        from pytest_citecheck.reports.submissions import write_table

        yield sheet, lambda: write_table(sheet, result.references, result.passed_over)
    if lines := settings.predictions:
        from pytest_citecheck.plugin.results.scoring import run_predictions

        yield lines, lambda: write_whole(lines, run_predictions(citecheck.payloads))
