"""Reader for LaTeX documents: the cited entries of their bibliographies, the content of ``thebibliography``, or
works cited in full: in a list below a heading, or in footnotes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from pytest_citecheck.inputs.base import Bibliography, LineIndex, text_of
from pytest_citecheck.inputs.bbl import read_bbl
from pytest_citecheck.inputs.bibtex.reader import read_together
from pytest_citecheck.inputs.bibtex.values import closing_brace
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import (
    Citations,
    blanked_latex,
    demand_citations,
    is_conditional,
    is_references_heading,
    keys_of,
    latex_citations,
    named_sources,
    not_followed,
    select_cited,
    spaces,
)
from pytest_citecheck.inputs.documents import Files, Surroundings, UnreadableDocumentError, WholeDocumentReader
from pytest_citecheck.inputs.exchange import local_name, parse_xml
from pytest_citecheck.inputs.plain.references import read_paragraphs
from pytest_citecheck.matching import decode
from pytest_citecheck.model import Defect, Location, Reference

_MOST_FILES = 300
_MOST_CHARACTERS = 50_000_000
_VERBATIM = (r"verbatim\*?", r"Verbatim\*?", r"lstlisting\*?", "comment", "minted")
_NAME = r"[^{}\s\\#%~]+(?: [^{}\s\\#%~]+)*"
_INPUT = lazy_pattern(
    rf"\\(?:(?P<command>input|include|subfile|subfileinclude)\s*\{{\s*(?P<name>{_NAME})\s*\}}"
    rf"|input\s+(?P<bare>[^{{}}\s\\#%~]+)"
    rf"|(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{{\s*(?P<folder>{_NAME})?\s*\}}\s*\{{\s*(?P<inner>{_NAME})\s*\}})"
)
_BIBLIOGRAPHY = lazy_pattern(
    r"\\(?:(?:no)?bibliography(?!style|unit)[A-Za-z]*|addbibresource|addglobalbib|addsectionbib|putbib)\*?"
    r"\s*(?:\[(?P<options>[^\[\]]*)\])?(?:\s*\{(?P<names>[^{}]*)\})?"
)
_NOCITE = lazy_pattern(r"\\nocite[A-Za-z]*\s*\{([^{}]*)\}")
_EMBEDDED = lazy_pattern(r"\\begin\{filecontents(?P<star>\*?)\}\s*(?:\[[^\[\]]*\]\s*)?\{(?P<name>[^{}]+)\}[^\n]*\n")
_ITEMS = lazy_pattern(
    r"\\begin\s*\{(?:thebibliography|CSLReferences|cslreferences)\}|\\hypertarget\s*\{ref-|\\bib\*?\s*+\{[^{}]*+\}\s*+\{[A-Za-z.]++\}\s*+\{"
)
_FOOTNOTE = lazy_pattern(r"\\(?:foot|end|side)note(?:text)?\s*+(?:\[[^\[\]]*+\]\s*+)?+(?=\{)")
_LONGEST_NOTE = 5_000  # characters
_SECTION = lazy_pattern(r"\\(?:chapter|(?:sub){0,2}section|paragraph)\*?\s*+\{([^{}]{0,80})\}")
_ITEM_END = lazy_pattern(
    r"\\(?:item(?:\s*\[[^\[\]]*\])?|par|noindent|hangindent\s*=?\s*[\d.]+\s*(?:em|cm|in|pt|mm))(?![A-Za-z])"
    r"|\n[ \t]*\n|\\\\(?:\[[^\[\]]*\])?|\\(?:begin|end)\s*\{[^{}]*\}(?:\[[^\[\]]*\]|\{[^{}]*\})*"
    r"|(?<=\n)[ \t]*(?:\[\d{1,3}\]|\d{1,3}\.)(?=[ \t])"
)
"""Separates the items of a list below a heading."""
_EMPHASIS = lazy_pattern(r"\\(?:emph|textit|textsl)\s*+\{((?:[^{}]|\{[^{}]*+\})++)\}")
_INCLUDE_ONLY = lazy_pattern(r"\\includeonly\s*+\{([^{}]*+)\}")
_OWN_MACRO = lazy_pattern(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|(?:New|Renew|Declare)DocumentCommand|g?def|e?def)\*?\s*+\{?\s*+"
    r"\\(?P<name>[A-Za-z]++)\s*+\}?(?:\s*+\[[^\[\]]*+\]|\s*+#\d)*+\s*+(?=\{)"
)
"""Macro definition up to its body or the description of its arguments."""
_BRACE = lazy_pattern(r"\\.|[{}]", re.DOTALL)
_LONGEST_MACRO = 2_000
_END = lazy_pattern(r"\\end\s*\{document\}")
_ROOT = lazy_pattern(r"^%\s*!\s*T[eE]X\s+root\s*=\s*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)
_SUBFILES = lazy_pattern(r"\\documentclass\s*\[([^\[\]]+)\]\s*\{subfiles\}")
_CONTENT = lazy_pattern(r">([^<>]+)<")
_PACKAGES = lazy_pattern(
    r"\\(?:(?P<class>documentclass|LoadClass)|usepackage|RequirePackage)(?:WithOptions)?\s*+(?:\[[^\[\]]*+\]\s*+)?"
    r"\{(?P<names>[^{}]*+)\}"
)
_CLASS = lazy_pattern(r"\\documentclass\b|\\documentstyle\b")


@dataclass(frozen=True, slots=True)
class TexFile:
    """One file: its name relative to the main file's folder, its text without comments, and its line starts."""

    name: str
    shown: str
    text: str
    lines: LineIndex


