"""Compare the verdicts of one bibliography in every format with the verdicts of its .bib file.

    CITECHECK_SHARED=FOLDER python -m benchmarks.formats [--index works.index] [--entries N] [--examples N] [FILE.bib ...]

Takes the first N entries of each file (60; by default four files of ``FOLDER/real_bibs``), renders them with BibTeX, Biber,
pandoc and LaTeX as bibliographies, documents and PDFs, with and without line numbers, and with the field codes of Zotero,
Mendeley and EndNote, reads each rendering and looks it up in the index alone. A reference of a rendering belongs to the
entry whose title its text contains. The exit code is 1 if a rendering is accused where the .bib file is not. Renderings
whose programs are not installed are named and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from rapidfuzz import fuzz

from benchmarks.offline_verdicts import accusations, full_index, judged
from pytest_citecheck.inputs import UnreadableDocumentError, read_bibtex, reader_for
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import words
from pytest_citecheck.model import Reference
from tests.inputs.office.test_office import docx
from tests.inputs.office.test_office import field as field_code
from tests.inputs.office.test_office import run as run_of_text

FILES = (
    "017-ml-NLP-MCTS_ICLR_.bib",
    "045-ml-NLP-Using_contradicted_statements_.bib",
    "082-thesis-ML-PhD_thesis.bib",
    "104-paper-biology-2021_Alexander_Tara_Paper.bib",
)
"""Files of four authors, without entries that LaTeX refuses."""
_SAME = 92.0
_PACKAGES = r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{url}\usepackage{amsmath,amssymb}"
_STYLES = {
    "plain": "",
    "plainnat": r"\usepackage{natbib}",
    "IEEEtran": "",
    "apacite": r"\usepackage{apacite}",
    "ACM-Reference-Format": r"\usepackage{natbib}",
}

Renderer = Callable[[Path], Path]
"""Takes a folder with ``refs.bib`` and ``refs.json`` (CSL), and returns the rendering that it wrote there."""


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=300)


def _typeset(style: str, packages: str, *, pdf: bool = False) -> Renderer:
    def render(folder: Path) -> Path:
        keys = re.findall(r"^@\w+\s*\{\s*([^\s,]+)", (folder / "refs.bib").read_text(encoding="utf-8"), re.MULTILINE)
        cited = "\n\n".join(rf"Some words that rest on a work \cite{{{key}}}." for key in keys)
        (folder / "paper.tex").write_text(
            rf"\documentclass{{article}}{_PACKAGES}{packages}\begin{{document}}{cited}"
            rf"\bibliographystyle{{{style}}}\bibliography{{refs}}\end{{document}}",
            encoding="utf-8",
        )
        latex = ("pdflatex", "-interaction=batchmode", "paper")
        _run(folder, *latex)
        _run(folder, "bibtex", "-terse", "paper")
        if pdf:
            _run(folder, *latex)
            _run(folder, *latex)
        return folder / ("paper.pdf" if pdf else "paper.bbl")

    return render


def _biblatex(folder: Path) -> Path:
    (folder / "paper.tex").write_text(
        rf"\documentclass{{article}}{_PACKAGES}\usepackage[backend=biber]{{biblatex}}\addbibresource{{refs.bib}}"
        r"\begin{document}\nocite{*}\printbibliography\end{document}",
        encoding="utf-8",
    )
    _run(folder, "pdflatex", "-interaction=batchmode", "paper")
    _run(folder, "biber", "--quiet", "paper")
    return folder / "paper.bbl"


def _converted(suffix: str, kind: str = "") -> Renderer:
    """A document that pandoc writes, with the bibliography of its processor of citations."""

    def render(folder: Path) -> Path:
        text = "---\nnocite: '@*'\n---\n\nSome words.\n\n# References\n"
        (folder / "source.md").write_text(text, encoding="utf-8")
        target = f"paper.{suffix}"
        form = ("-t", kind) if kind else ("--standalone",)
        _run(folder, "pandoc", "source.md", "--citeproc", "--bibliography=refs.bib", *form, "-o", target)
        return folder / target

    return render


def _coded(program: str) -> Renderer:
    """Return a Word document whose citations have a program's field codes."""

    def render(folder: Path) -> Path:
        items = json.loads((folder / "refs.json").read_text(encoding="utf-8"))
        fields = [run_of_text("Text."), *(field_code(_code(program, item)) for item in items)]
        (folder / "paper.docx").write_bytes(docx(*fields))
        return folder / "paper.docx"

    return render


