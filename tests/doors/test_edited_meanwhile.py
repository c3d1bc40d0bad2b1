"""Edits made while a server looks up a file or a text are kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import Editor, command, environment
from tests.support.edited_files import CHANGED, EDITS, FIRST, SECOND, Edited, two_wrong_entries


@pytest.fixture(scope="module")
def services() -> Iterator[Edited]:
    with Edited() as local:
        yield local


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    two_wrong_entries(tmp_path / "refs.bib")
    return tmp_path / "refs.bib"


@pytest.mark.exhaustive
@pytest.mark.parametrize("edit", ["another entry", "the same entry"])
def test_an_agent_writes_into_the_present_file(edit: str, bib: Path, services: Edited) -> None:
    pytest.importorskip("mcp")
    from mcp.client.client import Client  # noqa: PLC0415 - of the extra
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415

    from tests.doors.test_mcp import call  # noqa: PLC0415

    change, lost = EDITS[edit]
    before = bib.read_bytes()
    services.meanwhile = lambda: bib.write_bytes(change(before) or b"")

    async def written() -> dict[str, Any]:
        line = command("mcp", f"--root={bib.parent}", *services.options)
        server = StdioServerParameters(command=line[0], args=line[1:], env=environment(), cwd=str(bib.parent))
        async with Client(stdio_client(server), mode="legacy") as client:
            return await call(client, "correct_bibliography", path="refs.bib", write=True)

    said = asyncio.run(written())
    assert services.meanwhile is None
    assert {one["key"] for one in said["corrections"]} == {FIRST, SECOND} - lost
    assert said["left"] == dict.fromkeys(lost, CHANGED)
    assert said["bibtex"].encode() == bib.read_bytes()
    assert b"note = {mine}" in bib.read_bytes()
    assert "+  note" not in said["diff"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("edit", ["an entry before", "the same entry"])
def test_an_editor_gets_an_edit_of_the_present_text(edit: str, bib: Path, services: Edited, editor: Editor) -> None:
    pytest.importorskip("pygls")
    from lsprotocol import types as lsp  # noqa: PLC0415 - of the extra

    from tests.doors.test_lsp import applied, open_text, pulled  # noqa: PLC0415

    change, lost = EDITS[edit]
    text = bib.read_text("utf-8")
    after = (change(text.encode()) or b"").decode()

    async def resolved() -> tuple[Any, list[str]]:
        async with editor(*services.options, pull=True) as client:
            uri, loop = open_text(client, bib), asyncio.get_running_loop()
            wrong = next(one for one in await pulled(client, uri) if FIRST in one.message)
            context = lsp.CodeActionContext([wrong])
            params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), wrong.range, context)
            found = await client.text_document_code_action_async(params)
            action = next(one for one in found if one.title.startswith("Correct: "))
            changed = lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(2, uri), [lsp.TextDocumentContentChangeWholeDocument(after)]
            )

            def meanwhile() -> None:
                loop.call_soon_threadsafe(client.text_document_did_change, changed)
                time.sleep(0.5)

            services.meanwhile = meanwhile
            return (await client.code_action_resolve_async(action)).edit, client.messages

    made, messages = asyncio.run(resolved())
    assert services.meanwhile is None
    if lost:
        assert made is None or applied(after, made) == after
        assert any(CHANGED in one for one in messages)
    else:
        right = "Proceedings of the 2014 Conference on Empirical Methods in Natural Language Processing (EMNLP)"
        assert applied(after, made) == after.replace(
            "Proceedings of the 52nd Annual Meeting of the Association for Computational Linguistics", right
        )
