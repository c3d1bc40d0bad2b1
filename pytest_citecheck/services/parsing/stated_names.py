"""Names of persons and groups as services state them, as far as they do not split them into parts."""

from __future__ import annotations

import re

from pytest_citecheck.model import Person
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_unknown", "stated_name", "stated_parts", "undivided"]

# Codes for unknown information: DataCite Metadata Schema, appendix 3.
_CODE = lazy_pattern(r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|etal)\)?", re.IGNORECASE)
_PLACEHOLDERS = frozenset({"&na;", "n/a", "n.a.", "na", "none", "null", "anonymous", "unknown", "unpublished"})
# Beside another part they are names: people are called Na, Null and None.
_ALSO_NAMES = frozenset({"na", "none", "null"})
_GROUP = lazy_pattern(r"\b(?:collaborations?|consortium|working group|study group)\s*\Z", re.IGNORECASE)


def is_unknown(value: str) -> bool:
    """Whether the value is a code that says that nothing is known (``(:unav)``)."""
    return _CODE.fullmatch(value) is not None


def stated_name(value: object) -> str:
    """The value as a name in plain text; empty for codes, placeholders (``&NA;``) and anything without a letter."""
    name = without_markup(text(value))
    if not any(map(str.isalpha, name)) or name.lower() in _PLACEHOLDERS or is_unknown(name):
        return ""
    return name


def stated_parts(family: object, given: object) -> tuple[str, str]:
    """The parts of a name, each as `stated_name` reads it; of a family name like ``Na`` or ``Null`` the given name decides."""
    known = stated_name(given)
    plain = without_markup(text(family))
    return (plain if known and plain.lower() in _ALSO_NAMES else stated_name(family)), known


def undivided(name: str) -> Person:
    """The person that a name in one string states, or the group if it ends like the name of one."""
    return Person(literal=name, group=_GROUP.search(name) is not None)
