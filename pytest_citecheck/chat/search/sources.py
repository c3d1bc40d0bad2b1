"""A search of the bibliographic services of this package, which show what exists."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.chat.search.options import Depth
from pytest_citecheck.chat.search.tool import Hit
from pytest_citecheck.chat.tools import ToolError
from pytest_citecheck.model import Asked, Found, Question, Record, Unavailable

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["Asking", "SourceSearch"]

_ASKED: Mapping[Depth, int] = {"basic": 1, "advanced": 4}
"""How many sources are asked."""

_MOST_AUTHORS = 10


class Asking(Protocol):
    """What asks sources: `pytest_citecheck.transport.client.Transport`."""

    async def ask(self, source: Source, questions: Iterable[Question]) -> Mapping[Question, Asked]:
        """The answer to each question."""


class SourceSearch:
    """Asks the sources that cover most fields and types of works; what two of them have counts once."""

    def __init__(self, asking: Asking, sources: Iterable[Source]) -> None:
        self._asking = asking
        searched = [source for source in sources if "title" in source.batch and source.role and source.role.titles]
        self._sources = sorted(searched, key=_breadth, reverse=True)

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The records of all sources in turn. Raises ToolError if none answers."""
        question = Question("title", query)
        sources = [source for source in self._sources if source.accepts(question)][: _ASKED[depth]]
        asked = await asyncio.gather(*(self._asking.ask(source, [question]) for source in sources))
        answers = [answer[question].answer for answer in asked]
        silent = [answer.detail for answer in answers if isinstance(answer, Unavailable)]
        if len(silent) == len(answers):
            raise ToolError(f"the search failed: {'; '.join(silent) or 'no source can be searched'}")
        found = [answer.records for answer in answers if isinstance(answer, Found)]
        mixed = (record for record in chain.from_iterable(zip_longest(*found)) if record is not None)
        return [_hit(record) for record in _each_once(mixed)]


def _breadth(source: Source) -> tuple[int, float]:
    """How many fields and types of works its search covers, and how many searches a second it allows."""
    searches = source.role.titles if source.role is not None else ()
    widest = max((len(search.disciplines) * len(search.works) for search in searches), default=0)
    return widest, source.rate.per_second


def _each_once(records: Iterable[Record]) -> Iterator[Record]:
    seen: set[str] = set()
    for record in records:
        marks = {record.doi.lower(), f"{record.title.casefold()} {record.year}"} - {""}
        if record.title and not marks & seen:
            yield record
        seen |= marks


def _hit(record: Record) -> Hit:
    people = [str(person) for person in record.authors[:_MOST_AUTHORS]]
    if len(record.authors) > _MOST_AUTHORS or not record.authors_complete:
        people.append("others")
    stated = {
        "Authors": "; ".join(people),
        "Year": str(record.year or ""),
        "Venue": record.venue,
        "DOI": record.doi,
        "arXiv": record.arxiv,
        "PMID": record.pmid,
        "Source": record.source,
    }
    title = f"{record.title}: {record.subtitle}" if record.subtitle else record.title
    return Hit(title, record.url, "\n".join(f"{name}: {value}" for name, value in stated.items() if value))
