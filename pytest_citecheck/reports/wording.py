"""The fixed texts of the reports, in English and Chinese: a table ``key = {en, zh}`` beside the module that shows them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Literal

Language = Literal["en", "zh"]
Words = Mapping[str, str]
"""Key → text of one language; the report fills in the placeholders in braces."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def read_texts(package: str, name: str = "words.toml") -> dict[Language, dict[str, str]]:
    """The texts of this file of a package, by language."""
    rows = tomllib.loads((files(package) / name).read_text(encoding="utf-8"))
    return {language: {key: row[language] for key, row in rows.items()} for language in LANGUAGES}


TEXTS = read_texts(__package__)
"""The texts that more than one feature shows."""
