"""One name: how it is taken apart, and whether two names can be those of one person.

The split of names follows BibTeX (Oren Patashnik, "BibTeXing", 1988, section 4) with the additions that
bibliographic databases make necessary: DBLP's homonym numbers, PubMed's glued initials, family-first names,
damaged encodings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pytest_citecheck.matching.cjk_names import is_asian_surname, is_native_script, split_native
from pytest_citecheck.matching.given_names import compare_given, transliterated
from pytest_citecheck.matching.group_names import looks_like_group, same_group
from pytest_citecheck.matching.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Person

__all__ = ["Name", "NameRelation", "is_suffix", "parse", "same_person", "strip_homonym_number"]

NameRelation = Literal["same", "compatible", "given-differs", "different"]

_HOMONYM = re.compile(r"\s+\d{4}$")
_MOJIBAKE = re.compile(r"[ÃÂÄÅÐ][\u0080-\u00bf\u0152-\u0178\u02c6\u2013-\u203a\u20ac\u2122]")
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_NOT_LETTER = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?-?){1,3}")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "phd", "md", "esq"})
_PARTICLE_LIST = """
af al aus'm ben bin da das de degli dei del della den der des di do dos du el ibn in la las le lo los of op
ter ten 't van vande vanden vander vom von y zu zum zur
"""
_PARTICLES = frozenset(_PARTICLE_LIST.split())
_MAX_GLUED = 3


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart.

    ``family``, ``given``, ``particles`` and ``suffix`` keep the spelling; for a group ``family`` is the whole
    name. The ``_key`` fields are folded to letters and digits: ``family_key`` without and ``full_key`` with
    the particles. ``family_words`` are the folded words of the family name without particles, ``given_keys``
    the folded given names, hyphenated names and glued initials split.
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


def strip_homonym_number(name: str) -> str:
    """``name`` without the four digits by which DBLP tells namesakes apart ("Wei Wang 0001")."""
    return _HOMONYM.sub("", name) if name[-1:].isdigit() else name


def is_suffix(token: str) -> bool:
    """Whether ``token`` is a generational or academic suffix such as "Jr." or "III"."""
    return token.strip(" .").lower().replace(".", "") in _SUFFIXES


@lru_cache(maxsize=65536)
def parse(person: Person) -> Name:
    """The name of ``person`` taken apart; never raises. An empty person gives an empty name."""
    literal = _clean(person.literal)
    if person.group:
        return _group(literal or _clean(str(person)))
    if person.family and person.given:
        family, suffix = _without_suffix(_clean(person.family).replace(",", " "))
        given, given_suffix = _without_suffix(_clean(person.given).replace(",", " "))
        return _name(
            given.split(), person.particle.split(), family.split(), person.suffix or suffix or given_suffix
        )
    whole = literal or _clean(str(person))
    return _group(whole) if looks_like_group(whole) else _parse_literal(whole, person.suffix)


@lru_cache(maxsize=131072)
def same_person(cited: Person, found: Person) -> NameRelation:
    """Whether two statements of a name can mean one person.

    ``same``: equal after folding. ``compatible``: initials, missing middle names or suffix, short forms,
    transliteration, particles dropped or moved, part of a compound surname, family and given name in another
    order, a name in another script (which cannot be compared), an organisation's acronym. ``given-differs``:
    the same family name with a given name that does not fit. ``different``: anything else. Symmetric.
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
    if first.all_words == second.all_words:
        return "compatible"
    return _compare_readings(first, second)


def _compare_readings(first: Name, second: Name) -> NameRelation:
    relation: NameRelation = "different"
    if _same_family(first, second):
        if compare_given(first.given_keys, second.given_keys) != "differs":
            return "compatible"
        relation = "given-differs"
    for words, given in _other_readings(first):
        if _fits(words, given, second):
            return "compatible"
    for words, given in _other_readings(second):
        if _fits(words, given, first):
            return "compatible"
    return relation


def _fits(family_word: str, given: tuple[str, ...], name: Name) -> bool:
    return (
        family_word in (name.full_key, name.family_key) and compare_given(given, name.given_keys) != "differs"
    )


