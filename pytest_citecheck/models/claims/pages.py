"""The text of a page, of a PDF or of an abstract behind a URL, asked for as any source is.

Documentation: RFC 9110, section 15.5. Its rules are those of `pytest_citecheck.sources.web_page`: named hosts only, no private
addresses, also not along redirects, one request a second to a host. It is asked on request only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, urljoin, urlsplit, urlunsplit

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Identifiers, Query, Record
from pytest_citecheck.models.claims.source_texts import SILENT, Element, decoded_page, html_text, parse_page, pdf_text
from pytest_citecheck.models.claims.usable import unusable
from pytest_citecheck.sources import (
    MalformedAnswerError,
    Request,
    Response,
    WebPage,
    listing,
    mapping,
    parse_json,
    text,
)

_TEXT = "text"
_SHORTEST = 100  # characters of a page that has something to say
_LARGEST = 8_000_000
_LONGEST = 4_000_000  # characters of a text
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
    refuses = True
    """True if a paywall, a robot check or an error page does not count as an answer."""

    def request(self, queries: Sequence[Query]) -> Request:
        """The URL; of the Wayback Machine the page as it was, without its frame."""
        asked = super().request(queries)
        return Request(self.name, _ARCHIVED.sub(r"\1id_\2", asked.url), accept=asked.accept)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Found with the text, or Absent. Raises MalformedAnswerError for what has none."""
        query = queries[0]
        host = urlsplit(query.value).hostname or ""
        if response.status in (404, 410):
            return {query: Absent(f"{host} answers {response.status}")}
        if response.status >= 300:
            raise MalformedAnswerError(f"{host} answered status {response.status}")
        found = self.read(response)
        if self.refuses and not _is_json(response) and "almost" not in (problem := unusable(found)) and problem:
            raise MalformedAnswerError(f"{host}: {problem}")
        if len(found.strip()) < _SHORTEST and not _is_json(response):
            raise MalformedAnswerError(f"{host} sent almost no text")
        if not found.strip():
            raise MalformedAnswerError(f"{host} sent no abstract")
        related = ((_TEXT, found),)
        return {query: Found((Record(self.name, query.value, url=query.value, related=related, compiled=True),))}

    def read(self, response: Response) -> str:
        """The text. Raises MalformedAnswerError, and ValueError for a PDF that cannot be read."""
        return _read(response)[:_LONGEST]


class _RawPage(PageText):
    """A server asked for a body as it is."""

    refuses = False

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    def read(self, response: Response) -> str:
        return page_of(response)


PAGE_TEXT = PageText()
WIKI_PAGE = _RawPage("wiki_page", "pages of wikis")
EUROPE_PMC_IDS = _RawPage("europe_pmc_ids", "identifiers of Europe PMC")
"""Europe PMC, asked which of its full texts a work is."""


def text_of(record: Record) -> str:
    """The text that an answer of `PageText` holds."""
    return next((value for name, value in record.related if name == _TEXT), "")


def page_of(response: Response) -> str:
    """The body as text, in the encoding that it states."""
    charset = _CHARSET.search(response.headers.get("content-type", ""))
    return decoded_page(response.body, charset[1] if charset else "")


_EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_PMLR = lazy_pattern(r"proceedings\.mlr\.press/(v\d{1,3}|r\d{1,2})/([a-z][\w-]{2,60}?)(?:\.html|/|\Z)")
_ACL = lazy_pattern(
    r"aclanthology\.org/([A-Z]\d\d-\d{4,5}|\d{4}\.[\w-]{1,60}\.\d{1,4})(?=\.pdf|/|\Z)|10\.18653/v1/(\S{4,60})"
)


