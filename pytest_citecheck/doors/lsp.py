"""``citecheck lsp``: findings, corrections and evidence in an editor, on pygls."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from urllib.parse import quote, urlsplit

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from pytest_citecheck import __version__
from pytest_citecheck.checks import CODES, explanation
from pytest_citecheck.cli import Edit, UsageError, edited, isolate
from pytest_citecheck.confinement import start_folder
from pytest_citecheck.doors.frames import AnsweringProtocol, Frames
from pytest_citecheck.doors.session import Checked, DoorSession
from pytest_citecheck.doors.texts import DOI, TextLines, changed_part, citations_in, hover_text, lens_text
from pytest_citecheck.fixing import FieldEdit
from pytest_citecheck.inputs import BIBTEX, FolderFiles, NoFiles, UnreadableDocumentError, content_hash, reader_named
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import Problem

_PAUSE: Final = 0.08  # seconds without a key stroke before a text is checked
_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}
_SUFFIXES: Final = {
    "bibtex": ".bib",
    "bib": ".bib",
    "latex": ".tex",
    "tex": ".tex",
    "plaintex": ".tex",
    "markdown": ".md",
}
"""Suffix of a text without a file, by the editor's name of its language."""
_MISSING_DOI: Final = "doi-to-add"
_PLACEHOLDER: Final = "STATE THE REASON"


@dataclass(slots=True)
class OpenText:
    """An open document. version: of the checked text. stop: ends the look-up that is running."""

    name: str
    checked: Checked | None = None
    lines: TextLines = field(default_factory=lambda: TextLines(""))
    version: int | None = None
    task: asyncio.Task[None] | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    result_id: str = ""


