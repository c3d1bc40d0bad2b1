"""Reference lists in RIS.

Documentation: "RIS Format Specifications" (Research Information Systems; in the edition of 2001 and as Clarivate gives it for
EndNote and Reference Manager): two characters of a tag, two blanks, a hyphen, a blank, the value; ``TY`` first, ``ER`` last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.lines import lines
from pytest_citecheck.services.parsing.identifiers import doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_citecheck.model import RecordType

__all__ = ["RIS", "Ris"]

_FIELD = lazy_pattern(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_START = lazy_pattern(rb"(?:\A|\n|\xef\xbb\xbf)TY  ?- ")
_MOST_FIELDS = 100_000
_LONGEST_VALUE = 20_000
_ENDLESS = "the reference has no end (ER)"
_TYPES: Mapping[str, RecordType] = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "NEWS": "article", "EJOUR": "article", "ABST": "article",
    "INPR": "article", "CONF": "inproceedings", "CPAPER": "inproceedings", "BOOK": "book", "EBOOK": "book", "CHAP": "chapter",
    "ECHAP": "chapter", "THES": "thesis", "RPRT": "report", "DATA": "dataset", "COMP": "software", "UNPB": "preprint",
}  # fmt: skip
_TITLES = ("TI", "T1", "CT")
_PARTS = frozenset({"chapter", "inproceedings"})
_PMID = lazy_pattern(r"\d{1,8}")


class Ris:
    """Reads RIS (see the module)."""

    name = "ris"
    source = ""
    licence = ""
    starts = ""
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By a line with a type."""
        return _START.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a reference. Text in a line without a tag continues the field before it."""
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
                yield _record(fields, context.source)
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


def _record(fields: list[tuple[str, str]], source: str) -> Record:
    stated: dict[str, list[str]] = {}
    for tag, value in fields:
        if value := without_markup(value):
            stated.setdefault(tag, []).append(value)

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in stated.get(tag, ())), "")

    kind = _TYPES.get(first("TY"), "other")
    title = first(*_TITLES) or (first("BT") if kind == "book" else "")
    containers = (
        ("T2", "BT", "JO", "JF", "JA", "J2", "T3") if kind in _PARTS else ("JO", "JF", "T2", "JA", "J2", "BT", "T3")
    )
    doi = doi_name(first("DO"))
    url = first("UR", "L2", "LK")
    year = year_of(first("PY", "Y1", "DA"))
    pmid = first("AN") if "pubmed" in f"{first('DB')} {first('DP')}".lower() else ""
    return Record(
        source=source,
        id=first("ID") or doi or first("AN"),
        url=url,
        title=title,
        authors=_people([name for tag in ("AU", "A1") for name in stated.get(tag, ())]),
        editors=_people(stated.get("ED", ())),
        years=(year,) if year else (),
        venues=tuple(dict.fromkeys(name for tag in containers for name in stated.get(tag, ()) if name != title)),
        type=kind,
        publisher=first("PB"),
        doi=doi,
        arxiv=normalise_arxiv(url)[0] if "arxiv" in url.lower() else "",
        pmid=pmid if _PMID.fullmatch(pmid) else "",
        volume=first("VL"),
        number=first("IS"),
        pages="-".join(dict.fromkeys(filter(None, (first("SP"), first("EP"))))),
        isbn=isbn_numbers(stated.get("SN", ())),  # which holds an ISSN or an ISBN
    )


def _people(names: Iterable[str]) -> tuple[Person, ...]:
    """The people of names as RIS has them: "Family, Given, Suffix", or in one piece."""
    people = []
    for name in filter(None, map(stated_name, names)):
        family, given, suffix = (part.strip() for part in (*name.split(",", 2), "", "")[:3])
        people.append(Person(family=family, given=given, suffix=suffix) if family and given else undivided(family))
    return tuple(people)


RIS = Ris()
