"""Recorded answers in which every service loses values in the same way, as by one broken proxy, converter or encoding."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Damage = Callable[[str], str | None]
"""From a value to what is left of it; None if nothing is."""

_XML_TEXT = re.compile(r">([^<>]*[^<>\s][^<>]*)<")


def _by_value(number: int, value: str) -> random.Random:
    """Dice that fall alike for the same word in every service: the last one, in whatever order a name is."""
    words = sorted(re.findall(r"[a-z]{2,}", unicodedata.normalize("NFD", value).lower()))
    return random.Random(f"{number} {words}")  # noqa: S311


def _some(share: float, spoilt: Damage, number: int) -> Damage:
    return lambda value: spoilt(value) if _by_value(number, value).random() < share else value


def _cut(value: str, length: int = 0) -> str:
    """The beginning of a text, up to the middle of a word: after a whole word, the rest may be another title."""
    inside = [word.end() - 2 for word in re.finditer(r"[^\W\d_]{4,}", value) if word.start()]
    return value[: min(inside, key=lambda end: abs(end - (length or len(value) * 2 // 3)))] if inside else value


def _each(number: int) -> Iterator[tuple[str, Damage]]:
    yield "null", _some(0.1, lambda _: None, number)
    yield "null often", _some(0.35, lambda _: None, number)
    yield "empty", _some(0.1, lambda _: "", number)
    yield "cut", _some(0.2, _cut, number)
    yield "cut at 40", lambda value: _cut(value, 40) if len(value) > 40 else value


FIXED: Mapping[str, Damage] = {
    "question marks": lambda value: re.sub(r"[^\x00-\x7f]", "?", value),
    "replacement characters": lambda value: re.sub(r"[^\x00-\x7f]", "\ufffd", value),
    "two for each letter": lambda value: "".join(
        "\ufffd" * len(one.encode()) if one > "\x7f" else one for one in value
    ),
}


def damages(numbers: int) -> dict[str, Damage]:
    """All kinds of damage by name; those by chance in this many ways."""
    return {**FIXED, **{f"{name} {number}": one for number in range(numbers) for name, one in _each(number)}}


def _json(value: Any, damage: Damage) -> Any:
    if isinstance(value, dict):
        return {name: _json(member, damage) for name, member in value.items()}
    if isinstance(value, list):
        return [_json(member, damage) for member in value]
    if (
        isinstance(value, str)
        and re.search(r"[^\W\d_]{2}", value)
        and not re.match(r"\S*(?:/|\d)\S*\Z|[a-z]+\Z", value)
    ):
        return damage(value)  # identifiers, numbers and words of a vocabulary stay: without these it is no answer
    return value


def _body(text: str, damage: Damage) -> str:
    if text.lstrip().startswith("<"):
        return _XML_TEXT.sub(lambda match: f">{_json(match[1], damage) or ''}<", text)
    try:
        return json.dumps(_json(json.loads(text), damage), ensure_ascii=False)
    except ValueError:
        return text


def broken_cassettes(recorded: Path, folder: Path, damage: Damage) -> None:
    """Write the cassettes of a folder into another one, with this damage to every answer."""
    folder.mkdir()
    for path in recorded.glob("*.json"):
        cassette = json.loads(path.read_text("utf-8"))
        for one in cassette["interactions"]:
            response = one["response"]
            response.pop("sha256", None)
            if response["body"].get("string"):
                response["body"]["string"] = _body(response["body"]["string"], damage)
        (folder / path.name).write_text(json.dumps(cassette), "utf-8")
