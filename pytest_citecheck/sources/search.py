"""Searches: the words of a title that are worth searching for, notices in what is found, and pages of results."""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import (
    MAYBE_BLANKS,
    Asked,
    compare_venues,
    lazy_pattern,
    pages_of,
    same_start,
    same_volume,
    volume_and_number,
)
from pytest_citecheck.model import Notice, NoticeKind, Record
from pytest_citecheck.sources.base import MalformedAnswerError, Request, Response, Source
from pytest_citecheck.sources.parsing import iso_date, mapping, parse_json, query_url, text, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Formulas and commands are written in another way by every database.
_FORMULA = lazy_pattern(r"\$[^$]*\$|\\[a-zA-Z]+\s*|[{}\\^$]")
_TOKEN = lazy_pattern(r"[^\W_]+(?:['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-][^\W_]+)*")
_JOINT = lazy_pattern(r"['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-]")
_DASH = lazy_pattern(r"[\u2010-\u2015\u2212/\u00b7-]")
_FUNCTION_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "in",
        "into", "is", "it", "its", "of", "on", "or", "over", "per", "s", "than", "that", "the", "their",
        "this", "to", "toward", "towards", "under", "upon", "use", "using", "via", "vs", "we", "what",
        "when", "where", "which", "while", "who", "why", "with", "within", "without", "you", "your",
        "der", "die", "das", "ein", "eine", "einer", "und", "von", "zur", "zum", "mit", "le", "la", "les",
        "un", "une", "des", "du", "et", "pour", "sur", "dans", "el", "los", "las", "una", "de", "del",
        "y", "en",
    }
)  # fmt: skip

# Words that PubMed does not index in addition (PubMed User Guide, "Stopwords"), if they are long enough to be chosen.
_UNINDEXED = frozenset(
    {
        "about", "again", "all", "almost", "also", "although", "always", "among", "another", "any", "because", "been",
        "before", "being", "between", "both", "but", "could", "did", "does", "done", "due", "during", "each", "either",
        "enough", "especially", "etc", "found", "further", "had", "has", "have", "having", "here", "however", "itself",
        "just", "made", "mainly", "make", "may", "might", "most", "mostly", "must", "nearly", "neither", "nor",
        "obtained", "often", "our", "overall", "perhaps", "pmid", "quite", "rather", "really", "regarding", "seem",
        "seen", "several", "should", "show", "showed", "shown", "shows", "significantly", "since", "some", "such",
        "then", "there", "therefore", "these", "they", "those", "through", "thus", "used", "using", "various", "very",
        "was", "were", "would",
    }
)  # fmt: skip


@lru_cache(maxsize=4096)
def plain_words(title: str) -> tuple[str, ...]:
    """The words of a title in order, without punctuation, formulas and commands; compounds stay one word."""
    return tuple(_TOKEN.findall(_FORMULA.sub(" ", unicodedata.normalize("NFC", title))))


def parted_words(title: str, most: int) -> tuple[str, ...]:
    """The first words of a title, compounds taken apart (``pre``, ``training``), for engines in which a dash is a sign."""
    return tuple(part for word in plain_words(title) for part in _DASH.split(word))[:most]


def whole_words(title: str, most: int) -> tuple[str, ...]:
    """At most ``most`` words to search unchanged; a good record should have all of them.

    No function words, no compounds and no words with digits or letters beyond ASCII, because engines split and fold
    these differently; these are used only if there are fewer than two others. They keep the order of the title. Not
    empty if the title has a word.
    """
    words = plain_words(title)
    sure = [word for word in words if word.isascii() and word.isalpha() and len(word) > 2]
    good = list(dict.fromkeys(word for word in sure if word.lower() not in _FUNCTION_WORDS | _UNINDEXED))
    if len(good) > 1:
        return tuple(good[:most])
    parts = [part for word in words for part in _JOINT.split(word)]
    return tuple(dict.fromkeys(parts))[:most]


def main_words(title: str, most: int, *, with_author: bool) -> tuple[str, ...]:
    """At most ``most`` words of a title as `whole_words` chooses them, of the part before the colon if an author makes up for the
    rest: catalogues keep subtitles apart, and many leave them out."""
    main = title.partition(":")[0] if with_author else ""
    return whole_words(main, most) or whole_words(title, most)


def any_of(clauses: Sequence[str]) -> str:
    """The query for any of these clauses; one that is itself of several parts is in brackets."""
    bracketed = [f"({clause})" if " AND " in clause else clause for clause in clauses]
    return " OR ".join(bracketed) if len(clauses) > 1 else clauses[0]


