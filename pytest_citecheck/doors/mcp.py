"""``citecheck mcp``: the tools for agents, on the official SDK of the Model Context Protocol."""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import os
import secrets
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar
from urllib.parse import unquote, urlsplit

from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl, Field

from pytest_citecheck import __version__
from pytest_citecheck.checks import CODES, explanation_markdown, nearest_codes
from pytest_citecheck.cli import Edit, NotDoneError, UsageError, complain, write_edits
from pytest_citecheck.confinement import within
from pytest_citecheck.doors.answers import (
    NOTE,
    CheckAnswer,
    ClaimAnswer,
    CorrectAnswer,
    FindAnswer,
    find_answer,
    reference_answer,
)
from pytest_citecheck.doors.loopback import LOOPBACK, allowed_hosts, allowed_origins, is_token, new_token, without_paths
from pytest_citecheck.doors.session import Checked, DoorSession, name_of_text
from pytest_citecheck.fixing import FieldEdit
from pytest_citecheck.inputs import (
    BIBTEX,
    LARGEST,
    FolderFiles,
    NoFiles,
    UnreadableDocumentError,
    decode_bytes,
    identifier_lines,
)
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.model import Location, Reference
from pytest_citecheck.models import abstract_of
from pytest_citecheck.models.claims import judge_without_model
from pytest_citecheck.reports import markdown_page, report_data

if TYPE_CHECKING:
    from pytest_citecheck.inputs import Bibliography

T = TypeVar("T")

_REPORTS: Final = 20
_PAGE: Final = 50  # references of one answer
_MOST_CHARACTERS: Final = 2_000_000  # of a text in an argument
_TOKEN: Final = "CITECHECK_MCP_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST_TOKEN: Final = 16
_BARE_PMID: Final = lazy_pattern(r"\d{5,8}")
_INSTRUCTIONS: Final = (
    "Verify references against Crossref, DataCite, DBLP, arXiv, PubMed and other databases. Call find_reference before "
    "you add a reference, and check_references after you edit a bibliography. Cite only works that find_reference "
    f"returned or that check_references verified. {NOTE}"
)

Text = Annotated[str, Field(max_length=_MOST_CHARACTERS)]
Ctx = Context  # the SDK finds the parameter by this annotation