class EditorServer(LanguageServer):
    """The server of one editor: it checks each open text after a pause, and looks up only what has changed."""

    def __init__(self, session: DoorSession, *, lenses: bool = False, roots: Sequence[Path] = ()) -> None:
        super().__init__("citecheck", __version__, protocol_cls=AnsweringProtocol)
        self.session = session
        self.roots = [*roots]  # folders of files that documents may name, besides their own
        self.lenses = lenses
        self.open: dict[str, OpenText] = {}
        self._told: set[str] = set()

    # --- texts

    def begin(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """An editor opened a text."""
        uri = params.text_document.uri
        document = self.workspace.get_text_document(uri)
        name = _name(uri, document.language_id or "")
        if reader_named(name) is not None:
            self.open[uri] = OpenText(name)
            self.schedule(uri, 0.0)

    def end(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """An editor closed a text."""
        text = self.open.pop(params.text_document.uri, None)
        if text is not None:
            _cancel(text)
            self._publish(params.text_document.uri, [], None)

    def schedule(self, uri: str, pause: float = _PAUSE) -> None:
        """Check a text after a pause, in place of a check that has not ended."""
        text = self.open.get(uri)
        if text is not None:
            _cancel(text)
            text.stop = threading.Event()
            text.task = asyncio.get_running_loop().create_task(self._check(uri, text, pause))

    async def checked(self, uri: str) -> OpenText | None:
        """The open text once its present version has been checked; None if it is not open."""
        while (text := self.open.get(uri)) is not None and text.task is not None and not text.task.done():
            await asyncio.wait([text.task])
        return text

    async def _check(self, uri: str, text: OpenText, pause: float) -> None:
        await asyncio.sleep(pause)
        document = self.workspace.get_text_document(uri)
        source, version = document.source, document.version
        data = source.encode("utf-8", "replace")
        is_first = text.checked is None
        try:
            for note in await self.session.run(lambda: self.session.notes) if is_first else ():
                self.tell(note)
            async with self._progress(text.name) if is_first else contextlib.nullcontext() as progress:
                work = partial(self._read_and_check, text.name, data, self._files(uri), text.stop)
                text.checked = await self.session.run(work, progress)
        except (UsageError, UnreadableDocumentError) as error:
            text.checked = None
            self.tell(str(error))
        text.lines, text.version, text.result_id = TextLines(source), version, uuid.uuid4().hex
        text.places = {key: spans[0] for key, spans in citations_in(text.name, source).items()}
        if not self._pulls:
            self._publish(uri, self.diagnostics(text), version)
        self._follow(uri, text)

    def _read_and_check(
        self, name: str, data: bytes, files: FolderFiles | NoFiles, stop: threading.Event, progress: Any
    ) -> Checked:
        read = self.session.read(name, data, files)
        return self.session.checked(read, progress, stop)

    def _follow(self, uri: str, text: OpenText) -> None:
        """Show the effect on other open texts: a manuscript depends on its bibliography, which may have unused keys."""
        bibliography = reader_named(text.name) is BIBTEX
        for other, shown in self.open.items():
            if other == uri or shown.checked is None:
                continue
            if bibliography and self._reads(shown, text) and shown.version is not None:
                self.schedule(other)
            elif self._reads(text, shown) and not self._pulls:
                self._publish(other, self.diagnostics(shown), shown.version)
        if self._pulls and self.can("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)

    @staticmethod
    def _reads(manuscript: OpenText, bibliography: OpenText) -> bool:
        if manuscript.checked is None:
            return False
        folder = Path(manuscript.name).parent
        names = (name for one in manuscript.checked.bibliography.sources for name in (one, str(folder / one)))
        return os.path.normpath(bibliography.name) in map(os.path.normpath, names)

    def _files(self, uri: str) -> FolderFiles | NoFiles:
        path = to_fs_path(uri)
        if urlsplit(uri).scheme != "file" or not path:
            return NoFiles()
        texts = {
            Path(file).resolve(): self.workspace.get_text_document(one).source.encode("utf-8", "replace")
            for one in self.open
            if one != uri and (file := to_fs_path(one))
        }
        return _OpenFiles(Path(path).parent, self.roots, texts)

    # --- to the editor

    def can(self, capability: str) -> bool:
        """Return True if the editor has a capability, such as ``text_document.diagnostic``."""
        return bool(get_capability(self.client_capabilities, capability))

    @property
    def _pulls(self) -> bool:
        return self.can("text_document.diagnostic")

    def tell(self, message: str) -> None:
        """Show a message once."""
        if message not in self._told:
            self._told.add(message)
            shown = lsp.ShowMessageParams(lsp.MessageType.Warning, f"citecheck: {safe_line(message)}")
            self.window_show_message(shown)

    def _publish(self, uri: str, found: list[lsp.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    @contextlib.asynccontextmanager
    async def _progress(self, name: str) -> Any:
        """Yield a callback for the thread of the session that shows the progress; None if the editor shows none."""
        if not self.can("window.work_done_progress"):
            yield None
            return
        token, loop, due = uuid.uuid4().hex, asyncio.get_running_loop(), 0.0
        await self.work_done_progress.create_async(token)
        self.work_done_progress.begin(token, lsp.WorkDoneProgressBegin(f"citecheck {Path(name).name}"))

        def show(what: str, done: int, total: int) -> None:
            nonlocal due
            if loop.time() >= due:
                due = loop.time() + 0.2
                report = lsp.WorkDoneProgressReport(message=f"{what} {done}/{total}")
                loop.call_soon_threadsafe(self.work_done_progress.report, token, report)

        try:
            yield show
        finally:
            self.work_done_progress.end(token, lsp.WorkDoneProgressEnd())

    def diagnostics(self, text: OpenText) -> list[lsp.Diagnostic]:
        """The findings for a text, and its unused entries."""
        if text.checked is None:
            return []
        return [*(self._diagnostic(text, one) for one in text.checked.problems), *self._unused(text)]

    def _diagnostic(self, text: OpenText, one: Problem) -> lsp.Diagnostic:
        waived = "waived: " if one.waived else ""
        code = " ".join((one.code, *one.also))
        related = None
        if one.path != text.name:
            where = lsp.Location(_uri(one.path), _line(one.line - 1))
            related = [lsp.DiagnosticRelatedInformation(where, f"the entry {one.key}")]
        return lsp.Diagnostic(
            self._range(text, one),
            f"{waived}{one.key}: {one.sentence}",
            lsp.DiagnosticSeverity.Hint if one.waived else _SEVERITIES[one.level],
            code,
            source="citecheck",
            related_information=related,
            data={"key": one.key, "code": one.code, "check": one.check, "record": one.record},
        )

    def _range(self, text: OpenText, one: Problem) -> lsp.Range:
        """The field; in a manuscript the first citation of the entry."""
        if (one.path != text.name or one.code == "missing-entry") and one.key in text.places:
            return self._span(text, *text.places[one.key])
        if one.path != text.name:
            return _line(0)
        line = one.line - 1
        if one.end_column is None:
            return self._between(text, line, one.column - 1, line, len(text.lines.line(line)))
        return self._between(text, line, one.column - 1, one.end_line - 1, one.end_column - 1)

    def _span(self, text: OpenText, start: int, end: int) -> lsp.Range:
        return self._between(text, *text.lines.place(start), *text.lines.place(end))

    def _between(self, text: OpenText, line: int, column: int, end_line: int, end_column: int) -> lsp.Range:
        """A range from lines and columns in code points, both from 0."""
        codec = self.workspace.position_codec
        return lsp.Range(
            lsp.Position(line, codec.client_num_units(text.lines.line(line)[:column])),
            lsp.Position(end_line, codec.client_num_units(text.lines.line(end_line)[:end_column])),
        )

    def _unused(self, text: OpenText) -> Iterator[lsp.Diagnostic]:
        """Entries of a bibliography that no open manuscript cites, if one reads it."""
        if text.checked is None or reader_named(text.name) is not BIBTEX:
            return
        readers = [one for one in self.open.values() if one is not text and self._reads(one, text)]
        if not readers:
            return
        cited = {
            one.key
            for manuscript in readers
            if manuscript.checked
            for one in manuscript.checked.bibliography.references
        }
        for one in text.checked.bibliography.references:
            if one.readable and one.key not in cited and one.type not in ("xdata", "set"):
                line = one.location.line - 1
                yield lsp.Diagnostic(
                    self._between(text, line, 0, line, len(text.lines.line(line))),
                    f"{safe_line(one.key)}: no open manuscript cites this entry",
                    lsp.DiagnosticSeverity.Hint,
                    "uncited",
                    source="citecheck",
                    tags=[lsp.DiagnosticTag.Unnecessary],
                )

    # --- questions of the editor

    def offset(self, text: OpenText, position: lsp.Position) -> int:
        """The place of a position in the text, in code points."""
        line = text.lines.line(position.line)
        units, codec = 0, self.workspace.position_codec
        for column, letter in enumerate(line):
            if units >= position.character:
                return text.lines.start(position.line) + column
            units += codec.client_num_units(letter)
        return text.lines.start(position.line) + len(line)

    def at(self, text: OpenText, position: lsp.Position) -> int | None:
        """The number of the reference at a position: its entry, or a citation of it."""
        if text.checked is None:
            return None
        references = text.checked.bibliography.references
        offset = self.offset(text, position)
        for key, spans in citations_in(text.name, text.lines.text).items():
            if any(start <= offset <= end for start, end in spans):
                return next((place for place, one in enumerate(references) if one.key == key), None)
        line = position.line + 1
        return next(
            (
                place
                for place, one in enumerate(references)
                if one.location.path == text.name and one.location.line <= line <= one.location.end_line
            ),
            None,
        )

    def actions(self, uri: str, text: OpenText, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
        """The actions for the diagnostics and the entry at a range."""
        checked = text.checked
        if checked is None:
            return
        bibtex, references = reader_named(text.name) is BIBTEX, checked.bibliography.references
        own = [one for one in params.context.diagnostics if one.source == "citecheck" and isinstance(one.data, dict)]
        for one in own:
            data = dict(one.data) if isinstance(one.data, Mapping) else {}
            code, key = str(data.get("code", "")), str(data.get("key", ""))
            place = next((number for number, ref in enumerate(references) if safe_line(ref.key) == key), None)
            problem = next((it for it in checked.problems if (it.key, it.code) == (key, code)), None)
            if bibtex and place is not None and problem is not None:
                what = {"uri": uri, "entry": content_hash(references[place]), "codes": [code]}
                if problem.fix:
                    yield _action(f"Correct: {problem.fix}", what | {"do": "fix"}, one, preferred=True)
                if not problem.waived and problem.level != "info":
                    yield _action(f"Waive {code} with a reason", what | {"do": "waive"}, one)
            if problem is not None and _is_web(problem.record):
                yield _command("Open the record", "citecheck.open", problem.record)
            if code in CODES:
                yield _command(f"Explain {code}", "citecheck.explain", code)
        place = self.at(text, params.range.start)
        if bibtex and place is not None:
            yield from self._actions_for_entry(uri, checked, place)

    @staticmethod
    def _actions_for_entry(uri: str, checked: Checked, place: int) -> Iterator[lsp.CodeAction]:
        references = checked.bibliography.references
        reference, result = references[place], checked.result.references[place]
        what = {"uri": uri, "entry": content_hash(reference), "codes": []}
        if sum(bool(one.fix) for one in checked.by_place[place]) > 1:
            yield _action(f"Correct all of {safe_line(reference.key)}", what | {"do": "fix"})
        if any(finding.get("code") == _MISSING_DOI and finding.get("fixes") for finding in result.findings.values()):
            yield _action("Add the DOI", what | {"do": "doi", "codes": [_MISSING_DOI]})

    async def edit(self, data: Mapping[str, Any]) -> lsp.WorkspaceEdit | None:
        """The edit of an action, in the text as it is now. None if there is none."""
        uri, do = str(data["uri"]), data["do"]
        text = await self.checked(uri)
        references = text.checked.bibliography.references if text is not None and text.checked is not None else ()
        place = next((number for number, one in enumerate(references) if content_hash(one) == data["entry"]), None)
        if text is None or place is None:
            return None
        contents = {text.name: text.lines.text.encode("utf-8", "replace")}
        codes, reference = frozenset(map(str, data["codes"])), references[place]
        try:
            if do == "waive":
                edits = {place: Edit(reference, waived=((tuple(codes), _PLACEHOLDER),))}
            else:
                # The title of the correction of one finding shows the value.
                wanted = FieldEdit(codes, add_doi=do == "doi", picked=do == "fix" and bool(codes))
                mended = await self.session.run(self.session.corrected, *next(iter(contents.items())), wanted, place)
                edits = {number: Edit(*one) for (_, number), one in mended.written.items()}
                if not edits:
                    why = next((why for _, why in mended.left.values()), "")
                    self.tell(f"{reference.key}: {why or 'there is no certain correction'}")
        except UsageError as error:
            self.tell(str(error))
            return None
        document = self.workspace.get_text_document(uri)  # it may have been edited meanwhile
        source = document.source
        done = edited(contents, text.name, source.encode("utf-8", "replace"), edits)
        for why in done.refused.values():
            self.tell(f"{reference.key}: {why}")
        start, end, new = changed_part(source, done.data.decode("utf-8", "replace"))
        edit = lsp.TextEdit(self._span(OpenText(text.name, lines=TextLines(source)), start, end), new)
        versioned = lsp.OptionalVersionedTextDocumentIdentifier(uri, document.version)
        if self.can("workspace.workspace_edit.document_changes"):
            return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(versioned, [edit])])
        return lsp.WorkspaceEdit(changes={uri: [edit]})


class _OpenFiles(FolderFiles):
    """Files of a folder, with the texts that the editor has not saved in their place."""

    def __init__(self, folder: Path, allowed: Iterable[Path], texts: Mapping[Path, bytes]) -> None:
        super().__init__(folder, allowed, "--root")
        self._texts = texts

    def read(self, name: str) -> bytes | None:
        real = self.place(name)
        return self._texts[real] if real is not None and real in self._texts else super().read(name)


def _cancel(text: OpenText) -> None:
    text.stop.set()
    if text.task is not None:
        text.task.cancel()


def _name(uri: str, language: str) -> str:
    """The name of a text as in reports: the path of its file from the working folder."""
    path = to_fs_path(uri)
    if urlsplit(uri).scheme == "file" and path:
        with contextlib.suppress(ValueError):  # another drive on Windows
            return os.path.relpath(path).replace(os.sep, "/")
        return path
    return f"untitled{_SUFFIXES.get(language, Path(urlsplit(uri).path).suffix)}"


def _uri(name: str) -> str:
    return f"file://{quote(str(Path(name).absolute()))}"


def _line(line: int) -> lsp.Range:
    return lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))


def _action(
    title: str, data: dict[str, Any], one: lsp.Diagnostic | None = None, *, preferred: bool = False
) -> lsp.CodeAction:
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title, kind, diagnostics=[one] if one else None, is_preferred=preferred or None, data=data)


def _command(title: str, name: str, argument: str) -> lsp.CodeAction:
    return lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, command=lsp.Command(title, name, arguments=[argument]))


