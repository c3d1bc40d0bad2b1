"""Everything that can go wrong with a service, as switches.

A fault either changes the reply (a status, another body) or the way that it is sent (never, half, endlessly).
The board decides request by request which fault is due: all requests, the first ``times``, or a random share
whose choice depends on the seed, the request and how often it was made, but not on the order in which threads
come along. A `RateLimit` refuses what comes too fast.
"""

from __future__ import annotations

import gzip
import random
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from tests.stand_ins.damage import ENTRY_KINDS
from tests.stand_ins.replies import Reply

_HTML = "text/html; charset=utf-8"
STATUS_KINDS = {
    "429": (429, "Too Many Requests"),
    "429-retry-after": (429, "Too Many Requests"),
    "500": (500, "Internal Server Error"),
    "503": (503, "Service Unavailable"),
    "403": (403, "Forbidden"),
    "404": (404, "Not Found"),
    "503-year-9999": (503, "Service Unavailable"),
}
"""Kinds that answer with an HTTP status and the page of a web server."""

_RETRY_AFTER = {"429-retry-after": "1", "503-year-9999": "Fri, 31 Dec 9999 23:59:59 GMT"}

TRANSMISSION_KINDS = frozenset({"timeout", "timeout-body", "early-close", "reset", "huge"})
"""Kinds that the server itself plays while it sends.

``timeout`` never answers, ``timeout-body`` stops in the middle of the body, ``early-close`` hangs up there,
``reset`` resets the connection, ``huge`` streams a gigabyte.
"""

_BODY_KINDS = frozenset({"empty", "truncated", "wrong-content-type", "html-label", "captcha", "malformed", "xml-bomb"})
_CHALLENGE = b'{"name":"ChallengeRequiredError","message":"Challenge verification is required","status":403}'
_WALLS = {"wall": 200, "wall-429": 429, "wall-500": 500}
_REDIRECTS = frozenset({"redirect-loop", "redirect-private"})

KINDS = (
    frozenset(STATUS_KINDS)
    | TRANSMISSION_KINDS
    | _BODY_KINDS
    | _WALLS.keys()
    | {"challenge", "login-required"}
    | _REDIRECTS
    | ENTRY_KINDS
    | {"wrong-record", "nothing-found", "double-gzip", "huge-title", "renamed", "copies"}
)
"""All kinds.

``wrong-record`` answers with another record than the one asked for, ``nothing-found`` as if the service had no record at all,
``wrong-content-type`` calls the right body binary data, ``html-label`` calls it a page, ``double-gzip`` packs half a gigabyte
of blanks twice, ``wall`` is the page of Anubis that only a browser passes (``wall-429`` and ``wall-500`` with these statuses),
``challenge`` is OpenReview's word to clients that are not logged in, ``login-required`` says it to these where it does: not to
searches and logins; ``huge-title`` begins each title with ten megabytes of words, ``renamed`` gives the titles (of what has none:
the name) another name, as a new version of the API might, ``copies`` puts copies of the first work before the others in a search
of Crossref.
"""

RETRY_AFTER = int(_RETRY_AFTER["429-retry-after"])
"""Seconds that ``429-retry-after`` asks to wait."""

_TITLE = re.compile(
    rb'"title" ?: ?(?:\[? ?"|\{[^{}"]*+"type" ?: ?"literal", ?"value" ?: ?")|<(?:[A-Za-z]+:)?(?:[Aa]rticle)?[Tt]itle[^>]*>'
)
_NAMED = re.compile(rb'(?<=")(?:title|titles|handle|RA)(?="\s*:)|(?<=<)/?(?:\w+:)?(?:ArticleTitle|title|Id)(?=[\s>])')
_WORDS = b"word " * 2_000_000
_PACKED_BYTES = 500_000_000
_CAPTCHA = b"""<!DOCTYPE html>
<html lang="en"><head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head>
<body><h1>Checking your browser before accessing this site</h1>
<p>Please complete the challenge to prove that you are not a robot.</p>
<form id="challenge-form" method="post"><input type="hidden" name="token" value="x"></form></body></html>
"""
_WALL = b"""<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title>
<script id="anubis_version" type="application/json">"v1.21.3"</script>
<script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4},"challenge":"00"}</script>
</head><body><main><h1>Making sure you&#39;re not a bot!</h1><p>Loading...</p></main></body></html>
"""
_BOMB_DEPTH = 9
_PRIVATE_ADDRESS = "http://169.254.169.254/latest/meta-data/"


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault, how often it strikes (None: always), and the share of requests that it strikes."""

    kind: str
    times: int | None = None
    rate: float = 1.0
    seed: int = 0


class FaultBoard:
    """The faults that are switched on, by service; safe for threads. The latest one that is due wins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, list[Fault]] = {}
        self._left: dict[str, list[int | None]] = {}
        self._made: Counter[tuple[str, str]] = Counter()

    def switch_on(self, service: str, fault: Fault) -> None:
        """Add a fault; raises ValueError for an unknown kind or a rate that is no share."""
        if fault.kind not in KINDS:
            raise ValueError(f"unknown fault {fault.kind!r}, known are {', '.join(sorted(KINDS))}")
        if not 0 <= fault.rate <= 1:
            raise ValueError(f"the rate of a fault lies between 0 and 1, not {fault.rate}")
        with self._lock:
            self._faults.setdefault(service, []).append(fault)
            self._left.setdefault(service, []).append(fault.times)

    def switch_off(self, service: str) -> None:
        """Remove every fault of a service and forget its requests: the next fault starts from the beginning."""
        with self._lock:
            self._faults.pop(service, None)
            self._left.pop(service, None)
            for made in [made for made in self._made if made[0] == service]:
                del self._made[made]

    def due(self, service: str, target: str) -> str:
        """The kind of fault for this request, empty if it is to be answered rightly."""
        with self._lock:
            self._made[service, target] += 1
            faults, left = self._faults.get(service, []), self._left.get(service, [])
            for position in reversed(range(len(faults))):
                fault, remaining = faults[position], left[position]
                if remaining == 0 or not self._strikes(fault, service, target):
                    continue
                if remaining is not None:
                    left[position] = remaining - 1
                return fault.kind
        return ""

    def _strikes(self, fault: Fault, service: str, target: str) -> bool:
        chance = random.Random(f"{target} {self._made[service, target]} {fault.seed}")  # noqa: S311
        return chance.random() < fault.rate


