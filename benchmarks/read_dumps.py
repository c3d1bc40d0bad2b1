"""Measure CPU time and memory when dumps are read, and when indexes are built of them, for generated files in each format.

    python -m benchmarks.read_dumps [RECORDS]

The dblp dump has RECORDS publications (default 500,000) and a third as many person records, which are skipped and not counted;
the others have a tenth. Each is read in a separate process to measure its peak memory. Entities, homonym numbers and markup in
titles are as frequent as in dblp.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_citecheck.index import read
from pytest_citecheck.model import Record

_RECORDS = 500_000
_WORDS = (
    "learning deep graph neural attention model data inference robust sparse network optimal transport language generative "
    "policy kernel convex random search adaptive efficient large scale representation transfer of for with and on the in a"
).split()
_FAMILIES = (
    "Smith", "Jones", "Garc&iacute;a", "Chen", "Tanaka", "Wang 0001", "M&uuml;ller", "Okafor", "Lee", "Brown", "Singh",
)  # fmt: skip
_GIVEN = ("Anna", "Bo", "Carla", "Wei", "Yui", "Dana", "Ada", "J.", "Maria", "Peter")
_LATIN = {"&iacute;": "í", "&uuml;": "ü", " 0001": ""}


class _Work:
    """The facts of one work, the same for every call with the same number."""

    def __init__(self, number: int, rng: random.Random) -> None:
        self.number = number
        self.title = " ".join(rng.choices(_WORDS, k=rng.randint(5, 12))).capitalize()
        self.names = [(rng.choice(_GIVEN), rng.choice(_FAMILIES)) for _ in range(rng.randint(1, 6))]
        self.year = rng.randint(1990, 2025)

    @property
    def people(self) -> list[tuple[str, str]]:
        return [(given, _latin(family)) for given, family in self.names]


def _latin(name: str) -> str:
    for written, meant in _LATIN.items():
        name = name.replace(written, meant)
    return name


def _works(count: int) -> Iterator[_Work]:
    rng = random.Random(11)
    return (_Work(number, rng) for number in range(count))


def _dblp(count: int) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'
    for work in _works(count):
        number = work.number
        authors = "".join(
            f'<author pid="{number}/{at}">{given} {family}</author>\n' for at, (given, family) in enumerate(work.names)
        )
        title = f"{work.title} H<sub>2</sub>O" if number % 50 == 0 else work.title
        yield (
            f'<inproceedings mdate="2023-01-02" key="conf/x{number % 90}/K{number}">\n{authors}<title>{title}.</title>\n'
            f"<pages>{number}-{number + 9}</pages>\n<year>{work.year}</year>\n<booktitle>CONF {number % 90}</booktitle>\n"
            f"<ee>https://doi.org/10.1145/{number}.{number}</ee>\n<crossref>conf/x{number % 90}/{work.year}</crossref>\n"
            f"<url>db/conf/x{number % 90}/x{work.year}.html#K{number}</url>\n</inproceedings>"
        )
        if number % 3 == 0:
            yield f'<www mdate="2020-01-01" key="homepages/{number}/1">\n<author>Ann Lee</author>\n'
            yield "<title>Home Page</title>\n</www>\n"
    yield "</dblp>\n"


def _anthology(count: int) -> Iterator[str]:
    yield '<collection id="2020.x">\n<volume id="1"><meta><booktitle>Proceedings of X</booktitle><year>2020</year></meta>\n'
    for work in _works(count):
        authors = "".join(
            f"<author><first>{given}</first><last>{family}</last></author>" for given, family in work.people
        )
        yield f'<paper id="{work.number}"><title>{work.title}</title>{authors}<pages>1–9</pages></paper>\n'
    yield "</volume>\n</collection>\n"


def _bibtex(count: int) -> Iterator[str]:
    for work in _works(count):
        names = " and ".join(f"{family}, {given}" for given, family in work.people)
        yield f"@article{{k{work.number},\n title = {{{work.title}}},\n author = {{{names}}},\n"
        yield f" year = {work.year},\n journal = {{X}}\n}}\n"


def _ris(count: int) -> Iterator[str]:
    for work in _works(count):
        names = "".join(f"AU  - {family}, {given}\n" for given, family in work.people)
        yield f"TY  - JOUR\nID  - {work.number}\nTI  - {work.title}\n{names}PY  - {work.year}\nJO  - X\nER  - \n"


def _pubmed(count: int) -> Iterator[str]:
    yield "<PubmedArticleSet>\n"
    for work in _works(count):
        authors = "".join(
            f"<Author><LastName>{family}</LastName><ForeName>{given}</ForeName></Author>"
            for given, family in work.people
        )
        yield (
            f"<PubmedArticle><MedlineCitation><PMID>{work.number + 1}</PMID><Article><Journal><JournalIssue>"
            f"<PubDate><Year>{work.year}</Year></PubDate></JournalIssue><Title>X</Title></Journal><ArticleTitle>{work.title}.</ArticleTitle>"
            f"<AuthorList>{authors}</AuthorList></Article></MedlineCitation></PubmedArticle>\n"
        )
    yield "</PubmedArticleSet>\n"


def _crossref_work(work: _Work) -> dict[str, object]:
    return {
        "DOI": f"10.1000/{work.number}", "prefix": "10.1000", "type": "journal-article", "title": [work.title],
        "author": [{"given": given, "family": family, "sequence": "first", "affiliation": []} for given, family in work.people],
        "issued": {"date-parts": [[work.year]]}, "container-title": ["X"], "reference-count": 30,
        "reference": [{"key": f"r{at}", "unstructured": "Smith, A title, 2001", "DOI": f"10.1/{at}"} for at in range(30)],
    }  # fmt: skip


def _crossref_lines(count: int) -> Iterator[str]:
    return (json.dumps(_crossref_work(work)) + "\n" for work in _works(count))


def _crossref_items(count: int) -> Iterator[str]:
    yield '{"items": ['
    for work in _works(count):
        yield ("," if work.number else "") + json.dumps(_crossref_work(work))
    yield "]}"


def _openalex(count: int) -> Iterator[str]:
    for work in _works(count):
        yield json.dumps({
            "id": f"https://openalex.org/W{work.number}", "title": work.title, "publication_year": work.year, "type": "article",
            "primary_location": {"source": {"display_name": "X", "type": "journal"}},
            "authorships": [{"author": {"display_name": f"{given} {family}"}} for given, family in work.people],
        }) + "\n"  # fmt: skip


def _arxiv(count: int) -> Iterator[str]:
    for work in _works(count):
        authors = [[family, given, ""] for given, family in work.people]
        yield json.dumps({
            "id": f"2001.{work.number % 100_000:05}", "title": work.title, "abstract": work.title * 12, "authors_parsed": authors,
            "versions": [{"version": "v1", "created": f"Mon, 6 Jan {work.year} 10:00:00 GMT"}],
        }) + "\n"  # fmt: skip


def _own_lines(count: int) -> Iterator[str]:
    for work in _works(count):
        yield json.dumps({
            "source": "x", "id": str(work.number), "title": work.title, "year": work.year, "venue": "X", "doi": "", "arxiv": "",
            "authors": [f"{given} {family}" for given, family in work.people], "url": "", "type": "",
        }) + "\n"  # fmt: skip


_FILES: dict[str, Callable[[int], Iterator[str]]] = {
    "dblp.xml.gz": _dblp,
    "2020.x.xml": _anthology,
    "refs.bib": _bibtex,
    "refs.ris": _ris,
    "pubmed24n0001.xml.gz": _pubmed,
    "crossref.jsonl.gz": _crossref_lines,
    "0.json.gz": _crossref_items,
    "part_000.gz": _openalex,
    "arxiv-metadata-oai-snapshot.json": _arxiv,
    "records.jsonl.gz": _own_lines,
}


def _measure(path: Path) -> tuple[str, int, int, float, int]:
    """Format, records, problems, CPU seconds and growth of the peak of memory in MB, of reading one file."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading = read(path)
    records = problems = 0
    begun = time.process_time()
    for item in reading:
        if isinstance(item, Record):
            records += 1
        else:
            problems += 1
    seconds = time.process_time() - begun
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return ",".join(reading.formats), records, problems, seconds, grown


