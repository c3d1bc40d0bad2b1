"""The claims of a page of a wiki (MediaWiki), and what each of its references cites.

Source: alex-o-748/citation-checker-script, rules of extraction. A claim is the text before a mark ``[N]``, from the mark before
it that has text of its own; marks with nothing between them share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urljoin, urlsplit

from pytest_citecheck.claims.pages.markup import SILENT, Element, parse_page
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["CitedPlace", "WikiCitation", "WikiPage", "is_pinned", "read_wiki_page"]

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
_BLOCKS = frozenset(
    {"p", "li", "td", "th", "dd", "dt", "caption", "figcaption", "blockquote", "div", "section", "body", ""}
)
_SHORTEST = 10  # characters of a claim; a shorter one is the whole block
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
        found = [one for one in self.citations if one.number == number]
        return found[occurrence - 1] if 1 <= occurrence <= len(found) else None


def is_pinned(url: str) -> bool:
    """Whether an address names one revision of a page."""
    parts = urlsplit(url)
    return bool(parse_qs(parts.query).get("oldid")) or "/Special:PermanentLink/" in parts.path


@dataclass(slots=True)
class _Mark:
    number: int
    target: str
    block: Element
    start: int  # in the text of the block


def read_wiki_page(page: str, url: str) -> WikiPage:
    """The citations of a page. url: its own, to which its links are relative."""
    root = parse_page(page)
    known = {element.id: element for element in root.walk() if element.id}
    texts: dict[int, str] = {}
    cleaned: dict[int, str] = {}
    marks: list[_Mark] = []
    for block, text, own in _blocks(root):
        if own:
            texts[id(block)], cleaned[id(block)] = text, _clean(text)
        marks += own
    counts: dict[int, int] = {}
    for mark in marks:
        counts[mark.number] = counts.get(mark.number, 0) + 1
    seen: dict[int, int] = {}
    citations: list[WikiCitation] = []
    places: dict[str, CitedPlace] = {}
    group, before = -1, None
    for mark in marks:
        text, whole = texts[id(mark.block)], cleaned[id(mark.block)]
        within = before is not None and before.block is mark.block
        start = before.start if before is not None and within else 0
        adjacent = within and not _said(text[start : mark.start])
        if not adjacent:
            group += 1
        seen[mark.number] = seen.get(mark.number, 0) + 1
        if mark.target not in places:
            places[mark.target] = _cited(known.get(mark.target), known, url)
        citations.append(
            WikiCitation(
                mark.number,
                seen[mark.number],
                counts[mark.number],
                citations[-1].claim if adjacent else _claim(text[start : mark.start], whole),
                whole,
                group,
                places[mark.target],
            )
        )
        before = mark
    heading = next((one.text() for one in root.walk() if one.tag == "h1"), "")
    return WikiPage(" ".join(heading.split()), tuple(citations))


def _said(text: str) -> bool:
    """Whether there is anything but marks: a comma is something."""
    return bool(_MARKS.sub("", text).strip())


def _claim(text: str, whole: str) -> str:
    claim = _clean(text)
    return claim if len(claim) >= _SHORTEST else whole


def _clean(text: str) -> str:
    squeezed = " ".join(_MARKS.sub("", text).split())  # no-break spaces too
    return re.sub(r" ([.,;:!?])", r"\1", " ".join(_MAINTENANCE.sub("", squeezed).split())).strip(" ,;")


def _blocks(root: Element) -> Iterator[tuple[Element, str, list[_Mark]]]:
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
            one = stack.pop()
            if isinstance(one, str):
                parts.append(one)
                length += len(one)
            elif one.tag in SILENT or "mw-editsection" in one.classes:
                continue
            elif one.tag in _BLOCKS or one.tag in ("ul", "ol", "dl", "table", "tbody", "tr", "article", "main", "html"):
                inner.append(one)
            elif one.tag in ("sup", "a", "span") and _MARK.fullmatch(shown := one.text(_LONGEST_MARK).strip()):
                marks.append(_Mark(int(shown[1:-1]), _target(one), block, length))
                parts.append(shown)
                length += len(shown)
            else:
                stack += reversed(one.parts)
        yield block, "".join(parts), marks
        left += reversed(inner)


def _target(mark: Element) -> str:
    links = (one.attributes.get("href", "") for one in mark.walk() if one.tag == "a")
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
