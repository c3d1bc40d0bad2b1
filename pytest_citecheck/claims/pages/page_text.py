"""The text of a page, of a PDF or of an abstract behind a URL, asked for as any source is.

Documentation: RFC 9110, section 15.5. Its rules are those of `pytest_citecheck.services.web_page`: named hosts only, no private
addresses, also not along redirects, one request a second to a host. It is asked on request only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

from pytest_citecheck.claims.manuscripts.source_folder import html_text, pdf_text
from pytest_citecheck.claims.pages.markup import Element, parse_page
from pytest_citecheck.claims.safety import LONGEST_SOURCE
from pytest_citecheck.model import Absent, Answer, Found, Question, Record
from pytest_citecheck.services.base import MalformedAnswerError, Request, Response
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.services.web_page.api import WebPage
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["PAGE_TEXT", "WIKI_PAGE", "PageText", "WikiSource", "abstract_urls", "page_of", "text_of"]

_TEXT = "text"
_SHORTEST = 100  # characters of a page that has something to say
_LARGEST = 8_000_000
_ARCHIVED = lazy_pattern(r"(//web\.archive\.org/web/\d{4,14})(/)")
_CHARSET = lazy_pattern(r"charset=[\"']?([\w.-]+)", re.IGNORECASE)
_TAGS = lazy_pattern(r"<[^<>]{0,200}>")


class PageText(WebPage):
    """Any server of the web, asked for the text of one page; the record holds the text (`text_of`)."""

    name = "page_text"
    label = "texts of web pages"
    batch: Mapping[str, int] = {"url": 1}  # type: ignore[assignment]
    enough_bytes = None  # type: ignore[assignment]
    largest_body = _LARGEST

    def request(self, questions: Sequence[Question]) -> Request:
        """The URL; of the Wayback Machine the page as it was, without its frame."""
        asked = super().request(questions)
        return Request(self.name, _ARCHIVED.sub(r"\1id_\2", asked.url), accept=asked.accept)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Found with the text, or Absent. Raises MalformedAnswerError for what has none."""
        question = questions[0]
        host = urlsplit(question.value).hostname or ""
        if response.status in (404, 410):
            return {question: Absent(f"{host} answers {response.status}")}
        if response.status >= 300:
            raise MalformedAnswerError(f"{host} answered status {response.status}")
        found = self.read(response)
        if len(found.strip()) < _SHORTEST and not _is_json(response):
            raise MalformedAnswerError(f"{host} sent hardly any text")
        if not found.strip():
            raise MalformedAnswerError(f"{host} sent no abstract")
        related = ((_TEXT, found),)
        return {
            question: Found((Record(self.name, question.value, url=question.value, related=related, compiled=True),))
        }

    def read(self, response: Response) -> str:
        """The text. Raises MalformedAnswerError, and ValueError for a PDF that cannot be read."""
        return _read(response)[: 2 * LONGEST_SOURCE]


class WikiSource(PageText):
    """A wiki, asked for the HTML of a page."""

    name = "wiki_page"
    label = "pages of wikis"

    def read(self, response: Response) -> str:
        """The page as it is."""
        return page_of(response)


PAGE_TEXT, WIKI_PAGE = PageText(), WikiSource()


def text_of(record: Record) -> str:
    """The text that an answer of `PageText` holds."""
    return next((value for name, value in record.related if name == _TEXT), "")


def page_of(response: Response) -> str:
    """The body as text, in the encoding that it states."""
    charset = _CHARSET.search(response.headers.get("content-type", ""))
    try:
        return response.body.decode(charset[1] if charset else "utf-8", errors="replace")
    except LookupError:
        return response.body.decode("utf-8", errors="replace")


def abstract_urls(doi: str, arxiv: str, pmid: str) -> tuple[str, ...]:
    """Where services give the abstract of a work with these identifiers."""
    europe_pmc = "https://www.ebi.ac.uk/europepmc/webservices/rest/search?resultType=core&format=json&pageSize=1&query="
    urls = []
    if pmid:
        urls.append(f"{europe_pmc}ext_id%3A{quote(pmid, safe='')}%20src%3Amed")
    if arxiv:
        urls.append(f"https://export.arxiv.org/abs/{quote(arxiv, safe='/.')}")
    if doi:
        urls += [
            f"https://api.crossref.org/works/{quote(doi, safe='')}",
            f"{europe_pmc}doi%3A%22{quote(doi, safe='')}%22",
        ]
    return tuple(urls)


def _is_json(response: Response) -> bool:
    return "json" in response.headers.get("content-type", "").lower()


def _read(response: Response) -> str:
    kind = response.headers.get("content-type", "").lower()
    if "pdf" in kind or response.body[:5] == b"%PDF-":
        return pdf_text(response.body)
    if _is_json(response):
        return _abstract(response.body)
    page = page_of(response)
    if "html" in kind or page.lstrip()[:1] == "<":
        return _main_text(page)
    if not kind.startswith("text/"):
        raise MalformedAnswerError(f"the page is of the type {kind[:60] or 'none'}, which has no text")
    return page


def _main_text(page: str) -> str:
    root = parse_page(page)
    elements: dict[str, Element] = {}
    for one in root.walk():
        elements.setdefault("abstract" if one.tag == "blockquote" and "abstract" in one.classes else one.tag, one)
    for tag in ("abstract", "article", "main"):
        if tag in elements and len(found := " ".join(elements[tag].text().split())) >= _SHORTEST:
            return found
    return html_text(page)


def _abstract(body: bytes) -> str:
    """The abstract in an answer of Crossref or Europe PMC; empty if it has none."""
    whole = mapping(parse_json(body))
    listed = mapping(whole.get("resultList")).get("result")
    works = [mapping(whole.get("message")), *(map(mapping, listed) if isinstance(listed, list) else ())]
    stated = next(filter(None, (text(work.get("abstract")) or text(work.get("abstractText")) for work in works)), "")
    return " ".join(_TAGS.sub(" ", stated).split())
