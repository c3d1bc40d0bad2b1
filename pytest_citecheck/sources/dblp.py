"""DBLP: computer science publications by title, and by authors in a venue and year.

Documentation: dblp FAQ "How to use the dblp search API?" (dblp.org/faq/13501473): every word of the query has
to occur as the beginning of a word of the title, a name or the venue; facets are written ``venue:NAME:`` and
``year:2017:`` with underscores for spaces. Absence: of a title, none is evidence, as one word that differs
empties the search; of authors in a venue and year that DBLP lists completely, it is. Author order: as in the
publication, reliable. Limits: none are published; more than about one request a second is answered with 429
and a page in HTML.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response
from pytest_citecheck.sources.dblp_hit import parse_hit
from pytest_citecheck.sources.json_body import listing, mapping, parse_json, text, whole_number
from pytest_citecheck.sources.query_url import query_url
from pytest_citecheck.sources.search_words import distinctive_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DBLP", "Dblp"]

# Six words single out a title; each further one may be the one that DBLP spells in another way.
_MOST_WORDS = 6
_SHORT_TITLE = 4
_ASCII = re.compile(r"[A-Za-z0-9]+")
_ENDING = re.compile(r"(?:[iy][sz](?:e|ed|es|ing|ations?|ers?)|(?<!s)s)\Z")
_SHORTEST_STEM = 4


class Dblp:
    """DBLP's publication search as a source of records (see the module)."""

    name = "dblp"
    label = "DBLP"
    base_url = "https://dblp.org"
    documentation = "https://dblp.org/faq/13501473.html"
    batch: Mapping[QuestionKind, int] = {"title": 1, "byline": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)

    def accepts(self, question: Question) -> bool:
        """Titles that hold a word, and bylines with a venue, a year and an author in Latin script."""
        if question.kind == "byline":
            return bool(question.value.strip() and _names(question) and question.year)
        return question.kind == "title" and bool(plain_words(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``search/publ/api``: distinctive words of a title (plus an author if they are few) or a byline."""
        question = questions[0]
        if question.kind == "byline":
            venue = "_".join(question.value.split())
            words, hits = [*_names(question), f"venue:{venue}:", f"year:{question.year}:"], 100
        else:
            words, hits = _title_words(question.value), 10
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
        """Records by question. Raises MalformedAnswerError unless it is a whole list of publications."""
        if response.status >= 300:
            raise MalformedAnswerError(f"DBLP answered status {response.status}")
        hits = _hits(parse_json(response.body))
        records = tuple(record for record in map(parse_hit, hits) if record)
        if hits and not records:
            raise MalformedAnswerError("no hit of DBLP's answer is a publication")
        return {question: Found(records) if records else _absent(question) for question in questions}

    def singles(self, url: str) -> tuple[str, ...]:
        """The URL itself: one question a request."""
        return (url,)


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
    """The beginning of the last word of each family name, which every spelling of a name with particles has."""
    last_words = [words[-1] for words in map(plain_words, question.authors) if words]
    beginnings = [_ASCII.match(word) for word in last_words]
    return [match.group() for match in beginnings if match and len(match.group()) > 1]


def _hits(body: Any) -> list[Any]:
    """The hits of an answer, whole; ``hit`` is left out when there is none, and may be an object if one."""
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
        raise MalformedAnswerError(f"DBLP's answer holds {len(found)} of {expected} hits")
    return found


def _absent(question: Question) -> Absent:
    if question.kind == "byline":
        return Absent(f"dblp lists no work of these authors in {question.value} {question.year}")
    return Absent()


DBLP = Dblp()
