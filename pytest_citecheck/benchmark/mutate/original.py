"""The references to mutate: what each must have, and which cannot be used."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from random import Random
from typing import Generic, TypeVar
from zlib import crc32

from pytest_citecheck.benchmark.mutate.related import as_reference, is_foreign, script_of, topic_words
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import Name, Venue, fold, is_placeholder, lazy_pattern, lookup, normalise_doi, parse
from pytest_citecheck.model import CitedMetadata, Record, Reference

_NEEDS_VENUE = frozenset({
    "article", "inproceedings", "conference", "incollection", "book", "phdthesis", "mastersthesis", "thesis",
    "techreport", "report",
})  # fmt: skip
# Fields merged from other entries, notes of reference managers, and other keys of the entry.
_NOT_OF_THE_WORK = frozenset({
    "crossref", "xref", "xdata", "ids", "related", "file", "local-url", "owner", "timestamp", "groups", "mendeley-groups",
    "annote", "annotation", "comment", "review", "readstatus", "priority", "ranking", "date-added", "date-modified",
})  # fmt: skip
_ATTACHED_FILE = "bdsk-file-"


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed reference: the entry type and the fields as written in BibTeX."""

    type: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """A complete reference that its owner declares correct.

    cited: its cited metadata without the ``url``. fields: BibTeX values as written, with LaTeX; the year has its own field.
    names: the parsed authors. families: their folded family names.
    """

    reference: Reference
    cited: CitedMetadata
    fields: Mapping[str, str]
    names: tuple[Name, ...]
    families: frozenset[str]

    @property
    def key(self) -> str:
        return self.reference.key

    @property
    def year(self) -> int:
        return self.cited.year or 0

    @property
    def doi(self) -> str:
        """The DOI in the field ``doi``, normalised; empty without one."""
        return normalise_doi(self.fields.get("doi", ""))

    @property
    def persons(self) -> bool:
        """True if all authors are persons."""
        return not any(name.group for name in self.names)

    @property
    def title(self) -> str:
        """The title as written."""
        return self.fields["title"]

    def changed(self, fields: Mapping[str, str]) -> Changed:
        """The reference with these fields, and its other ones."""
        return Changed(self.reference.type, {**self.fields, **fields})


@dataclass(frozen=True, slots=True)
class Unfit:
    """A reference that cannot be used, and why: a clause such as "it has no key"."""

    reference: Reference
    reason: str


def originals(references: Iterable[Reference]) -> tuple[list[Original], list[Unfit]]:
    """The usable references in their order, and the others."""
    fit: list[Original] = []
    unfit: list[Unfit] = []
    seen: set[str] = set()
    for reference in references:
        # The URL often leads to the work; benchmarks hide it from checkers.
        both = (reference.fields, reference.raw)
        fields, raw = ({name: value for name, value in part.items() if name != "url"} for part in both)
        stated = cited_metadata(replace(reference, fields=fields, raw=raw))
        reason = "its key is a duplicate" if reference.key in seen else _reason(stated)
        seen.add(reference.key)
        if reason:
            unfit.append(Unfit(reference, reason))
        else:
            fit.append(_original(reference, stated))
    return fit, unfit


