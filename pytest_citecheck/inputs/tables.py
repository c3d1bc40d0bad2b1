"""Tables of the readers, from the data files of this room."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:
    """Return the content of a data file."""
    return json.loads(files("pytest_citecheck.inputs").joinpath("data", f"{name}.json").read_text(encoding="utf-8"))


def names_of(format_name: str, what: str) -> dict[str, str]:
    """Return the BibTeX name for each name that a format uses. what: ``types`` or ``fields``."""
    names: dict[str, str] = table("field_names")[format_name][what]
    return names
