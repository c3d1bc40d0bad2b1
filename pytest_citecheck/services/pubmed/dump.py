"""The XML files of PubMed: the yearly baseline and the daily updates, ``pubmed24n0001.xml.gz``.

Documentation: "Download PubMed Data" (pubmed.ncbi.nlm.nih.gov/download), MEDLINE/PubMed XML element descriptions
(nlm.nih.gov/bsd/licensee/elements_descriptions.html) and pubmed_240101.dtd. What the parts of a record mean is read as the
source of single records reads it (services/pubmed/record.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import doi_name, name, year_in
from pytest_citecheck.services.dumps.xml_pieces import XmlError, decode, element, pieces
from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Iterator

__all__ = ["PUBMED_XML", "PubmedXml"]

_TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
_HOME = re.compile(rb"<(?:!DOCTYPE\s+)?(?:Pubmed(?:Book)?Article(?:Set)?|DeleteCitation)\b")
_FRAME = re.compile(
    rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?Pubmed(?:Book)?ArticleSet\b[^<>]*>)*", re.DOTALL
)
_PMID = re.compile(rb"<PMID[^<>]*>\s*(\d{1,8})")
_DIGITS = re.compile(r"[1-9]\d{0,7}")
_NO_TITLE = re.compile(r"\[?\s*(?:not available|no title available)\s*\]?", re.IGNORECASE)
_TRANSLATORS_NOTE = re.compile(MAYBE_BLANKS + r"\((?:author's |proceedings \()?transl\)*\Z", re.IGNORECASE)
# A stop that belongs to the title: "in the U.S.", "and so on...".
_INITIALISM = re.compile(r"(?:\b[^\W\d_]\.){2}\Z|\.\.\Z")
# "Science (New York, N.Y.)": told apart from namesakes by a place.
_QUALIFIER = re.compile(BLANKS + r"\([^()]*\)\Z")
_TYPES = {"preprint": "preprint", "dataset": "dataset"}


class PubmedXml:
    """Reads files of PubMed (see the module)."""

    name = "pubmed-xml"
    source = "pubmed"

    def recognises(self, head: Head) -> bool:
        """By its document type, root element or first record."""
        return _HOME.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry an article or book; the ids that ``DeleteCitation`` lists go into ``context.deleted``."""
        source = context.source or self.source
        told = False
        for piece in pieces(chunks, _TAGS, context):
            if isinstance(piece, Problem):
                yield piece
                told = True
                continue
            if not told and not _FRAME.fullmatch(piece.before):
                yield context.problem(piece.offset - len(piece.before), "text that belongs to no record")
            told = False
            if not piece.tag:
                return
            try:
                root = element(decode(piece.data))
                if piece.tag == "DeleteCitation":
                    context.deleted += filter(_DIGITS.fullmatch, map(_text, root.iterfind("PMID")))
                    continue
                entry = _article(root, source) if piece.tag == "PubmedArticle" else _book(root, source)
            except XmlError as error:
                stated = _PMID.search(piece.data)
                yield context.problem(piece.offset, str(error), record=stated[1].decode() if stated else "")
            else:
                yield entry


def _article(root: ET.Element, source: str) -> Entry:
    """Raises XmlError without a PubMed id or an article."""
    citation = root.find("MedlineCitation")
    article = citation.find("Article") if citation is not None else None
    if citation is None or article is None:
        raise XmlError("the record has no article")
    pmid = _pmid(citation)
    authors, complete = _people(article, "authors")
    editors, _ = _people(article, "editors")
    issue = "Journal/JournalIssue"
    names = [_text(article.find("Journal/Title")), _text(article.find("Journal/ISOAbbreviation"))]
    names.append(_text(citation.find("MedlineJournalInfo/MedlineTA")))
    names = list(dict.fromkeys(_QUALIFIER.sub("", stated) for stated in names if stated)) or [""]
    types = (_text(one).lower() for one in article.iterfind("PublicationTypeList/PublicationType"))
    stated = (_date_year(article.find(f"{issue}/PubDate")), *map(_date_year, article.iterfind("ArticleDate")))
    return Entry(
        source,
        pmid,
        _title(article),
        authors,
        next(filter(None, stated), None),
        names[0],
        _doi(article, root.iterfind("PubmedData/ArticleIdList/ArticleId")),
        _arxiv(article),
        f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        next((_TYPES[kind] for kind in types if kind in _TYPES), "article"),
        pmid,
        venues=tuple(names[1:]),
        volume=_text(article.find(f"{issue}/Volume")),
        number=_text(article.find(f"{issue}/Issue")),
        pages=_pages(article),
        editors=editors,
        complete=complete,
    )


