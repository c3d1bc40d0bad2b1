"""The findings in the formats of ``--citecheck-format``: to files, to standard output, to the summary of a GitHub step."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.checks.codes import CODES
from pytest_citecheck.plugin.settings.outputs import has_prose, is_plain
from pytest_citecheck.reports.ci.concise import tally
from pytest_citecheck.reports.ci.formats import FORMATS
from pytest_citecheck.reports.ci.problems import Findings
from pytest_citecheck.reports.results import FurtherFailure
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    import pytest

    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports.results import RunResult

__all__ = ["format_files", "further_failures", "write_lines"]

Formats = Iterable[tuple[str, Path | None]]


def format_files(formats: Formats, result: RunResult) -> Iterator[tuple[Path, Callable[[], None]]]:
    """What to write at the end of a run, by its path: files, and the document that is the output of ``citecheck check``."""
    findings = Findings(result)
    for name, file in formats:
        if file is not None:
            yield file, partial(_write, file, name, findings)
        elif not FORMATS[name].is_lines:
            yield Path("standard output"), partial(_to_screen, FORMATS[name].render(findings))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and any(name == "github" for name, _ in formats):
        yield Path(summary), partial(_append, Path(summary), findings)


def write_lines(reporter: pytest.TerminalReporter, result: RunResult, citecheck: CitecheckSession) -> None:
    """The formats of lines, at the end of the output; in that of ``citecheck check`` also a last line with the counts."""
    findings = Findings(result)
    loud = is_plain(citecheck.config) and citecheck.config.get_verbosity() >= 0 and bool(result.references)
    if loud and has_prose(citecheck.config):
        reporter.line("")
        reporter.line(tally(findings), bold=True)
    for name, file in citecheck.settings.formats:
        if file is None and FORMATS[name].is_lines:
            if not is_plain(citecheck.config):
                for line in FORMATS[name].render(findings):
                    reporter.write(line)
                continue
            last = [tally(findings) + "\n"] if loud and name == "concise" else []
            _to_screen([*FORMATS[name].render(findings), *last])


def further_failures(report: pytest.TestReport) -> list[FurtherFailure]:
    """What failed in an item that is no check of a reference; nothing for a test of somebody else."""
    crash = getattr(report.longrepr, "reprcrash", None)
    code, _, message = crash.message.partition(": ") if crash is not None else ("", "", "")
    return [FurtherFailure(crash.path, crash.lineno, code, message)] if crash is not None and code in CODES else []


def _write(file: Path, name: str, findings: Findings) -> None:
    write_whole(file, FORMATS[name].render(findings))


def _append(file: Path, findings: Findings) -> None:
    from pytest_citecheck.reports.ci.github import step_summary  # noqa: PLC0415

    with file.open("a", encoding="utf-8") as stream:
        stream.write(step_summary(findings))


def _to_screen(pieces: Iterable[str]) -> None:
    try:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
    except BrokenPipeError:  # such as `| head`: what is left goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
