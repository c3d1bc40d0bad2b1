"""Real records as BibTeX entries, in the styles in which people write them, and as responses of a source.

Facts in, text out: every change is one that a careful author might make, and no data is invented. The style of an entry depends
only on its number.
"""

from __future__ import annotations

import json
import os
import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from zlib import crc32

import pytest

from pytest_citecheck.model import Evidence, Found, Person, Query, QueryResult, Record, RecordType

_FOLDER = Path(os.environ["CITECHECK_SHARED"], "records") if os.environ.get("CITECHECK_SHARED") else None

needs_records = pytest.mark.skipif(_FOLDER is None, reason="CITECHECK_SHARED is not set")

_TYPES: dict[str, RecordType] = {
    "inproceedings": "inproceedings", "article": "article", "review": "article", "preprint": "preprint",
    "incollection": "chapter", "book-chapter": "chapter", "book": "book", "monograph": "book", "thesis": "thesis",
    "dissertation": "thesis", "report": "report", "dataset": "dataset", "submission": "preprint",
}  # fmt: skip
_PARTICLES = frozenset(
    {"van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "al", "el"}
)
_ACCENTS = {
    "́": "'",
    "̀": "`",
    "̂": "^",
    "̈": '"',
    "̃": "~",
    "̄": "=",
    "̇": ".",
    "̌": "v",
    "̧": "c",
    "̆": "u",
    "̊": "r",
    "̨": "k",
    "̋": "H",
}
_LETTERS = {
    "ß": r"{\ss}",
    "ø": r"{\o}",
    "Ø": r"{\O}",
    "ł": r"{\l}",
    "Ł": r"{\L}",
    "æ": r"{\ae}",
    "ı": r"{\i}",
    "–": "--",
    "—": "---",
    "’": "'",
    "“": "``",
    "”": "''",
}
_SPECIAL = re.compile(r"([&%#_])")
_ABBREVIATIONS = {
    "Journal": "J.", "Transactions": "Trans.", "International": "Int.", "Conference": "Conf.", "Proceedings": "Proc.",
    "Research": "Res.", "Machine": "Mach.", "Learning": "Learn.", "Intelligence": "Intell.", "Artificial": "Artif.",
    "Science": "Sci.", "Computer": "Comput.", "Pattern": "Pattern", "Recognition": "Recognit.", "Symposium": "Symp.",
    "Annual": "Annu.", "Association": "Assoc.", "Computational": "Comput.", "Linguistics": "Linguist.", "Advances": "Adv.",
    "Information": "Inf.", "Processing": "Process.", "Systems": "Syst.", "Review": "Rev.", "Letters": "Lett.",
}  # fmt: skip
_ABBREVIATED_AWAY = re.compile(r"\b(?:on|of|the|for|and|in)\b\s*", re.IGNORECASE)
_NO_LETTER = re.compile(r"[^a-z0-9]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a collection of records."""

    source: str
    id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str
    doi: str
    arxiv: str
    url: str
    type: str
    extra: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


def read_rows(name: str, limit: int | None = None, every: int = 1) -> Iterator[Row]:
    """Yield the rows of a compressed file of records: all rows of every ``every``-th title, at most ``limit``.

    Sampling by title keeps the rows of different collections with the same title together.
    """
    zstandard = pytest.importorskip("zstandard")
    assert _FOLDER is not None
    stream: IO[str]
    with zstandard.open(_FOLDER / name, "rt", encoding="utf-8") as stream:
        given = 0
        for line in stream:
            row = json.loads(line)
            if crc32(_NO_LETTER.sub("", row["title"].lower()).encode()) % every:
                continue
            yield Row(**{**row, "authors": tuple(row["authors"])})
            given += 1
            if given == limit:
                return


def as_record(row: Row) -> Record:
    """Convert the row to the record that a source would return."""
    return Record(
        source=row.source,
        id=row.id,
        url=row.url,
        title=row.title,
        authors=tuple(Person(literal=name) for name in row.authors),
        years=(row.year,) if row.year else (),
        venues=(row.venue,) if row.venue else (),
        type="preprint" if row.type == "" and row.arxiv else _TYPES.get(row.type, "other"),
        doi=row.doi,
        arxiv=row.arxiv,
    )


def as_evidence(rows: Sequence[Row], title: str) -> Evidence:
    """Convert the rows to the results of a title search in their sources."""
    sources: dict[str, list[Record]] = {}
    for row in rows:
        sources.setdefault(row.source, []).append(as_record(row))
    query = Query("title", title)
    return Evidence(tuple(QueryResult(source, query, Found(tuple(found))) for source, found in sources.items()))


def bibtex(row: Row, number: int) -> str:
    """The row as a BibTeX entry in one of many styles."""
    dice = random.Random(number)  # noqa: S311 - no secrets here
    tex = dice.random() < 0.5
    fields: list[tuple[str, str]] = []
    if row.authors:
        fields.append(("author", _latex(_authors(row.authors, dice), tex=tex)))
    fields.append(("title", _title(row.title, dice, tex=tex)))
    kind, place = _place(row, dice)
    if row.venue:
        fields.append((place, _latex(_venue(row.venue, row.year, dice), tex=tex)))
    if row.year:
        month, day = dice.randrange(12), dice.randint(1, 28)
        dated = dice.random()
        if dated < 0.1:
            fields.append(("date", f"{row.year}-{month + 1:02}-{day:02}"))
        else:
            fields.append(("year", str(row.year)))
            if dated < 0.4:
                fields.append(("month", _MONTHS[month]))
    if row.doi and dice.random() < 0.6:
        fields.append(("doi", dice.choice(("", "https://doi.org/", "doi:")) + row.doi))
    if row.arxiv and (not row.doi or dice.random() < 0.3):
        if row.venue or dice.random() < 0.5:
            fields += [("eprint", row.arxiv), ("archiveprefix", "arXiv")]
        else:
            fields.append((dice.choice(("journal", "howpublished")), f"arXiv preprint arXiv:{row.arxiv}"))
    dice.shuffle(fields)
    lines = "".join(
        f"  {name} = {value},\n" if name == "month" else f"  {name} = {{{value}}},\n" for name, value in fields
    )
    return f"@{kind}{{key{number},\n{lines}}}\n"


def _place(row: Row, dice: random.Random) -> tuple[str, str]:
    """Entry type and the field of the venue; one in twenty authors takes the wrong one."""
    if row.type == "inproceedings":
        kind, place = "inproceedings", "booktitle"
    elif row.type in ("incollection", "book-chapter"):
        kind, place = "incollection", "booktitle"
    elif row.type in ("book", "monograph"):
        kind, place = "book", "series"
    elif row.venue and row.type not in ("preprint", ""):
        kind, place = "article", "journal"
    else:
        kind, place = dice.choice((("misc", "howpublished"), ("article", "journal")))
    if dice.random() < 0.05 and place in ("booktitle", "journal"):
        place = "journal" if place == "booktitle" else "booktitle"
    return kind, place


def _authors(names: Sequence[str], dice: random.Random) -> str:
    style = dice.choice(("given", "given", "family", "family", "initials", "family-initials", "glued"))
    written = [_author(name, style) for name in names]
    if len(written) > 3 and dice.random() < 0.2:
        written = [*written[: dice.randint(1, 3)], "others"]
    return " and ".join(written)


def _author(name: str, style: str) -> str:
    parts = name.split()
    if style == "given" or len(parts) < 2 or "," in name:
        return f"{{{name}}}" if "," in name or " and " in f" {name} " else name
    cut = len(parts) - 1
    while cut > 1 and parts[cut - 1].lower() in _PARTICLES:
        cut -= 1
    given, family = parts[:cut], " ".join(parts[cut:])
    if family.rstrip(".") in ("Jr", "Sr", "II", "III", "IV") and len(given) > 1:
        given, family = given[:-1], f"{given[-1]} {family}"
    if style == "family":
        return f"{family}, {' '.join(given)}"
    initials = [part[0].upper() + "." for part in given if part[0].isalpha()] or given
    if style == "initials":
        return f"{' '.join(initials)} {family}"
    return f"{family}, {('' if style == 'glued' else ' ').join(initials)}"


def _title(title: str, dice: random.Random, *, tex: bool) -> str:
    style = dice.randrange(6)
    if style == 0:
        title = title.lower()
    elif style == 1:
        title = title.title() if "$" not in title and "\\" not in title else title
    text = _latex(title, tex=tex)
    if style == 2:
        return f"{{{text}}}"
    if style == 3:
        return re.sub(r"\b([A-Z]{2,})\b", r"{\1}", text) if "\\" not in text and "$" not in text else text
    if style == 4:
        return text + "."
    return text


def _venue(venue: str, year: int | None, dice: random.Random) -> str:
    style = dice.randrange(5)
    if style == 0 and ":" not in venue and "," not in venue:
        words = [_ABBREVIATIONS.get(word, word) for word in _ABBREVIATED_AWAY.sub("", venue).split()]
        return " ".join(words) if len(words) > 1 else venue
    if style == 1 and year and len(venue) < 12:
        return f"Proceedings of {venue} {year}"
    return venue


def _latex(text: str, *, tex: bool) -> str:
    if "$" in text or "\\" in text:
        return text
    text = _SPECIAL.sub(r"\\\1", text)
    if not tex:
        return text
    letters = []
    for letter in text:
        decomposed = unicodedata.normalize("NFD", letter)
        base, marks = decomposed[0], decomposed[1:]
        if letter in _LETTERS:
            letters.append(_LETTERS[letter])
        elif len(marks) == 1 and marks[0] in _ACCENTS and base.isascii():
            base = rf"\{base}" if base in "ij" else base
            letters.append(f"{{\\{_ACCENTS[marks[0]]}{{{base}}}}}")
        else:
            letters.append(letter)
    return "".join(letters)
