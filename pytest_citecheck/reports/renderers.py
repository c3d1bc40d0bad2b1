"""Writers of documents: Markdown (CommonMark 0.31 and GitHub's dialect), HTML, and lines of a terminal.

Text from outside is escaped here, and nowhere else: it contains no markup, link or mention."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Literal

from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.reports.document import (
    Block,
    Cell,
    Figure,
    Fold,
    Group,
    Inline,
    Items,
    Note,
    Section,
    Span,
    Style,
    Table,
    content_of,
    spans,
    trimmed,
)

_INLINE = str.maketrans(
    {
        **{character: f"\\{character}" for character in "\\`*[]~$#"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "|": "&#124;",  # whether a backslash works depends on how a dialect splits cells
        "@": "@\u2060",  # neither a mention nor a mail address
    }
)
_UNDERSCORE = lazy_pattern(r"(?<![^\W_])_|_(?![^\W_])")  # has no meaning inside a word
_BLOCK = lazy_pattern(r"^([-+=]|\d+(?=[.)](?:\s|$)))")
_LINK = lazy_pattern(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_TICKS = lazy_pattern("`+")


def plain(value: object) -> str:
    """The value as Markdown text on one line, escaped so that it contains no markup, link or mention."""
    text = safe_line(str(value)).translate(_INLINE)
    text = _UNDERSCORE.sub(r"\\_", text)
    text = _BLOCK.sub(lambda match: f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}", text)
    return _LINK.sub(lambda match: f"\\{match[0]}", text)


def code(value: object) -> str:
    """The value as Markdown code, so that it can be copied; as plain text if a table cell cannot contain it as code."""
    text = safe_line(str(value))
    if not text or "|" in text:
        return plain(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


_AROUND: Mapping[Style, str] = {"strong": "**", "mark": "**", "deleted": "~~"}


def as_markdown(content: Inline | Cell) -> str:
    """A content as Markdown on one line."""
    found = ""
    for span in spans(content_of(content)):
        if isinstance(span, str):
            found += _spaced(span, plain)
        elif span.style == "interval":  # of numbers alone
            found += f"{' ' * _is_below(span, found)}{span.text}"
        elif span.style == "break":
            found += "<br>"
        elif span.style == "code":
            found += code(span.text)
        else:
            around = _AROUND.get(span.style, "") if span.text.strip() else ""
            found += f"{' ' * _is_below(span, found)}{around}{_spaced(span.text, plain)}{around}"
    return found


def _spaced(stated: str, write: Callable[[str], str]) -> str:
    """The text, written with the blanks at its ends, which separate it from the next one."""
    return f"{' ' * stated[:1].isspace()}{write(stated)}{' ' * stated[1:][-1:].isspace()}"


def _is_below(span: Span, before: str) -> bool:
    return bool(before) and span.style in ("small", "interval")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[Inline | Cell]]) -> list[str]:
    """The lines of a table and an empty line."""
    lines = [list(map(plain, head)), ["---"] * len(head), *(list(map(as_markdown, row)) for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def markdown_lines(blocks: Iterable[Block], level: int = 2) -> list[str]:
    """The lines of a document. level: of its headings."""
    lines: list[str] = []
    for block in trimmed(blocks):
        match block:
            case Section(title, inner, _, answer):
                lines += [f"{'#' * level} {as_markdown(title)}", "", *([f"**{plain(answer)}**", ""] if answer else [])]
                lines += markdown_lines(inner, level + 1)
            case Group(inner):
                lines += markdown_lines(inner, level)
            case Fold(summary, inner, is_open=True):
                lines += [f"{'#' * level} {as_markdown(summary)}", "", *markdown_lines(inner, level + 1)]
            case Table(caption, head, rows, note):
                lines += [f"{'#' * level} {plain(caption)}", ""] if caption else []
                lines += [*([plain(note), ""] if note else []), *markdown_table(head, rows)]
            case Note(content):
                lines += [as_markdown(content), ""]
            case Items(items):
                lines += [*(f"- {as_markdown(item)}" for item in items), ""]
    return lines


_TAGS: Mapping[Style, tuple[str, str]] = {
    "code": ("<code>", "</code>"),
    "strong": ("<strong>", "</strong>"),
    "small": ("<small>", "</small>"),
    "interval": ("<small>", "</small>"),
    "quiet": ('<span class="quiet">', "</span>"),
    "mark": ("<mark>", "</mark>"),
    "deleted": ("<s>", "</s>"),
    "link": ('<a href="#{}">', "</a>"),
    "break": ("<br>", ""),
}


def text(value: object) -> str:
    """A value from outside as HTML text: markup escaped, control and direction characters visible."""
    return escape(safe_line(str(value)))


def as_html(content: Inline | Cell) -> str:
    """A content as HTML."""
    found = ""
    for span in spans(content_of(content)):
        before, after = ("", "") if isinstance(span, str) else _TAGS[span.style]
        stated = span if isinstance(span, str) else span.text
        found += (
            f"{before if isinstance(span, str) else before.format(text(span.target))}{_spaced(stated, text)}{after}"
        )
    return found


def html_table(block: Table) -> str:
    """A table; a row of a heat map is coloured in steps of a tenth. A long name may break after an underscore."""
    head = "".join(f'<th scope="col">{_breakable(cell)}</th>' for cell in block.head)
    body = ""
    for first, *others in block.rows:
        cells = "".join(f"<td{_heat(cell)}>{as_html(cell)}</td>" for cell in others)
        body += f'<tr><th scope="row">{_breakable(first)}</th>{cells}</tr>'
    note = f"<small>{text(block.note)}</small>" if block.note else ""
    caption = f"<caption>{text(block.caption)}{note}</caption>" if block.caption or note else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{text(block.caption or block.head[0])}">'
        f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _breakable(cell: Inline | Cell) -> str:
    return as_html(cell).replace("_", "_<wbr>")


def _heat(cell: Inline | Cell) -> str:
    value = cell.value if isinstance(cell, Cell) else None
    return "" if value is None else f' class="heat-{int(min(max(value, 0.0), 1.0) * 10)}"'


def html_blocks(blocks: Iterable[Block], level: int = 2) -> str:
    """The markup of a document. level: of its headings."""
    found = ""
    for block in trimmed(blocks):
        match block:
            case Section(title, inner, name):
                kind, anchor = (
                    (f' class="{name}" aria-labelledby="{name}-head"', f' id="{name}-head"') if name else ("", "")
                )
                heading = f"<h{level}{anchor}>{as_html(title)}</h{level}>"
                found += f"<section{kind}>{heading}{html_blocks(inner, level + 1)}</section>"
            case Group(inner):
                found += f'<div class="charts">{html_blocks(inner, level)}</div>'
            case Fold(summary, inner, is_open):
                opened = " open" if is_open else ""
                found += f"<details{opened}><summary>{as_html(summary)}</summary>{html_blocks(inner, level)}</details>"
            case Table():
                found += html_table(block)
            case Note(content, style):
                found += f'<p class="{style}">{as_html(content)}</p>' if style else f"<p>{as_html(content)}</p>"
            case Items(items):
                listed = "".join(f'<li dir="auto">{as_html(item)}</li>' for item in items)
                found += f"<ul>{listed}</ul>"
            case Figure(svg):
                found += svg
    return found


def as_text(content: Inline | Cell) -> str:
    """A content as text of a terminal, without intervals."""
    found = ""
    for span in spans(content_of(content)):
        if isinstance(span, str):
            found += span
        elif span.style != "interval":
            found += "; " if span.style == "break" else f"{' ' * _is_below(span, found)}{span.text}"
    return safe_line(found)


def _text_table(head: Sequence[str], rows: Iterable[Sequence[Inline | Cell]]) -> list[str]:
    """Aligned columns: the first to the left, the others to the right."""
    cells = [list(map(as_text, row)) for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


LineStyle = Literal["section", "strong", "warning", ""]


def text_lines(blocks: Iterable[Block]) -> Iterator[tuple[str, LineStyle]]:
    """The lines of the blocks for the terminal, with their style. A table of one row is a list of its values."""
    for block in trimmed(blocks, brief=True):
        match block:
            case Section(title, inner):
                yield as_text(title), "section"
                yield from text_lines(inner)
            case Group(inner) | Fold(_, inner):
                yield from text_lines(inner)
            case Table(caption, head, [row]) if len(row) > 3:
                values = ", ".join(f"{name} {as_text(cell)}" for name, cell in zip(head[1:], row[1:], strict=True))
                yield safe_line(f"{caption or as_text(row[0])}: {values}"), ""
            case Table(caption, head, rows):
                first, *others = _text_table(head, rows)
                if caption:
                    yield safe_line(caption), "strong"
                yield first, "" if caption else "strong"
                yield from ((line, "") for line in others)
            case Note(content, style):
                yield as_text(content), "" if style == "quiet" else style
            case Items(items):
                yield from ((f"  {as_text(item)}", "") for item in items)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = lazy_pattern(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\.\.[+-]?\d+\.\d+)?")  # also an interval of two


def csv_cell(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV Injection"); numbers are none."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def _csv(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """CSV as in RFC 4180, but with LF line ends. An undefined value is empty, and no cell is a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(csv_cell, head))
    writer.writerows([["" if cell == "-" else csv_cell(safe_line(cell)) for cell in row] for row in rows])
    return file.getvalue().rstrip("\n")


def _latex(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A tabular for the LaTeX package booktabs."""

    def line(row: Sequence[str]) -> str:
        cells = ("".join(_LATEX.get(character, character) for character in safe_line(cell)) for cell in row)
        return f"{' & '.join(cells)} \\\\"

    columns = "l" + "r" * (len(head) - 1)
    body = "\n".join(map(line, rows))
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{line(head)}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    )


TABLE_FORMATS: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[str]]], str]] = {
    "text": lambda head, rows: "\n".join(_text_table(head, rows)),
    "csv": _csv,
    "latex": _latex,
    "markdown": lambda head, rows: "\n".join(markdown_table(head, rows)[:-1]),
}
"""Writers of tables by name. Each cell is one line without control characters."""