def _reason(stated: CitedMetadata) -> str:
    reference, ids = stated.reference, stated.identifiers
    defects = [defect.code for defect in reference.defects if not defect.note]
    malformed = (ids.doi_problem, ids.arxiv_problem, ids.isbn_problem, ids.issn_problem)
    reasons = {
        f"it has a defect ({', '.join(defects[:1])})": defects,
        "it has no key": not reference.key,
        "it has no title": not stated.title,
        "it has no author": stated.edited or not stated.people.names,
        "it has no year": stated.year is None,
        "it has no venue": reference.type in _NEEDS_VENUE and not stated.venue,
        "one of its identifiers is malformed": any(malformed),
        "its DOI is a placeholder that is never registered": is_placeholder(ids.doi),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _original(reference: Reference, stated: CitedMetadata) -> Original:
    names = tuple(map(parse, stated.people.names))
    written = {name: value for name, value in {**reference.fields, **reference.raw}.items() if value.strip()}
    of_the_work = {
        name: value
        for name, value in written.items()
        if name not in _NOT_OF_THE_WORK and not name.startswith(_ATTACHED_FILE)
    }
    return Original(
        reference=reference,
        cited=stated,
        fields={"year": str(stated.year), **of_the_work},
        names=names,
        families=frozenset(key for name in names for key in (name.full_key, name.family_key)),
    )


_TEXT = files("pytest_citecheck.benchmark.mutate").joinpath("data/near_words.txt").read_text(encoding="utf-8")
_GROUPS = [line.split() for line in _TEXT.splitlines()]
_OTHERS: dict[str, tuple[str, ...]] = {
    word: tuple(other for other in group if other != word) for group in _GROUPS for word in group
}
# A word with one of these endings is a noun with a plural in -s; other words may be adjectives or verbs.
_NOUN = lazy_pattern(
    r"(?:[st]ion|ment|work|ture|sure|[ae]nce|ship|[^ly]er|tor|sor|eme|em|ithm|del|age|ode|aph|ace|ase|rce|ogram|rve|ine)$"
)
_NO_PLURAL = lazy_pattern(r"(?:[^aeou]y|s|x|z|ch|sh)$")


def alternatives(word: str) -> tuple[str, ...]:
    """Near synonyms of an English word, with its capitals and plural; empty if none is known."""
    lower = word.lower()
    found = _OTHERS.get(lower)
    if found is None and lower.endswith("s") and lower[:-1] in _OTHERS:
        found = tuple(f"{other}s" for other in _OTHERS[lower[:-1]] if not _NO_PLURAL.search(other))
    return tuple(_written_like(word, other) for other in found or ())


def other_number(word: str) -> str:
    """The plural of a singular noun or the singular of a plural, if only an s differs; otherwise empty."""
    lower = word.lower()
    if lower.endswith("s"):
        return word[:-1] if _NOUN.search(lower[:-1]) and not word.isupper() else ""
    return f"{word}s" if _NOUN.search(lower) and not _NO_PLURAL.search(lower) and not word.isupper() else ""


def _written_like(word: str, other: str) -> str:
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


_FORMULA = lazy_pattern(r"(?<!\\)\$[^$]*\$")
# A LaTeX command swallows the space after it.
_FORMULA_OR_COMMAND = lazy_pattern(rf"{_FORMULA.pattern}|\\[A-Za-z]+\s*")
# A whole word of letters: not part of a hyphenated or abbreviated word, a command, or a word with braces inside.
_WORD = lazy_pattern(
    r"(?<!\w)(?<![\\}'’\-–.&@/^~])(?<!\w\{)(?<!\\\{)[^\W\d_]{4,}(?!\w)(?![{\\'’\-–@/^~]|\.\S)(?!\}+\w)"
)
_SPECIAL = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})