@dataclass(slots=True)
class LatexProject:
    """A document with all its input files.

    bibliographies: names of the .bib files to look for. embedded: content of ``filecontents`` environments, with their first
    lines. items: files with ``thebibliography``. root: the main file that this file declares. included: the files in
    ``includeonly``; None without it. own_macros: commands with ``cite`` in their names that the document defines and that cite
    nothing.
    """

    files: list[TexFile] = field(default_factory=list)
    citations: Citations = field(default_factory=Citations)
    bibliographies: list[str] = field(default_factory=list)
    embedded: dict[str, tuple[str, int]] = field(default_factory=dict)
    items: list[TexFile] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    root: str = ""
    is_main: bool = False
    included: frozenset[str] | None = None
    own_macros: set[str] = field(default_factory=set)


def follow(path: str, data: bytes, files: Files) -> LatexProject:
    """Read a document and all its input files. path: of the document, as displayed."""
    project = LatexProject()
    folder, main = posixpath.split(path)
    pending: list[tuple[str, bytes, str]] = [(main, data, "")]
    seen = {main}
    characters = 0
    while pending:
        name, content, base = pending.pop(0)
        text = text_of(content)[0]
        characters += len(text)
        if characters > _MOST_CHARACTERS:
            project.unread.append(f"{name}, which is too long")
            continue
        if name == main:
            root = _ROOT.search(text) or _SUBFILES.search(text)
            project.root = root[1].strip() if root else ""
        text = _embedded_apart(text, project)
        said = blanked_latex(text, _VERBATIM)
        end = _END.search(said)
        said = said[: end.start()] if end else said
        project.is_main = project.is_main or (name == main and bool(_CLASS.search(said)))
        only = _INCLUDE_ONLY.search(said) if name == main else None
        if only is not None and not is_conditional(said, only.start()):
            project.included = frozenset(posixpath.normpath(one.strip()) for one in only[1].split(",") if one.strip())
        project.own_macros |= _macros_that_cite_nothing(said)
        file = TexFile(name, posixpath.normpath(posixpath.join(folder, name)), said, LineIndex(text))
        project.files.append(file)
        _cite(file, project)
        if _ITEMS.search(said):
            project.items.append(file)
        project.bibliographies += [one for one in bibliographies_named(said, main) if one not in project.bibliographies]
        project.bibliographies += _of_packages(said, main, files, project, seen)
        pending[:0] = _further_files(said, base, name, files, project, seen)
    return project


