"""What was said of a work after its publication: notices that Crossref links to it, and what publishers put before its title.

Sources: the types of updates and ``updated-by`` of the Crossref REST API (crossref.org/documentation, "Updating your
Crossmark" and "Retraction Watch"). ``updated-by`` stands on the work that a notice is about, ``update-to`` on the notice. The
words before titles are those that publishers use ("RETRACTED ARTICLE:", "WITHDRAWN:"), and IEEE's own ("Notice of
Retraction", IEEE PSPB Operations Manual, section 8.2.4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.model import Notice, NoticeKind
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text
from pytest_citecheck.services.parsing.partial_date import iso_date
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["announced", "notices_of"]

# A withdrawn article is gone, for whatever reason (a Cochrane review also when it is out of date), so it is not called
# retracted; nor is one of which only a part is. New versions and editions are no notices.
_KINDS: Mapping[str, NoticeKind] = {
    "retraction": "retraction",
    "withdrawal": "removal",
    "removal": "removal",
    "expression_of_concern": "concern",
    "partial_retraction": "concern",
    "correction": "correction",
    "corrigendum": "correction",
    "erratum": "correction",
    "addendum": "correction",
    "clarification": "correction",
}
_REINSTATEMENT = "reinstatement"
_ADVERSE: frozenset[NoticeKind] = frozenset({"retraction", "removal", "concern"})

_ITEM = r"(?:\s+(?:article|paper|chapter|book|manuscript|preprint))?"
_BEFORE = lazy_pattern(
    rf"(?:[\[(]\s*(?P<enclosed>retracted|withdrawn){_ITEM}\s*[\])]\s*[:.\-\u2013\u2014]?\s*"
    rf"|(?P<word>retracted|withdrawn|(?-i:REMOVED)){_ITEM}\s*(?::|\s[-\u2013\u2014])\s*)",
    re.IGNORECASE,
)
_AFTER = lazy_pattern(
    rf"{MAYBE_BLANKS}(?:[\[(]\s*+(?P<enclosed>retracted|withdrawn){_ITEM}\s*+[\])])\s*+\.?\Z", re.IGNORECASE
)
_IEEE = "10.1109/"
_OF_IEEE = lazy_pattern(
    r"notice of (?P<word>retraction|violation of IEEE publication principles)\s*[:.]?\s*", re.IGNORECASE
)
_WORDS: Mapping[str, NoticeKind] = {
    "retracted": "retraction",
    "retraction": "retraction",
    "withdrawn": "removal",
    "removed": "removal",
}


def notices_of(work: Mapping[str, object]) -> tuple[Notice, ...]:
    """The notices on a work that Crossref states in ``updated-by``, by the publisher or by Retraction Watch.

    What was reinstated is neither retracted, removed nor of concern by what was said before.
    """
    updates = [mapping(item) for item in listing(work.get("updated-by"))]
    kinds = [text(update.get("type")).lower().replace("-", "_").replace(" ", "_") for update in updates]
    dates = [iso_date(update.get("updated")) for update in updates]
    reinstated = max((date for date, kind in zip(dates, kinds, strict=True) if kind == _REINSTATEMENT), default=None)
    found: list[Notice] = []
    for update, stated, date in zip(updates, kinds, dates, strict=True):
        kind = _KINDS.get(stated)
        if kind is None or (reinstated is not None and kind in _ADVERSE and date <= (reinstated or date)):
            continue
        watched = text(update.get("source")) == "retraction-watch"
        stated_by = "retraction-watch" if watched else "crossref"
        found.append(Notice(kind, stated_by, date, doi_name(text(update.get("DOI")))))
    return tuple(dict.fromkeys(found))


def announced(title: str, doi: str = "") -> tuple[NoticeKind, str] | None:
    """What a title says of its own work, and the title without it; None if it says nothing.

    "Retraction of" and "Retraction:" introduce the notice, which is another work. IEEE puts "Notice of Retraction" before
    the title of the retracted paper itself, so it counts for its DOIs only.
    """
    match = _BEFORE.match(title) or _AFTER.search(title)
    if match is None and doi.startswith(_IEEE):
        match = _OF_IEEE.match(title)
    if match is None:
        return None
    rest = (title[: match.start()] + title[match.end() :]).strip()
    if not any(map(str.isalpha, rest)):
        return None
    said = next(group for group in match.groups() if group).lower()
    return _WORDS.get(said, "concern"), rest
