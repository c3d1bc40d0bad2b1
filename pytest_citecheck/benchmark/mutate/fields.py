"""Mutations of titles."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from pytest_citecheck.benchmark.mutate.original import (
    Changed,
    DoesNotApply,
    Material,
    Original,
    Stream,
    alternatives,
    content_words,
    escaped,
    is_balanced,
    other_number,
    outside_braces,
    random_person,
)
from pytest_citecheck.matching.identifiers import find_dois
from pytest_citecheck.matching.names import Name
from pytest_citecheck.matching.text import fold, lazy_pattern, without_latex_and_markup, words
from pytest_citecheck.matching.titles import compare_titles, may_be_translation
from pytest_citecheck.matching.venue_names import parse_venue
from pytest_citecheck.matching.venue_tables import HEADS, NOISE, Venue, all_venues, venue_words
from pytest_citecheck.matching.venues import compare_venues, is_series, lookup

__all__ = [
    "NEEDS_PLACE",
    "are_different",
    "arxiv_version_mismatch",
    "authored",
    "chimeric_title",
    "dated",
    "fabricated_doi",
    "future_date",
    "hybrid_fabrication",
    "invented_title",
    "is_placed",
    "merged_citation",
    "near_miss_title",
    "nonexistent_venue",
    "other_authors",
    "partial_author_list",
    "placeholder_authors",
    "plausible_fabrication",
    "preprint_as_published",
    "recombined",
    "reworded_title",
    "swapped_authors",
    "titled",
    "without_venue",
    "wrong_venue",
    "year_beside",
]

_JOINT = lazy_pattern(
    r"(?::\s+|(?<!\s)\s+(?=(?:for|of|in|with|from|via|using|by|on|under|through|toward|towards|without|between|among)\s))"
)
_MIN_WORDS = 2
_END_OF_NOUN_PHRASE = lazy_pattern(
    r"\}*(?:$|[:?!;,]|\s+(?:for|of|in|with|from|via|using|by|on|under|through|and|or)\s)"
)
_ENGLISH = "of the and"
_ONE_OF_THEM = lazy_pattern(r"\b(?:an?|one|each|every|all|many|several)\s+(?:\S+\s+){0,3}\S*$", re.IGNORECASE)
_ARTICLE = lazy_pattern(r"\ban?\}*\s+$", re.IGNORECASE)
_VOWELS = frozenset("aeiou")
_CLOSE = 60  # characters before a noun within which its article stands


def near_miss_title(original: Original, material: Material, stream: Stream) -> Changed:
    """The title with one content word replaced by a near synonym or by its other grammatical number."""
    del material
    title = original.fields["title"]
    english = not may_be_translation(original.cited.title, _ENGLISH)
    options = [
        (start, end, other) for start, end in content_words(title) for other in _near(title, start, end) if english
    ]
    for start, end, other in stream.shuffled(options):
        made = title[:start] + other + title[end:]
        if _is_another(made, original):
            return titled(original, made)
    raise DoesNotApply("needs a title with an English word that has a near synonym")


def chimeric_title(original: Original, material: Material, stream: Stream) -> Changed:
    """An invented title, combined from the titles of two other works."""
    return titled(original, invented_title(original, material, stream))


def invented_title(original: Original, material: Material, stream: Stream) -> str:
    """The first half of one title and the second half of another, as written. Raises DoesNotApply."""
    needed = "two other references whose titles can be joined"
    first = material.donor(original, stream, lambda other: halves(_title(other)) is not None, needed)
    head = (halves(_title(first)) or ("", ""))[0]

    def suits(other: Original) -> bool:
        cut = halves(_title(other))
        return other is not first and cut is not None and _is_new(head + cut[1], (original, first, other))

    second = material.donor(original, stream, suits, needed)
    return head + (halves(_title(second)) or ("", ""))[1]


def reworded_title(original: Original, material: Material, stream: Stream) -> str:
    """The title with two or three of its content words replaced by words of other titles. Raises DoesNotApply."""
    title = original.fields["title"]
    places = list(content_words(title))
    if len(places) < _MIN_WORDS:
        raise DoesNotApply("needs a title with two words that can be replaced")
    chosen = sorted(stream.shuffled(places)[: _MIN_WORDS + stream.below(2)], reverse=True)
    used = set(words(title))
    for start, end in chosen:
        other = _foreign_word(original, material, stream, used)
        used.add(fold(other))
        title = title[:start] + (other.capitalize() if title[start].isupper() else other.lower()) + title[end:]
    if not _is_another(title, original):
        raise DoesNotApply("needs a title with two words that can be replaced")
    return title


def titled(original: Original, title: str) -> Changed:
    """The reference with another title and without a subtitle field."""
    fields = {name: value for name, value in original.fields.items() if name not in ("subtitle", "shorttitle")}
    return Changed(original.reference.type, {**fields, "title": title})


@lru_cache(maxsize=16384)
def halves(title: str) -> tuple[str, str] | None:
    """A title as written, split after its main part ("Deep Learning", " for Genomics"); None if it cannot be split."""
    if "?" in title:
        return None  # half a question makes no title
    for joint in outside_braces(title, _JOINT):
        head, tail = title[: joint.start()], title[joint.start() :]
        if min(len(words(head)), len(words(tail))) >= _MIN_WORDS and is_balanced(head) and is_balanced(tail):
            return head, tail
    return None


def _title(original: Original) -> str:
    return original.fields["title"]


def _near(title: str, start: int, end: int) -> Iterator[str]:
    word = title[start:end]
    before = title[max(0, start - _CLOSE) : start]
    article = _ARTICLE.search(before) is not None
    for other in alternatives(word):
        if not article or (other[0].lower() in _VOWELS) == (word[0].lower() in _VOWELS):
            yield other
    if _END_OF_NOUN_PHRASE.match(title, end) and not _ONE_OF_THEM.search(before) and (other := other_number(word)):
        yield other


def _is_another(title: str, original: Original) -> bool:
    """Return True if this title differs from that of the reference by more than typography, articles and prepositions."""
    comparison = compare_titles(without_latex_and_markup(title), without_latex_and_markup(original.fields["title"]))
    return comparison.relation not in ("same", "short") and not comparison.only_function_words


def _is_new(title: str, others: Sequence[Original]) -> bool:
    """Return True if this title differs clearly from all of theirs."""
    return (
        is_balanced(title)
        and all(
            compare_titles(without_latex_and_markup(title), other.cited.title).relation in ("near", "different")
            for other in others[1:]
        )
        and compare_titles(without_latex_and_markup(title), others[0].cited.title).relation == "different"
    )


def _foreign_word(original: Original, material: Material, stream: Stream, used: set[str]) -> str:
    """A content word of another title that this one does not contain."""

    def fresh(other: Original) -> list[str]:
        return [word for word, meanings in _vocabulary(_title(other)) if not meanings & used]

    donor = material.donor(original, stream, lambda other: bool(fresh(other)), "another reference with other words")
    return stream.pick(fresh(donor))


@lru_cache(maxsize=16384)
def _vocabulary(title: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The content words of a title as written, each with its folded form and those of its near synonyms."""
    found = [title[start:end] for start, end in content_words(title)]
    return tuple((word, frozenset(map(fold, (word, *alternatives(word))))) for word in found)