def _further_files(
    said: str, base: str, name: str, files: Files, project: LatexProject, seen: set[str]
) -> list[tuple[str, bytes, str]]:
    """Return the files that a file inputs and that were not read before."""
    inner: list[tuple[str, bytes, str]] = []
    for wanted, further, included in _inputs(said, base):
        if included and project.included is not None and wanted.removesuffix(".tex") not in project.included:
            project.left_out.append(wanted)
            continue
        candidates = _candidates(wanted, name)
        found = next(((one, read) for one in candidates if (read := files.read(one)) is not None), None)
        if found is None:
            project.unread.append(files.absence(*candidates))
        elif found[0] not in seen and len(seen) < _MOST_FILES:
            seen.add(found[0])
            inner.append((*found, further))
    return inner


def _embedded_apart(text: str, project: LatexProject) -> str:
    """Store embedded files in the project and return the text with blanks in their place."""
    kept, absent, position, lines = [], set[str](), 0, LineIndex(text)
    for match in _EMBEDDED.finditer(text):
        closing = f"\\end{{filecontents{match['star']}}}"
        if match.start() < position or closing in absent:
            continue
        if (end := text.find(closing, match.end())) < 0:
            absent.add(closing)
            continue
        content = text[match.end() : end]
        project.embedded[match["name"].strip()] = content, lines.line(match.end()) - 1
        kept += [text[position : match.end()], spaces(content)]
        position = end
    return "".join([*kept, text[position:]])


def _cite(file: TexFile, project: LatexProject) -> None:
    for one in latex_citations(file.text):
        if one.name in project.own_macros:
            continue
        line = file.lines.line(one.first)
        for key in keys_of(one):
            project.citations.add(key, Location(file.shown, line, line))
    for match in _NOCITE.finditer(file.text):
        line = file.lines.line(match.start())
        for key in match[1].split(","):
            if key.strip() and "#" not in key:
                project.citations.add(key.strip(), Location(file.shown, line, line))


def bibliographies_named(text: str, main: str) -> Iterator[str]:
    """Yield the .bib files that this text of the document ``main`` names, with their suffix."""
    for match in _BIBLIOGRAPHY.finditer(text):
        names = match["names"]
        if names is None:
            names = match["options"] if match[0].startswith("\\putbib") else ""
        for name in (names or "").split(","):
            bare = name.strip().strip('"').replace("\\jobname", posixpath.splitext(main)[0])
            if not bare or "#" in bare or "\\" in bare:
                continue
            yield bare if posixpath.splitext(bare)[1].lower() in (".bib", ".bibtex", ".ris", ".json") else f"{bare}.bib"


def _of_packages(text: str, main: str, files: Files, project: LatexProject, seen: set[str]) -> list[str]:
    """Return the existing bibliographies that packages and the class next to the document name; others are installed."""
    found: list[str] = []
    pending = [text]
    while pending:
        for match in _PACKAGES.finditer(pending.pop()):
            for bare in filter(None, map(str.strip, match["names"].split(","))):
                name = posixpath.normpath(bare + (".cls" if match["class"] else ".sty"))
                if name in seen or len(seen) >= _MOST_FILES or (data := files.read(name)) is None:
                    continue
                seen.add(name)
                said = blanked_latex(text_of(data)[0], _VERBATIM)
                pending.append(said)
                named = (
                    one for one in bibliographies_named(said, main) if one not in (*project.bibliographies, *found)
                )
                found += [one for one in named if files.read(one) is not None]
    return found


def _macros_that_cite_nothing(text: str) -> set[str]:
    """Return commands with ``cite`` in their names that this text defines without a citation in the body, as for drawings."""
    found = set()
    for match in _OWN_MACRO.finditer(text):
        if "cite" not in match["name"].lower():
            continue
        depth, position = 0, match.end()
        for brace in _BRACE.finditer(text, position, position + _LONGEST_MACRO):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if (
                depth == 0 and text[brace.end() : brace.end() + 1] != "{"
            ):  # \NewDocumentCommand has its arguments in braces
                if "cite" not in text[position : brace.end()].lower():
                    found.add(match["name"])
                break
    return found


