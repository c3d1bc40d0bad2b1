"""Dumps of which the address is known: what ``citecheck index fetch NAME`` fetches, and under which licence collections are.

Written down from memory in 2026, without a connection to try them; sizes are rough, and grow.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KNOWN_DUMPS", "KnownDump", "licence_of"]


@dataclass(frozen=True, slots=True)
class KnownDump:
    """A published dump.

    collection: what its entries are called by default. url: of the file; ``checksum_url``: of the file that states its checksum,
    empty if there is none. size: of the file as it is sent, roughly. note: what to know before fetching it; may be empty.
    """

    name: str
    collection: str
    url: str
    format: str
    licence: str
    documentation: str
    size: str
    checksum_url: str = ""
    note: str = ""


_DUMPS = (
    KnownDump(
        name="dblp",
        collection="dblp",
        url="https://dblp.org/xml/dblp.xml.gz",
        checksum_url="https://dblp.org/xml/dblp.xml.gz.md5",
        format="dblp-xml",
        licence="CC0-1.0",
        documentation="https://dblp.org/faq/How+can+I+download+the+whole+dblp+dataset.html",
        size="1 GB",
        note="Computer science; written anew every day.",
    ),
    KnownDump(
        name="dblp-nt",
        collection="dblp",
        url="https://dblp.org/rdf/dblp.nt.gz",
        format="dblp-nt",
        licence="CC0-1.0",
        documentation="https://dblp.org/rdf/docu/",
        size="several GB",
        note="The same works as in dblp; larger, and takes longer to read.",
    ),
    KnownDump(
        name="acl",
        collection="acl_anthology",
        url="https://aclanthology.org/anthology.bib.gz",
        format="bibtex",
        licence="CC-BY-4.0",
        documentation="https://aclanthology.org/faq/",
        size="10 MB",
        note="Computational linguistics; written anew with every change.",
    ),
    KnownDump(
        name="arxiv",
        collection="arxiv",
        url="https://storage.googleapis.com/arxiv-dataset/metadata-v5/arxiv-metadata-oai.json",
        format="arxiv",
        licence="CC0-1.0",
        documentation="https://www.kaggle.com/datasets/Cornell-University/arxiv",
        size="several GB",
        note=(
            "A public copy that may be years old. The weekly one, arxiv-metadata-oai-snapshot.json, needs an account at "
            "https://www.kaggle.com/datasets/Cornell-University/arxiv: download it there and build from the file."
        ),
    ),
)

KNOWN_DUMPS = {dump.name: dump for dump in _DUMPS}
"""By name. Add one above."""


def licence_of(collection: str) -> str:
    """The licence (SPDX) of the metadata in a collection; empty if unknown."""
    return next((dump.licence for dump in _DUMPS if dump.collection == collection), "")
