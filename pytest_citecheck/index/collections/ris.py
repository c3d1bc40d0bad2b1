"""Reference lists in RIS.

Documentation: "RIS Format Specifications" (Research Information Systems; in the edition of 2001 and as Clarivate gives it for
EndNote and Reference Manager): two characters of a tag, two blanks, a hyphen, a blank, the value; ``TY`` first, ``ER`` last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import doi_name, name, text, year_in
from pytest_citecheck.services.dumps.lines import lines

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RIS", "Ris"]

_FIELD = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_START = re.compile(rb"(?:\A|\n|\xef\xbb\xbf)TY  ?- ")
_MOST_FIELDS = 100_000
_LONGEST_VALUE = 20_000
_ENDLESS = "the reference has no end (ER)"
_TYPES = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "NEWS": "article", "EJOUR": "article", "ABST": "article",
    "INPR": "article", "CONF": "inproceedings", "CPAPER": "inproceedings", "BOOK": "book", "EBOOK": "book", "CHAP": "chapter",
    "ECHAP": "chapter", "THES": "thesis", "RPRT": "report", "DATA": "dataset", "COMP": "software", "UNPB": "preprint",
}  # fmt: skip
_TITLES = ("TI", "T1", "CT")
_PARTS = frozenset({"chapter", "inproceedings"})
_PMID = re.compile(r"\d{1,8}")


class Ris:
    """Reads RIS (see the module)."""

    name = "ris"
    source = ""

    def recognises(self, head: Head) -> bool:
        """By a line with a type."""
        return _START.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a reference. Text in a line without a tag continues the field before it."""
        fields: list[tuple[str, str]] = []
        begun = 0, 0
        inside = given_up = False
        for number, offset, data in lines(chunks, context):
            try:
                line = data.decode("utf-8-sig").rstrip("\r")
            except UnicodeDecodeError as error:
                reason = f"byte 0x{data[error.start]:02X} is not UTF-8"
                yield context.problem(offset, reason, line=number, record=_id(fields))
                fields, inside, given_up = [], False, True
                continue
            match = _FIELD.fullmatch(line)
            tag, value = (match[1], (match[2] or "").strip()) if match else ("", line.strip())
            if tag == "TY":
                if inside:
                    yield context.problem(begun[0], _ENDLESS, line=begun[1], record=_id(fields))
                fields, inside, given_up, begun = [("TY", value)], True, False, (offset, number)
            elif not inside:
                # What is left of a reference that was given up has been told of with it.
                if not given_up and not _is_remark(line):
                    yield context.problem(offset, "the line belongs to no reference", line=number)
                    given_up = True
                given_up = given_up and tag != "ER"
            elif tag == "ER":
                yield _entry(fields, context.source)
                fields, inside = [], False
            elif tag and len(fields) < _MOST_FIELDS:
                fields.append((tag, value))
            elif not tag:
                fields[-1] = (fields[-1][0], f"{fields[-1][1]} {value}"[:_LONGEST_VALUE])
        if inside:
            yield context.problem(begun[0], _ENDLESS, line=begun[1], record=_id(fields))


def _is_remark(line: str) -> bool:
    """Whether a line outside references is one of the usual remarks of exporting programs."""
    return line.startswith(("%", "#", "Provider:", "Content:", "Database:"))


def _id(fields: list[tuple[str, str]]) -> str:
    return next((value for wanted in ("ID", "DO", "TI", "T1") for tag, value in fields if tag == wanted), "")


def _entry(fields: list[tuple[str, str]], source: str) -> Entry:
    stated: dict[str, list[str]] = {}
    for tag, value in fields:
        if value := text(value):
            stated.setdefault(tag, []).append(value)

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in stated.get(tag, ())), "")

    kind = _TYPES.get(first("TY"), "other")
    title = first(*_TITLES) or (first("BT") if kind == "book" else "")
    containers = (
        ("T2", "BT", "JO", "JF", "JA", "J2", "T3") if kind in _PARTS else ("JO", "JF", "T2", "JA", "J2", "BT", "T3")
    )
    names = list(dict.fromkeys(value for tag in containers for value in stated.get(tag, ()) if value != title)) or [""]
    doi = doi_name(first("DO"))
    url = first("UR", "L2", "LK")
    ends = dict.fromkeys(filter(None, (first("SP"), first("EP"))))
    pmid = first("AN") if "pubmed" in f"{first('DB')} {first('DP')}".lower() else ""
    return Entry(
        source,
        first("ID") or doi or first("AN"),
        title,
        tuple(filter(None, (name(person).rstrip(",") for tag in ("AU", "A1") for person in stated.get(tag, ())))),
        year_in(first("PY", "Y1", "DA")),
        names[0],
        doi,
        normalise_arxiv(url)[0] if "arxiv" in url.lower() else "",
        url,
        kind,
        pmid if _PMID.fullmatch(pmid) else "",
        isbn=tuple(dict.fromkeys(isbn for value in stated.get("SN", ()) for isbn in _isbns(value))),
        venues=tuple(names[1:]),
        volume=first("VL"),
        number=first("IS"),
        pages="-".join(ends),
        editors=tuple(filter(None, (name(person).rstrip(",") for person in stated.get("ED", ())))),
    )


def _isbns(value: str) -> tuple[str, ...]:
    """SN holds an ISSN or an ISBN."""
    return find_isbns(value)[0]


RIS = Ris()