def _is_web(url: str) -> bool:
    return url.startswith(("https://", "http://"))


def _initialize(server: EditorServer, params: lsp.InitializeParams) -> None:
    named = [one.uri for one in params.workspace_folders or ()] or [params.root_uri or ""]
    folders = [Path(path) for uri in named if (path := to_fs_path(uri)) and Path(path).is_dir()]
    server.roots += folders or start_folder()
    if folders:
        # Settings are read from here if the folder is trusted, and reports name files from here.
        os.chdir(folders[0])
        isolate()
    if isinstance(params.initialization_options, dict):
        server.lenses = server.lenses or params.initialization_options.get("codeLens") is True


def _schedule(server: EditorServer, params: lsp.DidChangeTextDocumentParams) -> None:
    server.schedule(params.text_document.uri)


async def _diagnostic(
    server: EditorServer, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
    uri = params.text_document.uri
    text = await server.checked(uri)
    if text is None:
        return lsp.RelatedFullDocumentDiagnosticReport([])
    found = server.diagnostics(text)
    result_id = f"{text.result_id}.{len(found)}"  # another text may make entries unused
    if params.previous_result_id == result_id:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id)
    return lsp.RelatedFullDocumentDiagnosticReport(found, result_id=result_id)


async def _code_action(server: EditorServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    uri = params.text_document.uri
    text = await server.checked(uri)
    found = list(server.actions(uri, text, params)) if text is not None else []
    if not server.can("text_document.code_action.resolve_support"):
        for one in found:
            if isinstance(one.data, dict):
                one.edit = await server.edit(one.data)
    return found


async def _resolve(server: EditorServer, action: lsp.CodeAction) -> lsp.CodeAction:
    if isinstance(action.data, dict):
        action.edit = await server.edit(action.data)
    return action


async def _hover(server: EditorServer, params: lsp.HoverParams) -> lsp.Hover | None:
    text = await server.checked(params.text_document.uri)
    place = server.at(text, params.position) if text is not None else None
    if text is None or text.checked is None or place is None:
        return None
    labels = await server.session.run(lambda: server.session.source_labels)
    shown = hover_text(text.checked.result.references[place], text.checked.by_place[place], labels)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, shown))


