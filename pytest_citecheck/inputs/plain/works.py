"""Works cited in a Markdown text: in its lists, tables, sections and sentences."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from pytest_citecheck.inputs.bibtex.reader import reference_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.blocks import Block, blocks_in
from pytest_citecheck.inputs.plain.citation import (
    around_title,
    dated_people,
    identifiers,
    leading_authors,
    read_citation,
    without_identifiers,
)
from pytest_citecheck.inputs.plain.cues import is_venue, lone_year, marked, read_tail
from pytest_citecheck.inputs.plain.item_kinds import kind_alone
from pytest_citecheck.inputs.plain.mentions import mentioned_works
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.inputs.plain.readings import popped_type, string_readings
from pytest_citecheck.inputs.plain.segments import LABEL_WORDS, english_label, reference_cells, table_rows
from pytest_citecheck.matching import decode
from pytest_citecheck.model import Location, Reading, Reference

_LABEL = lazy_pattern(
    r"\s*+(?:\*\*|__|\*)?(?P<label>" + LABEL_WORDS + r")"
    r"(?:\*\*|__|\*)?\s*+(?:\([^)]*\))?\s*+[:：]\s*+(?:\*\*|__|\*)?\s*+(?P<value>\S.*)",
    re.IGNORECASE,
)
_BEFORE_LABEL = lazy_pattern(
    r"(?:[;；|。]|(?<=[》」』”\"]))\s*+(?=(?:" + LABEL_WORDS + r")\s*+[:：])", re.IGNORECASE
)  # "标题：A；作者：B；年份：C", and "《A》 作者：B"
_REMARK = lazy_pattern(r"\s*(?:\*{1,2}|_{1,2})[^*_:]{2,40}(?::(?:\*{1,2}|_{1,2})|(?:\*{1,2}|_{1,2})\s*[:：])")
"""An emphasised label, which begins a remark on a reference."""
_CODE = lazy_pattern(r"(?<!`)(`++)([^`]++)\1(?!`)")
_WHOLE = lazy_pattern(r"(\*{1,3}|_{1,3})(?=\S)((?:(?!\1).)+)\1[.:,]?")
_EMPHASISED = lazy_pattern(
    r"(?<![\w*_])(\*{1,3}|_{1,3}|<(?:b|i|strong|em)>)(?=\S)((?:(?!\1|</).){2,400}?)(?:\1|</(?:b|i|strong|em)>)(?![\w*])"
)
_QUOTED_MARK = lazy_pattern(r"(?<!\w)['‘\"“](\*{1,3}|__)([^*_\n]+)\1['’\"”](?!\w)")
_FEWEST_OF_TITLE = 5
"""Words of a text that is a title, although its words are capitalised like those of a name."""
_LINKED_YEAR = lazy_pattern(rf"\[({YEAR}[a-z]?)\]\(((?:[^\s()]|\([^\s()]*\))+)\)")
_PEOPLE_AND_YEAR = lazy_pattern(
    rf"[^.:“”\"«»《》()（）]*(?:\b\w{{1,2}}\.[^.:“”\"«»《》()（）]*)*[,(（·–—-]\s*{YEAR}[a-z]?[)）]?[.:]?"
)
_DASH = lazy_pattern(r"(?:(?<!\s)\s++)?+(?<=\s)(?:[–—-]|by|von|de|par|por)\s++")
_AFTER_DASH, _BEFORE_YEAR = (
    lazy_pattern(r"(?:\s[–—-]|\b(?:by|von|de|par|por)|[：:(（])$"),
    lazy_pattern(rf"[.,]?(?:(?<!\s)\s++)?+\(?{YEAR}[a-z]?\)?"),
)
_DATE_LAST = lazy_pattern(rf"(?:(?<![\s,.])[\s,.]++)?+\(?{YEAR}[a-z]?\)?[.:,]?$")
_PROSE = lazy_pattern(r".*\b[a-zа-яёß-öø-ÿ]{2,}\s\W*$|.*[\u3040-\u30ff\u4e00-\u9fff]\s?\W*$", re.DOTALL)
"""A word of a sentence directly before a mark."""
_DEFINITION = lazy_pattern(r":\s+(?=\S)")
_VENUE_LABELS = frozenset(
    {"journal", "venue", "conference", "published in", "publication", "booktitle", "source", "published"}
)
_YEAR = lazy_pattern(rf"(?<![\d/]){YEAR}(?!\.?\d)")
_RANGE = lazy_pattern(rf"{YEAR}\s?[–-]\s?(?:1[5-9]|20)?\d\d(?!\d)|\d\d(?:1[5-9]|20)?(?:年代|s\b)")
_CITED = lazy_pattern(
    r"\bpp?\.\s*\d|\bvol\.|\bno\.\s*\d|\d\s*\(\d+\)|\bProc(?:eedings|\.)|\bet al\b|\bIn:? [A-Z]|\bJournal\b|\bTransactions\b"
)
"""Text that distinguishes a citation from an item that only mentions a year."""
_CITED_PEOPLE = frozenset({"title", "author", "year"})
_LONGEST = 5000
_OF_TABLES = frozenset({"title", "authors", "year", "journal", "doi", "volume", "pages", "url", "arxiv"})
_FEWEST_SEPARATORS = 1
_MOSTLY = 0.6


def read_plain_references(text: str, location: Location) -> list[Reference]:
    """Return the works of all lists, tables and sections of the text, each at ``location``. Never raises.

    An item counts as a reference if it has an identifier, or a title together with authors or a year, in an unambiguous form.
    Ambiguous parts are only in ``text``, not in the fields. The sentences are searched only if nothing else cites a work.
    """
    blocks = blocks_in(_with_bars(text))
    found = list(_works(blocks, location))
    paragraphs = {"\n".join(part.lines) for one in _paragraphs(blocks) for part in _parted(one)}
    read = {one.text for one in found}
    if read <= paragraphs:  # otherwise the prose discusses the works of the list
        for one in _paragraphs(blocks):
            if read.isdisjoint("\n".join(part.lines) for part in _parted(one)):
                found += (work for work in mentions_in(" ".join(one.lines), location) if "year" in work.raw)
    return found


def mentions_in(source: str, location: Location) -> list[Reference]:
    """Return works that sentences mention with a marked title and people next to it."""
    return [
        _reference({"type": reading.type, **reading.fields}, source, location, (reading,))
        for reading in mentioned_works(" ".join(source.split()))
    ]


def _paragraphs(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind == "paragraph":
            yield block
        yield from _paragraphs(block.children)


def _works(blocks: Sequence[Block], location: Location, *, mentions: bool = True) -> Iterator[Reference]:
    """Yield the works of sibling blocks. A block above blocks that cite works by themselves is a heading of them."""
    for block in _with_labels([part for one in blocks for part in _parted(one)]):
        if block.kind == "table":
            yield from _of_table(block.lines, location)
        else:
            yield from _of_block(block, location, mentions=mentions)


def _of_block(block: Block, location: Location, *, mentions: bool) -> Iterator[Reference]:
    own = None if block.kind == "paragraph" and _is_prose(block, location) else _own(block, location)
    below: list[Reference] = []
    if own is None or "title" not in own.raw or not ("author" in own.raw or _has_labels(block)):
        below = list(_works(block.children, location, mentions=mentions and own is None))
        headed = _under_title(block, location, below)
        if headed is None:
            if own is None and not below and mentions and block.kind == "item":
                below = mentions_in(" ".join(block.lines), location)
            yield from below or filter(None, [own])
            return
        own = headed
    if own is not None:
        yield own
    if block.kind == "heading":  # works after it may have no heading
        after = _works(block.children[1:], location, mentions=False)
        yield from (one for one in after if one.raw.keys() >= _CITED_PEOPLE)


def _is_prose(block: Block, location: Location) -> bool:
    """Return True if sentences mention several works, or one between marks that do not begin or follow people."""
    text = " ".join(block.lines)
    found = mentions_in(text, location)
    return len(found) > 1 or (
        len(found) == 1 and _PROSE.match(text[: max(0, text.find(found[0].raw["title"]))]) is not None
    )


def _of_table(lines: list[str], location: Location) -> Iterator[Reference]:
    rows = table_rows(lines)
    whole = reference_cells(lines)
    for cell in whole:
        yield from _works([Block("item", [cell])], location)
    for row in rows if not whole else ():
        fields = _labelled(row)
        if _is_reference(fields, listed=True):
            yield _reference(fields, " | ".join(row.values()), location)


def _parted(block: Block) -> Iterator[Block]:
    """Divide a paragraph of references: at titles with a label, or at every line if most have a year."""
    lines = block.lines
    if block.kind != "paragraph" or len(lines) < 2:
        yield block
        return
    titles = [place for place, line in enumerate(lines) if _label(line) == "title"]
    dated = sum(_YEAR.search(line) is not None for line in lines)
    each = bool(_YEAR.search(lines[0])) and dated >= max(2, _MOSTLY * len(lines)) and not titles
    edges = titles if len(titles) > 1 else list(range(len(lines))) if each else [0]
    for start, end in zip(edges, [*edges[1:], len(lines)], strict=True):
        yield Block(
            "item" if each else "paragraph", lines[start:end], children=block.children if end == len(lines) else []
        )


def _with_labels(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks; those of labels other than the title, and a paragraph after a title alone, go below the block before."""
    result: list[Block] = []
    for block in blocks:
        labels = [_label(line) for line in block.lines]
        before = result[-1] if result else None
        of_before = bool(labels) and labels[0] not in ("", "title") and before is not None and _says_more(before)
        alone = block.kind == "paragraph" and before is not None and before.kind == "item" and _is_title_alone(before)
        if before is not None and before.kind != "table" and (of_before or alone):
            before.children.append(block)
        else:
            result.append(block)
    return result


