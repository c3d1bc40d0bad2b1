"""Comparison of the author list of a citation with that of a record.

Every cited name is given the most similar name of the record, near its own place first. What is left over on
either side decides: names silently missing, names added, names replaced, another order. Work is linear in the
length of the lists, since candidates come from an index of family names.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from pytest_citecheck.model import NameList
from pytest_citecheck.names.alignment import Pair, align_authors, in_order
from pytest_citecheck.names.comparison import parse, same_person
from pytest_citecheck.names.given_names import may_be_other_name
from pytest_citecheck.names.groups import is_collective, may_be_group
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import MOSTLY_OTHER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_citecheck.model import Person

__all__ = ["AuthorComparison", "compare_authors", "is_anonymous"]

# Papers under review are cited and listed so; it does not say who wrote them.
_NOBODY = lazy_pattern(r"anon(?:\.|ymous)?(?: authors?(?:\(s\))?)?|unknown(?: authors?)?|n\.?\s?n\.?", re.IGNORECASE)
_FITTING = ("same", "compatible")
_ALIKE = (*_FITTING, "misspelled")
_NAMES_IN_MESSAGE = 3
_ONE_SIDE_IS_GROUPS = "one side names organisations only, so persons cannot be compared"


@dataclass(frozen=True, slots=True)
class AuthorComparison:
    """What a comparison of two author lists says.

    ``code`` is empty if the citation is right or nothing can be said (``abstain``, with the ``reason``);
    otherwise one of ``authors-truncated``, ``authors-added``, ``authors-reordered``, ``authors-given-name``,
    ``authors-other``, ``authors-partly-other``, ``authors-misspelled``, and ``message`` says it in a
    sentence. ``pairs`` holds index in the citation, index in the record (None where there is no counterpart)
    and the relation: those of ``names.same_person``, ``misspelled``, ``missing`` or ``added``.
    """

    code: str
    message: str
    pairs: tuple[Pair, ...] = ()
    abstain: bool = False
    reason: str = ""

    @property
    def matched(self) -> int:
        """Number of cited names that fit a name of the record (``same`` or ``compatible``)."""
        return self._count(*_FITTING)

    @property
    def missing(self) -> int:
        """Number of names of the record without a counterpart in the citation."""
        return self._count("missing")

    @property
    def added(self) -> int:
        """Number of cited names without a counterpart in the record."""
        return self._count("added")

    @property
    def given_differs(self) -> int:
        """Number of cited names whose family name fits and whose given name does not."""
        return self._count("given-differs")

    @property
    def misspelled(self) -> int:
        """Number of cited names whose family name is one or two letters off."""
        return self._count("misspelled")

    @property
    def overlap(self) -> float:
        """Share of the cited names (0 to 1) with a counterpart that fits or is misspelled; 0.0 for no names."""
        relations = [relation for i, _, relation in self.pairs if i is not None]
        return sum(relation in _ALIKE for relation in relations) / len(relations) if relations else 0.0

    def _count(self, *relations: str) -> int:
        return sum(pair[2] in relations for pair in self.pairs)


def compare_authors(cited: NameList, found: Sequence[Person], *, complete: bool = True) -> AuthorComparison:
    """Compares the names of a citation with the authors of a record.

    ``complete``: the list of the record is not known to be cut.
    A citation with ``others`` may leave out any names but not change their order. Organisations on one side
    only are never held against a list of persons. Nothing is said of lists without names. Never raises.
    """
    if not cited.names:
        return AuthorComparison("", "", abstain=True, reason="the citation names no authors")
    if not found or is_anonymous(found):
        return AuthorComparison("", "", abstain=True, reason="the record names no authors")
    if len(cited.names) == len(found):
        fitting = tuple(itertools.takewhile(lambda pair: pair[2] in _FITTING, _in_their_places(cited.names, found)))
        if len(fitting) == len(found):
            return AuthorComparison("", "", fitting)
    pairs = align_authors(cited.names, found)
    theirs = tuple(pair for pair in pairs if pair[0] is not None)
    if _all_groups(cited.names) and all(relation in _FITTING for *_, relation in theirs):
        return AuthorComparison("", "", theirs)  # a record names members of the collaboration beside it
    if _all_groups(cited.names) or _all_groups(found) or _is_acronym_alone(cited):
        return AuthorComparison("", "", pairs, abstain=True, reason=_ONE_SIDE_IS_GROUPS)
    comparison = _judge(cited, found, pairs, complete)
    if comparison.code and _is_group_alone(cited, found):
        return AuthorComparison("", "", pairs, abstain=True, reason=_ONE_SIDE_IS_GROUPS)
    return comparison


def is_anonymous(people: Sequence[Person]) -> bool:
    """Whether a list only stands in the place of names (Anonymous, Unknown Author, N. N.)."""
    return all(_NOBODY.fullmatch(str(person)) for person in people)


def _in_their_places(cited: Sequence[Person], found: Sequence[Person]) -> Iterator[Pair]:
    for place, (one, other) in enumerate(zip(cited, found, strict=True)):
        yield place, place, same_person(one, other)


def _is_acronym_alone(cited: NameList) -> bool:
    """Whether the only author is one word in capitals (UNESCO, IPCC), or one with capitals inside (OpenAI)."""
    if len(cited.names) != 1:
        return False
    word = str(cited.names[0])
    return word.isalpha() and len(word) > 2 and sum(map(str.isupper, word)) > 1


def _is_group_alone(cited: NameList, found: Sequence[Person]) -> bool:
    """Whether the only author may be a company or laboratory, and none of its words is part of a person's name in the record.

    BibTeX prints ``author={Qwen}`` as it prints ``author={{Qwen}}``, so missing inner braces go unnoticed.
    """
    if len(cited.names) != 1 or parse(cited.names[0]).group or not may_be_group(str(cited.names[0])):
        return False
    words = set(parse(cited.names[0]).all_words)
    persons = (parse(person) for person in found if not may_be_group(str(person)))
    return all(person.group or words.isdisjoint(person.all_words) for person in persons)


def _all_groups(persons: Sequence[Person]) -> bool:
    return all(parse(person).group for person in persons)


def _judge(cited: NameList, found: Sequence[Person], pairs: tuple[Pair, ...], complete: bool) -> AuthorComparison:
    names = cited.names
    persons = [not _is_group(person) for person in names]
    added = _added(names, persons, pairs)
    missing = [found[j] for i, j, _ in pairs if j is not None and i is None and not _is_group(found[j])]
    given = [
        (names[i], found[j]) for i, j, kind in pairs if kind == "given-differs" and i is not None and j is not None
    ]
    typos = [(names[i], found[j]) for i, j, kind in pairs if kind == "misspelled" and i is not None and j is not None]
    cited_persons = sum(persons)
    wrong = [*added, *(one for one, _ in given)]
    fitting = cited_persons - len(wrong)

    def result(code: str, message: str) -> AuthorComparison:
        return AuthorComparison(code, message, pairs)

    replaced = bool(added) and (not fitting or (bool(missing) and complete))
    if replaced or (len(given) > cited_persons / 2 and cited_persons > 1):
        if fitting / cited_persons <= MOSTLY_OTHER:
            return result(
                "authors-other",
                f"{_of(len(wrong), cited_persons)} authors did not write this work, which is by {_listed(found)}",
            )
        return result(
            "authors-partly-other",
            f"{_of(len(wrong), cited_persons)} authors did not write this work: {_listed(wrong)}",
        )
    if added and complete:
        return result(
            "authors-added",
            f"{_of(len(added), cited_persons)} authors are not in the record: {_listed(added)}",
        )
    silent = bool(missing) and not cited.others and not added
    by_other_names = silent and all(_may_be_one(one, other) for one, other in given)
    if given and not by_other_names and not all(_one_letter_apart(one, other) for one, other in given):
        one, other = given[0]
        return result("authors-given-name", f"{_more('the record has', len(given))} {other} where {one} is cited")
    if silent:
        return result(
            "authors-truncated",
            f"{len(missing)} of {len(found)} authors are missing without “and others”: {_listed(missing)}",
        )
    typos += given
    if typos:
        one, other = typos[0]
        return result("authors-misspelled", f"{_more('the record spells', len(typos))} {other} what is cited as {one}")
    if not in_order(pairs):
        return result("authors-reordered", f"the authors are cited in another order; the record has {_listed(found)}")
    return result("", "")


def _is_group(person: Person) -> bool:
    """Whether a name in a list of persons is that of a group, which belongs to the list and makes none wrong."""
    name = parse(person)
    return name.group or (is_collective(str(person)) and (not name.given_keys or " " in str(person)))


def _may_be_one(cited: Person, found: Person) -> bool:
    """Whether different given names may be two of one person (Yuyang, Bernie)."""
    one, other = parse(cited), parse(found)
    return may_be_other_name(one.given_keys, other.given_keys, one.family_key)


def _added(names: Sequence[Person], persons: Sequence[bool], pairs: Sequence[Pair]) -> list[Person]:
    """The cited persons (as against groups) that the record lacks; a person cited twice counts once."""
    added: list[Person] = []
    seen: set[Person] = set()
    for i, j, _ in pairs:
        if i is None or names[i] in seen:
            continue
        seen.add(names[i])
        if j is None and persons[i]:
            added.append(names[i])
    return added


def _one_letter_apart(cited: Person, found: Person) -> bool:
    """Whether the given names differ as by a slip of the pen (Ge, Gen), initials never do."""
    one, other = "".join(parse(cited).given_keys), "".join(parse(found).given_keys)
    return min(len(one), len(other)) > 1 and OSA.distance(one, other, score_cutoff=1) <= 1


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} cited"


def _more(text: str, count: int) -> str:
    return text if count == 1 else f"in {count} names, for example, {text}"


def _listed(persons: Sequence[Person]) -> str:
    shown = ", ".join(str(person) for person in persons[:_NAMES_IN_MESSAGE])
    rest = len(persons) - _NAMES_IN_MESSAGE
    return f"{shown} and {rest} more" if rest > 0 else shown
