"""Measure how much of manuscripts, lists and answers is read: references found, correct titles, silent losses.

    CITECHECK_SHARED=FOLDER python -m benchmarks.reading [--only KIND ...] [--examples N]

Prints a table with a row for each kind of input. A reference is *read* if a separate item corresponds to it. Its title is
*right* if the words agree. An item is *not a reference* if it corresponds to no expected one. *Only in a note* counts expected
references on lines that a note reports as not recognised, such as footnotes with long remarks. *Lost silently* counts those
without an item, a failing `unread-item` or a note. PDFs with line numbers are typeset with pdflatex from the works of
``fixtures/manuscripts``, in twelve layouts; without pdflatex the row is missing. The titles of CiteAudit strings are compared
with the titles of real records in the strings.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rapidfuzz import fuzz

from pytest_citecheck.inputs import (
    PDF,
    PLAIN_TEXT,
    NoFiles,
    Surroundings,
    UnreadableDocumentError,
    boundaries_in,
    pages_of,
    read_bibtex,
    read_reference_strings,
    reference_items,
    references_in,
)
from pytest_citecheck.matching import words
from pytest_citecheck.model import Location, Reference
from tests.conformance.rendering import read_rows

FIXTURES = Path(__file__).parent.parent / "fixtures"
_SAME_STRING = 70.0
"""Similarity (0 to 100) of the words of an item and of an expected reference; unrelated references reach about 45."""
_SAME_TITLE = 92.0
_FEWEST_WORDS = 3
"""A record title that may occur in a string."""
UNREAD = "unread-item"
_TITLE = re.compile(r"<title>(.*?)</title>")


@dataclass(frozen=True, slots=True)
class Expected:
    """A reference of the input; unknown fields are empty."""

    title: str = ""
    text: str = ""
    identifier: str = ""
    author: str = ""
    year: str = ""


@dataclass(slots=True)
class Score:
    """Result of reading one kind of input."""

    expected: int = 0
    read: int = 0
    titled: int = 0
    right: int = 0
    found: int = 0
    foreign: int = 0
    noted: int = 0
    silent: int = 0
    files: int = 0
    failed: int = 0
    examples: list[str] = field(default_factory=list)

    def row(self, kind: str) -> str:
        """The row of the table."""
        titles = f"{self.right / self.titled:.1%}" if self.titled else "–"
        share = f"{self.read / self.expected:.1%}" if self.expected else "–"
        foreign = f"{self.foreign / self.found:.1%}" if self.found else "–"
        files = f"{kind} ({self.files} files)" if self.files > 1 else kind
        read = f"{self.expected:,} → {self.read:,} ({share})"
        return f"| {files} | {read} | {titles} | {foreign} | {self.noted} | {self.silent} | {self.failed} |"


def scored(
    score: Score, name: str, expected: Sequence[Expected], references: Sequence[Reference], noted: str = ""
) -> None:
    """Score one input. Each item corresponds to at most one expected reference, the most similar pairs first.

    noted: the lines that notes report as not recognised.
    """
    items = [one for one in references if not any(d.code == UNREAD for d in one.defects)]
    unread = " ".join(one.text for one in references if any(d.code == UNREAD for d in one.defects))
    pairs = sorted(
        (
            (likeness, place, number)
            for place, wanted in enumerate(expected)
            for number, item in enumerate(items)
            if (likeness := _likeness(wanted, item)) >= _SAME_STRING
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for _, place, number in pairs:
        if place not in matched and number not in taken:
            matched[place] = number
            taken.add(number)
    score.files += 1
    score.expected += len(expected)
    score.read += len(matched)
    score.found += len(items)
    score.foreign += len(items) - len(taken)
    for place, wanted in enumerate(expected):
        if place not in matched:
            state = "UNREAD" if _stated(wanted, unread) else "NOTED" if _stated(wanted, noted) else "LOST"
            score.noted += state == "NOTED"
            score.silent += state == "LOST"
            score.examples.append(f"{state} {name}: {wanted.text or wanted.title or wanted.identifier}")
        elif wanted.title:
            score.titled += 1
            title = items[matched[place]].fields.get("title", "")
            if same_title(title, wanted.title):
                score.right += 1
            else:
                score.examples.append(
                    f"TITLE {name}: {title!r}\n      for {wanted.title!r}\n      in {items[matched[place]].text[:300]!r}"
                )
    score.examples += [
        f"FOREIGN {name}: {item.text[:200]!r}" for number, item in enumerate(items) if number not in taken
    ]


def _likeness(wanted: Expected, item: Reference) -> float:
    if wanted.text:
        return float(fuzz.token_sort_ratio(wanted.text.lower(), item.text.lower()))
    if wanted.identifier:
        values = " ".join(item.fields.get(name, "") for name in ("doi", "eprint", "pmid", "url"))
        return 100.0 if wanted.identifier.lower() in values.lower() else 0.0
    title = item.fields.get("title", "")
    likeness = float(fuzz.ratio(" ".join(words(wanted.title)), " ".join(words(title))))
    in_text = fuzz.partial_ratio(" ".join(words(wanted.title)), " ".join(words(item.text)))
    return max(likeness, 0.9 * in_text if wanted.year in item.text else 0.0)


def _stated(wanted: Expected, unread: str) -> bool:
    return (
        fuzz.partial_ratio((wanted.text or wanted.title or wanted.identifier).lower(), unread.lower()) >= _SAME_STRING
    )


def same_title(read: str, wanted: str) -> bool:
    """Return True if two titles have the same words, apart from a typo or a subtitle in only one of them."""
    one, other = words(read), words(wanted)
    if not one or not other:
        return False
    shorter, longer = sorted((" ".join(one), " ".join(other)), key=len)
    if fuzz.ratio(shorter, longer) >= _SAME_TITLE:
        return True
    main = re.split(r"[:.?!–—(\[]\s*", (wanted if len(wanted) >= len(read) else read).strip())[0]
    return shorter == " ".join(words(main)) and len(shorter.split()) > 1


def gold(folder: Path, language: str) -> Score:
    """PDFs of one language (``en`` or ``de``) with their references marked up by hand."""
    score = Score()
    for path in sorted((folder / "pdf_gold").glob(f"{language}*.pdf")):
        expected = _gold(path)
        _read_pdf(score, path.name, path.read_bytes(), expected)
    return score


def _gold(path: Path) -> list[Expected]:
    """The references of a PDF: each line of the plain text, with the title of the marked-up line that has the same words."""
    marked = path.with_suffix(".gold.xml").read_text(encoding="utf-8").split("\n")
    lines = path.with_suffix(".refs.txt").read_text(encoding="utf-8").split("\n")
    strings = [" ".join(line.split()) for line in lines if line.strip()]
    titles = [
        (_bare(line), _bare(title[1]) if (title := _TITLE.search(line)) else "") for line in marked if line.strip()
    ]
    nearest = ((string, max(titles, key=lambda pair: fuzz.ratio(pair[0], string))) for string in strings)
    return [Expected(title=title, text=string) for string, (_, title) in nearest]


def _bare(line: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", line).replace("&amp;", "&").split())


def _read_pdf(score: Score, name: str, data: bytes, expected: Sequence[Expected]) -> None:
    try:
        references = PDF.read_document(name, data, Surroundings(NoFiles())).references
    except UnreadableDocumentError as error:
        score.failed += 1
        score.files += 1
        score.expected += len(expected)
        score.examples.append(f"FAILED {name}: {error}")
        return
    outside = (one.text for one in reference_items(pages_of(name, data)) if one.kind == "outside")
    scored(score, name, expected, references, " ".join(outside))


def answers(folder: Path) -> Score:
    """Answers of language models with the references expected of each."""
    score = Score()
    for line in (folder / "model_answers" / "dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        expected = [
            Expected(title=e["title"], identifier=e["identifier"], author=e["author"], year=e["year"])
            for e in row["expected"]
        ]
        references, _ = references_in(row["answer"], Location(row["id"], 1, 1))
        scored(score, row["id"], expected, references)
    return score


def piped(folder: Path) -> Score:
    """Text that ``pdftotext paper.pdf -`` writes, of the English PDFs."""
    score = Score()
    if shutil.which("pdftotext") is None:
        return score
    for path in sorted((folder / "pdf_gold").glob("en*.pdf")):
        text = subprocess.run(["pdftotext", str(path), "-"], check=True, capture_output=True).stdout
        expected = _gold(path)
        try:
            read = PLAIN_TEXT.read_document("-", text, Surroundings(NoFiles()))
        except UnreadableDocumentError as error:
            score.failed += 1
            score.expected += len(expected)
            score.examples.append(f"FAILED {path.name}: {error}")
            continue
        lines = text.decode().splitlines()
        noted = (
            line
            for note in read.notes
            if note.code == "outside-list"
            for line in lines[note.line - 1 : note.line - 1 + int(note.message.split()[0])]
        )
        scored(score, path.name, expected, read.references, " ".join(noted))
    return score


def strings(folder: Path) -> Iterator[str]:
    """Count the CiteAudit titles that are not in the first reading, and those that are in none."""
    rows = [json.loads(line) for line in (folder / "citeaudit" / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    titles = {
        key for row in read_rows("records_ml_core.jsonl.zst") if len(key := tuple(words(row.title))) >= _FEWEST_WORDS
    }
    known = unread = unreadable = untitled = nothing = 0
    for row in rows:
        read = read_reference_strings([(row["citation"], Location("strings.txt", 1, 1))])
        untitled += all("title" not in one.fields for one in read)
        nothing += not any(one.fields for one in read)
        wanted = _known_title(row["citation"], titles)
        if wanted:
            known += 1
            unread += not any(tuple(words(one.fields.get("title", ""))) == wanted for one in read)
            unreadable += not any(
                tuple(words(reading.fields.get("title", ""))) == wanted for one in read for reading in one.readings
            )
    yield (
        f"CiteAudit: {len(rows):,} strings, {known:,} with a known title: title unread {unread} ({unread / max(known, 1):.2%}), "
        f"in no reading {unreadable} ({unreadable / max(known, 1):.2%}); without any title {untitled} "
        f"({untitled / len(rows):.2%}), without any field {nothing} ({nothing / len(rows):.2%})"
    )


def _known_title(text: str, titles: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest title of a record between two marks of a string."""
    edges = sorted({0, len(text), *(place for one in boundaries_in(text) for place in (one.end, one.start))})
    found: list[tuple[str, ...]] = []
    for number, start in enumerate(edges[:60]):
        for end in edges[number + 1 : number + 12]:
            key = tuple(words(text[start:end]))
            if key in titles:
                found.append(key)
    return max(found, key=len, default=())


