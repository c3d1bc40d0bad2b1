"""Convert printed author lists to BibTeX's form: APA, IEEE, Vancouver, MLA, Chicago, full names.

The styles: *Publication Manual of the APA* (7th edition, section 9.8), *IEEE Reference Guide*, *Citing Medicine* (Vancouver),
*MLA Handbook* (9th edition), *The Chicago Manual of Style* (17th edition, section 14.76).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.tables import table
from pytest_citecheck.matching import MAYBE_BLANKS

WORD_LISTS: dict[str, Any] = table("words")

_LETTER = r"[^\W\d_]"
_INITIAL = rf"{_LETTER}{{1,3}}\."
_INITIALS = lazy_pattern(rf"{_INITIAL}(?:[\s-]*+{_INITIAL}){{0,8}}")

_SUFFIX = lazy_pattern(r"(?:Jr|Sr)\.?|I{2,3}|IV", re.IGNORECASE)
_PARTICLE = r"(?:van|von|vom|zu|de|del|della|der|den|di|da|dos|das|du|la|le|los|ten|ter|al|el|bin|ibn|af|av|y|e)"
_WORD = rf"(?:(?:{_LETTER}{{1,3}}\.-?)+|(?:{_LETTER}|['’‘`\-‐‑\u0300-\u036f])+)"
_FAMILY = lazy_pattern(rf"(?:{_PARTICLE}\s+)*{_WORD}(?:\s+{_WORD}){{0,3}}", re.IGNORECASE)
_NAME = lazy_pattern(rf"{_WORD}(?:\s+{_WORD}){{1,5}}")
_VANCOUVER = lazy_pattern(
    rf"(?P<family>{_FAMILY.pattern})(?<!\s[A-ZÀ-ÖØ-Þ])\s+(?P<initials>(?!(?:II|III|IV)$)[A-ZÀ-ÖØ-Þ](?:[\s-]?[A-ZÀ-ÖØ-Þ]){{0,3}})(?:\s+(?P<suffix>Jr|Sr|2nd|3rd|II|III|IV))?\.?"
)
_ET_AL = lazy_pattern(
    r"(?:(?<![\s,;&])[\s,;&]++)?(?:\b(?:and\s++)?(?:and|et)\s++(?:al\b\.?|others\b|colleagues\b|coauthors\b)|\bet\s++al\b\.?|…|(?<!\.)\.\.\."
    r"|(?<=[,，、\s\u4e00-\u9fff\uac00-\ud7af])(?:等|ほか|他|외|и др\b\.?|и соавт\b\.?|u\.\s?a\.|y otros|e outros))"
    r"\s*+[.,;]*+\s*$"
)
_ELLIPSIS = lazy_pattern(rf"(?:,\s*+|{MAYBE_BLANKS})(?:…|\. ?\. ?\.)\s*+(?:&|and\b)?\s*+")
_LAST = lazy_pattern(MAYBE_BLANKS + r"(?:,\s*+(?:&|and\b)|&|;|\band\b)\s*+")
_LAST_ABROAD = lazy_pattern(
    r"(?:(?:,\s*+|(?<=\.)\s++)(?:et(?!\s++al)|und|y|e|и)|(?<!\s)\s++(?:und|sowie|et(?!\s++al)))\s++(?=[^\W\d_a-z])"
    r"|(?<=[^\W\d_])\s++(?:y|e|и)\s++(?=[^\W\d_a-z][\w.-]*+\s++[^\W\d_])"
)
"""The last "and" of a list in French, German, Spanish, Portuguese and Russian, after a comma or an initial, or before a full
name: "Ortega y Gasset" is one."""
_INVERTED_ABROAD = lazy_pattern(r"\s(?:y|e|и|et|und)\s(?=[^\W\d_a-z][^\s,]*+(?:\s[^\s,]++)?,\s[^\W\d_a-z])")
"""The same before an inverted name: "Coquand, Thierry e Huet, Gérard"."""
_BY = lazy_pattern(
    r"^(?:by|authors?:|written by|see(?: also)?|cf\.|voir|siehe|vgl\.|véase|según|selon|laut)\s+", re.IGNORECASE
)
_NOT_A_NAME = frozenset(WORD_LISTS["words_of_titles"])
_BARE_INITIAL = lazy_pattern(rf"((?:,\s|\.[\s-]?){_LETTER})$")
"""The last initial, if its full stop also ended the list."""
_GROUP = lazy_pattern(
    r"[^,;:?!.]* (?:collaborations?|consortium|organi[sz]ation|committee|commission|association|society|foundation|agency"
    r"|institute|university|team|group|council|bureau|federation|contributors|developers|investigators)",
    re.IGNORECASE,
)
_NOT_IN_GROUPS = frozenset({"a", "an", "in", "with", "to", "from", "by", "via"})
_LONGEST = 6000
_MIDDLE_INITIAL = lazy_pattern(rf"\S+(?:\s+{_INITIAL})+\s+(?:{_PARTICLE}\s+)*\S+(?:\s+(?:Jr|Sr|I{{2,3}}|IV)\.?)?")


@lru_cache(maxsize=4096)
def bibtex_authors(text: str) -> str:
    """Return the authors in BibTeX's form (``Vaswani, A. and Shazeer, N. and others``); `""` unless all are certainly names.

    An organisation that looks like a name is braced, so that it is not split.
    """
    text = _BY.sub("", " ".join(text.split())).strip(" ,;:")
    if not text or len(text) > _LONGEST:
        return ""
    text = _LAST_ABROAD.sub(" and ", _BARE_INITIAL.sub(r"\1.", text))
    others = _ET_AL.search(text)
    if others:
        text = text[: others.start()]
    elif _ELLIPSIS.search(text):
        return _abridged(text)
    names = (
        _east_asian(text)
        or _names(text)
        or _families(text, others=others is not None)
        or _group(text)
        or _group_first(text)
        or _names(_INVERTED_ABROAD.sub(" and ", text))
    )
    if not names:
        return ""
    return " and ".join([*names, "others"] if others else names)


@lru_cache(maxsize=4096)
def names_persons(text: str) -> bool:
    """Return True if the text is certainly a list of persons, and therefore not a title."""
    text = _ET_AL.sub("", " ".join(text.split())).strip(" ,;:.")
    return bool(_names(text)) if 0 < len(text) <= _LONGEST else False


def _abridged(text: str) -> str:
    """Handle APA's abridged lists: the first nineteen authors, an ellipsis for those left out, and the last."""
    before = _ELLIPSIS.split(text, maxsplit=1)[0]
    names = _names(before.strip(" ,"))
    return " and ".join([*names, "others"]) if names else ""


