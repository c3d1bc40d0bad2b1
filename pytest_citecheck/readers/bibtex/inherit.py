"""Inheritance between BibTeX entries: ``crossref`` of BibTeX and biblatex, ``xdata`` of biblatex.

The biblatex manual (version 3.20, section 2.4.1.1 and appendix B) tells which field of a parent becomes which field of
its child. What identifies the parent itself is not handed down: the DOI of a volume is never that of a paper in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

__all__ = ["Heir", "inherit"]

_CHILD_TITLES = {
    "proceedings": "booktitle",
    "mvproceedings": "maintitle",
    "book": "booktitle",
    "mvbook": "maintitle",
    "collection": "booktitle",
    "mvcollection": "maintitle",
    "reference": "booktitle",
    "mvreference": "maintitle",
    "periodical": "journaltitle",
}
"""What the title of a parent of this type is called in a child of another type."""
_PARTS = frozenset((
    "inproceedings", "conference", "inbook", "bookinbook", "suppbook", "incollection", "suppcollection",
    "inreference", "article", "suppperiodical", "book", "collection", "proceedings", "reference",
))  # fmt: skip
_NOT_HANDED_DOWN = frozenset((
    "crossref", "xref", "xdata", "ids", "entryset", "entrysubtype", "execute", "label", "options",
    "presort", "related", "relatedoptions", "relatedstring", "relatedtype", "shorthand", "shorthandintro",
    "sortkey", "sorttitle", "key", "doi", "url", "urldate", "urlyear", "eprint", "eprinttype",
    "eprintclass", "archiveprefix", "primaryclass", "pmid", "pmcid", "arxivid", "pages", "abstract",
    "keywords", "annote", "annotation", "file", "pagetotal", "numpages", "bdsk-url-1", "timestamp",
    "owner", "date-added", "date-modified", "biburl", "bibsource", "ee", "link", "aclid", "anthology", "arxiv", "pubmed", "pmc",
))  # fmt: skip


_MOST_HANDED_DOWN, _MOST_PER_FIELD = 10_000, 10
"""Fields that all entries of a file together may inherit, and for each field that stands in it: in a chain of n entries with one
field each they would inherit n²/2. Five hundred papers of a volume inherit about three for each of their own.
"""


@dataclass(slots=True)
class Heir:
    """An entry in the making: fields as readable text and as written. ``faults`` collects (code, message)."""

    key: str
    type: str
    fields: dict[str, str]
    raw: dict[str, str]
    faults: list[tuple[str, str]] = field(default_factory=list)


_NOWHERE: Mapping[str, Heir] = MappingProxyType({})


def inherit(entries: list[Heir], elsewhere: Mapping[str, Heir] = _NOWHERE) -> None:
    """Fill the missing fields of all entries from those that they name, in place; fields of the child win.

    Of several entries with one key the first is the parent. elsewhere: entries of other files, by key in lower case.

    Faults: ``crossref-missing``, ``crossref-cycle``,
    ``xdata-missing``, ``xdata-cycle``, ``inheritance-overflow``.
    """
    needy = [entry for entry in entries if "crossref" in entry.raw or "xdata" in entry.raw]
    if not needy:
        return
    by_key: dict[str, Heir] = {}
    for entry in entries:
        if entry.key:
            by_key.setdefault(entry.key, entry)
    for entry in entries:
        if entry.key:
            by_key.setdefault(entry.key.lower(), entry)  # BibTeX compares keys without regard to case
    for key, entry in elsewhere.items():
        by_key.setdefault(key, entry)
    most = _MOST_HANDED_DOWN + _MOST_PER_FIELD * sum(len(entry.raw) for entry in entries)
    for link in ("xdata", "crossref"):
        _Inheritance(link, by_key, most).run(needy)


class _Inheritance:
    """One kind of link, followed with an explicit stack, so that a long chain cannot exhaust Python's."""

    def __init__(self, link: str, by_key: dict[str, Heir], most: int) -> None:
        self.link = link
        self.left = most
        self.by_key = by_key
        self.done: set[int] = set()

    def run(self, entries: list[Heir]) -> None:
        for entry in entries:
            self._resolve(entry)

    def _parents(self, entry: Heir) -> list[tuple[str, Heir | None]]:
        value = entry.raw.get(self.link, "")
        names = value.split(",") if self.link == "xdata" else [value]
        keys = [name.strip() for name in names if name.strip()]
        return [(key, self.by_key.get(key) or self.by_key.get(key.lower())) for key in keys]

    def _resolve(self, entry: Heir) -> None:
        if id(entry) in self.done:
            return
        parents = self._parents(entry)
        stack = [(entry, parents, iter(parents))]  # each with its parents, and those at which it has not looked yet
        path = {id(entry)}
        while stack:
            heir, parents, rest = stack[-1]
            waiting = next((p for _, p in rest if p is not None and id(p) not in self.done and id(p) not in path), None)
            if waiting is not None:
                theirs = self._parents(waiting)
                stack.append((waiting, theirs, iter(theirs)))
                path.add(id(waiting))
                continue
            for key, parent in parents:
                self._hand_down(heir, key, parent, circular=parent is not None and id(parent) in path)
            self.done.add(id(heir))
            path.discard(id(heir))
            stack.pop()

    def _hand_down(self, heir: Heir, key: str, parent: Heir | None, *, circular: bool) -> None:
        if parent is None:
            heir.faults.append((f"{self.link}-missing", f"the entry `{key}` named by `{self.link}` is not there"))
            return
        if circular:
            heir.faults.append(
                (f"{self.link}-cycle", f"circular `{self.link}`: the entry `{key}` leads back to this one")
            )
            return
        for name, raw in parent.raw.items():
            target = self._target(name, parent, heir)
            if target and not heir.raw.get(target, "").strip():
                if self.left <= 0:
                    message = (
                        f"too many inherited fields in this file: the remaining fields of `{key}` are not inherited"
                    )
                    heir.faults.append(("inheritance-overflow", message))
                    return
                self.left -= 1
                heir.raw[target] = raw
                heir.fields[target] = parent.fields.get(name, raw)

    def _target(self, name: str, parent: Heir, child: Heir) -> str:
        """What a field of the parent is called in the child; empty if it is not handed down."""
        if self.link == "xdata":
            return "" if name in ("xdata", "ids") else name
        if name in _NOT_HANDED_DOWN:
            return ""
        title = _CHILD_TITLES.get(parent.type, "")
        if name not in ("title", "subtitle", "titleaddon") or not title or child.type not in _PARTS:
            return name
        if child.type == parent.type:
            return name
        if title in parent.raw or (title == "journaltitle" and "journal" in child.raw):
            return ""  # classic BibTeX: the parent states its name for the children itself
        return title.replace("title", name)
