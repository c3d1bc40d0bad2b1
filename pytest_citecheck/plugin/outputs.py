"""The report files that a run writes at its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import CODES
from pytest_citecheck.plugin.features import report_layouts
from pytest_citecheck.plugin.settings import has_prose, is_plain
from pytest_citecheck.reports import FORMATS, Findings, FurtherFailure, has_no_trouble, tally
from pytest_citecheck.screen import SafeReporter, send

if TYPE_CHECKING:
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports import RunResult

Formats = Iterable[tuple[str, Path | None]]


def format_files(formats: Formats, result: RunResult) -> Iterator[tuple[Path, Callable[[], None]]]:
    """Return the reports to write at the end of a run, by path, including the document printed by ``citecheck check``."""
    findings = Findings(result)
    for name, file in formats:
        if file is not None:
            yield file, partial(_write, file, name, findings)
        elif not FORMATS[name].is_lines:
            yield Path("standard output"), partial(_to_screen, FORMATS[name].render(findings))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and any(name == "github" for name, _ in formats):
        yield Path(summary), partial(_append, Path(summary), findings)


def write_lines(reporter: SafeReporter, result: RunResult, citecheck: CitecheckSession) -> None:
    """Write the line formats at the end of the output; ``citecheck check`` adds a last line with the counts."""
    findings = Findings(result)
    quiet = citecheck.config.get_verbosity() < 0
    loud = is_plain(citecheck.config) and bool(result.references)
    if loud and has_prose(citecheck.config) and not (quiet and has_no_trouble(findings)):
        reporter.line("")
        reporter.line(tally(findings), bold=True)
    for name, file in citecheck.settings.formats:
        if file is None and FORMATS[name].is_lines:
            if not is_plain(citecheck.config):
                for line in FORMATS[name].render(findings):
                    reporter.send(line)
                continue
            last = [tally(findings) + "\n"] if loud and name == "concise" and not quiet else []
            _to_screen([*FORMATS[name].render(findings), *last])


def further_failures(report: pytest.TestReport) -> list[FurtherFailure]:
    """Return the failure of an item that is not a check; None for other tests."""
    crash = getattr(report.longrepr, "reprcrash", None)
    code, _, message = crash.message.partition(": ") if crash is not None else ("", "", "")
    return [FurtherFailure(crash.path, crash.lineno, code, message)] if crash is not None and code in CODES else []


def _write(file: Path, name: str, findings: Findings) -> None:
    write_whole(file, FORMATS[name].render(findings))


def _append(file: Path, findings: Findings) -> None:
    from pytest_citecheck.reports import step_summary

    with file.open("a", encoding="utf-8") as stream:
        stream.write(step_summary(findings))


def _to_screen(pieces: Iterable[str]) -> None:
    send(piece.encode() for piece in pieces)


# ruff: noqa: PLC0415 - a report module is imported only if that report is requested


def refuse_to_overwrite(citecheck: CitecheckSession, further: Iterable[Path]) -> None:
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
        *further,
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
    if not citecheck.settings.plan:
        problems += chain.from_iterable(citecheck.config.hook.pytest_citecheck_files(result=result))
    for report in citecheck.extensions.reports:
        try:
            report.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(report.path, report.render(result))
        except Exception as error:  # noqa: BLE001 - code of others: it must not cost the other reports
            what = f"{type(error).__name__}: {error}"
            problems.append(f"{report.path} could not be written: pytest_citecheck_reports: {what}")
    return problems


def _reports(citecheck: CitecheckSession, result: RunResult) -> Iterator[tuple[Path, Callable[[], None]]]:
    settings = citecheck.settings
    if path := settings.json:
        from pytest_citecheck.reports import write_json

        yield path, lambda: write_json(path, result)
    if chart := settings.chart:
        from pytest_citecheck.reports import draw_outcomes, report_data

        yield chart, lambda: draw_outcomes(chart, report_data(result)["summary"]["checks"])
    if settings.html or settings.markdown:
        from pytest_citecheck.reports import report_data

        data = report_data(result)
        if page := settings.html:
            from pytest_citecheck.reports import write_html

            yield page, lambda: write_html(data, page, report_layouts())
        if text := settings.markdown:
            from pytest_citecheck.reports import write_markdown

            yield text, lambda: write_markdown(data, text, settings.language, report_layouts())
    yield from format_files(settings.formats, result)
    if sheet := settings.documents.table:
        from pytest_citecheck.reports import write_table

        yield sheet, lambda: write_table(sheet, result.references, result.passed_over)