_RULER = r"""\usepackage{eso-pic,color}\newcount\n\newcommand\ruler[1]{\AddToShipoutPicture{\n=0\setlength\unitlength{1pt}%
\loop\put(#1,\numexpr 740-12*\n\relax){\color[gray]{.5}\tiny\ifnum\n<10 00\else\ifnum\n<100 0\fi\fi\the\n}%
\advance\n by1\ifnum\n<55\repeat}}"""
_LAYOUTS = {
    "left, numeric": ("", r"\usepackage{lineno}\linenumbers", "plain"),
    "right, author-year": ("", r"\usepackage{lineno}\rightlinenumbers\linenumbers\usepackage{natbib}", "plainnat"),
    "outer margin, author-year": ("", r"\usepackage[switch]{lineno}\linenumbers\usepackage{natbib}", "apalike"),
    "every fifth, numeric": ("", r"\usepackage{lineno}\modulolinenumbers[5]\linenumbers", "ieeetr"),
    "every fifth, author-year": (
        "",
        r"\usepackage{lineno}\modulolinenumbers[5]\linenumbers\usepackage{natbib}",
        "plainnat",
    ),
    "two columns, numeric": ("twocolumn", r"\usepackage[switch]{lineno}\linenumbers", "unsrt"),
    "two columns, author-year": (
        "twocolumn",
        r"\usepackage[switch*]{lineno}\linenumbers\usepackage{natbib}",
        "plainnat",
    ),
    "two columns, both left": ("twocolumn", r"\usepackage{lineno}\linenumbers", "plain"),
    "by page, labels": ("", r"\usepackage[pagewise]{lineno}\linenumbers", "alpha"),
    "ruler, numeric": ("", rf"{_RULER}\ruler{{30}}", "plain"),
    "two rulers, two columns": ("twocolumn", rf"{_RULER}\ruler{{30}}\ruler{{575}}\usepackage{{natbib}}", "plainnat"),
    "double spacing": (
        "",
        r"\usepackage{lineno}\linenumbers\usepackage{setspace}\doublespacing\usepackage{natbib}",
        "apalike",
    ),
}
"""Class options, packages and styles of the manuscripts with line numbers."""


