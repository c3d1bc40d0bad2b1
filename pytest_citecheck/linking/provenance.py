"""Which source states what: first-hand fields, which sources derive from which, and which may fail a check.

Each service declares its label, the fields that it states first-hand, and the sources that it derives from
(`pytest_citecheck.services.base.Source`); the registry of services hands that on (`declare`). Collections of local indexes that
belong to no service are listed here. All other rooms use this module.

A service without first-hand fields compiles other sources. Its records are marked ``compiled``, and so are those that other
services have taken over: they may show that a work exists and is what the citation says, but never fail a check.
What one collection repeats of another counts once: see `independent_sources` and `independent_compilers`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Literal, Protocol

from pytest_citecheck.model import Absent, Asked, Evidence, Found
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "LIBRARY",
    "Field",
    "Provider",
    "declare",
    "derivations",
    "first_hand_evidence",
    "independent_compilers",
    "independent_sources",
    "independent_statements",
    "is_compiled",
    "is_compiler",
    "is_own_library",
    "is_registry",
    "label",
    "names_authors_as_published",
    "reached",
    "share_upstreams",
    "upstream",
]

Field = Literal["identifier", "title", "authors", "year", "venue"]
_SAME = {"aclanthology": "acl"}
_ACCESS = lazy_pattern(r"api[-_](?=.)")


class Provider(Protocol):
    """Who states facts about works: a service, or a collection of a local index.

    name: as in records; `upstream` of it is what it is known by. label: its display name. first_hand: the fields that
    it states first-hand; empty if it compiles other sources. keeps_author_order: whether its author lists are in the order of
    the publication. derives_from: the sources that it derives from, in whole or in
    part; what both have counts once.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def first_hand(self) -> tuple[Field, ...]: ...
    @property
    def keeps_author_order(self) -> bool: ...
    @property
    def derives_from(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class _Collection:
    name: str
    label: str
    first_hand: tuple[Field, ...]
    derives_from: tuple[str, ...]
    keeps_author_order: bool = True


_COLLECTIONS = (
    # Where the publishers' own lists have gaps, its records are from these (github.com/rbnyng/mlanthology).
    _Collection(
        "mlanthology",
        "ML Anthology",
        ("title", "authors", "year", "venue"),
        ("dblp", "openalex", "openreview", "semantic_scholar"),
    ),
    _Collection("library", "own library", (), ()),
    # Lists of accepted papers as these print them (github.com/papercopilot/paperlists).
    _Collection("papercopilot", "Paper Copilot", ("title", "authors", "year", "venue"), ("acl", "openreview")),
)
LIBRARY = "library"
"""The upstream of what a user keeps in files of references: no authority on any work, as it is what is to be checked."""
_providers: dict[str, Provider] = {}


def declare(services: Iterable[Provider]) -> None:
    """Take over what the services declare. Called by their registry, once."""
    _providers.update({upstream(provider.name): provider for provider in (*_COLLECTIONS, *services)})


def _declared() -> Mapping[str, Provider]:
    """The providers by upstream. The registry of services is loaded if it has not declared them yet: it is above this room, so
    it is named here and not imported."""
    if not _providers:
        import_module("pytest_citecheck.services")
    return _providers


def label(name: str) -> str:
    """What people call a service or collection; empty if it is from elsewhere."""
    known = _declared().get(upstream(name))
    return known.label if known else ""


def is_compiler(name: str) -> bool:
    """Whether a service or collection compiles what others have, so that its records convict of nothing."""
    known = _declared().get(upstream(name))
    return known is not None and not known.first_hand


def names_authors_as_published(name: str) -> bool:
    """Whether the author lists of a service or collection are those of the publication; catalogues of books leave people out,
    add others, and keep no order."""
    known = _declared().get(upstream(name))
    return known is None or known.keeps_author_order


def is_own_library(name: str) -> bool:
    """Whether a collection is a user's own file of references: its records help to find works, and confirm or convict none."""
    return upstream(name) == LIBRARY


def is_registry(name: str, field: Field) -> bool:
    """Whether a source keeps identifiers and states this field of the works behind them first-hand."""
    known = _declared().get(upstream(name))
    return known is not None and "identifier" in known.first_hand and field in known.first_hand


def derivations() -> dict[str, tuple[str, ...]]:
    """The upstreams from which each upstream takes facts, without those that derive from none."""
    return {
        child: tuple(map(upstream, provider.derives_from))
        for child, provider in _declared().items()
        if provider.derives_from
    }


@lru_cache(maxsize=1 << 10)
def _takes_from(name: str) -> frozenset[str]:
    return frozenset(reached(name, derivations()))


def first_hand_evidence(evidence: Evidence) -> Evidence:
    """The evidence without compiled records, and without what sources that only compile claim to cover."""
    return Evidence(tuple(_first_hand(asked) if is_compiled(asked) else asked for asked in evidence.asked))


def is_compiled(asked: Asked) -> bool:
    """Whether an answer contains compiled records, or a source that only compiles states what it covers."""
    answer = asked.answer
    if isinstance(answer, Found):
        return asked.compiled or any(record.compiled for record in answer.records)
    return asked.compiled and isinstance(answer, Absent) and bool(answer.scope)


def _first_hand(asked: Asked) -> Asked:
    answer = asked.answer
    own = (
        tuple(record for record in answer.records if not record.compiled)
        if isinstance(answer, Found) and not asked.compiled
        else ()
    )
    return replace(asked, answer=Found(own, answer.scope) if own and isinstance(answer, Found) else Absent())


@lru_cache(maxsize=1 << 10)
def upstream(collection: str) -> str:
    """Whose word a collection is: its name up to the first hyphen, small and without underscores.

    ``dblp-2024`` and ``dblp-crawl`` are both what dblp says, and so is ``api-dblp``: how it was asked does not matter.
    """
    name = _ACCESS.sub("", collection.casefold(), count=1)
    bare = (name.partition("-")[0] or name).replace("_", "")
    return _SAME.get(bare, bare)


def reached(child: str, parents: Mapping[str, Collection[str]]) -> set[str]:
    """All from which an upstream takes facts, also through others."""
    found: set[str] = set()
    new = set(parents.get(child, ()))
    while new:
        found |= new
        new = {older for parent in new for older in parents.get(parent, ())} - found
    return found


def independent_compilers(origins: Collection[str]) -> int:
    """How many of these collected for themselves: who takes from another one that is here only repeats it.

    Enough to know of what holds for a whole volume (its venue, its year): it is not entered paper by paper.
    """
    return len(_collected(origins))


def independent_sources(origins: Collection[str]) -> int:
    """How many of these say something of their own about one paper (its title, its people).

    Of the collectors, those that take from a third which is not here may have read one page, with its slips: ML Anthology
    and PaperCopilot both print what the publishers of proceedings list.
    """
    return _unrelated(_collected(origins))


def independent_statements(origins: Collection[str]) -> int:
    """How many of these state an identifier on their own.

    A number is right or wrong as a whole: who takes from another one that is here, and states the same number, has found the
    work under it. ML Anthology and DBLP have another DOI each for some works, so neither copies blindly. What two of them
    take from a third that is not here counts once, as in `independent_sources`.
    """
    return _unrelated(sorted(set(map(upstream, origins))))


def share_upstreams(first: str, second: str) -> bool:
    """Whether one of two sources takes from the other, or both from a third: what one lacks the other may lack for that."""
    one, other = ({upstream(name), *_takes_from(upstream(name))} for name in (first, second))
    return not one.isdisjoint(other)


def _unrelated(names: Iterable[str]) -> int:
    apart: list[frozenset[str]] = []
    for name in names:
        group = _takes_from(name)
        related = [other for other in apart if not other.isdisjoint(group)]
        apart = [other for other in apart if other not in related]
        apart.append(group.union(*related))
    return len(apart)


def _collected(names: Collection[str]) -> list[str]:
    here = set(map(upstream, names))
    return [name for name in here if here.isdisjoint(_takes_from(name))]
