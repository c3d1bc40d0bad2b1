"""``citecheck report``: HTML and Markdown reports and charts from JSON reports."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError
from pytest_citecheck.reports.report_file import read_report
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = "Write HTML and Markdown reports and charts from the JSON report of a run and the scores of other tools."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck report``."""
    report = commands.add_parser("report", help="write HTML, Markdown and charts from JSON reports", description=_ABOUT)
    report.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="JSON report of a run, or JSON scores of tools; several files make one report",
    )
    report.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page that works offline")
    report.add_argument("--markdown", type=Path, metavar="FILE", help="write a Markdown report")
    report.add_argument(
        "--language",
        choices=("en", "zh", "both"),
        default="en",
        help="language of the Markdown report (default: %(default)s)",
    )
    report.add_argument("--charts", type=Path, metavar="FOLDER", help="write charts to this folder (needs matplotlib)")
    report.add_argument(
        "--format",
        choices=("png", "svg", "pdf"),
        default="png",
        help="file format of the charts (default: %(default)s)",
    )
    report.add_argument("--badge", type=Path, metavar="FILE", help="write a badge for a README (SVG)")
    report.add_argument(
        "--history",
        type=Path,
        metavar="FILE",
        help="add a row to the Markdown table in this file, if it is not the last one",
    )
    report.set_defaults(run=guarded("citecheck report", _run))


def _run(chosen: argparse.Namespace) -> int:
    if not (chosen.html or chosen.markdown or chosen.charts or chosen.badge or chosen.history):
        raise UsageError("nothing to write: give --html, --markdown, --charts, --badge or --history")
    refuse_overwrite([chosen.html, chosen.markdown, chosen.badge, chosen.history], chosen.files)
    try:
        result = _together(chosen.files)
        _write(chosen, result)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        raise UsageError(str(error)) from error
    return 0


def _write(chosen: argparse.Namespace, result: Mapping[str, Any]) -> None:
    # Imported here because the other subcommands do not need them.
    if chosen.html:
        from pytest_citecheck.reports.html import write_html  # noqa: PLC0415

        write_html(result, chosen.html)
    if chosen.markdown:
        from pytest_citecheck.reports.markdown.page import write_markdown  # noqa: PLC0415

        write_markdown(result, chosen.markdown, chosen.language)
    if chosen.badge:
        from pytest_citecheck.reports.runs.badge import badge  # noqa: PLC0415

        write_whole(chosen.badge, badge(result))
    if chosen.history:
        _add_history(chosen.history, result)
    if chosen.charts:
        from pytest_citecheck.reports.charts.folder import draw_charts  # noqa: PLC0415

        drawn = draw_charts(chosen.charts, result, chosen.format)
        for line in (*drawn.paths, *drawn.notes):
            print(safe_line(str(line)))


def _add_history(path: Path, result: Mapping[str, Any]) -> None:
    from pytest_citecheck.reports.runs.badge import HISTORY_HEAD, history_line  # noqa: PLC0415

    text = path.read_text(encoding="utf-8") if path.exists() else HISTORY_HEAD
    line = history_line(result)
    if not text.endswith(line):
        write_whole(path, (text if not text or text.endswith("\n") else f"{text}\n") + line)


def _together(paths: Iterable[Path]) -> dict[str, Any]:
    """One report from several files: at most one run, and all scores. Raises OSError, ValueError with file and reason."""
    result: dict[str, Any] = {}
    for path in paths:
        data = read_report(path)
        tools = [*result.get("tools", ()), *(data.pop("tools", None) or ())]
        twice = sorted(result.keys() & data.keys())
        if twice:
            raise ValueError(f"{path}: an earlier file also has {', '.join(twice)}; a report can contain only one run")
        result |= data
        if tools:
            result["tools"] = tools
    return result
