"""What an audit amounts to: by document, year, venue and code, as CSV files and one page; the worst documents first."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, get_args

from pytest_citecheck.model import CHECKS, VerdictName
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.audit.plan import Folder, Plan

__all__ = ["write_summary"]

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
    """Write ``summary/*.csv`` and ``summary/index.html``; gives the counts of all references. Raises OSError."""
    import duckdb  # noqa: PLC0415 - of an extra

    files = [str(folder.judged(number)) for number in range(len(plan.partitions))]
    tables: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {}
    out = folder.path / "summary"
    with duckdb.connect() as database:
        if not files:
            return {}
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in files)
        database.execute(f"CREATE VIEW judged AS SELECT * FROM read_parquet([{names}])")
        total = _table(database.execute(f"SELECT {_COUNTS} FROM judged"))
        for name, query in _QUERIES.items():
            tables[name] = _table(database.execute(query))
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
    """What a table program shows and does not compute: a title that begins like a formula gets an apostrophe."""
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
