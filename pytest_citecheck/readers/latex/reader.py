"""The reader of LaTeX documents: the entries of their bibliographies that they cite, or what ``thebibliography`` holds."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_citecheck.model import Defect
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.together import read_together
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.cited import Citations, select_cited
from pytest_citecheck.readers.documents.files import Files, NoFiles
from pytest_citecheck.readers.documents.sources import named_sources
from pytest_citecheck.readers.latex.bbl import read_bbl
from pytest_citecheck.readers.latex.project import LatexProject, follow

__all__ = ["LATEX", "LatexReader"]


class LatexReader:
    """Reads ``.tex`` files; see `read_document`."""

    suffixes = frozenset((".tex", ".ltx"))
    format = "a LaTeX document"
    lenient = True

    def reads(self, head: bytes) -> bool:  # noqa: ARG002
        """Whatever it begins with."""
        return True

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a document without the files that it names."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        r"""The references that a document cites.

        They come from its .bib files; if none of them is there, from the .bbl beside it, as in a source from arXiv; and
        from what stands in ``thebibliography``. Raises UnreadableDocumentError.
        """
        project = follow(path, data, around.files)
        folder, main = posixpath.split(path)
        items = [one for file in project.items for one in [read_bbl(file.shown, file.text.encode("utf-8", "replace"))]]
        sources, absent = _bib_files(project, folder, around.files)
        notes = [
            Defect("not-followed", f"{name} is not there, or cannot be read", 1, note=True) for name in project.unread
        ]
        if project.left_out:
            names = ", ".join(project.left_out)
            notes.append(Defect("not-followed", f"\\includeonly leaves out {names}", 1, note=True))
        if not sources and not items:
            bbl = f"{posixpath.splitext(main)[0]}.bbl"
            found = around.files.read(bbl)
            if found is not None:
                shown = posixpath.join(folder, bbl)
                items = [read_bbl(shown, found)]
                why = "".join(f"{name} is not there; " for name in absent)
                notes.append(Defect("bbl-read", f"{why}read {shown} instead", 1, note=True))
                absent = []
            elif not absent and around.given:
                return _selected(path, project, [], [*_given(around)], around, notes=notes)
        if not (sources or items):
            raise UnreadableDocumentError(_why_nothing(path, project, absent, around.files))
        return _selected(path, project, items, sources, around, absent, notes)


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
    # What a document prints as its list is its list, cited or not.
    printed = {reference.key for one in items for reference in one.references}
    cited = Citations(
        {key: place for key, place in project.citations.places.items() if key not in printed},
        project.citations.everything,
    )
    if items and not sources:
        known = Citations(dict(project.citations.places), everything=True)
        return select_cited(path, known, items, notes=notes)
    if not cited.places and not cited.everything and not items and not around.everything:
        names = ", ".join(one.path for one in sources)
        raise UnreadableDocumentError(f"{path} names {names}, but cites nothing; --citecheck-all checks every entry")
    whole = select_cited(path, cited, sources, everything=around.everything, absent=absent, notes=notes)
    lists = tuple(reference for one in items for reference in one.references)
    return replace(whole, references=(*lists, *whole.references))


def _bib_files(project: LatexProject, folder: str, files: Files) -> tuple[list[Bibliography], list[str]]:
    """The bibliographies of a document, those that it embeds too; and the names of those that are not there."""
    main = project.files[0].shown
    embedded = [project.embedded[name] for name in project.bibliographies if name in project.embedded]
    # Blank lines before it: its entries then have their lines in the document.
    own = read_together((main, ("\n" * line + content).encode("utf-8", "replace")) for content, line in embedded)
    outside, absent = named_sources(
        files, [name for name in project.bibliographies if name not in project.embedded], folder
    )
    return [*own, *outside], absent


def _given(around: Surroundings) -> list[Bibliography]:
    sources, _ = named_sources(around.files, around.given, "")
    return sources


def _why_nothing(path: str, project: LatexProject, absent: list[str], files: Files) -> str:
    """Why no reference can be read of a document, and what to do."""
    main = posixpath.basename(path)
    if absent:
        bbl = f"{posixpath.splitext(main)[0]}.bbl"
        return f"{path} names {', '.join(absent)}, which is not there, and there is no {bbl} either"
    if project.root:
        return f"{path} is a part of {project.root}: check that (pytest --citecheck={project.root})"
    if not project.is_main:
        whole = next(_mains_that_input(posixpath.splitext(main)[0], files), "")
        if whole:
            there = posixpath.normpath(posixpath.join(posixpath.dirname(path), whole))
            return f"{path} names no bibliography; it is a part of {there}: pytest --citecheck={there}"
    count = len(project.citations.places)
    cites = f"cites {count} key{'' if count == 1 else 's'}" if count else "cites nothing"
    return f"{path} {cites} and names no bibliography (\\bibliography, \\addbibresource or thebibliography)"


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
