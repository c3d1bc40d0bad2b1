"""One name, taken apart.

The split follows BibTeX (Oren Patashnik, "BibTeXing", 1988, section 4) with the additions that bibliographic
databases make necessary: DBLP's homonym numbers, PubMed's glued initials, family-first names, damaged
encodings.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA

from pytest_citecheck.matching.name_parts import (
    NAME_LISTS,
    compare_given,
    is_asian_surname,
    is_given_name,
    is_native_script,
    looks_like_group,
    same_group,
    split_native,
    transliterated,
    without_umlauts,
)
from pytest_citecheck.matching.text import BLANKS, MAYBE_BLANKS, fold, lazy_pattern
from pytest_citecheck.model import Person
from pytest_citecheck.thresholds import (
    CAPITAL_INITIALS,
    FAMILY_NAME_FOR_TYPO,
    GIVEN_NAME_ALONE,
    REPEATED_NAME_LETTERS,
    SHORTEST_SURNAME,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOMONYM = lazy_pattern(BLANKS + r"\d{4}$")
_MOJIBAKE = lazy_pattern(r"[ÃÂÄÅÐ][\u0080-\u00bf\u0152-\u0178\u02c6\u2013-\u203a\u20ac\u2122]")
_BRACKETED = lazy_pattern(MAYBE_BLANKS + r"[(\[][^()\[\]]*[)\]]")
_OTHER_NAME = lazy_pattern(r"[(\[]\s*([^\W\d_]+(?:[ -][^\W\d_]+)?)\s*[)\]]")
_NOT_LETTER = lazy_pattern(r"[\W_]+")
_WORD = lazy_pattern(r"[^\W_]+")
_INITIALS = lazy_pattern(r"(?:[^\W\d_]\.?-?){1,3}")
_REFERENCE_MARK = lazy_pattern(r"(?<=[^\W\d_])[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:,\d+)*(?!\w)")
_DIGIT = lazy_pattern(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]")
_APOSTROPHES = "'’‘`´"
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "phd", "md", "esq"})
_ELIDED = lazy_pattern(r"[^\W\d_]{1,4}['’‘`´]")
PARTICLES = frozenset(NAME_LISTS["particles"])


@dataclass(frozen=True, slots=True)
class Name:
    """A parsed name.

    ``family``, ``given``, ``particles`` and ``suffix`` keep the spelling; for a group ``family`` is the whole name. The
    ``_key`` fields are folded to letters and digits: ``family_key`` without and ``full_key`` with the particles.
    ``family_words`` are the folded words of the family name without particles, ``given_keys`` the folded given names,
    hyphenated names and glued initials split; ``other_given_keys`` are the keys of a given name in parentheses (``I
    (Eli) Chien``).
    """

    family: str
    given: tuple[str, ...] = ()
    particles: str = ""
    suffix: str = ""
    group: bool = False
    family_key: str = ""
    full_key: str = ""
    family_words: tuple[str, ...] = ()
    given_keys: tuple[str, ...] = ()
    all_words: tuple[str, ...] = ()
    other_given_keys: tuple[str, ...] = ()

    @property
    def only_initials(self) -> bool:
        """True if the name consists of two or more letters and nothing else: "S. B. B."."""
        return len(self.all_words) > 1 and max(map(len, self.all_words)) == 1


def strip_homonym_number(name: str) -> str:
    """Remove the four digits that DBLP adds to distinguish namesakes ("Wei Wang 0001")."""
    return _HOMONYM.sub("", name) if name[-1:].isdigit() else name


def is_suffix(token: str) -> bool:
    """Return True if ``token`` is a generational or academic suffix such as "Jr." or "III"."""
    return token.strip(" .").lower().replace(".", "") in _SUFFIXES


@lru_cache(maxsize=16384)
def parse(person: Person) -> Name:
    """The parsed name of ``person``; never raises. An empty person gives an empty name."""
    name = _parsed(person)
    in_brackets = _OTHER_NAME.search(person.literal or person.given)
    if name.group or not in_brackets or in_brackets[1].isupper():
        return name
    return replace(name, other_given_keys=tuple(_WORD.findall(fold(in_brackets[1]))))


def _parsed(person: Person) -> Name:
    literal = _clean(person.literal)
    if person.group:
        return _group(literal or _clean(str(person)))
    if person.family and person.given:
        family, suffix = _without_suffix(_unmarked(_clean(person.family)).replace(",", " "))
        given, given_suffix = _without_suffix(_unmarked(_clean(person.given)).replace(",", " "))
        return _name(given.split(), person.particle.split(), family.split(), person.suffix or suffix or given_suffix)
    whole = literal or _clean(str(person))
    return _group(whole) if looks_like_group(whole) else parse_literal(_unmarked(whole), person.suffix)


def _unmarked(name: str) -> str:
    """A person's name without the digits that point from it to an affiliation: "He¹", "He1,2"."""
    return _REFERENCE_MARK.sub("", name) if _DIGIT.search(name) else name