def _names(text: str) -> list[str]:
    text = text.strip(" ,;")
    pieces = [piece.strip(" ,") for piece in _LAST.split(text)]
    if not all(pieces):
        return []
    if ";" in text:
        return _each(pieces, _one)
    return next((names for style in _STYLES if (names := style(pieces))), [])


_BARE_INITIALS = lazy_pattern(r"[A-Z](?:[ -]?[A-Z]){0,3}")
_ALTERNATING_FAMILY = lazy_pattern(r"(?:[a-z]{2,4}\s){0,2}[A-Z][^\W\d_]*+(?:['’ -][^\W\d_]+){0,3}")


def _alternating(pieces: list[str]) -> list[str]:
    """Parse ``Adler, J, Parmryd, I``: initials without full stops after each family name."""
    parts = _commas(pieces)
    families, initials = parts[::2], [part.rstrip(".") for part in parts[1::2]]
    if len(initials) < 2 or len(initials) < len(families) or not all(map(_BARE_INITIALS.fullmatch, initials)):
        return []
    if any(_BARE_INITIALS.fullmatch(one) or not _ALTERNATING_FAMILY.fullmatch(one) for one in families):
        return []
    return [
        f"{one}, {' '.join(f'{sign}.' for sign in re.findall(_LETTER, given))}"
        for one, given in zip(families, initials, strict=True)
    ]


def _east_asian(text: str) -> list[str]:
    """Parse ``张三, 李四``, ``山田太郎・鈴木花子``, ``김철수``: names in scripts without capitals, family names first."""
    if not EAST_ASIAN.search(text):
        return []
    parts = re.split(r"[,;、，；]|\s{2,}|(?<=[\u4e00-\u9fff])・(?=[\u4e00-\u9fff])", text)
    pieces = [piece.strip(" 著編译") for piece in parts]
    return pieces if all(_EAST_ASIAN_NAME.fullmatch(piece) or _is_name(piece) for piece in pieces) else []


