"""The recorded answers of the services: found by key, in any order, alone or in the batch they came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.services.base import Request, Response
from pytest_citecheck.transport.cassettes.cassette_file import (
    CassetteError,
    Interaction,
    is_question,
    load,
    locked,
    save,
)
from pytest_citecheck.transport.http.canonical import request_key
from pytest_citecheck.transport.http.redirects import REDIRECT_STATUSES, RedirectError, redirect_target
from pytest_citecheck.transport.limits.retry import http_date
from pytest_citecheck.transport.secrets.scrub import KEPT_RESPONSE_HEADERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "READABLE_STATUSES",
    "Cassette",
    "Recorded",
    "as_response",
    "is_readable",
    "kept_headers",
    "not_queried",
    "read_back",
]

_SHOWN = 3  # recordings that are named where more are damaged

READABLE_STATUSES = frozenset({400, 404, 410})
"""Statuses beside 200 to 299 whose body a source is asked to read."""


def is_readable(status: int) -> bool:
    return 200 <= status <= 299 or status in READABLE_STATUSES


def not_queried(labels: Iterable[str]) -> list[str]:
    """The note on the sources that a replay leaves out; none if it leaves none out."""
    names = ", ".join(sorted(labels))
    note = f"not queried, because the cassettes contain no answer for it: {names} (record with --citecheck-record=new)"
    return [note] if names else []


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that a source sees: those that a cassette would keep, so that live and replayed answers are
    alike.
    """
    return {name: value for name, value in sorted(headers.items()) if KEPT_RESPONSE_HEADERS.match(name)}


def as_response(status: int, headers: Mapping[str, str], body: bytes) -> Response:
    """What a source gets to read; the date is that of the ``Date`` header."""
    return Response(status, body, kept_headers(headers), http_date(headers.get("date", "")))


def read_back(interaction: Interaction) -> Response:
    """What a source gets to read of a recorded interaction."""
    headers = {name: interaction.header(name) for name in interaction.headers}
    return as_response(interaction.status, headers, interaction.body)


class Recorded(Protocol):
    """Whose requests a cassette holds: a source, or an endpoint of a language model."""

    @property
    def name(self) -> str:
        """The name of the file, without suffix."""

    def singles(self, request: Request) -> Sequence[Request]:
        """The requests that a recording of this request answers besides."""


class Cassette:
    """The cassette of one service: ``<folder>/<name>.json``, and ``<name>.yaml`` beside it, which is only
    read.

    fresh: leave out what is recorded already (it is merged again when saving). Raises CassetteError if a file
    is broken.
    """

    def __init__(self, folder: Path, source: Recorded, *, fresh: bool) -> None:
        self.path = folder / f"{source.name}.json"
        self._source = source
        self._disk: dict[str, Interaction] = {}
        self._seen: tuple[int, int, int] | None = None
        self._recorded: dict[str, Interaction] = {}
        self._forgotten: set[str] = set()
        self._unsaved = False
        self._asked_for: set[str] = set()
        self._index: dict[str, Interaction] = {}
        if fresh:
            return
        extra = folder / f"{source.name}.yaml"
        interactions = load(extra) if extra.exists() else []
        self._read_disk()
        for interaction in (*interactions, *self._disk.values()):
            self._add(interaction)

    @property
    def left_out(self) -> bool:
        """Whether it holds no recording, although there are recordings of other services beside it."""
        return not self._index and any(path.suffix in (".json", ".yaml") for path in self.path.parent.glob("*"))

    @property
    def problem(self) -> str:
        """Which recordings were changed since they were made, in words; empty if none was."""
        damaged = sorted({each.request.uri for each in self._index.values() if each.damaged})
        if not damaged:
            return ""
        named = ", ".join(damaged[:_SHOWN]) + (f" and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else "")
        return f"{self.path}: not used, because it was changed after recording: the answer to {named}"

    def find(self, request: Request) -> Interaction | None:
        """The recorded interaction that answers this request, be it a batch; None if there is none."""
        found = self._index.get(request_key(request.url, request.body))
        # Plain vcrpy records each step of a redirect.
        for _ in range(3):
            if found is not None:
                self._asked_for.add(found.key)
            if found is None or found.damaged or found.status not in REDIRECT_STATUSES:
                break
            try:
                found = self._index.get(request_key(redirect_target(found.request.uri, found.header("location"))))
            except (RedirectError, ValueError):
                return None
        # What a damaged one says is not even looked at: that it is one is the answer.
        return found if found is not None and (found.damaged or is_readable(found.status)) else None

    def forget(self, request: Request) -> None:
        """Drop what was recorded for this request, here and on disk: it turned out to be no answer."""
        key = request_key(request.url, request.body)
        self._recorded.pop(key, None)
        self._forgotten.add(key)
        self._index = {name: known for name, known in self._index.items() if known.key != key}
        self._unsaved = True

    def record(self, interaction: Interaction) -> None:
        """Take an interaction up. Raises UnicodeDecodeError if its body is not UTF-8, which the format cannot
        hold.
        """
        interaction.body.decode("utf-8")
        self._forgotten.discard(interaction.key)
        self._recorded[interaction.key] = interaction
        self._unsaved = True
        self._add(interaction)

    def drop_unasked(self) -> None:
        """Drop the recordings that this run had no question for."""
        self._read_disk()
        unasked = {key for key in self._disk if key not in self._asked_for and key not in self._recorded}
        self._forgotten |= unasked
        self._unsaved = self._unsaved or bool(unasked)

    def save(self) -> None:
        """Write what was recorded, merged with what stands on disk by now. Raises CassetteError."""
        if not self._unsaved:
            return
        try:
            with locked(self.path.parent):
                self._read_disk()
                for key in self._forgotten:
                    self._disk.pop(key, None)
                self._disk.update(self._recorded)
                save(self.path, self._disk.values())
                self._seen = self._state()
        except OSError as error:
            raise CassetteError(self.path, error) from error
        self._unsaved = False

    def _state(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read_disk(self) -> None:
        state = self._state()
        if state != self._seen and state is not None:
            self._disk = {interaction.key: interaction for interaction in load(self.path)}
        elif state is None:
            self._disk = {}
        self._seen = state

    def _add(self, interaction: Interaction) -> None:
        recorded = interaction.request
        if not is_question(recorded):
            return
        self._offer(interaction.key, interaction)
        request = Request(self._source.name, recorded.uri, body=bytes(recorded.body or b""))
        try:
            asked = self._source.singles(request)
            singles = [request_key(single.url, single.body) for single in asked if single != request]
        except Exception:  # noqa: BLE001 - a file recorded elsewhere may hold URLs strange to the source
            return
        for key in singles:
            self._offer(key, interaction)

    def _offer(self, key: str, interaction: Interaction) -> None:
        """Index the interaction under a key, unless a younger one answers that already, or one that is not damaged."""
        known = self._index.get(key)
        if known is None or known is interaction or _rank(interaction) >= _rank(known):
            self._index[key] = interaction


def _rank(interaction: Interaction) -> tuple[bool, str]:
    return not interaction.damaged, http_date(interaction.header("date"))
