"""``citecheck serve``: a page on this machine that checks uploaded files (docs/serve.md).

Every address begins with the token of the server. The report runs in a frame without the rights of the page.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import socket
import sys
import tempfile
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pytest_citecheck.checks import POLICIES
from pytest_citecheck.cli import UsageError, say
from pytest_citecheck.doors.loopback import LOOPBACK, allowed_hosts, allowed_origins, is_token, new_token
from pytest_citecheck.doors.runs import REPORTS, RefusedError, Run, Runs
from pytest_citecheck.inputs import LARGEST, megabytes
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import page_style

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_FILES: Final = 200
_LONGEST_TEXT: Final = 2_000_000  # bytes of a pasted text
_UNSEEN_SECONDS: Final = 600.0  # until a check without a page is closed: a laptop may have slept
_POLL: Final = 0.2
_OWN: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
)
_PAGE_POLICY: Final = f"{_OWN}base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_REPORT_POLICY: Final = (
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'"  # and its own policy
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Lets only requests to this machine with the token pass, from the server's own page or no page. All answers get the
    headers that keep them out of caches and other sites."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._hosts, self._origins = allowed_hosts(port), allowed_origins(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on without the token."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {"Content-Security-Policy": _PAGE_POLICY, **_HEADERS}.items():
                    headers.setdefault(name, value)
            await send(message)

        path = "/" + scope["path"].lstrip("/").partition("/")[2]
        await (self._refusal(scope) or self._app)({**scope, "path": path}, receive, sent)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("wrong host", 421)
        if headers.get("origin", self._origins[0]) not in self._origins:
            return PlainTextResponse("wrong origin", 403)
        if not is_token(scope["path"].lstrip("/").partition("/")[0], self._token):
            return PlainTextResponse("wrong token: use the address that citecheck serve printed", 403)
        return None


class Page:
    """The answers to the requests of the page."""

    def __init__(self, runs: Runs, ended: Callable[[], bool]) -> None:
        self._runs, self._ended = runs, ended

    def app(self) -> Starlette:
        """All addresses, after the token."""
        routes = [
            Route("/", self.page),
            Route("/page.css", self.style),
            Route("/page.js", self.script),
            Route("/runs", self.begin, methods=["POST"]),
            Route("/runs/{run}/events", self.events),
            Route("/runs/{run}/close", self.close, methods=["POST"]),
            Route("/runs/{run}/corrected/{file}", self.corrected),
            Route("/runs/{run}/{report}", self.report),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(min(_UNSEEN_SECONDS / 4, 30))
                await self._runs.close_unseen(_UNSEEN_SECONDS)

        sweeping = asyncio.create_task(sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await self._runs.close_all()

    async def page(self, _: Request) -> Response:
        """The page with the server's own settings."""
        policy = next(iter(self._runs.stated("citecheck_policy") or ()), "default")
        indexes = [Path(one).name for one in self._runs.stated("citecheck_index") or ()]
        marks = [f'<option value="{one}"{" selected" * (one == policy)}>{one}</option>' for one in POLICIES]
        own = [] if policy in POLICIES else ['<option value="" selected>policy of the server</option>']
        content = Template(_part("page.html")).substitute(
            policies="".join([*own, *marks]),
            offline="checked disabled" if self._runs.stated("citecheck_offline") else "",
            index=escape(", ".join(indexes)),
            hidden="" if indexes else "hidden",
        )
        return HTMLResponse(content)

    async def style(self, _: Request) -> Response:
        """The style sheets of the report and of the form."""
        return Response(page_style() + _part("page.css"), media_type="text/css")

    async def script(self, _: Request) -> Response:
        """The script of the page."""
        return Response(_part("page.js"), media_type="text/javascript")

    async def begin(self, request: Request) -> Response:
        """Start a check of the uploaded files and the pasted text."""
        stated = request.headers.get("content-length", "")
        if not stated.isdecimal() or int(stated) > LARGEST:  # browsers state it
            return _message(f"The files are larger than {megabytes(LARGEST)} together.", 413)
        try:
            async with request.form(max_files=_MOST_FILES, max_fields=20, max_part_size=_LONGEST_TEXT) as form:
                uploads = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
                given = [(one.filename or "", await one.read()) for one in uploads]
                fields = {name: value for name, value in form.items() if isinstance(value, str)}
        except (HTTPException, MultiPartException) as error:
            return _message(f"The upload cannot be read: {safe_line(str(getattr(error, 'detail', error)))}", 400)
        if fields.get("policy", "") not in ("", *POLICIES):
            return _message("There is no such policy.", 400)
        try:
            run = await self._runs.begin(given, fields.pop("text", ""), fields)
        except RefusedError as error:
            return _message(str(error), 422)
        return JSONResponse({"run": run.name}, 201)

    async def events(self, request: Request) -> Response:
        """The progress of a check, as long as the page is open (server-sent events, HTML Living Standard 9.2)."""
        return StreamingResponse(self._told(self._run(request)), media_type="text/event-stream")

    async def _told(self, run: Run) -> AsyncIterator[str]:
        last = ""
        run.watchers += 1
        try:
            while run.state != "closed" and not self._ended():
                shown = json.dumps(run.shown)
                if shown != last:
                    last = shown
                    yield f"data: {shown}\n\n"
                await asyncio.sleep(_POLL)
        finally:
            run.watchers -= 1
            run.seen = time.monotonic()

    async def report(self, request: Request) -> Response:
        """A report of a finished check."""
        run, name = self._run(request), request.path_params["report"]
        if name not in REPORTS or run.state != "done":
            raise HTTPException(404)
        headers = {"Content-Security-Policy": _REPORT_POLICY} if name == "report.html" else {}
        inline = "inline" if name == "report.html" and "save" not in request.query_params else "attachment"
        path = run.folder / name
        return FileResponse(
            path, headers=headers, filename=name, content_disposition_type=inline, media_type=REPORTS[name]
        )

    async def corrected(self, request: Request) -> Response:
        """A corrected BibTeX file."""
        run, name = self._run(request), request.path_params["file"]
        try:
            data = await self._runs.corrected(run, name)
        except KeyError as error:
            raise HTTPException(404) from error
        except RefusedError as error:
            return _message(str(error), 422)
        return Response(data, media_type="application/x-bibtex", headers={"Content-Disposition": "attachment"})

    async def close(self, request: Request) -> Response:
        """End a check and delete its files."""
        await self._runs.close(request.path_params["run"])
        return Response(status_code=204)

    def _run(self, request: Request) -> Run:
        try:
            return self._runs[request.path_params["run"]]
        except KeyError as error:
            raise HTTPException(404, "this check is closed, and its files are deleted") from error


