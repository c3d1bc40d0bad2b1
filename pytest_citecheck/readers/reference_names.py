"""How the references of a file are called in node ids and reports: by their keys, escaped and unique."""

from __future__ import annotations

import re

from pytest_citecheck.readers.base import Answered, Bibliography
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["escape_key", "escape_name", "reference_names"]

# Characters that pytest, xdist or the JUnit report give a meaning of their own inside a node id.
_UNSAFE = r"\[\]%@\\\s\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_ESCAPED = lazy_pattern(rf"[{_UNSAFE}]|^:|:$|:(?=:)|(?<=:):")
_ESCAPED_IN_NAMES = lazy_pattern(rf"[{_UNSAFE}:/]")


def escape_key(key: str) -> str:
    """The key with every character that would break a node id percent-encoded."""
    return _ESCAPED.sub(_percent, key)


def escape_name(name: str) -> str:
    """The name of a model or judge with all these characters percent-encoded, and colons and slashes too."""
    return _ESCAPED_IN_NAMES.sub(_percent, name)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def reference_names(bibliography: Bibliography) -> list[str]:
    """One name a reference, in order: the escaped key, ``line-N`` without one, ``~2`` for the second of its name.

    A reference of a model's answer has model and query before it: ``some-model::q3::key``; ``q3~2`` for its second answer.
    """
    seen: dict[str, int] = {}
    names = []
    places = bibliography.answered or (None,) * len(bibliography.references)
    for reference, place in zip(bibliography.references, places, strict=True):
        name = _group(place) + (escape_key(reference.key) or f"line-{reference.location.line}")
        count = seen[name] = seen.get(name, 0) + 1
        while count > 1 and f"{name}~{count}" in seen:
            count += 1
        unique = name if count == 1 else f"{name}~{count}"
        seen.setdefault(unique, 1)
        names.append(unique)
    return names


def _group(place: Answered | None) -> str:
    if place is None:
        return ""
    group = place.group
    sample = f"~{group.sample}" if group.sample > 1 else ""
    return f"{escape_name(group.model) or '(no model)'}::q{group.number}{sample}::"
