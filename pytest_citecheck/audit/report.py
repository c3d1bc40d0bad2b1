"""Selected documents of an audit as the report of a run, for pages, JSON and JUnit."""

from __future__ import annotations

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from xml.etree import ElementTree as ET

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import atomic_write, write_whole
from pytest_citecheck.audit.worker import Folder, read_rows
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.matching import safe_line
from pytest_citecheck.model import VerdictName
from pytest_citecheck.reports import ReferenceResult, RunResult, report_data

if TYPE_CHECKING:
    from pytest_citecheck.audit.worker import Plan

_WRONG = ("fabricated", "misdescribed")
_CONTROL = dict.fromkeys(range(32), " ")


class NoDocumentError(ValueError):
    """No document of the audit has such a name."""


def is_audit(path: Path) -> bool:
    """Return True if the folder contains an audit."""
    return Folder(path).plan_file.is_file()


def audit_report(path: Path, patterns: Sequence[str] = (), worst: int = 0) -> dict[str, Any]:
    """Report of the documents with these names (or shell patterns) and of this many of the worst; of all documents by
    default.

    Raises OSError, OtherAuditError, NoDocumentError.
    """
    folder = Folder(path)
    plan = folder.plan()
    parts = [folder.judged(number) for number in range(len(plan.partitions)) if folder.judged(number).exists()]
    chosen = _chosen(parts, patterns, worst) if patterns or worst else None
    settings, policy = plan.settings, plan.settings.read_policy()
    references = list(_references(parts, chosen))
    if not references:
        raise NoDocumentError(
            f"{path}: no document {', '.join(patterns)}" if patterns else f"{path}: nothing is judged yet"
        )
    result = RunResult(__version__, references, (), policy=policy.name, calls=policy.names, strict=settings.strict)
    return report_data(result)


def _chosen(parts: Iterable[Path], patterns: Sequence[str], worst: int) -> set[str]:
    wrong: Counter[str] = Counter()
    for part in parts:
        for row in read_rows(part, ["document", "verdict"]):
            wrong[row["document"]] += row["verdict"] in _WRONG
    named = {name for name in wrong if any(fnmatchcase(name, pattern) for pattern in patterns)}
    return named | set(sorted(wrong, key=lambda name: (-wrong[name], name))[:worst])


def _references(parts: Iterable[Path], chosen: set[str] | None) -> Iterable[ReferenceResult]:
    for part in parts:
        for row in read_rows(part, ["document", "report"]):
            if chosen is None or row["document"] in chosen:
                data = json.loads(row["report"])
                yield ReferenceResult(
                    findings=data.pop("checks"),
                    notices=tuple(data.pop("notices")),
                    evidence=tuple(data.pop("evidence")),
                    **data,
                )


def write_junit(path: Path, report: dict[str, Any]) -> None:
    """Write a report as JUnit XML: a suite a document, a case a check, as pytest does for a run. Raises OSError."""
    suites = ET.Element("testsuites", name="citecheck")
    found: dict[str, ET.Element] = {}
    for reference in report["references"]:
        document, _, name = reference["id"].partition("::")
        suite = found.get(document)
        if suite is None:
            suite = found[document] = ET.SubElement(suites, "testsuite", name=_text(document))
        for check, finding in reference["checks"].items():
            case = ET.SubElement(suite, "testcase", classname=_text(document), name=_text(f"{name}[{check}]"))
            said = f"{finding['code']}: {finding['message']}"
            if finding["severity"] == "error":
                ET.SubElement(case, "failure", message=_text(said)).text = _text(finding["rule"])
            elif finding["outcome"] == "unverifiable":
                ET.SubElement(case, "skipped", message=_text(said))
    for suite in found.values():
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    with atomic_write(path) as file:
        ET.ElementTree(suites).write(file, encoding="utf-8", xml_declaration=True)


def _text(text: str) -> str:
    return safe_line(text).translate(_CONTROL)