def full_text_urls(cited: Identifiers, pmcid: str = "") -> tuple[str, ...]:
    """Where services give the full text of a work. pmcid: of Europe PMC, if the reference does not state it."""
    urls = []
    if cited.arxiv:
        name = quote(cited.arxiv, safe="/.")
        urls += [f"https://export.arxiv.org/html/{name}", f"https://export.arxiv.org/pdf/{name}"]
    if pmcid or cited.pmcid:
        urls.append(f"{_EUROPE_PMC}/{quote(pmcid or cited.pmcid, safe='')}/fullTextXML")
    paper = _ACL.search(cited.url) or _ACL.search(cited.doi)
    name = cited.acl or (paper[1] or paper[2] if paper else "")
    if name:
        urls.append(f"https://aclanthology.org/{quote(name.upper() if name[0].isalpha() else name, safe='.-')}.pdf")
    if pmlr := _PMLR.search(cited.url):
        urls += [f"https://proceedings.mlr.press/{pmlr[1]}/{pmlr[2]}{rest}.pdf" for rest in (f"/{pmlr[2]}", "")]
    return tuple(urls)


def europe_pmc_search(doi: str, pmid: str) -> str:
    """The query for the identifier of a full text in Europe PMC; empty without an identifier of the work."""
    return _search("lite", doi, pmid, "%20AND%20in_epmc%3Ay") if pmid or doi else ""


def _search(kind: str, doi: str, pmid: str, more: str = "") -> str:
    found = f"ext_id%3A{quote(pmid, safe='')}%20src%3Amed" if pmid else f"doi%3A%22{quote(doi, safe='')}%22"
    return f"{_EUROPE_PMC}/search?resultType={kind}&format=json&pageSize=1&query={found}{more}"


