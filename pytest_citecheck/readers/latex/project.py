r"""The files of a LaTeX document: what it inputs, which bibliographies it names, what it cites where.

``\input`` and ``\include`` are followed as TeX does, from the folder of the main file (L. Lamport, *LaTeX: A Document
Preparation System*, section 4.4); ``\import`` and ``\subfile`` as their packages do.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_citecheck.model import Location
from pytest_citecheck.readers.documents.citations import LATEX_CITATION, blanked_latex, keys_of, spaces
from pytest_citecheck.readers.documents.cited import Citations
from pytest_citecheck.readers.documents.files import Files
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.lines import LineIndex, unify_line_ends
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LatexProject", "TexFile", "bibliographies_named", "follow"]

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
_INCLUDE_ONLY = lazy_pattern(r"\\includeonly\s*+\{([^{}]*+)\}")
_OWN_MACRO = lazy_pattern(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|(?:New|Renew|Declare)DocumentCommand|g?def|e?def)\*?\s*+\{?\s*+"
    r"\\(?P<name>[A-Za-z]++)\s*+\}?(?:\s*+\[[^\[\]]*+\]|\s*+#\d)*+\s*+(?=\{)",
)
"""Definition of a macro up to its body or the description of its arguments."""
_COMMAND = lazy_pattern(r"[A-Za-z]+")
_BRACE = lazy_pattern(r"\\.|[{}]", re.DOTALL)
_LONGEST_MACRO = 2_000
_END = lazy_pattern(r"\\end\s*\{document\}")
_ROOT = lazy_pattern(r"^%\s*!\s*T[eE]X\s+root\s*=\s*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)
_SUBFILES = lazy_pattern(r"\\documentclass\s*\[([^\[\]]+)\]\s*\{subfiles\}")
_CLASS = lazy_pattern(r"\\documentclass\b|\\documentstyle\b")


@dataclass(frozen=True, slots=True)
class TexFile:
    """One file: its name from the folder of the main file, its text without comments, and where its lines begin."""

    name: str
    shown: str
    text: str
    lines: LineIndex


@dataclass(slots=True)
class LatexProject:
    """A document with all that it inputs.

    bibliographies: names of the .bib files, as they are looked for. embedded: files that stand in ``filecontents``, with the
    line that each begins on. items: the files that hold ``thebibliography``. root: the main file that this one says it is of.
    included: the files that ``includeonly`` names; None without it. own_macros: commands with ``cite`` in their names that the
    document defines and that cite nothing.
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
    """Read a document and all that it inputs. path: of the document, as it is shown."""
    project = LatexProject()
    folder, main = posixpath.split(path)
    pending: list[tuple[str, bytes, str]] = [(main, data, "")]
    seen = {main}
    characters = 0
    while pending:
        name, content, base = pending.pop(0)
        text = unify_line_ends(decode_bytes(content)[0])
        characters += len(text)
        if characters > _MOST_CHARACTERS:
            project.unread.append(name)
            continue
        if name == main:
            root = _ROOT.search(text) or _SUBFILES.search(text)
            project.root = root[1].strip() if root else ""
        text = _embedded_apart(text, project)
        said = blanked_latex(text, _VERBATIM)
        end = _END.search(said)
        said = said[: end.start()] if end else said
        project.is_main = project.is_main or (name == main and bool(_CLASS.search(said)))
        if name == main and (only := _INCLUDE_ONLY.search(said)):
            project.included = frozenset(posixpath.normpath(one.strip()) for one in only[1].split(",") if one.strip())
        project.own_macros |= _macros_that_cite_nothing(said)
        file = TexFile(name, posixpath.normpath(posixpath.join(folder, name)), said, LineIndex(text))
        project.files.append(file)
        _cite(file, project)
        if _ITEMS.search(said):
            project.items.append(file)
        project.bibliographies += [one for one in bibliographies_named(said, main) if one not in project.bibliographies]
        inner: list[tuple[str, bytes, str]] = []
        for wanted, further, included in _inputs(said, base):
            if included and project.included is not None and wanted.removesuffix(".tex") not in project.included:
                project.left_out.append(wanted)
                continue
            found = next(_candidates(wanted, name, files), None)
            if found is None:
                project.unread.append(wanted)
            elif found[0] not in seen and len(seen) < _MOST_FILES:
                seen.add(found[0])
                inner.append((*found, further))
        pending[:0] = inner
    return project


