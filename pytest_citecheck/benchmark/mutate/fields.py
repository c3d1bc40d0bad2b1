"""Mutations of titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pytest_citecheck.benchmark.mutate.original import (
    Changed,
    DoesNotApply,
    Material,
    Original,
    Stream,
    alternatives,
    content_words,
    is_balanced,
    other_number,
    outside_braces,
    random_person,
)
from pytest_citecheck.benchmark.mutate.related import (
    Phrase,
    fluency,
    is_foreign,
    is_function_word,
    joint_word,
    neighbours,
    phrases,
    script_of,
    tongue,
    topic_words,
    unwrapped,
)
from pytest_citecheck.benchmark.mutate.venues import (
    are_different,
    is_placed,
    preprint_as_published,
    without_venue,
    wrong_venue,
)
from pytest_citecheck.matching import (
    Name,
    compare_titles,
    find_dois,
    fold,
    lazy_pattern,
    may_be_translation,
    without_latex_and_markup,
    words,
)

_JOINT = lazy_pattern(
    r"(?::\s+|(?<!\s)\s+(?=(?:for|of|in|with|from|via|using|by|on|under|through|toward|towards|without|between|among"
    r"|pour|dans|sur|avec|par|von|mit|für|über|para|con|sobre|per|nel|nella)\s))"
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


def near_miss_title(original: Original, _: Material, stream: Stream) -> Changed:
    """The title with one content word replaced by a near synonym or by its other grammatical number."""
    title = original.title
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
    """The first half of one title and the second half of another, as written. Raises DoesNotApply.

    If possible, both titles are cut before the same word, so that the halves fit.
    """
    needed = "two other references whose titles can be joined"

    def can_be_cut(other: Original) -> bool:
        return halves(other.title) is not None and not is_foreign(other.title, original.title)

    first = material.donor(original, stream, can_be_cut, needed)
    head, joint = halves(first.title) or ("", "")

    def suits(other: Original) -> bool:
        cut = halves(other.title)
        if other is first or cut is None or not can_be_cut(other):
            return False
        return topic_words(head).isdisjoint(topic_words(cut[1])) and _is_new(head + cut[1], (original, first, other))

    def fits(other: Original) -> bool:
        cut = halves(other.title)
        return cut is not None and joint_word(cut[1]) == joint_word(joint) not in words(head) and suits(other)

    try:
        second = material.donor(original, stream, fits)
    except DoesNotApply:
        second = material.donor(original, stream, suits, needed)
    return head + (halves(second.title) or ("", ""))[1]


_ATTEMPTS = 8
_MOST_REPLACED = 4
_EDGES = "{}"


def reworded_title(original: Original, material: Material, stream: Stream) -> str:
    """The title with two to four words replaced by words that occur beside the same words in related titles.

    Of several attempts the most fluent one. Raises DoesNotApply.
    """
    donors = [other.title for other in material.donors(original, stream)]
    if not donors:
        raise DoesNotApply("needs another reference with other words")
    known = {pair for title in (original.title, *donors) for pair in neighbours(title)}
    made = [_reworded(original, donors, stream) for _ in range(_ATTEMPTS)]
    fit = [title for title in made if title and is_balanced(title) and _is_another(title, original)]
    if not fit:
        raise DoesNotApply("needs a title with two words that can be replaced")
    return max(fit, key=lambda title: fluency(title, known))


def _reworded(original: Original, donors: Sequence[str], stream: Stream) -> str:
    """One attempt; empty if too few words can be replaced."""
    before, title, after = unwrapped(original.title)
    written = [title[start:end] for start, end in content_words(title)]
    used = {*words(title), *(fold(form) for word in written for form in (word, *alternatives(word)))}
    replaced = 0
    places: list[Phrase | tuple[int, int]] = [
        *stream.shuffled(phrases(title)),
        *stream.shuffled(list(content_words(title))),
    ]
    changed: list[tuple[int, int, str]] = []
    for place in places:
        start, end = (place.start, place.end) if isinstance(place, Phrase) else place
        if replaced >= _MIN_WORDS or any(start < last and first < end for first, last, _ in changed):
            continue
        options = (
            _phrases_for(place, donors, used) if isinstance(place, Phrase) else _words_for(title, place, donors, used)
        )
        if options:
            other = stream.ranked(options)[0]
            used.update(words(other))
            changed.append((start, end, other))
            replaced += min(max(len(words(title[start:end])), len(words(other))), _MOST_REPLACED)
    for start, end, other in sorted(changed, reverse=True):
        title = title[:start] + other + title[end:]
    return before + title + after if replaced >= _MIN_WORDS else ""


def _phrases_for(place: Phrase, donors: Iterable[str], used: set[str]) -> list[str]:
    """Phrases of other titles between the same words; those in the same capitals if there are any."""
    found: list[tuple[int, str]] = []
    for donor in donors:
        _, title, _ = unwrapped(donor)
        for other in phrases(title):
            if other.before == place.before and used.isdisjoint(map(fold, other.words)):
                rank = (other.after != place.after) + 2 * (other.capital != place.capital)
                found.append((rank, title[other.start : other.end]))
    best = min((rank for rank, _ in found), default=0)
    return [text for rank, text in found if rank == best]


def _words_for(title: str, place: tuple[int, int], donors: Iterable[str], used: set[str]) -> list[str]:
    """Words that other titles have before the same next word or, at the end of a phrase, behind the same previous one."""
    start, end = place
    own = _Between(title[start:end], *_beside(title, start, end))
    last = own.after in ("", ".") or is_function_word(own.after)
    if "-" in title[max(0, start - 2) : start] + title[end : end + 2] or (is_function_word(own.before) and last):
        return []
    if is_function_word(fold(own.word)) or not (own.before or own.after):
        return []
    found = []
    for donor in donors:
        for other in _in_context(donor):
            if fold(other.word) in used or other.word.endswith("s") != own.word.endswith("s"):
                continue
            ends = other.after in ("", ".") or is_function_word(other.after)
            if (ends and other.before == own.before) if last else other.after == own.after:
                found.append(other.word.capitalize() if title[start].isupper() else other.word.lower())
    return found


class _Between(NamedTuple):
    """A word as written and the words beside it, folded."""

    word: str
    before: str
    after: str


def _beside(title: str, start: int, end: int) -> tuple[str, str]:
    before = title[:start].rpartition(" ")[0].rpartition(" ")[2]
    return fold(before.strip(_EDGES)), joint_word(title[end:].lstrip(_EDGES))


@lru_cache(maxsize=16384)
def _in_context(title: str) -> tuple[_Between, ...]:
    """The content words of a title that are no function words."""
    found = [_Between(title[start:end], *_beside(title, start, end)) for start, end in content_words(title)]
    return tuple(between for between in found if not is_function_word(fold(between.word)))


def titled(original: Original, title: str) -> Changed:
    """The reference with another title and without a subtitle field."""
    fields = {name: value for name, value in original.fields.items() if name not in ("subtitle", "shorttitle")}
    return Changed(original.reference.type, {**fields, "title": title})


@lru_cache(maxsize=16384)
def halves(title: str) -> tuple[str, str] | None:
    """A title as written, split after its main part ("Deep Learning", " for Genomics"); None if it cannot be split."""
    if "?" in title:
        return None  # half a question makes no title
    title = unwrapped(title)[1]
    for joint in outside_braces(title, _JOINT):
        head, tail = title[: joint.start()], title[joint.start() :]
        if min(len(words(head)), len(words(tail))) >= _MIN_WORDS and is_balanced(head) and is_balanced(tail):
            return head, tail
    return None


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
    """Return True if this title differs from the title of the reference by more than typography, articles and prepositions."""
    comparison = compare_titles(without_latex_and_markup(title), without_latex_and_markup(original.title))
    return comparison.relation not in ("same", "short") and not comparison.only_function_words


def _is_new(title: str, others: Sequence[Original]) -> bool:
    """Return True if this title differs clearly from all of theirs."""
    plain = without_latex_and_markup(title)
    relations = [compare_titles(plain, other.cited.title).relation for other in others]
    return is_balanced(title) and relations[0] == "different" and {*relations} <= {"near", "different"}


_AND = lazy_pattern(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_MIN_AUTHORS = 4
_MIDDLE_AUTHOR_KEPT = 0.3
_MOST_INVENTED = 6
_PLAIN_NAME = lazy_pattern(r"[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})*|[\u3400-\u9fff\uac00-\ud7af]")


def placeholder_authors(original: Original, _: Material, stream: Stream) -> Changed:
    """Invented authors, as many as the reference has, at most six."""
    taken = set(original.families)
    return original.changed({"author": _listed(original, _invented(original, _number(original), taken, stream))})


def swapped_authors(original: Original, material: Material, stream: Stream) -> Changed:
    """The authors of another work; none has the family name of a correct author."""
    return original.changed({"author": other_authors(original, material, stream).fields["author"]})


def partial_author_list(original: Original, _: Material, stream: Stream) -> Changed:
    """The first and the last author, with probability 0.3 one in between, and no sign that the list is truncated."""
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
    return original.changed({"author": " and ".join(kept)})


def other_authors(original: Original, material: Material, stream: Stream) -> Original:
    """Another reference with entirely different authors. Raises DoesNotApply."""
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
    taken = set(original.families)
    number = _number(original)
    people: list[tuple[str, str]] = []
    try:
        while len(people) < number:
            people.append(_recombination(original, material, stream, taken))
    except DoesNotApply:
        people += _invented(original, number - len(people), taken, stream)
    return _listed(original, people)


def _recombination(original: Original, material: Material, stream: Stream, taken: set[str]) -> tuple[str, str]:
    """An unused family name, which it adds to ``taken``, and a given name of another reference. Raises DoesNotApply."""

    def usable(other: Original) -> list[Name]:
        # A Chinese name may be a Japanese one.
        alike = ("zh", "ja") if _script(original) in ("zh", "ja") else (_script(original),)
        return [name for name in _usable(other) if script_of(name.family) in alike]

    first = material.donor(original, stream, lambda other: any(name.full_key not in taken for name in usable(other)))
    second = material.donor(original, stream, lambda other: other is not first and bool(usable(other)))
    family = stream.pick([name for name in usable(first) if name.full_key not in taken])
    given = stream.pick(usable(second))
    taken.add(family.full_key)
    return family.family, given.given[0]


def _script(original: Original) -> str:
    """The script of the authors; Chinese characters are Japanese ones if the title is Japanese."""
    script = script_of(original.fields["author"])
    return "ja" if script == "zh" and tongue(original.title) == "ja" else script


def _number(original: Original) -> int:
    return min(len(original.names), _MOST_INVENTED)


def _usable(other: Original) -> Iterator[Name]:
    """The full names of a reference that BibTeX splits unambiguously, each in one script."""
    for name in other.names:
        if name.group or name.particles or not name.given or fold(name.given[0]) == "and":
            continue
        capitals = name.family.isupper() and name.family.isascii()
        plain = _PLAIN_NAME.fullmatch(name.family) and _PLAIN_NAME.fullmatch(name.given[0])
        if plain and not capitals and script_of(name.family) == script_of(name.given[0]):
            yield name


def _invented(original: Original, number: int, taken: set[str], stream: Stream) -> list[tuple[str, str]]:
    people: list[tuple[str, str]] = []
    while len(people) < number:
        family, given = random_person(stream, _script(original))
        if fold(family) not in taken:
            taken.add(fold(family))
            people.append((family, given))
    return people


def _listed(original: Original, people: list[tuple[str, str]]) -> str:
    """An author list with the name order of the original; family names come first in East Asian scripts."""
    authors = original.fields["author"]
    if "," in authors:
        return " and ".join(f"{family}, {given}" for family, given in people)
    if _script(original) in ("zh", "ja", "ko"):
        space = " " if " " in _pieces(authors)[0] else ""
        return " and ".join(f"{family}{space}{given}" for family, given in people)
    return " and ".join(f"{given} {family}" for family, given in people)


def _pieces(authors: str) -> list[str]:
    pieces, start = [], 0
    for match in outside_braces(authors, _AND):
        pieces.append(authors[start : match.start()].strip())
        start = match.end()
    return [*pieces, authors[start:].strip()]


_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_DATES = ("year", "date")
_SOONEST, _LATEST = 4, 10


def future_date(original: Original, material: Material, stream: Stream) -> Changed:
    """A year 4 to 10 years from now, or from the correct year if that is later."""
    year = max(original.year, material.this_year) + _SOONEST + stream.below(_LATEST - _SOONEST + 1)
    return original.changed(dated(original.fields, year))


def dated(fields: Mapping[str, str], year: int) -> dict[str, str]:
    """The fields with another year in each field that states the year of the work."""
    return {name: _YEAR.sub(str(year), value, count=1) if name in _DATES else value for name, value in fields.items()}


def year_beside(original: Original, material: Material, stream: Stream) -> int:
    """The year before or after, but not in the future."""
    later = stream.below(2) == 1 and original.year < material.this_year
    return original.year + (1 if later else -1)


_DIGITS = "0123456789"


def fabricated_doi(original: Original, _: Material, stream: Stream) -> Changed:
    """The DOI with another registrant code.

    The agencies assign registrant codes of four and five digits in ascending order and are far from the end: codes with six
    digits, or with five that begin with 9, are not assigned. A later owner would not use this suffix.
    """
    doi = original.doi
    prefix = doi.partition("/")[0]
    made = f"10.{_unassigned(prefix.split('.')[1], stream)}"
    pattern = re.compile(rf"(?<![\d.]){re.escape(prefix)}(?![\d.])")
    fields = {
        name: pattern.sub(made, value) if doi in find_dois(value) else value for name, value in original.fields.items()
    }
    if fields == original.fields:
        raise DoesNotApply("needs a DOI without breaks")
    return original.changed(fields)


def _unassigned(registrant: str, stream: Stream) -> str:
    if stream.below(2):
        return ("9" + registrant[1:]).ljust(5, stream.pick(_DIGITS))[:5]
    made = registrant
    while len(made) < 6:
        place = 1 + stream.below(len(made))
        made = made[:place] + stream.pick(_DIGITS) + made[place:]
    return made


def hybrid_fabrication(original: Original, material: Material, stream: Stream) -> Changed:
    """A correct DOI with invented authors and two or three replaced words in the title."""
    title = titled(original, reworded_title(original, material, stream))
    authors = recombined(original, material, stream)
    return Changed(title.type, {**title.fields, "author": authors})


def merged_citation(original: Original, material: Material, stream: Stream) -> Changed:
    """Title and identifiers of this reference, authors of a second, venue and year of the second or of a third."""

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
