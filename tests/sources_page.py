"""The page docs/sources.md from the registered sources: `python -m tests.sources_page > docs/sources.md`."""

from __future__ import annotations

from pytest_citecheck.sources import SOURCES

__all__ = ["sources_page"]

_HEAD = """# Sources

Written from `pytest_citecheck/sources/` by `python -m tests.sources_page > docs/sources.md`. What an absence means, which
limits are published and which fields are read stands in the docstring of each module.

| name | service | what it can look up (how many a request) | requests a second, at a time | order of authors | documentation |
|---|---|---|---|---|---|
"""
_MIRROR = """
Ask a mirror or proxy instead with `--citecheck-base-url=NAME=URL`, and allow more requests with `--citecheck-rate=NAME=N`.

## When they are asked

1. A cited DOI at Crossref, an arXiv id at arXiv, in batches.
2. A DOI that Crossref does not have at DataCite; one that neither has at doi.org, which knows all; then whose prefix it is.
3. The title, of references that are not settled yet, at Crossref and DBLP (not DBLP where the cited journal is known to be
   of another field), at DataCite for datasets and software, at arXiv for preprints. Where all agrees and only a second
   opinion is missing, DBLP alone, and only for venues that it lists.
4. What is still not found: at arXiv, and in DBLP among the works of the cited authors in the cited venue and year.

A reference is settled when title, authors and venue are those of a record, the databases agree, and no identifier is in
doubt. Every question is asked once a run, however often a work is cited.
"""


def sources_page() -> str:
    """The whole page."""
    rows = []
    for source in SOURCES:
        kinds = ", ".join(f"{kind} ({size})" for kind, size in source.batch.items())
        order = "as published" if source.keeps_author_order else "says nothing"
        rate = f"{source.rate.per_second:g}, {source.rate.concurrency}"
        rows.append(f"| `{source.name}` | {source.label} | {kinds} | {rate} | {order} | <{source.documentation}> |\n")
    return _HEAD + "".join(rows) + _MIRROR


if __name__ == "__main__":
    print(sources_page(), end="")