class McpDoor:
    """The tools, one typed method each.

    roots: folders that the user allows. own: the client runs as the user, so that its roots count, too. writes: whether tools
    may write.
    """

    def __init__(self, session: DoorSession, roots: Sequence[Path], *, own: bool, writes: bool) -> None:
        self._session, self._own, self._writes = session, own, writes
        self._roots = [*roots]
        self._reports: dict[str, Checked] = {}

    # --- tools

    async def check_references(
        self,
        ctx: Ctx,
        text: Annotated[Text, Field(description="BibTeX, or a list of references in any style")] = "",
        identifiers: Annotated[
            list[str],
            Field(max_length=1000, description="DOIs, arXiv ids, PubMed ids or ISBNs, or addresses with them"),
        ] = [],  # noqa: B006 - the SDK makes a schema of it
        path: Annotated[str, Field(description="a file within the client's roots, such as refs.bib or paper.tex")] = "",
        cursor: Annotated[str, Field(description="next_cursor of the previous answer for the same input")] = "",
        limit: Annotated[int, Field(ge=1, le=200, description="references in one answer")] = _PAGE,
    ) -> CheckAnswer:
        """Check if references exist and are described correctly. Pass exactly one of text, identifiers and path. Each
        reference gets a verdict, its problems with the correct values, the evidence, and the checks that could not be
        decided. A verdict of undecided or unfindable is not proof that a work does not exist."""
        if sum(map(bool, (text, identifiers, path))) != 1:
            raise ToolError("pass exactly one of text, identifiers and path")
        earlier, start = self._continued(cursor)
        read = await self._read(ctx, text, identifiers, path)
        part = replace(read, references=read.references[start : start + limit], answered=())
        checked = await self._stoppable(ctx, partial(self._session.checked, part))
        if earlier:
            checked = _joined(self._reports.pop(earlier), checked)
        name = self._kept(checked)
        results = checked.result.references[start:]
        labels = await self._run(lambda: self._session.source_labels)
        following = start + limit
        return {
            "references": [
                reference_answer(result, found, labels)
                for result, found in zip(results, checked.by_place[start:], strict=True)
            ],
            "total": len(read.references),
            "verdicts": dict(Counter(one.verdict["name"] for one in results if one.verdict)),
            "conflicts": [safe_line(one.message) for one in checked.result.further],
            "next_cursor": f"{following}.{name}" if following < len(read.references) else "",
            "report": f"citecheck://report/{name}.md",
            "note": NOTE,
        }  # fmt: skip

    async def find_reference(
        self,
        ctx: Ctx,
        title: Annotated[str, Field(max_length=1000, description="the title, or words that describe the work")] = "",
        authors: Annotated[list[str], Field(max_length=50, description="names such as 'Leslie Lamport'")] = [],  # noqa: B006
        year: Annotated[int | None, Field(ge=1000, le=3000)] = None,
        identifier: Annotated[str, Field(max_length=500, description="a DOI, arXiv id or other identifier")] = "",
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
    ) -> FindAnswer:
        """Find real works by title or identifier; authors and year help to choose. Each record has BibTeX and the databases
        that state it. An empty result lists the databases that answered: do not cite the work then."""
        if not (title.strip() or identifier.strip()):
            raise ToolError("pass a title, a description or an identifier")
        if identifier.strip():
            found = (await self._run(self._session.read, "input.ids", identifier.encode(), NoFiles())).references
            reference = found[0] if found else None
            if reference is None or not reference.readable:
                raise ToolError("this is not an identifier that citecheck knows")
        else:
            stated = {"title": title, "author": " and ".join(authors), "year": str(year or "")}
            fields = {name: " ".join(value.split()) for name, value in stated.items() if value}
            reference = Reference("query", "misc", fields, Location("input.bib", 1, 1), fields)
        evaluation = await self._stoppable(ctx, partial(self._session.evaluation, reference))
        labels = await self._run(lambda: self._session.source_labels)
        if evaluation is None:
            raise ToolError("this is not a reference to a work")
        return find_answer(evaluation, limit, labels)

    async def correct_bibliography(
        self,
        ctx: Ctx,
        bibtex: Annotated[Text, Field(description="the BibTeX file")] = "",
        path: Annotated[str, Field(description="a .bib file within the client's roots")] = "",
        write: Annotated[bool, Field(description="write the corrections into the file at path")] = False,
        add_doi: Annotated[bool, Field(description="also add missing DOIs")] = False,
    ) -> CorrectAnswer:
        """Correct wrong values in BibTeX if a registry or two independent databases back the new value. Returns the corrected
        file, a diff and the corrections. Nothing is written unless you pass path and write."""
        if bool(bibtex) == bool(path) or (write and not path):
            raise ToolError("pass exactly one of bibtex and path; write needs path")
        if write and not self._writes:
            raise ToolError("this server does not write: the user must start it with --allow-write")
        file = await self._file(ctx, path) if path else None
        name = file[1] if file else "input.bib"
        if Path(name).suffix.lower() not in BIBTEX.suffixes:
            raise ToolError("only BibTeX files can be corrected")
        data = _content(file[0]) if file else bibtex.encode("utf-8", "replace")
        mended = await self._stoppable(
            ctx, lambda _progress, stop: self._session.corrected(name, data, FieldEdit(add_doi=add_doi), stop=stop)
        )
        after, refused = mended.contents[name], dict[int, str]()
        if write and file:
            edits = {number: Edit(*one) for (_, number), one in mended.written.items()}
            try:
                data, done = await self._run(write_edits, {name: data}, name, edits, file[0])
            except OSError as error:
                raise ToolError(f"{name} cannot be written: {error.strerror}") from error
            after, refused = done.data, dict(done.refused)
        left = [*mended.left.values(), *((mended.written[name, number][0], why) for number, why in refused.items())]
        old, new = (decode_bytes(one)[0] for one in (data, after))
        diff = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), name, name)
        return {
            "bibtex": new,
            "diff": "".join(diff),
            "corrections": [
                {
                    "key": safe_line(reference.key),
                    "field": one.field,
                    "value": one.value,
                    "code": one.code,
                    "backed_by": list(one.sources),
                }
                for (_, number), (reference, found) in mended.written.items()
                if number not in refused
                for one in found
            ],
            "left": {safe_line(reference.key): safe_line(why) for reference, why in left},
            "written": write and after != data,
            "note": NOTE,
        }

    async def check_claim(
        self,
        claim: Annotated[str, Field(min_length=1, max_length=5000)],
        source_text: Annotated[Text, Field(description="the text of the source")] = "",
        identifier: Annotated[
            str, Field(max_length=500, description="a DOI, arXiv id or PubMed id; its abstract is the source")
        ] = "",
    ) -> ClaimAnswer:
        """Check if a source says what a claim says. The judge knows word-for-word sentences and other numbers, and
        quotes the sentence that decides. It abstains (undecided) otherwise, as for a paraphrase."""
        if bool(source_text) == bool(identifier):
            raise ToolError("pass exactly one of source_text and identifier")
        text, source, problem = source_text, "source_text", ""
        if identifier:
            text, problem = await self._run(self._abstract, identifier)
            source = f"abstract of {safe_line(identifier)}"
        if not text:
            verdict, quote, comment = "source unavailable", "", problem
        else:
            said = await self._run(judge_without_model, claim, text)
            verdict, quote, comment = (said.verdict or "undecided").lower(), said.quote, said.comments or said.problem
        return {"verdict": verdict, "quote": quote, "comment": safe_line(comment), "source": source, "note": NOTE}

    async def explain_code(self, code: Annotated[str, Field(max_length=100)]) -> str:
        """Explain a code of a problem: its meaning, the evidence behind it, and how to accept it."""
        if code not in CODES:
            near = nearest_codes(code)
            raise ToolError(f"unknown code{f'; did you mean {chr(32).join(near)}?' if near else ''}")
        return explanation_markdown(code)

    # --- resources and prompts

    def report(self, name: str) -> str:
        """The report of a check_references: its name in the answer, with .md for Markdown or .json (docs/json-report.md)."""
        stem, _, suffix = name.partition(".")
        checked = self._reports.get(stem)
        if checked is None or suffix not in ("md", "json"):
            raise ResourceNotFoundError("there is no such report; reports are kept until the server ends, at most 20")
        data = report_data(checked.result)
        return markdown_page(data) if suffix == "md" else json.dumps(data, ensure_ascii=False, indent=1)

    def last_report(self) -> str:
        """The last report of this session as JSON (docs/json-report.md)."""
        return self.report(f"{next(reversed(self._reports), '')}.json")

    def last_report_markdown(self) -> str:
        """The last report of this session as Markdown."""
        return self.report(f"{next(reversed(self._reports), '')}.md")

    def _continued(self, cursor: str) -> tuple[str, int]:
        """The report that a cursor continues, and the number of its first reference."""
        if not cursor:
            return "", 0
        place, _, name = cursor.partition(".")
        known = self._reports.get(name)
        if known is None or place != str(len(known.result.references)):
            raise ToolError("this cursor is unknown or used: start again without one")
        return name, int(place)

    def _kept(self, checked: Checked) -> str:
        """Keep a report under a name that another client cannot guess."""
        name = secrets.token_urlsafe(12)
        self._reports[name] = checked
        while len(self._reports) > _REPORTS:
            del self._reports[next(iter(self._reports))]
        return name

    @staticmethod
    def cite_only_what_exists(topic: str = "") -> str:
        """A workflow that looks works up before they are cited."""
        about = f" about {safe_line(topic)}" if topic else ""
        return (
            f"Write a text with references{about}. Follow these steps:\n"
            "1. List the works that you want to cite. Your memory of them may be wrong.\n"
            "2. Call find_reference for each. Keep a work only if a returned record is the one that you mean.\n"
            "3. Copy the BibTeX of the record. Do not write or change a field yourself.\n"
            "4. Drop each work that was not found, and the sentence that needs it.\n"
            "5. Call check_references with the whole bibliography. Correct every problem, or drop the reference.\n"
            "6. State which references are undecided, and why."
        )

    # --- access

    async def _read(self, ctx: Ctx, text: str, identifiers: Sequence[str], path: str) -> Bibliography:
        if path:
            file, name, root = await self._file(ctx, path)
            files = FolderFiles(file.parent, (root,), "--root")
            return await self._run(self._session.read, name, _content(file), files)
        if identifiers:
            stated = [" ".join(one.split()) for one in identifiers]
            stated = [f"pmid:{one}" if _BARE_PMID.fullmatch(one) else one for one in stated]
            if unknown := [one for one in stated if not identifier_lines("input.ids", one)]:
                raise ToolError(f"citecheck does not know these identifiers: {', '.join(map(safe_line, unknown[:5]))}")
            return await self._run(
                self._session.read, "input.ids", "\n".join(stated).encode("utf-8", "replace"), NoFiles()
            )
        data = text.encode("utf-8", "replace")
        return await self._run(self._session.read, name_of_text(data), data, NoFiles())

    async def _file(self, ctx: Ctx, path: str) -> tuple[Path, str, Path]:
        """The file, its name within its root, and the root. Raises ToolError."""
        roots = await self._all_roots(ctx)
        if not roots:
            raise ToolError("no folder is open: the client has no roots, and the server was started without --root")
        for root in roots:
            file = within(root / path, (root,))
            if file is not None and os.path.isfile(file):  # noqa: PTH113 - is_file raises for a long name
                return file, file.relative_to(root).as_posix(), root
        raise ToolError("no such file within the roots")

    async def _all_roots(self, ctx: Ctx) -> list[Path]:
        roots = list(self._roots)
        able = ctx.client_capabilities
        if self._own and able is not None and able.roots is not None and ctx.session.can_send_request:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # newer clients have no roots; for them there is --root
                stated = (await ctx.session.list_roots()).roots
            parts = [urlsplit(str(one.uri)) for one in stated]
            roots += [Path(unquote(one.path)).resolve() for one in parts if one.scheme == "file"]
        return roots

    def _abstract(self, identifier: str) -> tuple[str, str]:
        found = self._session.read("input.ids", identifier.encode(), NoFiles()).references
        if not found or not found[0].readable:
            return "", "this is not an identifier that citecheck knows"
        return abstract_of(found[0], self._session.transport)

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run this in the thread of the session; expected errors become errors of the tool."""
        try:
            return await self._session.run(work, *arguments)
        except (UsageError, NotDoneError, UnreadableDocumentError) as error:
            raise ToolError(self._harmless(str(error))) from error

    async def _stoppable(self, ctx: Ctx, work: Callable[..., T]) -> T:
        """Run this with progress; if the client cancels, the queries end."""
        loop, stop, due = asyncio.get_running_loop(), threading.Event(), 0.0

        def progress(what: str, done: int, total: int) -> None:
            nonlocal due
            if loop.time() >= due:
                due = loop.time() + 0.2
                asyncio.run_coroutine_threadsafe(ctx.report_progress(done, total, f"querying {what}"), loop)

        try:
            return await self._run(partial(work, progress, stop))
        except asyncio.CancelledError:
            stop.set()
            raise

    def _harmless(self, text: str) -> str:
        """An error without paths of the machine."""
        return safe_line(without_paths(text, (*self._roots, Path.cwd(), Path.home())))


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > LARGEST:
            raise ToolError("the file is too large")
        return file.read_bytes()
    except OSError as error:
        raise ToolError(f"the file cannot be read: {error.strerror}") from error


def _joined(first: Checked, second: Checked) -> Checked:
    """The result of an input that was checked in parts."""
    references = [*first.result.references, *second.result.references]
    further = (*first.result.further, *second.result.further)
    result = replace(second.result, references=references, further=further)
    return replace(second, result=result, by_place=(*first.by_place, *second.by_place))


class _OneToken:
    """Accepts the token of this server only."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        same = is_token(token, self._token)
        return AccessToken(token=token, client_id="citecheck", scopes=[]) if same else None


