"""Author fields as exporters and people write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.styles_text import latex, unaccented

_PARTICLES = frozenset("van von de der den del della di da dos do du la le ten ter al el af zu".split())
_SUFFIXES = frozenset({"Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_INITIALS = re.compile(r"[A-Z]{2,3}")
_NOT_TAKEN_APART = re.compile(r"[,;&\d:(){}@]|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Parts:
    given: tuple[str, ...]
    family: str
    suffix: str


DoiPattern = Callable[[_Parts], str]


def _taken_apart(name: str) -> _Parts | None:
    """Split a name into given and family name as an exporter does; None if it is better left unchanged."""
    words = name.split()
    if len(words) < 2 or _NOT_TAKEN_APART.search(name) or not all(word[0].isalpha() for word in words):
        return None
    suffix = words.pop() if words[-1] in _SUFFIXES and len(words) > 2 else ""
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in _PARTICLES:
        cut -= 1
    return _Parts(tuple(words[:cut]), " ".join(words[cut:]), suffix)


def _first_letters(parts: _Parts) -> list[str]:
    """The initials: of Jean-Pierre "J.-P.", of "PF" (as PubMed has it) "P." and "F."; particles have none."""
    found: list[str] = []
    for word in [word for word in parts.given if not word[0].islower()] or parts.given:
        if _INITIALS.fullmatch(word):
            found += [f"{letter}." for letter in word]
        else:
            found.append("-".join(f"{piece[0]}." for piece in word.split("-") if piece[:1].isalpha()) or word)
    return found


def _inverted(parts: _Parts, given: str) -> str:
    suffix = f", {parts.suffix}" if parts.suffix else ""
    return f"{parts.family}{suffix}, {given}"


def _given_first(parts: _Parts, given: str) -> str:
    return f"{parts.family}, {parts.suffix}, {given}" if parts.suffix else f"{given} {parts.family}"


def _first_and_middle(parts: _Parts) -> str:
    """The first name in full, the others as initials."""
    return " ".join([parts.given[0], *_first_letters(parts)[len(_first_letters(_first_only(parts))) :]])


def _first_only(parts: _Parts) -> _Parts:
    return _Parts(parts.given[:1], parts.family, parts.suffix)


FORMS: dict[str, DoiPattern] = {
    "Given Family": lambda parts: _given_first(parts, " ".join(parts.given)),
    "Family, Given": lambda parts: _inverted(parts, " ".join(parts.given)),
    "G. M. Family": lambda parts: _given_first(parts, " ".join(_first_letters(parts))),
    "G.M. Family": lambda parts: _given_first(parts, "".join(_first_letters(parts))),
    "Family, G. M.": lambda parts: _inverted(parts, " ".join(_first_letters(parts))),
    "Family, G.M.": lambda parts: _inverted(parts, "".join(_first_letters(parts))),
    "Family, GM": lambda parts: _inverted(parts, "".join(_first_letters(parts)).replace(".", "")),
    "Family, G M": lambda parts: _inverted(parts, " ".join(_first_letters(parts)).replace(".", "")),
    "Family, Given M.": lambda parts: _inverted(parts, _first_and_middle(parts)),
    "Given M. Family": lambda parts: _given_first(parts, _first_and_middle(parts)),
    "Given Family, no middle names": lambda parts: _given_first(parts, parts.given[0]),
}
"""Functions that format one name, by example."""


def author_field(names: Sequence[str], form: str, dice: Random, *, tex: bool, careful: bool) -> str:
    """The names in one form, as a BibTeX value.

    tex: accents as LaTeX. careful: as a machine exports; a person may leave out accents, write umlauts as two letters,
    capitalise particles, cut a long list with ``and others`` or "et al.", or join names with semicolons.
    """
    habit = 1.0 if careful else dice.random()
    written = [_written(name, form, habit) for name in names]
    if habit < 0.08:
        written = [unaccented(name) for name in written]
    elif habit < 0.12:
        written = [name.translate(_UMLAUTS) for name in written]
    if not careful and len(written) > 3 and dice.random() < 0.2:
        written = [*written[: dice.randint(1, min(len(written) - 1, 6))], dice.choice(("others", "others", "et al."))]
    separator = dice.choice((" and ", " and ", " and\n               "))
    if not careful and len(written) > 2 and "," in form and dice.random() < 0.03:
        separator = "; "
    return separator.join(latex(name, dice if tex else None) for name in written)


def _written(name: str, form: str, habit: float) -> str:
    parts = _taken_apart(name)
    if parts is None:
        return f"{{{name}}}" if _NOT_TAKEN_APART.search(name) else name
    if 0.12 <= habit < 0.16:
        parts = _Parts(parts.given, " ".join(word[0].upper() + word[1:] for word in parts.family.split()), parts.suffix)
    return FORMS[form](parts)