def _clean(text: str) -> str:
    if not text:
        return ""
    if not text.isascii() and _MOJIBAKE.search(text):
        text = _repaired(text)
    if "(" in text or "[" in text:
        text = _BRACKETED.sub("", text) or text
    return strip_homonym_number(" ".join(text.split()))


def _repaired(text: str) -> str:
    """UTF-8 that was read as Windows-1252 or Latin-1, read again; other text unchanged."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def letters(folded: str) -> str:
    return folded if folded.isalnum() else _NOT_LETTER.sub("", folded)


def _group(text: str) -> Name:
    folded = fold(text)
    key = letters(folded)
    return Name(family=text, group=True, family_key=key, full_key=key, family_words=tuple(_WORD.findall(folded)))


def _name(given: list[str], particles: list[str], family: list[str], suffix: str) -> Name:
    lettered = _with_letters(given), _with_letters(family)
    if any(lettered):
        given, family = lettered
    if not family:  # "Mausam ."
        given, family = given[:-1], given[-1:]
    while len(family) > 1 and family[0][0].islower():
        particles = [*particles, family[0]]
        family = family[1:]
    while len(given) > 1 and given[-1] in PARTICLES:
        particles = [given[-1], *particles]
        given = given[:-1]
    if given and _ELIDED.fullmatch(given[-1]):  # "James O' Neill"
        family = [given[-1] + family[0], *family[1:]]
        given = given[:-1]
    family_text = " ".join(family)
    folded = fold(family_text)
    words = tuple(_WORD.findall(folded.replace("'", "")))
    key = letters(folded)
    shouting = family_text.isupper() and len(key) > 1
    keys = tuple(part for token in given for part in _given_parts(token, shouting))
    if len(key) >= REPEATED_NAME_LETTERS and "".join(keys) == key and not is_asian_surname(key):
        given, keys = [], ()  # the only name of a person, in both fields of a form that insists on two
    particle_words = _WORD.findall(fold(" ".join(particles)).replace("'", "")) if particles else []
    return Name(
        family=family_text,
        given=tuple(given),
        particles=" ".join(particles),
        suffix=suffix,
        family_key=key,
        full_key="".join(particle_words) + key,
        family_words=words,
        given_keys=keys,
        all_words=tuple(sorted((*keys, *particle_words, *words))),
    )


def _with_letters(tokens: list[str]) -> list[str]:
    """The tokens that hold a letter or digit."""
    return [token for token in tokens if token.isalnum() or _WORD.search(token)]


def _given_parts(token: str, shouting: bool) -> list[str]:
    """The folded names in one given-name token: Jean-Pierre, J.-P., JP, J-PM (initials unless the whole name is
    upper case).
    """
    bare = token.replace("-", "")
    glued = not shouting and 1 < len(bare) <= CAPITAL_INITIALS and bare.isalpha() and bare.isupper()
    if glued and not is_native_script(token):
        return list(fold(bare))
    if token.isascii() and token.isalpha():
        return [token.lower()]
    if len(token.rstrip(".")) == 1 and len(fold(token)) > 2:
        return [token[0].casefold()]  # a Greek letter, which represents its name in a title
    if token[-1] == "." and token.count(".") == 1 and 2 < len(token) <= 1 + CAPITAL_INITIALS and token[:-1].isalpha():
        return list(fold(token[:-1])) if token.isupper() and not shouting else [fold(token)]
    return _WORD.findall(fold(token).replace("'", ""))


def _without_suffix(text: str) -> tuple[str, str]:
    head, _, last = text.rpartition(" ")
    return (head.strip(), last) if head and is_suffix(last) else (text.strip(), "")


def parse_literal(text: str, suffix: str) -> Name:
    if "," in text:
        return _parse_with_comma([part.strip() for part in text.split(",")], suffix)
    tokens = _with_letters(text.split()) or text.split()
    if not tokens:
        return Name(family="")
    if len(tokens) > 2 and is_suffix(tokens[-1]):
        suffix = suffix or tokens.pop()
    if is_native_script(text):
        return _parse_native(tokens, suffix)
    if len(tokens) == 1:
        return _name([], [], tokens, suffix)
    tokens, particles = trailing_particles(tokens)
    if _is_family_first(tokens, text.isupper()):
        cut = next(i for i in range(1, len(tokens)) if is_initials(tokens[i]))
        initials = [token.rstrip(_APOSTROPHES) for token in tokens[cut:]]
        return _name(initials, particles, tokens[:cut], suffix)
    return _parse_given_first([*tokens, *particles], suffix)


def is_initials(token: str) -> bool:
    """Return True if a word is one to three initials, as PubMed writes them: "JA", "Ł", "M'"."""
    bare = token.rstrip(_APOSTROPHES)
    return bare.isupper() and _INITIALS.fullmatch(bare) is not None


def trailing_particles(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The words of a name, and the particles that follow its initials: "Luxburg U von"."""
    end = len(tokens)
    while end > 2 and tokens[end - 1] in PARTICLES:
        end -= 1
    return (tokens[:end], tokens[end:]) if is_initials(tokens[end - 1]) else (tokens, [])


