"""JSON as a careless program or somebody else's writes it: well-formed, with a value of another type in one place."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

# What `json.loads` makes of them is what a reader meets: infinity, not a number, a number of 400 digits, half of a pair.
_VALUES = (
    *(
        "null",
        "true",
        "false",
        "0",
        "-1",
        "0.5",
        "1e400",
        "-1e400",
        "NaN",
        "9" * 400,
        '""',
        '"text"',
        '"\\ud800"',
        '"\\u0000"',
    ),
    *("[]", "{}", '["text"]', "[[1]]", "[null]", '{"a": 1}', '{"a": {"b": []}}', "[" * 300 + "]" * 300),
)
_DROPPED = "dropped"


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(part, (*path, key))


def mistyped(value: Any, seed: int) -> str:
    """The JSON of ``value`` with something else in one place, or without it; the same for the same seed."""
    random_ = random.Random(seed)  # noqa: S311
    places = sorted(_places(value), key=len)
    path = random_.choice(places)
    change = random_.choice((*_VALUES, *([_DROPPED] * 3)))
    if not path:
        return "null" if change == _DROPPED else change
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    if change == _DROPPED:
        del holder[path[-1]]
        return json.dumps(changed)
    holder[path[-1]] = "@@here@@"
    return json.dumps(changed).replace('"@@here@@"', change)
