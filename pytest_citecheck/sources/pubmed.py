"""PubMed: citations of the biomedical literature by PubMed id and by title.

Documentation: the E-utilities, ncbi.nlm.nih.gov/books/NBK25499. ``efetch`` returns whole records for ids and omits
unknown ids. ``ecitmatch`` returns the id of the work at a journal, volume and page; it tolerates a wrong year or author.
``esearch`` returns ids only: an answer to a title is a list of records without a title whose ``pmid`` must be queried. It
does not assign ids to DOIs, so DOIs are not queried. Absence: complete for PubMed ids, which only it assigns; none for
titles and places. Author order: as printed; lists of more than ten were cut until 1999, as the records state.
Limits: 3 requests a second, 10 with a key (NBK25497).

MEDLINE's form of titles, journals and notices, which Europe PMC shares: MEDLINE/PubMed Data Element (Field) Descriptions
(nlm.nih.gov/bsd/mms/medlineelements.html, fields TI, TT, JT and "Comments/Corrections"), Errata, Retractions, and Other Linked
Citations in PubMed (nlm.nih.gov/bsd/policy/errata).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote
from zlib import crc32

from pytest_citecheck.matching import BLANKS, MAYBE_BLANKS, MONTHS, asked_place, lazy_pattern, without_markup
from pytest_citecheck.model import (
    Absent,
    Answer,
    Found,
    Notice,
    NoticeKind,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
)
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dumps import Piece, XmlError, XmlFormat, XmlReader, decode, element
from pytest_citecheck.sources.parsing import (
    answer_with,
    arxiv_id,
    doi_name,
    isbn_numbers,
    parameter,
    parse_xml,
    pmc_id,
    pubmed_id,
    query_url,
    stated_name,
    stated_parts,
    unique,
    whole_number,
    without_absences,
    year_of,
)
from pytest_citecheck.sources.search import plain_words, whole_words

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

_NO_TITLE = lazy_pattern(r"\[?\s*(?:not available|no title available)\s*\]?", re.IGNORECASE)
_TRANSLATORS_NOTE = lazy_pattern(MAYBE_BLANKS + r"\((?:author's |proceedings \()?transl\)*\Z", re.IGNORECASE)
_INITIALISM = lazy_pattern(r"(?:\b[^\W\d_]\.){2}\Z|\.\.\Z")
# "Science (New York, N.Y.)", "BMJ (Clinical research ed.)": distinguished from namesakes by a place or an edition.
_QUALIFIER = lazy_pattern(BLANKS + r"\([^()]*\)\Z")

# The names of the two services differ in capitals and spaces only: "RetractionIn", "Retraction in".
_NOTICES: Mapping[str, NoticeKind] = {
    "retractionin": "retraction",
    "retractedandrepublishedin": "retraction",
    # Part of the work remains valid.
    "partialretractionin": "correction",
    "expressionofconcernin": "concern",
    "erratumin": "correction",
    "correctedandrepublishedin": "correction",
}
_VERSIONS = {
    "updatein": "is-preprint-of",
    "preprintof": "is-preprint-of",
    "updateof": "has-preprint",
    "preprintin": "has-preprint",
}
_RETRACTED = "retracted publication"

# "BMJ. 2018 Aug 17;362:k3210": the journal, then the date of the issue.
_DATE = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)(?!\d)(?:\s+([A-Z][a-z]{2})\b(?:\s+(\d{1,2})(?!\d))?)?")
_DOI = lazy_pattern(r"\bdoi:\s*(10\.\S+)", re.IGNORECASE)


def medline_title(value: str) -> str:
    """Title in plain text, without MEDLINE's final full stop and the brackets of a translation.

    Empty if MEDLINE has none (``[Not Available].``). A full stop that belongs to the title stays (``in the U.S.``,
    ``and so on...``).
    """
    title = without_markup(value)
    if title.endswith(".") and not _INITIALISM.search(title):
        title = title[:-1].rstrip()
    if _is_bracketed(title):
        title = _TRANSLATORS_NOTE.sub("", title[1:-1].strip())
        if title.endswith(".") and not _INITIALISM.search(title):
            title = title[:-1].rstrip()
    return "" if _NO_TITLE.fullmatch(title) else title


def _is_bracketed(title: str) -> bool:
    """Return True if the first bracket is closed by the last sign: a translation, not ``[3H]Ouabain and [14C]``."""
    if not (title.startswith("[") and title.endswith("]")):
        return False
    depth = 0
    for position, sign in enumerate(title):
        depth += (sign == "[") - (sign == "]")
        if depth == 0:
            return position == len(title) - 1
    return False


def journal_names(*names: str) -> tuple[str, ...]:
    """The names of a journal, each without the place or edition that distinguishes it from namesakes, then as stated."""
    stated = [without_markup(name) for name in names]
    return tuple(dict.fromkeys(name for name in (*(_QUALIFIER.sub("", name) for name in stated), *stated) if name))


def medline_notices(links: Iterable[tuple[str, str]], types: Iterable[str], source: str) -> tuple[Notice, ...]:
    """The notices on a work, in the order of its links.

    links: kind of link and cited reference, as in ``("RetractionIn", "Lancet. 2010 Feb 6;375(9713):445")``.
    types: publication types; ``Retracted Publication`` states a retraction even without a link.
    source: source of the notices.
    """
    notices = []
    for link, reference in links:
        kind = _NOTICES.get(_key(link))
        if kind:
            notices.append(Notice(kind, source, _date(reference), cited_doi(reference)))
    if not any(notice.kind == "retraction" for notice in notices) and _RETRACTED in (kind.lower() for kind in types):
        notices.append(Notice("retraction", source))
    return tuple(dict.fromkeys(notices))


def other_version(link: str) -> str:
    """Relation of the linked work to this one, if it is its preprint or publication; else empty."""
    return _VERSIONS.get(_key(link), "")


def cited_doi(reference: str) -> str:
    """The DOI at the end of a cited reference, or empty."""
    match = _DOI.search(reference)
    return doi_name(match.group(1).rstrip(".,;")) if match else ""


def _key(link: str) -> str:
    return "".join(link.split()).lower()


def _date(reference: str) -> str:
    """The date of a cited reference in ISO 8601, as far as stated."""
    match = _DATE.search(reference)
    if not match:
        return ""
    year, month, day = match.groups()
    if not month or month.lower() not in MONTHS:
        return year
    number = MONTHS.index(month.lower()) + 1
    return f"{year}-{number:02}-{int(day):02}" if day and 1 <= int(day) <= 31 else f"{year}-{number:02}"


_NO_SUCH_ID = "PubMed has no such PMID"
_MOST_WORDS = 8
_SHORT_TITLE = 4
_MOST_HITS = 5


class PubMed(base.Source):
    """The E-utilities of PubMed as a source of records (see the module)."""

    name = "pubmed"
    label = "PubMed"
    base_url = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    documentation = "https://www.ncbi.nlm.nih.gov/books/NBK25499/"
    batch: Mapping[QueryKind, int] = {"pmid": 200, "title": 1, "place": 25}
    rate = base.Rate(per_second=3.0, concurrency=2)
    limits = "3 requests a second; 10 with a key"
    terms = base.Terms("may be redistributed with attribution, except publishers' abstracts")
    absence = "complete for PubMed ids, which only PubMed assigns; no evidence for titles"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = base.Role(
        looks_up=("pmid",), titles=(base.TitleSearch("single", 30, ("biomedical", "chemistry"), base.PAPERS),)
    )
    # The first citation of all (Biochem Med, 1975).
    controls: Mapping[QueryKind, Query] = {
        "pmid": Query("pmid", "1"),
        "title": Query("title", "Formate assay in body fluids: application in methanol poisoning", ("Makar",)),
    }
    contact: Mapping[str, str] = {"tool": "pytest-citecheck", "email": "{contact}"}
    credentials = base.Credentials(
        variable="NCBI_API_KEY", parameter="api_key", rate=base.Rate(per_second=10.0, concurrency=3)
    )

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``efetch`` for ids, ``ecitmatch`` for places; ``esearch`` for the words of a title, with the first author if they are
        few."""
        return base.Request(self.name, self._url(queries), accept="application/xml")

    def _url(self, queries: Sequence[Query]) -> str:
        first = queries[0]
        if first.kind == "pmid":
            names = ",".join(query.value for query in queries)
            return query_url(f"{self.base_url}/efetch.fcgi", ("db", "pubmed"), ("id", names), ("retmode", "xml"))
        if first.kind == "place":
            lines = "\r".join(map(_citation, queries))
            return query_url(f"{self.base_url}/ecitmatch.cgi", ("db", "pubmed"), ("retmode", "xml"), ("bdata", lines))
        return query_url(
            f"{self.base_url}/esearch.fcgi",
            ("db", "pubmed"),
            ("term", _term(first)),
            ("retmax", _MOST_HITS),
            ("sort", "relevance"),
            ("retmode", "xml"),
        )

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError unless the body is a whole set of citations or list of ids."""
        if response.status >= 300:
            raise base.MalformedAnswerError(f"PubMed answered status {response.status}")
        if queries[0].kind == "place":
            return _at_places(queries, response.body)
        root = parse_xml(response.body, doctype=True)
        _require_no_error(root)
        if queries[0].kind == "title":
            return dict.fromkeys(queries, _candidates(root))
        records, unread = _citations(root)
        if not records:
            raise base.MalformedAnswerError(
                "PubMed's answer contains no citation, not even the one that it certainly has"
            )
        answers = {query: _answer(query, records) for query in queries}
        return without_absences(answers, self.label) if unread else answers

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each id of a list alone."""
        if lines := parameter(request.url, "bdata"):
            before = request.url.partition("bdata=")[0]
            return tuple(replace(request, url=f"{before}bdata={quote(line, safe='')}") for line in lines.split("\r"))
        names = parameter(request.url, "id").split(",")
        return tuple(self.request([Query("pmid", name)]) for name in names if name) or (request,)


