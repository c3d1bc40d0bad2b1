"""A JSON document that is too large to be parsed whole: an array, a page such as ``{"items": […]}``, or objects in a row."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.sources.dumps import LONGEST, Problem, line_parts, lines, peek
from pytest_citecheck.sources.parsing import mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_citecheck.model import Record
    from pytest_citecheck.sources.dumps import Context, Head, Part
    from pytest_citecheck.sources.parsing import Fields

_CANDIDATE = lazy_pattern(r'\{\s*"')
_ID = lazy_pattern(r'"(?:DOI|doi|id)"\s*:\s*"([^"\\]{1,200})"')
_NOT_UTF8 = lazy_pattern("[\udc80-\udcff]")
_SMALL = 1 << 16
_TOO_DEEP = "nested too deep"
# Each level takes at least one character, and the parser goes some thousand levels deep.
_SKIPPED_IF_TOO_DEEP = 900
_DECODER = json.JSONDecoder()


def decoded(written: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins there and where it ends. Raises ValueError."""
    try:
        return _DECODER.raw_decode(written, start)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def reason(error: Exception) -> str:
    """Why something was not read, as a phrase."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02X} is not UTF-8"
    message = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or type(error).__name__
    return f"the record is not JSON: {message}"


def record_id(written: str) -> str:
    """The id of a broken record, if it has one."""
    stated = _ID.search(written[:_SMALL])
    return stated[1] if stated else ""


def undecodable(written: str, start: int, end: int) -> bool:
    """Return True if there is a byte in this piece that was not UTF-8 and was kept as a lone surrogate."""
    return _NOT_UTF8.search(written, start, end) is not None


def records_in(
    written: str, start: int, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Start, end and value of all complete records in the text from that position on."""
    while match := _CANDIDATE.search(written, start):
        start = match.start() + 1
        try:
            value, end = decoded(written, match.start())
        except ValueError as error:
            if str(error) == _TOO_DEEP:
                start += _SKIPPED_IF_TOO_DEEP
            continue
        if isinstance(value, dict) and is_record(value):
            yield match.start(), end, value
            start = end


_SNIFFED = 1 << 16
# Names of the lists of records in pages of services.
_LISTS = "items|results|notes|data|papers"
# A page opens with its list, or has it after a few other fields. Crossref wraps it into a message.
_PAGE = lazy_pattern(
    rf'\s*\{{\s*(?:"(?!(?:{_LISTS}|message)")[^"]*"\s*:\s*(?:"[^"]*"|[\d.]+|true|false|null|\{{[^{{}}]*\}})\s*,\s*)*'
    rf'"(?:(?:{_LISTS})"\s*:\s*\[|message"\s*:\s*\{{)'
)
_OPENING = lazy_pattern(rf'"(?:{_LISTS})"\s*:\s*\[')
_BETWEEN = lazy_pattern(r"[\s,]*")
_CLOSING = lazy_pattern(r"[\s\]}]*")
_SPACE = lazy_pattern(r"\s*")


def is_page(start: str) -> bool:
    """Return True if a document that begins so is a page of a service, not a record."""
    return _PAGE.match(start) is not None


