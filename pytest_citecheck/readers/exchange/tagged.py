"""Reference lists in lines with tags: RIS, and the NBIB (MEDLINE) of PubMed.

Documentation: "RIS Format Specifications" (Research Information Systems, 2001); "MEDLINE/PubMed Data Element (Field)
Descriptions" (National Library of Medicine).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.exchange.fields import exchanged, joined_names, key_of
from pytest_citecheck.readers.lines import unify_line_ends
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["NBIB", "RIS", "NbibReader", "RisReader"]

_RIS_LINE = lazy_pattern(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_NBIB_LINE = lazy_pattern(r"([A-Z]{2,4}) *- (.*)")
_RIS_TYPES = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "NEWS": "article", "EJOUR": "article", "ABST": "article",
    "INPR": "article", "CONF": "inproceedings", "CPAPER": "inproceedings", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book",
    "CHAP": "incollection", "ECHAP": "incollection", "THES": "phdthesis", "RPRT": "techreport", "DATA": "dataset",
    "COMP": "software", "UNPB": "unpublished", "ELEC": "online", "WEB": "online", "BLOG": "online", "PAT": "patent",
}  # fmt: skip
_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_ARXIV = lazy_pattern(r"arxiv\.org/(?:abs|pdf)/([\w./-]*\d)", re.IGNORECASE)
_MOST = 200_000
_Tagged = dict[str, list[str]]


class RisReader:
    """Reads ``.ris`` files."""

    suffixes = frozenset((".ris",))
    format = "RIS"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By a line with a type."""
        return re.search(rb"(?:\A|\n|\xef\xbb\xbf|\r)TY  ?-", head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """One reference from ``TY`` to ``ER``, or to the next ``TY``."""
        return _read(path, data, _RIS_LINE, "TY", "ER", _from_ris)


class NbibReader:
    """Reads ``.nbib`` files."""

    suffixes = frozenset((".nbib", ".medline"))
    format = "NBIB"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By a line with a number of PubMed."""
        return re.search(rb"(?:\A|\n|\xef\xbb\xbf|\r)PMID *-", head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """One reference from one ``PMID`` to the next."""
        return _read(path, data, _NBIB_LINE, "PMID", "", _from_nbib)


RIS, NBIB = RisReader(), NbibReader()


def _read(path: str, data: bytes, pattern: re.Pattern[str], first: str, last: str, made: object) -> Bibliography:
    assert callable(made)  # noqa: S101
    decoded, notes = decode_bytes(data)
    references: list[Reference] = []
    for start, end, tagged, text in _entries(unify_line_ends(decoded), pattern, first, last):
        references.append(made(tagged, Location(path, start, end), len(references) + 1, text))
        if len(references) >= _MOST:
            break
    return Bibliography(path, tuple(references), notes)


def _entries(text: str, pattern: re.Pattern[str], first: str, last: str) -> Iterator[tuple[int, int, _Tagged, str]]:
    tagged: _Tagged = {}
    begun, latest = 0, ""
    lines = text.split("\n")
    for number, line in enumerate([*lines, ""], start=1):
        match = pattern.fullmatch(line.rstrip()) if number <= len(lines) else None
        tag = match[1] if match else ""
        ends = tagged and (tag == first or (last and tag == last) or number > len(lines))
        if ends:
            stop = number if tag == last and last else number - 1
            yield begun, max(begun, stop), tagged, "\n".join(lines[begun - 1 : stop]).strip()
            tagged, latest = {}, ""
        if tag == first:
            begun = number
        if match and (tag == first or tagged) and tag != last:
            tagged.setdefault(tag, []).append((match[2] or "").strip())
            latest = tag
        elif tagged and latest and line[:1].isspace() and line.strip():
            tagged[latest][-1] = f"{tagged[latest][-1]} {line.strip()}"


def _first(tagged: Mapping[str, list[str]], *tags: str) -> str:
    return next((value for tag in tags for value in tagged.get(tag, ()) if value), "")


def _divided(name: str) -> tuple[str, str, str]:
    family, given, suffix = (part.strip() for part in (*name.split(",", 2), "", "")[:3])
    return family, given, suffix


def _from_ris(tagged: _Tagged, place: Location, number: int, text: str) -> Reference:
    kind = _RIS_TYPES.get(_first(tagged, "TY"), "misc")
    title = _first(tagged, "TI", "T1", "CT") or (_first(tagged, "BT") if kind == "book" else "")
    container = next(
        (
            name
            for tag in ("T2", "JO", "JF", "BT", "JA", "J2", "T3")
            for name in tagged.get(tag, ())
            if name and name != title
        ),
        "",
    )
    year = _YEAR.search(_first(tagged, "PY", "Y1", "DA"))
    start, end = _first(tagged, "SP"), _first(tagged, "EP")
    pages = start if "-" in start or not end or end == start else f"{start}--{end}"
    standard = _first(tagged, "SN")
    doi, url = _first(tagged, "DO"), _first(tagged, "UR", "L2", "LK")
    stated = {
        "title": title,
        "journal" if kind in ("article", "misc", "online", "dataset") else "booktitle": container,
        "year": year[0] if year else "",
        "volume": _first(tagged, "VL"),
        "number": _first(tagged, "IS"),
        "pages": pages,
        {"phdthesis": "school", "techreport": "institution"}.get(kind, "publisher"): _first(tagged, "PB"),
        "doi": doi,
        "url": url,
        "issn" if len(standard.replace("-", "")) == 8 else "isbn": standard.partition(" ")[0],
    }
    if arxiv := _ARXIV.search(url):
        stated |= {"eprint": arxiv[1], "archiveprefix": "arXiv"}
    names = {
        "author": joined_names(_divided(name) for tag in ("AU", "A1") for name in tagged.get(tag, ())),
        "editor": joined_names(_divided(name) for name in tagged.get("ED", ())),
    }
    return exchanged(key_of(_first(tagged, "ID", "LB"), number), kind, stated, place, text, names=names)


def _from_nbib(tagged: _Tagged, place: Location, number: int, text: str) -> Reference:
    stated_ids = [value for tag in ("LID", "AID") for value in tagged.get(tag, ())]
    doi = next((value.partition(" ")[0] for value in stated_ids if value.endswith("[doi]")), "")
    year = _YEAR.search(_first(tagged, "DP", "DEP"))
    book = _first(tagged, "BTI")
    stated = {
        "title": (_first(tagged, "TI") or book).rstrip("."),
        "journal": _first(tagged, "JT", "TA"),
        "booktitle": book if _first(tagged, "TI") else "",
        "year": year[0] if year else "",
        "volume": _first(tagged, "VI"),
        "number": _first(tagged, "IP"),
        "pages": _first(tagged, "PG"),
        "doi": doi,
        "pmid": _first(tagged, "PMID"),
        "pmcid": _first(tagged, "PMC"),
    }
    full = [_divided(name) for name in tagged.get("FAU", ())]
    parted = [name.rpartition(" ") for name in tagged.get("AU", ())]
    short = [(family or initials, initials if family else "", "") for family, _, initials in parted]
    groups = [(name, "", "") for name in tagged.get("CN", ())]
    kind = "article" if stated["journal"] else "incollection" if stated["booktitle"] else "book" if book else "misc"
    return exchanged(
        key_of(f"pmid{stated['pmid']}" if stated["pmid"] else "", number),
        kind,
        stated,
        place,
        text,
        names={"author": joined_names([*(full or short), *groups])},
    )