def _has_labels(block: Block) -> bool:
    return any(_label(child.lines[0]) not in ("", "title") for child in block.children if child.lines)


def _says_more(block: Block) -> bool:
    """Return True unless a block consists of identifiers."""
    return re.search(r"[^\W\d_]{3}", without_identifiers(" ".join(block.lines))) is not None


def _label(line: str) -> str:
    match = _LABEL.match(line)
    return english_label(match["label"]) if match else ""


def _is_title_alone(block: Block) -> bool:
    return len(block.lines) == 1 and not block.children and _WHOLE.fullmatch(block.lines[0]) is not None


def _own(block: Block, location: Location) -> Reference | None:
    """Return the reference in the block's own text, with the labels below it."""
    source = "\n".join([*block.lines, *(line for child in block.children for line in child.lines)]).strip()
    listed = block.kind == "item"
    if not block.lines or len("\n".join(block.lines)) > _LONGEST:
        return None
    readings, fields = _fields(block)
    text = " ".join(block.lines)
    if not fields and listed and _CITED.search(text) and (year := lone_year(text)):
        fields = {"year": year}  # a citation whose other parts are ambiguous
    cited = listed and _CITED.search(text) is not None
    if listed and "author" not in fields and _RANGE.search(text):
        fields.pop("year", None)
    placed = fields.keys() & {"year", "doi", "eprint", "pmid", "url"}
    if not placed and (block.kind == "paragraph" or " " not in fields.get("author", " ")):
        return None  # "HAL: search for the topic"
    if block.kind == "heading" and not (fields.keys() >= _CITED_PEOPLE or _has_labels(block)):
        return None
    return _reference(fields, source, location, readings) if _is_reference(fields, listed=listed, cited=cited) else None


