"""BibTeX name lists: parsing of a raw field into persons.

The rules follow Oren Patashnik, "BibTeXing" (1988), section 4; ``family=...`` parts follow the biblatex manual, section 3.4
"Name List Format". Both forbid commas and semicolons between names, but authors use them; such lists are recognised if they
cannot be a single name.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.inputs.bibtex.values import closing_brace
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.matching import (
    BLANKS,
    MAYBE_BLANKS,
    decode,
    is_initials,
    is_suffix,
    looks_like_group,
    marked_ellipses,
    strip_homonym_number,
    trailing_particles,
    without_others,
)
from pytest_citecheck.model import NameList, Person

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME_FIELDS = ("author", "editor")

_AND = lazy_pattern(BLANKS + r"and\s+", re.IGNORECASE)
_AND_AT_EDGE = lazy_pattern(r"^(?:and\s++)++|(?<!\s)(?<!\sand)(?:\s++and)++$", re.IGNORECASE)
_EXTENDED = lazy_pattern(r"\s*(?:family|given|prefix|suffix)(?:-i)?\s*=", re.IGNORECASE)
_ONLY_INITIALS = lazy_pattern(r"[^\W\d_]\.?(?:(?:[\s~-]+|(?<=\.))[^\W\d_]\.?){0,3}|[A-Z]{1,3}")
_MIN_NAME = 2
_CUT_OFF = lazy_pattern(r"\sand\s+\{*\\\W?[A-Za-z]?\s*\{*[A-Za-z]\}*\s*$")  # a one-letter last name with an accent
_BLANKS = lazy_pattern(r"\s{2,}")
_SPACE = lazy_pattern(r"(?:\s|(?<!\\)~)+")  # a tie, but not an accent: "Mu\~noz"
_JOINER = lazy_pattern(r"\s(?:und|with|mit|et|og|och|en|y|e|i)\s")
_JOINER_OF_PERSONS = lazy_pattern(r"\s(?:und|with|mit|et|og|och|en)\s")
_AFFILIATION = lazy_pattern(r"(?<=[^\s~])[\s~]+\([^()]*\)$")
_LIFE = lazy_pattern(
    r"(?:(?<!\s)\s++)?+\(\d{4}\s?[-–][\d.?\s]*+\)"
)  # years of birth and death, as libraries write them
_ENTITY = lazy_pattern(r"\{?\\?&\}?(?=(?:[A-Za-z]{2,8}|#\d{2,5});)")
_DOUBLED = lazy_pattern(r"\\\\(?=[vcukHrbdt'`\"^~=.]\{)")  # an accent with an escaped backslash
_AND_COMMAND = lazy_pattern(r"\\and(?![A-Za-z])")
_ELIDED = lazy_pattern(
    r"(?<![^\W\d_])([ODLodl](?:\s['’]\s?|['’]\s))(?=[^\W\d_])"
)  # "O 'Day", "D' Angelo": one family name
_COMMA_INSIDE = lazy_pattern(r"\w[^\w,]*+,[^\w\n]*+\w")


@lru_cache(maxsize=1024)  # planning and several checks read the same list
def name_list(raw: str) -> NameList:
    """Parse ``raw``, a BibTeX name list as written (with braces and LaTeX, without its outer delimiters).

    Fully braced names become groups. Empty names are dropped. A list that was cut off inside a brace, or after the accented
    first letter of a name, gets ``others`` and loses that fragment. Never raises.
    """
    raw = _without_entities(raw)
    if "\\\\" in raw:
        raw = _DOUBLED.sub(r"\\", raw)
    raw = _AND_COMMAND.sub(" and ", raw) if "\\and" in raw else raw
    raw = _ELIDED.sub(lambda name: _SPACE.sub("", name[1]), raw) if "'" in raw or "’" in raw else raw
    others = _is_cut_off(raw)
    raw = _LIFE.sub("", raw) if "(" in raw else raw
    raw = _BLANKS.sub(" ", marked_ellipses(raw))  # avoids a search from each of many blanks
    names: list[Person] = []
    chunks = _separated(raw)
    inverted = any(_is_inverted(chunk) for chunk in chunks)
    for chunk in chunks:
        chunk, more = without_others(chunk)
        others = others or more
        if not chunk:
            continue
        if _EXTENDED.match(chunk):
            names.append(_extended(chunk))
        else:
            if inverted and _depth_zero_commas(chunk) == 1:
                written = iter((chunk,))
            else:
                written = (name for part in _joined_by_words(chunk) for name in _written_list(part))
            names.extend(person for person in map(_person, written) if person is not None)
    if len(names) > 1 and _CUT_OFF.search(raw):
        others = True
    if others and names and len(str(names[-1]).strip()) < _MIN_NAME:
        names.pop()
    return NameList(tuple(_resolve_comma_lists(names, raw)), others)


def separated_otherwise(raw: str) -> bool:
    r"""Return True if names are separated by something other than "and": a comma, a semicolon, an ampersand or ``\and``.

    BibTeX takes all text between two "and" as one name.
    """
    raw = _without_entities(raw)
    if not (";" in raw or "&" in raw or "\\and" in raw or any(map(_may_be_several, _AND.split(raw)))):
        return False
    masked, _ = _protect(raw)
    chunks = [chunk for chunk in _AND.split(masked) if without_others(chunk.strip(" ,;"))[0]]
    return len(name_list(raw).names) > max(len(chunks), 1)


def split_items(value: str) -> list[str]:
    """Return the items of a list field: the text between two "and" outside braces, stripped."""
    masked, protected = _protect(value)
    return [_restore(item.strip(), protected) for item in _AND.split(masked) if item.strip()]


def _may_be_several(chunk: str) -> bool:
    """Return True if the commas in a single BibTeX name may be other than those of "von Last, Jr, First"."""
    commas = chunk.count(",")
    return commas > 1 or (commas == 1 and " " in chunk.partition(",")[0].strip())


def _without_entities(raw: str) -> str:
    """Decode HTML character references, including those with an escaped ampersand."""
    return html.unescape(_ENTITY.sub("&", raw)) if "&" in raw and ";" in raw else raw


def _is_cut_off(raw: str) -> bool:
    """Return True if the field ends inside a brace, so that the end of the last name and any further names are missing."""
    if raw.count("{") <= raw.count("}"):
        return False
    last = raw[raw.rfind(" and ") + 1 :]
    return last.count("{") > last.count("}")


def _separated(raw: str) -> list[str]:
    """Split the list at " and " and semicolons outside braces, and strip the parts."""
    text = raw.strip().strip(";,").strip()
    if "{" in text:
        text, protected = _protect(text)
    else:
        protected = []
    parts: list[str] = []
    for chunk in _AND.split(text):
        for part in chunk.split(";") if ";" in chunk else (chunk,):
            parts.extend(_ampersand(part))
    stripped = (_without_and(part.strip()).strip(" ,") for part in parts)
    return [_restore(part, protected) for part in stripped if part and part.lower() != "and"]


def _without_and(part: str) -> str:
    return _AND_AT_EDGE.sub("", part) if "and" in part.lower() else part


_PLACEHOLDER = lazy_pattern("\ue000(\\d+)\ue001")


def _protect(text: str) -> tuple[str, list[str]]:
    """Replace each top-level brace group in ``text`` with a placeholder; unbalanced braces stay as text."""
    out, protected, last = list[str](), list[str](), 0
    while (start := text.find("{", last)) >= 0 and (end := closing_brace(text, start, len(text))) >= 0:
        out += [text[last:start], f"\ue000{len(protected)}\ue001"]
        protected.append(text[start : end + 1])
        last = end + 1
    return "".join([*out, text[last:]]), protected


def _restore(text: str, protected: list[str]) -> str:
    if not protected:
        return text
    return _PLACEHOLDER.sub(lambda match: protected[int(match.group(1))], text)


def _ampersand(text: str) -> list[str]:
    """Split "A. Smith & B. Jones" into two persons, but keep "Ernst & Young"."""
    if "&" not in text:
        return [text]
    parts = [part.strip(" ,") for part in re.split(MAYBE_BLANKS + r"\\?&\s*", text)]
    return parts if all(len(part.split()) > 1 or "," in part for part in parts if part) else [text]


def _joined_by_words(chunk: str) -> list[str]:
    """Split "Ann Lee und Bo Chen" and "Lee, A. y Chen, B.".

    Names contain such words too ("Ramón y Cajal", "von und zu Stein"), so each side must have a full name. Without commas, only
    words that never join surnames count.
    """
    if not _JOINER.search(chunk) or looks_like_group(chunk):
        return [chunk]
    masked, protected = _protect(chunk)
    inverted = [_restore(part.strip(" ,"), protected) for part in _JOINER.split(masked)]
    if all(_COMMA_INSIDE.search(part) for part in inverted):
        return inverted
    parts = [_restore(part.strip(" ,"), protected) for part in _JOINER_OF_PERSONS.split(masked)]
    return parts if all(_is_capitalised_name(part) for part in parts) else [chunk]


def _is_capitalised_name(part: str) -> bool:
    words = _tokens(part)
    return len(words) > 1 and not _is_lower(words[0]) and not _is_lower(words[-1])


def _written_list(chunk: str) -> Iterator[str]:
    """Yield the names between two "and"s: one by BibTeX's rules, several for a comma-separated list."""
    if "," not in chunk or _depth_zero_commas(chunk) == 0:
        yield chunk
        return
    parts = [part.strip() for part in _comma_split(chunk)]
    parts = [part for part in parts if part]
    if len(parts) < 2 or any(is_suffix(part) for part in parts):
        yield chunk
    elif len(parts) > 2 and len(parts) % 2 == 0 and all(map(_ONLY_INITIALS.fullmatch, parts[1::2])):
        yield from (f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True))
    elif (len(parts) > 2 and all(_several_words(part) for part in parts)) or all(map(_is_full_name, parts)):
        yield from parts
    elif len(parts) > 3 and len(parts) % 2 == 0:
        yield from (f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True))
    else:
        yield chunk