def _code(program: str, item: dict[str, Any]) -> str:
    if program != "EndNote":
        cited = json.dumps({"citationID": "x", "citationItems": [{"id": item["id"], "itemData": item}]})
        return f" ADDIN {'ZOTERO_ITEM ' if program == 'Zotero' else ''}CSL_CITATION {cited} "
    people = "".join(
        f"<author>{escape(', '.join(filter(None, (one.get('family', one.get('literal')), one.get('given')))))}</author>"
        for one in item.get("author", ())
    )
    year = "".join(str(part) for parts in item.get("issued", {}).get("date-parts", ())[:1] for part in parts[:1])
    kind = ("17", "Journal Article") if item["type"] == "article-journal" else ("47", "Conference Proceedings")
    parts = {
        "volume": item.get("volume"),
        "number": item.get("issue"),
        "pages": item.get("page"),
        "electronic-resource-num": item.get("DOI"),
    }
    return (
        f" ADDIN EN.CITE <EndNote><Cite><record><rec-number>3</rec-number><ref-type name='{kind[1]}'>{kind[0]}</ref-type>"
        f"<contributors><authors>{people}</authors></contributors><titles><title>{escape(item.get('title', ''))}</title>"
        f"<secondary-title>{escape(item.get('container-title', ''))}</secondary-title></titles><dates><year>{year}</year></dates>"
        + "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in parts.items() if value)
        + "</record></Cite></EndNote>"
    )


def renderings() -> Iterator[tuple[str, Renderer]]:
    """Yield the formats whose programs are installed."""
    if shutil.which("pdflatex") and shutil.which("bibtex"):
        found = shutil.which("kpsewhich")
        for style, packages in _STYLES.items():
            known = found and subprocess.run([found, f"{style}.bst"], check=False, capture_output=True).stdout.strip()
            if known:
                yield f".bbl, {style}", _typeset(style, packages)
            else:
                print(f"not installed: {style}.bst")
        yield "PDF", _typeset("plainnat", r"\usepackage{natbib}", pdf=True)
        lines = r"\usepackage{natbib}\usepackage{lineno}\linenumbers"
        yield "PDF, line numbers", _typeset("plainnat", lines, pdf=True)
    else:
        print("not installed: pdflatex, bibtex")
    if shutil.which("biber"):
        yield ".bbl, biblatex", _biblatex
    if shutil.which("pandoc"):
        for suffix, kind in (
            ("docx", ""),
            ("odt", ""),
            ("html", ""),
            ("md", "gfm"),
            ("tex", "latex"),
            ("txt", "plain"),
        ):
            yield f".{suffix}", _converted(suffix, kind)
        for program in ("Zotero", "Mendeley", "EndNote"):
            yield f".docx, {program}", _coded(program)
    else:
        print("not installed: pandoc")


@dataclass(slots=True)
class _Score:
    entries: int = 0
    read: int = 0
    same: int = 0
    accused: list[str] = field(default_factory=list)
    different: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        return f"| {name} | {self.entries} → {self.read} | {self.same / max(1, self.read):.1%} | {len(self.accused)} |"