def _book(root: ET.Element, source: str) -> Entry:
    """A book of NCBI's Bookshelf, or a chapter of one if it has a title. Raises XmlError without a PubMed id or a book."""
    document = root.find("BookDocument")
    book = document.find("Book") if document is not None else None
    if document is None or book is None:
        raise XmlError("the record has no book")
    pmid = _pmid(document)
    container, own = _bare(_text(book.find("BookTitle"))), _title(document)
    series = _bare(_text(book.find("CollectionTitle")))
    of_chapter, chapter_complete = _people(document, "authors")
    of_book, complete = _people(book, "authors")
    editors, _ = _people(book, "editors")
    names = [stated for stated in ((container, series) if own else (series,)) if stated] or [""]
    dates = (document.find(path) for path in ("Book/PubDate", "Book/BeginningDate", "ContributionDate"))
    numbers = [_text(number) for number in book.iterfind("Isbn")]
    return Entry(
        source,
        pmid,
        own or container,
        of_chapter or of_book,
        next(filter(None, map(_date_year, dates)), None),
        names[0],
        _doi(document, root.iterfind("PubmedBookData/ArticleIdList/ArticleId")) or ("" if own else _doi(book, ())),
        "",
        f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        "chapter" if own else "book",
        pmid,
        isbn=tuple(dict.fromkeys(isbn for number in numbers for isbn in find_isbns(number)[0])),
        venues=tuple(names[1:]),
        volume=_text(book.find("Volume")),
        pages=_pages(document),
        editors=editors,
        complete=chapter_complete if of_chapter else complete,
    )


def _text(node: ET.Element | None) -> str:
    """All text within the element, on one line."""
    return "" if node is None else " ".join("".join(node.itertext()).split())


def _pmid(node: ET.Element) -> str:
    pmid = _text(node.find("PMID"))
    if not _DIGITS.fullmatch(pmid):
        raise XmlError("the record has no PubMed id")
    return pmid


def _title(node: ET.Element) -> str:
    """The title; the one in the language of the work only if MEDLINE has no translation."""
    return _bare(_marked_up(node.find("ArticleTitle"))) or _bare(_marked_up(node.find("VernacularTitle")))


def _marked_up(node: ET.Element | None) -> str:
    """The text of a title, with formulas closed up: their symbols stand on lines of their own."""
    if node is None:
        return ""
    for formula in [child for child in node.iter() if child.tag.rpartition("}")[2].rpartition(":")[2] == "math"]:
        symbols = "".join((child.text or "").strip() for child in formula.iter() if "annotation" not in child.tag)
        tail = formula.tail
        formula.clear()
        formula.text, formula.tail = symbols, tail
    return _text(node)


def _bare(title: str) -> str:
    """The title without the stop that MEDLINE puts at its end and the brackets of a translation."""
    title = _unstopped(title)
    if title.startswith("[") and title.endswith("]") and "]" not in title[:-1]:
        title = _unstopped(_TRANSLATORS_NOTE.sub("", title[1:-1].strip()))
    return "" if _NO_TITLE.fullmatch(title) else title


def _unstopped(title: str) -> str:
    return title[:-1].rstrip() if title.endswith(".") and not _INITIALISM.search(title) else title


def _people(node: ET.Element, kind: str) -> tuple[tuple[str, ...], bool]:
    """The persons and groups of the lists of that kind (``authors`` if a list says nothing), and if these are complete."""
    people: list[str] = []
    complete = True
    for listed in node.iterfind("AuthorList"):
        if listed.get("Type", "authors").lower() == kind:
            complete = complete and listed.get("CompleteYN", "Y") != "N"
            people += filter(None, map(_person, listed.iterfind("Author")))
    return tuple(people), complete


def _person(author: ET.Element) -> str:
    if author.get("ValidYN", "Y") == "N":
        return ""
    group = name(_text(author.find("CollectiveName")))
    if group:
        return group
    family = name(_text(author.find("LastName")))
    given = name(_text(author.find("ForeName"))) or name(_text(author.find("Initials")))
    if not family:
        return given
    return ", ".join(filter(None, (family, given, _text(author.find("Suffix")))))


def _date_year(date: ET.Element | None) -> int | None:
    """The year of a date: ``Year``, or the first in a ``MedlineDate`` (``1998 Dec-1999 Jan``)."""
    return None if date is None else year_in(_text(date.find("Year"))) or year_in(_text(date.find("MedlineDate")))


def _pages(node: ET.Element) -> str:
    stated = _text(node.find("Pagination/MedlinePgn"))
    if stated:
        return stated.partition(";")[0].strip()  # "2237-8; author reply 2238"
    ends = (_text(node.find("Pagination/StartPage")), _text(node.find("Pagination/EndPage")))
    return "-".join(dict.fromkeys(filter(None, ends)))


def _locations(node: ET.Element, kind: str) -> list[str]:
    places = node.iterfind("ELocationID")
    return [_text(place) for place in places if place.get("EIdType") == kind and place.get("ValidYN", "Y") != "N"]


def _doi(node: ET.Element, identifiers: Iterable[ET.Element]) -> str:
    stated = [*_locations(node, "doi"), *(_text(one) for one in identifiers if one.get("IdType") == "doi")]
    return next(filter(None, map(doi_name, stated)), "")


def _arxiv(node: ET.Element) -> str:
    return next(
        (normalise_arxiv(place)[0] for place in _locations(node, "pii") if place.lower().startswith("arxiv:")), ""
    )


PUBMED_XML = PubmedXml()
