"""A page as a tree of elements, as far as claims need it: from any HTML, in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["SILENT", "Element", "parse_page"]

SILENT = frozenset({"script", "style", "template", "noscript", "svg", "head"})
"""Elements whose text nobody reads."""

_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_DEEPEST = 400  # elements around one another; browsers stop at 512


@dataclass(eq=False, slots=True)
class Element:
    """One element. parts: texts and elements in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list[str | Element] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Its ``id``; empty without one."""
        return self.attributes.get("id", "")

    @property
    def classes(self) -> frozenset[str]:
        """Its classes."""
        return frozenset(self.attributes.get("class", "").split())

    def walk(self) -> Iterator[Element]:
        """This element and all within, in the order of the page."""
        left = [self]
        while left:
            one = left.pop()
            yield one
            left += [part for part in reversed(one.parts) if isinstance(part, Element)]

    def text(self, most: int | None = None) -> str:
        """What a reader sees of it; with ``most``, the beginning of it, with so many characters at least."""
        found: list[str] = []
        left: list[str | Element] = [self]
        length = 0
        while left and (most is None or length <= most):
            one = left.pop()
            if isinstance(one, str):
                found.append(one)
                length += len(one)
            elif one.tag == "br":
                found.append(" ")
            elif one.tag not in SILENT:
                left += reversed(one.parts)
        return "".join(found)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in _EMPTY and len(self.open) < _DEEPEST:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        # One that was never opened ends nothing.
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def parse_page(page: str) -> Element:
    """The element around the whole page."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    return builder.open[0]