# Mutations of author lists.


_AND = lazy_pattern(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_MIN_AUTHORS = 4
_MIDDLE_AUTHOR_KEPT = 0.3
_MOST_INVENTED = 6
_PLAIN_NAME = lazy_pattern(r"[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})*")


def placeholder_authors(original: Original, material: Material, stream: Stream) -> Changed:
    """Invented authors, as many as the reference has, at most six."""
    del material
    _need_persons(original)
    taken = set(original.families)
    return authored(original, _listed(original, _invented(_number(original), taken, stream)))


def swapped_authors(original: Original, material: Material, stream: Stream) -> Changed:
    """The authors of another work; none has the family name of a correct author."""
    return authored(original, other_authors(original, material, stream).fields["author"])


def partial_author_list(original: Original, material: Material, stream: Stream) -> Changed:
    """The first and the last author, with probability 0.3 one in between, and no sign that the list is truncated."""
    del material
    _need_persons(original)
    if original.cited.people.others:
        raise DoesNotApply("needs a complete author list")
    names = _pieces(original.fields["author"])
    if len(names) < _MIN_AUTHORS:
        raise DoesNotApply("needs four or more authors")
    if len(names) != len(original.names):
        raise DoesNotApply("needs authors that are separated by “and”")
    kept = [names[0], names[-1]]
    if stream.share() < _MIDDLE_AUTHOR_KEPT:
        kept.insert(1, stream.pick(names[1:-1]))
    return authored(original, " and ".join(kept))


def other_authors(original: Original, material: Material, stream: Stream) -> Original:
    """Another reference with entirely different authors. Raises DoesNotApply."""
    _need_persons(original)
    return material.donor(
        original,
        stream,
        lambda other: other.persons and original.families.isdisjoint(other.families),
        "another reference by other persons",
    )


def recombined(original: Original, material: Material, stream: Stream) -> str:
    """Authors made from the names of other references: a family name of one, a given name of another. Raises DoesNotApply.

    If the file has too few usable names, the other authors are invented.
    """
    _need_persons(original)
    taken = set(original.families)
    number = _number(original)
    people: list[tuple[str, str]] = []
    try:
        while len(people) < number:
            people.append(_recombination(original, material, stream, taken))
    except DoesNotApply:
        people += _invented(number - len(people), taken, stream)
    return _listed(original, people)


def _recombination(original: Original, material: Material, stream: Stream, taken: set[str]) -> tuple[str, str]:
    """An unused family name, which it adds to ``taken``, and a given name of another reference. Raises DoesNotApply."""
    first = material.donor(original, stream, lambda other: any(_usable(other, taken)))
    second = material.donor(original, stream, lambda other: other is not first and any(_usable(other, set())))
    family = stream.pick(list(_usable(first, taken)))
    given = stream.pick(list(_usable(second, set())))
    taken.add(family.full_key)
    return family.family, given.given[0]


def authored(original: Original, authors: str) -> Changed:
    """The reference with these authors."""
    return Changed(original.reference.type, {**original.fields, "author": authors})


def _need_persons(original: Original) -> None:
    if not original.persons:
        raise DoesNotApply("needs persons as authors")


def _number(original: Original) -> int:
    return min(len(original.names), _MOST_INVENTED)


def _usable(other: Original, taken: set[str]) -> Iterator[Name]:
    """The full names of a reference that BibTeX splits unambiguously."""
    for name in other.names:
        if (
            not name.group
            and name.given
            and not name.particles
            and name.full_key not in taken
            and _PLAIN_NAME.fullmatch(name.family)
            and _PLAIN_NAME.fullmatch(name.given[0])
            and fold(name.given[0]) != "and"
        ):
            yield name


def _invented(number: int, taken: set[str], stream: Stream) -> list[tuple[str, str]]:
    people: list[tuple[str, str]] = []
    while len(people) < number:
        family, given = random_person(stream)
        if fold(family) not in taken:
            taken.add(fold(family))
            people.append((family, given))
    return people


def _listed(original: Original, people: list[tuple[str, str]]) -> str:
    """An author list with the name order of the original."""
    inverted = "," in original.fields["author"]
    return " and ".join(f"{family}, {given}" if inverted else f"{given} {family}" for family, given in people)


def _pieces(authors: str) -> list[str]:
    pieces, start = [], 0
    for match in outside_braces(authors, _AND):
        pieces.append(authors[start : match.start()].strip())
        start = match.end()
    return [*pieces, authors[start:].strip()]


# Mutations of venues.


NEEDS_PLACE = "needs a paper in a journal or at a conference"

_TYPES = frozenset({"article", "inproceedings", "conference"})
_KINDS = ("journal", "conference")
_FIELDS = {"journal": "journal", "conference": "booktitle"}
_ENTRIES = {"journal": "article", "conference": "inproceedings"}
# Fields of the venue, its volume and its publisher, which would contradict another venue.
_OF_THE_VENUE = frozenset({
    "journal", "journaltitle", "shortjournal", "journalsubtitle", "booktitle", "booksubtitle", "maintitle", "mainsubtitle",
    "eventtitle", "eventdate", "series", "shortseries", "volume", "number", "issue", "pages", "eid", "articleno", "month",
    "issn", "isbn", "publisher", "organization", "address", "location", "venue", "editor", "entrysubtype", "numpages",
})  # fmt: skip
_TOPIC = lazy_pattern(
    r"\b(?:Conference|Symposium|Workshop|Transactions|Journal|Letters|Annals|Archives|Reviews?|Congress)"
    r"\s+(?:on|of|in)\s+(?:the\s+)?(?P<topic>[A-Z][A-Za-z-]+(?:\s[A-Z][A-Za-z-]+){0,2})$"
)
_BODY = lazy_pattern(
    r"\b(?:Societ|Associat|Academ|Institut|Universit|Organi[sz]ation|Americ|Europ|Medicine$|Sciences$)"
)
_HEADS = {
    "journal": ("Journal of", "International Journal of", "Transactions on", "Advances in", "Annals of", "Letters in"),
    "conference": ("International Conference on", "Conference on", "Symposium on", "Proceedings of the Conference on"),
}
_COMPUTING = frozenset({"cs", "stat", "eess"})
"""The archives of arXiv whose papers appear at venues in DBLP."""
_TRIES = 1000
_STEM = 3


def nonexistent_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """A journal or conference that does not exist, named after the topics of two that do, of its field if possible."""
    del material
    kind = _kind(original)
    own = _stems(original.cited.venue)
    topics = _topics(_of_computing(original))
    for _ in range(_TRIES):
        first, second = stream.pick(topics), stream.pick(topics)
        made = f"{stream.pick(_HEADS[kind])} {first} and {second}"
        if not (_stems(first) & _stems(second) or _stems(made) & own or _known(made)):
            return _moved(original, kind, made)
    raise DoesNotApply("needs a venue with another topic than all known ones")


def wrong_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """Another real venue of the same kind: one that the file cites elsewhere if possible, otherwise any known one."""
    kind = _kind(original)
    start = stream.share()
    return _moved(original, kind, _other_venue(original, kind, material.cited_venues(start), start))


def preprint_as_published(original: Original, material: Material, stream: Stream) -> Changed:
    """A preprint cited as published in a journal or at a conference.

    The venue is any known one, not one that the file cites, where the preprint may actually have appeared later.
    """
    if not original.cited.preprint:
        raise DoesNotApply("needs a preprint")
    del material
    kind = stream.pick(_KINDS)
    return _moved(original, kind, _other_venue(original, kind, (), stream.share()))


def _other_venue(original: Original, kind: str, preferred: Iterable[Venue], start: float) -> str:
    """The name (a BibTeX value) of a known venue of this kind that is certainly not that of the reference.

    start: where to begin in the table of venues (0 to below 1) if no preferred venue suits.
    """

    def suits(venue: Venue) -> bool:
        return venue.kind == kind and _is_elsewhere(venue.name, original.cited.venue)

    known, field = list(_from(start, _venues(kind))), _of_computing(original)
    near = [venue for venue in known if field is None or bool(venue.dblp) == field]
    for venue in itertools.chain(preferred, near, known):
        if suits(venue):
            return escaped(venue.name)
    raise DoesNotApply("needs a venue that certainly differs from a known one")


def _of_computing(original: Original) -> bool | None:
    """Return True if the reference is of computer science: its venue is in DBLP, or it is in such an archive; None if nothing
    tells."""
    venue = lookup(original.cited.venue)
    if venue is not None and venue.kind in _KINDS:
        return bool(venue.dblp)
    old_style = original.cited.identifiers.arxiv.partition("/")
    stated = (
        original.fields.get("primaryclass")
        or original.fields.get("eprintclass")
        or (old_style[0] if old_style[1] else "")
    )
    archive = stated.partition(".")[0].strip("{} ").lower()
    return archive in _COMPUTING if archive else None


def is_placed(original: Original) -> bool:
    """Return True if the reference cites a journal or conference paper."""
    metadata = original.cited
    return (
        original.reference.type in _TYPES
        and metadata.venue_field in ("journal", "journaltitle", "booktitle")
        and not metadata.preprint
        and not is_series(metadata.venue)
        and parse_venue(metadata.venue).part != "submission"
    )


def are_different(first: Original, second: Original) -> bool:
    """Return True if two references certainly cite different venues."""
    return compare_venues(first.cited.venue, second.cited.venue) == "different"


def _moved(original: Original, kind: str, venue: str) -> Changed:
    """The reference with another venue (a BibTeX value), without the fields of the old venue."""
    field = original.cited.venue_field if is_placed(original) else _FIELDS[kind]
    return Changed(
        original.reference.type if is_placed(original) else _ENTRIES[kind],
        {**without_venue(original.fields), field: venue},
    )


def without_venue(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields without the venue and its details: volume, pages, publisher …"""
    return {name: value for name, value in fields.items() if name not in _OF_THE_VENUE}


def _kind(original: Original) -> str:
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)
    known = lookup(original.cited.venue)
    if known is not None and known.kind in _KINDS:
        return known.kind
    return "conference" if original.cited.venue_field == "booktitle" else "journal"


@lru_cache(maxsize=65536)
def _is_elsewhere(venue: str, cited: str) -> bool:
    """Return True if a known venue differs from the cited one; an unknown cited venue must share no word with its name."""
    if not cited:
        return True
    relation = compare_venues(venue, cited)
    if relation == "unknown" and not parse_venue(cited).venues:
        # A single word may be an acronym of any venue.
        return len(parse_venue(cited).core) > 1 and _stems(venue).isdisjoint(_stems(cited))
    return relation == "different"


@lru_cache(maxsize=65536)
def _stems(name: str) -> frozenset[str]:
    """The first letters of the topic words of a venue, which every abbreviation keeps."""
    return frozenset(word[:_STEM] for word in venue_words(name) if word not in HEADS and word not in NOISE)


def _known(name: str) -> bool:
    return bool(parse_venue(name).venues)


def _from(start: float, venues: Sequence[Venue]) -> Iterable[Venue]:
    """All venues, from this share of the table on."""
    first = int(start * len(venues))
    return itertools.chain(venues[first:], venues[:first])


@cache
def _venues(kind: str) -> Sequence[Venue]:
    return tuple(venue for venue in all_venues() if venue.kind == kind)


@cache
def _topics(computing: bool | None) -> Sequence[str]:
    """The topics of journals and conferences, from their names; computing: those in DBLP alone, or those that are not in it."""
    found = [
        match["topic"]
        for venue in all_venues()
        if (computing is None or bool(venue.dblp) == computing) and (match := _TOPIC.search(venue.name))
    ]
    return tuple(dict.fromkeys(topic for topic in found if not _BODY.search(topic)))


# Mutations of dates.


_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_DATES = ("year", "date")
_SOONEST, _LATEST = 4, 10


def future_date(original: Original, material: Material, stream: Stream) -> Changed:
    """A year 4 to 10 years from now, or from the correct year if that is later."""
    year = max(original.year, material.this_year) + _SOONEST + stream.below(_LATEST - _SOONEST + 1)
    return Changed(original.reference.type, dated(original.fields, year))


def dated(fields: Mapping[str, str], year: int) -> dict[str, str]:
    """The fields with another year in each field that states the year of the work."""
    return {name: _YEAR.sub(str(year), value, count=1) if name in _DATES else value for name, value in fields.items()}


def year_beside(original: Original, material: Material, stream: Stream) -> int:
    """The year before or after, but not in the future."""
    later = stream.below(2) == 1 and original.year < material.this_year
    return original.year + (1 if later else -1)


# Mutations of identifiers.


_DIGITS = "0123456789"


def fabricated_doi(original: Original, material: Material, stream: Stream) -> Changed:
    """The DOI with another registrant code.

    The agencies assign registrant codes of four and five digits in ascending order and are far from the end: codes with six
    digits, or with five that begin with 9, are not assigned. A later owner would not use this suffix.
    """
    del material
    doi = original.doi
    if not doi:
        raise DoesNotApply("needs a DOI")
    prefix = doi.partition("/")[0]
    made = f"10.{_unassigned(prefix.split('.')[1], stream)}"
    pattern = re.compile(rf"(?<![\d.]){re.escape(prefix)}(?![\d.])")
    fields = {
        name: pattern.sub(made, value) if doi in find_dois(value) else value for name, value in original.fields.items()
    }
    if fields == original.fields:
        raise DoesNotApply("needs a DOI without breaks")
    return Changed(original.reference.type, fields)


def _unassigned(registrant: str, stream: Stream) -> str:
    if stream.below(2):
        return ("9" + registrant[1:]).ljust(5, stream.pick(_DIGITS))[:5]
    made = registrant
    while len(made) < 6:
        place = 1 + stream.below(len(made))
        made = made[:place] + stream.pick(_DIGITS) + made[place:]
    return made


# Mutations that change several parts of a reference.


def hybrid_fabrication(original: Original, material: Material, stream: Stream) -> Changed:
    """A correct DOI with invented authors and two or three replaced words in the title."""
    if not original.doi:
        raise DoesNotApply("needs a DOI")
    title = titled(original, reworded_title(original, material, stream))
    authors = recombined(original, material, stream)
    return Changed(title.type, {**title.fields, "author": authors})


def merged_citation(original: Original, material: Material, stream: Stream) -> Changed:
    """Title and identifiers of this reference, authors of a second, venue and year of the second or of a third."""
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)

    def suits(other: Original) -> bool:
        return is_placed(other) and are_different(other, original)

    second = other_authors(original, material, stream)
    third = second if suits(second) else material.donor(original, stream, suits, "another reference in another venue")
    field = third.cited.venue_field
    fields = {
        **dated(without_venue(original.fields), third.year),
        "author": second.fields["author"],
        field: third.fields[field],
    }
    return Changed(third.reference.type, fields)


def plausible_fabrication(original: Original, material: Material, stream: Stream) -> Changed:
    """Only venue and year are correct: a title made from two others, authors made from other names, no identifier."""
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)
    field = original.cited.venue_field
    kept = {name: value for name, value in original.fields.items() if name in (field, "year", "date")}
    title = invented_title(original, material, stream)
    authors = recombined(original, material, stream)
    return Changed(original.reference.type, {**kept, "title": title, "author": authors})


def arxiv_version_mismatch(original: Original, material: Material, stream: Stream) -> Changed:
    """Another venue and the year before or after, as of another version of the work."""
    change = preprint_as_published if original.cited.preprint else wrong_venue
    moved = change(original, material, stream)
    return Changed(moved.type, dated(moved.fields, year_beside(original, material, stream)))