def _paired(entries: Sequence[Reference], read: Sequence[Reference]) -> Iterator[tuple[Reference, Reference | None]]:
    rest = {number: " ".join(words(one.fields.get("title", "") + " " + one.text)) for number, one in enumerate(read)}
    for entry in entries:
        title = " ".join(words(entry.fields.get("title", "")))
        likely = {number: fuzz.partial_ratio(title, text) for number, text in rest.items()}
        best = max(likely, key=lambda number: likely[number], default=None)
        if best is None or likely[best] < _SAME:
            yield entry, None
        else:
            yield entry, read[best]
            del rest[best]


def _compared(entries: Sequence[Reference], read: Sequence[Reference], index: IndexSource, score: _Score) -> None:
    pairs = [*_paired(entries, read)]
    found = [(entry, one) for entry, one in pairs if one is not None]
    score.entries += len(entries)
    score.read += len(found)
    score.lost += [entry.key for entry, one in pairs if one is None]
    before = judged([entry for entry, _ in found], index)
    after = judged([one for _, one in found], index)
    for (entry, one), own, other in zip(found, before, after, strict=True):
        known = {finding.check for finding in accusations(own)}
        score.same += own.verdict.name == other.verdict.name
        if own.verdict.name != other.verdict.name:
            score.different[f"{own.verdict.name} → {other.verdict.name}"] += 1
        score.accused += [
            f"{entry.key} [{finding.check}] {finding.message}\n      in {one.text[:300]!r}"
            for finding in accusations(other)
            if finding.check not in known
        ]


def _entries(path: Path, count: int) -> tuple[str, list[Reference]]:
    """The first entries of a file, as text and as references."""
    blocks = re.split(r"(?m)^(?=@)", path.read_text(encoding="utf-8", errors="replace"))
    head = "".join(block for block in blocks if re.match(r"@(?:string|preamble)\b", block, re.IGNORECASE))
    chosen: list[str] = []
    for block in blocks:
        if re.match(r"@(?!string|preamble|comment)\w+\s*\{", block, re.IGNORECASE) and len(chosen) < count:
            read = read_bibtex(path.name, (head + block).encode()).references
            if len(read) == 1 and read[0].readable and words(read[0].fields.get("title", "")):
                chosen.append(block)
    text = head + "".join(chosen)
    return text, [*read_bibtex(path.name, text.encode()).references]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each format."""
    parser = argparse.ArgumentParser(prog="formats", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, help="local index; built of the shared records if not given")
    parser.add_argument("--entries", type=int, default=60, help="entries of each file")
    parser.add_argument("--examples", type=int, default=0, help="accusations and losses to show of each format")
    parser.add_argument("files", nargs="*", type=Path, help="bibliographies")
    given = parser.parse_args(arguments)
    files = given.files or [Path(os.environ["CITECHECK_SHARED"], "real_bibs", name) for name in FILES]
    scores: dict[str, _Score] = {}
    with full_index(given.index) as index:
        for path in files:
            text, entries = _entries(path, given.entries)
            for name, render in renderings():
                with tempfile.TemporaryDirectory() as made:
                    folder = Path(made)
                    (folder / "refs.bib").write_text(text, encoding="utf-8")
                    _run(folder, "pandoc", "refs.bib", "-f", "bibtex", "-t", "csljson", "-o", "refs.json")
                    score = scores.setdefault(name, _Score())
                    try:
                        target = render(folder)
                        reader = reader_for(str(target))
                        if reader is None:
                            raise FileNotFoundError(target)
                        read = reader.read(target.name, target.read_bytes()).references
                    except (UnreadableDocumentError, FileNotFoundError) as error:
                        print(f"{name}, {path.name}: {error}")
                        read = ()
                    _compared(entries, read, index, score)
    print("| format | entries → read | same verdict | findings that the `.bib` does not have |\n|---|---|---|---|")
    for name, score in scores.items():
        print(score.row(name))
        for line in (*score.accused[: given.examples], *(f"LOST {key}" for key in score.lost[: given.examples])):
            print(f"    {line}")
        if given.examples and score.different:
            print(f"    {dict(score.different)}")
    return int(any(score.accused for score in scores.values()))


if __name__ == "__main__":
    raise SystemExit(main())