SAME_WORK = frozenset({
    "is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-identical-to", "is-same-as", "is-manuscript-of",
    "has-manuscript", "is-translation-of", "has-translation", "is-replaced-by", "replaces",
})  # fmt: skip
"""Crossref's relations between forms of one work, in the spelling of its JSON."""

_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")


def hyphenated(relation: str) -> str:
    """``IsVersionOf`` or ``isVersionOf`` as ``is-version-of``."""
    return _HUMP.sub("-", relation).lower()


# Notices on a work after its publication: those that Crossref links to it, and those that publishers put before its
# title.
# A withdrawn article is gone, for any reason (a Cochrane review also when it is out of date), so it is not called
# retracted; nor is an article of which only a part was withdrawn. New versions and editions are not notices.
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

    A reinstatement cancels earlier retractions, removals and expressions of concern.
    """
    updates = mapping(work).parts("updated-by")
    kinds = [update.text("type").lower().replace("-", "_").replace(" ", "_") for update in updates]
    dates = [iso_date(update.get("updated")) for update in updates]
    reinstated = max((date for date, kind in zip(dates, kinds, strict=True) if kind == _REINSTATEMENT), default=None)
    found: list[Notice] = []
    for update, stated, date in zip(updates, kinds, dates, strict=True):
        kind = _KINDS.get(stated)
        if kind is None or (reinstated is not None and kind in _ADVERSE and date <= (reinstated or date)):
            continue
        watched = update.text("source") == "retraction-watch"
        stated_by = "retraction-watch" if watched else "crossref"
        found.append(Notice(kind, stated_by, date, update.doi("DOI")))
    return tuple(dict.fromkeys(found))


def announced(title: str, doi: str = "") -> tuple[NoticeKind, str] | None:
    """Notice that a title contains about its own work, and the title without it; None without a notice.

    "Retraction of" and "Retraction:" introduce the notice, which is another work. IEEE puts "Notice of Retraction"
    before the title of the retracted paper itself, so it counts for its DOIs only.
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


def with_announced(
    notices: tuple[Notice, ...], title: str, source: str, doi: str = ""
) -> tuple[tuple[Notice, ...], str]:
    """The notices on a work with the one that its title announces, and the title without it (empty if it announces none)."""
    said = announced(title, doi)
    if said is None:
        return notices, ""
    kind, bare = said
    known = any(notice.kind == kind and notice.stated_by == source for notice in notices)
    return notices if known else (*notices, Notice(kind, source)), bare


def is_of_journal(asked: Asked, record: Record) -> bool:
    """Return True if a record is of the journal of a query: by ISSN, or by a name of it."""
    if asked.issn and asked.issn in record.issn:
        return True
    return any(compare_venues(asked.journal, venue) == "same" for venue in record.venues)


def is_at_place(asked: Asked, record: Record) -> bool:
    """Return True if a record is of the journal, volume and first page of a query."""
    in_volume = same_volume(volume_and_number(record.volume)[0], asked.volume)
    on_page = same_start(pages_of(record.pages).first, pages_of(asked.first).first)
    return in_volume and on_page and is_of_journal(asked, record)


class JsonSearch(Source):
    """A service that is searched with one query, and answers with one page of results in JSON.

    path: of the search, below the base URL. form: its parameters; ``{query}`` and ``{hits}`` are filled in. results, total,
    problems: where an answer has its results, how many there are altogether, and what it says where it is none (`Fields.reach`).
    """

    path: str
    form: tuple[tuple[str, str], ...]
    results: str
    total: str
    problems: tuple[str, ...] = ()

    @abstractmethod
    def read(self, result: object) -> Any:
        """The record of one result, in the form that the service needs; None if it cannot be read."""

    def searched(self, query: str, hits: int) -> Request:
        """The request for a query and this many results."""
        parameters = ((name, value.format(query=query, hits=hits)) for name, value in self.form)
        return Request(self.name, query_url(f"{self.base_url}/{self.path}", *parameters))

    def page(self, response: Response) -> tuple[list[Any], int]:
        """The results of an answer, and their total number. Raises MalformedAnswerError for anything else."""
        body = mapping(parse_json(response.body))
        results, total = body.reach(self.results), whole_number(body.reach(self.total))
        if response.status >= 300 or not isinstance(results, list) or total is None:
            problem = next(filter(None, (text(body.reach(path)) for path in self.problems)), response.status)
            raise MalformedAnswerError(f"{self.label}'s answer is no page of results: {problem}")
        return results, total
