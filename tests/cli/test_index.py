"""citecheck index: building, changing and asking a local index from the command line."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import Progress, amount, main, stated_identifiers
from pytest_citecheck.cli import index_write as writing
from pytest_citecheck.index import BuildReport, LocalIndex, build, licence_of, read, rebuild, verify
from pytest_citecheck.model import Record
from tests.support.dump_samples import DUMPS, entries
from tests.support.records import as_line, work
from tests.support.suites import first_fast

ROOT = Path(__file__).parents[2]
WORDS = [
    "graph",
    "neural",
    "sparse",
    "robust",
    "causal",
    "tensor",
    "kernel",
    "policy",
    "latent",
    "convex",
    "hidden",
    "joint",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def works(source: str, numbers: Iterable[int], *, venue: str = "", year: int = 2019) -> list[Record]:
    """Return different works of one collection; the number determines the title in every collection."""
    titles = (f"{WORDS[i % 12]} {WORDS[i // 12 % 12]} methods in chapter {i}" for i in numbers)
    return [work(source, f"{source}{i}", title, ("Ada Lovelace",), year, venue) for i, title in enumerate(titles)]


def lines(path: str, stated: Iterable[Record], *more: str) -> str:
    text = [json.dumps(as_line(entry)) for entry in stated]
    Path(path).write_text("\n".join([*text, *more]) + "\n", encoding="utf-8")
    return path


def run(*arguments: str | Path) -> int:
    return main(["index", *map(str, arguments)])


def held(path: str = "works.index") -> dict[str, int]:
    with LocalIndex(Path(path)) as index:
        return {collection.name: collection.records for collection in index.collections()}


def closed(path: str = "works.index") -> set[tuple[str, int | None]]:
    with LocalIndex(Path(path)) as index:
        return {(venue, year) for _, venue, year, complete, _ in index.scopes() if complete}


def test_every_sample_is_built_told_and_found(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(DUMPS.iterdir())
    readings = [(reading := read(file), entries(list(reading))) for file in files]
    every = [entry for _, found in readings for entry in found]
    dblp = {entry.id: entry for entry in every if entry.source == "dblp"}
    assert run("build", "works.index", DUMPS) == 0
    told = capsys.readouterr().out
    records = sum(held().values())
    assert set(held()) == {entry.source for entry in every}
    assert told.startswith(f"works.index: {records} records, ")
    assert f"\ndblp: {len(dblp)} records, as of " in told
    assert f"\nread: {len(every)} records in {len(files)} files\n" in told
    assert f"\nreplaced by a later record: {len(every) - records}\n" in told
    assert f"{sum(reading.skipped['front matter'] for reading, _ in readings)} front matter" in told
    assert run("verify", "works.index") == 0
    assert capsys.readouterr().out == f"works.index: whole, {records} records\n"
    assert run("info", "works.index", "--contents") == 0
    told = capsys.readouterr().out
    assert ", format 7, written " in told
    assert f"dblp: {len(dblp)} records\n  as of: " in told
    years = [entry.year for entry in dblp.values() if entry.year]
    assert f"  years: {min(years)} to {max(years)}, in {len(years)} records\n" in told
    assert f"  identifiers: {sum(bool(entry.doi) for entry in dblp.values())} doi, " in told


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("Attention is all you need", "from dblp: conf/nips/VaswaniSPUJGKP17"),
        ("DBLP:conf/nips/VaswaniSPUJGKP17", "from dblp: conf/nips/VaswaniSPUJGKP17"),
        ("https://arxiv.org/abs/1706.03762v5", "from arxiv: 1706.03762"),
        ("attention iz all you ned", "No record has this title. The most similar ones:"),
    ],
)
def test_look_up(what: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", DUMPS)
    capsys.readouterr()
    assert run("lookup", "works.index", *what.split()) == 0
    assert line in [shown.strip() for shown in capsys.readouterr().out.splitlines()]


def test_a_look_up_tells_what_is_stated_and_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    many = work(
        "a", "1", "A \x1b[2J title", tuple(f"Family{i}, Given" for i in range(11)), 2020, "Venue", "10.1000/x", url="https://e.org",
        volume="3", number="4", pages="5-6", type="article", isbn=("9780131103627",), complete=False,
    )  # fmt: skip
    build(Path("i"), [many, work("b", "", "1984", ("O.",), complete=False), *works("c", range(3))])
    assert run("lookup", "i", "10.1000/X") == 0
    assert capsys.readouterr().out.splitlines() == [
        r"A \x1b[2J title",
        f"  {'; '.join(f'Family{i}, Given' for i in range(8))} and 3 more",
        "  Venue 3 (4), 2020, pages 5-6, article",
        "  doi 10.1000/x, isbn 9780131103627, https://e.org",
        "  from a: 1",
    ]
    assert run("lookup", "i", "1984") == 0
    shown = [
        "1984",
        "  O. and others that the collection does not name",
        "  no venue stated, no year stated",
        "  from b",
    ]
    assert capsys.readouterr().out.splitlines() == shown
    assert run("lookup", "i", "--limit=1", "0-13-110362-8") == 0
    for nothing in ("10.1000/y", "Zzyzx"):
        assert run("lookup", "i", nothing) == 1
    assert capsys.readouterr().err.splitlines() == [
        "i: nothing under doi 10.1000/y", "i: nothing under the title 'Zzyzx'",
    ]  # fmt: skip


def test_a_look_up_says_how_many_more_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    build(Path("i"), [work("a", str(i), f"Part {i}", doi="10.1000/x") for i in range(4)])
    assert run("lookup", "i", "10.1000/x", "--limit", "3") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "and 1 more record"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.18653/v1/N19-1423", {"doi": "10.18653/v1/n19-1423", "acl": "N19-1423"}),
        ("https://doi.org/10.1000/AB", {"doi": "10.1000/ab"}),
        ("doi: 10.1000/ab", {"doi": "10.1000/ab"}),
        ("1706.03762v2", {"arxiv": "1706.03762"}),
        ("10.48550/arXiv.1706.03762", {"doi": "10.48550/arxiv.1706.03762", "arxiv": "1706.03762"}),
        ("PMID: 9377276", {"pmid": "9377276"}),
        ("https://pubmed.ncbi.nlm.nih.gov/9377276/", {"pmid": "9377276"}),
        ("9377276", {"pmid": "9377276"}),
        ("P19-1001", {"acl": "P19-1001"}),
        ("https://aclanthology.org/2020.acl-main.1/", {"acl": "2020.acl-main.1"}),
        ("978-0-13-110362-7", {"isbn": "9780131103627"}),
        ("ISBN 0-13-110362-8", {"isbn": "9780131103627"}),
        ("ISBN-13: 978 0 13 110362 7", {"isbn": "9780131103627"}),
        ("https://openreview.net/forum?id=rJl-b3RcF7", {"openreview": "rJl-b3RcF7"}),
        ("openreview:rJl-b3RcF7", {"openreview": "rJl-b3RcF7"}),
        ("https://dblp.org/rec/conf/nips/X17.html", {"dblp": "conf/nips/X17"}),
        ("conf/nips/SahariaCSLWDGLA22", {"dblp": "conf/nips/SahariaCSLWDGLA22"}),
        ("journals/corr/abs-1706-03762", {"dblp": "journals/corr/abs-1706-03762"}),
        # As they are printed.
        ("dblp conf/nips/X17", {"dblp": "conf/nips/X17"}),
        ("openreview rJl-b3RcF7", {"openreview": "rJl-b3RcF7"}),
        ("acl P19-1001", {"acl": "P19-1001"}),
        ("doi 10.1000/ab", {"doi": "10.1000/ab"}),
        ("arxiv 1706.03762", {"arxiv": "1706.03762"}),
        ("pmid 9377276", {"pmid": "9377276"}),
        ("isbn 9780131103627", {"isbn": "9780131103627"}),
        ("https://example.org/conf/nips/X17", {}),
        ("and/or", {}),
        ("I/O in Practice", {}),
        ("Attention", {}),
        ("Attention is all you need", {}),
        ("On the DOI 10.1000/ab and its kin", {}),
        ("1984: a novel", {}),
        ("", {}),
    ],
)
def test_what_is_an_identifier(text: str, expected: dict[str, str]) -> None:
    assert dict(stated_identifiers(text)) == expected


STATED = [
    work(
        "acl-crawl", "devlin-etal-2019-bert", "BERT", ("Jacob Devlin",), 2019, url="https://aclanthology.org/N19-1423"
    ),
    work("dblp-crawl", "DBLP:conf/nips/X17", "Attention", ("A. V.",), 2017),
    work("papers", "7", "A submission", ("A. B.",), 2019, url="https://openreview.net/forum?id=rJl-b3RcF7"),
    work("arxiv", "1706.03762", "A preprint", ("A. V.",), 2017),
    work("b", "8", "Another work", ("A. B.",), 2019, doi="10.1000/x", isbn=("9780131103627",), pmid="9377276"),
]


@pytest.mark.parametrize("entry", STATED, ids=[entry.source for entry in STATED])
def test_a_look_up_finds_what_it_prints(entry: Record, capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "i", lines("a.jsonl", STATED))
    capsys.readouterr()
    assert run("lookup", "i", entry.title) == 0
    *_, identifiers, origin = told = capsys.readouterr().out.splitlines()
    printed = identifiers.strip().split(", ")
    assert printed
    if entry.source.startswith("dblp"):
        printed += [origin.split(": ")[1], "conf/nips/X17"]
    for form in printed:
        assert run("lookup", "i", *form.split()) == 0, form
        assert capsys.readouterr().out.splitlines() == told


def test_two_words_that_look_like_an_identifier_are_a_title(capsys: pytest.CaptureFixture[str]) -> None:
    build(Path("i"), [work("a", "1", "OpenReview Matters", ("A. B.",), 2019)])
    assert run("lookup", "i", "OpenReview", "Matters") == 0
    assert run("lookup", "i", "openreview:Matters") == 1


def test_problems_are_counted_named_and_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.dumps(as_line(works("a", [3])[0]) | {"year": "soon"})
    lines("a.jsonl", works("a", range(3)), *[wrong] * 25, '{"broken')
    assert run("build", "works.index", "a.jsonl", "--errors=errors.tsv") == 0
    assert held() == {"a": 3}
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "26 problems:"
    assert told[1].startswith("  a.jsonl, line 4: a0: the field `year` is ")
    assert told[21:] == ["  (all in errors.tsv)"]
    head, *rows = (line.split("\t") for line in Path("errors.tsv").read_text(encoding="utf-8").splitlines())
    assert head == ["file", "byte", "line", "record", "reason"]
    assert len(rows) == 26
    assert {row[0] for row in rows} == {"a.jsonl"}
    assert [int(row[2]) for row in rows] == list(range(4, 30))
    assert all(len(row) == 5 and row[4] for row in rows)
    run("build", "works.index", "a.jsonl")
    assert capsys.readouterr().err.splitlines()[21:] == ["  (--errors FILE writes all of them to a file)"]


def test_where_nothing_can_be_read_the_old_index_stays(capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(3))))
    before = Path("works.index").read_bytes()
    for name, data in {
        "empty.bib": b"",
        "page.json": b"<html>Log in</html>",
        "cut.xml.gz": gzip.compress(b"x" * 99)[:12],
    }.items():
        Path(name).write_bytes(data)
        capsys.readouterr()
        assert run("build", "works.index", name) == 1
        told = capsys.readouterr()
        assert name in told.err
        assert told.err.endswith("nothing could be read: works.index was not written\n")
        assert told.out == ""
    assert Path("works.index").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == [
        "a.jsonl",
        "cut.xml.gz",
        "empty.bib",
        "page.json",
        "works.index",
    ]


def test_a_file_that_cannot_be_opened_costs_only_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines("a.jsonl", works("a", range(3)))
    lines("b.jsonl", works("b", range(2)))
    opened = Path.open

    def refusing(self: Path, *args: object, **options: object) -> object:
        if self.name == "a.jsonl":
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refusing)
    assert run("build", "works.index", "a.jsonl", "b.jsonl") == 0
    assert held() == {"b": 2}
    assert "  a.jsonl, byte 0: the file cannot be read: Permission denied" in capsys.readouterr().err


def test_folders_and_patterns(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in/deep/.git").mkdir(parents=True)
    lines("in/b.jsonl", works("b", range(2)))
    lines("in/deep/c.jsonl", works("c", range(3)))
    lines("in/deep/.git/hidden.jsonl", works("h", range(1)))
    for name in ("README.md", "b.jsonl.md5", "b.jsonl.part", "b.jsonl.origin.json"):
        Path("in", name).write_text("no dump")
    assert run("build", "works.index", "in", "in/b.jsonl") == 0
    assert held() == {"b": 2, "c": 3}
    told = capsys.readouterr()
    assert "read: 5 records in 2 files\n" in told.out
    assert "not read: 4 files in folders that do not look like dumps\n" in told.out
    assert told.err == ""
    assert run("build", "works.index", "in/**/*.jsonl") == 0
    assert held() == {"b": 2, "c": 3}
    assert run("build", "works.index", Path("in").resolve() / "*.jsonl") == 0
    assert held() == {"b": 2}


def test_a_name_that_looks_like_a_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("build", "works.index", lines("a[1].jsonl", works("a", range(2)))) == 0
    assert held() == {"a": 2}


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("build new.index none.bib", "no such file: none.bib"),
        ("build new.index *.ris", "no file matches *.ris"),
        ("build new.index empty", "no dump file in the folder empty"),
        ("build refs.bib a.jsonl", "refs.bib is not an index: remove it"),
        ("build a.jsonl a.jsonl", "a.jsonl is both the index and a file to read"),
        ("build none/new.index a.jsonl", "no such folder: none"),
        ("build empty a.jsonl", "empty is a folder, not an index"),
        ("build new.index a.jsonl --date=yesterday", "not a date of the form YYYY-MM-DD: yesterday"),
        ("build new.index a.jsonl --scopes=none.yaml", "none.yaml"),
        ("build new.index a.jsonl --scopes=a.jsonl", "a list of declarations is needed"),
        ("build new.index a.jsonl --scopes=refs.bib", "refs.bib: "),
        ("add new.index a.jsonl", "no such index: new.index"),
        ("update new.index a.jsonl", "no such index: new.index"),
        ("remove works.index --source b", "works.index has no collection 'b'; it has a"),
        ("remove new.index --source a", "no such index: new.index"),
        ("merge new.index works.index none.index", "no such index: none.index"),
        ("merge refs.bib works.index", "refs.bib is not an index: remove it"),
        ("info none.index", "no such index: none.index"),
        ("verify empty", "empty is a folder, not an index"),
        ("lookup none.index x", "no such index: none.index"),
        ("lookup works.index x --limit 0", "--limit is less than 1"),
        (
            "lookup works.index https://example.org/x",
            "this address has no identifier to look up: https://example.org/x",
        ),
        ("info empty", "empty is a folder, not an index"),
        ("info /dev/null", "/dev/null is not a regular file"),
        ("add /dev/null a.jsonl", "/dev/null is not a regular file"),
        ("build /dev/null a.jsonl", "/dev/null is not a regular file"),
        ("build new.index /dev/null", "/dev/null is not a regular file"),
        ("build new.index -", "no such file: -"),
    ],
)
def test_wrong_usage(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "/dev/null" in arguments and os.name != "posix":
        pytest.skip("needs /dev/null")
    run("build", "works.index", lines("a.jsonl", works("a", range(1))))
    Path("refs.bib").write_text("@misc{a, title = {T}}")
    Path("empty").mkdir()
    files = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    capsys.readouterr()
    assert run(*arguments.split()) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"citecheck index {arguments.split()[0]}: error: ")
    assert message in told.err
    assert told.out == ""
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == files


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", ""],
        ["lookup", "", "x"],
        ["build", "", "a.jsonl"],
        ["merge", "new.index", ""],
        ["build", "new.index", ""],
        ["coverage", "", "a.bib"],
    ],
    ids="_".join,
)
def test_an_empty_name_is_not_the_current_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines("a.jsonl", works("a", range(1)))
    try:
        code: object = run(*arguments)
    except SystemExit as stop:  # of the parser
        code = stop.code
    assert code == 2
    assert "is empty" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["a.jsonl"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("arguments", ["build new.index pipe.jsonl", "coverage works.index pipe.bib", "info pipe.bib"])
def test_a_pipe_is_refused_and_not_waited_for(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    build(Path("works.index"), works("a", range(1)))
    os.mkfifo("pipe.jsonl")
    os.mkfifo("pipe.bib")
    assert run(*arguments.split()) == 2
    name = next(word for word in arguments.split() if word.startswith("pipe"))
    assert f"{name} is not a regular file" in capsys.readouterr().err
    Path("in").mkdir()
    os.mkfifo("in/pipe.jsonl")
    lines("in/a.jsonl", works("a", range(2)))
    assert run("build", "new.index", "in") == 0
    assert held("new.index") == {"a": 2}


@pytest.mark.parametrize("action", ["", "build", "add", "update", "remove", "merge", "info", "verify", "lookup"])
def test_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run(*filter(None, [action, "--help"]))
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: citecheck index {action}".strip())
    with pytest.raises(SystemExit) as stop:
        run(*filter(None, [action, "--nothing"]))
    assert stop.value.code == 2


@pytest.mark.parametrize("damage", first_fast(["cut", "foreign"]))
@pytest.mark.parametrize("action", ["info", "verify", "lookup", "add", "update", "remove", "merge"])
def test_a_broken_index_is_named(action: str, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(200))))
    data = Path("works.index").read_bytes()
    Path("works.index").write_bytes(data[:-4096] if damage == "cut" else data[:60] + b"\0\0\0\x7f" + data[64:])
    more = {
        "lookup": ["x"],
        "add": ["a.jsonl"],
        "update": ["a.jsonl"],
        "remove": ["--source=a"],
        "merge": ["works.index"],
    }
    assert run(action, "works.index", *more.get(action, [])) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"citecheck index {action}: works.index ")
    assert told.count("\n") == 1


def test_damage_within_is_found_by_verify(capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(200))))
    data = Path("works.index").read_bytes()
    place = data.index(b"methods in chapter 77")
    Path("works.index").write_bytes(data[:place] + b"M" + data[place + 1 :])
    assert run("verify", "works.index") == 1
    assert "works.index is damaged" in capsys.readouterr().err


def test_added_records_replace_those_of_the_same_id(capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(5))), "--date=2026-01-05")
    changed = replace(works("a", range(5))[3], title="A corrected title")
    lines("b.jsonl", [changed, *works("b", range(2))])
    capsys.readouterr()
    assert run("add", "works.index", "b.jsonl", "--date=2026-02-01") == 0
    assert held() == {"a": 5, "b": 2}
    assert "replaced by a later record: 1\n" in capsys.readouterr().out
    with LocalIndex(Path("works.index")) as index:
        assert index.by_title("A corrected title")[0] == changed
        assert {collection.date for collection in index.collections()} == {"2026-02-01"}
    run("add", "works.index", "b.jsonl", "--date=2025-01-01")
    with LocalIndex(Path("works.index")) as index:
        assert {collection.date for collection in index.collections()} == {"2026-02-01"}


def test_an_update_replaces_whole_collections(capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", [*works("a", range(5)), *works("b", range(4))]), "--date=2026-01-05")
    lines("new.jsonl", works("a", range(2, 5)))
    capsys.readouterr()
    assert run("update", "works.index", "new.jsonl", "--date=2025-01-01", "--licence=CC0-1.0") == 0
    assert held() == {"a": 3, "b": 4}
    told = capsys.readouterr().out
    assert "a: 3 records, as of 2025-01-01, 5 before\n" in told
    assert "b: 4 records, as of 2026-01-05\n" in told
    with LocalIndex(Path("works.index")) as index:
        assert [(one.name, one.date, one.licence) for one in index.collections()] == [
            ("a", "2025-01-01", "CC0-1.0"), ("b", "2026-01-05", ""),
        ]  # fmt: skip


def compressed(path: str, stated: Iterable[Record], *, part: float = 1) -> str:
    """Write a compressed file, truncated after this part."""
    text = "\n".join(json.dumps(as_line(entry)) for entry in stated)
    data = gzip.compress(text.encode())
    Path(path).write_bytes(data[: int(len(data) * part)])
    return path


@pytest.mark.parametrize(
    "cut",
    first_fast(
        [
            lambda: compressed("new.jsonl.gz", works("a", range(500)), part=0.5),
            lambda: lines("new.jsonl", works("a", range(3)), '{"source": "a", "id"'),
            lambda: lines("new.jsonl", [], "<html>Log in</html>"),
            lambda: compressed("new.jsonl.gz", works("a", range(500)), part=0),
        ],
        2,
    ),
    ids=["compressed", "plain", "another file", "empty"],
)
def test_an_update_of_half_a_file_changes_nothing(cut: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", [*works("a", range(500)), *works("b", range(4))]))
    before = Path("works.index").read_bytes()
    name = cut()
    lines("b.jsonl", works("b", range(2)))
    capsys.readouterr()
    assert run("update", "works.index", name, "b.jsonl") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert f"not read to its end: {name} (" in told.err
    assert told.err.splitlines()[-1] == (
        "works.index was not changed: the missing records would be lost (--incomplete accepts incomplete files)"
    )
    assert Path("works.index").read_bytes() == before
    assert run("update", "works.index", name, "b.jsonl", "--incomplete") == 0
    assert held()["b"] == 2


def test_an_update_of_what_cannot_be_opened_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(5))), lines("b.jsonl", works("b", range(4))))
    lines("b.jsonl", works("b", range(2)))
    before, opened = Path("works.index").read_bytes(), Path.open

    def refusing(self: Path, *args: object, **options: object) -> object:
        if self.name == "a.jsonl":
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *args, **options)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refusing)
        assert run("update", "works.index", "a.jsonl", "b.jsonl") == 1
    assert "not read to its end: a.jsonl (the file cannot be read: Permission denied)\n" in capsys.readouterr().err
    assert Path("works.index").read_bytes() == before


def test_a_broken_record_within_is_no_cut_file() -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(5))))
    good = [json.dumps(as_line(entry)) for entry in works("a", range(3))]
    assert run("update", "works.index", lines("new.jsonl", [], good[0], "{", *good[1:])) == 0
    assert held() == {"a": 3}


def test_cut_files_do_not_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """Both files lack the same half, so each has every work of the other, but the rest is unknown."""
    later = works("z", range(1), venue="NeurIPS", year=2020)
    names = [
        compressed(f"{source}.jsonl.gz", works(source, range(400), venue="NeurIPS"), part=0.5) for source in ("a", "b")
    ]
    assert run("build", "works.index", *names, lines("z.jsonl", later)) == 0
    assert closed() == set()
    told = capsys.readouterr().out
    assert (
        told.count("not all of it could be read: not counted for agreement\n") == 3
    )  # lines name their collections themselves
    assert run("add", "works.index", lines("c.jsonl", works("c", range(3)))) == 0
    assert closed() == set()
    capsys.readouterr()
    assert run("info", "works.index") == 0
    assert capsys.readouterr().out.count("not counted for agreement\n") == 3
    whole = [compressed(f"{source}.jsonl.gz", works(source, range(400), venue="NeurIPS")) for source in ("a", "b")]
    assert run("update", "works.index", *whole) == 0
    assert closed() == {("neurips", 2019)}


def test_declared_derivations_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    later = works("z", range(1), venue="NeurIPS", year=2020)
    of_both = [*works("mine", range(40), venue="NeurIPS"), *works("dblp", range(40), venue="NeurIPS"), *later]
    Path("scopes.yaml").write_text(
        "- {collection: mine, derives_from: dblp}\n- {collection: none, derives_from: dblp}\n"
    )
    assert run("build", "works.index", lines("a.jsonl", of_both)) == 0
    assert closed() == {("neurips", 2019)}
    assert run("add", "works.index", lines("b.jsonl", works("b", range(3))), "--scopes=scopes.yaml") == 0
    assert closed() == set()
    assert "none is declared to derive from others, but is not in the index\n" in capsys.readouterr().err
    assert run("update", "works.index", lines("a.jsonl", of_both)) == 0
    assert closed() == set()
    capsys.readouterr()
    run("info", "works.index")
    assert "  derives from: dblp\n" in capsys.readouterr().out


def test_remove_and_merge(capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "one.index", lines("a.jsonl", [*works("a", range(5)), *works("b", range(4))]))
    run("build", "two.index", lines("b.jsonl", [*works("b", range(2)), *works("c", range(3))]))
    capsys.readouterr()
    assert run("merge", "all.index", "one.index", "two.index") == 0
    assert held("all.index") == {"a": 5, "b": 4, "c": 3}
    assert "replaced by a later record: 2\n" in capsys.readouterr().out
    assert run("remove", "all.index", "--source=b") == 0
    assert held("all.index") == {"a": 5, "c": 3}
    assert "removed: b (4 records)\n" in capsys.readouterr().out
    assert run("merge", "one.index", "one.index", "all.index") == 0
    assert held("one.index") == {"a": 5, "b": 4, "c": 3}
    assert verify(Path("one.index")) == 12
    assert run("remove", "one.index", "--source=b", "--source=a") == 0
    assert held("one.index") == {"c": 3}


def test_the_name_of_a_collection_can_be_given() -> None:
    run("build", "works.index", DUMPS / "dblp.xml", "--source=dblp-2024")
    assert set(held()) == {"dblp-2024"}


def test_of_which_date_and_from_where() -> None:
    lines("a.jsonl", works("a", range(2)))
    os.utime("a.jsonl", (1_700_000_000, 1_700_000_000))
    run("build", "works.index", "a.jsonl", DUMPS / "dblp.xml")
    with LocalIndex(Path("works.index")) as index:
        first, second = index.collections()
    assert (first.date, first.origin, first.licence) == ("2023-11-14", "a.jsonl", "")
    assert (second.origin, second.licence) == ("dblp.xml", "CC0-1.0")


DECLARED = "- {collection: a, venue: NeurIPS, years: 2018-2020, why: counted}\n"


def test_declarations_hold_for_what_is_there_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Path("scopes.yaml").write_text(DECLARED + "- {collection: zz, venue: ICML, years: 2019, why: counted}\n")
    lines("a.jsonl", works("a", range(3)))
    assert run("build", "works.index", "a.jsonl", "--scopes=scopes.yaml") == 0
    assert {year for _, year in closed()} == {2018, 2019, 2020}
    told = capsys.readouterr()
    assert "complete for: 3 venue-years (citecheck index info)\n" in told.out
    assert "1 venue-year declared complete, but not accepted as complete: zz is not in the index\n" in told.err
    assert run("info", "works.index") == 0
    assert "complete for neurips 2018-2020 (a)\n" in capsys.readouterr().out
    # What stood there keeps standing for what is added to; for what is replaced, all has to be read again.
    lines("broken.jsonl", works("a", range(3)), "{")
    assert run("add", "works.index", "broken.jsonl") == 0
    assert len(closed()) == 3
    assert run("update", "works.index", "a.jsonl") == 0
    assert len(closed()) == 3
    assert run("update", "works.index", "broken.jsonl", "--incomplete") == 0
    assert closed() == set()
    assert (
        "3 venue-years declared complete, but not accepted as complete: not all of a could be read"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("broken", "left"),
    [("b.xml", 3), ("b.jsonl", 0), ("b.bib", 3), ("b.json", 0)],
    ids=["of another collection", "a line of anybody", "another file", "in no known format"],
)
def test_problems_open_what_was_declared_for_the_collection_they_may_be_of(broken: str, left: int) -> None:
    Path("scopes.yaml").write_text(DECLARED)
    texts = {
        "b.xml": '<dblp><article key="journals/x/A1"><title>Lost &nothing; here</title></article><www></dblp>',
        "b.jsonl": json.dumps(as_line(works("b", range(1))[0])) + "\n{\n",
        "b.bib": "@misc{ok, title = {A sound entry of this file}}\n@misc{cut, title = {No end",
        "b.json": "nothing known",
    }
    Path(broken).write_text(texts[broken])
    assert (
        run(
            "build", "works.index", lines("a.jsonl", works("a", range(3))), broken, "--scopes=scopes.yaml", "--errors=e"
        )
        == 0
    )
    assert Path("e").read_text().count("\n") > 1
    assert len(closed()) == left


@pytest.mark.exhaustive
def test_what_was_agreed_is_counted_anew_with_every_change() -> None:
    agreed = {("neurips", 2019)}
    # The latest year of a venue is never agreed on.
    later = works("z", range(1), venue="NeurIPS", year=2020)
    of_both = [*works("a", range(40), venue="NeurIPS"), *works("b", range(40), venue="NeurIPS"), *later]
    run("build", "works.index", lines("both.jsonl", of_both))
    assert closed() == agreed
    assert run("add", "works.index", lines("more.jsonl", works("c", range(3)))) == 0
    assert closed() == agreed
    # A third collection knows many that both lack.
    assert run("add", "works.index", lines("c.jsonl", works("c", range(30, 60), venue="NeurIPS"))) == 0
    assert closed() == set()
    assert run("remove", "works.index", "--source=c") == 0
    assert closed() == agreed
    assert run("update", "works.index", lines("b.jsonl", works("b", range(30), venue="NeurIPS"))) == 0
    assert closed() == set()
    assert run("update", "works.index", lines("b.jsonl", works("b", range(40), venue="NeurIPS"))) == 0
    assert run("remove", "works.index", "--source=a") == 0
    assert closed() == set()
    run("build", "a.index", lines("a.jsonl", [*works("a", range(40), venue="NeurIPS"), *later]))
    assert run("merge", "works.index", "works.index", "a.index") == 0
    assert closed() == agreed


def pubmed(articles: Iterable[int], taken_back: Iterable[int] = ()) -> str:
    told = "".join(
        f"<PubmedArticle><MedlineCitation><PMID Version='1'>{i}</PMID><Article><Journal><Title>J</Title></Journal>"
        f"<ArticleTitle>On the {WORDS[i % 12]} of number {i}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        for i in articles
    )
    gone = "".join(f"<PMID Version='1'>{i}</PMID>" for i in taken_back)
    return f"<PubmedArticleSet>{told}<DeleteCitation>{gone}</DeleteCitation></PubmedArticleSet>"


def test_what_pubmed_takes_back_is_taken_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("1.xml").write_text(pubmed(range(1, 9)))
    Path("2.xml").write_text(pubmed([20], [2, 3, 4, 77]))
    Path("3.xml").write_text(pubmed([4]))
    Path("scopes.yaml").write_text("- {collection: pubmed, venue: NeurIPS, years: 2018, why: counted}\n")
    assert run("build", "works.index", "1.xml", "2.xml", "3.xml", "--scopes=scopes.yaml", "--date=2026-03-04") == 0
    assert held() == {"pubmed": 7}
    assert capsys.readouterr().out.startswith("works.index: 7 records, ")
    with LocalIndex(Path("works.index")) as index:
        assert sorted(entry.pmid for entry in index) == ["1", "20", "4", "5", "6", "7", "8"]
        assert index.collections()[0].date == "2026-03-04"
    assert len(closed()) == 1
    Path("4.xml").write_text(pubmed([21], [1, 99]))
    assert run("add", "works.index", "4.xml") == 0
    assert held() == {"pubmed": 7}
    assert verify(Path("works.index")) == 7


def test_who_interrupts_the_taking_out_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def once(*arguments: Any, **options: Any) -> BuildReport:
        monkeypatch.setattr(writing, "rebuild", interrupt)
        return rebuild(*arguments, **options)

    monkeypatch.setattr(writing, "rebuild", once)
    Path("1.xml").write_text(pubmed(range(1, 9), [2]))
    assert run("build", "works.index", "1.xml") == 130
    told = "works.index is written, but still has 1 record that PubMed takes back"
    assert capsys.readouterr().err == f"citecheck index build: interrupted; {told}\n"
    assert verify(Path("works.index")) == 8


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["numpy", pytest.param("zstandard", marks=pytest.mark.exhaustive)])
def test_a_missing_library_is_named(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines("a.jsonl", works("a", range(2)))
    Path("b.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd and so on")
    code = (
        f"import sys; sys.modules[{name!r}] = None; from pytest_citecheck.cli import main; sys.exit(main(sys.argv[1:]))"
    )

    def without(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, "index", *arguments], capture_output=True, text=True, check=False
        )

    made = without("build", "works.index", "a.jsonl", "b.jsonl.zst")
    assert made.returncode == 2
    assert made.stderr.startswith("citecheck index build: error: ")
    assert "pip install '.[index]' in a checkout" in made.stderr
    assert not Path("works.index").exists()
    run("build", "works.index", "a.jsonl")
    assert without("info", "works.index").returncode == 0


ENDLESS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
from pytest_citecheck.cli import index, main

Intake = index.Intake

def endless(intake, read=Intake.items):
    yield from read(intake)
    while True:
        time.sleep(0.01)

Intake.items = endless
sys.exit(main())
"""


