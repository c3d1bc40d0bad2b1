"""Library catalogues over SRU 1.1, with records in MARCXML: K10plus and the Library of Congress.

Written after the documentation (loc.gov/standards/sru, loc.gov/marc/bibliographic): headings in 100 and 700, the title page in
245, ISBD punctuation between subfields; what a server does not understand is a diagnostic with status 200.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.stand_ins.replies import Parameters, Reply, stable_number
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.stand_ins.facts import Facts, Name, Work

BOOKS = frozenset({"book", "monograph", "edited-book", "reference-book"})
_TERM = re.compile(r'([a-z]+\.[a-z]+)="([^"]*)"')
_OTHERS = 4
_SHELL = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<zs:searchRetrieveResponse xmlns:zs="http://www.loc.gov/zing/srw/"><zs:version>1.1'
    "</zs:version>{}</zs:searchRetrieveResponse>"
)
_RECORD = (
    "<zs:record><zs:recordSchema>marcxml</zs:recordSchema><zs:recordPacking>xml</zs:recordPacking><zs:recordData>"
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>     cam a22      c 4500</leader>{}</record></zs:recordData>'
    "<zs:recordPosition>{}</zs:recordPosition></zs:record>"
)
_DIAGNOSTIC = (
    '<zs:diagnostics xmlns:diag="http://www.loc.gov/zing/srw/diagnostic/"><diag:diagnostic><diag:uri>info:srw/diagnostic/1/16'
    "</diag:uri><diag:message>Unsupported index</diag:message></diag:diagnostic></zs:diagnostics>"
)


class SruCatalogue:
    """A catalogue that holds the works of some types. With ``shift``, every book found is exchanged for a later one.

    path, indexes (of ISBNs, titles, names): of its address and queries. relators: whether headings say what somebody did.
    first_of_many: whether of four authors or more only the first is named, as the rules wanted it until 2013.
    """

    path = ""
    indexes = ("", "", "")
    types: frozenset[str] = BOOKS
    relators = True
    first_of_many = False

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._books = [work for work in facts.works if work.type in self.types]
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != self.path or parameters.get("operation") != "searchRetrieve":
            return Reply(404, "text/plain", b"not found")
        clauses = [_TERM.findall(part) for part in parameters.get("query", "").split(" or ")]
        if not all(clauses) or any(index not in self.indexes for clause in clauses for index, _ in clause):
            return _xml("<zs:numberOfRecords>0</zs:numberOfRecords>" + _DIAGNOSTIC)
        found = [i for i, book in enumerate(self._books) if any(self._fits(book, clause) for clause in clauses)]
        shown = found[: int(parameters.get("maximumRecords", "10"))]
        records = "".join(
            _RECORD.format("".join(self._marc(self._books[(i + self._shift) % len(self._books)])), place)
            for place, i in enumerate(shown, start=1)
        )
        held = f"<zs:records>{records}</zs:records>" if records else ""
        return _xml(f"<zs:numberOfRecords>{len(found)}</zs:numberOfRecords>{held}")

    def _fits(self, book: Work, clause: Sequence[tuple[str, str]]) -> bool:
        isbn, title, _ = self.indexes
        known = {word for name in (*book.authors, *book.editors) for word in words(str(name))}
        return all(
            value in book.isbn
            if index == isbn
            else set(words(value)) <= (set(words(book.title)) if index == title else known)
            for index, value in clause
        )

    def _marc(self, book: Work) -> Iterator[str]:
        year = str(book.issued[0]) if book.issued else ""
        people = book.authors or book.editors
        many = self.first_of_many and len(people) >= _OTHERS
        yield f'<controlfield tag="001">{100_000_000 + stable_number(book.id, 800_000_000)}</controlfield>'
        yield f'<controlfield tag="008">000101s{year.ljust(4)}    xx            000 0 eng  </controlfield>'
        yield _field("010", " ", a=f"   {10_000_000 + stable_number(book.id, 80_000_000)}")
        for isbn in book.isbn:
            yield _field("020", " ", a=isbn)
        for place, name in enumerate(people[:1] if many else people):
            yield self._heading(name, "1" if place == 0 and book.authors else "7", "edt" if not book.authors else "aut")
        title, _, subtitle = book.title.partition(": ")
        named = f"{people[0]} ... [et al.]" if many else _listed(list(map(str, people)))
        statement = ("" if book.authors else "edited by ") + named
        rest = {"b": f"{subtitle} /"} if subtitle else {}
        yield _field("245", "1", a=title + (" :" if subtitle else " /"), **rest, c=f"{statement}.")
        if book.type == "dissertation":
            yield _field("502", " ", b="Dissertation", c=book.publisher, d=year)
        else:
            yield _field("264", " ", a="[S.l.] :", b=f"{book.publisher},", c=f"[{year}]")

    def _heading(self, name: Name, place: str, role: str) -> str:
        stated = {"e": "Verfasser" if role == "aut" else "Herausgeber", "4": role} if self.relators else {}
        if name.literal:
            return _field(f"{place}10", "2", a=name.literal, **stated)
        return _field(f"{place}00", "1", a=f"{name.family}, {name.given},", **stated)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _field(tag: str, first: str, **subfields: str) -> str:
    held = "".join(f'<subfield code="{code}">{escape(value)}</subfield>' for code, value in subfields.items())
    return f'<datafield tag="{tag}" ind1="{first}" ind2=" ">{held}</datafield>'


def _xml(body: str) -> Reply:
    return Reply(200, "text/xml", _SHELL.format(body).encode())