def _parse_with_comma(parts: list[str], suffix: str) -> Name:
    if len(parts) > 1 and is_suffix(parts[1]):
        if len(parts) == 2:
            return parse_literal(parts[0], parts[1])
        return _name(" ".join(parts[2:]).split(), [], parts[0].split(), parts[1])
    if len(parts) > 2 and is_suffix(parts[-1]):
        suffix = suffix or parts.pop()
    given, given_suffix = _without_suffix(" ".join(parts[1:]))
    family, family_suffix = _without_suffix(parts[0])
    if not family:
        return parse_literal(given, suffix) if given else Name(family="")
    return _name(given.split(), [], family.split(), suffix or given_suffix or family_suffix)


def _parse_native(tokens: list[str], suffix: str) -> Name:
    if len(tokens) == 1:
        family, given = split_native(tokens[0])
        return _name([given] if given else [], [], [family], suffix)
    if len(tokens[-1]) == 1 < len(tokens[0]):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    return _name(tokens[1:], [], tokens[:1], suffix)


def _is_family_first(tokens: list[str], shouting: bool) -> bool:
    """Return True if the name is written as in PubMed, family name then initials ("van den Oord A", "Smith JA")."""
    last = tokens[-1]
    if not is_initials(last) or _is_initial(tokens[0]):
        return False
    return not shouting or len(last.replace(".", "")) < CAPITAL_INITIALS


def _is_initial(token: str) -> bool:
    return len(token.replace(".", "").replace("-", "")) == 1 or (token[-1] == "." and len(token) <= CAPITAL_INITIALS)


def _parse_given_first(tokens: list[str], suffix: str) -> Name:
    """First von Last: the von part runs from the first to the last lower-case token before the last token."""
    lower = [index for index, token in enumerate(tokens[:-1]) if token[0].islower()]
    if not lower or all(token[0].islower() for token in tokens):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    first, last = lower[0], lower[-1] + 1
    return _name(tokens[:first], tokens[first:last], tokens[last:], suffix)


NameRelation = Literal["same", "compatible", "given-differs", "different"]


