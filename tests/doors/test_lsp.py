"""``citecheck lsp`` with a foreign client over standard input and output."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.doors.conftest import OFFLINE, ROOT, Editor

pytest.importorskip("pygls")
from lsprotocol import types as lsp

_LINE = re.compile(r"(.*?):(\d+):(\d+): (error|warning) (.*?): (.*)")


def open_text(client: Any, path: Path, text: str | None = None, language: str = "bibtex") -> str:
    uri = path.as_uri()
    item = lsp.TextDocumentItem(uri, language, 1, path.read_text("utf-8") if text is None else text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    return uri


def change(client: Any, uri: str, version: int, text: str) -> None:
    named = lsp.VersionedTextDocumentIdentifier(version, uri)
    whole = lsp.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [whole]))


async def pulled(client: Any, uri: str) -> list[lsp.Diagnostic]:
    found = await client.text_document_diagnostic_async(
        lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
    )  # fmt: skip
    return list(found.items)


async def pushed(client: Any, uri: str, version: int) -> list[lsp.Diagnostic]:
    while True:
        said = await asyncio.wait_for(client.published.get(), 60)
        if said.uri == uri and said.version == version:
            return list(said.diagnostics)


def places(found: list[lsp.Diagnostic]) -> set[tuple[int, int, str, str]]:
    """Line, column, severity and code of what fails or warns."""
    names = {lsp.DiagnosticSeverity.Error: "error", lsp.DiagnosticSeverity.Warning: "warning"}
    return {
        (one.range.start.line + 1, one.range.start.character + 1, names[one.severity], str(one.code))
        for one in found
        if one.severity in names
    }


def findings_of_a_run(path: Path, capsys: pytest.CaptureFixture[str]) -> set[tuple[int, int, str, str]]:
    capsys.readouterr()
    main(["check", str(path), *OFFLINE, "--format=concise", "-q"])
    lines = [match for line in capsys.readouterr().out.splitlines() if (match := _LINE.match(line))]
    return {(int(one[2]), int(one[3]), one[4], one[5].rpartition(" ")[0]) for one in lines}


def test_diagnostics_equal_the_findings_of_a_run(
    all_wrong: Path, editor: Editor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def diagnosed() -> list[lsp.Diagnostic]:
        async with editor(pull=True) as client:
            return await pulled(client, open_text(client, all_wrong))

    found = places(asyncio.run(diagnosed()))
    monkeypatch.chdir(all_wrong.parent)
    assert found == findings_of_a_run(Path("refs.bib"), capsys)
    assert len(found) > 60


def test_unsaved_texts_are_pushed_with_their_version(few: Path, editor: Editor) -> None:
    async def edited() -> tuple[list[lsp.Diagnostic], list[lsp.Diagnostic], list[Any]]:
        async with editor() as client:
            uri, text = open_text(client, few), few.read_text("utf-8")
            first = await pushed(client, uri, 1)
            for version in range(2, 7):  # typing: only the last version is checked
                change(client, uri, version, text.replace("359545.999563", f"359545.35956{version - 3}"))
            last = await pushed(client, uri, 6)
            client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
            return first, last, client.progressed

    first, last, progress = asyncio.run(edited())
    assert "doi-unregistered" in {one.code for one in first}
    assert "doi-unregistered" not in {one.code for one in last}
    assert progress
    assert "359545.999563" in few.read_text("utf-8")


def test_corrections_and_waivers_are_edits_of_the_text(few: Path, editor: Editor) -> None:
    async def edits() -> dict[str, list[lsp.TextEdit]]:
        async with editor(pull=True) as client:
            uri = open_text(client, few)
            wrong = next(one for one in await pulled(client, uri) if one.code == "doi-unregistered")
            params = lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(uri), wrong.range, lsp.CodeActionContext([wrong])
            )  # fmt: skip
            found = await client.text_document_code_action_async(params)
            assert any(one.title == "Explain doi-unregistered" for one in found)
            resolved = [
                await client.code_action_resolve_async(one) for one in found if isinstance(one, lsp.CodeAction)
            ]  # fmt: skip
            return {one.title: one.edit.changes[uri] for one in resolved if one.data}

    by_title = asyncio.run(edits())
    (corrected,) = by_title["Correct: doi = {10.1145/359545.359563}"]
    lines = few.read_text("utf-8").splitlines()
    line = lines[corrected.range.start.line]
    head, tail = line[: corrected.range.start.character], line[corrected.range.end.character :]
    assert f"{head}{corrected.new_text}{tail}".strip() == "doi     = {10.1145/359545.359563},"
    (waived,) = by_title["Waive doi-unregistered with a reason"]
    assert re.fullmatch(
        r"% citecheck: ignore\[doi-unregistered\] STATE THE REASON \[\w+\]\n", waived.new_text
    )  # fmt: skip
    assert lines[waived.range.start.line].startswith("@")


def test_manuscripts_show_findings_at_citations_with_missing_and_unused_keys(few: Path, editor: Editor) -> None:
    paper = few.with_name("paper.tex")
    key = re.findall(r"@\w+\{(.*?),", few.read_text("utf-8"))[0]
    paper.write_text(
        f"\\documentclass{{article}}\\begin{{document}}\nA 😀 claim \\cite{{{key}}} and \\citep{{gone}}.\n"
        "\\bibliography{refs}\\end{document}\n",
        "utf-8",
    )

    async def shown() -> tuple[list[lsp.Diagnostic], list[lsp.Diagnostic], str]:
        async with editor(pull=True) as client:
            uri, bib = open_text(client, paper, language="latex"), open_text(client, few)
            of_paper, of_bib = await pulled(client, uri), await pulled(client, bib)
            at = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(1, 18))
            hover = await client.text_document_hover_async(at)
            return of_paper, of_bib, hover.contents.value

    of_paper, of_bib, hover = asyncio.run(shown())
    wrong = next(one for one in of_paper if one.code == "doi-unregistered")
    start = len("A 😀 claim \\cite{".encode("utf-16-le")) // 2
    assert (wrong.range.start.line, wrong.range.start.character) == (1, start)
    assert wrong.range.end.character == start + len(key)
    assert any(one.code == "missing-entry" and one.range.start.line == 1 for one in of_paper)
    assert sum(one.code == "uncited" for one in of_bib) == 3
    assert hover.startswith("**misdescribed**")
    assert "Crossref: no record (2026-01-15)" in hover


def test_links_and_lenses(tmp_path: Path, editor: Editor) -> None:
    path = tmp_path / "refs.bib"
    path.write_text((ROOT / "fixtures/refs.bib").read_text("utf-8")[:4000].rpartition("\n\n")[0] + "\n", "utf-8")

    async def shown() -> tuple[list[Any], list[Any]]:
        async with editor(*OFFLINE, "--code-lens", pull=True) as client:
            named = lsp.TextDocumentIdentifier(open_text(client, path))
            links = await client.text_document_document_link_async(lsp.DocumentLinkParams(named))
            return links, await client.text_document_code_lens_async(lsp.CodeLensParams(named))

    links, lenses = asyncio.run(shown())
    assert {one.target for one in links} >= {"https://doi.org/10.18653/v1/N19-1423"}
    assert any(re.fullmatch(r"verified by .* and .*", one.command.title) for one in lenses)


def test_hostile_names_and_contents(tmp_path: Path, editor: Editor) -> None:
    folder = tmp_path / "a 'b' %2e [x] $(touch owned)"
    folder.mkdir()
    names = ["<script>.bib", "ümläut 😀.bib", "a;b&c.md"]
    texts = [
        "@article{\x1b[31m, title={" + "{" * 5000,
        "@misc{a\u2028b, title = {]( javascript:x) `\n# x}}",
        "\x00\ufffe@",
    ]

    async def survived() -> list[list[lsp.Diagnostic]]:
        async with editor(pull=True) as client:
            found = []
            for name, text in zip(names, texts, strict=True):
                path = folder / name
                path.write_text(text, "utf-8", errors="replace")
                found.append(await pulled(client, open_text(client, path, text)))
            client.text_document_did_open(
                lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem("untitled:Untitled-1", "bibtex", 1, "@misc{a,"))
            )
            found.append(await pulled(client, "untitled:Untitled-1"))
            found.append(await pulled(client, "file:///no/such.bib"))
            return found

    found = asyncio.run(survived())
    assert not (tmp_path / "owned").exists()
    assert all("\x1b" not in one.message for each in found for one in each)
    assert found[3]
    assert found[4] == []


def test_settings_of_a_strange_folder_are_ignored(few: Path, editor: Editor) -> None:
    few.with_name("pytest.ini").write_text(
        "[pytest]\ncitecheck_sources = nowhere\ncitecheck_base_url = crossref=http://127.0.0.1:9\n"
    )

    async def told() -> tuple[list[lsp.Diagnostic], list[Any]]:
        async with editor(pull=True) as client:
            return await pulled(client, open_text(client, few)), client.messages

    found, messages = asyncio.run(told())
    assert any("its folder is not trusted" in one for one in messages)
    assert "doi-unregistered" in {one.code for one in found}


def test_a_killed_server_leaves_nothing_behind(few: Path, editor: Editor) -> None:
    before = few.read_bytes()

    async def killed() -> int | None:
        async with editor(pull=True) as client:
            open_text(client, few)
            client._server.kill()
            code = await client._server.wait()
            return int(code)

    assert asyncio.run(killed()) == -9
    assert few.read_bytes() == before
    done = subprocess.run(["citecheck", "--version"], capture_output=True, check=False)
    assert done.returncode == 0
