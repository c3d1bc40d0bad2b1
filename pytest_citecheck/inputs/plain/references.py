"""Reference lists in plain text or Markdown: numbered, bulleted, one per paragraph or one per line."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pytest_citecheck.inputs.bibtex.reader import readable_value
from pytest_citecheck.inputs.budget import at_line, lazy_pattern
from pytest_citecheck.inputs.citations import is_references_heading
from pytest_citecheck.inputs.plain.author_date import mentioned_works
from pytest_citecheck.inputs.plain.citation import around_title, identifiers, read_citation
from pytest_citecheck.inputs.plain.cues import lone_year, marked, read_tail
from pytest_citecheck.inputs.plain.list_items import (
    Item,
    Line,
    begins_with_persons,
    items_of,
    judged,
    kind_alone,
    sections_of,
)
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.inputs.plain.readings import popped_type, read_reference_strings, string_readings
from pytest_citecheck.inputs.plain.segments import LABEL_WORDS, english_label, reference_cells, table_rows, words_of
from pytest_citecheck.matching import decode
from pytest_citecheck.model import Defect, Location, Reading, Reference

_MARKER = lazy_pattern(
    r"(?P<indent>[ \t]*)(?:#{1,6}[ \t]*)?(?:\*\*)?(?:"
    r"(?P<number>\(\d{1,3}\)|\[\^[^\[\]\s]{1,20}\]:|\[\d{1,3}\]:?|\d{1,3}[.)](?!\d)"
    r"|\\bibitem(?:\[[^\]\n]*\])?\{[^}\n]*\})|(?P<bullet>[-*+•‣▪–:](?=[ \t])))"
    r"(?:(?<=\d[.)])(?P<bold>\*\*)(?=\s))?[ \t]*"
)
_HEADING = lazy_pattern(r"\s*(?:#{1,6}\s|={3,}\s*$|-{3,}\s*$|\|)")
_LABEL = lazy_pattern(
    r"\s*+(?:[-*+•‣]\s++)?(?:\*\*|__|\*)?(?P<label>" + LABEL_WORDS + r")"
    r"(?:\*\*|__|\*)?\s*+(?:\([^)]*\))?\s*+[:：]\s*+(?:\*\*|__|\*)?\s*+(?P<value>\S.*)",
    re.IGNORECASE,
)
_BEFORE_LABEL = lazy_pattern(
    r"(?:[;；|。]|(?<=[》」』”\"]))\s*+(?=(?:" + LABEL_WORDS + r")\s*+[:：])", re.IGNORECASE
)  # "标题：A；作者：B；年份：C", and "《A》 作者：B"
_ANNOTATION = lazy_pattern(
    r"\s*(?:>|[-*+•‣]\s|(?:\*{1,2}|_{1,2})[^*_:]{2,40}(?::(?:\*{1,2}|_{1,2})|(?:\*{1,2}|_{1,2})\s*[:：]))"
)
"""Start of a line that comments on a reference: a nested bullet, a quotation, or an emphasised label."""
_LEAD = lazy_pattern(r"\A\*\*([^*]{3,300}?\((?:1[5-9]|20)\d\d[a-z]?\)[.:,]?)\*\*\s*")
"""People and year in bold type at the beginning; the title follows."""
_VENUE_LABELS = frozenset(
    {"journal", "venue", "conference", "published in", "publication", "booktitle", "source", "published"}
)
_YEAR = lazy_pattern(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_CITED = lazy_pattern(
    r"\bpp?\.\s*\d|\bvol\.|\bno\.\s*\d|\d\s*\(\d+\)|\bProc(?:eedings|\.)|\bet al\b|\bIn:? [A-Z]|\bJournal\b|\bTransactions\b"
)
"""Text that distinguishes a citation from an item that only mentions a year."""
_CITED_PEOPLE = frozenset({"title", "author", "year"})
_LONGEST = 5000
_SIGN = lazy_pattern(
    r"^(?P<before>[ \t>#*_-]*+)(?P<sign>\d{1,2}\ufe0f?\u20e3|🔟|[\u2460-\u2473\u2776-\u2793])[.):]?[ \t]*+",
    re.MULTILINE,
)
"""A number of a list on a key (1️⃣) or in a circle (①)."""
_OF_TABLES = frozenset({"title", "authors", "year", "journal", "doi", "volume", "pages", "url", "arxiv"})
_FEWEST_SEPARATORS = 1


@dataclass(slots=True)
class _Item:
    """Lines of one item; also records if a list marker began it."""

    listed: bool
    indent: int = 0
    numbered: bool = False
    heading: bool = False
    lines: list[str] = field(default_factory=list)


def read_plain_references(text: str, location: Location) -> list[Reference]:
    """Return the references of all lists in the text, each at ``location``. Never raises.

    An item counts as a reference if it has an identifier, or a title together with authors or a year, in an unambiguous form.
    Ambiguous parts are only in ``text``, not in the fields.
    """
    text = _without_rubrics(_with_bars(_SIGN.sub(_number, text)))
    references = [
        _reference(fields, " | ".join(row.values()), location)
        for lines in _tables(text)
        for row in table_rows(lines)
        if _is_reference(fields := _labelled(row), listed=True)
    ]
    whole = "\n".join(f"- {cell}" for lines in _tables(text) for cell in reference_cells(lines))
    prose: list[str] = []
    for item in (*_items(text), *_items(whole)):
        source = "\n".join(item.lines).strip()
        if 0 < len(source) <= _LONGEST:
            readings, fields = _fields(item)
            if not fields and item.listed and _CITED.search(source) and (year := lone_year(source)):
                fields = {"year": year}  # a citation whose other parts are ambiguous
            if not item.listed and "title" not in fields and "author" not in fields:
                fields.pop("year", None)  # the sentence around an identifier may be about anything
            cited = item.listed and _CITED.search(source) is not None
            if _is_reference(fields, listed=item.listed, cited=cited):
                references.append(_reference(fields, source, location, readings))
            elif item.listed:
                references += mentions_in(source, location)
            else:
                prose.append(source)
    if not references:  # otherwise the prose discusses the works in the list
        references = [one for source in prose for one in mentions_in(source, location) if "year" in one.raw]
    return references


def mentions_in(source: str, location: Location) -> list[Reference]:
    """Return works that sentences mention with a marked title and people next to it."""
    return [
        _reference({"type": reading.type, **reading.fields}, source, location, (reading,))
        for reading in mentioned_works(" ".join(source.split()))
    ]


def _items(text: str) -> Iterator[_Item]:
    """Yield list items and paragraphs; a paragraph with a year in every line is split into one reference per line."""
    item: _Item | None = None
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            blank = True
            continue
        marker = _MARKER.match(line)
        if marker is not None and _begins_item(marker, item):
            if item is not None:
                yield from _parted(item)
            numbered = marker["number"] is not None
            rest = line[marker.end() :]
            if "**" in line[: marker.end()] and not marker["bold"] and rest.count("**") % 2:
                rest = f"**{rest}"
            elif line.lstrip().startswith("#"):
                rest = f"**{rest.strip().strip('*')}**"
            heading = line.lstrip().startswith("#")
            item = _Item(True, len(marker["indent"].expandtabs(4)), numbered, heading, [rest])
        elif item is None or (blank and not _continues(line, item)) or _HEADING.match(line):
            if item is not None:
                yield from _parted(item)
            item = None if _HEADING.match(line) else _Item(False, lines=[line])
        else:
            item.lines.append(line)
        blank = False
    if item is not None:
        yield from _parted(item)


def _number(match: re.Match[str]) -> str:
    """Write a number in a circle or on a key as a number of a list."""
    sign = match["sign"]
    number = 10 if sign == "🔟" else int(sign[0]) if sign[0].isdecimal() else int(unicodedata.numeric(sign[0]))
    return f"{match['before']}{number}. "


def _without_rubrics(text: str) -> str:
    """Remove numbered headings above bullets that have labelled bullets of their own: the inner bullets are the works."""
    lines = text.split("\n")
    filled = [place for place, line in enumerate(lines) if line.strip()]
    for place, below, deeper in zip(filled, filled[1:], filled[2:], strict=False):
        marker, work = _MARKER.match(lines[place]), _MARKER.match(lines[below])
        if marker is None or marker["number"] is None or work is None or work["bullet"] is None:
            continue
        nested = _indent(lines[deeper]) > _indent(lines[below])
        if nested and _LABEL.match(lines[deeper]) and not _LABEL.match(lines[below]):
            lines[place] = ""
    return "\n".join(lines)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _with_bars(text: str) -> str:
    """Write tables of values with separators, or without bars at the edges, as Markdown tables."""
    lines = text.split("\n")
    made: list[str] = []
    place = 0
    while place < len(lines):
        rows, passed = _separated_rows(lines, place)
        if rows:
            bars = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
            made += [bars[0], "|---" * len(rows[0]) + "|", *bars[1:]]
        else:
            made.append(lines[place])
        place += passed or 1
    return "\n".join(made)


def _separated_rows(lines: Sequence[str], place: int) -> tuple[list[list[str]], int]:
    """Return the rows of a table of separated values whose heading is the line at ``place``, and the number of its lines."""
    head = lines[place]
    for separator in "|" if "|" in head else ",;\t":
        if head.count(separator) < _FEWEST_SEPARATORS or head.lstrip().startswith("|"):
            continue
        names = _cells_of(head, separator)
        if len({english_label(name) for name in names} & _OF_TABLES) <= _FEWEST_SEPARATORS:
            continue
        rows, passed = [names], 1
        for line in lines[place + 1 :]:
            if len(cells := _cells_of(line, separator)) != len(names):
                break
            if any(cell.strip("-: ") for cell in cells):  # no rule below the heading
                rows.append(cells)
            passed += 1
        return (rows, passed) if len(rows) > 1 else ([], 0)
    return [], 0


def _cells_of(line: str, separator: str) -> list[str]:
    if separator not in line:
        return []
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _tables(text: str) -> Iterator[list[str]]:
    """Yield Markdown tables: runs of lines that begin with a bar."""
    lines: list[str] = []
    for line in (*text.split("\n"), ""):
        if line.lstrip().startswith("|"):
            lines.append(line)
        elif lines:
            yield lines
            lines = []


def _begins_item(marker: re.Match[str], item: _Item | None) -> bool:
    if item is None or not item.listed:
        return True
    indent = len(marker["indent"].expandtabs(4))
    if marker["number"] is not None:
        return indent <= item.indent or not item.numbered
    return not item.numbered and indent <= item.indent


def _continues(line: str, item: _Item) -> bool:
    """Return True if a line after an empty line still belongs to the item."""
    return item.listed and (line[:1].isspace() or _LABEL.match(line) is not None)


def _parted(item: _Item) -> Iterator[_Item]:
    lines = item.lines
    if not item.listed and len(lines) > 1 and lines[0].rstrip("*_ ").endswith((":", "：")):
        lines = lines[1:]
    if not item.listed and lines and all(_YEAR.search(line) for line in lines):
        for line in lines:
            yield _Item(False, lines=[line])
    else:
        yield item


def _fields(item: _Item) -> tuple[tuple[Reading, ...], dict[str, str]]:
    """Return the fields of an item, and the readings of its text unless labels provide the fields."""
    labelled: dict[str, str] = {}
    prose: list[str] = []
    beside: list[str] = []
    for line in (part for whole in item.lines for part in _by_labels(whole)):
        match = _LABEL.match(line)
        if match is not None and (label := english_label(match["label"])) not in labelled:
            labelled[label] = match["value"].strip()
        elif beside or (prose and _ANNOTATION.match(line)):
            beside.append(line)
        else:
            prose.append(line)
    if labelled:
        prose = prose[:1]  # text between labels is a remark
    head = " ".join(" ".join(prose).split())
    head = _LEAD.sub(r"\1 ", decode(head) if "\\" in head else head)
    if not labelled:
        readings, fields = _headed(prose) if item.heading and len(prose) > 1 else ((), {})
        if not fields:
            readings, fields = _read(head, listed=item.listed) if head else ((), {})
        return readings, fields | _identifiers_beside(fields, beside)
    fields = read_citation(head)[1] if head else {}
    if "title" not in fields and "title" not in labelled and head and len(labelled) > 1:
        fields["title"] = marked(head).bare.strip(' .:*《》“”"')
    return (), {**fields, **_labelled(labelled)}


def _headed(lines: list[str]) -> tuple[tuple[Reading, ...], dict[str, str]]:
    """Parse an item with the title as a heading and people, year and venue on the next line."""
    title = marked(lines[0]).bare.strip(" .*#")
    fields = around_title("", marked(lines[1]).bare.replace("·", " ").strip())
    if not fields.get("author"):
        return (), {}
    return (), {name: value for name, value in {"title": title, **fields}.items() if value} | identifiers(
        " ".join(lines[:2])
    )


def _identifiers_beside(fields: dict[str, str], lines: list[str]) -> dict[str, str]:
    """Return identifiers of the reference from nested bullets and links, but not those in remarks about other works."""
    if not fields:
        return {}
    stated: dict[str, str] = {}
    for line in lines:
        if not re.search(r"[“”\"«»]|\bet al\b|\bcites?\b", line):
            found = identifiers(line)
            clash = any(name in stated and stated[name] != value for name, value in found.items())
            stated |= {} if clash else found
    if any(name in fields for name in ("doi", "eprint", "pmid")):
        return {}
    return {name: value for name, value in stated.items() if name not in fields}


def _by_labels(line: str) -> list[str]:
    """Split the line at labels if one is for title or authors: "; doi: …" alone only ends a citation."""
    parts = [part for part in _BEFORE_LABEL.split(line) if part]
    labels = {english_label(match["label"]) for part in parts if (match := _LABEL.match(part))}
    return parts if labels & {"title", "authors"} else [line]


def _read(head: str, *, listed: bool) -> tuple[tuple[Reading, ...], dict[str, str]]:
    """Return the readings of a string and the fields of the first. Results of weighing alone count only in lists."""
    readings = string_readings(head)
    if not readings:
        return (), {}
    first = readings[0]
    style, stated = read_citation(head)
    whole = {*first.fields} >= _CITED_PEOPLE
    strong = (
        whole
        and not first.fields["author"].startswith("{")
        and kind_alone(marked(head).bare) == "reference"
        and _ends_well(first)
    )
    if first.certain or style or strong or (listed and whole and _ends_well(first)):
        return readings, {"type": first.type, **first.fields}
    return (), {name: value for name, value in stated.items() if name != "title"}


def _labelled(labelled: dict[str, str]) -> dict[str, str]:
    """Return the fields from lines such as ``Authors: …``."""
    fields: dict[str, str] = {}
    for label, value in labelled.items():
        bare = " ".join(marked(value).bare.split()).strip("*_` ")
        if label == "title":
            fields["title"] = bare.strip('"“”').rstrip(".")
        elif label.startswith("author"):
            alone = bare if re.fullmatch(r"[^\W\d_a-z][\w’'-]{2,}", bare) else ""
            fields["author"] = bibtex_authors(bare.rstrip(".")) or alone
        elif label in ("year", "years", "date", "publication year") or (label == "published" and _YEAR.fullmatch(bare)):
            years = set(_YEAR.findall(bare))
            fields["year"] = years.pop() if len(years) == 1 else ""
        elif label in _VENUE_LABELS:
            found = read_tail(bare)
            fields |= {name: text for name, text in found.items() if name != "year" or "year" not in labelled}
        elif label in ("volume", "pages"):
            fields[label] = bare
        elif label in ("issue", "number"):
            fields["number"] = bare
        else:
            fields |= identifiers(
                f"arXiv:{bare}" if label.startswith("arxiv") and bare[:1].isdigit() else f"{label}: {value}"
            )
    return {name: value for name, value in fields.items() if value}


def _is_reference(fields: dict[str, str], *, listed: bool, cited: bool = False) -> bool:
    if any(name in fields for name in ("doi", "eprint", "pmid")):
        return True
    if "title" in fields:
        if not fields.get("author", "{").startswith("{"):
            return True
        return not _ADVICE.match(fields["title"]) and ("author" in fields or ("year" in fields and listed))
    if listed and {*fields} == {"url"}:
        return True
    return "year" in fields and ("author" in fields or cited)


_ADVICE = lazy_pattern(
    r"(?:screen|search|define|extract|write|use|check|read|look|try|consider|identify|choose|start|visit|browse"
    r"|review your|verify|make|suchen"
    r"|prüfen|lesen|verwenden|cherchez|consultez|busque|consulte|lea)\b(?:\s\S+){0,12}$",
    re.IGNORECASE,
)
"""A step in a list of advice, which is not a title."""


def _ends_well(reading: Reading) -> bool:
    """Return True if there is evidence for the end of the title; the next sentence may be a remark on the paper."""
    return any(cue.endswith(("after the title", "after it", "people before the title")) for cue in reading.cues)


def _reference(raw: dict[str, str], source: str, location: Location, readings: tuple[Reading, ...] = ()) -> Reference:
    raw = dict(raw)
    return Reference(
        key="",
        type=popped_type(raw, source),
        fields={name: readable_value(name, value) for name, value in raw.items()},
        location=location,
        raw=raw,
        text=source,
        readings=readings,
    )


# References of a list. Every other line is accounted for in an item, in a note or in a failing item.


UNREAD = "unread-item"
_SHOWN = 60
"""Number of characters quoted in a note."""
_MARK = lazy_pattern(r"\A\s*+(?:\[[^\[\]]{1,20}\]|\(?\d{1,4}[.)]|[•▪‣◦·*+–—-])\s*+")
_BOUNDARY = lazy_pattern(r"(?<=[.\])”\"\d/>])\s+(?=[\[(]?\d{1,3}[\].)]\s|[^\W\d_a-z])")
_NUMBERED = lazy_pattern(r"[\[(]?(\d{1,3})[\].)]\s")
_DATED = lazy_pattern(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_LONG_LINE, _SHORT_REFERENCE = 300, 40
"""Characters of a line that may contain several references, and of the shortest of them."""
_LONE_NUMBER = lazy_pattern(r"\s*+\[?(\d{1,4})[\].)]?\s*+")
_FEWEST_LONE = 3
_DECORATION = lazy_pattern(r"[\W_]*")
_PAGE_NUMBER = lazy_pattern(r"\s*+(?:page\s*+)?[-–]?\s*+\d{1,5}\s*+[-–]?\s*+(?:of \d++)?\s*+", re.IGNORECASE)
_EDGE_LINES = 3
_MARKDOWN_HEADING = lazy_pattern(r"\s*#{1,6}\s")
_GAPS_SHOWN = 10


def read_list(
    path: str, lines: Sequence[str], *, whole: bool, unit: str = "line"
) -> tuple[list[Reference], list[Defect]]:
    """Return the references in the reference sections of a text, and notes on all other lines of these sections.

    whole: treat a text without a heading as one list. unit: of locations; paragraphs are separated by gaps.
    """
    placed = list(_placed(_with_lone_numbers(lines), apart=unit == "paragraph"))
    sections = [_up_to_heading(section) for section in sections_of(placed, headed=whole)]
    if not sections and whole:
        sections = [placed]
    known = words_of(line.text for line in placed)
    return read_items(path, [item for section in sections for item in items_of(section, known)], unit)


def read_paragraphs(
    path: str, paragraphs: Sequence[tuple[str, int]], unit: str = "line"
) -> tuple[list[Reference], list[Defect]]:
    """Return the references among pre-split items, each with its first line."""
    items = [
        Item(text, (Line(text, 1, 0.0, 0.0, -12.0 * number, 10.0, number),))
        for paragraph, number in paragraphs
        for text in split_at_breaks(paragraph)
        if text
    ]
    return read_items(path, judged(items), unit)


def read_items(path: str, items: Sequence[Item], unit: str) -> tuple[list[Reference], list[Defect]]:
    """Return the references of these items, failing ones for unreadable items, and notes on outside or missing items."""
    found: list[Reference] = []
    for number, item in enumerate((one for one in items if one.kind != "outside"), start=1):
        place = Location(path, *_place(item.lines), unit)
        at_line(place.line)
        read = read_reference_strings([(item.text, place)]) if item.kind == "reference" else []
        if not any(_says_something(one) for one in read):
            found.append(_unread(item, place, number))
            continue
        for part, one in enumerate(read):
            key = f"ref_{item.label or number}"
            found.append(replace(one, key=key if not part else f"{key}+{part}"))
    return _unique(found), [*_outside(path, items, unit), *_gaps(items)]


def _says_something(reference: Reference) -> bool:
    return bool(reference.fields.keys() - {"year", "note", "pages", "volume", "number"})


def _place(lines: Sequence[Line]) -> tuple[int, int]:
    first, last = lines[0], lines[-1]
    return (first.number, last.number) if first.number else (first.page, last.page)


def _unread(item: Item, place: Location, number: int) -> Reference:
    why = f"this list item is not recognized as a reference: “{_short(item.text)}”"
    return Reference(
        f"unread_{item.label or number}",
        "",
        {},
        place,
        text=item.text,
        defects=(Defect(UNREAD, why, place.line, fatal=True),),
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def _unique(references: Iterable[Reference]) -> list[Reference]:
    """Make keys unique: two lists of one paper are each numbered from 1."""
    seen: Counter[str] = Counter()
    result = []
    for one in references:
        seen[one.key] += 1
        result.append(one if seen[one.key] == 1 else replace(one, key=f"{one.key}.{seen[one.key]}"))
    return result


def _outside(path: str, items: Sequence[Item], unit: str) -> Iterator[Defect]:
    """Yield a note for each run of lines before or after a list."""
    run: list[Line] = []
    for item in (*items, None):
        if item is not None and item.kind == "outside":
            run += item.lines
        elif run:
            line = _place(run)[0]
            where = f"page {line}" if unit == "page" else f"{unit} {line}"
            lines = "1 line" if len(run) == 1 else f"{len(run)} lines"
            yield Defect(
                "outside-list",
                f"{lines} from {where} on not recognized as references: “{_short(run[0].text)}” in {path}",
                line,
                note=True,
            )
            run = []


def _gaps(items: Sequence[Item]) -> Iterator[Defect]:
    """Yield notes on numbers missing between the first and the last of a list."""
    numbers = [(int(item.label), item) for item in items if item.label.isdecimal()]
    missing: list[int] = []
    for (above, _), (below, _) in pairwise(numbers):
        if below > above + 1:
            missing += range(above + 1, min(below, above + 1000))
    if missing:
        shown = ", ".join(map(str, missing[:_GAPS_SHOWN])) + (", …" if len(missing) > _GAPS_SHOWN else "")
        noun = "number is" if len(missing) == 1 else "numbers are"
        yield Defect(
            "numbering-gap",
            f"{len(missing)} {noun} missing in the numbered list: {shown}",
            _place(numbers[0][1].lines)[0],
            note=True,
        )


def _placed(lines: Sequence[str], *, apart: bool) -> Iterator[Line]:
    """Yield the lines with simulated page coordinates: indentation, and a gap for empty lines."""
    heads = _heads(lines)
    bottom = 0.0
    for number, text in enumerate(lines, start=1):
        bottom -= 24.0 if apart else 12.0
        bare = text.replace("\f", " ").strip()
        if _DECORATION.fullmatch(bare) or number in heads:
            continue
        expanded = text.replace("\f", "").expandtabs(4)
        left = 5.0 * (len(expanded) - len(expanded.lstrip()))
        for place, part in enumerate(split_at_breaks(bare)):
            bottom -= 24.0 if place else 0.0
            yield Line(part, 1, left, left + 5.0 * len(part), bottom, 10.0, number)


def _with_lone_numbers(lines: Sequence[str]) -> list[str]:
    """Return the lines, with numbers on lines of their own moved before the next line: ``1.`` above the reference.

    The first number must start the list; otherwise they are page numbers.
    """
    result = list(lines)
    wanted = 1
    before = ""
    for place, line in enumerate(lines):
        match = _LONE_NUMBER.fullmatch(line)
        following = next((at for at in range(place + 1, min(place + 3, len(lines))) if lines[at].strip()), None)
        starts = wanted > 1 or not before or is_references_heading(before)
        if match and int(match[1]) == wanted and starts and following is not None:
            result[following] = f"{line.strip()} {lines[following].strip()}"
            result[place] = ""
            wanted += 1
        before = line if line.strip() else before
    return result if wanted > _FEWEST_LONE else list(lines)


def split_at_breaks(paragraph: str) -> list[str]:
    """Return the lines of a paragraph if most of them are references; else the paragraph as one line, or its references
    if it contains several."""
    lines = [line for one in paragraph.split("\n") if (line := " ".join(one.split()))]
    alone = sum(kind_alone(_MARK.sub("", line, count=1)) == "reference" for line in lines)
    return lines if 2 * alone > len(lines) > 1 else _references_in_line(" ".join(lines))


def _references_in_line(text: str) -> list[str]:
    """Split a long line before the next number of a list, or before persons and a year that follow a dated reference."""
    first = _NUMBERED.match(text)
    wanted = int(first[1]) + 1 if first else 0
    start, parts, date = 0, [], _DATED.search(text)
    for match in _BOUNDARY.finditer(text) if len(text) >= _LONG_LINE else ():
        if match.start() - start < _SHORT_REFERENCE:
            continue
        if first:
            number = _NUMBERED.match(text, match.end())
            begins = number is not None and int(number[1]) == wanted
        else:
            begins = (
                date is not None
                and date.end() <= match.start()
                and begins_with_persons(text[match.end() : match.end() + _LONG_LINE])
            )
        if begins:
            parts.append(text[start : match.start()])
            start, wanted, date = match.end(), wanted + 1, _DATED.search(text, match.end())
    return [*parts, text[start:]]


def _heads(lines: Sequence[str]) -> set[int]:
    """Return the numbers of lines that are page numbers or running heads, if form feeds separate the pages of the text."""
    pages: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(lines, start=1):
        if "\f" in line:
            pages.append([])
        if line.strip():
            pages[-1].append((number, re.sub(r"\d+", "0", line).strip()))
    if len(pages) < 2:
        return set()
    edges = [list(dict.fromkeys([*page[:_EDGE_LINES], *page[-_EDGE_LINES:]])) for page in pages]
    repeated = Counter(text for page in edges for text in {text for _, text in page})
    many = max(3, len(pages) // 5)
    return {number for page in edges for number, text in page if repeated[text] >= many or _PAGE_NUMBER.fullmatch(text)}


def _up_to_heading(section: Sequence[Line]) -> list[Line]:
    """Return the section up to the next Markdown heading."""
    end = next(
        (place for place, line in enumerate(section) if place and _MARKDOWN_HEADING.match(line.text)), len(section)
    )
    return list(section[:end])