@lru_cache(maxsize=16384)
def same_person(cited: Person, found: Person) -> NameRelation:
    """Compare two forms of a name: can they mean one person?

    ``same``: equal after folding. ``compatible``: initials, missing middle names or suffix, short forms,
    transliteration, particles dropped or moved, part of a compound surname, family and given name in another order, a
    name in another script (which cannot be compared), an organisation's acronym. ``given-differs``: the same family
    name with a given name that does not fit. ``different``: anything else. Symmetric.
    """
    if cited == found:
        return "same"
    first, second = parse(cited), parse(found)
    if first.group or second.group:
        return _compare_groups(first, second)
    if first.full_key == second.full_key and first.given_keys == second.given_keys:
        return "same" if fold(first.suffix).strip(".") == fold(second.suffix).strip(".") else "compatible"
    if not first.full_key or not second.full_key:
        return "different"
    if not (first.full_key.isascii() and second.full_key.isascii()):
        if first.full_key.isascii() != second.full_key.isascii():
            return "compatible"
        if is_native_script(first.full_key) or is_native_script(second.full_key):
            return _compare_native(first, second)
    if _same_words(first, second):
        return "compatible"
    return _compare_readings(first, second)


def is_exchanged(cited: Person, found: Person) -> Literal["", "perhaps", "certainly"]:
    """Say if the given name is cited as the family name, and the family name, or its initial, as the given name.

    It is certain if the family name of the record is a frequent surname and the cited one is none, or if only the cited one is a
    frequent given name: records exchange names as well.
    """
    first, second = parse(cited), parse(found)
    if first.group or second.group or not (first.given_keys and second.given_keys):
        return ""
    family, given, cited_as = second.family_key, "".join(second.given_keys), first.family_key
    if cited_as == family or cited_as not in (given, second.given_keys[0]) or len(cited_as) == 1:
        return ""
    if "".join(first.given_keys) not in (family, family[:1]):
        return ""
    surnames = is_asian_surname(family) - is_asian_surname(cited_as)
    forenames = is_given_name(cited_as) - is_given_name(family)
    if surnames + forenames:
        return "certainly" if surnames + forenames > 0 else ""
    return "perhaps"


def is_respelt(cited: Person, found: Person) -> bool:
    """True if two Latin family names differ by one letter (Haselt and Hasselt, Ostrovsky and Ostrovski).

    Accents and umlauts do not count, even if written as two letters. East Asian names are not compared.
    """
    first, second = parse(cited), parse(found)
    if first.group or second.group or is_asian_surname(first.family_key):
        return False
    first_words, second_words = (
        Counter(word for word in name.all_words if word not in PARTICLES) for name in (first, second)
    )
    only_first, only_second = (
        list((first_words - second_words).elements()),
        list((second_words - first_words).elements()),
    )
    if len(only_first) != 1 or len(only_second) != 1 or only_second[0] not in second.family_words:
        return False
    one, other = without_umlauts(only_first[0]), without_umlauts(only_second[0])
    both = one + other
    long = both.isascii() and both.isalpha() and min(len(one), len(other)) > FAMILY_NAME_FOR_TYPO
    return long and one != other and OSA.distance(one, other, score_cutoff=1) <= 1


def _same_words(first: Name, second: Name) -> bool:
    """Return True if the names have the same words in any order or glued together, or one has all full words of the
    other.

    Two names that share two full words count as the same person: Spanish and Portuguese names lose their last surnames,
    South Indian ones gain a final initial.
    """
    if first.all_words == second.all_words:
        return True
    if {_whole(first), _whole_reversed(first)} & {_whole(second), _whole_reversed(second)}:
        return True
    if any(_initials_of(one, other) or _lacks_family(one, other) for one, other in ((first, second), (second, first))):
        return True
    short, long = sorted((first.all_words, second.all_words), key=len)
    return 1 < len(short) < len(long) and min(map(len, short)) > 1 and set(short) < set(long)


def _initials_of(short: Name, long: Name) -> bool:
    """Return True if ``short`` consists of initials of ``long``: "S. B. B." for Saravana Balaji B."""
    if not short.only_initials:
        return False
    return sorted(word[0] for word in long.all_words) == list(short.all_words)