_PLACE_FIELDS = 7


def _citation(query: Query) -> str:
    asked = asked_place(query.value)
    author = " ".join(plain_words(query.authors[0])).lower() if query.authors else ""
    parts = (" ".join(plain_words(asked.journal)).lower(), str(query.year or ""), asked.volume, asked.first, author)
    return "|".join((*parts, _key_of(query), ""))


def _key_of(query: Query) -> str:
    return f"k{crc32(query.value.encode()):08x}"


def _at_places(queries: Sequence[Query], body: bytes) -> dict[Query, Answer]:
    """The ids by key. Lines may be missing, and everything but an id (``NOT_FOUND``, ``AMBIGUOUS …``, nothing) is no evidence."""
    lines = [line.split("|") for line in body.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines or any(len(line) != _PLACE_FIELDS for line in lines):
        raise base.MalformedAnswerError("PubMed's answer is not a list of citations with their ids")
    found = {line[5].strip(): line[6].strip() for line in lines}
    ids = {query: found.get(_key_of(query), "") for query in queries}
    return {query: Found((_pointer(pmid),)) if pubmed_id(pmid) else Absent() for query, pmid in ids.items()}


def _pointer(pmid: str) -> Record:
    """A record that a search returned by id only."""
    return Record(source="pubmed", id=pmid, url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/", pmid=pmid)


def _term(query: Query) -> str:
    """The words of the title that PubMed indexes, each in the title; lower case, as AND, OR and NOT are operators."""
    words = whole_words(query.value, _MOST_WORDS)
    term = " AND ".join(f"{word.lower()}[ti]" for word in words)
    author = " ".join(plain_words(query.authors[0])).lower() if query.authors else ""
    return f"{term} AND {author}[au]" if author and len(words) < _SHORT_TITLE else term


def _require_no_error(root: ET.Element) -> None:
    error = root.find("ERROR")
    if error is not None:
        raise base.MalformedAnswerError(f"PubMed refused the request: {(error.text or '').strip()}")


def _citations(root: ET.Element) -> tuple[Mapping[str, Record], bool]:
    """The records of a set of citations by PubMed id, and whether one could not be read."""

    if root.tag != "PubmedArticleSet":
        raise base.MalformedAnswerError(f"PubMed's answer is not a set of citations but {root.tag[:60]}")
    read = [parse_article(element) for element in root if element.tag in CITATIONS]
    return {record.pmid: record for record in read if record}, None in read


def _answer(query: Query, records: Mapping[str, Record]) -> Answer:
    record = records.get(query.value)
    return Found((record,)) if record else Absent(_NO_SUCH_ID)


def _candidates(root: ET.Element) -> Found | Absent:
    """Ids of a search, as records without other data."""
    listed = root.find("IdList")
    count, start = whole_number(root.findtext("Count")), whole_number(root.findtext("RetStart"))
    if root.tag != "eSearchResult" or listed is None or count is None or start is None:
        raise base.MalformedAnswerError(f"PubMed's answer is not a list of ids but {root.tag[:60]}")
    ids = [(one.text or "").strip() for one in listed.iterfind("Id")]
    size = whole_number(root.findtext("RetMax"))
    expected = max(min(count - start, _MOST_HITS if size is None else size), 0)
    if len(ids) < expected:
        raise base.MalformedAnswerError(f"PubMed's answer contains {len(ids)} of {expected} ids")
    if not all(map(pubmed_id, ids)):
        raise base.MalformedAnswerError("PubMed's answer contains ids of another database")
    return answer_with(map(_pointer, ids))


PUBMED = PubMed()


CITATIONS = frozenset({"PubmedArticle", "PubmedBookArticle"})
"""The elements that describe a work."""

_YEARS = lazy_pattern(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_TYPES: Mapping[str, RecordType] = {"preprint": "preprint", "dataset": "dataset"}
# PubMedPubDate: dates of publication, and those on which PubMed heard of the work.
_PUBLISHED = frozenset({"epublish", "ppublish", "ecollection", "aheadofprint"})
_LISTED = frozenset({"pubmed", "entrez"})


def parse_article(element: ET.Element) -> Record | None:
    """The record of a ``PubmedArticle`` or ``PubmedBookArticle``; None for anything else and without a PubMed id.

    The first year is the year of the issue; a work that PubMed listed in an earlier year was out by then, so that year
    counts as well. Other titles are the one in the language of the work, where PubMed states a translation.
    Investigators are not authors, and names that were stated in error are left out.
    """
    if element.tag == "PubmedArticle":
        citation = element.find("MedlineCitation")
        return _article(element, citation) if citation is not None else None
    if element.tag == "PubmedBookArticle":
        document = element.find("BookDocument")
        return _book(element, document) if document is not None else None
    return None


def _article(element: ET.Element, citation: ET.Element) -> Record | None:
    pmid = _pmid(citation)
    article = citation.find("Article")
    if not pmid or article is None:
        return None
    issue = "Journal/JournalIssue"
    authors, complete = _people(article, "authors")
    editors, _ = _people(article, "editors")
    types = [_text(one) for one in article.iterfind("PublicationTypeList/PublicationType")]
    links = [
        (link.get("RefType", ""), _text(link.find("RefSource")))
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    identifiers = element.findall("PubmedData/ArticleIdList/ArticleId")
    dois = _dois(article, identifiers)
    title, others = _titles(article)
    return Record(
        source="pubmed",
        id=pmid,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        title=title,
        other_titles=others,
        authors=authors,
        authors_complete=complete,
        editors=editors,
        years=_article_years(element, article),
        venues=journal_names(
            _text(article.find("Journal/Title")),
            _text(article.find("Journal/ISOAbbreviation")),
            _text(citation.find("MedlineJournalInfo/MedlineTA")),
        ),
        type=next((_TYPES[kind.lower()] for kind in types if kind.lower() in _TYPES), "article"),
        doi=dois[0] if dois else "",
        arxiv=_arxiv(article),
        pmid=pmid,
        volume=_text(article.find(f"{issue}/Volume")),
        number=_text(article.find(f"{issue}/Issue")),
        pages=_pages(article),
        issn=unique((_text(article.find("Journal/ISSN")), _text(citation.find("MedlineJournalInfo/ISSNLinking")))),
        related=_related(dois[1:], identifiers, links),
        notices=medline_notices(links, types, "pubmed"),
    )


def _book(element: ET.Element, document: ET.Element) -> Record | None:
    """A book of NCBI's Bookshelf, or a chapter of one if it has its own title."""
    pmid = _pmid(document)
    book = document.find("Book")
    if not pmid or book is None:
        return None
    container = medline_title(_text(book.find("BookTitle")))
    own, others = _titles(document)
    series = medline_title(_text(book.find("CollectionTitle")))
    of_book, complete = _people(book, "authors")
    of_chapter, chapter_complete = _people(document, "authors")
    editors = _people(book, "editors")[0] + _people(document, "editors")[0]
    dois = _dois(document, element.iterfind("PubmedBookData/ArticleIdList/ArticleId")) or (
        () if own else _dois(book, ())
    )
    dates = ["Book/PubDate", "Book/BeginningDate", "Book/EndingDate"]
    # A chapter of a living book is cited with the year in which it was written or revised.
    dates = ["ContributionDate", *dates, "DateRevised"] if own else dates
    return Record(
        source="pubmed",
        id=pmid,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        title=own or container,
        other_titles=others,
        authors=of_chapter or of_book,
        authors_complete=chapter_complete if of_chapter else complete,
        editors=tuple(dict.fromkeys(editors)),
        years=_years(year for name in dates for year in _dated(document.find(name))),
        venues=unique((container, series) if own else (series,)),
        type="chapter" if own else "book",
        publisher=without_markup(_text(book.find("Publisher/PublisherName"))),
        doi=dois[0] if dois else "",
        pmid=pmid,
        volume=_text(book.find("Volume")),
        pages=_pages(document),
        isbn=isbn_numbers(map(_text, book.iterfind("Isbn"))),
    )


def _text(element: ET.Element | None) -> str:
    """All text within the element, on one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _pmid(element: ET.Element) -> str:
    return pubmed_id(_text(element.find("PMID")))


def _titles(element: ET.Element) -> tuple[str, tuple[str, ...]]:
    """The title, and the one in the language of the work; this alone if MEDLINE has no translation."""
    title = medline_title(_marked_up(element.find("ArticleTitle")))
    vernacular = medline_title(_marked_up(element.find("VernacularTitle")))
    return (title, unique((vernacular,))) if title and vernacular != title else (title or vernacular, ())


def _marked_up(element: ET.Element | None) -> str:
    """The text of a title, with formulas closed up: each of their symbols is on a separate line."""
    if element is None:
        return ""
    for formula in [node for node in element.iter() if node.tag.rpartition("}")[2].rpartition(":")[2] == "math"]:
        inner = [node for node in formula.iter() if "annotation" not in node.tag]
        symbols = "".join((node.text or "").strip() for node in inner)
        tail = formula.tail
        formula.clear()
        formula.text, formula.tail = symbols, tail
    return _text(element)


def _people(element: ET.Element, kind: str) -> tuple[tuple[Person, ...], bool]:
    """Persons and groups of the lists of that kind (``authors`` if a list has no kind), and True if these are complete."""
    people: list[Person] = []
    complete = True
    for listed in element.iterfind("AuthorList"):
        if listed.get("Type", "authors").lower() == kind:
            complete = complete and listed.get("CompleteYN", "Y") != "N"
            people += [person for author in listed.iterfind("Author") if (person := _person(author))]
    return tuple(people), complete


def _person(author: ET.Element) -> Person | None:
    if author.get("ValidYN", "Y") == "N":
        return None
    group = stated_name(_text(author.find("CollectiveName")))
    if group:
        return Person(literal=group, group=True)
    given = stated_name(_text(author.find("ForeName"))) or stated_name(_text(author.find("Initials")))
    family, given = stated_parts(_text(author.find("LastName")), given)
    if not family:
        return Person(literal=given) if given else None
    return Person(family=family, given=given, suffix=without_markup(_text(author.find("Suffix"))))


def _dated(date: ET.Element | None) -> list[int]:
    """The years of a date: ``Year``, or all in a ``MedlineDate`` (``1998 Dec-1999 Jan``)."""
    if date is None:
        return []
    year = year_of(_text(date.find("Year")))
    return [year] if year else [int(found) for found in _YEARS.findall(_text(date.find("MedlineDate")))]


def _years(found: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(found))


def _article_years(element: ET.Element, article: ET.Element) -> tuple[int, ...]:
    years = _dated(article.find("Journal/JournalIssue/PubDate"))
    for date in article.iterfind("ArticleDate"):
        years += _dated(date)
    listed = []
    for date in element.iterfind("PubmedData/History/PubMedPubDate"):
        status = date.get("PubStatus", "")
        if status in _PUBLISHED:
            years += _dated(date)
        elif status in _LISTED:
            listed += _dated(date)
    return _years([*years, *(year for year in listed if years and year < min(years))])


def _pages(element: ET.Element) -> str:
    stated = _text(element.find("Pagination/MedlinePgn"))
    if stated:
        # "2237-8; author reply 2238"
        return stated.partition(";")[0].strip()
    start, end = _text(element.find("Pagination/StartPage")), _text(element.find("Pagination/EndPage"))
    return f"{start}-{end}" if start and end else start


def _locations(element: ET.Element, kind: str) -> list[str]:
    return [
        _text(location)
        for location in element.iterfind("ELocationID")
        if location.get("EIdType") == kind and location.get("ValidYN", "Y") != "N"
    ]


def _dois(element: ET.Element, identifiers: Iterable[ET.Element]) -> tuple[str, ...]:
    """The DOI in the citation itself, then that among the identifiers of the article; a few works have two."""
    stated = _locations(element, "doi")
    stated += [_text(identifier) for identifier in identifiers if identifier.get("IdType") == "doi"]
    return unique(map(doi_name, stated))


def _arxiv(article: ET.Element) -> str:
    stated = [location for location in _locations(article, "pii") if location.lower().startswith("arxiv:")]
    return arxiv_id(stated[0]) if stated else ""


def _related(
    dois: Iterable[str], identifiers: Iterable[ET.Element], links: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Further DOIs, the id in PubMed Central, preprint and publication of the same work."""
    related = [("is-identical-to", doi) for doi in dois]
    related += [
        ("pmcid", pmc_id(_text(identifier).upper())) for identifier in identifiers if identifier.get("IdType") == "pmc"
    ]
    related += [(other_version(link), cited_doi(reference)) for link, reference in links]
    return tuple(dict.fromkeys((relation, target) for relation, target in related if relation and target))


_TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
_HOME = lazy_pattern(rb"<(?:!DOCTYPE\s+)?(?:Pubmed(?:Book)?Article(?:Set)?|DeleteCitation)\b")
_FRAME = lazy_pattern(
    rb"\A(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?Pubmed(?:Book)?ArticleSet\b[^<>]*>)*", re.DOTALL
)
_PMID = lazy_pattern(rb"<PMID[^<>]*>\s*(\d{1,8})")


class _PubmedReader(XmlReader):
    """The ids that ``DeleteCitation`` lists go into ``context.deleted``."""

    def record(self, piece: Piece) -> Record | None:
        root = element(decode(piece.data))
        if piece.tag == "DeleteCitation":
            self.context.deleted += filter(pubmed_id, ((listed.text or "").strip() for listed in root.iterfind("PMID")))
            return None
        record = parse_article(root)
        if record is None:
            raise XmlError(_why_none(root))
        return record

    def stated_id(self, piece: Piece) -> str:
        stated = _PMID.search(piece.data)
        return stated[1].decode() if stated else ""


class PubmedXml(XmlFormat):
    """Files of PubMed (see the module)."""

    name = "pubmed-xml"
    source = "pubmed"
    home, tags, frame, reader = _HOME, _TAGS, _FRAME, _PubmedReader


def _why_none(root: ET.Element) -> str:
    """Why an element is no record."""
    if root.find("*/Article") is None and root.find("*/Book") is None:
        return "the record has no article" if root.tag == "PubmedArticle" else "the record has no book"
    return "the record has no PubMed id"


PUBMED_XML = PubmedXml()
DUMPS = (PUBMED_XML,)
