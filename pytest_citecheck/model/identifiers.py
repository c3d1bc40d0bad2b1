"""The identifiers of a reference."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Identifiers"]


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The identifiers of a reference, normalised; empty where it has none.

    doi: lower case, without resolver.
    doi_problem, arxiv_problem, isbn_problem, issn_problem: why a value is no such identifier, as a sentence; empty if it is one.
    short_doi: an alias that only doi.org resolves (``10/f3vhpj``); empty if the full DOI is cited too.
    arxiv: without version; arxiv_version: the cited version.
    unprinted: the kinds of identifiers that come only from fields that no style prints. They help to find the work.
    pmid: digits; pmcid: with its letters, ``PMC123``.
    isbn: 13 digits each; issn: ``1234-567X`` each; issn_in_isbn: those that stand in the field for ISBNs.
    acl: a paper of the ACL Anthology (``P19-1001``), or a volume if the reference is to one; openreview: a submission;
    dblp: the key of a record (``conf/nips/VaswaniSPUJGKP17``).
    hal: a document in HAL (``hal-00650905``), without version; nnt: the national number of a French thesis.
    texkey: the key of INSPIRE (``Maldacena:1997re``), zbl: the number of a review in zbMATH (``0823.11029``); url: the first one.
    bibcode: that of the Astrophysics Data System (``1998AJ....116.1009R``).
    rfc: the number of an RFC; w3c: a report of the W3C, with the date of a version if one is named (``xml/20081126``).
    package: ``pypi:NAME`` or ``cran:NAME``; package_guessed: from the title of an R package, not from its address.
    repository: ``github.com/owner/name``, ``huggingface.co/models/owner/name`` or ``huggingface.co/datasets/owner/name``."""

    doi: str = ""
    doi_problem: str = ""
    short_doi: str = ""
    arxiv: str = ""
    arxiv_version: int | None = None
    arxiv_problem: str = ""
    pmid: str = ""
    pmcid: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    isbn_problem: str = ""
    issn_problem: str = ""
    issn_in_isbn: tuple[str, ...] = ()
    acl: str = ""
    openreview: str = ""
    dblp: str = ""
    hal: str = ""
    nnt: str = ""
    texkey: str = ""
    zbl: str = ""
    bibcode: str = ""
    url: str = ""
    rfc: str = ""
    w3c: str = ""
    package: str = ""
    package_guessed: bool = False
    repository: str = ""
    unprinted: frozenset[str] = frozenset()