def _lacks_family(short: Name, long: Name) -> bool:
    """Return True if ``short`` has the given name of ``long`` and at most initials of the rest, as in South India: "Barath
    Mohan U", "Mausam"; also "L. Fei-Fei". With initials at the end, either part may have been taken for the family name.
    """
    full = [word for word in short.all_words if len(word) > 1]
    if len("".join(full)) < GIVEN_NAME_ALONE or long.family_key in full or is_asian_surname("".join(full)):
        return False
    rest = list(long.all_words)
    for word in full:
        if word not in rest:
            return False
        rest.remove(word)
    initials = [word for word in short.all_words if len(word) == 1]
    named = not initials or long.family_key[:1] in initials or not set(full).isdisjoint(long.family_words)
    return named and all(word in {other[0] for other in rest} for word in initials)


def _compare_readings(first: Name, second: Name) -> NameRelation:
    relation: NameRelation = "different"
    if _same_family(first, second):
        readings = itertools.product(_given_names(first), _given_names(second))
        if any(compare_given(one, other) != "differs" for one, other in readings):
            return "compatible"
        relation = "given-differs"
    for words, given in _other_readings(first):
        if _fits(words, given, second):
            return "compatible"
    for words, given in _other_readings(second):
        if _fits(words, given, first):
            return "compatible"
    return relation


def _given_names(name: Name) -> set[tuple[str, ...]]:
    """Given names as written, without those in parentheses, and without capitalised particles ("Olivier De Vel")."""
    without_particles = tuple(key for key in name.given_keys if key not in PARTICLES)
    return {name.given_keys, without_particles or name.given_keys, name.other_given_keys or name.given_keys}


def _fits(family_word: str, given: tuple[str, ...], name: Name) -> bool:
    return family_word in (name.full_key, name.family_key) and compare_given(given, name.given_keys) != "differs"