def agent_server(chosen: argparse.Namespace, session: DoorSession, token: str = "") -> MCPServer:
    """The server with all tools, resources and prompts. token: that of HTTP clients; on standard input there is one client."""
    alone = chosen.http is None
    door = McpDoor(session, chosen.root, own=alone, writes=alone or chosen.allow_write)
    made = MCPServer(
        "citecheck",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        token_verifier=None if alone else _OneToken(token),
        auth=None if alone else AuthSettings(issuer_url=_address(chosen.http), resource_server_url=None),
    )
    for tool in (
        door.check_references, door.find_reference, door.correct_bibliography, door.check_claim, door.explain_code
    ):  # fmt: skip
        made.add_tool(tool, structured_output=True, description=" ".join((tool.__doc__ or "").split()))
    made.resource("citecheck://report/{name}")(door.report)
    if alone:
        made.resource("citecheck://report/last.json", mime_type="application/json")(door.last_report)
        made.resource("citecheck://report/last.md", mime_type="text/markdown")(door.last_report_markdown)
    made.prompt("cite-only-what-exists")(door.cite_only_what_exists)
    return made


def _address(port: int) -> AnyHttpUrl:
    return AnyHttpUrl(f"http://{LOOPBACK}:{port}")


def _token(port: int) -> str:
    """The token from the variable, or a new one, which is shown. Raises UsageError."""
    stated = os.environ.get(_TOKEN, "")
    if stated and len(stated) < _SHORTEST_TOKEN:
        raise UsageError(f"{_TOKEN} has less than {_SHORTEST_TOKEN} characters")
    token = stated or new_token()
    where = f"citecheck mcp: {_address(port)}mcp needs the header “Authorization: Bearer TOKEN”"
    complain(f"{where} with the token in {_TOKEN}" if stated else f"{where}; TOKEN is {token}")
    return token


def serve_agents(chosen: argparse.Namespace) -> int:
    """Serve until the client leaves. Raises UsageError."""
    with closing(DoorSession(chosen, "citecheck mcp", most=chosen.budget)) as session:
        if chosen.http is None:
            agent_server(chosen, session).run("stdio")
        else:
            made = agent_server(chosen, session, _token(chosen.http))
            security = TransportSecuritySettings(
                allowed_hosts=allowed_hosts(chosen.http), allowed_origins=allowed_origins(chosen.http)
            )
            made.run("streamable-http", host=LOOPBACK, port=chosen.http, transport_security=security)
    return 0
