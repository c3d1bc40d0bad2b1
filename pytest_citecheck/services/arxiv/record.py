"""One e-print as arXiv describes it, as a record.

Sources: arXiv API User's Manual, section 3.3 "Outline of an Atom feed" (info.arxiv.org/help/api/user-manual.html), and the
data set "arXiv Dataset" of Cornell University (kaggle.com/datasets/Cornell-University/arxiv).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.model import Notice, Person, Record
from pytest_citecheck.services.parsing.atom import ATOM
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["identifier_of", "parse_entry", "parse_line"]

_ARXIV = "{http://arxiv.org/schemas/atom}"
# "Phys.Rev.D76:013009,2007": the journal ends where volume, issue, pages and year begin.
_NUMBERS = lazy_pattern(r"[\d(\[]")
_VOLUME_WORD = lazy_pattern(r"\b(?:vol(?:ume)?|no|bd|issue)[\s.,:;]*\Z", re.IGNORECASE)
_OPEN_END = lazy_pattern(r"(?:\A|\s)(?:the|of|on|in|an?|and|for|to|der|des|le|la|proc\.?|proceedings)\Z", re.IGNORECASE)
_YEAR_IN_BRACKETS = lazy_pattern(r"\(((?:19|20)\d\d)\)")
_VERSION = lazy_pattern(r"v(?P<number>\d{1,4})")
_DOIS = lazy_pattern(r"[\s,;]+")  # of several publications
# "This paper has been withdrawn by the author(s) due to ..."; "withdrawn from ICML" is no withdrawal from arXiv.
_WITHDRAWN = lazy_pattern(
    r"\s*(?:(?:this|the)\s+(?:paper|article|submission|manuscript|preprint|work|version)\s+(?:has\s+been|is|was)\s+)?"
    r"withdrawn\b(?!\s+from\b)",
    re.IGNORECASE,
)
_LAST_YEAR = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)\W*\Z")


def _text(element: ET.Element, name: str) -> str:
    return without_markup(element.findtext(name) or "")


def identifier_of(entry: ET.Element) -> str:
    """The arXiv id of an entry without version, or empty."""
    return arxiv_id(_text(entry, f"{ATOM}id"))


def _journal(reference: str) -> str:
    head, *numbers = _NUMBERS.split(reference, maxsplit=1)
    name = _VOLUME_WORD.sub("", head).strip(" ,.:;@-")
    return "" if not numbers or len(name) < 2 or _OPEN_END.search(name) else name


def _journal_year(reference: str) -> int | None:
    match = _YEAR_IN_BRACKETS.search(reference) or _LAST_YEAR.search(reference)
    return int(match.group(1)) if match else None


def parse_entry(entry: ET.Element) -> Record | None:
    """The record of one entry, or None if it names no e-print."""
    identifier = identifier_of(entry)
    if not identifier:
        return None
    names = [stated_name(author.findtext(f"{ATOM}name")) for author in entry.findall(f"{ATOM}author")]
    return _eprint(
        identifier,
        title=_text(entry, f"{ATOM}title"),
        authors=[undivided(name) for name in names if name],
        dates=[_text(entry, f"{ATOM}published"), _text(entry, f"{ATOM}updated")],
        reference=_text(entry, f"{_ARXIV}journal_ref"),
        dois=[without_markup(element.text or "") for element in entry.findall(f"{_ARXIV}doi")],
        version=normalise_arxiv(_text(entry, f"{ATOM}id"))[1],
        comment=_text(entry, f"{_ARXIV}comment"),
    )


def parse_line(value: Mapping[str, Any]) -> Record | None:
    """The record of one line of the metadata snapshot, or None if it names no e-print.

    Its fields: id, title, authors_parsed (family, given, suffix, affiliations), doi, journal-ref, versions, update_date.
    """
    identifier = arxiv_id(text(value.get("id")))
    if not identifier:
        return None
    versions = [mapping(version) for version in listing(value.get("versions"))]
    created = [text(version.get("created")) for version in versions]
    last = _VERSION.fullmatch(text(versions[-1].get("version"))) if versions else None
    return _eprint(
        identifier,
        title=without_markup(text(value.get("title"))),
        authors=[person for parts in listing(value.get("authors_parsed")) if (person := _person(parts))],
        dates=[*created[:1], *created[-1:]] or [text(value.get("update_date"))],
        reference=without_markup(text(value.get("journal-ref"))),
        dois=_DOIS.split(text(value.get("doi"))),
        version=int(last["number"]) if last else None,
        comment=text(value.get("comments")),
    )


def _person(parts: object) -> Person | None:
    """The person of the parts that arXiv separates, in TeX; the fourth and further ones are affiliations."""
    family, given, suffix = (stated_name(decode(text(part))) for part in [*listing(parts), "", "", ""][:3])
    if family and given:
        return Person(family=family, given=given, suffix=suffix)
    return undivided(family or given) if family or given else None


def _eprint(
    identifier: str,
    *,
    title: str,
    authors: Sequence[Person],
    dates: Sequence[str],
    reference: str,
    dois: Iterable[str],
    version: int | None,
    comment: str,
) -> Record:
    """The record of one e-print, in whatever form its metadata came.

    The first year is that of the first version, then that of the last version and of the journal reference.
    Venues are arXiv, then the journal, then its reference as the authors wrote it. A DOI that the authors
    state belongs to the published version and stands in ``related``. That it was withdrawn stands in the comment alone.
    """
    years = [*map(year_of, dates), _journal_year(reference)]
    return Record(
        source="arxiv",
        id=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
        title=title,
        authors=tuple(authors),
        years=tuple(dict.fromkeys(year for year in years if year)),
        venues=tuple(dict.fromkeys(name for name in ("arXiv", _journal(reference), reference) if name)),
        type="preprint",
        arxiv=identifier,
        version=version,
        notices=(Notice("removal", "arxiv"),) if _WITHDRAWN.match(comment) else (),
        related=tuple(("is-preprint-of", doi) for doi in dict.fromkeys(map(doi_name, dois)) if doi),
    )
