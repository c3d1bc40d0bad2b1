"""The items of the reference sections of a PDF, from the lines of its pages; without a section, of its footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pytest_citecheck.readers.pdf.page import Row, body_lines
from pytest_citecheck.readers.plain.joining import joined, words_of
from pytest_citecheck.readers.plain.list_items import Item, Line, items_of, kind_alone, sections_of
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["highest_citation", "reference_items"]

_NOTE = lazy_pattern(r"(?<!\s)\s*+(\d{1,3})[.)]?\s*+(?=\S)")
_SMALL = 0.93
"""Height of the lines of footnotes, as a share of that of most lines."""
_FEWEST_NOTES = 4
_LEAD = lazy_pattern(
    r"\A\s*(?:(?:unter anderem|vgl|siehe|see|cf|s|so|dazu|hierzu|ähnlich|etwa|z\.\s?b|e\.\s?g|also|auch|for example|for instance"
    r"|ausführlich|u\.\s?a|zum beispiel"
    r"|voir|véase|ver|vgl\.\s?auch|see also|siehe auch|exemplarisch|stellvertretend|beispielsweise|insbesondere"
    r"|zitiert nach)\b[.:,]*\s*)+",
    re.IGNORECASE,
)
_CITED = lazy_pattern(r"(?<=\S)\s?\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_RANGE = lazy_pattern(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")
_LONGEST_RANGE = 50
_MOSTLY_CITED = 0.7
_NEXT = lazy_pattern(
    r"(?<=[^\s;]);\s+(?=(?:(?:vgl|siehe|see|cf|sowie|and|und)\.?\s+)*[^\W\d_a-zß-öø-ÿ„“\"])|(?<=\d\d)\.\s+(?=(?:Vgl|Siehe|See|Cf)\b)"
)
"""Between two works that one note cites."""


def reference_items(pages: Sequence[Sequence[Row]]) -> list[Item]:
    """The items of all reference sections, in their order; else those of the footnotes; empty if there are none."""
    lines = body_lines(pages)
    sections = sections_of(lines)
    known = words_of(line.text for line in lines)
    items = [item for section in sections for item in items_of(section, known)]
    if any(item.kind == "reference" for item in items):
        return items
    notes = list(_footnotes(lines, known))
    return notes if sum(item.kind == "reference" for item in notes) >= _FEWEST_NOTES else items


def highest_citation(pages: Sequence[Sequence[Row]]) -> int:
    """The highest number that the text cites in brackets, if it cites most numbers below it; else 0."""
    cited: set[int] = set()
    for page in pages:
        for text, *_ in page:
            for match in _CITED.finditer(text):
                for first, last in _RANGE.findall(match[1]):
                    cited.update(
                        range(int(first), int(last or first) + 1)
                        if int(last or first) - int(first) < _LONGEST_RANGE
                        else ()
                    )
    return next(
        (
            number
            for number in sorted(cited, reverse=True)
            if sum(one <= number for one in cited) >= _MOSTLY_CITED * number
        ),
        0,
    )


def _footnotes(lines: Sequence[Line], known: Counter[str]) -> Iterator[Item]:
    """What the notes at the ends of pages cite: lines in small type, each note from its number on, taken apart at semicolons."""
    usual = median(line.height for line in lines) if lines else 0.0
    small = [line for line in lines if line.height < _SMALL * usual]
    starts = []
    wanted = 1
    for place, line in enumerate(small):
        match = _NOTE.match(line.text)
        if match is not None and wanted <= int(match[1]) <= wanted + 3:
            starts.append(place)
            wanted = int(match[1]) + 1
        elif _LEAD.match(line.text) and (not place or small[place - 1].page != line.page):
            starts.append(place)
    for start, end in pairwise([*starts, len(small)]):
        note = small[start:end]
        note = note[: next((at for at in range(1, len(note)) if note[at].page > note[at - 1].page + 1), len(note))]
        text = _NOTE.sub("", joined([line.text for line in note], known), count=1)
        for part in _NEXT.split(text):
            cited = _LEAD.sub("", part, count=1).strip()
            if cited:
                yield Item(cited, tuple(note), kind=kind_alone(cited))
