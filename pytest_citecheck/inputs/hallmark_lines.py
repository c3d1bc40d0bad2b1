"""Files with one JSON object per line: splits and predictions. An invalid line does not affect the others.

Sources: RFC 8259 (JSON), jsonlines.org; the pointer file of Git LFS (git-lfs, docs/spec.md, "The Pointer").
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, Protocol, TypeVar

from pytest_citecheck.inputs.budget import lazy_pattern

_Read = TypeVar("_Read")

LONGEST_LINE = 8 * 1024 * 1024
"""Maximum line length in bytes."""
_CHUNK = 1 << 16
_LFS = b"version https://git-lfs.github.com/spec/"
_KEY = lazy_pattern(r'"bibtex_key"\s*:\s*"((?:[^"\\]|\\.){1,200})"')
_KEY_WITHIN = 1 << 16
"""Number of characters of a broken line that are searched for its key."""
_SURROGATE_ESCAPE = lazy_pattern(rb"\\u[dD][89a-fA-F]")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")


class _BinaryFile(Protocol):
    def read(self, size: int, /) -> bytes: ...


Bytes = Iterable[bytes] | _BinaryFile
"""Content of a file: chunks of any length, or a file opened in binary mode."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a line.

    path: as passed by the caller. line: from 1. key: of the entry, `""` if unknown. An ``error`` drops the line; a ``warning``
    does not.
    """

    path: str
    line: int
    key: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        about = f"{self.key}: " if self.key else ""
        return f"{self.path}:{self.line}: {self.severity}: {about}{self.message}"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """An object and its line number, from 1."""

    line: int
    value: dict[str, Any]


def is_lfs_pointer(head: bytes) -> bool:
    """Return True if a file with this start is a Git LFS pointer instead of the content."""
    return head.startswith(_LFS)


def json_lines(path: str, data: Bytes) -> Iterator[JsonLine | Problem]:
    """Yield the object of every non-blank line in file order, or the problem with the line.

    At most one line of `LONGEST_LINE` bytes is kept in memory; longer lines are skipped. A byte order mark is ignored, and lone
    surrogates, which no file can store, become U+FFFD. A Git LFS pointer file is one problem.
    """
    for number, line in _lines(data):
        if line is None:
            yield Problem(path, number, "", f"the line is longer than {LONGEST_LINE:,} bytes")
            continue
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
            if is_lfs_pointer(line):
                message = "this is a Git LFS pointer file without the content: run git lfs pull"
                yield Problem(path, 1, "", message)
                return
        if not line or line.isspace():
            continue
        try:
            value = _parsed(line)
        except (ValueError, RecursionError) as error:
            yield Problem(path, number, _stated_key(line), _reason(error))
            continue
        if isinstance(value, dict):
            yield JsonLine(number, value)
        else:
            yield Problem(path, number, "", "the line is JSON but not an object")


def parted(items: Iterable[_Read | Problem]) -> tuple[tuple[_Read, ...], tuple[Problem, ...]]:
    """Separate results and problems, keeping file order."""
    read: list[_Read] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
        else:
            read.append(item)
    return tuple(read), tuple(problems)


def _lines(data: Bytes) -> Iterator[tuple[int, bytes | None]]:
    """Yield number (from 1) and bytes of every line without its end; None for a line that exceeds the limit."""
    chunks = data if isinstance(data, Iterable) and not hasattr(data, "read") else iter(partial(data.read, _CHUNK), b"")
    number = 1
    parts: list[bytes] = []
    length = 0
    for chunk in chunks:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            fits = length + len(end) <= LONGEST_LINE
            yield number, (b"".join((*parts, end)) if parts else end) if fits else None
            parts, length = [], 0
            number += 1
        length += len(rest)
        if length > LONGEST_LINE:
            parts = []
        elif rest:
            parts.append(rest)
    if length:
        yield number, b"".join(parts) if length <= LONGEST_LINE else None


def _parsed(line: bytes) -> Any:
    value = json.loads(line.decode("utf-8"))
    if _SURROGATE_ESCAPE.search(line):
        return json.loads(_SURROGATES.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02X} is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON: {error.msg} (column {error.pos + 1})"
    return "the line cannot be read as JSON: " + (
        "nested too deep" if isinstance(error, RecursionError) else str(error)
    )


def _stated_key(line: bytes) -> str:
    """Return the key in a broken line, as written."""
    stated = _KEY.search(line[:_KEY_WITHIN].decode("utf-8", "replace"))
    return stated[1] if stated else ""


Label = Literal["VALID", "HALLUCINATED"]
Verdict3 = Literal["VALID", "HALLUCINATED", "UNCERTAIN"]

SUBTESTS: Mapping[str, str] = {
    "doi_resolves": "doi", "title_exists": "title", "authors_match": "authors", "venue_correct": "venue",
    "fields_complete": "completeness", "cross_db_agreement": "cross_db",
}  # fmt: skip
"""Names of HALLMARK's sub-tests and of the corresponding checks."""

