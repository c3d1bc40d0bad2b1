"""The value of a corrected field as written in the file: escapes, delimiters and names in the style of the entry."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal
from unicodedata import normalize

from pytest_citecheck.matching import decode, fold, lazy_pattern
from pytest_citecheck.model import Reference

_WORD = lazy_pattern(r"\S+")
_PROTECTED = lazy_pattern(r"(?<![A-Za-z])\{([^{}\\]+)\}")
_CAPITALS = lazy_pattern(r"\A\W*+\w.*[A-Z]")
_LETTERS = lazy_pattern(r"\W+")
_HALF = 0.5
"""Share of the words of a title below which it is written anew."""


def merged_title(raw: str, title: str, written: Callable[[str], str]) -> str:
    """The title in LaTeX; ``raw`` is the cited one as it is written, ``written`` puts new words into LaTeX.

    A subtitle that the record lacks stays. A new word is capitalised like the cited words. Words that the cited title
    protects with braces stay protected.
    """
    outer = raw.startswith("{") and raw.endswith("}") and "}" not in raw[1:-1]
    inner = raw[1:-1] if outer else raw
    head, colon, subtitle = inner.partition(": ")
    left_out = ":" not in title and not set(_keys(title)) & set(_keys(subtitle)) - set(_keys(head))
    if colon and left_out and head.count("{") == head.count("}") and _keys(head) != _keys(title):
        merged = f"{merged_title(head, title, written)}{colon}{subtitle}"  # many records leave out the subtitle
        return f"{{{merged}}}" if outer else merged
    words = _merged_words(list(_WORD.finditer(inner)), title.split(), written)
    if words is None:
        return _whole(raw, title, written, outer=outer)
    merged = words if title.endswith(":") else words.removesuffix(":")
    return f"{{{merged}}}" if outer else merged


def _merged_words(cited: list[re.Match[str]], new: list[str], written: Callable[[str], str]) -> str | None:
    """The new words, with the cited ones as they are written; None if too few are the same."""
    matcher = SequenceMatcher(None, [_key(word[0]) for word in cited], [_key(word) for word in new], autojunk=False)
    blocks = matcher.get_opcodes()
    same = sum(i2 - i1 for kind, i1, i2, _, _ in blocks if kind == "equal")
    if not cited or same < _HALF * max(len(cited), len(new)) or not _balanced(cited):
        return None
    capitals = _in_capitals([word[0] for word in cited])
    protects = any(_PROTECTED.search(word[0]) for word in cited)
    parts: list[str] = []
    for kind, i1, i2, j1, j2 in blocks:
        if kind == "equal":
            parts += [_punctuated(cited[i][0], new[j]) for i, j in zip(range(i1, i2), range(j1, j2), strict=True)]
        elif kind in ("replace", "insert"):
            parts += [
                _protected(written(_capitalised(word) if capitals else word), protects=protects) for word in new[j1:j2]
            ]
    return " ".join(parts)


def _key(word: str) -> str:
    return _LETTERS.sub("", fold(decode(word))) or word


def _keys(title: str) -> list[str]:
    return [_key(word) for word in title.split()]


def _balanced(words: list[re.Match[str]]) -> bool:
    """Return True if no group in braces spans several words: then they can be exchanged one by one."""
    return all(word[0].count("{") == word[0].count("}") and word[0].count("$") % 2 == 0 for word in words)


def _punctuated(cited: str, found: str) -> str:
    """The cited word with the punctuation mark of the record at its end."""
    end = found[-1] if found[-1] in ":,.?!" else ""
    bare = cited.rstrip(":,")
    if end == ":" and not cited.endswith(":") and not bare.endswith((".", "?", "!")):
        return f"{bare}:"
    return cited


def _in_capitals(cited: list[str]) -> bool:
    """Return True if the long words of a title begin with capitals."""
    long = [plain for word in cited[1:] if len(plain := decode(word)) > 4 and plain[0].isalpha()]
    return bool(long) and 2 * sum(word[0].isupper() for word in long) > len(long)


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:] if len(word) > 3 else word


def _protected(word: str, *, protects: bool) -> str:
    """A word in braces if its capitals would be lost in a style that writes titles small, and the cited title protects such."""
    if not protects or not _CAPITALS.search(word) or "\\" in word:
        return word
    bare = word.rstrip(":,.?!")
    return f"{{{bare}}}{word[len(bare) :]}"


def _whole(raw: str, title: str, written: Callable[[str], str], *, outer: bool) -> str:
    value = written(title)
    for word in () if outer else dict.fromkeys(_PROTECTED.findall(raw)):
        value = re.sub(rf"(?<![\w{{]){re.escape(word)}(?![\w}}])", lambda match: f"{{{match[0]}}}", value)
    return f"{{{value}}}" if outer else value


AccentForm = Literal["braced", "argument", "both"]
r"""``{\"o}``, ``\"{o}`` or ``{\"{o}}``."""

_ACCENTS = {
    "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~", "\u0304": "=", "\u0307": ".",
    "\u030b": "H", "\u0327": "c", "\u0328": "k", "\u0306": "u", "\u030c": "v", "\u030a": "r", "\u0331": "b", "\u0323": "d",
}  # fmt: skip
_COMMAND_OF_LETTER = {
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "å": "aa", "Å": "AA", "ł": "l", "Ł": "L",
    "ı": "i", "đ": "dj", "Đ": "DJ", "ð": "dh", "Ð": "DH", "þ": "th", "Þ": "TH", "ŋ": "ng", "Ŋ": "NG",
}  # fmt: skip
_SIGNS = {
    "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "‐": "-", "‑": "-", "…": "{\\ldots}", "\u00a0": "~",
    "¿": "?`", "¡": "!`",
}  # fmt: skip
_COMMAND = lazy_pattern(
    r"\\(?:[\"'`^~=.]|[Hckuvrbd](?![A-Za-z]))\s*\{?\\?[A-Za-z]|\\(?:ss|ae|AE|oe|OE|aa|AA|[oOlLi])(?![A-Za-z])"
)
_ARGUMENT = lazy_pattern(r"(\{?)\\(?:[\"'`^~=.]|[Hckuvrbd](?=\{))\{\\?[A-Za-z]\}")


def accents(text: str) -> int:
    """Number of accented letters that a text writes as commands."""
    return sum(1 for _ in _COMMAND.finditer(text))


def accent_form(text: str) -> AccentForm:
    """The form that a text uses most; ``braced`` if it has no accent."""
    arguments = [match[1] for match in _ARGUMENT.finditer(text)]
    if 2 * len(arguments) <= accents(text):
        return "braced"
    return "both" if 2 * arguments.count("{") > len(arguments) else "argument"


def as_latex(text: str, form: AccentForm) -> str:
    """The text with commands in place of all letters outside ASCII that have one; others stay."""
    return "".join(letter if letter.isascii() else _letter_written(letter, form) for letter in normalize("NFC", text))


def _letter_written(letter: str, form: AccentForm) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _COMMAND_OF_LETTER:
        return f"{{\\{_COMMAND_OF_LETTER[letter]}}}"
    base, *marks = list(normalize("NFD", letter))
    if len(marks) != 1 or marks[0] not in _ACCENTS or not (base.isascii() and base.isalpha()):
        return letter
    command = _ACCENTS[marks[0]]
    if base in "ij" and command not in "ckdb":
        base = f"\\{base}"
    if form == "braced":
        return f"{{\\{command}{' ' if command.isalpha() and not base.startswith(chr(92)) else ''}{base}}}"
    written = f"\\{command}{{{base}}}"
    return f"{{{written}}}" if form == "both" else written


@dataclass(frozen=True, slots=True)
class Style:
    """unicode: letters outside ASCII are written as they are; else as commands of this form."""

    unicode: bool
    form: AccentForm = "braced"

    def letters(self, text: str) -> str:
        """The text with its letters as the file writes them."""
        return text if self.unicode else as_latex(text, self.form)


def style_of(entry: str, file: str, *, ascii_only: bool = False) -> Style:
    """Style of an entry, or of its file if the entry has only ASCII letters without accents.

    A file without accents gets commands: every version of BibTeX reads them. ascii_only: the encoding of the file was
    guessed, so nothing outside ASCII may be added.
    """
    for text in (entry, file):
        plain, commands = sum(letter.isalpha() for letter in text if letter > "\x7f"), accents(text)
        if plain or commands:
            return Style(plain > commands and not ascii_only, accent_form(text if commands else file))
    return Style(unicode=False)


_ESCAPES = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})
_VERBATIM = frozenset({"url", "eprint", "isbn", "issn", "pages", "year", "date", "volume", "number"})
_AND = lazy_pattern(r"[{}]|(?<!\s)\s++and\s++", re.IGNORECASE)
_RESOLVER = lazy_pattern(r"\s*(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_UNICODE = Style(unicode=True)


def written_value(reference: Reference, name: str, value: str, style: Style = _UNICODE) -> str:
    """The value without its delimiters, in LaTeX. The correct parts of the cited value stay as written."""
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
    """Return True if every quotation mark is in braces."""
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
    """Separator of two names: the white space around most occurrences of "and" in the field."""
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