def _message(message: str, status: int) -> Response:
    return JSONResponse({"message": message}, status)


def _part(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def _listening(port: int) -> socket.socket:
    """Raises UsageError."""
    try:
        return socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port={port}: {getattr(error, 'strerror', None) or error}") from error


def _folder(port: int) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for the server at this port.

    Also deletes the folders of servers that were killed: no process listens at the port in the name of such a folder.
    """
    for left in Path(tempfile.gettempdir()).glob("citecheck-serve-*"):
        named = left.name.rpartition("-")[2]
        if named == str(port) or (named.isdecimal() and int(named) < 1 << 16 and not _listens(int(named))):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory("-" + str(port), "citecheck-serve-")


def _listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex((LOOPBACK, port)) == 0


def serve_page(chosen: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Raises UsageError."""
    with _listening(chosen.port) as listening, _folder(listening.getsockname()[1]) as folder:
        port, token = listening.getsockname()[1], new_token()
        page = Page(Runs(chosen, Path(folder)), lambda: server.should_exit)
        app = Guard(page.app(), port, token)
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, server_header=False, timeout_graceful_shutdown=3
        )
        server = uvicorn.Server(config)
        address = f"http://{LOOPBACK}:{port}/{token}/"
        say(f"citecheck serve: {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not chosen.no_browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    return 0
