"""Measure CPU seconds and memory of the BibTeX reader for generated files with many entries.

    python -m benchmarks.read_bibtex [ENTRIES | FILE...]

Reads the named files, or a clean file (every sixth entry with accents, every third with protected capitals) and the same file
with every tenth entry damaged. Prints a line for each way to read them: the package's own (bibtexparser reads the well-formed
blocks, the scanner the others), the scanner alone, and bibtexparser's splitter alone, without macros, inheritance and LaTeX.
"""

from __future__ import annotations

import logging
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from bibtexparser.splitter import Splitter

from pytest_citecheck.inputs import decode_bytes, read_bibtex, unify_line_ends
from pytest_citecheck.inputs.bibtex import blocks
from pytest_citecheck.matching import text as latex

_WORDS = (
    "learning", "deep", "graph", "neural", "attention", "model", "data", "inference", "robust", "sparse",
    "network", "optimal", "transport", "language", "generative", "policy", "kernel", "convex", "random",
    "search", "adaptive", "efficient", "large", "scale", "representation", "transfer",
)  # fmt: skip
_NAMES = ("Smith, Anna", "Jones, Bo", "Garcia, Carla", "Chen, Wei", "Tanaka, Yui", "Brown, Dana", "Okafor, Ada")
_ACCENTED = (
    r"M{\"u}ller, J{\"o}rg", r"Herv{\'e}, Andr\'{e}", r"Erd{\H{o}}s, P{\'a}l", r"{\v{C}}ech, Ji\v{r}{\'\i}",
    r"{\L}ukasz, Pawe\l{}",
)  # fmt: skip
_DAMAGES: tuple[Callable[[str], str], ...] = (
    lambda entry: entry.replace("},\n  author", "}\n  author"),
    lambda entry: entry.replace("},\n  year", ",\n  year"),
    lambda entry: entry.replace("},\n  author", "}},\n  author"),
    lambda entry: entry.rstrip().removesuffix("}"),
    lambda entry: entry.replace("author = ", "author "),
)


def generate(entries: int, *, damaged: bool = False) -> bytes:
    """A file of entries of about 580 bytes, the same for every call."""
    rng = random.Random(7)
    entries_text = []
    for number in range(entries):
        names = [rng.choice(_NAMES) + " " + rng.choice("ABCDEFG") + "." for _ in range(3)]
        if number % 6 == 0:
            names.append(rng.choice(_ACCENTED) + f" {number}")
        title = " ".join(rng.choices(_WORDS, k=8)).capitalize()
        if number % 3 == 0:
            title = "{BERT}: " + title
        abstract = " ".join(rng.choices(_WORDS, k=24))
        entry = (
            f"@article{{key{number},\n  title = {{{title}}},\n  author = {{{' and '.join(names)}}},\n"
            f"  year = {{{rng.randint(1990, 2025)}}},\n  month = jun,\n  journal = {{Journal of {title[-20:]}}},\n"
            f"  volume = {{{number % 90}}},\n  pages = {{{number}--{number + 9}}},\n"
            f"  doi = {{10.1234/x.{number}}},\n  url = {{https://example.org/{number}?a=b}},\n"
            f"  abstract = {{{abstract}}}\n}}\n\n"
        )
        if damaged and number % 10 == 0:
            entry = _DAMAGES[number // 10 % len(_DAMAGES)](entry)
        entries_text.append(entry)
    return "".join(entries_text).encode()


def main() -> None:
    """Print a line for each file and way to read it."""
    logging.disable(logging.CRITICAL)
    named = sys.argv[1:]
    if named and not named[0].isdigit():
        sources = {"files": [Path(name).read_bytes() for name in named]}
    else:
        entries = int(named[0]) if named else 5000
        sources = {"clean": [generate(entries)], "damaged": [generate(entries, damaged=True)]}
    for label, files in sources.items():
        size = sum(len(data) for data in files)
        with_library, counted = _timed(files)
        _print(label, size, "citecheck", with_library, counted)
        with patch.object(blocks, "parse_well_formed", return_value={}):
            _print(label, size, "scanner alone", *_timed(files))
        texts = [unify_line_ends(decode_bytes(data)[0]) for data in files]
        begin = time.process_time()
        libraries = [Splitter(text).split() for text in texts]
        seconds = time.process_time() - begin
        failed = sum(len(library.failed_blocks) for library in libraries)
        found = f"{sum(len(library.entries) for library in libraries)} entries, {failed} failed"
        _print(label, size, "bibtexparser", seconds, found)


def _timed(files: list[bytes]) -> tuple[float, str]:
    """Return CPU seconds for reading the files, and a summary of the result."""
    latex._translate_cached.cache_clear()  # noqa: SLF001
    begin = time.process_time()
    references = [reference for data in files for reference in read_bibtex("refs.bib", data).references]
    seconds = time.process_time() - begin
    return seconds, f"{len(references)} references, {sum(1 for each in references if each.defects)} with defects"


def _print(label: str, size: int, reader: str, seconds: float, found: str) -> None:
    megabytes = size / 1e6
    print(
        f"{label:8} {megabytes:.1f} MB  {reader:13} {seconds:.2f} s CPU  {megabytes / seconds:4.1f} MB/s {_rss():.0f} MB {found}"
    )


def _rss() -> float:
    """The largest resident set so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