_TYPES = {
    "fabricated_doi": (1, "doi_resolves"),
    "nonexistent_venue": (1, "venue_correct"),
    "placeholder_authors": (1, "authors_match"),
    "future_date": (1, "fields_complete"),
    "chimeric_title": (2, "title_exists"),
    "wrong_venue": (2, "venue_correct"),
    "swapped_authors": (2, "authors_match"),
    "preprint_as_published": (2, "venue_correct"),
    "hybrid_fabrication": (2, "title_exists authors_match"),
    "merged_citation": (2, "authors_match venue_correct"),
    "partial_author_list": (2, "authors_match"),
    "near_miss_title": (3, "title_exists"),
    "plausible_fabrication": (3, "title_exists authors_match"),
    "arxiv_version_mismatch": (3, "venue_correct"),
}
TIERS: Mapping[str, int] = {name: tier for name, (tier, _) in _TYPES.items()}
"""The 14 types of hallucination and their difficulty (1 to 3)."""
FALSE_SUBTESTS: Mapping[str, frozenset[str]] = {name: frozenset(false.split()) for name, (_, false) in _TYPES.items()}
"""Sub-tests that each type makes false by construction, besides ``cross_db_agreement``, which every type does."""

KINDS: Final = ("fabricated", "misdescribed")
"""The two kinds of hallucinated entry: the work does not exist, or it exists and is described wrongly."""
_INVENTED = frozenset({"chimeric_title", "hybrid_fabrication", "plausible_fabrication"})


def kind_of(hallucination_type: str) -> str:
    """The kind of a type: no work has the title and authors of a fabricated entry, by construction."""
    return KINDS[hallucination_type not in _INVENTED]


STRESS_TYPES = frozenset({"merged_citation", "partial_author_list", "arxiv_version_mismatch"})


@dataclass(frozen=True, slots=True)
class LabelledEntry:
    """One line of a split. A blind line has no ``label``.

    type and fields: from the BibTeX entry. hallucination_type and tier: None unless the label is HALLUCINATED. subtests:
    expected outcome of each sub-test, None if it does not apply. publication_date: ISO 8601, possibly only the year, or `""`.
    raw: the BibTeX source, or None. line: line number in its file, from 1.
    """

    key: str
    type: str
    fields: Mapping[str, str]
    label: Label | None = None
    hallucination_type: str | None = None
    tier: int | None = None
    explanation: str = ""
    generation_method: str = ""
    source_conference: str = ""
    source: str = ""
    publication_date: str = ""
    added: str = ""
    subtests: Mapping[str, bool | None] = field(default_factory=dict)
    raw: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Prediction:
    """Prediction of a tool for one entry.

    confidence: probability (0 to 1) that ``label`` is right, not that the entry is hallucinated. subtests: outcome by sub-test
    name, None if undecided. sources: services queried. seconds: wall-clock time. calls: to services. type: predicted type of
    hallucination. stage: of a cascade (stage1_db, stage2_diagnosis, prescreening). status: bibtex-updater's outcome
    (``btu_status``); `""` for other tools, and never written. kind: one of `KINDS`; `""` if the tool states none.
    """

    key: str
    label: Verdict3
    confidence: float = 0.5
    reason: str = ""
    subtests: Mapping[str, bool | None] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    seconds: float = 0.0
    calls: int = 0
    source: str = ""
    type: str | None = None
    stage: str | None = None
    status: str = ""
    kind: str = ""