class Document:
    """Reads the records of a document one after the other; a broken one costs itself.

    ``is_record`` says of an object whether it is a record of the format at all.
    """

    def __init__(self, chunks: Iterator[bytes], context: Context, is_record: Callable[[dict[str, Any]], bool]) -> None:
        self._chunks = chunks
        self._context = context
        self._is_record = is_record
        # A byte that is not UTF-8 becomes a lone surrogate, which marks its record.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._at = 0  # what is before has been read
        self._offset = 0  # of that place, in bytes
        self._ended = False

    def objects(self) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
        """Offset and value of each record; the line is not counted."""
        self._more()
        if self._text.startswith("\ufeff"):
            self._pass(1)
        while self._skip(_BETWEEN):
            if self._enter():
                yield from self._elements(enclosed=True)
                self._leave()
            else:
                yield from self._elements(enclosed=False)

    def _more(self) -> bool:
        """Read as much again as is held; False at the end of the file."""
        parts = [self._text[self._at :]]
        wanted = max(len(parts[0]), 1)
        while wanted > 0 and not self._ended:
            chunk = next(self._chunks, b"")
            self._ended = not chunk
            parts.append(self._decoder.decode(chunk, final=self._ended))
            wanted -= len(parts[-1])
        self._text, self._at = "".join(parts), 0
        return not self._ended

    def _pass(self, end: int) -> None:
        """Go on to that place in the text."""
        piece = self._text[self._at : end]
        self._offset += len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogateescape"))
        self._at = end

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Skip all matches of the pattern; return False at the end of the file."""
        while True:
            match = pattern.match(self._text, self._at)
            if match is not None:
                self._pass(match.end())
            if self._at < len(self._text):
                return True
            if self._ended:
                return False
            self._more()

    def _enter(self) -> bool:
        """Go into the array of records that comes next, if one comes."""
        while len(self._text) - self._at < _SNIFFED and self._more():
            pass
        if self._text[self._at] == "[":
            self._pass(self._at + 1)
            return True
        if is_page(self._text[self._at : self._at + _SNIFFED]):
            opening = _OPENING.search(self._text, self._at)
            if opening is not None:
                self._pass(opening.end())
                return True
        return False

    def _leave(self) -> None:
        """Pass over the end of the array, and over what follows the records of a page."""
        if not self._skip(_CLOSING) or self._text[self._at] != ",":
            return
        while len(self._text) - self._at < _SNIFFED and self._more():
            pass
        try:
            _, end = decoded("{" + self._text[self._at + 1 : self._at + _SNIFFED], 0)
        except ValueError:
            return
        self._pass(self._at + end)
        self._skip(_CLOSING)

    def _elements(self, *, enclosed: bool) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
        """The records up to the end of this array, or those in a row up to the next array or page."""
        first = True
        while self._skip(_BETWEEN):
            if enclosed and self._text[self._at] == "]":
                return
            if not enclosed and not first and self._text[self._at] == "[":
                return
            first = False
            try:
                value, end = self._element(enclosed=enclosed)
            except ValueError as error:
                yield self._problem(reason(error))
                self._to_next_record()
                continue
            value = _unwrapped(value)
            if not isinstance(value, dict) or not self._is_record(value):
                yield self._problem("the value is not a record")
            elif undecodable(self._text, self._at, end):
                yield self._problem("a byte is not UTF-8")
            else:
                yield self._offset, None, value
            self._pass(end)
        if enclosed:
            yield self._context.problem(self._offset, "the file ends within the list of records")

    def _problem(self, why: str) -> Problem:
        return self._context.problem(self._offset, why, record=record_id(self._text[self._at : self._at + _SNIFFED]))

    def _element(self, *, enclosed: bool) -> tuple[Any, int]:
        """The value that comes next, and its end. Raises ValueError if it is broken or longer than records may be."""
        failed_at = -1
        while True:
            try:
                value, end = decoded(self._text, self._at)
            except ValueError as error:
                place = error.pos - self._at if isinstance(error, json.JSONDecodeError) else -1
                unfinished = isinstance(error, json.JSONDecodeError) and error.msg.startswith("Unterminated")
                if self._ended or len(self._text) - self._at > LONGEST or (place == failed_at and not unfinished):
                    raise
                failed_at = place
                self._more()
                continue
            follows = _SPACE.match(self._text, end)
            place = follows.end() if follows else end
            if place == len(self._text) and not self._ended:
                self._more()
                continue
            if enclosed and self._text[place : place + 1] not in (",", "]") and self._took_in_others(end):
                raise ValueError("it has no end")
            return value, end

    def _took_in_others(self, end: int) -> bool:
        """Return True if a record that was not closed runs on over the following ones."""
        return next(records_in(self._text[self._at : end], 1, self._is_record), None) is not None

    def _to_next_record(self) -> None:
        """Go on to the next whole record after a broken one."""
        self._pass(self._at + 1)
        while True:
            found = next(records_in(self._text, self._at, self._is_record), None)
            if found is not None:
                return self._pass(found[0])
            if self._ended:
                return self._pass(len(self._text))
            if len(self._text) - self._at > 2 * LONGEST:
                self._pass(len(self._text) - LONGEST)
            self._more()


def _unwrapped(value: Any) -> Any:
    """The one work of a page of Crossref that holds one."""
    return value["message"] if isinstance(value, dict) and isinstance(value.get("message"), dict) else value


# A stream of JSON (RFC 8259), object by object, whether it goes by lines or is one document.
def objects(
    chunks: Iterator[bytes], context: Context, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
    """Offset, line (None where the file does not go by lines) and value of every object for which ``is_record`` holds."""
    head, chunks = peek(chunks, _SNIFFED)
    if _goes_by_lines(head):
        return _by_lines(chunks, context, is_record)
    return Document(chunks, context, is_record).objects()


def json_parts(head: bytes, chunks: Iterator[bytes]) -> Iterator[Part] | None:
    """The parts of a file that begins so, or None if it does not go by lines."""
    return line_parts(chunks) if _goes_by_lines(head[:_SNIFFED]) else None


def _goes_by_lines(head: bytes) -> bool:
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:_SNIFFED]
    first = start.partition(b"\n")[0].strip()
    if first == b"{" or first.startswith(b"["):
        return False
    return not is_page(first.decode("utf-8", "replace"))


def _by_lines(
    chunks: Iterator[bytes], context: Context, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
    for number, offset, line in lines(chunks, context):
        try:
            value = json.loads((line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            written = line.decode("utf-8", "surrogateescape")
            yield context.problem(offset, reason(error), line=number, record=record_id(written))
            # A record without its end may be followed by another one on the same line.
            for start, end, saved in records_in(written, 0, is_record):
                if not undecodable(written, start, end):
                    yield offset, number, saved
            continue
        if isinstance(value, dict) and is_record(value):
            yield offset, number, value
        else:
            yield context.problem(offset, "the line is not a record", line=number)


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """The format of the JSON files of one service.

    name: of the format. has_marks: True for the first bytes of such a file. is_record: True for an object that is a work.
    parse: to its record, or None, for the reason ``broken``. passed_over: reason to leave out a work; empty for none.
    """

    name: str
    licence: str
    has_marks: Callable[[bytes], object]
    is_record: Callable[[dict[str, Any]], bool]
    parse: Callable[[Fields], Record | None]
    broken: str
    passed_over: Callable[[Fields], str] = lambda _: ""
    key: str = "id"
    fallback: bool = False
    starts: str = "{["

    @property
    def source(self) -> str:
        """The collection has the name of the format."""
        return self.name

    def recognises(self, head: Head) -> bool:
        """By fields that only this service has."""
        return bool(self.has_marks(head.data))

    def parts(self, head: bytes, chunks: Iterator[bytes]) -> Iterator[Part] | None:
        """The parts of a file that goes by lines."""
        return json_parts(head, chunks)

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a work."""
        for item in objects(chunks, context, self.is_record):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            fields = mapping(value)
            record = self.parse(fields)
            if record is None:
                yield context.problem(offset, self.broken, line=line, record=fields.text(self.key)[:100])
            elif reason_to_skip := self.passed_over(fields):
                context.skipped[reason_to_skip] += 1
            else:
                yield record
