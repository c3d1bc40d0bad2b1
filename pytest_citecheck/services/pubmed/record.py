"""One article or book as PubMed describes it in XML, as a record.

Source: MEDLINE/PubMed XML element descriptions (nlm.nih.gov/bsd/licensee/elements_descriptions.html) and the
document type dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name, isbn_numbers, pmc_id, pubmed_id
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.medline import (
    cited_doi,
    journal_names,
    medline_notices,
    medline_title,
    other_version,
)
from pytest_citecheck.services.parsing.stated_names import stated_name, stated_parts
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping

__all__ = ["CITATIONS", "parse_article"]

CITATIONS = frozenset({"PubmedArticle", "PubmedBookArticle"})
"""The elements that describe a work."""

_YEARS = lazy_pattern(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_TYPES: Mapping[str, RecordType] = {"preprint": "preprint", "dataset": "dataset"}
# PubMedPubDate: dates of publication, and those on which PubMed heard of the work.
_PUBLISHED = frozenset({"epublish", "ppublish", "ecollection", "aheadofprint"})
_LISTED = frozenset({"pubmed", "entrez"})


def parse_article(element: ET.Element) -> Record | None:
    """The record of a ``PubmedArticle`` or ``PubmedBookArticle``; None for anything else and without a PubMed id.

    The first year is that of the issue; a work that PubMed listed in an earlier year was out by then, so that year
    counts as well. Other titles are the one in the language of the work, where PubMed states a translation.
    Investigators are no authors, and names that were stated in error are left out.
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
        issn=_unique(
            _text(article.find("Journal/ISSN")),
            _text(citation.find("MedlineJournalInfo/ISSNLinking")),
        ),
        related=_related(dois[1:], identifiers, links),
        notices=medline_notices(links, types, "pubmed"),
    )


def _book(element: ET.Element, document: ET.Element) -> Record | None:
    """A book of NCBI's Bookshelf, or a chapter of one if it has a title of its own."""
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
        venues=_unique(container, series) if own else _unique(series),
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


def _unique(*values: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _pmid(element: ET.Element) -> str:
    return pubmed_id(_text(element.find("PMID")))


def _titles(element: ET.Element) -> tuple[str, tuple[str, ...]]:
    """The title, and the one in the language of the work; this alone if MEDLINE has no translation."""
    title = medline_title(_marked_up(element.find("ArticleTitle")))
    vernacular = medline_title(_marked_up(element.find("VernacularTitle")))
    return (title, _unique(vernacular)) if title and vernacular != title else (title or vernacular, ())


def _marked_up(element: ET.Element | None) -> str:
    """The text of a title, with formulas closed up: their symbols stand on lines of their own."""
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
    """The persons and groups of the lists of that kind (``authors`` if a list says nothing), and if these are complete."""
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
    return _unique(*map(doi_name, stated))


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
