"""arXiv's metadata as JSON lines, ``arxiv-metadata-oai-snapshot.json``.

Documentation: the data set "arXiv Dataset" of Cornell University (kaggle.com/datasets/Cornell-University/arxiv), which states the
fields: id, title, authors_parsed (family, given, suffix, affiliations), doi and journal-ref as authors gave them, versions
with their dates, update_date.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import listing, mapping, name, text, year_in
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.text.latex import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ARXIV_LINES", "ArxivLines"]

_MARK = re.compile(rb'"(?:authors_parsed|journal-ref)"\s*:')


class ArxivLines:
    """Reads arXiv's metadata (see the module)."""

    name = "arxiv"
    source = "arxiv"

    def recognises(self, head: Head) -> bool:
        """By fields that only arXiv has."""
        return _MARK.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a line. The year is that of the first version."""
        source = context.source or self.source
        for item in objects(chunks, context, _is_eprint):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            identifier = normalise_arxiv(text(value.get("id")))[0]
            if not identifier:
                stated = text(value.get("id"))[:100]
                yield context.problem(offset, "the id is none of arXiv", line=line, record=stated)
                continue
            yield _entry(value, identifier, source)


def _is_eprint(value: dict[str, Any]) -> bool:
    return "id" in value and "title" in value and ("authors_parsed" in value or "authors" in value)


def _entry(value: dict[str, Any], identifier: str, source: str) -> Entry:
    versions = listing(value.get("versions"))
    first = mapping(versions[0]).get("created") if versions else None
    journal = text(value.get("journal-ref"))
    return Entry(
        source,
        identifier,
        " ".join(decode(text(value.get("title"))).split()),
        tuple(person for person in map(_person, listing(value.get("authors_parsed"))) if person),
        year_in(first) or year_in(value.get("update_date")),
        "arXiv",
        "",  # the DOI that is stated belongs to the publication, and authors mistype it
        identifier,
        f"https://arxiv.org/abs/{identifier}",
        "preprint",
        venues=(journal,) if journal else (),
    )


def _person(parts: object) -> str:
    """ "Family, Given, Suffix" of the parts that arXiv tells apart; the fourth and further ones are affiliations."""
    family, given, suffix = (name(decode(text(part))) for part in [*listing(parts), "", "", ""][:3])
    return ", ".join(part for part in (family, " ".join(filter(None, (given, suffix)))) if part)


ARXIV_LINES = ArxivLines()
