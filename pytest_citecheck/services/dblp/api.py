"""DBLP: computer science publications by title, and by their authors in a series and year.

Documentation: dblp FAQ "How to use the dblp search API?" (dblp.org/faq/13501473): every word of the query has to occur as
the beginning of a word of the title, a name or the venue, ``a|b`` is either; facets are written ``year:2017:`` and
``streamid:conf/nips:`` (a stream is a series with all its tracks, under the key that its records carry). Absence: of a
title, none is evidence, as one word that differs empties the search; a list of all works of authors in a stream and year is
one, where DBLP lists the stream and year at all. Author order: as in the publication, reliable. Limits: none are published;
more than about one request a second is answered with 429 and a page in HTML. Since
autumn 2026 DBLP and its official mirrors show programs a page that only a browser passes, so the search is asked only where a
user names a mirror; `pytest_citecheck.services.dblp.sparql` asks the same questions elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Absent, Answer, CitedMetadata, Found, Question, QuestionKind, Record
from pytest_citecheck.services.base import (
    PAPERS,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
    TitleSearch,
)
from pytest_citecheck.services.parsing.json_body import listing, mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import query_url
from pytest_citecheck.services.parsing.search_words import distinctive_words, plain_words
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DBLP", "Dblp"]

# Six words single out a title; each further one may be the one that DBLP spells in another way.
_MOST_WORDS = 6
_SHORT_TITLE = 3
_TITLE_HITS, _BYLINE_HITS, _VOLUME_HITS = 30, 1000, 1
_ASCII = lazy_pattern(r"[A-Za-z0-9]+")
_ENDING = lazy_pattern(r"(?:[iy][sz](?:e|ed|es|ing|ations?|ers?)|(?<!s)s)\Z")
_SHORTEST_STEM = 4


class Dblp(Source):
    """DBLP's publication search as a source of records (see the module)."""

    name = "dblp"
    label = "DBLP"
    base_url = "https://dblp.org"
    documentation = "https://dblp.org/faq/13501473.html"
    batch: Mapping[QuestionKind, int] = {"title": 1, "author_search": 1, "venue_year": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    mirror_only = True
    limits = "none published; 429 with Retry-After beyond about one request a second"
    terms = Terms("CC0, may be handed on", reported=True)
    absence = "complete for volumes that it lists completely, once they are two years old; otherwise no evidence"
    first_hand = ("title", "authors", "year", "venue")
    role = Role(
        titles=(
            TitleSearch("single", 11, ("computer_science",), PAPERS),
            TitleSearch(
                "single", 31, ("physics", "mathematics", "social_science", "interdisciplinary", "other"), PAPERS
            ),
            TitleSearch("single", 31, works=("book", "thesis")),
        )
    )
    witnesses: Mapping[QuestionKind, Question] = {
        "title": Question("title", "Attention is All you Need", ("Vaswani",)),
        "author_search": Question("author_search", "conf/nips", ("Vaswani",), 2017),
        "venue_year": Question("venue_year", "conf/nips", (), 2017),
    }

    def accepts(self, question: Question) -> bool:
        """Titles that hold a word, streams in a year, and authors there with a name in Latin script."""
        from pytest_citecheck.services.dblp.record import STREAM_KEY

        if question.kind == "title":
            return bool(plain_words(question.value))
        if (
            question.kind not in ("author_search", "venue_year")
            or not STREAM_KEY.fullmatch(question.value)
            or not question.year
        ):
            return False
        return question.kind == "venue_year" or bool(_names(question))

    def may_list(self, cited: CitedMetadata) -> bool:
        """Not if its key is cited, which is asked for instead, nor if the venue is known and DBLP does not list it."""
        venue = lookup(cited.venue) if cited.venue else None
        listed = venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")
        return listed and not cited.identifiers.dblp

    def request(self, questions: Sequence[Question]) -> Request:
        """``search/publ/api``: distinctive words of a title (plus an author if they are few), or facets."""
        question = questions[0]
        facets = [f"streamid:{question.value}:", f"year:{question.year}:"]
        if question.kind == "author_search":
            words, hits = ["|".join(_names(question)), *facets], _BYLINE_HITS
        elif question.kind == "venue_year":
            words, hits = facets, _VOLUME_HITS
        else:
            words, hits = _title_words(question.value), _TITLE_HITS
            if len(words) < _SHORT_TITLE:
                words += _names(question)[:1]
        url = query_url(
            f"{self.base_url}/search/publ/api",
            ("q", " ".join(words)),
            ("format", "json"),
            ("h", hits),
            ("c", 0),
        )
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError unless it is a whole list of what was asked for."""
        from pytest_citecheck.services.dblp.record import parse_hit
        from pytest_citecheck.services.parsing.unread import without_absences

        if response.status >= 300:
            raise MalformedAnswerError(f"DBLP answered status {response.status}")
        hits, total = _hits(parse_json(response.body))
        records = tuple(record for record in map(parse_hit, hits) if record)
        if hits and not records:
            raise MalformedAnswerError("no hit of DBLP's answer is a publication")
        answers = {question: _answer(question, records, whole=len(hits) >= total) for question in questions}
        return without_absences(answers, self.label) if len(records) < len(hits) else answers


def _beginning(word: str) -> str:
    """The letters that DBLP's form of a word surely begins with.

    They end before an accent, as it is unknown whether the index folds it, and before endings that vary (plural,
    -ise and -ize). Empty if fewer than two are left.
    """
    letters = _ASCII.match(word)
    found = letters.group() if letters else ""
    ending = _ENDING.search(found)
    if ending and ending.start() >= _SHORTEST_STEM:
        found = found[: ending.start()]
    return found if len(found) > 1 else ""


def _title_words(title: str) -> list[str]:
    words = distinctive_words(title, _MOST_WORDS)
    return list(dict.fromkeys(filter(None, map(_beginning, words)))) or list(words)


def _names(question: Question) -> list[str]:
    """The beginning of the last word of each family name, which every spelling of a name with particles has.

    It ends before an accent, as in titles; a name of which one letter would be left (``Müller``) is folded before it is cut.
    """
    last_words = [words[-1] for words in map(plain_words, question.authors) if words]
    return [found for found in map(_beginning_of_name, last_words) if len(found) > 1]


def _beginning_of_name(word: str) -> str:
    stated, folded = _ASCII.match(word), _ASCII.match(fold(word).capitalize())
    if stated and len(stated.group()) > 1:
        return stated.group()
    return folded.group() if folded else ""


def _hits(body: Any) -> tuple[list[Any], int]:
    """The hits that an answer sends, and how many there are; ``hit`` may be missing, a list or one object."""
    result = mapping(body).get("result")
    hits = mapping(result).get("hits")
    if not isinstance(hits, dict):
        raise MalformedAnswerError("DBLP's answer has no hits")
    code = text(mapping(mapping(result).get("status")).get("@code"))
    if code not in ("", "200"):
        raise MalformedAnswerError(f"DBLP answered code {code}")
    sent, total = whole_number(hits.get("@sent")), whole_number(hits.get("@total"))
    found = listing(hits.get("hit"))
    expected = sent if sent is not None else total
    if expected is None or len(found) < expected or (total and not found):
        raise MalformedAnswerError(f"DBLP's answer contains {len(found)} of {expected} hits")
    return found, expected if total is None else total


def _answer(question: Question, records: tuple[Record, ...], *, whole: bool) -> Answer:
    if question.kind == "title":
        return Found(records) if records else Absent()
    if any(not record.id.startswith(f"{question.value}/") for record in records):
        raise MalformedAnswerError(f"DBLP's answer contains records from outside {question.value}")
    place = f"{question.value} {question.year}"
    if question.kind == "venue_year":
        return Found(records, f"DBLP lists {place}") if records else Absent()
    names = " or ".join(question.authors)
    if not records:
        return Absent(f"DBLP lists no work in {place} by an author named {names}")
    return Found(records, f"DBLP lists {len(records)} works in {place} by an author named {names}" if whole else "")


DBLP = Dblp()
