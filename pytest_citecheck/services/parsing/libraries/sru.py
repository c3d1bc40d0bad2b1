"""Library catalogues over SRU (Search/Retrieve via URL 1.1, loc.gov/standards/sru) with records in MARCXML.

A query in CQL joins several questions by ``or``; what belongs to which is seen from the records. A catalogue is never complete,
so a book that it lacks is evidence of nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.model import Absent, Answer, Found, Question, Record, Unavailable
from pytest_citecheck.services.base import MalformedAnswerError, Request, Response, Source
from pytest_citecheck.services.parsing.json_body import whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import main_words, plain_words
from pytest_citecheck.services.parsing.title_batch import titled_alike
from pytest_citecheck.services.parsing.unread import without_absences
from pytest_citecheck.services.parsing.xml_body import parse_xml
from pytest_citecheck.services.parsing.xml_text import without_namespaces
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET  # types only
    from collections.abc import Sequence

__all__ = ["SruCatalogue"]

_MOST_WORDS = 6
_NEXT_TITLE = lazy_pattern(r"(?<=\)) or (?=\()")


class SruCatalogue(Source):
    """A catalogue of books, asked by ISBN and by title with the first author.

    path: below the base URL. isbn_index, title_index, name_index: of its CQL. hits: the most records of an answer.
    """

    path: str
    isbn_index: str
    title_index: str
    name_index: str
    hits = 60

    @abstractmethod
    def read(self, element: ET.Element) -> Record | None:
        """The record of one MARC record with local names; None if it cannot be read."""

    def accepts(self, question: Question) -> bool:
        """ISBNs of 13 digits whose check digit is right, and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "isbn" and find_isbns(question.value) == ((question.value,), "")

    def request(self, questions: Sequence[Question]) -> Request:
        """``searchRetrieve`` for these ISBNs, or for the words of these titles with their first authors."""
        return self._search(" or ".join(map(self._clause, questions)))

    def _search(self, query: str) -> Request:
        url = query_url(
            f"{self.base_url}/{self.path}",
            ("version", "1.1"),
            ("operation", "searchRetrieve"),
            ("query", query),
            ("maximumRecords", self.hits),
            ("recordSchema", "marcxml"),
        )
        return Request(self.name, url, accept="application/xml, text/xml")

    def _clause(self, question: Question) -> str:
        if question.kind == "isbn":
            return f'{self.isbn_index}="{question.value}"'
        title = main_words(question.value, _MOST_WORDS, with_author=bool(question.authors))
        terms = [(self.title_index, word) for word in title]
        # The last word of a family name is in every form of it, the particles are not.
        terms += [(self.name_index, word) for name in question.authors[:1] for word in plain_words(name)[-1:]]
        return "(" + " and ".join(f'{index}="{word.lower()}"' for index, word in terms) + ")"

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for diagnostics, and for all but whole lists of MARC records."""
        elements, total = self._records(response)
        records = [record for record in map(self.read, elements) if record is not None]
        if elements and not records:
            raise MalformedAnswerError(f"no record of {self.label}'s answer could be read")
        cut = total > len(elements)
        answers: dict[Question, Answer] = {
            question: _numbered(question, records, cut=cut)
            if question.kind == "isbn"
            else titled_alike(question, records, cut=cut)
            for question in questions
        }
        return without_absences(answers, self.label) if len(records) < len(elements) else answers

    def _records(self, response: Response) -> tuple[list[ET.Element], int]:
        """The MARC records of an answer, and how many the catalogue has."""
        if response.status >= 300:
            raise MalformedAnswerError(f"{self.label} answered status {response.status}")
        root = without_namespaces(parse_xml(response.body))
        total = whole_number(root.findtext("numberOfRecords"))
        if root.tag != "searchRetrieveResponse" or total is None or root.find("diagnostics") is not None:
            raise MalformedAnswerError(f"{self.label}'s answer is no list of records")
        held = root.findall("records/record")
        elements = [found for data in held if (found := data.find("recordData/record")) is not None]
        if len(elements) < len(held) or len(held) < min(total, self.hits):
            raise MalformedAnswerError(f"{self.label}'s answer contains {len(elements)} of {total} records")
        return elements, total

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask for each ISBN or title of a query alone."""
        query = parameter(request.url, "query")
        clauses = _NEXT_TITLE.split(query) if query.startswith("(") else query.split(" or ")
        return tuple(map(self._search, clauses))


def _numbered(question: Question, records: Sequence[Record], *, cut: bool) -> Answer:
    """The records that state the ISBN; if there is none, an absence only where the answer shows all that was found."""
    mine = tuple(record for record in records if question.value in record.isbn)
    if mine:
        return Found(mine)
    return Unavailable("malformed", "the answer was full before it came to this ISBN") if cut else Absent()