def numbered_layouts() -> Iterator[tuple[str, bytes, list[Expected]]]:
    """Yield the manuscripts in each layout: name, PDF and cited references. None without pdflatex and bibtex."""
    if shutil.which("pdflatex") is None or shutil.which("bibtex") is None:
        return
    sources = [FIXTURES / "manuscripts" / "paper.tex", *sorted((FIXTURES / "manuscripts" / "sections").glob("*.tex"))]
    groups = re.findall(r"\\cite\{([^}]*)\}", "".join(path.read_text(encoding="utf-8") for path in sources))
    cited = list(dict.fromkeys(key for group in groups for key in group.split(",")))
    data = (FIXTURES / "refs.bib").read_bytes()
    entries = {one.key: one for one in read_bibtex("refs.bib", data).references}
    expected = [Expected(title=entries[key].fields["title"], year=entries[key].fields.get("year", "")) for key in cited]
    text = "\n\n".join(
        rf"Some words of a paper that go on for a while and rest on a work \cite{{{key}}}. " * 2 for key in cited
    )
    for name, (options, packages, style) in _LAYOUTS.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "refs.bib").write_bytes(data)
            Path(folder, "paper.tex").write_text(
                rf"\documentclass[{options}]{{article}}\usepackage[T1]{{fontenc}}\usepackage[utf8]{{inputenc}}"
                rf"\usepackage[margin=1.2in]{{geometry}}{packages}\begin{{document}}\title{{A paper}}\author{{An author}}"
                rf"\maketitle\section{{Words}}{text}\bibliographystyle{{{style}}}\bibliography{{refs}}"
                r"\section*{Appendix} More words.\end{document}",
                encoding="utf-8",
            )
            latex = ["pdflatex", "-interaction=batchmode", "paper"]
            for command in (latex, ["bibtex", "-terse", "paper"], latex, latex):
                subprocess.run(command, cwd=folder, check=False, capture_output=True)
            yield name, Path(folder, "paper.pdf").read_bytes(), expected