_LONGEST_SHOWN = 60
FORMER_SUBTESTS = {"venue_real": "venue_correct"}
"""Former names of sub-tests in older files (HALLMARK, schema version 1.0)."""
_LARGEST = 1e300
"""Upper bound that excludes infinity and integers too large for a float."""
_NUMBER = lazy_pattern(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?")

Warn = Callable[[str], None]


class LineError(ValueError):
    """A line violates the schema; the message names the field and the error."""


def shown(value: object) -> str:
    """Format a value for a message: short, and quoted if it is text."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _stated(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


class Fields:
    """Fields of one object, by name. All methods raise LineError for a value of the wrong type."""

    def __init__(self, value: Mapping[str, Any], warn: Warn) -> None:
        self._value = value
        self._warn = warn

    def get(self, name: str) -> Any:
        """Return the value as is, or None if it is missing, null or NaN."""
        return _stated(self._value.get(name))

    def named(self, *names: str) -> str:
        """Return the first of these names that has a value, or the first name if none has."""
        return next((name for name in names if self.get(name) is not None), names[0])

    def text(self, name: str) -> str:
        """Return a text, or `""` if missing."""
        value = self.get(name)
        return "" if value is None else self._text(name, value)

    def required(self, name: str) -> str:
        """Return a text that must be present and not blank."""
        text = self.text(name)
        if not text.strip():
            raise LineError(f"“{name}” is missing")
        return text

    def choice(self, name: str, allowed: tuple[str, ...]) -> str | None:
        """Return one of the allowed words, or None if missing."""
        value = self.get(name)
        if value is None:
            return None
        for word in allowed:
            if value == word:
                return word
        raise LineError(f"“{name}” is {shown(value)}, not one of {', '.join(allowed)}")

    def number(self, name: str) -> float | None:
        """Return a finite number, or None if missing."""
        stated = self._value.get(name)
        if isinstance(stated, str) and _NUMBER.fullmatch(stated):
            self._warn(f"“{name}” is text, {shown(stated)}, and is read as a number")
            return float(stated)
        if isinstance(stated, float) and math.isnan(stated):
            self._warn(f"“{name}” is NaN and is ignored")
            return None
        if stated is None:
            return None
        if isinstance(stated, bool) or not isinstance(stated, int | float):
            raise LineError(f"“{name}” is {shown(stated)}, not a number")
        if not abs(stated) <= _LARGEST:
            raise LineError(f"“{name}” is not a finite number")
        return float(stated)

    def whole(self, name: str) -> int | None:
        """Return an integer, or None if missing. ``2.0`` is accepted, because some programs have only one number type."""
        number = None if self.get(name) is None else self.number(name)
        if number is None:
            return None
        if not number.is_integer():
            raise LineError(f"“{name}” is {shown(self._value[name])}, not a whole number")
        return int(number)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts of a list; empty if missing."""
        value = self.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise LineError(f"“{name}” is not a list of texts")
        return tuple(value)

    def text_mapping(self, name: str) -> dict[str, str]:
        """Return an object with text values; null values are ignored with a warning."""
        value = self.get(name)
        if value is None:
            raise LineError(f"“{name}” is missing")
        if not isinstance(value, dict):
            raise LineError(f"“{name}” is {shown(value)}, not an object")
        texts = {}
        for inner, stated in value.items():
            if type(stated) is str:
                texts[inner] = stated
            elif _stated(stated) is None:
                self._warn(f"“{name}.{inner}” is null and is ignored")
            else:
                texts[inner] = self._text(f"{name}.{inner}", stated)
        return texts

    def outcomes(self, name: str) -> dict[str, bool | None]:
        """Return the outcomes of sub-tests by their current names; others are ignored."""
        value = self.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise LineError(f"“{name}” is {shown(value)}, not an object")
        outcomes: dict[str, bool | None] = {}
        written: str
        for written, given in value.items():
            outcome = _stated(given)
            if outcome is not None and not isinstance(outcome, bool):
                raise LineError(f"“{name}.{written}” is {shown(outcome)}, not true, false or null")
            known: str = FORMER_SUBTESTS.get(written, written)
            if known in SUBTESTS and (known == written or known not in value):
                outcomes[known] = outcome
        return outcomes

    def _text(self, name: str, value: object) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            self._warn(f"“{name}” is a number, {value}, and is read as text")
            return str(value)
        raise LineError(f"“{name}” is {shown(value)}, not text")


_CANARY = "__canary__"


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


T = TypeVar("T", bound=_Keyed)


def is_canary(key: str) -> bool:
    """Return True if this key marks a canary, which detects training on the file and is not a reference."""
    return key.startswith(_CANARY)


def keyed_lines(
    path: str, data: Bytes, read: Callable[[JsonLine, Warn], T], repeated: str, *, keep_repeated: bool
) -> Iterator[T | Problem]:
    """Yield the result of ``read`` for each line, and problems, in file order; only the keys stay in memory.

    A line for which ``read`` raises LineError is skipped and yields a problem; canaries are skipped silently. repeated: message
    for a repeated key, with ``{line}`` for the earlier line; a warning if keep_repeated is true, else an error.
    """
    seen: dict[str, int] = {}
    for line in json_lines(path, data):
        if isinstance(line, Problem):
            yield line
            continue
        key = line.value.get("bibtex_key")
        key = key if isinstance(key, str) else ""
        if is_canary(key):
            continue
        warnings: list[str] = []
        try:
            item = read(line, warnings.append)
        except LineError as error:
            yield Problem(path, line.line, key, str(error))
            continue
        first = seen.setdefault(item.key, line.line)
        if first != line.line:
            message = repeated.format(line=first)
            if not keep_repeated:
                yield Problem(path, line.line, key, message)
                continue
            warnings.append(message)
        for warning in warnings:
            yield Problem(path, line.line, key, warning, "warning")
        yield item
