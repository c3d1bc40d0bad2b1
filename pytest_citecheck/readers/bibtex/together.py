r"""Several BibTeX files that are one bibliography, as with ``\bibliography{abbrv,refs}``.

Macros and the parents of ``crossref`` and ``xdata`` reach across them, in any order. What the file itself defines goes first,
then what the first of the others does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.inherit import Heir
from pytest_citecheck.readers.bibtex.reader import Draft

__all__ = ["read_together"]


def read_together(files: Iterable[tuple[str, bytes]]) -> list[Bibliography]:
    """The bibliographies of these files (path as in locations, content), in their order.

    A file is read when its turn comes, and only what waits for another file is kept as a draft until all are read.
    """
    macros: dict[str, str] = {}
    defined_by: dict[str, int] = {}
    waiting: dict[int, Draft] = {}
    done: dict[int, Bibliography] = {}
    for number, (path, data) in enumerate(files):
        draft = Draft(path, data)
        defined = draft.definitions(macros)
        macros |= {name: text for name, text in defined.items() if defined_by.setdefault(name, number) == number}
        if draft.missing_macros() or draft.missing_parents():
            waiting[number] = draft
        else:
            done[number] = draft.finished()
    wanted = frozenset().union(*(draft.missing_parents() for draft in waiting.values()))
    for number, draft in waiting.items():  # what is made of macros of a file that came later
        macros |= {name: text for name, text in draft.definitions(macros).items() if defined_by[name] == number}
    heirs = [heir for draft in waiting.values() for heir in draft.expand(macros)]
    parents = _parents(wanted, heirs, done)
    while waiting:
        number, draft = waiting.popitem()
        done[number] = draft.finished(parents)
    return [bibliography for _, bibliography in sorted(done.items())]


def _parents(wanted: frozenset[str], heirs: Iterable[Heir], done: Mapping[int, Bibliography]) -> dict[str, Heir]:
    """The entries with these keys, which are in lower case, and all that wait themselves."""
    found: dict[str, Heir] = {}
    if not wanted:
        return found
    for bibliography in done.values():
        for one in bibliography.references:
            if one.key.lower() in wanted:
                found.setdefault(one.key.lower(), Heir(one.key, one.type, dict(one.fields), dict(one.raw)))
    for heir in heirs:
        if heir.key:
            found.setdefault(heir.key.lower(), heir)
    return found
