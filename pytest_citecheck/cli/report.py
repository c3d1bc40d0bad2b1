"""``citecheck report``: HTML and Markdown reports and charts from JSON reports."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.running import command, refuse_overwrite
from pytest_citecheck.reports import read_report

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = "Write HTML and Markdown reports and charts from the JSON report of a run and the scores of other tools."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck report``."""
    report = command(commands, "report", "write HTML, Markdown and charts from JSON reports", _ABOUT, _run)
    argument(
        report,
        "files FILE...",
        "JSON report of a run, JSON scores of tools, or the folder of an audit; several files make one report",
    )
    argument(report, "--document NAME", "of an audit: this document, or a pattern; repeatable", repeat=True)
    argument(report, "--worst N", "of an audit: the N worst documents", default=0)
    argument(report, "--json FILE", "of an audit: write the JSON report of these documents")
    argument(report, "--junit FILE", "of an audit: write JUnit XML of these documents")
    argument(report, "--html FILE", "write an HTML page that works offline")
    argument(report, "--markdown FILE", "write a Markdown report")
    argument(report, "--language", "language of the Markdown report", "en", choices=("en", "zh", "both"))
    argument(report, "--charts FOLDER", "write charts to this folder (needs matplotlib)")
    argument(report, "--format", "file format of the charts", "png", choices=("png", "svg", "pdf"))
    argument(report, "--badge FILE", "write a badge for a README (SVG)")
    argument(report, "--history FILE", "add a row to the Markdown table in this file, if it is not the last one")


def _run(chosen: argparse.Namespace) -> int:
    written = (chosen.html, chosen.markdown, chosen.badge, chosen.history, chosen.json, chosen.junit)
    if not (any(written) or chosen.charts):
        raise UsageError("nothing to write: pass --html, --markdown, --charts, --badge or --history")
    refuse_overwrite([*written], chosen.files)
    try:
        result = _together(_with_audits(chosen))
        _write(chosen, result)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        raise UsageError(str(error)) from error
    return 0


def _write(chosen: argparse.Namespace, result: Mapping[str, Any]) -> None:
    # Imported here because the other subcommands do not need them.
    if chosen.junit:
        from pytest_citecheck.audit import write_junit  # noqa: PLC0415

        write_junit(chosen.junit, dict(result))
    if chosen.json:
        write_whole(chosen.json, json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    if chosen.html or chosen.markdown:
        from pytest_citecheck.plugin import report_layouts  # noqa: PLC0415
        from pytest_citecheck.reports import write_html, write_markdown  # noqa: PLC0415

        if chosen.html:
            write_html(result, chosen.html, report_layouts())
        if chosen.markdown:
            write_markdown(result, chosen.markdown, chosen.language, report_layouts())
    if chosen.badge:
        from pytest_citecheck.reports import badge  # noqa: PLC0415

        write_whole(chosen.badge, badge(result))
    if chosen.history:
        _add_history(chosen.history, result)
    if chosen.charts:
        from pytest_citecheck.benchmark import draw_charts  # noqa: PLC0415

        drawn = draw_charts(chosen.charts, result, chosen.format)
        for line in (*drawn.paths, *drawn.notes):
            say(str(line))


def _add_history(path: Path, result: Mapping[str, Any]) -> None:
    from pytest_citecheck.reports import HISTORY_HEAD, history_line  # noqa: PLC0415

    text = path.read_text(encoding="utf-8") if path.exists() else HISTORY_HEAD
    line = history_line(result)
    if not text.endswith(line):
        write_whole(path, (text if not text or text.endswith("\n") else f"{text}\n") + line)


def _with_audits(chosen: argparse.Namespace) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each file with its report. Raises OSError, ValueError."""
    of_audit = bool(chosen.document or chosen.worst or chosen.json or chosen.junit)
    for path in chosen.files:
        if not path.is_dir():
            if of_audit:
                raise UsageError(
                    f"--document, --worst, --json and --junit are for the folder of an audit, which {path} is not"
                )
            yield path, read_report(path)
            continue
        from pytest_citecheck.audit import audit_report, is_audit  # noqa: PLC0415 - needs pyarrow

        if not is_audit(path):
            raise UsageError(f"{path} is a folder, but not of an audit")
        yield path, audit_report(path, chosen.document, chosen.worst)


def _together(reports: Iterable[tuple[Path, dict[str, Any]]]) -> dict[str, Any]:
    """One report from several files: at most one run, and all scores. Raises OSError, ValueError with file and reason."""
    result: dict[str, Any] = {}
    for path, data in reports:
        tools = [*result.get("tools", ()), *(data.pop("tools", None) or ())]
        twice = sorted(result.keys() & data.keys())
        if twice:
            raise ValueError(f"{path}: an earlier file also has {', '.join(twice)}; a report can contain only one run")
        result |= data
        if tools:
            result["tools"] = tools
    return result
