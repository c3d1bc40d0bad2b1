"""Comparison of given names: initials, missing middle names, short forms, other romanisations."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Levenshtein, Prefix

from pytest_citecheck.matching.text import data_file, lazy_pattern
from pytest_citecheck.thresholds import (
    CLIPPED_BY,
    CONTRACTION_CONSONANTS,
    CONTRACTION_LETTERS,
    GIVEN_NAME_FOR_TYPO,
    GLUED_INITIALS,
    SHORT_ENDING_LETTERS,
    SHORT_FORM_LETTERS,
    SHORTENED_BY,
    SOUND_LETTERS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.model import Person


def _index() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(data_file("nicknames.txt").splitlines()):
        for form in line.split():
            groups.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in groups.items()}


_GROUPS_OF = _index()
NAME_LISTS: dict[str, list[str]] = json.loads(data_file("names.json"))
_NONE: frozenset[int] = frozenset()


def same_given_name(first: str, second: str) -> bool:
    """Return True if two folded given names are known forms of one name (``bob``, ``robert``)."""
    return not _GROUPS_OF.get(first, _NONE).isdisjoint(_GROUPS_OF.get(second, _NONE))


def is_given_name(name: str) -> bool:
    """Return True if a folded word is a given name of the data; many names are in no group."""
    return name in _GROUPS_OF


_ROMANISED = frozenset(NAME_LISTS["asian_surnames"])
"""Surnames of East and South-East Asia, which databases print in either order."""
_ADOPTED = frozenset(NAME_LISTS["adopted_names"])
_COMPOUND = frozenset(NAME_LISTS["compound_surnames"])
_NATIVE = lazy_pattern(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SYLLABLE = (
    r"(?:[zcs]h|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:i(?:ang|ong|ao|an|ng|a|e|u|n)?|u(?:ang|ai|an|a|o|i|e|n)?|ang|eng|ong|ai|an|ao|ei|en|er|ou|a|o|e|ve?)"
)
_PINYIN = lazy_pattern(f"{_SYLLABLE}(?:{_SYLLABLE})?")


def is_adopted_name(token: str) -> bool:
    """Return True if a folded given name is one that people of East Asia often use in addition to their own."""
    return token in _ADOPTED


def is_pinyin(token: str) -> bool:
    """Return True if a folded given name can be read as one or two syllables of Hanyu Pinyin (ISO 7098), without tones.

    Some names of other languages can be read so, too (Anna, Ben).
    """
    return _PINYIN.fullmatch(token) is not None


def is_asian_surname(token: str) -> bool:
    """Return True if a folded token is a frequent surname of a culture that writes the family name first."""
    return token in _ROMANISED


def is_native_script(text: str) -> bool:
    """Return True if the text holds Chinese, Japanese or Korean characters."""
    return not text.isascii() and _NATIVE.search(text) is not None


def split_native(name: str) -> tuple[str, str]:
    """Family and given part of an unspaced name in native script (``王伟``, ``欧阳修``), family name first."""
    length = 2 if name[:2] in _COMPOUND else 1
    return name[:length], name[length:]


GivenRelation = Literal["same", "compatible", "differs"]

_DOUBLE = lazy_pattern(r"(.)\1")
_KOREAN_U = lazy_pattern(r"w?oo|wu|eo|ou")
_I_SOUND = lazy_pattern(r"i[iy]|y[iy]|ij|[yj]")
_VOWEL = lazy_pattern(r"[aeiouy]")
_PET_ENDINGS = frozenset({"", "a", "i", "ie", "o", "os", "u", "y", "ya"})
_CHINESE_U = {"lv": "lu", "lyu": "lu", "lue": "lu", "nv": "nu", "nyu": "nu", "nue": "nu"}


@lru_cache(maxsize=16384)
def transliterated(key: str) -> str:
    """A folded name in a form that is equal for its usual transliterations.

    Umlauts and ``ø`` written with or without ``e``, ``å`` as ``aa``; for names of five letters and more also
    ``i/y/j`` endings, ``ph``, ``kh``, ``w`` and doubled letters (Sergei, Sergey; Mikhail, Michail). Short
    names keep their letters, since Ji and Yi are two surnames, and so do East Asian surnames of any length
    but for their ``ü``.
    """
    if is_asian_surname(key):
        return _CHINESE_U.get(key, key)
    key = without_umlauts(key)
    if len(key) < SOUND_LETTERS:
        return key
    key = key.replace("ph", "f").replace("kh", "ch").replace("tch", "ch").replace("w", "v").replace("ks", "x")
    return _DOUBLE.sub(_single, _I_SOUND.sub("i", key))


def without_umlauts(key: str) -> str:
    """A folded name in which the two-letter forms of an umlaut, an ø or an å are one letter."""
    return key.replace("ae", "a").replace("oe", "o").replace("ue", "u").replace("aa", "a")


def _single(match: re.Match[str]) -> str:
    return match[1]  # a template such as r"\1" is expanded by Python code at each call, match or none


def compare_given(first: Sequence[str], second: Sequence[str]) -> GivenRelation:
    """Relation between two lists of folded given-name tokens.

    A token of one letter is an initial, one that ends in a full stop an abbreviation of two or more letters (``yu.``).
    The shorter list must run through the longer one in order for the names to be compatible: John fits J. A. and Robert
    John, not J. B. C. against J. A.
    """
    if first == second:
        return "same"
    if not first or not second:
        return "compatible"
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    rest = iter(long)
    if all(any(_agree(token, other) for other in rest) for token in short):
        return "compatible"
    glued = "".join(short)
    several = len(long) >= GLUED_INITIALS or (len(long) > 1 and _VOWEL.search(glued) is None)
    if len(short) < len(long) and several and glued == "".join(token[0] for token in long):
        return "compatible"  # SMEY for Sidi Mohamed El Yousfi, Jh for Jesse H., J-PMG for Jean-Paul M. G.
    joined_first, joined_second = "".join(first).replace(".", ""), "".join(second).replace(".", "")
    if joined_first == joined_second:
        return "compatible"
    if len(first) != len(second) and min(len(joined_first), len(joined_second)) > 1:
        return "compatible" if _agree(joined_first, joined_second) else "differs"
    return "differs"


def may_be_other_name(first: Sequence[str], second: Sequence[str], family: str) -> bool:
    """Return True if folded given names that differ may be two names of one person, each adopted or short (Jerry for
    Xiaojin, Denny for Dengyong, Miltos for Miltiadis, Durk for Diederik); a similar name with the same initial (Carla,
    Carlos) belongs to somebody else.

    family: the folded family name of both.
    """
    if not first or not second:
        return True
    return first[0][0] != second[0][0] or is_alias(first, second, family)


def is_alias(first: Sequence[str], second: Sequence[str], family: str) -> bool:
    """Return True if folded given names that differ are of a kind that one person uses side by side: an adopted Western name
    and a Chinese one, or a short form and the name.

    family: the folded family name that both have.
    """
    if is_asian_surname(family) and any(
        is_pinyin("".join(one)) and is_adopted_name(other[0]) for one, other in ((first, second), (second, first))
    ):
        return True
    short, long = sorted((first[0], second[0]), key=len)
    shared = Prefix.similarity(short, long)
    clipped = shared >= SHORT_FORM_LETTERS and len(long) - len(short) >= CLIPPED_BY
    return (clipped and short[shared:] in _PET_ENDINGS) or _is_contraction(short, long)


def _is_contraction(short: str, long: str) -> bool:
    """Return True if the three or more consonants of a name of at most four letters occur in order in another name,
    from its first to its last consonant.

    A Chinese or Korean syllable is not a short form: a different syllable is a different name.
    """
    is_short = len(short) <= CONTRACTION_LETTERS and len(long) - len(short) >= SHORTENED_BY
    if not is_short or not short.isalpha() or is_asian_surname(short):
        return False
    kept, all_of_them = _VOWEL.sub("", short), _VOWEL.sub("", long)
    if len(kept) < CONTRACTION_CONSONANTS or short[0] != kept[0] or kept[-1] != all_of_them[-1:]:
        return False
    rest = iter(all_of_them)
    return all(letter in rest for letter in kept)


@lru_cache(maxsize=16384)
def _agree(first: str, second: str) -> bool:
    if first == second:
        return True
    if len(first) > len(second):
        first, second = second, first
    if len(first) == 1:
        return second[0] == first
    if first[-1] == "." or second[-1] == ".":
        first, second = sorted((first.rstrip("."), second.rstrip(".")), key=len)
        return second.startswith(first)
    if _is_short_form(first, second):
        return True
    if same_given_name(first, second) or _sound(first) == _sound(second):
        return True
    if len(first) < GIVEN_NAME_FOR_TYPO or (first[:-1] == second[: len(first) - 1] and second[-1] != first[-1]):
        # Carlo, Carla, Carlos; Daniel, Daniela: another last letter makes another name.
        return False
    return Levenshtein.distance(first, second, score_cutoff=1) <= 1


def _sound(name: str) -> str:
    """A given name as transliterated, with the vowels that romanisations of Korean write in several ways as ``u``."""
    return transliterated(_KOREAN_U.sub("u", name))


def _is_short_form(short: str, long: str) -> bool:
    """Return True if a name is the beginning (Sam, Samuel) or the end (Sanmi, Oluwasanmi) of another.

    Names are not shortened by one letter: Daniel and Daniela, Carlo and Carlos are two names.
    """
    if len(long) - len(short) < SHORTENED_BY:
        return False
    if len(short) >= SHORT_FORM_LETTERS and long.startswith(short):
        return True
    return len(short) >= SHORT_ENDING_LETTERS and long.endswith(short)


_GROUP_WORDS = frozenset(NAME_LISTS["organisations"])
# Typical words in names of companies and laboratories. Some are also surnames, so they count for a sole author only.
_COMPANY_WORDS = frozenset(NAME_LISTS["companies"])
_INSTITUTION_WORDS = frozenset(NAME_LISTS["institutions"])
_PERSON_WITH_CAPITALS = lazy_pattern(
    r"(?:Ma?c|De|Di|Du|La|Le|Van|Von|Fitz|O['’])[A-Z].*|[A-Z][a-z]+(?!AI|ML|NLP)[A-Z]{1,3}"
)
"""A surname with a prefix, or with its initials glued on ("McDonald", "SmithJA")."""
_IN_CAPITALS = frozenset({"AI", "ML", "NLP"})
_NOISE = frozenset(NAME_LISTS["noise_of_groups"])
_WORD = lazy_pattern(r"[^\W_]+")


def looks_like_group(text: str) -> bool:
    """Return True if an unsplit name can only be an organisation ("ATLAS Collaboration", "World Health
    Organization").
    """
    return " " in text and not _GROUP_WORDS.isdisjoint(_WORD.findall(text.lower()))


def may_be_group(text: str) -> bool:
    """Return True if the name of a sole author may be a company or laboratory: one word ("Qwen"), or a typical word of
    such names ("Skywork AI", "Tencent Hunyuan")."""
    words = _WORD.findall(text)
    if "," in text or not words:
        return False
    if len(words) == 1:
        return True
    return not (_COMPANY_WORDS | _GROUP_WORDS).isdisjoint(map(str.lower, words)) or not _IN_CAPITALS.isdisjoint(words)


def is_collective(text: str) -> bool:
    """Return True if a name in a list of persons can only be a company or laboratory: one word with capitals inside
    ("OpenAI", "DeepSeek-AI") or in capitals ("NVIDIA"), or typical words of such names ("Google DeepMind", "Skywork
    AI")."""
    words = _WORD.findall(text)
    if "," in text or not words:
        return False
    if " " not in text.strip():
        capitals = sum(map(str.isupper, text))
        if text.isupper():
            return len(text) > 2 and text.isalpha() and not is_asian_surname(text.lower())
        return capitals > 1 and "." not in text and _PERSON_WITH_CAPITALS.fullmatch(text) is None
    if words[-1] in _IN_CAPITALS and not all(map(str.isupper, words)):
        return True
    return (_COMPANY_WORDS | _GROUP_WORDS).issuperset(map(str.lower, words))


def without_affiliations(people: Sequence[Person]) -> tuple[Person, ...]:
    """Remove institutions that follow a person in the list: they are that person's affiliation.

    An institution at the beginning is an author.
    """
    if not any(map(_is_institution, people[1:])):
        return tuple(people)
    first = next((place for place, one in enumerate(people) if not _is_institution(one)), len(people))
    return (*people[:first], *(one for one in people[first:] if not _is_institution(one)))


def _is_institution(person: Person) -> bool:
    name = str(person)
    return " " in name and not _INSTITUTION_WORDS.isdisjoint(_WORD.findall(name.lower()))


def same_group(first: str, second: str) -> bool:
    """Return True if two folded names of organisations agree but for "The", "Collaboration" and the like, or an
    acronym.
    """
    a, b = _words(first), _words(second)
    if not a or not b:
        return False
    if a == b or "".join(a) == "".join(b):
        return True
    return _is_acronym(a, _content(second)) or _is_acronym(b, _content(first))


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word not in {"the", "of", "for", "and", "on", "in", "de"}]


def _words(text: str) -> list[str]:
    every = _WORD.findall(text)
    return [word for word in every if word not in _NOISE] or every


def _is_acronym(short: list[str], words: list[str]) -> bool:
    """Return True if ``short`` is one word made of the first letters of at least two words."""
    return len(short) == 1 and len(words) > 1 and short[0] == "".join(word[0] for word in words)