class RateLimit:
    """Admit ``per_second`` requests in any second (below 1: one in any 1 / per_second seconds). Thread-safe.

    Refused requests do not count. ``now`` returns seconds and is monotonic. ``kind`` is the fault for refused requests.
    """

    def __init__(self, per_second: float, *, retry_after: bool, now: Callable[[], float] = time.monotonic) -> None:
        if not per_second > 0:
            raise ValueError(f"a rate is above 0, not {per_second}")
        self.kind = "429-retry-after" if retry_after else "429"
        self._window = max(1.0, 1 / per_second)
        self._most = max(1, int(per_second))
        self._now = now
        self._lock = threading.Lock()
        self._admitted: deque[float] = deque()

    def admits(self) -> bool:
        """Return True if one more request may be answered now."""
        with self._lock:
            now = self._now()
            while self._admitted and self._admitted[0] <= now - self._window:
                self._admitted.popleft()
            if len(self._admitted) >= self._most:
                return False
            self._admitted.append(now)
            return True


def altered(kind: str, reply: Reply, address: str) -> Reply:
    """Apply a fault to the correct reply; ``address`` is the requested URL."""
    if kind in STATUS_KINDS:
        status, phrase = STATUS_KINDS[kind]
        heading = f"{status} {phrase}"
        page = f"<html><head><title>{heading}</title></head><body><h1>{heading}</h1></body></html>"
        headers = {"Retry-After": _RETRY_AFTER[kind]} if kind in _RETRY_AFTER else {}
        return Reply(status, _HTML, page.encode(), headers)
    if kind in _REDIRECTS:
        target = address if kind == "redirect-loop" else _PRIVATE_ADDRESS
        return Reply(302, _HTML, b"", {"Location": target})
    if kind == "empty":
        return replace(reply, body=b"")
    if kind == "truncated":
        return replace(reply, body=reply.body[: len(reply.body) // 2])
    if kind == "wrong-content-type":
        return replace(reply, content_type="application/octet-stream")
    if kind == "html-label":
        return replace(reply, status=200, content_type=_HTML)
    if kind == "challenge":
        return Reply(403, "application/json; charset=utf-8", _CHALLENGE)
    if kind in _WALLS:
        cookie = "dblp_org-cookie-verification-7f=00; Path=/"
        return Reply(_WALLS[kind], _HTML, _WALL, {"Cache-Control": "no-store", "Set-Cookie": cookie})
    if kind == "captcha":
        return Reply(200, _HTML, _CAPTCHA)
    if kind == "malformed":
        is_json = "json" in reply.content_type
        return replace(reply, status=200, body=b'{"status":"ok","message":{,}}' if is_json else b"<feed><entry></feed>")
    if kind == "xml-bomb":
        return Reply(200, "application/atom+xml; charset=utf-8", _xml_bomb())
    if kind == "double-gzip":
        return replace(reply, body=_packed_twice(), headers={**reply.headers, "Content-Encoding": "gzip, gzip"})
    if kind == "renamed":
        return replace(reply, body=_NAMED.sub(lambda match: match[0] + b"Of2027", reply.body))
    if kind == "huge-title":
        return replace(reply, body=_TITLE.sub(lambda match: match[0] + _WORDS, reply.body))
    return reply


@cache
def _packed_twice() -> bytes:
    block = b" " * 1_000_000
    # One member of the gzip file for each block: all services may build it at the same time.
    return gzip.compress(gzip.compress(block) * (_PACKED_BYTES // len(block)))


def _xml_bomb() -> bytes:
    """A feed whose title expands to a billion words (entity expansion, CWE-776)."""
    entities = ['<!ENTITY e0 "ha">']
    for depth in range(1, _BOMB_DEPTH + 1):
        entities.append(f'<!ENTITY e{depth} "{f"&e{depth - 1};" * 10}">')
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE feed [{"".join(entities)}]>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom"><title>&e{_BOMB_DEPTH};</title></feed>\n'
    ).encode()