def _other_readings(name: Name) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Family and given names as they would be if another word were the family name."""
    given = name.given_keys
    if not given:
        return
    if is_asian_surname(given[0]) or is_asian_surname(name.family_key):
        yield given[0], (*given[1:], *name.family_words)
        if len(given) > 1:
            yield given[-1], (*name.family_words, *given[:-1])
    elif len(given) > 1 and len(given[-1]) >= _MAX_GLUED:
        yield given[-1], given[:-1]  # Gabriel García (Márquez), cited by the first of two surnames


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
    """Whether ``damaged`` is ``whole`` with its letters outside ASCII dropped or replaced by "?"."""
    if whole.family.isascii():
        return False
    left = "".join(letter for letter in whole.family if letter.isascii())
    return damaged.family_key == _letters(fold(left)) and len(damaged.family_key) >= _MAX_GLUED


def _compare_native(first: Name, second: Name) -> NameRelation:
    one, other = _whole(first), _whole(second)
    if sorted(one) == sorted(other):
        return "compatible"
    # Simplified and traditional characters, kanji and kana: one shared character is enough not to accuse.
    return "compatible" if set(one) & set(other) else "different"


def _whole(name: Name) -> str:
    return name.full_key + "".join(name.given_keys)


def _compare_groups(first: Name, second: Name) -> NameRelation:
    if first.full_key == second.full_key:
        return "same" if first.group and second.group else "compatible"
    if same_group(fold(first.family), fold(second.family)) and first.group and second.group:
        return "compatible"
    if first.group != second.group:
        # Braces protect a person's name as often as an organisation's.
        group, person = (first, second) if first.group else (second, first)
        reading = _parse_literal(group.family, "")
        if _whole(reading) == _whole(person) or (
            reading.given and _compare_readings(reading, person) == "compatible"
        ):
            return "compatible"
        if reading.all_words == person.all_words:
            return "compatible"
    return "different"


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


def _letters(folded: str) -> str:
    return folded if folded.isalnum() else _NOT_LETTER.sub("", folded)


def _group(text: str) -> Name:
    folded = fold(text)
    key = _letters(folded)
    return Name(
        family=text, group=True, family_key=key, full_key=key, family_words=tuple(_WORD.findall(folded))
    )


def _name(given: list[str], particles: list[str], family: list[str], suffix: str) -> Name:
    while len(family) > 1 and family[0][0].islower():
        particles = [*particles, family[0]]
        family = family[1:]
    while len(given) > 1 and given[-1] in _PARTICLES:
        particles = [given[-1], *particles]
        given = given[:-1]
    family_text = " ".join(family)
    folded = fold(family_text)
    words = tuple(_WORD.findall(folded.replace("'", "")))
    key = _letters(folded)
    shouting = family_text.isupper() and len(key) > 1
    keys = tuple(part for token in given for part in _given_parts(token, shouting))
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


def _given_parts(token: str, shouting: bool) -> list[str]:
    """The folded names in one given-name token: Jean-Pierre, J.-P., JP (initials unless the whole name is
    upper case).
    """
    glued = not shouting and 1 < len(token) <= _MAX_GLUED and token.isalpha() and token.isupper()
    if glued and not is_native_script(token):
        return list(fold(token))
    if (
        token[-1] == "."
        and token.count(".") == 1
        and 2 < len(token) <= 1 + _MAX_GLUED
        and token[:-1].isalpha()
    ):
        return list(fold(token[:-1])) if token.isupper() and not shouting else [fold(token)]
    return _WORD.findall(fold(token).replace("'", ""))


def _without_suffix(text: str) -> tuple[str, str]:
    head, _, last = text.rpartition(" ")
    return (head.strip(), last) if head and is_suffix(last) else (text.strip(), "")


def _parse_literal(text: str, suffix: str) -> Name:
    if "," in text:
        return _parse_with_comma([part.strip() for part in text.split(",")], suffix)
    tokens = text.split()
    if not tokens:
        return Name(family="")
    if len(tokens) > 2 and is_suffix(tokens[-1]):
        suffix = suffix or tokens.pop()
    if is_native_script(text):
        return _parse_native(tokens, suffix)
    if len(tokens) == 1:
        return _name([], [], tokens, suffix)
    if _is_family_first(tokens, text.isupper()):
        cut = next(index for index in range(1, len(tokens)) if _INITIALS.fullmatch(tokens[index]))
        return _name(tokens[cut:], [], tokens[:cut], suffix)
    return _parse_given_first(tokens, suffix)


def _parse_with_comma(parts: list[str], suffix: str) -> Name:
    if len(parts) > 1 and is_suffix(parts[1]):
        if len(parts) == 2:
            return _parse_literal(parts[0], parts[1])
        return _name(" ".join(parts[2:]).split(), [], parts[0].split(), parts[1])
    if len(parts) > 2 and is_suffix(parts[-1]):
        suffix = suffix or parts.pop()
    given, given_suffix = _without_suffix(" ".join(parts[1:]))
    family, family_suffix = _without_suffix(parts[0])
    if not family:
        return _parse_literal(given, suffix) if given else Name(family="")
    return _name(given.split(), [], family.split(), suffix or given_suffix or family_suffix)


def _parse_native(tokens: list[str], suffix: str) -> Name:
    if len(tokens) == 1:
        family, given = split_native(tokens[0])
        return _name([given] if given else [], [], [family], suffix)
    if len(tokens[-1]) == 1 < len(tokens[0]):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    return _name(tokens[1:], [], tokens[:1], suffix)


def _is_family_first(tokens: list[str], shouting: bool) -> bool:
    """Whether the name is written as in PubMed, family name then initials ("van den Oord A", "Smith JA")."""
    last = tokens[-1]
    if not last.isupper() or not _INITIALS.fullmatch(last) or _is_initial(tokens[0]):
        return False
    return not shouting or len(last.replace(".", "")) < _MAX_GLUED


def _is_initial(token: str) -> bool:
    return len(token.replace(".", "").replace("-", "")) == 1 or (
        token[-1] == "." and len(token) <= _MAX_GLUED
    )


def _parse_given_first(tokens: list[str], suffix: str) -> Name:
    """First von Last: the von part runs from the first to the last lower-case token before the last token."""
    lower = [index for index, token in enumerate(tokens[:-1]) if token[0].islower()]
    if not lower or all(token[0].islower() for token in tokens):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    first, last = lower[0], lower[-1] + 1
    return _name(tokens[:first], tokens[first:last], tokens[last:], suffix)
