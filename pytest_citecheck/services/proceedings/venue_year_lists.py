"""The protocol of lists of all papers of a venue in a year, as their publishers keep them.

Who vouches for a list is the source (its `label`), and since when the date of the answer. One request brings a list for all
references that claim it. A list convicts, since what it lacks is not in the proceedings; so it counts only if it was received
whole (each form says how that is seen), is of the venue and year that were asked for, holds the paper that it certainly has, and
no fewer than there certainly are (`pytest_citecheck.venues.lists`). What is no such list is `Unavailable`: an address that is
wrong costs an answer and accuses nobody. The answer to authors is a `Found` with all works of theirs and all with nearly the
cited title, be it none, and the scope in words: a list that shows all this by itself needs no other witness.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.model import Answer, Found, Question, QuestionKind, Record, Unavailable
from pytest_citecheck.services.base import MalformedAnswerError, Rate, Request, Response, Role, Source
from pytest_citecheck.services.dblp.names import beginnings
from pytest_citecheck.text.normal_form import fold, words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles
from pytest_citecheck.venues.lists import VenueYearList, all_lists, venue_year_list

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

__all__ = ["VenueYearLists", "part_of"]

_NO_LETTERS = lazy_pattern(r"[\W_]+")
_SHARED_WORDS = 0.5
_NOBODY = "Zzyzxov"
_EVERYWHERE = "Wang"  # among the authors of any thousand papers


class VenueYearLists(Source):
    """A publisher, or a form in which it keeps its lists (see the module).

    accept: the media type that is asked for. A list in parts is asked for part by part: the value of the question for the
    second one ends in ``#2`` (`part_of`).
    """

    batch: Mapping[QuestionKind, int] = {"author_search": 1000}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published; 1 request a second is used"
    absence = "complete for the venues and years of which it has the list, from the year after"
    first_hand = ("title", "authors", "year", "venue")
    role = Role()
    accept = "text/html"

    @abstractmethod
    def address(self, listed: VenueYearList, part: int) -> str:
        """The URL of a list, or of a part of it (from 1)."""
        ...

    @abstractmethod
    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:
        """The papers of a list, or of a part of it. Raises MalformedAnswerError unless it was received whole."""
        ...

    def accepts(self, question: Question) -> bool:
        """Authors with a name in Latin script in a venue and year of which there is a list."""
        if question.kind != "author_search" or not beginnings(question.authors):
            return False
        listed, part = self._asked(question)
        return listed is not None and 1 <= part <= listed.parts

    def group(self, question: Question) -> Hashable:
        """One request for all who are looked for in one list."""
        return question.value, question.year

    def request(self, questions: Sequence[Question]) -> Request:
        """The list of the venue and year, whoever is looked for in it."""
        listed, part = self._listed(questions[0])
        return Request(self.name, self.address(listed, part), accept=self.accept)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The works of the authors of each question. Raises MalformedAnswerError unless it is the whole list."""
        listed, part = self._listed(questions[0])
        if response.status >= 300:
            detail = f"{self.label} has no list of {listed.name} at this address"
            return dict.fromkeys(questions, Unavailable(f"http-{response.status}", detail))
        records = self.read(listed, part, response.body)
        papers = [_Paper.of(record) for record in records]
        if listed.parts == 1:
            self._check(listed, papers)
        return {question: self._answer(question, listed, papers) for question in questions}

    def samples(self) -> Mapping[QuestionKind, Question]:
        """The witness of the smallest list that comes in one part, by an author whom nobody has; where all come in parts, of
        which nobody knows in which one the witness is, a name that is in each of them."""
        mine = [one for one in all_lists() if self.name in one.sources]
        if not mine:
            return {}
        listed = min(mine, key=lambda one: (one.parts, one.papers))
        who, title = (_NOBODY, listed.witness) if listed.parts == 1 else (_EVERYWHERE, "")
        return {"author_search": Question("author_search", listed.venue.id, (who,), listed.year, title)}

    def _check(self, listed: VenueYearList, papers: Sequence[_Paper]) -> None:
        if len(papers) < listed.papers:
            raise MalformedAnswerError(f"{len(papers)} papers of {listed.name}, which has {listed.papers} at least")
        if not any(_letters(listed.witness) in paper.titles for paper in papers):
            raise MalformedAnswerError(f"a list of {listed.name} without {listed.witness!r}, which is in there")

    def _answer(self, question: Question, listed: VenueYearList, papers: Sequence[_Paper]) -> Found:
        wanted, title = tuple(beginnings(question.authors)), words(question.title)
        theirs = [paper.record for paper in papers if paper.is_by(wanted)]
        titled = [
            paper.record for paper in papers if not paper.is_by(wanted) and paper.is_titled(question.title, title)
        ]
        names = " or ".join(question.authors)
        scope = f"{self.label} lists {len(papers):,} works of {listed.name}, {len(theirs) or 'none'} by an author named {names}"
        return Found((*theirs, *titled), scope)

    def _asked(self, question: Question) -> tuple[VenueYearList | None, int]:
        venue, part = part_of(question.value)
        return venue_year_list(self.name, venue, question.year), part

    def _listed(self, question: Question) -> tuple[VenueYearList, int]:
        listed, part = self._asked(question)
        if listed is None:
            raise KeyError(f"{self.label} has no list of {question.value} {question.year}")
        return listed, part


def part_of(value: str) -> tuple[str, int]:
    """The venue that a question names, and the part of its list."""
    venue, _, part = value.partition("#")
    return venue, int(part) if part.isascii() and part.isdigit() and len(part) < 4 else int(not part)


class _Paper(NamedTuple):
    """A record with what it is looked for by."""

    record: Record
    titles: frozenset[str]
    title_words: frozenset[str]
    name_words: tuple[str, ...]

    @classmethod
    def of(cls, record: Record) -> _Paper:
        whole = f"{record.title} {record.subtitle}"
        people = " ".join(map(str, (*record.authors, *record.editors)))
        titles = frozenset({_letters(record.title), _letters(whole)})
        return cls(record, titles, frozenset(words(whole)), words(people))

    def is_by(self, beginnings: tuple[str, ...]) -> bool:
        """Whether a word of the name of one of its people begins so."""
        return any(word.startswith(beginnings) for word in self.name_words)

    def is_titled(self, title: str, title_words: Sequence[str]) -> bool:
        """Whether its title resembles this one."""
        shared = self.title_words.intersection(title_words)
        if len(shared) < _SHARED_WORDS * min(len(self.title_words), len(set(title_words))) or not shared:
            return False
        return compare_titles(title, self.record.title, self.record.subtitle).relation != "different"


def _letters(title: str) -> str:
    return _NO_LETTERS.sub("", fold(title)).lower()
