"""Cassette files in the format of vcrpy (https://vcrpy.readthedocs.io), read and written without its
patching.

A file holds ``{"version": 1, "interactions": [{"request": ..., "response": ...}]}``. vcrpy's own serialisers,
`vcr.request.Request` and `vcr.filters.decode_response` do the reading, so that its files are read as it reads
them, and files written here replay under plain vcrpy.

A response that was recorded here has a key ``sha256`` of its own (`_checksum`), by which it is known that somebody or
something changed it later. What others recorded has none and is taken as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.base import Request
from pytest_citecheck.transport.http.canonical import request_key
from pytest_citecheck.transport.secrets.scrub import KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS, kept
from pytest_citecheck.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from vcr.request import Request as VcrRequest

# vcrpy is imported where it is used: it takes a tenth of a second, and most runs have no cassettes.

try:
    import fcntl
except ImportError:  # no such locks on Windows: there only the atomic replacement protects
    fcntl = None  # type: ignore[assignment]

__all__ = ["CassetteError", "Interaction", "is_question", "load", "locked", "save"]


_CHECKSUM = "sha256"


class CassetteError(Exception):
    """A cassette cannot be read or written; the text names the file and the reason."""

    def __init__(self, path: Path, reason: object) -> None:
        super().__init__(f"cassette {path}: {reason}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Interaction:
    """One recorded request with its response; ``key`` finds it. Header names are in lower case.

    checksum: as it stands in the file; empty if there is none. damaged: it is not that of this request and response.
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
    """SHA-256 of all that decides which question the recording answers, and what the answer is."""
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
    except Exception as error:  # the parsers raise whatever a broken file makes them stumble over
        reason = str(error).partition("\n")[0]
        raise CassetteError(path, f"not a whole vcrpy cassette ({type(error).__name__}: {reason})") from error


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
    """Whether this is a request that a source may have made: a GET, or a POST with a body."""
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
        with whole_file(path, durable=True) as file:
            file.write(data)
    except (OSError, TypeError, ValueError) as error:
        raise CassetteError(path, error) from error


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for one process, where the system can; elsewhere do nothing.

    The lock is on the folder itself, so no lock file is left to be committed.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems know no locks on folders.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
