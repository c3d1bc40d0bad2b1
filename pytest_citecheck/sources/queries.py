"""The form of the value of each kind of query: what most sources accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import (
    acl_id,
    acl_volume,
    asked_place,
    bibcode,
    find_isbns,
    hal_id,
    nnt,
    openreview_id,
    texkey,
    zbl_number,
)
from pytest_citecheck.sources.dblp import KEY
from pytest_citecheck.sources.parsing import arxiv_id, doi_name, pmc_id, pubmed_id
from pytest_citecheck.sources.search import plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_citecheck.model import Query, QueryKind


def _is_place(value: str) -> bool:
    asked = asked_place(value)
    return bool(plain_words(asked.journal) and asked.volume and asked.first)


_NORMAL_FORMS: Mapping[QueryKind, Callable[[str], str]] = {
    "pmid": pubmed_id, "pmcid": pmc_id, "arxiv": arxiv_id, "openreview": openreview_id, "hal": hal_id, "nnt": nnt,
    "zbl": zbl_number, "bibcode": bibcode, "texkey": texkey,
}  # fmt: skip
_FORMS: Mapping[QueryKind, Callable[[str], object]] = {
    "title": plain_words,
    "citation": plain_words,
    "doi": doi_name,
    "dblp": KEY.fullmatch,
    "acl": lambda value: value in (acl_id(value), acl_volume(value)),
    "isbn": lambda value: find_isbns(value) == ((value,), ""),
    "place": _is_place,
}


def is_well_formed(query: Query) -> bool:
    """Return True for identifiers in their normal form, titles with a word, and places with journal, volume and page."""
    if query.kind in _NORMAL_FORMS:
        return _NORMAL_FORMS[query.kind](query.value) == query.value != ""
    return query.value != "" and query.kind in _FORMS and bool(_FORMS[query.kind](query.value))
