"""The value of a corrected field as it stands in the file: escapes, delimiters and names in the style of the entry."""

from __future__ import annotations

import re

from pytest_citecheck.fixing.style import Style
from pytest_citecheck.fixing.titles import merged_title
from pytest_citecheck.model import Reference
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["delimited", "written_value"]

_ESCAPES = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})
_VERBATIM = frozenset({"url", "eprint", "isbn", "issn", "pages", "year", "date", "volume", "number"})
_AND = lazy_pattern(r"[{}]|(?<!\s)\s++and\s++", re.IGNORECASE)
_RESOLVER = lazy_pattern(r"\s*(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_UNICODE = Style(unicode=True)


def written_value(reference: Reference, name: str, value: str, style: Style = _UNICODE) -> str:
    """The value without its delimiters, in LaTeX. What of the cited value is right stays as it is written."""
    raw = reference.raw.get(name, "")
    if name == "doi":
        resolver = _RESOLVER.match(raw)
        return f"{resolver[0] if resolver else ''}{value}"
    if name in _VERBATIM:
        return value
    if name in ("author", "editor"):
        return _names(raw, value, style)
    if name == "title":
        return merged_title(raw, value, lambda text: style.letters(text.translate(_ESCAPES)))
    return style.letters(value.translate(_ESCAPES))


def delimited(before: str, value: str) -> str:
    """The value in the delimiters of the one that it replaces: none for a number, quotation marks, doubled braces, or braces."""
    if before.isdecimal() and value.isascii() and value.isdecimal():
        return value
    if before.startswith('"') and before.endswith('"') and "#" not in before and _fits_quotes(value):
        return f'"{value}"'
    doubled = before.startswith("{{") and before.endswith("}}") and "}" not in before[2:-2]
    if doubled and not (value.startswith("{") and value.endswith("}") and "}" not in value[1:-1]):
        return f"{{{{{value}}}}}"
    return f"{{{value}}}"


def _fits_quotes(value: str) -> bool:
    """Whether every quotation mark stands in braces."""
    depth = 0
    for sign in value:
        depth += (sign == "{") - (sign == "}")
        if sign == '"' and depth == 0:
            return False
    return True


def _names(raw: str, value: str, style: Style) -> str:
    """The names in the order of the record, each as the entry writes it if it has it; new ones in the entry's style."""
    written = _written(raw)
    as_cited = {_words(one): one for one in reversed(written)}
    inverted = 2 * sum("," in one for one in written) >= len([one for one in written if one != "others"])
    return _joint(raw).join(
        as_cited.get(_words(one))
        or style.letters((one if inverted or not written[0] else _given_first(one)).replace("&", r"\&"))
        for one in value.split(" and ")
    )


def _joint(raw: str) -> str:
    """What stands between two names: the white space around most "and" of the field."""
    joints = [match[0] for match in _AND.finditer(raw) if match[0] not in "{}"]
    return max(joints, key=joints.count, default=" and ")


def _written(field: str) -> list[str]:
    """The names of a field as they are written: split at each "and" outside braces."""
    names, start, depth = [], 0, 0
    for found in _AND.finditer(field):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth <= 0:
            names.append(field[start : found.start()].strip())
            start = found.end()
    return [*names, field[start:].strip()]


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", fold(decode(name)))))


def _given_first(name: str) -> str:
    family, comma, given = name.partition(", ")
    if not comma or "," in given:  # one with a suffix has no other form
        return name
    return f"{given} {{{family}}}" if " " in family and not family[0].islower() else f"{given} {family}"
