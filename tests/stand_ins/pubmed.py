"""The local PubMed: ``efetch.fcgi`` with ids and ``esearch.fcgi`` with words of a title, in XML; ``ecitmatch.cgi`` with places.

Written after "The E-utilities In-Depth" (NBK25499), the document types that the answers name, and real answers of
2012 to 2026. As in the service itself, ``efetch`` leaves out ids that it does not have, and a search wants every word.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from tests.stand_ins.facts import Name, Work
from tests.stand_ins.replies import Parameters, Reply
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import DateParts, Facts

_XML = "text/xml; charset=UTF-8"
_HEADERS = {"server": "Finatra", "x-ratelimit-limit": "3", "ncbi-phid": "1D33FA9E5B5B4B0100002C1E6F8A0A01.1.1"}
_SET = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN"'
    ' "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)
_SEARCH = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch 20060628//EN"'
    ' "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">\n'
)
_FETCH_ERROR = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eEfetchResult PUBLIC "-//NLM//DTD efetch 20131226//EN"'
    ' "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20131226/efetch.dtd">\n'
)
_TERM = re.compile(r"\s*([^\[\]]+?)\s*\[(ti|au)\]\s*")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RETRACTED = ("D016441", "Retracted Publication")
_LINKS = {"retraction": "RetractionIn", "concern": "ExpressionOfConcernIn", "correction": "ErratumIn"}

_FIRST = Work(
    id="makar1975formate",
    title="Formate assay in body fluids: application in methanol poisoning",
    type="journal-article",
    authors=(
        Name(given="A B", family="Makar"),
        Name(given="K E", family="McMartin"),
        Name(given="M", family="Palese"),
        Name(given="T R", family="Tephly"),
    ),
    container="Biochemical medicine",
    short_container="Biochem Med",
    issued=(1975, 6),
    volume="13",
    issue="2",
    pages="117-26",
    issn=("0006-2944",),
    doi="10.1016/0006-2944(75)90147-7",
    agency="Crossref",
    pmid="1",
)


def medline_works(facts: Facts) -> tuple[Work, ...]:
    """Return the works with a PubMed id. PubMed also has its first citation, unless there are no facts at all."""
    held = tuple(work for work in facts.works if work.pmid)
    return held if not facts.works or any(work.pmid == _FIRST.pmid for work in held) else (*held, _FIRST)


def stopped(title: str) -> str:
    """The title as MEDLINE ends it."""
    return title if title.endswith(("?", "!", ".")) else f"{title}."


def initials(given: str) -> str:
    """Return the initials of given names as in MEDLINE (``DG`` for ``David G.``)."""
    parts = re.split(r"[\s.-]+", given)
    return "".join(part if part.isupper() else part[0] for part in parts if part)


class PubMed:
    """PubMed's answers to GET requests. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        works = medline_works(facts)
        self._shown = {work.pmid: works[(place + shift) % len(works)] for place, work in enumerate(works)}
        self._works = works

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path == "/ecitmatch.cgi":
            return self._matched(parameters)
        if path not in ("/efetch.fcgi", "/esearch.fcgi"):
            return Reply(404, "text/html; charset=UTF-8", b"<html><body><h1>Not Found</h1></body></html>", _HEADERS)
        if parameters.get("db") != "pubmed" or parameters.get("retmode") != "xml":
            return self._error(_SEARCH, "eSearchResult", f"Invalid db name specified: {parameters.get('db')}")
        return self._fetch(parameters) if path == "/efetch.fcgi" else self._search(parameters)

    def _error(self, head: str, tag: str, text: str) -> Reply:
        root = ET.Element(tag)
        _add(root, "ERROR", text)
        return _reply(head, root)

    def _fetch(self, parameters: Parameters) -> Reply:
        asked = [name.strip() for name in parameters.get("id", "").split(",") if name.strip()]
        if not asked:
            return self._error(_FETCH_ERROR, "eFetchResult", "Supplied id parameter is empty.")
        root = ET.Element("PubmedArticleSet")
        for pmid in dict.fromkeys(asked):
            if pmid in self._shown:
                root.append(_article(self._shown[pmid]))
        return _reply(_SET, root)

    def _matched(self, parameters: Parameters) -> Reply:
        """Return each line with the id of the work at its journal, volume and page; year and author may be wrong."""
        lines = []
        for line in filter(None, re.split(r"[\r\n]+", parameters.get("bdata", ""))):
            journal, year, volume, page, author, key, *_ = line.split("|")
            known = [
                work for work in self._works if words(journal) in map(words, (work.container, work.short_container))
            ]
            there = [work for work in known if (work.volume, work.pages.partition("-")[0]) == (volume, page)]
            if not known:
                author, found = "", "NOT_FOUND;INVALID_JOURNAL"
            elif len(there) == 1:
                found = self._shown[there[0].pmid].pmid
            else:
                found = f"AMBIGUOUS ({len(there)} citations)" if there else "NOT_FOUND"
            lines.append(f"{journal}|{year}|{volume}|{page}|{author}|{key}|{found}")
        return Reply(200, "text/plain; charset=UTF-8", "\n".join([*lines, ""]).encode(), _HEADERS)

    def _search(self, parameters: Parameters) -> Reply:
        """Return works with all words of the term, the shortest titles first as a substitute for relevance."""
        terms = [
            match.groups() for part in parameters.get("term", "").split(" AND ") if (match := _TERM.fullmatch(part))
        ]
        if not terms:
            return self._error(_SEARCH, "eSearchResult", "Empty term and query_key - nothing todo")
        found = sorted(
            (work for work in self._works if all(_has(work, *term) for term in terms)),
            key=lambda work: len(words(work.title)),
        )
        most = int(parameters.get("retmax", "20"))
        root = ET.Element("eSearchResult")
        shown = [self._shown[work.pmid].pmid for work in found[:most]]
        for tag, number in (("Count", len(found)), ("RetMax", len(shown)), ("RetStart", 0)):
            _add(root, tag, str(number))
        ids = _add(root, "IdList")
        for pmid in shown:
            _add(ids, "Id", pmid)
        _add(root, "TranslationSet")
        names = {"ti": "Title", "au": "Author"}
        _add(root, "QueryTranslation", " AND ".join(f'"{text}"[{names[field]}]' for text, field in terms))
        missing = [text for text, field in terms if not any(_has(work, text, field) for work in self._works)]
        if missing:
            errors = _add(root, "ErrorList")
            for text in missing:
                _add(errors, "PhraseNotFound", text)
        if not found:
            _add(_add(root, "WarningList"), "OutputMessage", "No items found.")
        return _reply(_SEARCH, root)