def _inputs(text: str, base: str) -> Iterator[tuple[str, str, bool]]:
    r"""Yield each input file name, the base folder for names in that file, and True for ``\include``."""
    for match in _INPUT.finditer(text):
        if match["inner"]:
            folder = posixpath.join(base, match["folder"] or "")
            yield posixpath.normpath(posixpath.join(folder, match["inner"].strip())), folder, False
        else:
            name = (match["name"] or match["bare"]).strip().strip('"')
            yield posixpath.normpath(posixpath.join(base, name)), base, match["command"] == "include"


def _candidates(wanted: str, inside: str) -> list[str]:
    """Return the files that a name may refer to: relative to the main folder, then to the inputting file's folder."""
    names = [wanted] if posixpath.splitext(wanted)[1].lower() in (".tex", ".bbl", ".ltx") else [f"{wanted}.tex", wanted]
    folders = dict.fromkeys(("", posixpath.dirname(inside)))
    return [posixpath.normpath(posixpath.join(folder, name)) for folder in folders for name in names]


class LatexReader(WholeDocumentReader):
    """Reader for ``.tex`` files; see `read_document`."""

    suffixes = frozenset((".tex", ".ltx"))
    format = "a LaTeX document"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        r"""Return the references that a document cites.

        They come from its .bib files, or if none exists, from the .bbl next to it, as in an arXiv source; and from
        ``thebibliography``. Raises UnreadableDocumentError.
        """
        project = follow(path, data, around.files)
        folder, main = posixpath.split(path)
        items = [one for file in project.items for one in [read_bbl(file.shown, file.text.encode("utf-8", "replace"))]]
        sources, absent = _bib_files(project, folder, around.files)
        notes = [not_followed(name) for name in project.unread]
        if project.left_out:
            names = ", ".join(project.left_out)
            notes.append(Defect("not-followed", f"\\includeonly leaves out {names}", 1, note=True))
        if not sources and not items:
            bbl = f"{posixpath.splitext(main)[0]}.bbl"
            found = around.files.read(bbl)
            if found is not None:
                shown = posixpath.join(folder, bbl)
                items = [read_bbl(shown, found)]
                why = "".join(f"the document names {name}; " for name in absent)
                notes.append(Defect("bbl-read", f"{why}read {shown} instead", 1, note=True))
                absent = []
            elif not absent and around.given:
                return _selected(path, project, [], [*_given(around)], around, notes=notes)
        if not (sources or items):
            if (cited := _in_full(path, project, notes)) is not None and not absent:
                return cited
            raise UnreadableDocumentError(_why_nothing(path, project, absent, around.files))
        return _selected(path, project, items, sources, around, absent, notes)


def _in_full(path: str, project: LatexProject, notes: list[Defect]) -> Bibliography | None:
    """The works that a document without keys and bibliography cites in full: in a list with a heading, else in footnotes;
    None if there are none."""
    found: list[Reference] = []
    for pieces in (_listed, _footnotes):
        for file in project.files if not (project.citations.places or found) else ():
            read, said = read_paragraphs(file.shown, [*pieces(file)], notes=pieces is _footnotes)
            found += read
            notes = [*notes, *said]
    return Bibliography(path, tuple(found), tuple(notes)) if any(one.fields for one in found) else None


def _footnotes(file: TexFile) -> Iterator[tuple[str, int]]:
    for match in _FOOTNOTE.finditer(file.text):
        end = closing_brace(file.text, match.end(), match.end() + _LONGEST_NOTE)
        if end >= 0:
            yield _shown(file.text[match.end() + 1 : end]), file.lines.line(match.start())