def _is_inverted(chunk: str) -> bool:
    """Return True for "Last, First" that cannot be two names; every name of a list with one is written in this order."""
    if _depth_zero_commas(chunk) != 1:
        return False
    family, given = (part.strip() for part in _comma_split(chunk))
    return bool(family and given) and not is_suffix(given) and not (_is_full_name(family) and _is_full_name(given))


def _is_full_name(part: str) -> bool:
    """Return True if a part has initials at one end and a word at the other ("A. Smith", "Smith JA")."""
    words, _ = trailing_particles(_SPACE.split(part))
    if len(words) < 2 or is_suffix(words[-1]):
        return False
    first, last = is_initials(words[0]), is_initials(words[-1])
    return not last if first else last and "." not in words[-1]


def _several_words(part: str) -> bool:
    return len(_SPACE.split(part)) > 1 and not _ONLY_INITIALS.fullmatch(part)


def _resolve_comma_lists(names: list[Person], raw: str) -> list[Person]:
    """Read "Ann Lee, Bo Chen and Cy Twombly" as three persons: with one name unsplit, the comma cannot be an inversion."""
    if "," not in raw or len(names) < 2 or names[-1].particle or "," in raw[raw.lower().rfind(" and ") :]:
        return names
    if raw.lower().count(" and ") != 1 or len(names) != 2 or names[0].group or not names[1].given:
        return names
    first = names[0]
    if " " in first.family and " " in first.given and not first.suffix and not first.particle:
        pair = (_person(first.family), _person(first.given), names[1])
        return [person for person in pair if person is not None]
    return names