def _has(work: Work, text: str, field: str) -> bool:
    if field == "ti":
        return set(words(text)) <= set(words(f"{work.title} {work.subtitle}"))
    return any(words(name.family or name.literal) == words(text) for name in work.authors)


def _reply(head: str, root: ET.Element) -> Reply:
    return Reply(200, _XML, (head + ET.tostring(root, encoding="unicode")).encode(), _HEADERS)


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, attributes)
    element.text = text or None
    return element


def _article(work: Work) -> ET.Element:
    root = ET.Element("PubmedArticle")
    citation = _add(root, "MedlineCitation", Status="MEDLINE", Owner="NLM", IndexingMethod="Manual")
    _add(citation, "PMID", work.pmid, Version="1")
    article = _add(citation, "Article", PubModel="Print-Electronic" if work.online else "Print")
    _journal(article, work)
    # "[…]." is a translation; without one the element is empty.
    translated = work.title != work.vernacular
    title = f"[{work.title}]" if work.vernacular else work.title
    _add(article, "ArticleTitle", stopped(title) if translated else "")
    if work.pages:
        _add(_add(article, "Pagination"), "MedlinePgn", work.pages)
    if work.doi:
        _add(article, "ELocationID", work.doi, EIdType="doi", ValidYN="Y")
    if work.authors:
        authors = _add(article, "AuthorList", CompleteYN="Y")
        for name in work.authors:
            _author(authors, name)
    _add(article, "Language", "swe" if work.vernacular else "eng")
    types = _add(article, "PublicationTypeList")
    _add(types, "PublicationType", "Journal Article", UI="D016428")
    if any(notice.kind == "retraction" for notice in work.notices):
        _add(types, "PublicationType", _RETRACTED[1], UI=_RETRACTED[0])
    if work.vernacular:
        _add(article, "VernacularTitle", f"{work.vernacular}.")
    if work.online:
        _date(_add(article, "ArticleDate", DateType="Electronic"), work.online, named=False)
    _journal_info(citation, work)
    _links(citation, work)
    _data(root, work)
    return root


def _journal(article: ET.Element, work: Work) -> None:
    journal = _add(article, "Journal")
    for number in work.issn[:1]:
        _add(journal, "ISSN", number, IssnType="Print")
    issue = _add(journal, "JournalIssue", CitedMedium="Print")
    for tag, value in (("Volume", work.volume), ("Issue", work.issue)):
        if value:
            _add(issue, tag, value)
    _date(_add(issue, "PubDate"), work.print or work.issued, named=True)
    _add(journal, "Title", work.container)
    _add(journal, "ISOAbbreviation", work.short_container or work.container)


def _date(date: ET.Element, parts: DateParts, *, named: bool) -> None:
    for tag, number in zip(("Year", "Month", "Day"), parts, strict=False):
        _add(date, tag, _MONTHS[number - 1] if tag == "Month" and named else f"{number:02}")


def _author(authors: ET.Element, name: Name) -> None:
    author = _add(authors, "Author", ValidYN="Y")
    if name.literal:
        _add(author, "CollectiveName", name.literal)
        return
    _add(author, "LastName", name.family)
    if name.given:
        _add(author, "ForeName", name.given.replace(".", ""))
        _add(author, "Initials", initials(name.given))
    if name.suffix:
        _add(author, "Suffix", name.suffix.rstrip("."))


def _journal_info(citation: ET.Element, work: Work) -> None:
    info = _add(citation, "MedlineJournalInfo")
    _add(info, "MedlineTA", (work.short_container or work.container).replace(".", ""))
    for number in work.issn[:1]:
        _add(info, "ISSNLinking", number)


def _links(citation: ET.Element, work: Work) -> None:
    links = [(_LINKS[notice.kind], notice) for notice in work.notices if notice.kind in _LINKS]
    if not links:
        return
    listed = _add(citation, "CommentsCorrectionsList")
    for kind, notice in links:
        year, *rest = notice.date
        day = " ".join([str(year), *(_MONTHS[rest[0] - 1] for _ in rest[:1]), *map(str, rest[1:])])
        source = f"{work.short_container or work.container}. {day}"
        source += f". doi: {notice.doi}." if notice.doi else ""
        _add(_add(listed, "CommentsCorrections", RefType=kind), "RefSource", source)


def _data(root: ET.Element, work: Work) -> None:
    data = _add(root, "PubmedData")
    _add(data, "PublicationStatus", "ppublish")
    identifiers = _add(data, "ArticleIdList")
    stated: Sequence[tuple[str, str]] = (("pubmed", work.pmid), ("pmc", work.pmcid), ("doi", work.doi))
    for kind, value in stated:
        if value:
            _add(identifiers, "ArticleId", value, IdType=kind)
