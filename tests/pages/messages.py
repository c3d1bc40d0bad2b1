"""All messages of the package, to be read in one sitting: `python -m tests.pages.messages`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest_citecheck

MOST_WORDS = 25
"""Maximum number of words in a sentence of a message."""

_ROOT = Path(pytest_citecheck.__file__).parent
_ROOMS = ("checks", "inputs", "plugin", "cli", "net", "fixing", "lookup", "models", "benchmark", "reports", "doctor")
_PROMPTS = (
    "chat/search.py",  # its parameters are part of recorded requests
    "prompts.py",
    "judges.py:",
    "word_lists.py",  # words to compare with, not sentences
    "arena/configuration.py",
    "arena/reading.py",
    "scores.py",
    "charts.py",
    "html.py",
    "names.py:",
    "author_date.py",
    "pairs.py:",
)
"""Files whose long strings are prompts for models, markup or word lists."""
_CODE = re.compile(r"\(\?|\\[a-zA-Z.]|\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA)\b|</?[a-z]|\[\^|\|\w+\|")
_PHRASES = re.compile(
    r"^(?:What|Whether|Who|Of)\b|\b(?:that of|is said|stands|tells|whatever|whoever|nothing is|so many|in so many words)\b"
)
_PLACEHOLDER = re.compile(r"\{[^{}]*+\}")


class Message(NamedTuple):
    """A message with its file and line; `{…}` marks inserted values."""

    place: str
    text: str


@cache
def messages() -> tuple[Message, ...]:
    """The text of every string with three or more words that is not a docstring, a pattern, a prompt or SQL."""
    return tuple(_messages())


def _messages() -> Iterator[Message]:
    for room in _ROOMS:
        for file in sorted((_ROOT / room).rglob("*.py")):
            for line, text in sorted(_strings(ast.parse(file.read_text(encoding="utf-8")))):
                place = f"{file.relative_to(_ROOT).as_posix()}:{line}"
                words = re.findall(r"[A-Za-z]{2,}", _PLACEHOLDER.sub("", text))
                is_prompt = any(name in place for name in _PROMPTS)
                if len(words) >= 3 and " " in text and not is_prompt and not _CODE.search(text):
                    yield Message(place, text)


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for part in body if isinstance(body, list) else ():
            if isinstance(part, ast.Expr):
                skipped.add(id(part.value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values),
            )


def long_sentences(message: Message) -> list[str]:
    """The sentences of a message with more than `MOST_WORDS` words."""
    sentences = re.split(r"(?<=[.!?;:])\s+(?=\S)|\n\s*\n|\n(?=\s*(?:[-*]|citecheck|pytest) )", message.text)
    return [sentence for sentence in sentences if len(sentence.split()) > MOST_WORDS]


def unusual_phrases(message: Message) -> list[str]:
    """Phrases in a message that the writing style of the project excludes."""
    return _PHRASES.findall(message.text)


if __name__ == "__main__":
    for message in messages():
        print(f"{message.place}\t{' '.join(message.text.split())}")