def _divided(block: Block) -> tuple[dict[str, str], list[str], list[str]]:
    """Return the values of labels in a block and below it, the lines before remarks, and those beside them."""
    labelled: dict[str, str] = {}
    head: list[str] = []
    beside: list[str] = []
    own = [part for line in block.lines for part in _by_labels(line)]
    texts = (child.lines for child in block.children if child.lines and child.kind != "table")
    below = [line for lines in texts if _label(lines[0]) != "title" for line in lines]
    for place, line in enumerate([*own, *below]):
        match = _LABEL.match(line)
        if match is not None and (label := english_label(match["label"])) not in labelled:
            labelled[label] = match["value"].strip()
        elif place >= len(own) or beside or (head and _REMARK.match(line)):
            beside.append(line)
        else:
            head.append(line)
    return labelled, head, beside


def _fields(block: Block) -> tuple[tuple[Reading, ...], dict[str, str]]:
    """Return the fields of a block, and the readings of its text unless labels provide the fields."""
    labelled, head, beside = _divided(block)
    if labelled:
        text = undecorated(head[0]) if head else ""
        fields = read_citation(text)[1] if text else {}
        if "title" not in fields and "title" not in labelled and text and len(labelled) > 1:
            fields["title"] = marked(text).bare.strip(' .:*《》“”"')
        return (), {**fields, **_labelled(labelled)}
    if fields := _headed(head, heading=False):
        return (), fields | _identifiers_beside(fields, beside)
    text = " ".join(" ".join(head).split())
    text = undecorated(decode(text) if "\\" in text else text)
    readings, fields = _read(text, listed=block.kind == "item") if text else ((), {})
    return readings, fields | _identifiers_beside(fields, beside)


def undecorated(text: str) -> str:
    """Return a reference without code marks, emphasis of the whole and emphasis of people; these do not mark its title."""
    text = _CODE.sub(r"\2", text)
    text = _LINKED_YEAR.sub(r"\1", text) + "".join(f" {link[2]}" for link in _LINKED_YEAR.finditer(text))
    whole = _WHOLE.fullmatch(text)
    if whole is not None and _YEAR.search(text):
        text = whole[2]
    text = _QUOTED_MARK.sub(r"“\2”", text)
    several = len(_EMPHASISED.findall(text)) > 1 or re.search(r"[“\"„«《『]", text) is not None
    return _EMPHASISED.sub(lambda one: one[2] if _emphasises_people(one, several=several) else one[0], text)