def _extended(chunk: str) -> Person:
    values: defaultdict[str, str] = defaultdict(str)
    for part in _comma_split(chunk):
        key, _, value = part.partition("=")
        values[key.strip().lower()] = _text(value.strip().strip('"'))
    given = values["given"] or values["given-i"]
    return Person("", values["family"], given, values["prefix"], values["suffix"])


def _person(name: str) -> Person | None:
    if name[0] == "{" and closing_brace(name, 0, len(name)) == len(name) - 1:
        literal = _text(name)
        return Person(literal=literal, group=True) if literal else None
    if _depth_zero_commas(name):
        return _inverted([part.strip() for part in _comma_split(name)])
    tokens = _tokens(_AFFILIATION.sub("", strip_homonym_number(name)) or name)
    if len(tokens) > 2 and is_suffix(_text(tokens[-1])):
        return _split(tokens[:-1], _text(tokens[-1]))
    text = _text(name)
    if looks_like_group(text):
        return Person(literal=text, group=True)
    return _split(tokens, "") if text else None


def _inverted(parts: list[str]) -> Person | None:
    """Parse "von Last, First" or "von Last, Jr, First"; "First Last, Jr." is tolerated."""
    suffix = ""
    if len(parts) > 1 and is_suffix(_text(parts[1])):
        suffix = _text(parts[1])
        parts = [parts[0], *parts[2:]]
        if len(parts) == 1:
            return _split(_tokens(parts[0]), suffix)
    elif len(parts) > 2:
        if is_suffix(_text(parts[-1])):
            suffix = _text(parts.pop())
        parts = [parts[0], " ".join(parts[1:])]
    tokens = _tokens(parts[0])
    cut = 0
    while cut < len(tokens) - 1 and _is_lower(tokens[cut]):
        cut += 1
    given = strip_homonym_number(_text(parts[1])) if len(parts) > 1 else ""
    family = strip_homonym_number(_joined(tokens[cut:]))
    if not family and not given:
        return None
    if not given:
        return _split(tokens, suffix)
    return Person(family=family, given=given, particle=_joined(tokens[:cut]), suffix=suffix)


