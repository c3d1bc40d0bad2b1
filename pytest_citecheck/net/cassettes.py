"""The recorded answers of the services: found by key, in any order, alone or in the batch they came in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_citecheck.atomic_write import atomic_write, locked
from pytest_citecheck.net.http import REDIRECT_STATUSES, RedirectError, http_date, redirect_target, request_key
from pytest_citecheck.net.secrets import KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS, kept
from pytest_citecheck.sources import Request, Response

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vcr.request import Request as VcrRequest

    from pytest_citecheck.net.queues import Clock

# Cassette files in the format of vcrpy (https://vcrpy.readthedocs.io), read and written without its patching.
_CHECKSUM = "sha256"


class CassetteError(Exception):
    """A cassette cannot be read or written; the text names the file and the reason."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(f"cassette {path}: {reason}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Interaction:
    """One recorded request with its response; ``key`` finds it. Header names are in lower case.

    checksum: as in the file; empty if missing. damaged: True if it does not match request and response.
    """

    key: str
    request: VcrRequest
    status: int
    message: str
    headers: Mapping[str, list[str]]
    body: bytes
    checksum: str = ""
    damaged: bool = False

    @classmethod
    def of(cls, asked: Request, status: int, headers: Mapping[str, str], body: bytes) -> Interaction:
        """A new interaction, with the headers that are kept; nothing else is filtered."""
        from vcr.request import Request as VcrRequest  # noqa: PLC0415

        request = VcrRequest("POST" if asked.body else "GET", asked.url, asked.body or None, {"accept": [asked.accept]})
        listed = kept({name: [value] for name, value in headers.items()}, KEPT_RESPONSE_HEADERS)
        checksum = _checksum(request, status, listed, body)
        return cls(
            request_key(asked.url, asked.body), request, status, _PHRASES.get(status, ""), listed, body, checksum
        )

    def header(self, name: str) -> str:
        return ", ".join(self.headers.get(name, ()))


def _checksum(request: VcrRequest, status: int, headers: Mapping[str, Iterable[str]], body: bytes) -> str:
    """SHA-256 of everything that determines the query of a recording, and its answer."""
    asked = [request.method, request.uri, bytes(request.body or b"").decode("latin-1")]
    answered = [status, kept(headers, KEPT_RESPONSE_HEADERS)]
    digest = hashlib.sha256(json.dumps([asked, answered], sort_keys=True).encode("ascii"))
    digest.update(b"\n" + body)
    return digest.hexdigest()


_PHRASES = {200: "OK", 400: "Bad Request", 404: "Not Found", 410: "Gone"}


def load(path: Path) -> list[Interaction]:
    """The interactions of a file (``.json``, or ``.yaml`` in YAML), in its order.

    Raises CassetteError if the file is not a whole cassette.
    """
    from vcr.serialize import deserialize  # noqa: PLC0415
    from vcr.serializers import jsonserializer, yamlserializer  # noqa: PLC0415

    serializer = jsonserializer if path.suffix == ".json" else yamlserializer
    try:
        text = path.read_text(encoding="utf-8")
        requests, responses, *_ = deserialize(text, serializer)
        return [_interaction(request, response) for request, response in zip(requests, responses, strict=True)]
    except OSError as error:
        raise CassetteError(path, error.strerror or error) from error
    except Exception as error:  # the parsers raise many exceptions on a broken file
        reason = str(error).partition("\n")[0]
        raise CassetteError(path, f"not a complete vcrpy cassette ({type(error).__name__}: {reason})") from error


def _interaction(request: VcrRequest, response: dict[str, Any]) -> Interaction:
    for name, values in response["headers"].items():
        if not all(isinstance(value, str) for value in (values if isinstance(values, list) else [values])):
            raise TypeError(f"the header {name} of a response is not a string")
    if any(name.lower() == "content-encoding" for name in response["headers"]):
        from vcr.filters import decode_response  # noqa: PLC0415

        response = decode_response(response)
    body = response["body"]["string"] or b""
    if not isinstance(body, bytes):
        raise TypeError("the body of a response is not a string")
    headers = {
        name.lower(): [values] if isinstance(values, str) else values for name, values in response["headers"].items()
    }
    key = request_key(request.uri, bytes(request.body or b""))
    if not is_question(request):
        # Never looked up, but not to be lost either when the file is written again.
        key = f"{request.method} {key} {request.body!r}"
    status = response["status"]
    code = int(status["code"])
    checksum = response.get(_CHECKSUM, "")
    if not isinstance(checksum, str):
        raise TypeError("the checksum of a response is not a string")
    damaged = bool(checksum) and checksum != _checksum(request, code, headers, body)
    return Interaction(key, request, code, status.get("message") or "", headers, body, checksum, damaged)


def is_question(request: VcrRequest) -> bool:
    """Return True if this is a request that a source may have made: a GET, or a POST with a body."""
    return request.method == "GET" or (request.method == "POST" and bool(request.body))


class _Readable:
    """vcrpy's JSON, with the text of other scripts left readable."""

    @staticmethod
    def serialize(cassette: dict[str, Any]) -> str:
        return json.dumps(cassette, indent=1, ensure_ascii=False) + "\n"