async def _links(server: EditorServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    text = await server.checked(params.text_document.uri)
    if text is None:
        return []
    return [
        lsp.DocumentLink(server._span(text, *match.span()), f"https://doi.org/{quote(match[0], safe='/:;()<>.-_')}")  # noqa: SLF001
        for match in DOI.finditer(text.lines.text)
    ]


async def _lens(server: EditorServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    text = await server.checked(params.text_document.uri) if server.lenses else None
    if text is None or text.checked is None:
        return []
    found = zip(text.checked.bibliography.references, text.checked.result.references, strict=True)
    labels = await server.session.run(lambda: server.session.source_labels)
    return [
        lsp.CodeLens(_line(reference.location.line - 1), lsp.Command(shown, "citecheck.open", arguments=[url]))
        for reference, result in found
        if reference.location.path == text.name
        for shown, url in [lens_text(result, labels)]
        if shown
    ]


async def _open_record(server: EditorServer, *arguments: Any) -> None:
    url = str(arguments[0]) if arguments else ""
    if _is_web(url):
        await server.window_show_document_async(lsp.ShowDocumentParams(url, external=True))


def _explain(server: EditorServer, *arguments: Any) -> None:
    code = str(arguments[0]) if arguments else ""
    if code in CODES:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, explanation(code)))


