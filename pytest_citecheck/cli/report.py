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
    report.set_defaults(run=guarded("citecheck report", _run))


def _run(chosen: argparse.Namespace) -> int:
    if not (chosen.html or chosen.markdown or chosen.charts):
        raise UsageError("nothing to write: give --html, --markdown or --charts")
    refuse_overwrite([chosen.html, chosen.markdown], chosen.files)
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
    if chosen.charts:
        from pytest_citecheck.reports.charts.folder import draw_charts  # noqa: PLC0415

        drawn = draw_charts(chosen.charts, result, chosen.format)
        for line in (*drawn.paths, *drawn.notes):
            print(safe_line(str(line)))


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