def _works(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(map(mapping, listing(mapping(answer.get("resultList")).get("result"))))


def europe_pmc_id(answer: str) -> str:
    """The identifier of the full text in an answer of `europe_pmc_search`; empty if there is none."""
    try:
        works = _works(mapping(parse_json(answer.encode())))
    except MalformedAnswerError:
        return ""
    return next((name for work in works if _PMCID.match(name := text(work.get("pmcid")))), "")


_PMCID = lazy_pattern(r"PMC\d{1,10}\Z")


def abstract_urls(doi: str, arxiv: str, pmid: str) -> tuple[str, ...]:
    """Where services give the abstract of a work with these identifiers."""
    urls = [_search("core", "", pmid)] if pmid else []
    if arxiv:
        urls.append(f"https://export.arxiv.org/abs/{quote(arxiv, safe='/.')}")
    if doi:
        urls += [f"https://api.crossref.org/works/{quote(doi, safe='')}", _search("core", doi, "")]
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
        raise MalformedAnswerError(f"the page has the content type {kind[:60] or 'none'}, which is not text")
    return page


def _main_text(page: str) -> str:
    root = parse_page(page)
    elements: dict[str, Element] = {}
    if "<article-meta" in page:  # the XML of journals: without its lists of references
        parts = [element.text() for element in root.walk() if element.tag in ("abstract", "body")]
        return "\n".join(" ".join(part.split()) for part in parts)
    for one in root.walk():
        elements.setdefault("abstract" if one.tag == "blockquote" and "abstract" in one.classes else one.tag, one)
    for tag in ("abstract", "article", "main"):
        if tag in elements and len(found := " ".join(elements[tag].text().split())) >= _SHORTEST:
            return found
    return html_text(page)


def _abstract(body: bytes) -> str:
    """The abstract in an answer of Crossref or Europe PMC; empty if it has none."""
    whole = mapping(parse_json(body))
    works = [mapping(whole.get("message")), *_works(whole)]
    stated = next(filter(None, (text(work.get("abstract")) or text(work.get("abstractText")) for work in works)), "")
    return " ".join(_TAGS.sub(" ", stated).split())


_MARK = lazy_pattern(r"\[\d{1,4}\]\Z")
_MARKS = re.compile(r"\[(?:\d{1,4}|[a-z]|note \d{1,3})\]")
_MAINTENANCE = lazy_pattern(
    r"\[(?:citation|clarification|page|verification|attribution|specify|quantify|additional citations?|better source|"
    r"full citation|non-primary source|third-party source|medical citation)\s*+(?:\(s\) )?(?:needed)?\]"
    r"|\[(?:when|who|which|where|why|how|by whom|according to whom|to whom|vague|sic|dubious(?:\s*+[-–]\s*+discuss)?|disputed"
    r"(?:\s*+[-–]\s*+discuss)?|failed verification|not in citation given|not specific enough to verify|unreliable source|"
    r"self-published source|original research|dead link|permanent dead link|update|needs update|opinion|weasel words|"
    r"peacock term|neutrality is disputed|undue weight(?:\s*+[-–]\s*+discuss)?|circular reference)\s*+\??\]",
    re.IGNORECASE,
)
_LONGEST_MARK = 20
_BLOCKS = frozenset({
    "p", "li", "td", "th", "dd", "dt", "caption", "figcaption", "blockquote", "div", "section", "body", "ul", "ol",
    "dl", "table", "tbody", "tr", "article", "main", "html",
})  # fmt: skip
_WIKI_SHORTEST = 10  # characters of a claim; a shorter one is the whole block
_PAGE = lazy_pattern(r"\bpp?\.\s*+(\d{1,6}(?:\s*+[-–]\s*+\d{1,6})?)", re.IGNORECASE)
_WAYBACK = lazy_pattern(r"(?:^|\.)web\.archive\.org\Z|^archive\.org\Z")
_ARCHIVES = lazy_pattern(
    r"(?:^|\.)(?:archive\.(?:today|is|ph|li|vn|fo|md)|ghostarchive\.org|webcitation\.org|perma\.cc|webarchive\.\w[\w.]*)\Z"
)
_INTERNAL = lazy_pattern(
    r"(?:^|\.)(?:wikipedia|wikimedia|wikidata|wiktionary|wikisource|mediawiki|wikimediafoundation|toolforge|wmflabs)\.org\Z"
)
_BOOK_SEARCH = lazy_pattern(r"(?:^|\.)(?:books\.google(?:\.[a-z]{2,3}){1,2}|worldcat\.org)\Z")


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """Where a reference leads. url: empty if nowhere. page: as the reference states it. text: of the reference."""

    url: str
    page: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class WikiCitation:
    """One mark in the text. number: between its brackets. occurrence: which of the marks with this number, of how many.

    group: the place of its group among all; marks of one group share the claim.
    """

    number: int
    occurrence: int
    occurrences: int
    claim: str
    container: str
    group: int
    cited: CitedPlace


@dataclass(frozen=True, slots=True)
class WikiPage:
    """A page with all its citations in their order."""

    title: str
    citations: tuple[WikiCitation, ...]

    def find(self, number: int, occurrence: int = 1) -> WikiCitation | None:
        """One citation; None if there is none: never another one in its place."""
        found = [citation for citation in self.citations if citation.number == number]
        return found[occurrence - 1] if 1 <= occurrence <= len(found) else None

    def count(self, number: int) -> int:
        """How many citations have this number."""
        return sum(citation.number == number for citation in self.citations)


def is_pinned(url: str) -> bool:
    """Return True if an address names one revision of a page."""
    parts = urlsplit(url)
    return bool(parse_qs(parts.query).get("oldid")) or "/Special:PermanentLink/" in parts.path


_REVISION = lazy_pattern(r'"wgRevisionId":\s*+(\d{1,12})|[?&;]oldid=(\d{1,12})')


def pinned(url: str, page: str) -> str:
    """The address of the revision that a wiki shows at ``url``; empty if its page does not state one."""
    if is_pinned(url):
        return url
    found = _REVISION.search(page)
    if found is None or not int(found[1] or found[2]):
        return ""
    parts = urlsplit(url)
    query = "&".join(filter(None, (parts.query, f"oldid={found[1] or found[2]}")))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


_Mark = tuple[int, str, int]
"""The number of a mark, the id that it leads to, and where it begins in the text of its block."""


def read_wiki_page(page: str, url: str) -> WikiPage:
    """The citations of a page. url: its own, to which its links are relative."""
    root = parse_page(page)
    known = {name: element for element in root.walk() if (name := element.attributes.get("id"))}
    blocks = [(words, marks) for words, marks in _blocks(root) if marks]
    counts = Counter(number for _, marks in blocks for number, _, _ in marks)
    seen: Counter[int] = Counter()
    citations: list[WikiCitation] = []
    group = -1
    for words, marks in blocks:
        whole, claim, start = _clean(words), None, 0
        for number, target, place in marks:
            if claim is None or _MARKS.sub("", words[start:place]).strip():  # a comma is something
                group += 1
                claim = _claim(words[start:place], whole)
            start = place
            seen[number] += 1
            cited = _cited(known.get(target), known, url)
            citations.append(WikiCitation(number, seen[number], counts[number], claim, whole, group, cited))
    heading = next((element.text() for element in root.walk() if element.tag == "h1"), "")
    return WikiPage(" ".join(heading.split()), tuple(citations))


def _claim(text: str, whole: str) -> str:
    claim = _clean(text)
    return claim if len(claim) >= _WIKI_SHORTEST else whole


def _clean(text: str) -> str:
    squeezed = " ".join(_MARKS.sub("", text).split())  # no-break spaces too
    return re.sub(r" ([.,;:!?])", r"\1", " ".join(_MAINTENANCE.sub("", squeezed).split())).strip(" ,;")


def _blocks(root: Element) -> Iterator[tuple[str, list[_Mark]]]:
    """Each block with its text and the marks in it: what stands in a block within is not its own."""
    left = [root]
    while left:
        block = left.pop()
        parts: list[str] = []
        marks: list[_Mark] = []
        length = 0
        inner: list[Element] = []
        stack: list[str | Element] = list(reversed(block.parts))
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                parts.append(part)
                length += len(part)
            elif part.tag in SILENT or "mw-editsection" in part.classes:
                continue
            elif part.tag in _BLOCKS:
                inner.append(part)
            elif part.tag in ("sup", "a", "span") and _MARK.fullmatch(shown := part.text(_LONGEST_MARK).strip()):
                marks.append((int(shown[1:-1]), _target(part), length))
                parts.append(shown)
                length += len(shown)
            else:
                stack += reversed(part.parts)
        yield "".join(parts), marks
        left += reversed(inner)


def _target(mark: Element) -> str:
    links = (element.attributes.get("href", "") for element in mark.walk() if element.tag == "a")
    return next((link.partition("#")[2] for link in links if "#" in link), "")


def _cited(note: Element | None, known: dict[str, Element], url: str) -> CitedPlace:
    """What a reference in the list cites: the best of its own links, else of the full citation that a short one points to."""
    if note is None:
        return CitedPlace("")
    text = " ".join(note.text().split())
    stated = _PAGE.search(text)
    page = stated[1].replace(" ", "") if stated else ""
    links = _links(note, url)
    if not links:
        for one in note.walk():
            target = one.attributes.get("href", "").partition("#")[2] if one.tag == "a" else ""
            if target.startswith("CITEREF") and target in known:
                full = known[target]
                return CitedPlace(_best(_links(full, url)), page, " ".join(full.text().split())[:500])
    return CitedPlace(_best(links), page, text[:500])


def _links(element: Element, url: str) -> list[str]:
    """The external links of an element in their order."""
    own = urlsplit(url).hostname or ""
    found = []
    for one in element.walk():
        if one.tag != "a" or not one.attributes.get("href"):
            continue
        try:
            target = urljoin(url, one.attributes["href"].strip())
            parts = urlsplit(target)
        except ValueError:
            continue
        host = (parts.hostname or "").lower()
        if parts.scheme not in ("http", "https") or not host or host == own or _INTERNAL.search(host):
            continue
        if not _BOOK_SEARCH.search(host):
            found.append(target)
    return found


def _best(links: list[str]) -> str:
    """The copy of the Wayback Machine, else the page itself, else a copy in another archive."""

    def order(link: str) -> int:
        host = (urlsplit(link).hostname or "").lower()
        return 0 if _WAYBACK.search(host) else 2 if _ARCHIVES.search(host) else 1

    return min(links, key=order, default="")