@pytest.fixture
def slow_build(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A build over works.index that has begun, and goes on until something ends it."""
    run("build", "works.index", lines("a.jsonl", works("a", range(50))))
    lines("new.jsonl", works("new", range(500)))
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, "index", "build", "works.index", "new.jsonl"], stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 120
        while not list(folder.glob(".works.index.*.build/index.sqlite")) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_a_build_that_is_killed_leaves_the_old_index(folder: Path, slow_build: subprocess.Popen[str]) -> None:
    before = Path("works.index").read_bytes()
    slow_build.kill()
    assert slow_build.wait(60) == -signal.SIGKILL
    assert list(folder.glob(".works.index.*"))
    assert Path("works.index").read_bytes() == before
    assert verify(Path("works.index")) == 50
    assert run("build", "works.index", lines("b.jsonl", works("b", range(3)))) == 0
    assert held() == {"b": 3}
    assert not list(folder.glob(".works.index.*"))


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_the_second_writer_says_that_there_is_a_first(
    slow_build: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("works.index").read_bytes()
    said = f"{Path('works.index').resolve()} is just being written by another process: try again afterwards"
    changes = {
        "build": "a.jsonl",
        "add": "a.jsonl",
        "update": "a.jsonl",
        "remove": "--source=a",
        "merge": "works.index",
    }
    capsys.readouterr()
    for action, argument in changes.items():
        assert run(action, "works.index", argument) == 1
        assert capsys.readouterr() == ("", f"citecheck index {action}: {said}\n")
    assert Path("works.index").read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize("action", first_fast(["build", "add", "update"]))
def test_a_link_to_an_index_stays_one(action: str) -> None:
    Path("real").mkdir()
    run("build", "real/works.index", lines("a.jsonl", works("a", range(5))))
    Path("works.index").symlink_to("real/works.index")
    assert run(action, "works.index", lines("b.jsonl", works("b", range(2)))) == 0
    assert Path("works.index").is_symlink()
    assert held("real/works.index")["b"] == 2


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_a_build_that_is_interrupted_says_so_and_leaves_the_old_index(
    folder: Path, slow_build: subprocess.Popen[str]
) -> None:
    before = Path("works.index").read_bytes()
    for _ in range(20):
        slow_build.send_signal(signal.SIGINT)
        try:
            slow_build.wait(1)
            break
        except subprocess.TimeoutExpired:
            continue  # it came before Python was ready for it: as a person would, press again
    assert slow_build.returncode == 130
    assert slow_build.stderr is not None
    assert slow_build.stderr.read() == "citecheck index build: interrupted; nothing was changed\n"
    assert Path("works.index").read_bytes() == before
    assert not list(folder.glob(".works.index.*"))


IMPATIENT = """
import atexit, os, pathlib, shutil, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from pytest_citecheck.cli import index, main

Intake = index.Intake

def press(moment):
    print(moment)
    signal.raise_signal(signal.SIGINT)

def pressed(moment, function):
    def first(*arguments, **options):
        press(moment)
        return function(*arguments, **options)
    return first

def entries(intake, read=Intake.items):
    yield from read(intake)
    press("reading")

Intake.items = entries
shutil.rmtree = pressed("the folder", shutil.rmtree)
pathlib.Path.unlink = pressed("the lock", pathlib.Path.unlink)
sys.stderr.write = pressed("the message", sys.stderr.write)
atexit.register(press, "the end")
sys.exit(main())
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_who_interrupts_the_cleaning_up_is_not_heard(folder: Path) -> None:
    command = [sys.executable, "-c", IMPATIENT, "index", "build", "works.index", lines("a.jsonl", works("a", range(9)))]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert process.stderr == "citecheck index build: interrupted; nothing was changed\n"
    assert process.returncode == 130
    pressed = process.stdout.splitlines()
    assert [*dict.fromkeys(pressed)] == ["reading", "the folder", "the lock", "the message", "the end"]
    assert [path.name for path in folder.iterdir()] == ["a.jsonl"]


def test_a_build_that_is_interrupted_as_it_begins_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(path: Path | str, mode: int, make: Callable[..., None] = os.mkdir) -> None:
        make(path, mode)
        raise KeyboardInterrupt

    lines("a.jsonl", works("a", range(2)))
    monkeypatch.setattr(os, "mkdir", made)
    assert run("build", "works.index", "a.jsonl") == 130
    assert [path.name for path in folder.iterdir()] == ["a.jsonl"]


def test_a_disk_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run("build", "works.index", lines("a.jsonl", works("a", range(2))))
    before = Path("works.index").read_bytes()

    def full(fresh: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert run("add", "works.index", "a.jsonl") == 1
    assert (
        capsys.readouterr().err
        == "citecheck index add: works.index: the index cannot be written: No space left on device\n"
    )
    assert Path("works.index").read_bytes() == before


@pytest.mark.exhaustive
def test_a_reader_that_leaves_early(folder: Path) -> None:
    build(Path("i"), works("a", range(2)))
    command = f"'{sys.executable}' -c 'from pytest_citecheck.cli import main; main()' index info i"
    shell = subprocess.run(
        ["sh", "-c", f"({command}; echo $? > code) | true"], capture_output=True, text=True, check=False
    )
    assert shell.stderr == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_stands_on_one_line_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    progress = Progress()
    assert progress.due
    progress.show("a long text \x1b[2J")
    assert not progress.due
    progress.show("short")
    progress.clear()
    progress.clear()
    long = r"a long text \x1b[2J"
    assert terminal.getvalue() == f"\r{long}\r{'short':{len(long)}}\r     \r"
    run("build", "works.index", lines("a.jsonl", works("a", range(2))), lines("b.jsonl", works("b", range(2))))
    assert "\ra.jsonl: file 1 of 2, 2 records, 0 problems" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not Progress().due


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (1234, "1.2 kB"), (99_400, "99 kB"), (99_600, "100 kB"),
        (999_400, "999 kB"), (999_600, "1 MB"), (4_567_000_000, "4.6 GB"), (1_234_567_000_000, "1,235 GB"),
    ],
)  # fmt: skip
def test_sizes_for_people(size: int, text: str) -> None:
    assert amount(size) == text


def test_licences_that_services_declare() -> None:
    assert licence_of("dblp") == "CC0-1.0"
    assert licence_of("acl_anthology") == "CC-BY-4.0"
    assert licence_of("mine") == ""