def _listed(file: TexFile) -> Iterator[tuple[str, int]]:
    """The items of the lists below headings of references, typed without ``thebibliography``."""
    headings = [*_SECTION.finditer(file.text)]
    for heading, following in zip_longest(headings, headings[1:]):
        if not is_references_heading(decode(heading[1])):
            continue
        end = following.start() if following else len(file.text)
        cuts = [
            heading.end(),
            *(cut for one in _ITEM_END.finditer(file.text, heading.end(), end) for cut in one.span()),
            end,
        ]
        for start, stop in zip(cuts[::2], cuts[1::2], strict=True):
            item = file.text[start:stop]
            if text := _shown(item):
                yield text, file.lines.line(start + len(item) - len(item.lstrip()))


def _shown(text: str) -> str:
    return " ".join(decode(_EMPHASIS.sub(r"*\1*", text)).split())


LATEX = LatexReader()


def _selected(
    path: str,
    project: LatexProject,
    items: list[Bibliography],
    sources: list[Bibliography],
    around: Surroundings,
    absent: Iterable[str] = (),
    notes: Iterable[Defect] = (),
) -> Bibliography:
    # Everything in a printed list counts, cited or not.
    printed = {reference.key for one in items for reference in one.references}
    places = {key: place for key, place in project.citations.places.items() if key not in printed}
    cited = Citations(places, project.citations.everything)
    if items and not sources:
        known = Citations(dict(project.citations.places), everything=True)
        return select_cited(path, known, items, notes=notes)
    if sources and not items:
        demand_citations(path, cited, sources, absent, everything=around.everything)
    whole = select_cited(path, cited, sources, everything=around.everything, absent=absent, notes=notes)
    lists = tuple(reference for one in items for reference in one.references)
    return replace(whole, references=(*lists, *whole.references))


def _bib_files(project: LatexProject, folder: str, files: Files) -> tuple[list[Bibliography], list[str]]:
    """Return the bibliographies of a document, including embedded ones, and the names of missing ones."""
    main = project.files[0].shown
    embedded = [project.embedded[name] for name in project.bibliographies if name in project.embedded]
    # Leading blank lines, so that the entries keep their line numbers in the document.
    own = read_together((main, ("\n" * line + content).encode("utf-8", "replace")) for content, line in embedded)
    outside, absent = named_sources(
        files, [name for name in project.bibliographies if name not in project.embedded], folder
    )
    return [*own, *outside], absent


def _given(around: Surroundings) -> list[Bibliography]:
    sources, _ = named_sources(around.files, around.given, "")
    return sources


def _why_nothing(path: str, project: LatexProject, absent: list[str], files: Files) -> str:
    """Explain why a document has no readable references, and suggest a remedy."""
    main = posixpath.basename(path)
    if absent:
        bbl = f"{posixpath.splitext(main)[0]}.bbl"
        return f"{path} names {', '.join(absent)}; there is no {bbl}"
    if project.root:
        return f"{path} is part of {project.root}: check that file (pytest --citecheck={project.root})"
    if not project.is_main:
        whole = next(_mains_that_input(posixpath.splitext(main)[0], files), "")
        if whole:
            whole_path = posixpath.normpath(posixpath.join(posixpath.dirname(path), whole))
            return f"{path} has no bibliography; it is part of {whole_path}: pytest --citecheck={whole_path}"
    count = len(project.citations.places)
    cites = f"cites {count} key{'' if count == 1 else 's'}" if count else "cites nothing"
    return f"{path} {cites} but has no bibliography (\\bibliography, \\addbibresource, thebibliography or a list below a heading)"


def _mains_that_input(stem: str, files: Files) -> Iterator[str]:
    for folder in ("", "../"):
        for name in files.names() if not folder else ("../main.tex", "../paper.tex", "../thesis.tex"):
            if not name.endswith(".tex"):
                continue
            data = files.read(name)
            if data is None or b"\\documentclass" not in data:
                continue
            project = follow(name, data, files)
            if any(posixpath.splitext(posixpath.basename(one.name))[0] == stem for one in project.files[1:]):
                yield name


_LINE = lazy_pattern(
    r"^\\(?:(?P<citation>citation)\{(?P<keys>[^{}]*)\}|abx@aux@cite(?:\{\d+\})?\{(?P<key>[^{}]*)\}"
    r"|(?P<all>abx@aux@nociteall)|bibdata\{(?P<files>[^{}]*)\}|@input\{(?P<input>[^{}]*)\})",
    re.MULTILINE,
)


