"""Clients of the two servers, each a process as an editor or an agent starts it, offline."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OFFLINE = (f"--cassettes={ROOT / 'cassettes'}", "--offline")
CODE = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"
COUNTING = f"""
import os
from pytest_citecheck.cli import Engine
evaluated = Engine.evaluated
def counted(self, wanted, *arguments):
    with open(os.environ["CITECHECK_TEST_COUNTS"], "a") as file:
        file.write(f"{{len(wanted)}}\\n")
    return evaluated(self, wanted, *arguments)
Engine.evaluated = counted
{CODE}"""
"""A server that appends to a file how many entries it looks up."""


def command(*arguments: str, code: str = CODE) -> list[str]:
    """A command line that runs ``citecheck``."""
    return [sys.executable, "-c", code, *arguments]


def environment() -> dict[str, str]:
    """The environment of a server: it imports this package."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A bibliography with four entries: a wrong DOI, and three with wrong venues."""
    parts = (ROOT / "fixtures/hallucinated.bib").read_text("utf-8").split("\n\n")
    kept = [part for part in parts if "{fabricated-doi-1" in part or "{wrong-venue" in part][:4]
    path = tmp_path / "refs.bib"
    path.write_text("\n\n".join(kept) + "\n", "utf-8")
    return path


@pytest.fixture
def all_wrong(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "fixtures/hallucinated.bib", tmp_path / "refs.bib"))


Editor = Callable[..., contextlib.AbstractAsyncContextManager[Any]]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Opens an editor on the folder: ``async with editor(pull=True) as client``."""
    pytest.importorskip("pygls")
    from lsprotocol import types as lsp  # noqa: PLC0415 - of the extra
    from pygls.lsp.client import LanguageClient  # noqa: PLC0415

    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    class EditorClient(LanguageClient):
        """A client that keeps what the server sends."""

        def __init__(self) -> None:
            super().__init__("editor", "1")
            self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
            self.progressed: list[Any] = []
            self.messages: list[str] = []

    @contextlib.asynccontextmanager
    async def opened(*arguments: str, pull: bool = False, counts: Path | None = None) -> AsyncIterator[Any]:
        client = EditorClient()
        client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda said: client.published.put_nowait(said))
        client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda said: client.messages.append(said.message))
        client.feature(lsp.PROGRESS)(lambda said: client.progressed.append(said.value))
        client.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda _: None)
        if counts is not None:
            monkeypatch.setenv("CITECHECK_TEST_COUNTS", str(counts))
        await client.start_io(*command("lsp", *(arguments or OFFLINE), code=CODE if counts is None else COUNTING))
        resolves = lsp.ClientCodeActionResolveOptions(properties=["edit"])
        capabilities = lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                diagnostic=lsp.DiagnosticClientCapabilities() if pull else None,
                code_action=lsp.CodeActionClientCapabilities(resolve_support=resolves),
            ),
            window=lsp.WindowClientCapabilities(work_done_progress=True),
        )
        await client.initialize_async(lsp.InitializeParams(capabilities=capabilities, root_uri=tmp_path.as_uri()))
        client.initialized(lsp.InitializedParams())
        try:
            yield client
        finally:
            if client._server is not None and client._server.returncode is None:
                await client.shutdown_async(None)
                client.exit(None)
                await client._server.wait()
            await client.stop()  # type: ignore[no-untyped-call]

    return opened
