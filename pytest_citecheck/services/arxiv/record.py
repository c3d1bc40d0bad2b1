"""One e-print as arXiv describes it in an Atom entry, as a record.

Source: arXiv API User's Manual, section 3.3 "Outline of an Atom feed"
(info.arxiv.org/help/api/user-manual.html).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.model import Record
from pytest_citecheck.services.parsing.atom import ATOM
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

__all__ = ["identifier_of", "parse_entry"]

_ARXIV = "{http://arxiv.org/schemas/atom}"
# "Phys.Rev.D76:013009,2007": the journal ends where volume, issue, pages and year begin.
_NUMBERS = re.compile(r"[\d(\[]")
_VOLUME_WORD = re.compile(r"\b(?:vol(?:ume)?|no|bd|issue)[\s.,:;]*\Z", re.IGNORECASE)
_OPEN_END = re.compile(r"(?:\A|\s)(?:the|of|on|in|an?|and|for|to|der|des|le|la|proc\.?|proceedings)\Z", re.IGNORECASE)
_YEAR_IN_BRACKETS = re.compile(r"\(((?:19|20)\d\d)\)")
_LAST_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)\W*\Z")


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
    """The record of one entry, or None if it names no e-print.

    The first year is that of the first version, then that of the last version and of the journal reference.
    Venues are arXiv, then the journal, then its reference as the authors wrote it. A DOI that the authors
    state belongs to the published version and stands in ``related``.
    """
    identifier = identifier_of(entry)
    if not identifier:
        return None
    reference = _text(entry, f"{_ARXIV}journal_ref")
    years = [
        year_of(_text(entry, f"{ATOM}published")),
        year_of(_text(entry, f"{ATOM}updated")),
        _journal_year(reference),
    ]
    dois = [doi_name(without_markup(element.text or "")) for element in entry.findall(f"{_ARXIV}doi")]
    names = [stated_name(author.findtext(f"{ATOM}name")) for author in entry.findall(f"{ATOM}author")]
    return Record(
        source="arxiv",
        id=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
        title=_text(entry, f"{ATOM}title"),
        authors=tuple(undivided(name) for name in names if name),
        years=tuple(dict.fromkeys(year for year in years if year)),
        venues=tuple(dict.fromkeys(name for name in ("arXiv", _journal(reference), reference) if name)),
        type="preprint",
        arxiv=identifier,
        version=normalise_arxiv(_text(entry, f"{ATOM}id"))[1],
        related=tuple(("is-preprint-of", doi) for doi in dict.fromkeys(dois) if doi),
    )
