"""MEDLINE's form of titles, journals and notices, shared by PubMed and Europe PMC.

Sources: MEDLINE/PubMed Data Element (Field) Descriptions (nlm.nih.gov/bsd/mms/medlineelements.html, fields TI, TT, JT
and "Comments/Corrections"), Errata, Retractions, and Other Linked Citations in PubMed (nlm.nih.gov/bsd/policy/errata).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import BLANKS, MAYBE_BLANKS, MONTHS, lazy_pattern, without_markup
from pytest_citecheck.model import Notice, NoticeKind
from pytest_citecheck.sources.parsing import doi_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NO_TITLE = lazy_pattern(r"\[?\s*(?:not available|no title available)\s*\]?", re.IGNORECASE)
_TRANSLATORS_NOTE = lazy_pattern(MAYBE_BLANKS + r"\((?:author's |proceedings \()?transl\)*\Z", re.IGNORECASE)
_INITIALISM = lazy_pattern(r"(?:\b[^\W\d_]\.){2}\Z|\.\.\Z")
# "Science (New York, N.Y.)", "BMJ (Clinical research ed.)": distinguished from namesakes by a place or an edition.
_QUALIFIER = lazy_pattern(BLANKS + r"\([^()]*\)\Z")

# The names of the two services differ in capitals and spaces only: "RetractionIn", "Retraction in".
_NOTICES: Mapping[str, NoticeKind] = {
    "retractionin": "retraction",
    "retractedandrepublishedin": "retraction",
    # Part of the work remains valid.
    "partialretractionin": "correction",
    "expressionofconcernin": "concern",
    "erratumin": "correction",
    "correctedandrepublishedin": "correction",
}
_VERSIONS = {
    "updatein": "is-preprint-of",
    "preprintof": "is-preprint-of",
    "updateof": "has-preprint",
    "preprintin": "has-preprint",
}
_RETRACTED = "retracted publication"

# "BMJ. 2018 Aug 17;362:k3210": the journal, then the date of the issue.
_DATE = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)(?!\d)(?:\s+([A-Z][a-z]{2})\b(?:\s+(\d{1,2})(?!\d))?)?")
_DOI = lazy_pattern(r"\bdoi:\s*(10\.\S+)", re.IGNORECASE)


def medline_title(value: str) -> str:
    """Title in plain text, without MEDLINE's final full stop and the brackets of a translation.

    Empty if MEDLINE has none (``[Not Available].``). A full stop that belongs to the title stays (``in the U.S.``,
    ``and so on...``).
    """
    title = without_markup(value)
    if title.endswith(".") and not _INITIALISM.search(title):
        title = title[:-1].rstrip()
    if _is_bracketed(title):
        title = _TRANSLATORS_NOTE.sub("", title[1:-1].strip())
        if title.endswith(".") and not _INITIALISM.search(title):
            title = title[:-1].rstrip()
    return "" if _NO_TITLE.fullmatch(title) else title


def _is_bracketed(title: str) -> bool:
    """Return True if the first bracket is closed by the last sign: a translation, not ``[3H]Ouabain and [14C]``."""
    if not (title.startswith("[") and title.endswith("]")):
        return False
    depth = 0
    for position, sign in enumerate(title):
        depth += (sign == "[") - (sign == "]")
        if depth == 0:
            return position == len(title) - 1
    return False


def journal_names(*names: str) -> tuple[str, ...]:
    """The names of a journal, each without the place or edition that distinguishes it from namesakes, then as stated."""
    stated = [without_markup(name) for name in names]
    return tuple(dict.fromkeys(name for name in (*(_QUALIFIER.sub("", name) for name in stated), *stated) if name))


def medline_notices(links: Iterable[tuple[str, str]], types: Iterable[str], source: str) -> tuple[Notice, ...]:
    """The notices on a work, in the order of its links.

    links: kind of link and cited reference, as in ``("RetractionIn", "Lancet. 2010 Feb 6;375(9713):445")``.
    types: publication types; ``Retracted Publication`` states a retraction even without a link.
    source: source of the notices.
    """
    notices = []
    for link, reference in links:
        kind = _NOTICES.get(_key(link))
        if kind:
            notices.append(Notice(kind, source, _date(reference), cited_doi(reference)))
    if not any(notice.kind == "retraction" for notice in notices) and _RETRACTED in (kind.lower() for kind in types):
        notices.append(Notice("retraction", source))
    return tuple(dict.fromkeys(notices))


def other_version(link: str) -> str:
    """Relation of the linked work to this one, if it is its preprint or publication; else empty."""
    return _VERSIONS.get(_key(link), "")


def cited_doi(reference: str) -> str:
    """The DOI at the end of a cited reference, or empty."""
    match = _DOI.search(reference)
    return doi_name(match.group(1).rstrip(".,;")) if match else ""


def _key(link: str) -> str:
    return "".join(link.split()).lower()


def _date(reference: str) -> str:
    """The date of a cited reference in ISO 8601, as far as stated."""
    match = _DATE.search(reference)
    if not match:
        return ""
    year, month, day = match.groups()
    if not month or month.lower() not in MONTHS:
        return year
    number = MONTHS.index(month.lower()) + 1
    return f"{year}-{number:02}-{int(day):02}" if day and 1 <= int(day) <= 31 else f"{year}-{number:02}"