_VERDICTS = get_args(VerdictName)
_SHOWN = 500  # rows of a table on the page; the CSV files have all
_COUNTS = ", ".join(
    ["count(*) AS \"references\"", *(f"count(*) FILTER (verdict = '{name}') AS {name}" for name in _VERDICTS),
     "count(*) FILTER (verdict IS NULL) AS unread", "count(*) FILTER (severity = 'error') AS errors"]
)  # fmt: skip
_SUSPECT = "round(coalesce(sum(probability), 0), 3) AS expected_wrong"
_QUERIES = {
    "documents": f"SELECT document, {_COUNTS}, {_SUSPECT} FROM judged GROUP BY document "
    "ORDER BY fabricated DESC, misdescribed DESC, expected_wrong DESC, document",
    "years": f"SELECT year, {_COUNTS} FROM judged GROUP BY year ORDER BY year NULLS LAST",
    "venues": f"SELECT venue, {_COUNTS} FROM judged GROUP BY venue "
    'ORDER BY fabricated + misdescribed DESC, "references" DESC, venue',
}
_OF_CODES = " UNION ALL ".join(
    f"SELECT '{check}' AS \"check\", unnest(list_prepend(check_{check}.code, check_{check}.also)) AS code, "
    f"check_{check}.outcome AS outcome, "
    f"check_{check}.severity AS severity FROM judged WHERE check_{check} IS NOT NULL"
    for check in ("syntax", *CHECKS)
)
_QUERIES["codes"] = (
    f'SELECT "check", code, outcome, severity, count(*) AS "references" FROM ({_OF_CODES}) '
    'GROUP BY ALL ORDER BY "references" DESC, "check", code, outcome, severity'
)


def write_summary(folder: Folder, plan: Plan) -> dict[str, int]:
    """Write ``summary/*.csv`` and ``summary/index.html``; return the counts of all references. Raises OSError."""
    import duckdb  # noqa: PLC0415 - of an extra

    files = [str(folder.judged(number)) for number in range(len(plan.partitions))]
    out = folder.path / "summary"
    if not files:
        return {}
    with duckdb.connect() as database:
        database.read_parquet(files).create_view("judged")
        total = _table(database.execute(f"SELECT {_COUNTS} FROM judged"))
        tables = {name: _table(database.execute(query)) for name, query in _QUERIES.items()}
    for name, (columns, rows) in tables.items():
        _write_csv(out / f"{name}.csv", columns, rows)
    counts = dict(zip(total[0], total[1][0], strict=True))
    write_whole(out / "index.html", _page(counts, tables))
    return counts


def _table(result: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    return [column[0] for column in result.description], result.fetchall()


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    write_whole(path, text.getvalue())


def _cell(value: Any) -> Any:
    """Escape a cell for spreadsheet programs: a title that begins like a formula gets an apostrophe."""
    if isinstance(value, str):
        line = safe_line(value)
        return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
    return value


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else html.escape(safe_line(str(value)))


def _page(counts: dict[str, int], tables: dict[str, tuple[list[str], list[tuple[Any, ...]]]]) -> Iterable[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Audit of references</title><style>\n'
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\n"
        "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:right}\n"
        "td:first-child,th:first-child{text-align:left}th{position:sticky;top:0;background:#fff}\n"
        "@media (prefers-color-scheme:dark){body,th{background:#111;color:#eee}}\n"
        "</style></head><body>\n<h1>Audit of references</h1>\n"
    )
    said = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())
    yield f"<p>{html.escape(said)}</p>\n"
    headings = {"documents": "Documents, the worst first", "codes": "Codes", "venues": "Venues", "years": "Years"}
    for name, heading in headings.items():
        columns, rows = tables[name]
        yield f'<h2 id="{name}">{heading}</h2>\n<table><thead><tr>'
        yield "".join(f"<th>{html.escape(column.replace('_', ' '))}</th>" for column in columns)
        yield "</tr></thead><tbody>\n"
        for row in rows[:_SHOWN]:
            yield "<tr>" + "".join(f"<td>{_shown(value)}</td>" for value in row) + "</tr>\n"
        yield "</tbody></table>\n"
        if len(rows) > _SHOWN:
            yield f"<p>{len(rows) - _SHOWN:,} more in {name}.csv</p>\n"
    yield "</body></html>\n"