def _split(tokens: list[str], suffix: str) -> Person | None:
    """Parse "First von Last"; von runs from the first to the last lower-case token before the last token."""
    if not tokens:
        return None
    words = [_text(token) for token in tokens]
    if not suffix and _is_unsplit(words):
        return Person(literal=" ".join(words))
    lower = [index for index, token in enumerate(tokens[:-1]) if _is_lower(token)]
    start, end = (lower[0], lower[-1] + 1) if lower else (len(words) - 1, len(words) - 1)
    return Person(
        family=" ".join(words[end:]), given=" ".join(words[:start]), particle=" ".join(words[start:end]), suffix=suffix
    )


def _is_unsplit(words: list[str]) -> bool:
    """Return True if BibTeX's split would be wrong: a family name before initials, or a name in native script.

    ``names.parse`` handles these and receives the whole name.
    """
    words, _ = trailing_particles(words)
    last = words[-1]
    if last[-1:] > "\u2e7f":
        return True
    return len(words) > 1 and is_initials(last) and not is_initials(words[0])


def _is_lower(token: str) -> bool:
    """Return True if the word is lower case in BibTeX: by its first letter outside braces or in a special character."""
    if token[0] == "{" and not token.startswith("{\\"):
        return False
    return _text(token)[:1].islower()


def _tokens(text: str) -> list[str]:
    """Split ``text`` at white space and ties outside braces."""
    if "{" not in text:
        return [token for token in _SPACE.split(text) if token]
    masked, protected = _protect(text)
    return [_restore(token, protected) for token in _SPACE.split(masked.strip()) if token]


def _comma_split(text: str) -> list[str]:
    if "{" not in text:
        return text.split(",")
    masked, protected = _protect(text)
    return [_restore(part, protected) for part in masked.split(",")]


def _depth_zero_commas(text: str) -> int:
    return text.count(",") if "{" not in text else _protect(text)[0].count(",")


def _joined(tokens: list[str]) -> str:
    return " ".join(_text(token) for token in tokens)


def _text(raw: str) -> str:
    if raw.isascii() and "\\" not in raw and "{" not in raw and "}" not in raw and "~" not in raw and "$" not in raw:
        return raw
    return " ".join(decode(raw).replace("{", "").replace("}", "").split())
