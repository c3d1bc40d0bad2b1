"""Comparison of the author list of a citation with the list of a record.

Every cited name is given the most similar name of the record, near its own place first. The names left over on either
side decide the result: missing, added, replaced or reordered names. Work is linear in the length of the lists, since
candidates come from an index of family names.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from pytest_citecheck.matching.name_parts import (
    compare_given,
    is_collective,
    may_be_group,
    may_be_other_name,
    transliterated,
)
from pytest_citecheck.matching.names import Name, is_suffix, letters, parse, same_person
from pytest_citecheck.matching.text import MAYBE_BLANKS, fold, lazy_pattern, words
from pytest_citecheck.matching.titles import is_damaged
from pytest_citecheck.model import NameList, Person
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import (
    FAMILY_NAME_FOR_TWO_TYPOS,
    FAMILY_NAME_FOR_TYPO,
    MOST_NAMES_WITHOUT_GIVEN,
    MOSTLY_OTHER,
    NAME_PIECES,
    NAME_TYPOS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Pair = tuple[int | None, int | None, str]
"""Index in the citation, index in the record, relation."""

_FITS = frozenset({"same", "compatible"})
_FREQUENT = 40
_MAX_LETTERWISE = 200
_MAX_REPAIRS = 1000


def align_authors(cited: Sequence[Person], found: Sequence[Person]) -> tuple[Pair, ...]:
    """Pair every cited name with at most one name of the record, and list the names left over on both sides.

    Pairs are in the order of the citation, followed by the record's names without a counterpart (``missing``).
    """
    names, listed = [parse(person) for person in cited], [parse(person) for person in found]
    keys = [_keys(person) for person in cited]
    index = _index(found, listed, frozenset().union(*keys))
    exact: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for j, name in enumerate(listed):
        exact[name.full_key, name.given_keys].append(j)
    partner: dict[int, int] = {}
    taken: set[int] = set()
    differing: dict[int, list[int]] = {}
    expected = 0
    for i, (person, name) in enumerate(zip(cited, names, strict=True)):
        fitting: list[int] = []
        others: list[int] = []
        same = [j for j in exact.get((name.full_key, name.given_keys), ()) if j not in taken]
        for j in same or _candidates(name, keys[i], i, index, listed):
            relation = same_person(person, found[j])
            if relation in _FITS:
                if j not in taken:
                    fitting.append(j)
            elif relation == "given-differs":
                others.append(j)
        if fitting:
            best = min(fitting, key=lambda j: (same_person(person, found[j]) != "same", j < expected, abs(j - i)))
            partner[i] = best
            taken.add(best)
            expected = best + 1
        elif others:
            differing[i] = others
    _untangle(partner, cited, found)
    _pair_foreign_scripts(cited, found, names, listed, partner, taken)
    relations = {i: str(same_person(cited[i], found[j])) for i, j in partner.items()}
    for i, others in differing.items():
        free = [j for j in others if j not in taken]
        if free:
            partner[i] = min(free, key=lambda j: abs(j - i))
            taken.add(partner[i])
            relations[i] = "given-differs"
    _pair_misspelled(names, listed, partner, taken, relations)
    pairs: list[Pair] = [(i, partner.get(i), relations.get(i, "added")) for i in range(len(cited))]
    pairs.extend((None, j, "missing") for j in range(len(found)) if j not in taken)
    return tuple(pairs)


def in_order(pairs: Iterable[Pair]) -> bool:
    """Return True if the paired names follow each other in the record as they do in the citation."""
    places = [j for i, j, _ in pairs if i is not None and j is not None]
    return all(one < other for one, other in itertools.pairwise(places))


@lru_cache(maxsize=16384)
def _keys(person: Person) -> frozenset[str]:
    """Words under which a name is indexed: any possible family name, also transliterated."""
    name = parse(person)
    glued = "".join(name.given_keys)
    keys = {name.full_key, name.family_key, *name.family_words, glued, glued + name.full_key, name.full_key + glued}
    if name.given_keys and not name.group:
        keys.update((name.given_keys[0], name.given_keys[-1], name.given_keys[-1] + name.full_key))
    keys = {key for key in keys if len(key) > 1} or keys
    return frozenset(keys | {transliterated(key) for key in keys})


def _index(found: Sequence[Person], names: Sequence[Name], wanted: frozenset[str]) -> dict[str, list[int]]:
    """Index the positions of the names by those of their keys that are wanted."""
    index: dict[str, list[int]] = defaultdict(list)
    for j, person in enumerate(found):
        for key in _keys(person) & wanted:
            index[key].append(j)
        if names[j].group:
            index["\0group"].append(j)
    return index


def _candidates(
    name: Name, keys: frozenset[str], place: int, index: dict[str, list[int]], names: Sequence[Name]
) -> Iterable[int]:
    """The names of the record worth comparing: of the many that share a frequent family name, only those with the
    same initial or near the same place.
    """
    if name.only_initials or len(name.full_key) == 1:
        # "S. B. B.", "G. S": found under no word.
        return range(len(names))
    candidates: set[int] = set()
    for key in keys.intersection(index):
        bucket = index[key]
        if len(bucket) > _FREQUENT:
            letter = name.given_keys[0][0] if name.given_keys else ""
            bucket = [j for j in bucket if abs(j - place) <= _FREQUENT or _may_begin_with(letter, names[j])]
        candidates.update(bucket)
    if name.group:
        candidates.update(index.get("\0group", ()))
    return candidates


def _may_begin_with(letter: str, name: Name) -> bool:
    return not name.given_keys or name.given_keys[0][0] == letter


def _untangle(partner: dict[int, int], cited: Sequence[Person], found: Sequence[Person]) -> None:
    """Swaps the counterparts of two names ("J. Wang" twice) where that mends the order and fits as well."""
    repairs = 0
    paired = sorted(partner)
    settled = False
    while not settled and repairs < _MAX_REPAIRS:
        settled = True
        for one, other in itertools.pairwise(paired):
            first, second = partner[one], partner[other]
            crossed = ((one, second), (other, first))
            if first > second and all(same_person(cited[i], found[j]) in _FITS for i, j in crossed):
                partner[one], partner[other] = second, first
                repairs += 1
                settled = False


def _pair_foreign_scripts(
    cited: Sequence[Person],
    found: Sequence[Person],
    names: Sequence[Name],
    listed: Sequence[Name],
    partner: dict[int, int],
    taken: set[int],
) -> None:
    """A name in another script cannot be compared: it gets the counterpart at its own place, if free."""
    for i, (name, other) in enumerate(zip(names, listed, strict=False)):
        if i in partner or i in taken:
            continue
        foreign = not (name.family.isascii() and other.family.isascii())
        if foreign and same_person(cited[i], found[i]) in _FITS:
            partner[i] = i
            taken.add(i)


def _pair_misspelled(
    cited: Sequence[Name], found: Sequence[Name], partner: dict[int, int], taken: set[int], relations: dict[int, str]
) -> None:
    left = [i for i, name in enumerate(cited) if i not in partner and not name.group][:_MAX_LETTERWISE]
    free = [j for j, name in enumerate(found) if j not in taken and not name.group][:_MAX_LETTERWISE]
    keys = {j: found[j].full_key for j in free}
    for i in left:
        misspelled = extract_iter(cited[i].full_key, keys, scorer=OSA.distance, score_cutoff=NAME_TYPOS)
        near = [j for _, _, j in misspelled if j not in taken and _misspelled(cited[i], found[j])]
        if near:
            partner[i] = min(near, key=lambda j: abs(j - i))
            taken.add(partner[i])
            relations[i] = "misspelled"


def _misspelled(cited: Name, found: Name) -> bool:
    """Return True if the family names are one letter apart (two, if long) and the given names fit.

    In a short family name one letter makes another name (Chen, Cheng): there the given name must be written
    out and equal.
    """
    here, there = len(cited.full_key), len(found.full_key)
    length = min(here, there)
    if abs(here - there) > NAME_TYPOS or length < 2 or not cited.given_keys or not found.given_keys:
        return False
    allowed = NAME_TYPOS if length >= FAMILY_NAME_FOR_TWO_TYPOS else 1
    if OSA.distance(cited.full_key, found.full_key, score_cutoff=allowed) > allowed:
        return False
    relation = compare_given(cited.given_keys, found.given_keys)
    if length > FAMILY_NAME_FOR_TYPO:
        return relation != "differs"
    return relation == "same" and max(map(len, cited.given_keys)) > 1


# Papers under review are cited in this form; it does not name the authors.
_NOBODY = lazy_pattern(r"anon(?:\.|ymous)?(?: authors?(?:\(s\))?)?|unknown(?: authors?)?|n\.?\s?n\.?", re.IGNORECASE)
_ALIKE = _FITS | {"misspelled"}
_NAMES_IN_MESSAGE = 3
_ONE_SIDE_IS_GROUPS = "one side names organisations only, so persons cannot be compared"


@dataclass(frozen=True, slots=True)
class AuthorComparison:
    """Result of comparing two author lists.

    ``code`` is empty if the citation is right or undecided (``abstain``, with the ``reason``); otherwise one of
    ``authors-truncated``, ``authors-added``, ``authors-reordered``, ``authors-not-first``, ``authors-given-name``,
    ``authors-other``, ``authors-partly-other``, ``authors-misspelled``, and ``message`` is the sentence to print. ``pairs``
    holds index in the citation, index in the record (None without a counterpart) and the relation: one of ``names.same_person``,
    ``misspelled``, ``missing`` or ``added``.
    """

    code: str
    message: str
    pairs: tuple[Pair, ...] = ()
    abstain: bool = False
    reason: str = ""

    @property
    def matched(self) -> int:
        """Number of cited names that fit a name of the record (``same`` or ``compatible``)."""
        return self._count(*_FITS)

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
    """Compare the names of a citation with the authors of a record.

    ``complete``: the list of the record is not known to be truncated. A citation with ``others`` may leave out any
    names but the first, and not change their order. An organisation on one side only never contradicts a list of persons.
    Abstain for lists without names. Never raises.
    """
    if not cited.names:
        return AuthorComparison("", "", abstain=True, reason="the citation names no authors")
    if not found or is_anonymous(found):
        return AuthorComparison("", "", abstain=True, reason="the record names no authors")
    if len(cited.names) == len(found):
        fitting = tuple(itertools.takewhile(lambda pair: pair[2] in _FITS, _in_their_places(cited.names, found)))
        if len(fitting) == len(found):
            return AuthorComparison("", "", fitting)
    pairs = align_authors(cited.names, found)
    of_record = tuple(pair for pair in pairs if pair[0] is not None)
    if _all_groups(cited.names) and all(relation in _FITS for *_, relation in of_record):
        return AuthorComparison("", "", of_record)  # a record lists members of the collaboration in addition
    if _all_groups(cited.names) or _all_groups(found) or _is_acronym_alone(cited):
        return AuthorComparison("", "", pairs, abstain=True, reason=_ONE_SIDE_IS_GROUPS)
    facts = _Lists(cited, _People(found), pairs, complete)
    rule = _DIFFERENCES.deciding(facts)
    comparison = AuthorComparison(rule.gives, rule.said(facts), pairs)
    if comparison.code and (unread := _unreadable(cited.names, found, pairs)):
        left = [person for number, person in enumerate(found) if number not in unread]
        comparison = compare_authors(cited, left, complete=False)
        if not comparison.code:
            return AuthorComparison("", "", pairs, abstain=True, reason="names in the record are damaged")
    if comparison.code and _is_group_alone(cited, found):
        return AuthorComparison("", "", pairs, abstain=True, reason=_ONE_SIDE_IS_GROUPS)
    return comparison


def _unreadable(cited: Sequence[Person], found: Sequence[Person], pairs: Iterable[Pair]) -> set[int]:
    """The places of authors of a record who are not as cited, and whose names have lost letters, or break off."""
    apart = [(i, j) for i, j, relation in pairs if relation not in _FITS]
    unmatched = [words(str(cited[i])) for i, _ in apart if i is not None]
    return {j for _, j in apart if j is not None and _is_unreadable(found[j], unmatched)}


def _is_unreadable(person: Person, unmatched: Iterable[Sequence[str]]) -> bool:
    text, stated = _text(person), words(str(person))
    return "?" in text or is_damaged(text) or any(_breaks_off(stated, one) for one in unmatched)


def _breaks_off(stated: Sequence[str], whole: Sequence[str]) -> bool:
    """Return True if the words of a name begin like words of the whole name in this order, and its end is missing.

    The end is one word besides particles and initials: if more is missing, the citation joins the names of two people.
    """
    left = iter(whole)
    if not stated or not all(any(_begin_alike(word, one) for word in left) for one in stated):
        return False
    end = list(left)
    return (bool(end) or stated[-1] != whole[-1]) and sum(len(word) > _PARTICLE for word in end) <= 1


_PARTICLE = 3  # letters at most: van, der, dos


def _begin_alike(cited: str, stated: str) -> bool:
    return cited.startswith(stated) or cited == stated[:1]


def is_anonymous(people: Sequence[Person]) -> bool:
    """Return True if a list is a placeholder (Anonymous, Unknown Author, N. N.)."""
    return all(_NOBODY.fullmatch(str(person)) for person in people)


def _in_their_places(cited: Sequence[Person], found: Sequence[Person]) -> Iterator[Pair]:
    for place, (one, other) in enumerate(zip(cited, found, strict=True)):
        yield place, place, same_person(one, other)


def _is_acronym_alone(cited: NameList) -> bool:
    """Return True if the only author is one word in capitals (UNESCO, IPCC), or one with capitals inside (OpenAI)."""
    if len(cited.names) != 1:
        return False
    word = str(cited.names[0])
    return word.isalpha() and len(word) > 2 and sum(map(str.isupper, word)) > 1


def _is_group_alone(cited: NameList, found: Sequence[Person]) -> bool:
    """Return True if the only author may be a company or laboratory, and none of its words is part of a person's name in the
    record.

    BibTeX prints ``author={Qwen}`` as it prints ``author={{Qwen}}``, so missing inner braces go unnoticed.
    """
    if len(cited.names) != 1 or parse(cited.names[0]).group or not may_be_group(str(cited.names[0])):
        return False
    words = set(parse(cited.names[0]).all_words)
    persons = (parse(person) for person in found if not may_be_group(str(person)))
    return all(person.group or words.isdisjoint(person.all_words) for person in persons)


def _all_groups(persons: Sequence[Person]) -> bool:
    return all(parse(person).group for person in persons)


class _People(tuple[Person, ...]):
    """People who are listed in a sentence, the first of them by name."""

    __slots__ = ()

    @property
    def total(self) -> int:
        return len(self)

    def __str__(self) -> str:
        shown = ", ".join(map(str, self[:_NAMES_IN_MESSAGE]))
        rest = len(self) - _NAMES_IN_MESSAGE
        return f"{shown} and {rest} more" if rest > 0 else shown


@dataclass(frozen=True)
class _Lists:
    """A cited list and a record's, with their pairs; complete: the record's is not known to be truncated."""

    cited: NameList
    found: _People
    pairs: tuple[Pair, ...]
    complete: bool

    @cached_property
    def _is_person(self) -> list[bool]:
        return [not _is_group(person) for person in self.cited.names]

    @property
    def persons(self) -> int:
        """The number of cited persons, without groups."""
        return sum(self._is_person)

    @cached_property
    def added(self) -> _People:
        return _People(_added(self.cited.names, self._is_person, self.pairs))

    @cached_property
    def missing(self) -> _People:
        left = (self.found[j] for i, j, _ in self.pairs if j is not None and i is None)
        return _People(person for person in left if not _is_group(person))

    @cached_property
    def given(self) -> list[tuple[Person, Person]]:
        return self._related("given-differs")

    @cached_property
    def typos(self) -> list[tuple[Person, Person]]:
        return self._related("misspelled") + self.given

    def _related(self, relation: str) -> list[tuple[Person, Person]]:
        pairs = [(i, j) for i, j, kind in self.pairs if kind == relation]
        return [(self.cited.names[i], self.found[j]) for i, j in pairs if i is not None and j is not None]

    @cached_property
    def wrong(self) -> _People:
        return _People((*self.added, *(one for one, _ in self.given)))

    @property
    def fitting(self) -> int:
        return self.persons - len(self.wrong)

    @property
    def replaced(self) -> bool:
        """True if cited people take the places of others."""
        if self.added and (not self.fitting or (self.missing and self.complete)):
            return True
        return len(self.given) > self.persons / 2 and self.persons > 1

    @property
    def truncated(self) -> bool:
        return bool(self.missing) and not self.cited.others and not self.added

    @property
    def other_given_name(self) -> bool:
        """True if a given name differs by more than a letter, and not as names of one person in a shortened list."""
        by_other_names = self.truncated and all(_may_be_one(one, other) for one, other in self.given)
        return not by_other_names and not all(_one_letter_apart(one, other) for one, other in self.given)

    @cached_property
    def first(self) -> Person | None:
        """The first person of the record, if somebody else is cited first in a shortened list."""
        if not self.cited.others or not self._is_person[0]:
            return None
        place = self.pairs[0][1]
        ahead = (person for person in self.found[: place or 0] if not _is_group(person))
        return next(ahead, None)

    @property
    def several_given(self) -> str:
        return _several(self.given)

    @property
    def several_typos(self) -> str:
        return _several(self.typos)


_DIFFERENCES: Table[_Lists] = Table(
    "differences of author lists",
    "checks/authors",
    Rule("mostly other people", lambda f: f.replaced and f.fitting / f.persons <= MOSTLY_OTHER,
         "{0.wrong.total} of {0.persons} cited authors did not write this work, which is by {0.found}",
         "authors-other"),
    Rule("some other people", lambda f: f.replaced,
         "{0.wrong.total} of {0.persons} cited authors did not write this work: {0.wrong}", "authors-partly-other"),
    Rule("additional people", lambda f: f.added and f.complete,
         "{0.added.total} of {0.persons} cited authors are not in the record: {0.added}", "authors-added"),
    Rule("other given name", lambda f: f.other_given_name,
         "{0.several_given}the record has {0.given[0][1]} where {0.given[0][0]} is cited", "authors-given-name"),
    Rule("people left out", lambda f: f.truncated,
         "{0.missing.total} of {0.found.total} authors are missing without “and others”: {0.missing}",
         "authors-truncated"),
    Rule("misspelt name", lambda f: f.typos,
         "{0.several_typos}the record spells {0.typos[0][1]} what is cited as {0.typos[0][0]}", "authors-misspelled"),
    Rule("not the first people", lambda f: f.first is not None,
         "{0.first} is the first author; “and others” follows {0.cited.names[0]}", "authors-not-first"),
    Rule("other order", lambda f: not in_order(f.pairs),
         "the authors are cited in a different order; the record has {0.found}", "authors-reordered"),
    Rule("no difference", always),
)  # fmt: skip


def _several(pairs: Sequence[object]) -> str:
    return f"in {len(pairs)} names, for example, " if len(pairs) > 1 else ""


def _is_group(person: Person) -> bool:
    """Return True if a name in a list of persons belongs to a group, which is part of the list and no error."""
    name = parse(person)
    return name.group or (is_collective(str(person)) and (not name.given_keys or " " in str(person)))


def _may_be_one(cited: Person, found: Person) -> bool:
    """Return True if different given names may be two of one person (Yuyang, Bernie)."""
    one, other = parse(cited), parse(found)
    return may_be_other_name(one.given_keys, other.given_keys, one.family_key)


def _added(names: Sequence[Person], persons: Sequence[bool], pairs: Sequence[Pair]) -> list[Person]:
    """Cited persons (not groups) that the record lacks; a person cited twice counts once."""
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
    """Return True if the given names differ as by a slip of the pen (Ge, Gen), initials never do."""
    one, other = "".join(parse(cited).given_keys), "".join(parse(found).given_keys)
    return min(len(one), len(other)) > 1 and OSA.distance(one, other, score_cutoff=1) <= 1


# Markers of omitted names in a list: "and others", "et al.", an ellipsis, in the languages of bibliographies.
_ELLIPSIS = lazy_pattern(
    r"[{$\[(]{0,3}\s{0,3}(?:\\(?:ldots|dots|cdots|textellipsis)(?![A-Za-z])(?:\{\})?|\.{3,}|\.\s\.\s\.|[…⋯])\s{0,3}[}$\])]{0,3}"
)
_BEFORE = r"(?:^|(?<=[\s,~.]))"
_PEOPLE = r"(?:colleagues|co-?authors|co-?workers|collaborators|associates|contributors|more|Mitarbeiter|Kollegen|collaborateurs)"
_LATIN = r"\{{0,3}(?:\\emph\{|\\textit\{|\\(?:it|em)\s)?\s?et[\s~.]*al(?:\b|ii|ia|iae)"
_ANY_CASE = lazy_pattern(
    rf"(?:^|(?<=[\s,~]))(?:{_LATIN}|(?:\+?\d+|many|the)\s+(?:others|more|{_PEOPLE})|among\s+others)[\s,.}}]*$",
    re.IGNORECASE,
)
_SMALL = lazy_pattern(
    _BEFORE
    + r"(?:etc|u\.\s?a|u\.\s?m|und\s+(?:andere|Mitarbeiter|Kollegen)|u\.\s?Mitarb|y\s+(?:otros|otras|cols?|colaboradores)|e\s+"
    r"(?:outros|altri|colaboradores|collaboratori|cols)|et\s+(?:autres|coll|collaborateurs)|e\.\s?a|en\s+(?:anderen|andere)"
    r"|m\.\s?fl|mfl|med\s+flera|og\s+andre|och\s+andra|ja\s+muut|ym(?=\.)|i\s+(?:in|inni|wsp|dr|d?altres)|a\s+(?:kol|další)"
    r"|és\s+(?:mtsai|mások)|mtsai|și\s+(?:alții|colab)|ve\s+(?:ark|diğ|diğerleri|arkadaşları)|vd(?=\.)|dkk"
    r"|и\s+(?:др|другие|соавт)|та\s+ін|і\s+інш?|և\s+ուրիշներ|κ\.\s?ά|και\s+άλλοι|व\s+अन्य|और\s+अन्य|ו?אחרים|وآخرون|و\s?آخرون|و\s?همکاران"
    r"|等(?:人|他)?|ほか|(?<=[\s,])他|외(?:\s*\d+\s*[인명])?)[\s,.]*$"
)
_GLUED = lazy_pattern(r"(?<=[\u3040-\u30ff\u4e00-\u9fff]{2})等$")
_ALONE = lazy_pattern(
    rf"\{{*+\s*+(?:and[\s~]++)?(?:(?:\d++\s++|many\s++|the\s++)?(?i:others)|l?dots|al|{_PEOPLE}|(?:his|her|their)\s++{_PEOPLE}"
    rf"|\+?\d++\s++(?:more|authors)|inni|in\.|др|andere|otros|outros|altri|autres)\s*+\}}*+\.?\s*+\}}*+"
)


def marked_ellipses(raw: str) -> str:
    """A BibTeX name list with "and others" in place of each ellipsis, however it is written, in braces or not."""
    return _ELLIPSIS.sub(" and others and ", raw)


def without_others(chunk: str) -> tuple[str, bool]:
    """Return the text between two "and"s without the words for omitted authors, and True if there were any."""
    if _ALONE.fullmatch(chunk):
        return "", True
    for pattern in (_ANY_CASE, _SMALL, _GLUED):
        if match := pattern.search(chunk):
            return chunk[: match.start()].rstrip(" ,;~{"), True
    return chunk, False


_BETWEEN = lazy_pattern(MAYBE_BLANKS + r"(?:[;|•·]|(?<=\s)(?:and|&)\s)\s*", re.IGNORECASE)
_COMMA = lazy_pattern(MAYBE_BLANKS + r",\s*")
_SIGN_OF_SEVERAL = lazy_pattern(r"[;|•·,]|(?<!\S)(?:and|&|y|e|i)(?!\S)", re.IGNORECASE)
"""A text without one of these matches none of the three patterns above."""
_JOINER = lazy_pattern(r"\s(?:y|e|i)\s")
"""Words between two persons, or between two surnames of one ("Santiago Ramón y Cajal")."""
_BROKEN_OFF = lazy_pattern(r"\A[^'’‘]*['’‘]\Z|\A[^\"]*\"[^\"]*\Z|#x?\d|\A#")


def other_reading(persons: Sequence[Person]) -> tuple[Person, ...]:
    """The list with joined names taken apart and repeated ones taken once; empty if it has no other reading."""
    return _other_reading(tuple(persons))


@lru_cache(maxsize=64)
def _other_reading(persons: tuple[Person, ...]) -> tuple[Person, ...]:
    # The cited list is queried again for each record.
    apart = [single for person in persons for single in _apart(person)]
    once = tuple({letters(fold(_text(person))): person for person in reversed(apart)}.values())[::-1]
    return once if once and once != persons else ()


def repeated(cited: Sequence[Person], found: Sequence[Person]) -> tuple[Person, ...]:
    """Cited persons, with a full given name, who are listed more often than the record has people of that name."""
    times = Counter(letters(fold(_text(person))) for person in cited)
    names = {letters(fold(_text(person))): person for person in reversed(cited)}
    twice = ((person, times[key]) for key, person in names.items() if times[key] > 1 and _is_full(parse(person)))
    return tuple(
        person for person, count in twice if count > sum(same_person(person, other) in _FITS for other in found)
    )


def _is_full(name: Name) -> bool:
    return not name.group and any(len(given) > 1 for given in name.given_keys)


def are_damaged_names(persons: Sequence[Person]) -> bool:
    """Return True if names are joined or broken in this list, so that no author is certainly missing.

    Signs: several names in one; a name broken off at an apostrophe, a quotation mark or a character reference; two or
    more names without a given name while others have one; a family name with a given name and again without.
    """
    single = [person for person in persons if not parse(person).group]
    return any(_is_several(person) or _BROKEN_OFF.search(_text(person)) for person in single) or _lacks_given_names(
        [parse(person) for person in single]
    )


def _is_several(person: Person) -> bool:
    text = _text(person)
    pieces = [piece for piece in _COMMA.split(text) if piece]
    return len(_BETWEEN.split(text)) > 1 or (
        len(pieces) > NAME_PIECES and not any(is_suffix(piece) for piece in pieces)
    )


def _lacks_given_names(names: Sequence[Name]) -> bool:
    families = {name.family_key for name in names if name.given}
    bare = [name.family_key for name in names if not name.given]
    return any(family in families for family in bare) or (bool(families) and len(bare) > MOST_NAMES_WITHOUT_GIVEN)


def _apart(person: Person) -> list[Person]:
    if not _may_be_several(person):
        return [person]
    text = _text(person)
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    if len(pieces) == 1:
        pieces = [piece for piece in _COMMA.split(text) if piece]
        # Names with a space each; "Smith, John" and "Smith, John, Jr." are one.
        if any(" " not in piece for piece in pieces):
            pieces = _glued_again(pieces)
    if len(pieces) < 2:
        pieces = _JOINER.split(str(person))
        if any(" " not in piece for piece in pieces):
            return [person]
    return [Person(literal=piece) for piece in pieces] if len(pieces) > 1 else [person]


def _may_be_several(person: Person) -> bool:
    """Return True if the list has a separator between persons. The comma that `_text` puts between family and given
    name counts only if both have several words."""
    if " " in person.given and (person.particle or " " in person.family):
        return True
    return _SIGN_OF_SEVERAL.search(str(person)) is not None


def _text(person: Person) -> str:
    if person.literal or not (person.family and person.given):
        return person.literal or str(person)
    family = f"{person.particle} {person.family}".strip()
    return ", ".join(part for part in (family, person.suffix, person.given) if part)


def _glued_again(pieces: list[str]) -> list[str]:
    """``Smith, John, Doe, Jane`` in pairs, if there are at least two; otherwise no list of names."""
    if len(pieces) < 4 or len(pieces) % 2 or any(" " in family for family in pieces[::2]):
        return []
    return [f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
