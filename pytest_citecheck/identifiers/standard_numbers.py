"""International standard numbers with their check digits: ISBN (ISO 2108) and ISSN (ISO 3297)."""

from __future__ import annotations

import re

from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["find_isbns", "find_issns", "issns_among_isbns"]

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_ISBN = lazy_pattern(r"(?<![\dXx])(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx](?!\d)")
_ISSN = lazy_pattern(r"(?<![\dXx-])\d{4}[ -]?\d{3}[\dXx](?![\d-])")
_LABEL = lazy_pattern(
    r"(?:(?:e-?|p-?|print|online|electronic)\s*+|" + MAYBE_BLANKS + r")IS[BS]N(?:-1[03]|-L)?(?:\s*+\d\d(?=:))?\s*+:?",
    re.IGNORECASE,
)
_PARENTHESIS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_SEPARATOR = lazy_pattern(r"[,;/|]|\band\b|\$?\\(?:text)?backslash(?:\{\})?\$?[rnt](?![a-z])")
"""Between numbers; Mendeley exports the line breaks between them as ``\\textbackslashr``."""
_SPACED = lazy_pattern(r"[\d -]*[\dXx]")
_LENGTHS = (10, 13)
_PREFIXES = ("978", "979")


def find_isbns(text: str) -> tuple[tuple[str, ...], str]:
    """The ISBNs in the field value ``text``, as 13 digits, and what is wrong with the others (empty:
    nothing)."""
    numbers: list[str] = []
    for part, candidates in _parts(text, _ISBN):
        if not candidates and _issns_in(part):
            continue
        if not candidates:
            return tuple(numbers), f"'{part}' is not an ISBN: {_why_no_isbn(part)}"
        for written in candidates:
            number = _bare(written)
            if not _isbn_is_valid(number):
                return tuple(numbers), f"'{written}' is not an ISBN: its check digit is wrong"
            numbers.append(number if len(number) == 13 else _isbn13(number))
    return tuple(dict.fromkeys(numbers)), ""


def find_issns(text: str) -> tuple[tuple[str, ...], str]:
    """The ISSNs in the field value ``text``, as ``1234-567X``, and what is wrong with the others (empty:
    nothing)."""
    numbers: list[str] = []
    for part, candidates in _parts(text, _ISSN):
        if not candidates:
            return tuple(numbers), f"'{part}' is not an ISSN: it has {_digits(part)} digits, not 8"
        for written in candidates:
            number = _bare(written)
            if _weighted(number, range(8, 0, -1)) % 11:
                return tuple(numbers), f"'{written}' is not an ISSN: its check digit is wrong"
            numbers.append(f"{number[:4]}-{number[4:]}")
    return tuple(dict.fromkeys(numbers)), ""


def issns_among_isbns(text: str) -> tuple[str, ...]:
    """The ISSNs that stand in the value of a field for ISBNs, as reference managers put them there."""
    found = [number for part, isbns in _parts(text, _ISBN) if not isbns for number in _issns_in(part)]
    return tuple(dict.fromkeys(found))


def _issns_in(part: str) -> tuple[str, ...]:
    numbers, problem = find_issns(part)
    return () if problem else numbers


def _why_no_isbn(part: str) -> str:
    count = _digits(part)
    if count not in _LENGTHS:
        return f"it has {count} digits, not 10 or 13"
    if count == max(_LENGTHS) and not _bare(part).startswith(_PREFIXES):
        return "its 13 digits do not begin with 978 or 979"
    return "its digits do not stand together"


def _parts(text: str, pattern: re.Pattern[str]) -> list[tuple[str, list[str]]]:
    """The parts of a field value with digits, and what in each looks like a number, as it is written."""
    bare = _LABEL.sub(" ", _PARENTHESIS.sub(" ", text.translate(_DASHES)))
    result: list[tuple[str, list[str]]] = []
    for piece in _SEPARATOR.split(bare):
        part = piece.strip(" .:\n\t")
        if any(char.isdigit() for char in part):
            found = [match.group().strip(" -") for match in pattern.finditer(part)]
            if not found and _SPACED.fullmatch(part) and pattern.fullmatch(_bare(part)):
                found = [part]
            result.append((part, found))
    return result


def _bare(written: str) -> str:
    return re.sub(r"[ -]", "", written).upper()


def _digits(part: str) -> int:
    return sum(char.isdigit() or char in "xX" for char in part)


def _weighted(number: str, weights: range) -> int:
    return sum((10 if digit == "X" else int(digit)) * weight for digit, weight in zip(number, weights, strict=True))


def _isbn_is_valid(number: str) -> bool:
    if len(number) == 10:
        return _weighted(number, range(10, 0, -1)) % 11 == 0
    return _ean(number)


def _ean(number: str) -> bool:
    return number.isdigit() and _ean_sum(number) % 10 == 0


def _ean_sum(number: str) -> int:
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(number))


def _isbn13(number: str) -> str:
    body = "978" + number[:9]
    return f"{body}{-_ean_sum(body) % 10}"
