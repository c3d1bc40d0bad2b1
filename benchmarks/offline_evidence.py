"""Evidence for references from a local index, or from a thinned one, without any request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.inputs import read_hallmark
from pytest_citecheck.lookup import IndexSource, gather
from pytest_citecheck.model import Absent, Found
from pytest_citecheck.net import TransportSettings

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from pytest_citecheck.lookup import LookupState
    from pytest_citecheck.model import Evidence, Query, QueryResult, Record, Reference
    from pytest_citecheck.sources import Source


class ThinnedIndex(IndexSource):
    """An index with less data: ``tells`` reduces or drops each record, so no volume is complete."""

    def __init__(self, path: Path, tells: Callable[[Query, Record], Record | None]) -> None:
        """Raises IndexFileError if the file is no index that can be read."""
        super().__init__(path, "index")
        self.tells = tells

    def places(self, state: LookupState) -> Iterator[Query]:  # noqa: ARG002
        return iter(())

    volumes = places

    def ask(self, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        return {query: self._thinned(asked) for query, asked in super().ask(queries).items()}

    def _thinned(self, asked: QueryResult) -> QueryResult:
        if not isinstance(asked.answer, Found):
            return asked
        told = (self.tells(asked.query, record) for record in asked.answer.records)
        records = tuple(record for record in told if record is not None)
        return replace(asked, answer=Found(records) if records else Absent())


def hallmark_references(split: Path) -> dict[str, Reference]:
    """The references of a split by their keys, in file order."""
    return {reference.key: reference for reference in read_hallmark(split.name, split.read_bytes()).references}


def offline_evidence(
    references: Mapping[str, Reference], index: IndexSource, sources: Sequence[Source], today: datetime.date
) -> list[tuple[Reference, Evidence]]:
    """Return each reference with its evidence, in order. All ``sources`` are silent, as with ``--citecheck-offline``.

    Without sources, the index is the only one, and no source failed to answer.
    """
    gathered = asyncio.run(gather(references, sources, TransportSettings(offline=True), today, indexes=[index]))
    return [(reference, gathered.evidence[key]) for key, reference in references.items()]
