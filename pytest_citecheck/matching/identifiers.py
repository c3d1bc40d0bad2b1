"""The identifiers that a reference claims for its work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.matching.arxiv_id import malformed_arxiv, normalise_arxiv
from pytest_citecheck.matching.doi import find_dois, normalise_doi
from pytest_citecheck.matching.standard_numbers import find_isbns, find_issns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.model import Reference

__all__ = ["Identifiers", "claimed_identifiers", "normalise_arxiv", "normalise_doi"]

_URL_FIELDS = ("url", "ee", "link", "bdsk-url-1")
_NOTE_FIELDS = ("note", "howpublished", "addendum")
# In this order, because the first ones are meant for it.
_ARXIV_FIELDS = ("arxiv", "arxivid", "eprint", "journal", "journaltitle", "volume", "number", "doi", "url", "ee")
_ARXIV_TEXT_FIELDS = ("link", "bdsk-url-1", "howpublished", "note", "addendum", "booktitle", "publisher", "series")

_URL = re.compile(r"(?:https?|ftp)://[^\s{}<>\"“”|\\^`]+", re.IGNORECASE)
_URL_ESCAPE = re.compile(r"\\([_%&#~$])")
_SHORT_DOI = re.compile(r"(?:^|doi\.org/|doi:\s*)10/[a-z0-9]{2,12}$", re.IGNORECASE)
# A note that speaks of another object may name that object's DOI.
_ABOUT_OTHERS = re.compile(
    r"\b(?:errat|corrigend|correct|retract|comment|repl(?:y|ies)|data|code|software|supplement|review|translat|"
    r"reprint|part of|appendi|slides|video|model)",
    re.IGNORECASE,
)
_PMID = re.compile(
    r"\bPMID\s*:?\s*(\d{1,8})\b|(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,8})\b",
    re.IGNORECASE,
)
_PMCID = re.compile(r"\b(PMC\d{1,9})\b", re.IGNORECASE)
_ONLY_DIGITS = re.compile(r"\s*(?:PMID\s*:?\s*)?(\d{1,8})\s*\.?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identifiers:
    """What a reference claims, normalised; empty where it claims nothing.

    doi: lower case, without resolver.
    doi_problem, arxiv_problem, isbn_problem, issn_problem: why a value is no such identifier, as a sentence;
    empty if
        there is no value or nothing is wrong with its form.
    arxiv: without version; arxiv_version: the version claimed.
    pmid: digits; pmcid: with its letters, ``PMC123``.
    isbn: 13 digits each; issn: ``1234-567X`` each.
    url: the first URL.
    """

    doi: str = ""
    doi_problem: str = ""
    arxiv: str = ""
    arxiv_version: int | None = None
    arxiv_problem: str = ""
    pmid: str = ""
    pmcid: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    isbn_problem: str = ""
    issn_problem: str = ""
    url: str = ""


def claimed_identifiers(reference: Reference) -> Identifiers:
    """The identifiers in the fields of ``reference`` that state them; never those in its abstract."""
    fields = {name: value for name, value in reference.fields.items() if value and value.strip()}
    doi, doi_problem = _doi(fields)
    arxiv, version, arxiv_problem = _arxiv(fields)
    isbn, isbn_problem = find_isbns(fields.get("isbn", ""))
    issn, issn_problem = find_issns(fields.get("issn", ""))
    return Identifiers(
        doi=doi,
        doi_problem=doi_problem,
        arxiv=arxiv,
        arxiv_version=version,
        arxiv_problem=arxiv_problem,
        pmid=_pmid(fields),
        pmcid=_pmcid(fields),
        isbn=isbn,
        issn=issn,
        isbn_problem=isbn_problem,
        issn_problem=issn_problem,
        url=_url(fields),
    )


def _eprint_type(fields: Mapping[str, str]) -> str:
    return (fields.get("eprinttype") or fields.get("archiveprefix") or "").strip().lower()


def _doi(fields: Mapping[str, str]) -> tuple[str, str]:
    stated = fields.get("doi", "")
    if stated:
        if doi := normalise_doi(stated):
            return doi, ""
        # A short DOI (shortdoi.org) is one, but only the resolver knows whose.
        problem = "" if _SHORT_DOI.search(stated.strip()) else _not_a_doi(stated.strip())
    else:
        problem = ""
    if _eprint_type(fields) == "doi" and (doi := normalise_doi(fields.get("eprint", ""))):
        return doi, problem
    for name in _URL_FIELDS:
        if doi := normalise_doi(fields.get(name, "")):
            return doi, problem
    for name in _NOTE_FIELDS:
        found = find_dois(fields.get(name, ""))
        if len(found) == 1 and not _ABOUT_OTHERS.search(fields[name]):
            return found[0], problem
    return "", problem


def _not_a_doi(value: str) -> str:
    if normalise_arxiv(value)[0]:
        return f"the doi field holds an arXiv identifier, not a DOI: '{value}'"
    if re.fullmatch(r"https?://(?:dx\.|www\.)?doi\.org/?|doi:?", value, re.IGNORECASE):
        return f"the doi field names the resolver but no DOI: '{value}'"
    return f"the doi field holds no DOI (they begin with '10.' and have a slash): '{value}'"


def _arxiv(fields: Mapping[str, str]) -> tuple[str, int | None, str]:
    kind = _eprint_type(fields)
    problem = ""
    for name in (*_ARXIV_FIELDS, *_ARXIV_TEXT_FIELDS):
        value = fields.get(name)
        if not value or (name == "eprint" and kind not in ("", "arxiv")):
            continue
        if name in ("volume", "number") and "/" not in value and "arxiv" not in value.lower():
            continue  # "1706.03762" is an identifier in an eprint field, but may be an article number here
        identifier, version = normalise_arxiv(value)
        if identifier:
            return identifier, version, problem
        if problem:
            continue
        if name in ("arxiv", "arxivid") or (name == "eprint" and kind == "arxiv"):
            problem = f"the {name} field holds no arXiv identifier: '{value.strip()}'"
        elif wrong := malformed_arxiv(value):
            problem = f"'{wrong}' in the {name} field cannot be an arXiv identifier"
    return "", None, problem


def _pmid(fields: Mapping[str, str]) -> str:
    own = [fields.get("pmid", ""), fields.get("pubmed", "")]
    if _eprint_type(fields) in ("pubmed", "pmid"):
        own.append(fields.get("eprint", ""))
    for value in own:
        if match := _ONLY_DIGITS.match(value):
            return match[1]
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        if match := _PMID.search(fields.get(name, "")):
            return match[1] or match[2]
    return ""


def _pmcid(fields: Mapping[str, str]) -> str:
    for name in ("pmcid", "pmc"):
        value = fields.get(name, "").strip()
        if value.isdigit():
            return f"PMC{value}"
        if match := _PMCID.search(value):
            return match[1].upper()
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        if match := _PMCID.search(fields.get(name, "")):
            return match[1].upper()
    return ""


def _url(fields: Mapping[str, str]) -> str:
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        value = _URL_ESCAPE.sub(r"\1", fields.get(name, ""))
        if match := _URL.search(value):
            url = match.group().rstrip(".,;:'!?")
            while url.endswith(")") and url.count(")") > url.count("("):
                url = url[:-1].rstrip(".,;:'!?")
            return url
    return fields.get("url", "").strip()
