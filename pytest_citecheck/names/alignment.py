"""Which cited author is which author of the record.

Three passes, each over what the last one left: fitting names, names that share the family name only, and
family names one or two letters apart. Candidates come from an index of family names and of the words that may
be one, so that lists of thousands of names stay cheap; only unpaired names near each other's place are
compared letter by letter.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from pytest_citecheck.names.comparison import Name, parse, same_person
from pytest_citecheck.names.given_names import compare_given, transliterated
from pytest_citecheck.thresholds import FAMILY_NAME_FOR_TWO_TYPOS, FAMILY_NAME_FOR_TYPO, NAME_TYPOS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_citecheck.model import Person

__all__ = ["Pair", "align_authors", "in_order"]

Pair = tuple[int | None, int | None, str]
"""Index in the citation, index in the record, relation."""

_FITS = frozenset({"same", "compatible"})
_FREQUENT = 40
_MAX_LETTERWISE = 200
_MAX_REPAIRS = 1000


def align_authors(cited: Sequence[Person], found: Sequence[Person]) -> tuple[Pair, ...]:
    """Pairs every cited name with at most one name of the record, and lists what is left over on both sides.

    Pairs come in the order of the citation, then the record's names without a counterpart (``missing``).
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
    """Whether the paired names follow each other in the record as they do in the citation."""
    places = [j for i, j, _ in pairs if i is not None and j is not None]
    return all(one < other for one, other in itertools.pairwise(places))


@lru_cache(maxsize=65536)
def _keys(person: Person) -> frozenset[str]:
    """The words under which a name is found: whatever may be its family name, also as transliterated."""
    name = parse(person)
    glued = "".join(name.given_keys)
    keys = {name.full_key, name.family_key, *name.family_words, glued, glued + name.full_key, name.full_key + glued}
    if name.given_keys and not name.group:
        keys.update((name.given_keys[0], name.given_keys[-1], name.given_keys[-1] + name.full_key))
    keys = {key for key in keys if len(key) > 1} or keys
    return frozenset(keys | {transliterated(key) for key in keys})


def _index(found: Sequence[Person], names: Sequence[Name], wanted: frozenset[str]) -> dict[str, list[int]]:
    """The places of the names by those of their keys that are wanted."""
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
            if (
                first > second
                and same_person(cited[one], found[second]) in _FITS
                and same_person(cited[other], found[first]) in _FITS
            ):
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
    cited: Sequence[Name],
    found: Sequence[Name],
    partner: dict[int, int],
    taken: set[int],
    relations: dict[int, str],
) -> None:
    left = [i for i, name in enumerate(cited) if i not in partner and not name.group][:_MAX_LETTERWISE]
    free = [j for j, name in enumerate(found) if j not in taken and not name.group][:_MAX_LETTERWISE]
    keys = {j: found[j].full_key for j in free}
    for i in left:
        alike = extract_iter(cited[i].full_key, keys, scorer=OSA.distance, score_cutoff=NAME_TYPOS)
        near = [j for _, _, j in alike if j not in taken and _misspelled(cited[i], found[j])]
        if near:
            partner[i] = min(near, key=lambda j: abs(j - i))
            taken.add(partner[i])
            relations[i] = "misspelled"


def _misspelled(cited: Name, found: Name) -> bool:
    """Whether the family names are one letter apart (two, if long) and the given names fit.

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