def numbered() -> Score:
    """PDFs with line numbers."""
    score = Score()
    for name, data, expected in numbered_layouts():
        _read_pdf(score, name, data, expected)
    return score


def main() -> None:
    """Read everything and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    kinds = ("numbered", "english", "german", "piped", "answers", "strings")
    parser.add_argument("--only", nargs="+", choices=kinds, default=kinds, help="kinds of input to read")
    parser.add_argument("--examples", type=int, default=0, help="misreadings to show of each kind")
    given = parser.parse_args()
    folder = Path(os.environ["CITECHECK_SHARED"])
    rows = {
        "numbered": ("PDFs with line numbers", numbered),
        "english": ("English PDFs", lambda: gold(folder, "en")),
        "german": ("German PDFs", lambda: gold(folder, "de")),
        "piped": ("pdftotext", lambda: piped(folder)),
        "answers": ("answers", lambda: answers(folder)),
    }
    print(
        "| input | expected → read | titles right | not a reference | only in a note | lost silently | files not read |\n"
        "|---|---|---|---|---|---|---|"
    )
    shown: list[str] = []
    for kind, (name, read) in rows.items():
        if kind in given.only:
            score = read()
            print(score.row(name), flush=True)
            shown += score.examples[: given.examples]
    if "strings" in given.only:
        print("\n" + "\n".join(strings(folder)))
    print("\n".join(shown))


if __name__ == "__main__":
    main()
