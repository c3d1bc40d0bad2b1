"""Reader for HTML: the machine-readable references of a page, or else the list below its heading.

``citation_reference`` (Google Scholar, "Inclusion Guidelines for Webmasters"; Highwire Press tags) and COinS (ocoins.info:
OpenURL ContextObjects in spans).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qsl

from pytest_citecheck.inputs.base import Bibliography, text_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import is_references_heading
from pytest_citecheck.inputs.dates import A_YEAR
from pytest_citecheck.inputs.documents import ListReader
from pytest_citecheck.inputs.exchange import exchanged, joined_names
from pytest_citecheck.inputs.plain.references import read_paragraphs
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.model import Location, Reference

_SILENT = frozenset({"script", "style", "template", "noscript", "svg"})
_BLOCKS = frozenset(
    (
        *("p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "section", "article", "header", "footer"),
        *("blockquote", "pre"),
    )
)
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_LIST = lazy_pattern(
    r"\b(?:ref-?list|references?|bibliography|citations?-list|reflist|csl-bib-body|ltx_bibliography)\b", re.IGNORECASE
)
_META, _COINS = names_of("highwire", "fields"), names_of("coins", "fields")
_PARTED = lazy_pattern(r";\s+")
_MOST_BLOCKS = 200_000
_MOST_UNENDED = 20


class HtmlReader(ListReader):
    """Reader for ``.html`` files; see `read_document`."""

    suffixes = frozenset((".html", ".htm", ".xhtml"))
    format = "an HTML page"
    nothing = "has no list of references under a heading and no citation metadata"

    def reads(self, head: bytes) -> bool:
        """Accept any text."""
        return b"<" in head

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return the references of a page, each located at its first line."""
        text, notes = text_of(data)
        page = _Page()
        page.feed(text)
        page.close()
        stated = [*_stated(path, page.stated)]
        listed, more = ([], []) if stated else read_paragraphs(path, page.items())
        return Bibliography(path, tuple(stated or listed), (*notes, *more))


HTML = HtmlReader()


class _Page(HTMLParser):
    """Text blocks with their lines, marked as headings, list items, or content of an element named as a reference list."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[tuple[int, str, str, bool]] = []
        self.stated: list[tuple[int, str, str]] = []
        self._text: list[str] = []
        self._line = 1
        self._kind = ""
        self._silent = 0
        self._named: list[str] = []  # an open element named as a list, and nested ones with the same tag

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._silent += tag in _SILENT
        if tag == "meta" and given.get("name", "").lower() == "citation_reference":
            self.stated.append((self.getpos()[0], "meta", given.get("content", "")))
        if tag == "span" and "Z3988" in given.get("class", ""):
            self.stated.append((self.getpos()[0], "coins", given.get("title", "")))
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end()
            self._kind, self._line = tag, self.getpos()[0]
            if self._named:
                if tag == self._named[0]:
                    self._named.append(tag)
            elif _LIST.search(f"{given.get('class', '')} {given.get('id', '')} {given.get('role', '')}"):
                self._named.append(tag)
        elif tag == "br":
            self._text.append("\0")
        elif tag == "a" and "doi.org/" in given.get("href", ""):
            self._text.append(f" {given['href']} ")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag in _BLOCKS or tag in _HEADINGS:
            self._end()
            if self._named and tag == self._named[0]:
                self._named.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)

    def close(self) -> None:
        """Read what follows a tag without an end as text. The parser searches the whole rest anew for each such tag."""
        for _ in range(_MOST_UNENDED):
            if not self.rawdata.startswith("<"):
                break
            rest, self.rawdata = self.rawdata, ""
            self.feed(f"&lt;{rest[1:]}")
        self.rawdata = self.rawdata.replace("<", "&lt;")
        super().close()
        self._end()

    def _end(self) -> None:
        said = "".join(self._text).split("\0")
        text = "\n".join(line for part in said if (line := " ".join(part.split())))
        self._text.clear()
        if text and len(self.blocks) < _MOST_BLOCKS:
            self.blocks.append((self._line, self._kind, text, bool(self._named)))

    def items(self) -> list[tuple[str, int]]:
        """Return the blocks of the list: below the last references heading, or else in an element named as a list."""
        start = max((place for place, block in enumerate(self.blocks) if is_references_heading(block[2])), default=-1)
        chosen = []
        for line, kind, text, named in self.blocks[start + 1 :] if start >= 0 else self.blocks:
            if start >= 0 and kind in _HEADINGS:
                break
            if start >= 0 or named:
                chosen.append((text, line))
        return chosen


def _stated(path: str, stated: list[tuple[int, str, str]]) -> Iterator[Reference]:
    for number, (line, form, content) in enumerate(stated, start=1):
        place = Location(path, line, line)
        raw, people = _of_meta(content) if form == "meta" else _of_coins(content)
        year = A_YEAR.search(raw.get("year", ""))
        raw["year"] = year[0] if year else ""
        if raw.get("title") or raw.get("doi"):
            kind = "article" if raw.get("journal") else "inproceedings" if raw.get("booktitle") else "misc"
            if raw.get("eprint"):
                raw["archiveprefix"] = "arXiv"
            yield exchanged(f"ref_{number}", kind, raw, place, content[:5000], names={"author": joined_names(people)})


def _of_meta(content: str) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    raw: dict[str, str] = {}
    people = []
    for part in _PARTED.split(content) if "citation_" in content else ():
        name, _, value = part.strip().strip(";").partition("=")
        bare = name.strip().removeprefix("citation_")
        if bare == "author":
            family, comma, given = value.partition(",")
            if not comma:
                given, _, family = value.rpartition(" ")
            people.append((family.strip(), given.strip(), ""))
        elif bare in _META:
            raw.setdefault(_META[bare], value.strip())
    return raw, people


def _of_coins(content: str) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    raw: dict[str, str] = {}
    people, last, first = [], "", ""
    for name, value in parse_qsl("".join(content.split()), max_num_fields=500) if content.count("&") < 499 else ():
        if name in _COINS:
            raw.setdefault(_COINS[name], value)
        elif name in ("rft.title", "rft.btitle"):
            raw.setdefault("booktitle" if "title" in raw else "title", value)
        elif name == "rft_id" and value.startswith("info:doi/"):
            raw["doi"] = value.removeprefix("info:doi/")
        elif name == "rft.au":
            family, comma, given = value.partition(",")
            people.append((family.strip(), given.strip(), "") if comma else (value, "", ""))
        elif name == "rft.aulast":
            last = value
        elif name == "rft.aufirst":
            first = value
    if last:
        people = [(last, first, ""), *(one for one in people if one[0].split()[-1:] != [last] and one[0] != last)]
    return raw, people