EAST_ASIAN = lazy_pattern(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_EAST_ASIAN_NAME = lazy_pattern(
    r"[\u4e00-\u9fff々]{2,4}|[\u4e00-\u9fff々]{1,3} ?[\u4e00-\u9fff々\u3040-\u30ff]{1,5}|[\uac00-\ud7af]{2,4}"
    r"|[\u30a0-\u30ff\u4e00-\u9fff]{2,12}[·・＝][\u30a0-\u30ff\u4e00-\u9fff·・＝]{2,20}|[\uac00-\ud7af]{1,2} [\uac00-\ud7af]{1,3}"
)


def _families(text: str, *, others: bool) -> list[str]:
    """Parse ``Vaswani`` of "Vaswani et al.", ``Kingma`` and ``Ba`` of "Kingma & Ba"."""
    parts = _commas([piece.strip(" ,") for piece in _LAST.split(text.strip(" ,;"))])
    plain = all(_FAMILY.fullmatch(part) and part[-1].isalpha() and any(map(str.isupper, part)) for part in parts)
    single = all(len(part.split()) == 1 or re.match(rf"{_PARTICLE}\s", part, re.IGNORECASE) for part in parts)
    return parts if plain and single and (others or len(parts) > 1) and not _any_word(parts) else []


def _group(text: str) -> list[str]:
    """Return an organisation in braces: a name with a typical ending, or one word with inner capitals (OpenAI, UNESCO)."""
    if _GROUP.fullmatch(text) and _NOT_IN_GROUPS.isdisjoint(text.lower().split()):
        return [f"{{{text}}}"]
    return [f"{{{text}}}"] if text.isalnum() and sum(map(str.isupper, text)) > 1 else []


def _group_first(text: str) -> list[str]:
    """Parse ``Astropy Collaboration, Robitaille, T. P., Tollerud, E. J.``: an organisation before its members."""
    group, comma, rest = text.partition(", ")
    members = _names(rest) if comma and " " in group and (one := _group(group)) else []
    return [*one, *members] if members else []


def _each(pieces: list[str], reading: Callable[[str], str]) -> list[str]:
    names = [reading(piece) for piece in pieces]
    return names if all(names) else []


def _one(piece: str) -> str:
    parts = [part.strip() for part in piece.split(",")]
    if len(parts) == 1:
        return piece if _is_name(piece) else ""
    whole = (
        len(parts) == 2
        and _FAMILY.fullmatch(parts[0])
        and (_INITIALS.fullmatch(parts[1]) or _WORDS.fullmatch(parts[1]))
    )
    return f"{parts[0]}, {parts[1]}" if whole else ""


_WORDS = lazy_pattern(rf"{_WORD}(?:\s+{_WORD}){{0,3}}")


def _commas(pieces: list[str]) -> list[str]:
    return [part.strip() for piece in pieces for part in piece.split(",")]


def _inverted_with_initials(pieces: list[str]) -> list[str]:
    """Parse ``Vaswani, A., Shazeer, N., & Daumé, H., III`` (APA)."""
    parts = _commas(pieces)
    names: list[str] = []
    position = 0
    while position < len(parts):
        family, given = parts[position], parts[position + 1] if position + 1 < len(parts) else ""
        named = _FAMILY.fullmatch(family) and "." not in family and not _any_word([family], fewest=4)
        if not named or not _INITIALS.fullmatch(given):
            return []
        position += 2
        if position < len(parts) and _SUFFIX.fullmatch(parts[position]):
            names.append(f"{family}, {parts[position]}, {given}")
            position += 1
        else:
            names.append(f"{family}, {given}")
    return names


def _vancouver(pieces: list[str]) -> list[str]:
    """Parse ``Vaswani A, Shazeer NM`` (Vancouver, AMA), ``VASWANI A, SHAZEER N M`` (GB/T 7714)."""
    names: list[str] = []
    for part in _commas(pieces):
        match = _VANCOUVER.fullmatch(part)
        if match is None or "." in match["family"] or _any_word([match["family"]], fewest=4):
            return []
        given = " ".join(f"{letter}." for letter in re.findall(_LETTER, match["initials"]))
        suffix = f", {match['suffix']}" if match["suffix"] else ""
        names.append(f"{match['family']}{suffix}, {given}")
    return names


def _family_and_initials(pieces: list[str]) -> list[str]:
    """Parse ``Иванов И. И., Петров П.`` (GOST), ``He K. M., Zhang X.Y.``."""
    found = [_FAMILY_AND_INITIALS.fullmatch(part) for part in _commas(pieces)]
    names = [f"{match[1]}, {match[2]}" for match in found if match]
    return names if len(names) == len(found) and not _any_word(names, fewest=4) else []


_FAMILY_AND_INITIALS = lazy_pattern(
    rf"((?:{_PARTICLE}\s+)*[^\W\d_a-zа-яё]{_LETTER}+(?:-{_LETTER}+)?)\s+({_INITIALS.pattern}(?:[\s-]*[^\W\d_a-zа-яё])?)"
)
_INITIALS_FIRST = lazy_pattern(rf"(?P<given>{_INITIALS.pattern})\s*(?P<family>{_FAMILY.pattern})", re.IGNORECASE)


def _initials_first(pieces: list[str]) -> list[str]:
    """Parse ``A. Vaswani, N. Shazeer, and H. Daumé III`` (IEEE)."""
    names: list[str] = []
    for part in _commas(pieces):
        if names and _SUFFIX.fullmatch(part):
            family, _, given = names[-1].partition(", ")
            names[-1] = f"{family}, {part}, {given}"
            continue
        match = _INITIALS_FIRST.fullmatch(part)
        family = match["family"] if match else ""
        if match is None or re.fullmatch(_INITIAL, family.split()[-1]) or _any_word([family], fewest=4):
            return []
        names.append(_with_suffix(family, match["given"]))
    return names


def _with_suffix(family: str, given: str) -> str:
    head, _, last = family.rpartition(" ")
    if head and _SUFFIX.fullmatch(last):
        return f"{head}, {last}, {given}"
    return f"{family}, {given}"


def _inverted(pieces: list[str]) -> list[str]:
    """Parse ``Blei, David M., Ng, Andrew Y. and Jordan, Michael I.``: every name is inverted."""
    parts = _commas(pieces)
    families, given = parts[::2], parts[1::2]
    if len(parts) < 4 or len(families) > len(given) or _any_word(parts) or any(map(_INITIAL_AND_WORD.match, given)):
        return []  # "Kingma, D. P. & Ba, J. Adam: A Method"
    closed = len(pieces) > 1 and all(piece.count(",") % 2 for piece in pieces)
    if not closed and not all(" " not in family for family in families):
        return []
    if not closed and not any(_INITIALS.search(one) for one in given):
        return []
    whole = all(map(_FAMILY.fullmatch, families)) and all(map(_WORDS.fullmatch, given))
    capital = all(one[0].isupper() and not one[-1].isupper() for one in given) and not any(
        "." in one for one in families
    )
    return [f"{family}, {name}" for family, name in zip(families, given, strict=True)] if whole and capital else []


def _inverted_first(pieces: list[str]) -> list[str]:
    """Parse ``Vaswani, Ashish, Noam Shazeer, and Niki Parmar`` (MLA, Chicago): only the first name is inverted."""
    parts = _commas(pieces)
    if "," not in pieces[0] or not _FAMILY.fullmatch(parts[0]) or not _WORDS.fullmatch(parts[1]):
        return []
    if _RUNS_ON.match(parts[1]):
        return []  # "Breiman, L. Random forests"
    rest = parts[2:]
    if len(parts[0].split()) > 1 and not re.match(rf"{_PARTICLE}\s", parts[0], re.IGNORECASE):
        return []  # "Ashish Vaswani, Noam Shazeer" are two
    first = f"{parts[0]}, {parts[1]}"
    if rest and _SUFFIX.fullmatch(rest[0]):
        first, rest = f"{parts[0]}, {rest[0]}, {parts[1]}", rest[1:]
    return [first, *rest] if all(_is_name(part) for part in rest) and not _any_word(parts[:2]) else []


_RUNS_ON = lazy_pattern(rf"{_INITIAL}\s+{_LETTER}{{3,}}\s")
_INITIAL_AND_WORD = lazy_pattern(rf"{_INITIAL}\s+{_LETTER}[^\s.]")


def _full_names(pieces: list[str]) -> list[str]:
    parts = _commas(pieces)
    if len(parts) == 1 and " " not in parts[0]:
        return []
    if len(pieces) > 1 and "," in pieces[-1] and not _SUFFIX.fullmatch(parts[-1]):
        return []  # the name after "and" is the last one
    initials = [_INITIALS_FIRST.fullmatch(part) is not None for part in parts]
    if len(pieces) == 1 and initials[0] and not any(initials[1:]) and len(parts) > 1:
        return []  # "F. P. Brooks Jr., No Silver Bullet"
    if all(map(_is_name, parts)):
        return parts
    return _in_company(parts, closed=len(pieces) > 1)


_STYLES = (
    *(_alternating, _inverted_with_initials, _vancouver, _family_and_initials, _initials_first, _inverted),
    *(_inverted_first, _full_names),
)


def _in_company(parts: list[str], *, closed: bool) -> list[str]:
    """Return the names of a list if most are certain; "Ofir Press", "Ashwin T S" and a team then count as names too.

    closed: True if "and" comes before the last name. Otherwise the last one may run on into the title.
    """
    parts = [part for part in parts if part != ":"]
    sure = sum(map(_is_name, parts))
    if len(parts) < _COMPANY or sure < _MOSTLY * len(parts):
        return []
    names = []
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if _is_name(part):
            names.append(part)
        elif _GROUP.fullmatch(part) and (place == 0 or last):
            names.append(f"{{{part}}}")
        elif _UNUSUAL.fullmatch(part) and (not last or (closed and not re.search(r"\.\s+\S{2}", part))):
            names.append(part)
        else:
            return []
    return names


_COMPANY = 3  # minimum number of names
_MOSTLY = 0.6
_UNUSUAL = lazy_pattern(
    rf"(?:{_LETTER}\.(?:\s?-?{_LETTER}\.)*\s+)?[^\W\d_a-zß-öø-ÿ](?:{_LETTER}|['’‘`\"\-‐‑])*(?:\s+(?:{_PARTICLE}|{_LETTER}\.?(?:[\s-]*{_LETTER}\.)*"
    rf"|(?:{_LETTER}|['’‘`\"\-‐‑]){{2,}})){{1,4}}"
)
"""A capitalised word, then words or initials in any order."""


_INNER = lazy_pattern(rf"{_PARTICLE}|[dl]['’]\w+|dal|della|st|und|zur|'t|\w")
"""Words in lower case within names."""


def _is_name(part: str) -> bool:
    """Return True for a full name: several words, capitalised at both ends, none of them typical of titles."""
    if not _NAME.fullmatch(part) or _GROUP.fullmatch(part) or _any_word([part]):
        return False
    words = part.split()
    if len(words) > 2 and re.fullmatch(_INITIAL, words[1]) and not _MIDDLE_INITIAL.fullmatch(part):
        return False  # "Breiman L. Random Forests"
    if len(words[-1].strip(".")) == 1 or any(word[0].islower() and not _INNER.fullmatch(word) for word in words[1:-1]):
        return False
    return words[0][0].isupper() and not words[-1][0].islower()


def title_words(text: str) -> bool:
    """Return True if a word is typical of titles, so that the text names nobody."""
    return _any_word([text])


def _any_word(parts: list[str], *, fewest: int = 1) -> bool:
    """Return True if a word is typical of titles. Next to initials only long words count, as An and To are family names."""
    words = (word.lower().strip(".") for part in parts for word in part.split())
    return any(len(word) >= fewest and word in _NOT_A_NAME for word in words)


@lru_cache(maxsize=4096)
def name_share(text: str) -> tuple[float, int]:
    """Return the share (0 to 1) of comma-separated pieces that look like names or initials, and the number of pieces.

    Used for lists that cannot be parsed as a whole: a truncated name, an organisation among persons, a misplaced mark.
    """
    pieces = _commas([piece.strip(" ,") for piece in _LAST.split(_ET_AL.sub("", text).strip(" ,;"))])
    pieces = [piece for piece in pieces if piece.strip(" .:;")]
    if not pieces:
        return 0.0, 0
    return sum(map(_like_a_name, pieces)) / len(pieces), len(pieces)


def _like_a_name(piece: str) -> bool:
    words = piece.replace(".", ". ").split()
    if not 1 <= len(words) <= 6 or _any_word(words) or re.search(r"[\d?!:]", piece):
        return False
    return all(word[:1].isupper() or re.fullmatch(_PARTICLE, word) for word in words)


def likely_authors(text: str) -> str:
    """Return the names of a list that cannot be parsed as a whole, in BibTeX's form; an organisation; `""` if neither."""
    others = _ET_AL.search(text)
    bare = (text[: others.start()] if others else text).strip(" ,;:")
    share, count = name_share(bare)
    if count > 1 and share >= _MOSTLY:
        pieces = _commas([piece.strip(" ,") for piece in _LAST.split(bare)])
        names = [piece.strip(" .:;") for piece in pieces if _like_a_name(piece) and len(piece.strip(" .:;")) > 1]
        return " and ".join([*names, "others"] if others else names)
    return f"{{{bare}}}" + (" and others" if others else "") if bare else ""