def _embedded_apart(text: str, project: LatexProject) -> str:
    """The text with blanks for embedded files, which are kept."""
    for match in reversed(list(_EMBEDDED.finditer(text))):
        end = text.find(f"\\end{{filecontents{match['star']}}}", match.end())
        if end < 0:
            continue
        content = text[match.end() : end]
        name = match["name"].strip()
        project.embedded.setdefault(name, (content, text.count("\n", 0, match.end())))
        text = f"{text[: match.end()]}{spaces(content)}{text[end:]}"
    return text


def _cite(file: TexFile, project: LatexProject) -> None:
    for match in LATEX_CITATION.finditer(file.text):
        command = _COMMAND.match(match[0], 1)
        if command is not None and command[0] in project.own_macros:
            continue
        line = file.lines.line(match.start())
        for key in keys_of(match):
            project.citations.add(key, Location(file.shown, line, line))
    for match in _NOCITE.finditer(file.text):
        line = file.lines.line(match.start())
        for key in match[1].split(","):
            if key.strip() and "#" not in key:
                project.citations.add(key.strip(), Location(file.shown, line, line))


def bibliographies_named(text: str, main: str) -> Iterator[str]:
    """The names of the .bib files that this text of the document ``main`` names, each with its ending."""
    for match in _BIBLIOGRAPHY.finditer(text):
        names = match["names"]
        if names is None:
            names = match["options"] if match[0].startswith("\\putbib") else ""
        for name in (names or "").split(","):
            bare = name.strip().strip('"').replace("\\jobname", posixpath.splitext(main)[0])
            if not bare or "#" in bare or "\\" in bare:
                continue
            yield bare if posixpath.splitext(bare)[1].lower() in (".bib", ".bibtex", ".ris", ".json") else f"{bare}.bib"


def _macros_that_cite_nothing(text: str) -> set[str]:
    """The commands with ``cite`` in their names that this text defines without a citation in the body, as for a drawing."""
    found = set()
    for match in _OWN_MACRO.finditer(text):
        if "cite" not in match["name"].lower():
            continue
        depth, position = 0, match.end()
        for brace in _BRACE.finditer(text, position, position + _LONGEST_MACRO):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if (
                depth == 0 and text[brace.end() : brace.end() + 1] != "{"
            ):  # \NewDocumentCommand has the arguments in braces
                if "cite" not in text[position : brace.end()].lower():
                    found.add(match["name"])
                break
    return found


def _inputs(text: str, base: str) -> Iterator[tuple[str, str, bool]]:
    r"""Names that the text inputs, the folder that names in that file start from, and whether it is ``\include``."""
    for match in _INPUT.finditer(text):
        if match["inner"]:
            folder = posixpath.join(base, match["folder"] or "")
            yield posixpath.normpath(posixpath.join(folder, match["inner"].strip())), folder, False
        else:
            name = (match["name"] or match["bare"]).strip().strip('"')
            yield posixpath.normpath(posixpath.join(base, name)), base, match["command"] == "include"


def _candidates(wanted: str, inside: str, files: Files) -> Iterator[tuple[str, bytes]]:
    """The files that a name may mean, the first one first: from the main folder, then from that of the inputting file."""
    names = [wanted] if posixpath.splitext(wanted)[1].lower() in (".tex", ".bbl", ".ltx") else [f"{wanted}.tex", wanted]
    for folder in dict.fromkeys(("", posixpath.dirname(inside))):
        for name in names:
            full = posixpath.normpath(posixpath.join(folder, name))
            data = files.read(full)
            if data is not None:
                yield full, data
