"""``citecheck lsp`` with a foreign client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from ast import literal_eval
from pathlib import Path
from typing import Any

import pytest

from benchmarks import generated
from pytest_citecheck.cli import main
from pytest_citecheck.index import build
from tests.doors.conftest import OFFLINE, ROOT, Editor, command, environment

pytest.importorskip("pygls")
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


async def actions_at(client: Any, uri: str, place: lsp.Range, *found: lsp.Diagnostic) -> dict[str, lsp.CodeAction]:
    """The actions for findings at a place, by title; with their edits."""
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), place, lsp.CodeActionContext(list(found)))
    return {
        one.title: await client.code_action_resolve_async(one) if getattr(one, "data", None) else one
        for one in await client.text_document_code_action_async(params)
    }


def applied(text: str, edit: lsp.WorkspaceEdit) -> str:
    """The text after an edit, as an editor applies it to a text without letters outside the basic plane."""
    assert edit.changes
    ((change,),) = edit.changes.values()
    lines = text.splitlines(keepends=True)
    start, end = (sum(map(len, lines[: at.line])) + at.character for at in (change.range.start, change.range.end))
    return text[:start] + change.new_text + text[end:]


@pytest.mark.exhaustive
def test_an_entry_gets_all_its_corrections_or_a_doi_and_its_record_is_opened(all_wrong: Path, editor: Editor) -> None:
    known = (ROOT / "fixtures/refs.bib").read_text("utf-8")
    verified = re.sub(r"\n +doi .*", "", known[known.index("@article{hochreiter1997long") :].partition("\n\n")[0])
    parts = all_wrong.read_text("utf-8").split("\n\n")
    wrong = next(part for part in parts if "{hybrid-fabrication-1-clocks" in part)
    all_wrong.write_text(text := f"{wrong}\n\n{verified}\n", "utf-8")

    async def run() -> tuple[dict[str, lsp.CodeAction], dict[str, lsp.CodeAction], list[str]]:
        async with editor(pull=True) as client:
            opened: list[str] = []

            def show(params: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
                opened.append(params.uri)
                return lsp.ShowDocumentResult(True)

            client.feature(lsp.WINDOW_SHOW_DOCUMENT)(show)

            uri = open_text(client, all_wrong)
            found = await pulled(client, uri)
            of_wrong = await actions_at(client, uri, found[0].range, found[0])
            last = lsp.Position(len(text.splitlines()) - 2, 0)
            of_verified = await actions_at(client, uri, lsp.Range(last, last))
            command = literal_eval(
                str(of_wrong["Open the record"].command)
            )  # lsprotocol takes the action for a command
            for url in (*command["arguments"], "file:///etc/passwd"):
                params = lsp.ExecuteCommandParams(command["command"], [url])
                await asyncio.wait_for(client.workspace_execute_command_async(params), 30)
            return of_wrong, of_verified, opened

    of_wrong, of_verified, opened = asyncio.run(run())

    def added(action: lsp.CodeAction) -> list[str]:
        assert action.edit is not None
        after = applied(text, action.edit)
        return [line.strip() for line in after.splitlines() if line not in text.splitlines()]

    assert added(of_wrong["Correct all of hybrid-fabrication-1-clocks"]) == ["author  = {Lamport, Leslie},"]
    assert added(of_verified["Add the DOI"]) == ["doi     = {10.1162/neco.1997.9.8.1735},"]
    assert "Add the DOI" not in of_wrong  # it has one
    assert opened == ["https://doi.org/10.1145/359545.359563"]


@pytest.mark.exhaustive
def test_each_correction_that_is_offered_changes_the_entry(all_wrong: Path, editor: Editor) -> None:
    """A value that one source has is not certain, but a person picks it."""
    text = "\n\n".join(all_wrong.read_text("utf-8").split("\n\n")[::3])
    all_wrong.write_text(text, "utf-8")

    async def run() -> dict[str, bool]:
        async with editor(pull=True) as client:
            uri = open_text(client, all_wrong)
            return {
                f"{one.message}: {title}": action.edit is not None and applied(text, action.edit) != text
                for one in await pulled(client, uri)
                for title, action in (await actions_at(client, uri, one.range, one)).items()
                if title.startswith("Correct: ")
            }

    changes = asyncio.run(run())
    assert len(changes) > 15
    assert [title for title, is_changed in changes.items() if not is_changed] == []


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("escape", ["parent", "absolute", "link"])
def test_a_text_names_no_file_outside_its_folders(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, editor: Editor, escape: str
) -> None:
    """Neither a saved file nor a text that is open in the editor; ``--root`` allows both."""
    folder = tmp_path_factory.mktemp("private")
    private, paper = folder / "refs.bib", tmp_path / "paper.tex"
    private.write_text("@misc{k, title = {The Lantern}}", "utf-8")
    (tmp_path / "link.bib").symlink_to(private)
    name = {"parent": f"../{folder.name}/refs", "absolute": private.with_suffix(""), "link": "link"}[escape]
    if escape == "parent":
        name = os.path.relpath(private.with_suffix(""), tmp_path)
    paper.write_text(f"\\documentclass{{article}}\\begin{{document}}\\cite{{k}}\\bibliography{{{name}}}", "utf-8")

    async def shown(*options: str) -> str:
        async with editor(*OFFLINE, *options) as client:
            open_text(client, private, "@misc{k, title = {The Open Lantern}}")
            uri = open_text(client, paper, language="latex")
            found = await pushed(client, uri, 1)
            where = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(0, 45))
            return f"{found}{await client.text_document_hover_async(where)}{client.messages}"

    refused = asyncio.run(shown())
    assert ("Lantern" in refused, "pass --root=FOLDER" in refused) == (False, True)
    allowed = asyncio.run(shown(f"--root={folder}"))
    assert ("pass --root" in allowed, "Hover(" in allowed) == (False, True)


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_two_editors_at_once(few: Path, editor: Editor) -> None:
    async def both() -> tuple[list[lsp.Diagnostic], list[lsp.Diagnostic], list[lsp.Diagnostic]]:
        async with editor(pull=True) as one, editor(pull=True) as other:
            text = few.read_text("utf-8")
            uris = open_text(one, few), open_text(other, few, text.replace("359545.999563", "359545.359563"))
            first, second = await asyncio.gather(pulled(one, uris[0]), pulled(other, uris[1]))
            one._server.kill()
            await one._server.wait()
            change(other, uris[1], 2, text)
            return first, second, await pulled(other, uris[1])

    first, second, third = asyncio.run(both())
    assert places(first) - places(second) == {one for one in places(first) if one[3] == "doi-unregistered"}
    assert places(third) == places(first)


@pytest.mark.exhaustive
def test_a_cancelled_question_is_refused_and_the_next_one_is_answered(all_wrong: Path, editor: Editor) -> None:
    async def run() -> tuple[str, list[lsp.Diagnostic]]:
        async with editor(pull=True) as client:
            uri = open_text(client, all_wrong)
            params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
            question = client.protocol.send_request_async(lsp.TEXT_DOCUMENT_DIAGNOSTIC, params, "asked")
            client.protocol.notify(lsp.CANCEL_REQUEST, lsp.CancelParams("asked"))
            with pytest.raises(JsonRpcException) as refused:
                await asyncio.wait_for(question, 30)
            return str(refused.value), await pulled(client, uri)

    said, found = asyncio.run(run())
    assert "cancel" in said.lower()
    assert len(places(found)) > 60


@pytest.mark.exhaustive
def test_an_edit_of_a_big_file_looks_up_one_entry(tmp_path: Path, editor: Editor) -> None:
    works = generated.works(2000)
    build(tmp_path / "works.index", works)
    path, counts = tmp_path / "refs.bib", tmp_path / "counts"
    text = generated.bibtex(works, wrong=0.1)
    path.write_text(text, "utf-8")
    noted = text.replace("title", "note = {a}, title", 1)  # one entry
    moved = noted.replace("\n@", "\n\n\n@", 1)  # all others move
    copied = moved + re.findall(r"@.*?\n\}\n", text, re.DOTALL)[5]  # a copy, with a repeated key
    versions = [text, noted, moved, copied, copied + "@string{s = {S}}\n"]  # no entry uses it

    async def run() -> tuple[list[set[tuple[int, int, str, str]]], list[int], set[tuple[int, int, str, str]]]:
        options = (f"--index={tmp_path / 'works.index'}", "--offline")
        found, looked_up = [], []
        async with editor(*options, counts=counts, pull=True) as client:
            uri = open_text(client, path)
            for version, wanted in enumerate(versions, 1):
                if version > 1:
                    change(client, uri, version, wanted)
                counts.write_text("")
                found.append(places(await pulled(client, uri)))
                looked_up.append(sum(map(int, counts.read_text().split())))
        async with editor(*options, pull=True) as client:
            return found, looked_up, places(await pulled(client, open_text(client, path, versions[-1])))

    found, looked_up, fresh = asyncio.run(run())
    assert looked_up == [2000, 1, 0, 1, 0]
    assert found[-1] == fresh
    assert len(found[0]) > 100
    assert {line for line, *_ in found[2]} & {line + 2 for line, *_ in found[1]}


# Frames on standard input, read raw: a client with a fault neither fills the memory nor leaves the server deaf.


FRAMES = {
    "huge length": b"Content-Length: 99999999999\r\n\r\n{}",
    "huge digits": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "negative": b"Content-Length: -5\r\n\r\n{}",
    "letters": b"Content-Length: abc\r\n\r\n{}",
    "zero": b"Content-Length: 0\r\n\r\n",
    "empty": b"Content-Length: \r\n\r\n",
    "no header": b"\r\n\r\n{}\r\n",
    "NULs": b"\0" * 100_000,
    "NULs in a body": b"Content-Length: 9\r\n\r\n" + b"\0" * 9,
    "a long line": b"x" * 1_000_000,
    "too long": b"Content-Length: 9000\r\n\r\n{}",
    "too short": b'Content-Length: 9\r\n\r\n{"jsonrpc": "2.0", "method": "initialized", "params": {}}',
    "no JSON": b"Content-Length: 5\r\n\r\nhello",
    "a list": b"Content-Length: 4\r\n\r\n[{}]",
    "deep": b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    "another header": b"Content-Type: text/plain\r\ncontent-length: 2\r\n\r\n{}",
    "a half header": b"Content-Len",
    **{f"{more} bytes too long": b"Content-Length: %d\r\n\r\n{}" % (2 + more) for more in range(1, 30)},
    **{f"{less} bytes before the end of a part": b"x" * (65536 - less) for less in range(1, 30, 3)},
}
POSITIONS: tuple[Any, ...] = (
    {"line": -1, "character": 0},
    {"line": "a", "character": 0},
    {"line": 10**40, "character": 0},
    {},
    None,
    "abc",
    [1],
)


def framed(**message: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def answers(sent: bytes, folder: Path) -> tuple[dict[Any, Any], str, int]:
    """The answers of a server to these bytes by id, what it printed on standard error, and its exit code."""
    begin = framed(id=0, method="initialize", params={"capabilities": {}, "rootUri": folder.as_uri()})
    end = framed(id="end", method="shutdown") + framed(method="exit")
    line = command("lsp", *OFFLINE)
    done = subprocess.run(line, input=begin + sent + end, env=environment(), capture_output=True, check=False)
    bodies = re.split(rb"Content-Length: \d+\r\n(?:Content-Type: [^\r]*\r\n)?\r\n", done.stdout)
    found = [json.loads(body) for body in bodies if body]
    return {one["id"]: one for one in found if "id" in one}, done.stderr.decode(), done.returncode


@pytest.mark.exhaustive
def test_a_damaged_frame_does_not_stop_the_server(tmp_path: Path) -> None:
    asked = {name: framed(id=name, method="workspace/unknown", params={}) for name in FRAMES}
    sent = b"".join(frame + asked[name] for name, frame in FRAMES.items())
    params = {"content-length": 5, "text": "content-length: 5"}
    body = json.dumps({"jsonrpc": "2.0", "id": "pretty", "method": "workspace/unknown", "params": params}, indent=1)
    sent += f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    found, said, code = answers(sent, tmp_path)
    assert set(found) == {0, *FRAMES, "pretty", "end"}
    assert "99999999999" in said
    assert code == 0
    assert len(said) < 100_000


@pytest.mark.exhaustive
def test_invalid_parameters_are_answered(tmp_path: Path) -> None:
    named = {"textDocument": {"uri": (tmp_path / "refs.bib").as_uri()}}
    asked = [
        framed(id=number, method="textDocument/hover", params={**named, "position": position})
        for number, position in enumerate(POSITIONS, start=1)
    ]
    asked.append(framed(id="range", method="textDocument/codeAction", params={**named, "range": POSITIONS[0]}))
    found, _, code = answers(b"".join(asked), tmp_path)
    assert {key: one["error"]["code"] for key, one in found.items() if "error" in one} == dict.fromkeys(
        [*range(1, len(POSITIONS) + 1), "range"], -32602
    )
    assert code == 0
