"""Measure the cost of parsing and comparing deliberately long texts.

    python -m benchmarks.hostile_texts [CASE ...] [--limit SECONDS]

Each case runs in a separate process and prints a row of a Markdown table: size of the text, seconds of processor time, and
growth of peak memory (MB), including the text itself. A case that exceeds the limit is stopped.
"""

from __future__ import annotations

import argparse
import datetime
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, cast

from pytest_citecheck.checks import evaluate
from pytest_citecheck.inputs import name_list, read_bibtex
from pytest_citecheck.matching import compare_titles, compare_venues, decode, find_dois, find_isbns, normalise_arxiv
from pytest_citecheck.model import Evidence, Found, Person, Query, QueryResult, Record
from pytest_citecheck.net import asked, read_response
from pytest_citecheck.sources import WEB_PAGE, Response, Source

_TODAY = datetime.date(2026, 11, 21)
_KILO, _MEGA = 1 << 10, 1 << 20
_CITED = b"@article{k, title = {Attention is all you need}, author = {Vaswani, A and Shazeer, N}, year = 2017}"
_SERVICES = ("crossref", "dblp", "arxiv", "pubmed", "datacite", "openalex", "semantic_scholar")


class _Answering:
    """Substitute for a source whose parser has produced these records."""

    authority = frozenset({"title"})

    def __init__(self, name: str, *records: Record) -> None:
        self.name = self.label = name
        self.records = records

    def parse(self, queries: list[Query], response: Response) -> dict[Query, Any]:
        assert response.body
        return dict.fromkeys(queries, Found(self.records))


def _answered(**stated: Any) -> None:
    """Evaluate a reference with the results of all services for its title."""
    query = Query("title", "Attention is all you need")
    lines: list[QueryResult] = []
    for name in _SERVICES:
        source = cast("Source", _Answering(name, Record(name, "1", **{"title": query.value, **stated})))
        answers = read_response(source, [query], Response(200, b"{}"))
        assert isinstance(answers, dict)
        lines.append(asked(source, query, answers[query], "search"))
    evaluate(read_bibtex("refs.bib", _CITED).references[0], Evidence(tuple(lines)), _TODAY)


def _page(body: bytes) -> None:
    WEB_PAGE.parse([Query("url", "https://example.org/")], Response(200, body, {"content-type": "text/html"}))


def _file(text: str) -> None:
    for reference in read_bibtex("refs.bib", text.encode()).references[:10]:
        evaluate(reference, Evidence(), _TODAY)


def _strings(size: int) -> str:
    count = size // 26
    chain = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, count))
    return '@string{a0 = "lol lol "}\n' + chain + f"@article{{k, title = a{count - 1}}}"


def _linked(count: int, link: str, *, cycle: bool = False) -> str:
    first = f"@misc{{k0, {link} = {{k{count - 1}}}}}\n" if cycle else "@misc{k0, title = {T}}\n"
    return first + "".join(f"@misc{{k{n}, {link} = {{k{n - 1}}}, f{n} = {{x}}}}\n" for n in range(1, count))


def _people(count: int) -> tuple[Person, ...]:
    return tuple(Person(family=f"Family{n}", given="Ada") for n in range(count))


CASES: dict[str, tuple[str, Callable[[], object]]] = {
    "page of <title": ("1.8 MB", lambda: _page(b"<title" * 300_000)),
    "venue AAAA": ("32 kB", lambda: compare_venues("A" * 32 * _KILO, "Nature")),
    "DOI ‹111": ("32 kB", lambda: find_dois("10.1000/" + "‹" + "1" * 32 * _KILO)),
    "DOIs 10.1000/10.1000/": ("32 kB", lambda: find_dois("10.1000/" * 4 * _KILO)),
    "ISBN ((((": ("32 kB", lambda: find_isbns("(" * 32 * _KILO)),
    "title [J][J]": ("32 kB", lambda: compare_titles("A study of words " + "[J]" * 11 * _KILO, "A study of words")),
    "arXiv blanks": ("32 kB", lambda: normalise_arxiv("arXiv" + " " * 32 * _KILO)),
    "names, blanks": ("64 kB", lambda: name_list("Vaswani," + " " * 64 * _KILO + "A")),
    "names, and and": ("64 kB", lambda: name_list("and " * 16 * _KILO)),
    "LaTeX \\'\\'": ("64 kB", lambda: decode(r"\'" * 32 * _KILO)),
    "title of 10 MB from every service": ("7 × 10 MB", lambda: _answered(title="word " * 2 * _MEGA)),
    "10⁶ authors from every service": ("7 × 10⁶", lambda: _answered(authors=_people(10**6))),
    "10⁵ venues from every service": ("7 × 10⁵", lambda: _answered(venues=tuple(map(str, range(10**5))))),
    "title of 10 MB in a file": ("10 MB", lambda: _file("@article{k, title = {" + "word " * 2 * _MEGA + "}}")),
    "authors of 10 MB in a file": ("10 MB", lambda: _file("@article{k, author = {" + "A Bee and " * _MEGA + "C D}}")),
    "NUL in a file": ("1 MB", lambda: _file("@article{k, title = {" + "\0" * _MEGA + "}}")),
    "10⁵ fields of an entry": (
        "1.6 MB",
        lambda: _file("@article{k" + "".join(f", f{n} = {{x}}" for n in range(10**5)) + "}"),
    ),
    "10⁵ nested braces": ("0.2 MB", lambda: _file("@article{k, title = " + "{" * 10**5 + "x" + "}" * 10**5 + "}")),
    "10⁵ open braces": ("0.1 MB", lambda: _file("@article{k, title = " + "{" * 10**5)),
    "@@@@": ("0.2 MB", lambda: _file("@" * 200 * _KILO)),
    "@a{@a{": ("0.2 MB", lambda: _file("@a{" * 70 * _KILO)),
    "chained @string": ("1 MB", lambda: _file(_strings(_MEGA))),
    "crossref chain": ("1 MB", lambda: _file(_linked(25_000, "crossref"))),
    "xdata chain": ("1 MB", lambda: _file(_linked(25_000, "xdata"))),
    "crossref cycle": ("1 MB", lambda: _file(_linked(25_000, "crossref", cycle=True))),
    "10⁵ entries": ("3 MB", lambda: _file("".join(f"@misc{{k{n}, title = {{T}}}}\n" for n in range(10**5)))),
    "10⁶ entries": ("30 MB", lambda: _file("".join(f"@misc{{k{n}, title = {{T}}}}\n" for n in range(10**6)))),
}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure(name: str) -> None:
    size, run = CASES[name]
    before, begin = _peak(), time.process_time()
    run()
    print(f"| {name} | {size} | {time.process_time() - begin:.2f} | {_peak() - before:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", choices=[*CASES, []], help="all if none is named")
    parser.add_argument("--limit", type=float, default=120, help="seconds that a case may take")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    names = chosen.case or list(CASES)
    if chosen.here:
        _measure(names[0])
        return
    print("| case | size | seconds | MB |\n|---|---:|---:|---:|", flush=True)
    for name in names:
        command = [sys.executable, "-m", "benchmarks.hostile_texts", "--here", name]
        try:
            done = subprocess.run(command, timeout=chosen.limit, capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            print(f"| {name} | {CASES[name][0]} | > {chosen.limit:.0f} | |", flush=True)
            continue
        row = done.stdout or f"| {name} | {CASES[name][0]} | {done.stderr.strip().splitlines()[-1]} | |\n"
        print(row, end="", flush=True)


if __name__ == "__main__":
    main()