def _other_readings(name: Name) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Family and given names as they would be if another word were the family name."""
    given = name.given_keys
    if not given:
        return
    if len(given) > len(name.given) == 1 and name.given[0].isupper() and name.given[0].isalpha():
        yield "".join(given), name.family_words  # "Xia HOU" may be Xia Hou, whose family name is in capitals
    if is_asian_surname(given[0]) or is_asian_surname(name.family_key):
        yield given[0], (*given[1:], *name.family_words)
        if len(given) > 1:
            yield given[-1], (*name.family_words, *given[:-1])
    elif len(given) > 1 and len(given[-1]) >= SHORTEST_SURNAME:
        yield given[-1], given[:-1]  # Gabriel García (Márquez), cited by the first of two surnames
        yield given[-1] + name.full_key, given[:-1]  # J. L. Gonzalez Bello, elsewhere J. L. GonzalezBello


def _same_family(first: Name, second: Name) -> bool:
    keys = (first.full_key, first.family_key)
    if second.full_key in keys or second.family_key in keys:
        return True
    sounds = (transliterated(first.full_key), transliterated(first.family_key))
    if transliterated(second.full_key) in sounds or transliterated(second.family_key) in sounds:
        return True
    short, long = first.family_words, second.family_words
    if len(short) > len(long):
        short, long = long, short
    if short and len(short) < len(long) and (long[: len(short)] == short or long[-len(short) :] == short):
        return True
    return _lost_letters(first, second) or _lost_letters(second, first)


def _lost_letters(damaged: Name, whole: Name) -> bool:
    """Return True if ``damaged`` is ``whole`` with its letters outside ASCII dropped or replaced by "?"."""
    if whole.family.isascii():
        return False
    left = "".join(letter for letter in whole.family if letter.isascii())
    return damaged.family_key == letters(fold(left)) and len(damaged.family_key) >= SHORTEST_SURNAME


def _compare_native(first: Name, second: Name) -> NameRelation:
    one, other = _whole(first), _whole(second)
    if sorted(one) == sorted(other):
        return "compatible"
    # Simplified and traditional characters, kanji and kana: one shared character is enough for a possible match.
    return "compatible" if set(one) & set(other) else "different"


def _whole(name: Name) -> str:
    return name.full_key + "".join(name.given_keys)


def _whole_reversed(name: Name) -> str:
    return "".join(name.given_keys) + name.full_key


def _compare_groups(first: Name, second: Name) -> NameRelation:
    if first.full_key == second.full_key:
        return "same" if first.group and second.group else "compatible"
    if same_group(fold(first.family), fold(second.family)) and first.group and second.group:
        return "compatible"
    if first.group != second.group:
        # Braces protect a person's name as often as an organisation's.
        group, person = (first, second) if first.group else (second, first)
        reading = parse_literal(group.family, "")
        if _whole(reading) == _whole(person) or (reading.given and _compare_readings(reading, person) == "compatible"):
            return "compatible"
        if reading.all_words == person.all_words:
            return "compatible"
    return "different"


_AND = lazy_pattern(r"(?i)(?<!\s)\s++and\s++")
_BETWEEN = frozenset({"and", "und", "et", "y", "others", "al", "nd", "ad", "an"})
_MOST = 100
"""People; each is looked for among all words, and longer lists are no longer typed by hand."""
_GLUED = ("and", "nd")
"""Remains of the separator where a name has swallowed it."""


def stand_in_text(people: Sequence[Person], text: str, *, joined: bool = False) -> bool:
    """Return True if a text mentions all these people at distinct places, and no word of other people is left over.

    text: readable, without LaTeX. The words of a name are adjacent, the given names before or after the family name, in
    full or as initials; middle names may be missing. A name may have swallowed the "and" beside it. joined: an "and" may
    stand inside a name.
    """
    if len(people) > _MOST:
        return False
    names = [parse(person) for person in people]
    if joined:
        text = _AND.sub(" ", text)
    known = {word for name in names for word in (*name.family_words, *name.given_keys) if len(word) >= SHORTEST_SURNAME}
    words = [part for word in _WORD.findall(fold(text)) for part in _unglued(word, known)]
    left = sorted((name for name in names if not name.group), key=lambda name: -len(name.all_words))
    while left:
        # A name that another one interrupts is contiguous once that one is removed.
        found = next(((name, at) for name in left if (at := _place_of(words, name))), None)
        if found is None:
            return False
        left.remove(found[0])
        del words[found[1][0] : found[1][1]]
    return all(word in _BETWEEN or len(word) == 1 or word.isdigit() for word in words)


def _unglued(word: str, known: set[str]) -> list[str]:
    if word in known:
        return [word]
    for glued in _GLUED:
        for name in (word.removesuffix(glued), word.removeprefix(glued)):
            if name != word and name in known:
                return [name]
    return [word]


def _place_of(words: Sequence[str], name: Name) -> tuple[int, int] | None:
    found = _place(words, name.family_words, name.given_keys)
    if found is None and name.given_keys and max(map(len, name.given_keys)) == 1:
        # "Gokul P.", cited as "G. P.": which of them is the family name is not certain.
        size = len(name.all_words)
        for at in range(len(words) - size + 1):
            letters = sorted(word[0] for word in words[at : at + size])
            if max(map(len, words[at : at + size])) == 1 and letters == sorted(word[0] for word in name.all_words):
                return at, at + size
    return found


def _place(words: Sequence[str], family: Sequence[str], given: Sequence[str]) -> tuple[int, int] | None:
    """First and last position of a name in the words; None if it does not occur."""
    size = len(family)
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) != tuple(family):
            continue
        after = _run(words[at + size :], given)
        if after:
            return at, at + size + after
        before = _run(words[:at][::-1], given[::-1])
        if before:
            return at - before, at + size
        if not given:
            return at, at + size
    return None


def _run(words: Sequence[str], given: Sequence[str]) -> int:
    """Number of leading words that are these given names in order; some names may be missing."""
    rest = list(given)
    count = 0
    for word in words:
        fitting = next((i for i, name in enumerate(rest) if name == word or name[0] == word or name == word[0]), None)
        if fitting is None:
            break
        del rest[: fitting + 1]
        count += 1
    return count