def save(path: Path, interactions: Iterable[Interaction]) -> None:
    """Replace a JSON cassette by these interactions, sorted by key, all or nothing.

    Raises CassetteError if that is impossible; the old file is still there then.
    """
    from vcr.request import Request as VcrRequest  # noqa: PLC0415
    from vcr.serialize import serialize  # noqa: PLC0415

    ordered = sorted(interactions, key=lambda interaction: interaction.key)
    requests = []
    responses = []
    for interaction in ordered:
        recorded = interaction.request
        headers = kept(dict(recorded.headers), KEPT_REQUEST_HEADERS)
        requests.append(VcrRequest(recorded.method, recorded.uri, recorded.body, headers))
        response = {
            "status": {"code": interaction.status, "message": interaction.message},
            "headers": kept(interaction.headers, KEPT_RESPONSE_HEADERS),
            "body": {"string": interaction.body},
        }
        # One that is damaged stays so when the file is written again.
        responses.append(response | ({_CHECKSUM: interaction.checksum} if interaction.checksum else {}))
    try:
        data = serialize({"requests": requests, "responses": responses}, _Readable).encode("utf-8")
        with atomic_write(path, durable=True) as file:
            file.write(data)
    except (OSError, TypeError, ValueError) as error:
        raise CassetteError(path, error) from error


_SHOWN = 3  # recordings that are named where more are damaged

READABLE_STATUSES = frozenset({400, 404, 410})
"""Statuses outside 200 to 299 whose body a source reads."""


def is_readable(status: int) -> bool:
    return 200 <= status <= 299 or status in READABLE_STATUSES


def not_queried(labels: Iterable[str]) -> list[str]:
    """The note on the sources that a replay leaves out; none if it leaves none out."""
    names = ", ".join(sorted(labels))
    note = f"not queried, because the cassettes contain no answer: {names} (record with --citecheck-record=new)"
    return [note] if names else []


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers passed to a source: those that a cassette keeps, so that live and replayed answers are equal."""
    return {name: value for name, value in sorted(headers.items()) if KEPT_RESPONSE_HEADERS.match(name)}


def as_response(status: int, headers: Mapping[str, str], body: bytes) -> Response:
    """Return the response for the source's parser; the date is taken from the ``Date`` header."""
    return Response(status, body, kept_headers(headers), http_date(headers.get("date", "")))


def read_back(interaction: Interaction) -> Response:
    """Return the response of a recorded interaction for the source's parser."""
    headers = {name: interaction.header(name) for name in interaction.headers}
    return as_response(interaction.status, headers, interaction.body)


class Recorded(Protocol):
    """Owner of the requests in a cassette: a source, or an endpoint of a language model."""

    @property
    def name(self) -> str:
        """The name of the file, without suffix."""

    def singles(self, request: Request) -> Sequence[Request]:
        """The requests that a recording of this request answers besides."""


class Cassette:
    """The cassette of one service: ``<folder>/<name>.json``, and ``<name>.yaml`` beside it, which is only read.

    fresh: ignore existing recordings (they are merged when saving). Raises CassetteError if a file is broken.
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
        """True if it contains no recording, although there are recordings of other services beside it."""
        return not self._index and any(path.suffix in (".json", ".yaml") for path in self.path.parent.glob("*"))

    @property
    def problem(self) -> str:
        """Return a description of recordings that were edited, or an empty string."""
        damaged = sorted({each.request.uri for each in self._index.values() if each.damaged})
        if not damaged:
            return ""
        named = ", ".join(damaged[:_SHOWN]) + (f" and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else "")
        return f"{self.path}: not used, because it was changed after recording: the answer to {named}"

    def find(self, request: Request) -> Interaction | None:
        """Recorded interaction for this request, possibly a batch; None if there is none."""
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
        # A damaged response is not parsed: the answer is that it is damaged.
        return found if found is not None and (found.damaged or is_readable(found.status)) else None

    def forget(self, request: Request) -> None:
        """Drop the recording of this request, here and on disk, because it was not an answer."""
        key = request_key(request.url, request.body)
        self._recorded.pop(key, None)
        self._forgotten.add(key)
        self._index = {name: known for name, known in self._index.items() if known.key != key}
        self._unsaved = True

    def record(self, interaction: Interaction) -> None:
        """Add an interaction. Raises UnicodeDecodeError if its body is not UTF-8, which the format cannot store."""
        interaction.body.decode("utf-8")
        self._forgotten.discard(interaction.key)
        self._recorded[interaction.key] = interaction
        self._unsaved = True
        self._add(interaction)

    def drop_unasked(self) -> None:
        """Drop recordings that this run did not need."""
        self._read_disk()
        unasked = {key for key in self._disk if key not in self._asked_for and key not in self._recorded}
        self._forgotten |= unasked
        self._unsaved = self._unsaved or bool(unasked)

    def save(self) -> None:
        """Write the new recordings, merged with the current file. Raise CassetteError on failure."""
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


_INTERVAL = 5.0
"""Seconds between two savings, at least."""
_SHARE = 20.0
"""Minimum interval as a multiple of the time that the last saving took."""


class Savable(Protocol):
    """Return the recordings that can be saved. Raise CassetteError if one cannot."""

    def save(self) -> None: ...


class Saving:
    """Saves recordings now and then. clock: seconds, monotonic."""

    def __init__(self, recordings: Callable[[], Iterable[Savable]], clock: Clock) -> None:
        self._recordings, self._clock = recordings, clock
        self._next = clock() + _INTERVAL

    @property
    def due(self) -> bool:
        """True if it is time to save again."""
        return self._clock() >= self._next

    def save(self) -> None:
        """Save all cassettes. Raises CassetteError for the first failure, after saving the others."""
        start = self._clock()
        failure: CassetteError | None = None
        for recording in self._recordings():
            try:
                recording.save()
            except CassetteError as error:
                failure = failure or error
        end = self._clock()
        self._next = end + max(_INTERVAL, _SHARE * (end - start))
        if failure is not None:
            raise failure