async def _verdicts(server: EditorServer, *arguments: Any) -> dict[str, int]:
    text = await server.checked(str(arguments[0])) if arguments else None
    return text.checked.result.verdicts() if text is not None and text.checked is not None else {}


_FEATURES: Final[tuple[tuple[str, Callable[..., Any], Any], ...]] = (
    (lsp.INITIALIZE, _initialize, None),
    (lsp.TEXT_DOCUMENT_DID_OPEN, EditorServer.begin, None),
    (lsp.TEXT_DOCUMENT_DID_CHANGE, _schedule, None),
    (lsp.TEXT_DOCUMENT_DID_CLOSE, EditorServer.end, None),
    (lsp.TEXT_DOCUMENT_DIAGNOSTIC, _diagnostic, lsp.DiagnosticOptions(True, False, "citecheck")),
    (
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        _code_action,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix], resolve_provider=True),
    ),
    (lsp.CODE_ACTION_RESOLVE, _resolve, None),
    (lsp.TEXT_DOCUMENT_HOVER, _hover, None),
    (lsp.TEXT_DOCUMENT_DOCUMENT_LINK, _links, None),
    (lsp.TEXT_DOCUMENT_CODE_LENS, _lens, lsp.CodeLensOptions()),
)
_COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    "citecheck.open": _open_record,
    "citecheck.explain": _explain,
    "citecheck.verdicts": _verdicts,
}


def editor_server(session: DoorSession, *, lenses: bool = False, roots: Sequence[Path] = ()) -> EditorServer:
    """The server with all features."""
    made = EditorServer(session, lenses=lenses, roots=roots)
    for method, handler, options in _FEATURES:
        made.feature(method, options)(partial(handler, made))
    for name, handler in _COMMANDS.items():
        made.command(name)(handler)
    return made


def serve_editor(chosen: argparse.Namespace) -> int:
    """Serve until the editor leaves."""
    with contextlib.closing(DoorSession(chosen, "citecheck lsp")) as session:
        made = editor_server(session, lenses=chosen.code_lens, roots=chosen.root)
        made.start_io(cast(BinaryIO, Frames(sys.stdin.buffer)))
    return 0
