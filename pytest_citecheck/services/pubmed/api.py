"""PubMed: citations of the biomedical literature by PubMed id and by title.

Documentation: the E-utilities, ncbi.nlm.nih.gov/books/NBK25499. ``efetch`` gives whole records for ids and says nothing
of ids that it does not have. ``esearch`` gives nothing but ids: an answer to a title is a list of records without a title
whose ``pmid`` has to be asked for. Which id belongs to which DOI of several it cannot tell, so DOIs are not asked.
Absence: complete for PubMed ids, which it alone gives; none for titles. Author order: as printed; lists of more than ten
were cut until 1999, which the records say. Limits: 3 requests a second, 10 with a key (NBK25497).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record
from pytest_citecheck.services.base import (
    PAPERS,
    Credentials,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
    TitleSearch,
)
from pytest_citecheck.services.parsing.identifiers import pubmed_id
from pytest_citecheck.services.parsing.json_body import whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words, whole_words

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping, Sequence

__all__ = ["PUBMED", "PubMed"]

_NO_SUCH_ID = "PubMed has no such PMID"
_MOST_WORDS = 8
_SHORT_TITLE = 4
_MOST_HITS = 5


class PubMed(Source):
    """The E-utilities of PubMed as a source of records (see the module)."""

    name = "pubmed"
    label = "PubMed"
    base_url = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    documentation = "https://www.ncbi.nlm.nih.gov/books/NBK25499/"
    batch: Mapping[QuestionKind, int] = {"pmid": 200, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=3.0, concurrency=2)
    limits = "3 requests a second; 10 with a key"
    terms = Terms("may be handed on with the source named; abstracts of publishers may not")
    absence = "complete for PubMed ids, which PubMed alone assigns; no evidence for titles"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    role = Role(
        looks_up=("pmid",),
        titles=(TitleSearch("single", 30, ("biomedical", "chemistry"), PAPERS),),
    )
    # The first citation of all (Biochem Med, 1975).
    witnesses: Mapping[QuestionKind, Question] = {
        "pmid": Question("pmid", "1"),
        "title": Question("title", "Formate assay in body fluids: application in methanol poisoning", ("Makar",)),
    }
    contact: Mapping[str, str] = {"tool": "pytest-citecheck", "email": "{contact}"}
    credentials = Credentials(variable="NCBI_API_KEY", parameter="api_key", rate=Rate(per_second=10.0, concurrency=3))

    def accepts(self, question: Question) -> bool:
        """Well-formed PubMed ids, and titles with a word."""
        if question.kind == "pmid":
            return bool(pubmed_id(question.value))
        return question.kind == "title" and bool(plain_words(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``efetch`` for ids; ``esearch`` for the words of a title, with the first author if they are few."""
        return Request(self.name, self._url(questions), accept="application/xml")

    def _url(self, questions: Sequence[Question]) -> str:
        first = questions[0]
        if first.kind == "pmid":
            names = ",".join(question.value for question in questions)
            return query_url(f"{self.base_url}/efetch.fcgi", ("db", "pubmed"), ("id", names), ("retmode", "xml"))
        return query_url(
            f"{self.base_url}/esearch.fcgi",
            ("db", "pubmed"),
            ("term", _term(first)),
            ("retmax", _MOST_HITS),
            ("sort", "relevance"),
            ("retmode", "xml"),
        )

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError unless the body is a whole set of citations or list of ids."""
        from pytest_citecheck.services.parsing.unread import without_absences
        from pytest_citecheck.services.parsing.xml_body import parse_xml

        if response.status >= 300:
            raise MalformedAnswerError(f"PubMed answered status {response.status}")
        root = parse_xml(response.body, doctype=True)
        _require_no_error(root)
        if questions[0].kind == "title":
            return dict.fromkeys(questions, _candidates(root))
        records, unread = _citations(root)
        if not records:
            raise MalformedAnswerError("PubMed's answer contains no citation, not even the one that it certainly has")
        answers = {question: _answer(question, records) for question in questions}
        return without_absences(answers, self.label) if unread else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each id of a list alone."""
        names = parameter(request.url, "id").split(",")
        return tuple(self.request([Question("pmid", name)]) for name in names if name) or (request,)


def _term(question: Question) -> str:
    """The words of the title that PubMed indexes, each in the title; lower case, as AND, OR and NOT are operators."""
    words = whole_words(question.value, _MOST_WORDS)
    term = " AND ".join(f"{word.lower()}[ti]" for word in words)
    author = " ".join(plain_words(question.authors[0])).lower() if question.authors else ""
    return f"{term} AND {author}[au]" if author and len(words) < _SHORT_TITLE else term


def _require_no_error(root: ET.Element) -> None:
    error = root.find("ERROR")
    if error is not None:
        raise MalformedAnswerError(f"PubMed refused the request: {(error.text or '').strip()}")


def _citations(root: ET.Element) -> tuple[Mapping[str, Record], bool]:
    """The records of a set of citations by PubMed id, and whether one could not be read."""
    from pytest_citecheck.services.pubmed.record import CITATIONS, parse_article

    if root.tag != "PubmedArticleSet":
        raise MalformedAnswerError(f"PubMed's answer is not a set of citations but {root.tag[:60]}")
    read = [parse_article(element) for element in root if element.tag in CITATIONS]
    return {record.pmid: record for record in read if record}, None in read


def _answer(question: Question, records: Mapping[str, Record]) -> Answer:
    record = records.get(question.value)
    return Found((record,)) if record else Absent(_NO_SUCH_ID)


def _candidates(root: ET.Element) -> Found | Absent:
    """The ids of a search, as records that say no more than that."""
    listed = root.find("IdList")
    count, start = whole_number(root.findtext("Count")), whole_number(root.findtext("RetStart"))
    if root.tag != "eSearchResult" or listed is None or count is None or start is None:
        raise MalformedAnswerError(f"PubMed's answer is not a list of ids but {root.tag[:60]}")
    found = [(one.text or "").strip() for one in listed.iterfind("Id")]
    size = whole_number(root.findtext("RetMax"))
    expected = max(min(count - start, _MOST_HITS if size is None else size), 0)
    if len(found) < expected:
        raise MalformedAnswerError(f"PubMed's answer contains {len(found)} of {expected} ids")
    if not all(map(pubmed_id, found)):
        raise MalformedAnswerError("PubMed's answer contains ids of another database")
    pointers = tuple(
        Record(source="pubmed", id=pmid, url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/", pmid=pmid) for pmid in found
    )
    return Found(pointers) if pointers else Absent()


PUBMED = PubMed()