class AuxReader(WholeDocumentReader):
    """Reader for ``.aux`` files; see `read_document`."""

    suffixes = frozenset((".aux",))
    format = "an .aux file of LaTeX"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references that the document cites. Raise UnreadableDocumentError."""
        folder, main = posixpath.split(path)
        citations, names, unread = _followed(folder, main, data, around.files)
        if not names:
            control = f"{posixpath.splitext(main)[0]}.bcf"
            found = around.files.read(control)
            if found is not None:
                names = _control(found)[1]
        return _read(path, citations, names or [*around.given], around, unread)


class BcfReader(WholeDocumentReader):
    """Reader for ``.bcf`` files; see `read_document`."""

    suffixes = frozenset((".bcf",))
    format = "a control file of biber"

    def reads(self, head: bytes) -> bool:
        """Detect the root element."""
        return b"controlfile" in head

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references that the document cites. Raise UnreadableDocumentError."""
        try:
            keys, names = _control(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{path}: {error}") from error
        text = text_of(data)[0]
        citations = Citations()
        lines = LineIndex(text)
        places = {match[1]: match.start() for match in reversed(list(_CONTENT.finditer(text)))}
        for key in keys:
            line = lines.line(places.get(key, 0))
            citations.add(key, Location(path, line, line))
        return _read(path, citations, names, around)


AUX, BCF = AuxReader(), BcfReader()


def _followed(folder: str, main: str, data: bytes, files: Files) -> tuple[Citations, list[str], list[Defect]]:
    """Return the citations and .bib files of a file and its input files, and a note for each unread input file."""
    citations, names, unread = Citations(), list[str](), list[Defect]()
    pending, seen = [(main, data)], {main}
    while pending:
        name, content = pending.pop(0)
        text = text_of(content)[0]
        lines = LineIndex(text)
        shown = posixpath.normpath(posixpath.join(folder, name))
        for match in _LINE.finditer(text):
            line = lines.line(match.start())
            for key in [match["key"]] if match["key"] else (match["keys"] or "").split(","):
                if key.strip():
                    citations.add(key.strip(), Location(shown, line, line))
            citations.everything = citations.everything or bool(match["all"])
            for one in (match["files"] or "").split(","):
                bare = one.strip().strip('"')
                if bare and not bare.endswith("-blx"):  # added by biblatex for BibTeX
                    names.append(bare if bare.endswith(".bib") else f"{bare}.bib")
            if match["input"] and match["input"] not in seen and len(seen) < _MOST_FILES:
                seen.add(match["input"])
                found = files.read(match["input"])
                if found is not None:
                    pending.append((match["input"], found))
                else:
                    unread.append(not_followed(files.absence(match["input"])))
    return citations, list(dict.fromkeys(names)), unread


def _control(data: bytes) -> tuple[list[str], list[str]]:
    """Return the keys and .bib files of a control file. Raise ValueError if it is not XML."""
    keys: list[str] = []
    names: list[str] = []
    for element in parse_xml(data).iter():
        name, text = local_name(element), (element.text or "").strip()
        if name == "citekey" and text and element.get("type") != "set":
            keys.append(text)
        elif name == "datasource" and text and element.get("type", "file") == "file":
            names.append(text if posixpath.splitext(text)[1] else f"{text}.bib")
    return list(dict.fromkeys(keys)), list(dict.fromkeys(names))


def _read(
    path: str, citations: Citations, names: list[str], around: Surroundings, notes: Iterable[Defect] = ()
) -> Bibliography:
    if not names:
        raise UnreadableDocumentError(f"{path} has no .bib file")
    sources, absent = named_sources(around.files, names, posixpath.dirname(path))
    demand_citations(path, citations, sources, absent, everything=around.everything)
    return select_cited(path, citations, sources, everything=around.everything, absent=absent, notes=notes)
