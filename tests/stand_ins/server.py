"""One HTTP server on the loopback interface that plays all bibliographic services.

Each service lives below a path of its own (``http://127.0.0.1:PORT/crossref``), so that its base URL can
stand in for the canonical one. Threads and sockets end with the context manager, also those of clients that
were kept waiting.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import email.utils
import functools
import select
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import parse_qsl

from tests.stand_ins.acl_anthology import AclAnthology
from tests.stand_ins.ads import AstrophysicsDataSystem
from tests.stand_ins.arxiv import Arxiv
from tests.stand_ins.biorxiv import BioRxiv
from tests.stand_ins.controls import with_controls
from tests.stand_ins.copies import with_copies
from tests.stand_ins.cran import Cran
from tests.stand_ins.crossref import Crossref
from tests.stand_ins.damage import ENTRY_KINDS, damaged
from tests.stand_ins.datacite import DataCite
from tests.stand_ins.dblp_sparql import DblpSparql
from tests.stand_ins.doi_content import DoiContent
from tests.stand_ins.doi_org import DoiOrg
from tests.stand_ins.europe_pmc import EuropePmc
from tests.stand_ins.facts import Facts, Work
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.faults import TRANSMISSION_KINDS, Fault, FaultBoard, RateLimit, altered
from tests.stand_ins.hal import Hal
from tests.stand_ins.hubs import GitHub, HuggingFace
from tests.stand_ins.inspire import Inspire
from tests.stand_ins.k10plus import K10plus
from tests.stand_ins.loc import LibraryOfCongress
from tests.stand_ins.open_library import OpenLibrary
from tests.stand_ins.openalex import OpenAlex
from tests.stand_ins.openreview import TOKEN, OpenReview, OpenReviewV1
from tests.stand_ins.pubmed import PubMed
from tests.stand_ins.pypi import PyPI
from tests.stand_ins.replies import HoldingNothing, Posted, Reply, Service
from tests.stand_ins.rfc_editor import RfcEditor
from tests.stand_ins.semantic_scholar import SemanticScholar
from tests.stand_ins.theses_fr import ThesesFr
from tests.stand_ins.venue_year_lists import LISTS
from tests.stand_ins.w3c import W3c
from tests.stand_ins.web_page import WebPages
from tests.stand_ins.zbmath import ZbMath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FACTS_FILE = Path(__file__).with_name("facts.yaml")
CONVENTIONS_FILE = Path(__file__).with_name("facts_conventions.yaml")

_HOST = "127.0.0.1"
_SERVICES: Mapping[str, Callable[..., Service]] = {
    "crossref": Crossref,
    "datacite": DataCite,
    "doi_org": DoiOrg,
    "doi_ra": DoiOrg,
    "doi_content": DoiContent,
    "arxiv": Arxiv,
    "dblp_sparql": DblpSparql,
    "acl_anthology": AclAnthology,
    "openreview": OpenReview,
    "openreview_v1": OpenReviewV1,
    "open_library": OpenLibrary,
    "k10plus": K10plus,
    "loc": LibraryOfCongress,
    "hal": Hal,
    "theses_fr": ThesesFr,
    "pubmed": PubMed,
    "europe_pmc": EuropePmc,
    "biorxiv": BioRxiv,
    "zbmath": ZbMath,
    "inspire": Inspire,
    "ads": AstrophysicsDataSystem,
    "openalex": OpenAlex,
    "semantic_scholar": SemanticScholar,
    "rfc_editor": RfcEditor,
    "w3c": W3c,
    "cran": Cran,
    "pypi": PyPI,
    "github": GitHub,
    "hugging_face": HuggingFace,
    "web_page": WebPages,
    **LISTS,
}
HOLDING_NOTHING = frozenset(name for name, make in _SERVICES.items() if isinstance(make, HoldingNothing))
"""The services that have no work. Tests do not count their requests, because none of them can end a search."""
HOLDING_WORKS = frozenset(_SERVICES) - HOLDING_NOTHING - LISTS.keys()
"""The services that play the facts. Tests of faults concern these alone; publishers' lists have their own
(tests/runs/test_venue_year_lists.py)."""

MIRRORED = frozenset({"ads"})
"""The services that are asked only where a user names a mirror, or has a key."""

_POLL = 0.02  # seconds between two looks at whether a waiting client has gone
_CHUNK = b'{"padding":"' + b" " * (64 * 1024)
_HUGE = 1_000_000_000
_LARGEST_QUESTION = 1_000_000


class LoggedRequest(NamedTuple):
    """One request: ``path`` with its query, below the base URL; header names in lower case; the body of a POST."""

    service: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


class FinishedAnswer(NamedTuple):
    """An answer of which the last byte was handed over to the system, and when (seconds since the epoch)."""

    request: LoggedRequest
    status: int
    moment: float


class LocalServices:
    """The local services as a context manager.

    ``facts`` are the works they hold (default: facts.yaml beside this module), ``port`` 0 takes a free one. ``lacking`` returns
    True for a work that a service does not hold.
    """

    def __init__(
        self, facts: Facts | Path = FACTS_FILE, *, port: int = 0, lacking: Callable[[str, Work], bool] | None = None
    ) -> None:
        self.facts = facts if isinstance(facts, Facts) else load_facts(facts)
        self._held = _Held(with_controls(facts)) if isinstance(facts, Facts) else _held(facts)
        self._lacking = lacking
        self._held_by: dict[str, _Held] = {}
        self._faults = FaultBoard()
        self._limits: dict[str, RateLimit] = {}
        self._log: list[LoggedRequest] = []
        self._finished: list[FinishedAnswer] = []
        self._log_lock = threading.Lock()
        self._sent = threading.Condition(self._log_lock)
        self._sending = 0
        self._server = _Server((_HOST, port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL,), name="local-services")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.release_clients()
        self._server.server_close()

    @property
    def base_urls(self) -> dict[str, str]:
        """The base URL of every service that is asked without a mirror, by the name of the source that asks it."""
        return {name: url for name, url in self.mirrors.items() if name not in MIRRORED}

    @property
    def mirrors(self) -> dict[str, str]:
        """The base URL of every service."""
        port = self._server.server_address[1]
        return {name: f"http://{_HOST}:{port}/{name}" for name in _SERVICES}

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests so far, in the order in which they came in."""
        with self._log_lock:
            return list(self._log)

    @property
    def finished(self) -> list[FinishedAnswer]:
        """Return all answers so far that were sent in full, in the order in which they were finished.

        Includes every answer that a client has read. Waits for answers that are being sent, but not for clients that do not
        read.
        """
        with self._sent:
            self._sent.wait_for(lambda: self._sending == 0, timeout=1)
            return list(self._finished)

    def statuses(self, service: str) -> Counter[int]:
        """Count the answers of a service that were sent in full, by HTTP status."""
        known = self._known(service)
        return Counter(answer.status for answer in self.finished if answer.request.service == known)

    def fault(self, service: str, kind: str, times: int | None = None, *, rate: float = 1.0, seed: int = 0) -> None:
        """Switch a fault on: for all requests, the first ``times``, or a random share ``rate`` of them.

        Raises KeyError for an unknown service and ValueError for an unknown kind.
        """
        self._faults.switch_on(self._known(service), Fault(kind, times, rate, seed))

    def limit(
        self, service: str, per_second: float, *, retry_after: bool = False, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Answer with status 429 what comes faster than this, on request with a Retry-After; for all its clients together.

        ``now`` gives seconds, as a clock of its own.

        Raises KeyError for an unknown service and ValueError for a rate that is none.
        """
        self._limits[self._known(service)] = RateLimit(per_second, retry_after=retry_after, now=now)

    def heal(self, service: str) -> None:
        """Switch every fault and the limit of a service off."""
        self._faults.switch_off(self._known(service))
        self._limits.pop(service, None)

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> tuple[str, Reply]:
        """The fault that is due, if any, and the reply; ``target`` starts with the name of the service."""
        request = _logged(method, target, headers, body)
        name, rest = request.service, request.path.removeprefix("/")
        if name not in _SERVICES:
            return "", Reply(404, "text/plain", b"no such service")
        with self._log_lock:
            self._log.append(request)
        # An archive of preprints always knows its own identifiers, whatever its search finds.
        held = self._holdings(f"{name} by id" if "id_list=" in rest else name)
        service = _played(_SERVICES[name], held)
        if method not in ("GET", "POST") or (method == "POST" and not isinstance(service, Posted)):
            return "", Reply(405, "text/plain", b"")
        limit = self._limits.get(name)
        if limit is not None and not limit.admits():
            return limit.kind, altered(limit.kind, Reply(429, "", b""), "")
        kind = self._faults.due(name, f"{rest} {body.decode(errors='replace')}" if body else rest)
        path, _, query = f"/{rest}".partition("?")
        if kind == "nothing-found":
            service = _played(_SERVICES[name], _NOTHING)
        elif kind == "wrong-record":
            service = _played(_SERVICES[name], held, shift=1)
        parameters = dict(parse_qsl(query, keep_blank_values=True))
        if method == "POST" and isinstance(service, Posted):
            reply = service.post(path, parameters, body)
        else:
            reply = service.answer(path, parameters)
        if kind == "login-required":
            logged_in = headers.get("authorization") == f"Bearer {TOKEN}"
            kind = "" if logged_in or path in ("/login", "/notes/search") else "challenge"
        if kind == "copies":
            return kind, with_copies(parameters, reply)
        if kind in ENTRY_KINDS:
            return kind, damaged(kind, name, reply)
        return kind, altered(kind, reply, f"http://{headers.get('host', _HOST)}{target}")

    @contextlib.contextmanager
    def sending(self, request: LoggedRequest, status: int) -> Iterator[None]:
        """Log that the answer to this request was sent in full, unless it raises."""
        with self._sent:
            self._sending += 1
        finished = []
        try:
            yield
            finished.append(FinishedAnswer(request, status, time.time()))
        finally:
            with self._sent:
                self._finished += finished
                self._sending -= 1
                self._sent.notify_all()

    def now(self) -> dt.datetime:
        """The moment of the recording, if the facts state one: then answers do not change from run to run."""
        return self.facts.recorded or dt.datetime.now(dt.UTC)

    def _holdings(self, service: str) -> _Held:
        """The works that a service holds."""
        if self._lacking is None:
            return self._held
        with self._log_lock:
            if service not in self._held_by:
                whole = self._held.facts
                works = tuple(work for work in whole.works if not self._lacking(service, work))
                self._held_by[service] = _Held(replace(whole, works=works))
            return self._held_by[service]

    def _known(self, service: str) -> str:
        if service not in _SERVICES:
            raise KeyError(f"no service {service!r}, known are {', '.join(_SERVICES)}")
        return service


class _Held:
    """State of one instance's services; equal only to itself, so that derived data can be cached by it."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts


_NOTHING = _Held(Facts(()))


@functools.lru_cache(maxsize=8)
def _held(path: Path) -> _Held:
    return _Held(with_controls(load_facts(path)))


@functools.lru_cache(maxsize=512)
def _played(make: Callable[..., Service], held: _Held, *, shift: int = 0) -> Service:
    """The service over these facts. It remembers nothing, so that all instances in a process share it."""
    return make(held.facts, shift=shift)


def _logged(method: str, target: str, headers: Mapping[str, str], body: bytes) -> LoggedRequest:
    name, _, rest = target.removeprefix("/").partition("/")
    return LoggedRequest(name, method, f"/{rest}", headers, body)


class _Server(ThreadingHTTPServer):
    """Keeps its threads and open connections, so that both end when it is closed."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], services: LocalServices) -> None:
        self.services = services
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        lingering = request.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.calcsize("ii"))
        if struct.unpack("ii", lingering)[0]:
            request.close()  # lingering for zero seconds sends a reset instead of an orderly end
        else:
            super().shutdown_request(request)

    def release_clients(self) -> None:
        """Let go of everybody who is kept waiting or keeps a connection open."""
        self.closing.set()
        with self._open_lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the client has gone already

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silence is right for clients that hang up: that is what half of the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: the second would wait for 40 ms
    server: _Server

    def do_GET(self) -> None:
        services = self.server.services
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(min(int(headers.get("content-length", "0")), _LARGEST_QUESTION))
        kind, reply = services.respond(self.command, self.path, headers, body)
        if kind in TRANSMISSION_KINDS or self.command == "HEAD":
            self.close_connection = True
        if kind in TRANSMISSION_KINDS:
            self._send_badly(kind, reply)
            return
        with services.sending(_logged(self.command, self.path, headers, body), reply.status):
            self._send_head(reply, {"Content-Length": str(len(reply.body))})
            self.wfile.write(reply.body)

    do_HEAD = do_POST = do_GET  # noqa: N815 - HEAD is logged and refused: nothing is asked so

    def _send_badly(self, kind: str, reply: Reply) -> None:
        if kind == "timeout":
            self._wait()
        elif kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif kind == "huge":
            self._send_head(reply, {"Transfer-Encoding": "chunked"})
            self._stream()
        else:
            self._send_head(reply, {"Content-Length": str(len(reply.body))})
            self.wfile.write(reply.body[: len(reply.body) // 2])
            if kind == "timeout-body":
                self._wait()

    def _send_head(self, reply: Reply, framing: Mapping[str, str]) -> None:
        self.send_response_only(reply.status)
        self.send_header("Date", email.utils.format_datetime(self.server.services.now(), usegmt=True))
        self.send_header("Content-Type", reply.content_type)
        for name, value in (*reply.headers.items(), *framing.items()):
            self.send_header(name, value)
        self.end_headers()

    def _wait(self) -> None:
        """Keep the client waiting until it hangs up or the services are closed."""
        while not self.server.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], _POLL)
            if readable and not self.connection.recv(1024):
                return

    def _stream(self) -> None:
        for _ in range(_HUGE // len(_CHUNK) + 1):
            if self.server.closing.is_set():
                return
            self.wfile.write(b"%x\r\n%b\r\n" % (len(_CHUNK), _CHUNK))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Say nothing: requests are logged as data."""
