"""The report files that a run writes at its end."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import CODES
from pytest_citecheck.plugin.junit import case_properties
from pytest_citecheck.plugin.settings import has_prose, is_plain
from pytest_citecheck.reports import FORMATS, Findings, FurtherFailure, has_no_trouble, tally
from pytest_citecheck.screen import SafeReporter, send

if TYPE_CHECKING:
    from pytest_citecheck.benchmark import CheckResult, Metric
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports import RunResult

# The findings in the formats of ``--citecheck-format``: to files, to standard output, to the summary of a GitHub step.


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


def has_verdict(report: pytest.TestReport) -> bool:
    """Return True for an item of a claim whose judge answered."""
    stated = dict(report.user_properties)
    return "citecheck.claim.verdict" in stated and "citecheck.claim.error" not in stated


def _write(file: Path, name: str, findings: Findings) -> None:
    write_whole(file, FORMATS[name].render(findings))


def _append(file: Path, findings: Findings) -> None:
    from pytest_citecheck.reports import step_summary

    with file.open("a", encoding="utf-8") as stream:
        stream.write(step_summary(findings))


def _to_screen(pieces: Iterable[str]) -> None:
    send(piece.encode() for piece in pieces)


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
    """Write the Arena's own files of each arena, if requested."""
    if not citecheck.arenas or citecheck.settings.plan:
        return []
    from pytest_citecheck.models.arena import folder_of, write_arena_files
    from pytest_citecheck.reports import report_data

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
        from pytest_citecheck.reports import write_json

        yield path, lambda: write_json(path, result)
    if chart := settings.chart:
        from pytest_citecheck.reports import draw_outcomes, report_data

        yield chart, lambda: draw_outcomes(chart, report_data(result)["summary"]["checks"])
    if settings.html or settings.markdown:
        from pytest_citecheck.models import LAYOUTS
        from pytest_citecheck.reports import report_data

        data = report_data(result)
        if page := settings.html:
            from pytest_citecheck.reports import write_html

            yield page, lambda: write_html(data, page, LAYOUTS)
        if text := settings.markdown:
            from pytest_citecheck.reports import write_markdown

            yield text, lambda: write_markdown(data, text, settings.language, LAYOUTS)
    yield from format_files(settings.formats, result)
    if sheet := settings.documents.table:
        from pytest_citecheck.reports import write_table

        yield sheet, lambda: write_table(sheet, result.references, result.passed_over)
    if lines := settings.predictions:
        yield lines, lambda: write_whole(lines, run_predictions(citecheck.payloads))


# Scores, thresholds and predictions of a run over labelled references.


Payloads = Mapping[str, Mapping[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of the labelled files of a run.

    splits: one score document per split (`pytest_citecheck.benchmark.scoring`). gates: each threshold with the score
    reached, and whether it passed. arena: the scores of the models whose answers were checked
    (`pytest_citecheck.benchmark.arena_scoring.arena_scores`). problem: why there are no scores although there are labels;
    otherwise empty.
    """

    splits: tuple[dict[str, Any], ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    arena: Mapping[str, Any] | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """True if all thresholds passed."""
        return all(passed for _, passed in self.gates)


def score_run(
    payloads: Payloads,
    gates: str,
    metrics: Sequence[Metric] = (),
    least_coverage: float | None = None,
    judges: Mapping[str, Any] | None = None,
) -> Scores:
    """The scores of a run over labelled references. gates: as in ``--citecheck-fail-under``.

    metrics: additional metrics, of hooks. least_coverage: the share of a model's references that must be checked before it is
    ranked; None: the default. judges: the scores of judges of claims. Raises MetricError if one of them fails.
    """
    if not gates and not any(data["truth"] or data["answer"] for data in _everything(payloads)):
        return Scores()
    if find_spec("numpy") is None:
        return Scores(problem="scores need numpy: pip install '.[metrics]' in a checkout")
    # ruff: noqa: PLC0415 - needs numpy
    from pytest_citecheck.benchmark import LEAST_COVERAGE, gate_lines, score_answers, score_cases

    documents = score_cases(_cases(payloads), metrics=metrics)
    arena = score_answers(
        (dict(case_properties(data)) for data in _everything(payloads) if data["answer"]),
        LEAST_COVERAGE if least_coverage is None else least_coverage,
    )
    return Scores(tuple(documents), tuple(gate_lines(gates, documents, metrics, arena, judges)), arena)


def run_predictions(payloads: Payloads) -> str:
    """One prediction per line for each checked reference, in the order of files and lines."""
    from pytest_citecheck.benchmark import by_split, write_predictions

    reasons = {
        (data["file"], data["key"]): data["verdict"]["reason"] for data in _everything(payloads) if data["verdict"]
    }
    predictions = [
        replace(prediction, reason=reasons[name, prediction.key])
        for name, (_, predictions) in by_split(_cases(payloads)).items()
        for prediction in predictions
    ]
    text = io.StringIO()
    write_predictions(text, predictions)
    return text.getvalue()


def _cases(payloads: Payloads) -> Iterable[CheckResult]:
    from pytest_citecheck.benchmark import CheckResult

    for data in _everything(payloads):
        case = CheckResult.from_properties(dict(case_properties(data)))
        if case is not None:
            yield case


def _everything(payloads: Payloads) -> Iterator[dict[str, Any]]:
    """All payloads, one at a time, because each is unpacked on access."""
    for checks in payloads.values():
        yield from checks.values()
