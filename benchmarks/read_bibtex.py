"""How long the BibTeX reader takes: CPU seconds and memory for generated files of many entries.

    python benchmarks/read_bibtex.py [ENTRIES]

Reads a clean file (every sixth entry with accents, every third with protected capitals) and the same file with every
tenth entry damaged, and prints one line each. bibtexparser's splitter, which reads the sound entries, is also timed alone
on the same files: that is the share of the time that is spent in the library.
"""

from __future__ import annotations

import logging
import random
import resource
import sys
import time
from collections.abc import Callable

from bibtexparser.splitter import Splitter

from pytest_citecheck.readers.bibtex.reader import read_bibtex
from pytest_citecheck.text import latex

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
    blocks = []
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
        blocks.append(entry)
    return "".join(blocks).encode()


def main() -> None:
    """Print one line for each file and reader."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    for label, data in (("clean", generate(entries)), ("damaged", generate(entries, damaged=True))):
        latex._translate_cached.cache_clear()  # noqa: SLF001
        begin = time.process_time()
        bibliography = read_bibtex("generated.bib", data)
        seconds = time.process_time() - begin
        defects = sum(1 for reference in bibliography.references if reference.defects)
        print(
            f"{label:8} {len(data) / 1e6:.1f} MB  citecheck    {seconds:.2f} s CPU  {_rss():.0f} MB  "
            f"{len(bibliography.references)} references, {defects} with defects"
        )
        assert len(bibliography.references) == entries
    _time_bibtexparser(entries)


def _time_bibtexparser(entries: int) -> None:
    logging.disable(logging.CRITICAL)
    for label, damaged in (("clean", False), ("damaged", True)):
        text = generate(entries, damaged=damaged).decode()
        begin = time.process_time()
        library = Splitter(text).split()
        seconds = time.process_time() - begin
        print(
            f"{label:8} {len(text) / 1e6:.1f} MB  bibtexparser {seconds:.2f} s CPU  {_rss():.0f} MB  "
            f"{len(library.entries)} entries, {len(library.failed_blocks)} failed"
        )


def _rss() -> float:
    """The largest resident set so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
