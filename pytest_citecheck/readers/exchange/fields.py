"""From the fields of an exchange format to a reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.bibtex.reader import readable_value
from pytest_citecheck.readers.field_lengths import readable_within_length, written_within_length
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["exchanged", "joined_names", "key_of"]

_SIGNIFICANT = lazy_pattern(r"(?<!\\)([#$%&_{}\\])")
_BLANKS = lazy_pattern(r"\s+")
_AND = lazy_pattern(r"\band\b", re.IGNORECASE)
_ADDRESSES = frozenset({"url", "doi", "eprint"})


def exchanged(
    key: str,
    kind: str,
    stated: Mapping[str, str],
    location: Location,
    text: str,
    *,
    names: Mapping[str, str] | None = None,
) -> Reference:
    """The reference with these values, which are plain text. names: lists of people, as BibTeX writes them."""
    raw: dict[str, str] = {}
    fields: dict[str, str] = {}
    defects = []
    for name, value in stated.items():
        plain = _BLANKS.sub(" ", value).strip()
        if not plain:
            continue
        written = plain if name in _ADDRESSES else _SIGNIFICANT.sub(r"\\\1", plain).replace("\\\\", "\\textbackslash{}")
        raw[name], overlong = written_within_length(name, written, location.line, key)
        fields[name], unreadable = readable_within_length(name, plain, location.line, key)
        defects += [defect for defect in (overlong or unreadable,) if defect is not None]
    for name, value in (names or {}).items():
        if value:
            raw[name], overlong = written_within_length(name, value, location.line, key)
            fields[name] = readable_value(name, raw[name])
            defects += [overlong] if overlong is not None else []
    return Reference(key, kind, fields, location, raw=raw, text=text, defects=tuple(defects))


def joined_names(people: Iterable[tuple[str, str, str]]) -> str:
    """The names (family, given, suffix) as BibTeX writes them. A name without a given one is in braces if it could be divided."""
    written = []
    for family, given, suffix in people:
        family, given, suffix = map(_bare, (family, given, suffix))
        if not family:
            family, given = given, ""
        if not family:
            continue
        if not given:
            written.append(f"{{{family}}}" if " " in family or "," in family or _AND.search(family) else family)
        else:
            family = f"{{{family}}}" if _AND.search(family) else family
            written.append(", ".join(part for part in (family, suffix, given) if part))
    return " and ".join(written)


def _bare(part: str) -> str:
    return _BLANKS.sub(" ", part.replace("{", "").replace("}", "")).strip(" ,")


def key_of(stated: str, number: int) -> str:
    """The key of an entry: its own, or its place in the list."""
    return _BLANKS.sub("_", stated.strip()) or f"ref_{number}"