def content_words(value: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word of four or more letters that can be replaced without further changes."""
    masked = _FORMULA_OR_COMMAND.sub(lambda match: "0" * len(match[0]), value)
    for match in _WORD.finditer(masked):
        yield match.span()


def outside_braces(value: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of ``pattern`` that begin outside braces and formulas."""
    masked = _FORMULA.sub(lambda match: "\ue000" * len(match[0]), value)
    depth = position = 0
    for match in pattern.finditer(masked):
        between = masked[position : match.start()]
        depth += between.count("{") - between.count("}")
        position = match.start()
        if depth == 0:
            yield match


def is_balanced(value: str) -> bool:
    """Return True if all braces, brackets, formulas and quotation marks are closed."""
    pairs = (("{", "}"), ("(", ")"), ("[", "]"), ("``", "''"), ("“", "”"))
    return all(value.count(one) == value.count(other) for one, other in pairs) and not (
        value.count("$") % 2 or value.count('"') % 2
    )


def escaped(text: str) -> str:
    """Plain text as a BibTeX value."""
    return text.translate(_SPECIAL)


T = TypeVar("T")


def digest(*parts: object) -> str:
    """32 hexadecimal digits that depend on these parts (any JSON values) and their order."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode("ascii"), digest_size=16).hexdigest()


class Stream:
    """Pseudo-random choices.

    It uses only ``random()`` of the standard library's generator, which gives the same numbers in every version of Python
    (documentation of the module, "Notes on Reproducibility").
    """

    def __init__(self, *parts: object) -> None:
        self._random = Random(int(digest(*parts), 16))  # noqa: S311 - nothing here is secret

    def share(self) -> float:
        """A number from 0 to below 1."""
        return self._random.random()

    def below(self, end: int) -> int:
        """A whole number from 0 to below ``end``."""
        return int(self._random.random() * end)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, which must not be empty."""
        return items[self.below(len(items))]

    def ranked(self, texts: Iterable[str]) -> list[str]:
        """Different texts in a random order, in which another text does not change the order of these."""
        salt = f"{self.share()}"
        return sorted(set(texts), key=lambda text: (crc32(f"{salt}{text}".encode()), text))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed


_MOST_ASKED = 100
"""How many references are tried as a donor; if none of them suits, the file is too uniform."""
_SHARED_WORDS = 2
"""Number of topic words that the titles of related works share."""
_ENOUGH = 12
"""Number of related references in the file from which the index is not queried."""
_FROM_INDEX = 40

Nearby = Callable[[str, int], Sequence[Record]]
"""The records of an index whose titles are most like a title, at most so many."""


class DoesNotApply(Exception):  # noqa: N818 - it is an answer, not an error
    """A mutation needs something that this reference or this file does not have; the message says what."""


class Material:
    """Donors for mutations: the references of a file and the known venues that they cite, each arranged in a circle.

    The place of a reference depends only on the seed and its key. A donor is the first suitable reference from a random place
    on: of the related ones, then of those in the same language, then of all. A reference added to the file therefore changes a
    mutation of an unrelated one only if it becomes its donor (consistent hashing: Karger et al., "Consistent Hashing and Random
    Trees", STOC 1997).

    this_year: the calendar year; later years are in the future. word_counts: references by topic word. nearby: a look-up in
    an index, which adds related works.
    """

    def __init__(self, originals: Iterable[Original], seed: int, this_year: int, nearby: Nearby | None = None) -> None:
        self.originals = list(originals)
        keyed = [(original.key, original) for original in self.originals]
        self._circle = _Circle([(Stream("place", seed, key).share(), key, original) for key, original in keyed])
        cited = (lookup(original.cited.venue) for original in self.originals)
        known = {venue.id: venue for venue in cited if venue is not None}
        self._venues = _Circle([(Stream("venue", seed, name).share(), name, venue) for name, venue in known.items()])
        self._by_word: dict[str, list[Original]] = {}
        for original in self._circle.since(0.0):
            for word in topic_words(original.title):
                self._by_word.setdefault(word, []).append(original)
        self.word_counts = Counter(
            word
            for original in self.originals
            for word in topic_words(original.title) | topic_words(original.cited.venue)
        )
        self._nearby = nearby
        self._related: dict[str, tuple[Original, ...]] = {}
        self.this_year = this_year

    def cited_venues(self, start: float) -> Iterator[Venue]:
        """The known venues that the file cites, from this place in the circle (0 to below 1) on."""
        return self._venues.since(start)

    def related(self, original: Original) -> tuple[Original, ...]:
        """Other references in the same language that share topic words with this one, in the order of the circle; of many those
        that share most.

        If there are few, related works of the index follow.
        """
        found = self._related.get(original.key)
        if found is None:
            own = topic_words(original.title)
            sharing = [other for word in own for other in self._by_word.get(word, ()) if other is not original]
            shared = Counter(map(id, sharing))
            near = [
                other
                for other in {id(other): other for other in sharing}.values()
                if shared[id(other)] >= _SHARED_WORDS
            ]
            if len(near) > _MOST_ASKED:
                near.sort(key=lambda other: (-shared[id(other)], self._circle.place_of(other)))
            near = [other for other in near[:_MOST_ASKED] if not is_foreign(original.title, other.title)]
            near.sort(key=self._circle.place_of)
            if len(near) < _ENOUGH and self._nearby is not None:
                near += self._of_index(original, own)
            found = self._related[original.key] = tuple(near)
        return found

    def _of_index(self, original: Original, own: frozenset[str]) -> list[Original]:
        """Related works of the index that the file does not have, in the order of the index."""
        records = self._nearby(original.cited.title, _FROM_INDEX) if self._nearby else ()
        titles: dict[str, Reference] = {}
        for record in records:
            shared = len(own & topic_words(record.title))
            if shared >= max(_SHARED_WORDS, len(own) / 2) and (reference := as_reference(record)):
                titles.setdefault(fold(record.title), reference)
        titles.pop(fold(original.cited.title), None)
        return [other for other in originals(titles.values())[0] if not is_foreign(original.title, other.title)]

    def _others(self, original: Original, stream: Stream) -> list[Original]:
        """The related references from a random place on, then others, those in the same language first."""
        start = stream.share()
        related = self.related(original)
        first = int(start * len(related))
        around = [other for other in itertools.islice(self._circle.since(start), _MOST_ASKED) if other is not original]
        around.sort(key=lambda other: is_foreign(original.title, other.title))
        return [*related[first:], *related[:first], *around]

    def donors(self, original: Original, stream: Stream) -> list[Original]:
        """The related references from a random place on, then others in the same language."""
        others = dict.fromkeys(self._others(original, stream))
        return [other for other in others if not is_foreign(original.title, other.title)]

    def donor(
        self, original: Original, stream: Stream, suits: Callable[[Original], bool], needed: str = "another reference"
    ) -> Original:
        """The first other reference that suits, from a random place on. Raises DoesNotApply, which says what is needed."""
        for other in self._others(original, stream):
            if suits(other):
                return other
        raise DoesNotApply(f"needs {needed}")


class _Circle(Generic[T]):
    """Items at places from 0 to below 1, each with a name that orders items at the same place."""

    def __init__(self, placed: list[tuple[float, str, T]]) -> None:
        placed.sort(key=lambda item: item[:2])
        self._places = [place for place, _, _ in placed]
        self._things = [thing for _, _, thing in placed]
        self._place = {id(thing): place for place, thing in enumerate(self._things)}

    def since(self, start: float) -> Iterator[T]:
        """All items, from this place on and around the circle."""
        first = bisect(self._places, start)
        for place in range(len(self._things)):
            yield self._things[(first + place) % len(self._things)]

    def place_of(self, thing: T) -> int:
        """The number of an item in the order of the circle."""
        return self._place[id(thing)]


Make = Callable[[Original, Material, Stream], Changed]
"""A mutation of a reference, with this material and this random stream. Raises DoesNotApply."""

Need = tuple[str, Callable[[Original], object]]
"""Requirements of mutations: the words for a message, and the test of a reference."""

A_DOI: Need = "a DOI", lambda original: original.doi
PERSONS: Need = "persons as authors", lambda original: original.persons
A_PREPRINT: Need = "a preprint", lambda original: original.cited.preprint


_PERSON_NAMES_TEXT = files("pytest_citecheck.benchmark.mutate").joinpath("data/names.txt").read_text(encoding="utf-8")
_CULTURES: dict[str, list[tuple[list[str], list[str]]]] = {}
for _line in _PERSON_NAMES_TEXT.splitlines():
    _given, _family, *_script = _line.split("|")
    _CULTURES.setdefault("".join(_script).strip() or script_of(_given), []).append((_given.split(), _family.split()))


def random_person(stream: Stream, script: str = "LATIN") -> tuple[str, str]:
    """The family and the given name of an invented person in a script (`related.script_of`), in Latin if it has none."""
    given, family = stream.pick(_CULTURES.get(script, _CULTURES["LATIN"]))
    return stream.pick(family), stream.pick(given)