def _emphasises_people(match: re.Match[str], *, several: bool) -> bool:
    """Return True for people with or without a year. Two capitalised words are a name only beside other marks, before a year at
    the beginning, or after a dash."""
    text, whole = match[2], match.string
    before, after = whole[: match.start()].rstrip(), whole[match.end() :]
    if (joined := _AFTER_DASH.search(before)) and (_BEFORE_YEAR.match(after) or _YEAR.search(before)):
        title = marked(before[: joined.start()]).bare
        return bool(dated_people(text)) and not (bibtex_authors(title) and len(title.split()) < _FEWEST_OF_TITLE)
    if not before and _BEFORE_YEAR.match(after):
        later = leading_authors(_BEFORE_YEAR.sub("", after).lstrip(" .:,–—-"))[0]
        if dated_people(text) and not (" and " in later or "." in later):
            return True
    if joined := _DASH.match(after):
        named, rest = leading_authors(after[joined.end() :])
        if named and _BEFORE_YEAR.match(rest):
            return False  # **Title** – Ann Lee (2007)
    people = _DATE_LAST.sub("", text)
    sure = people != text or several or re.search(r"[,&]|\bet al\b|(?<!\w)[^\W\d_]\.|\s[A-Z]{1,3}$", people) is not None
    return sure and bool(names := bibtex_authors(people)) and not names.startswith("{")


def _under_title(block: Block, location: Location, below: Sequence[Reference]) -> Reference | None:
    """Return the work whose title is the block and whose people, year and venue are the first line below; a line with a title
    of its own is another work."""
    first = block.children[0] if block.children else None
    if first is None or not first.lines or len(block.lines) != 1 or block.kind == "paragraph":
        return None
    fields = _headed([block.lines[0], first.lines[0]], heading=True)
    line = marked(first.lines[0]).bare
    lines = (line, re.split(r"(?:(?<!\s)\s++)?+[·—]\s", line)[0]) if first.kind != "item" else (line,)
    place = line.rpartition(" — ")[2] if first.kind != "item" and " — " in line else ""
    alone = any(_PEOPLE_AND_YEAR.fullmatch(one) for one in lines) or is_venue(_DATE_LAST.sub("", place))
    one = len(below) == 1 or (not below and first.kind != "item")
    if not fields or not (alone or (one and all(_is_place(reading, item=first.kind == "item") for reading in below))):
        return None
    fields |= _identifiers_beside(fields, first.lines[1:])
    return _reference(fields, "\n".join([*block.lines, *first.lines]), location)


def _is_place(reading: Reference, *, item: bool) -> bool:
    """Return True if the title of a reading is the venue of a work whose title is elsewhere."""
    title = reading.raw.get("title", "") or leading_authors(marked(reading.text.split("\n")[0]).bare)[1].strip(" ,.–—-")
    placed = reading.raw.keys() & {"journal", "booktitle", "howpublished", "publisher"}
    return is_venue(title) or (not item and (len(title.split()) < 2 or not placed))


def _headed(lines: Sequence[str], *, heading: bool) -> dict[str, str]:
    """Return the fields of a title on a line of its own with the people and the year on the next line."""
    if len(lines) < 2:
        return {}
    defined = _DEFINITION.match(lines[1])
    title = marked(lines[0]).bare.strip(" .*#:")
    below = marked(lines[1][defined.end() if defined else 0 :]).bare.replace("·", " ").strip()
    if not title or not (defined or heading or _WHOLE.fullmatch(lines[0])):
        return {}
    fields = around_title("", below)
    if not fields.get("author"):
        return {}
    if dated := _DATE_LAST.search(title):
        fields.setdefault("year", lone_year(dated[0]))
        title = title[: dated.start()]
    title = title.strip('“”"„«»《》『』 ')
    return {name: value for name, value in {"title": title, **fields}.items() if value} | identifiers(
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
    whole = {*first.fields} >= _CITED_PEOPLE and _ends_well(first)
    by_persons = whole and not first.fields["author"].startswith("{")
    if first.certain or style or (listed and whole) or (by_persons and kind_alone(marked(head).bare) == "reference"):
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
            if (dated := _DATE_LAST.search(bare)) and "year" not in labelled and dated[0].strip(" .,"):
                fields["year"] = lone_year(dated[0].strip("() .,"))
                bare = bare[: dated.start()]
            fields["author"] = bibtex_authors(bare.rstrip(".")) or dated_people(bare)
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
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _reference(raw: dict[str, str], source: str, location: Location, readings: tuple[Reading, ...] = ()) -> Reference:
    raw = dict(raw)
    return reference_of("", popped_type(raw, source), raw, location, source, readings)
