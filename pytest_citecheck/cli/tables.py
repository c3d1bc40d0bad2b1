"""Tables as aligned text, CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["TABLE_FORMATS", "number"]

Row = Sequence[str]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = lazy_pattern(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\.\.[+-]?\d+\.\d+)?")  # also an interval of two
_MARKDOWN = lazy_pattern(r"([\\`*_{}\[\]()#!|~&])")


def number(value: float | None, digits: int = 3) -> str:
    """A count unchanged, a share with this many digits, and a dash for None."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def _text(header: Row, rows: Sequence[Row]) -> str:
    """The first column left-aligned, the others right-aligned."""
    table = [[safe_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


def _csv(header: Row, rows: Sequence[Row]) -> str:
    """CSV as in RFC 4180, but with LF line ends. An undefined value is empty, and no cell is a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(_no_formula, header))
    writer.writerows([["" if cell == "-" else _no_formula(safe_line(cell)) for cell in row] for row in rows])
    return file.getvalue().rstrip("\n")


def _no_formula(cell: str) -> str:
    """Prefix an apostrophe to a cell that a spreadsheet would run as a formula (OWASP, "CSV Injection"), but not to a number."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def _latex(header: Row, rows: Sequence[Row]) -> str:
    """A tabular for the LaTeX package booktabs."""

    def line(row: Row) -> str:
        cells = ("".join(_LATEX.get(character, character) for character in safe_line(cell)) for cell in row)
        return f"{' & '.join(cells)} \\\\"

    columns = "l" + "r" * (len(header) - 1)
    body = "\n".join(map(line, rows))
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{line(header)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    )


def _markdown(header: Row, rows: Sequence[Row]) -> str:
    def line(row: Row) -> str:
        return f"| {' | '.join(map(_escaped, row))} |"

    rule = f"|---|{'---:|' * (len(header) - 1)}"
    return "\n".join([line(header), rule, *map(line, rows)])


def _escaped(cell: str) -> str:
    return _MARKDOWN.sub(r"\\\1", safe_line(cell)).replace("<", "&lt;").replace(">", "&gt;")


TABLE_FORMATS: Mapping[str, Callable[[Row, Sequence[Row]], str]] = {
    "text": _text,
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
}
"""Formatters by name. Each cell is one line without control characters."""