def _write(path: Path, parts: Iterator[str]) -> None:
    if path.suffix == ".gz":
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as packed:
            packed.writelines(parts)
    else:
        with path.open("w", encoding="utf-8") as plain:
            plain.writelines(parts)


def _built(path: Path, index: Path) -> float:
    """CPU seconds of `citecheck index build` with one process, which include reading."""
    code = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code, "index", "build", index, path, "-j", "1"], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(records: int) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    head = f"{'file':34}{'format':12}{'records':>9}{'MB':>7}{'CPU s':>8}{'records/s':>11}{'RSS +MB':>9}"
    print(f"{head}{'build, CPU s':>14}{'index, MB':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for name, generate in _FILES.items():
            path = Path(folder) / name
            _write(path, generate(records if generate is _dblp else records // 10))
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                form, found, problems, seconds, grown = pool.apply(_measure, (path,))
            assert not problems, f"{name}: {problems} problems"
            size = path.stat().st_size / 1e6
            print(
                f"{name:34}{form:12}{found:>9,}{size:>7.1f}{seconds:>8.2f}{found / seconds:>11,.0f}{grown:>9}", end=""
            )
            index = Path(folder) / "works.index"
            building = _built(path, index)
            print(f"{building:>14.1f}{index.stat().st_size / 1e6:>11.1f}", flush=True)
            index.unlink()
            path.unlink()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _RECORDS)
