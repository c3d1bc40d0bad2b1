"""A local index is built, read, changed and checked."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_citecheck.index import (
    Collection,
    IndexFileError,
    LineRuns,
    LocalIndex,
    Runs,
    add,
    build,
    builder,
    full_title,
    merge,
    remove,
    verify,
)
from pytest_citecheck.model import Notice, NoticeKind, Person, Record, RecordType
from tests.support.records import work

np = pytest.importorskip("numpy")

ATTENTION = work(
    "dblp", "conf/nips/V17", "Attention is All you Need", ("Ashish Vaswani", "Noam Shazeer", "Niki Parmar"), 2017, "NIPS",
    arxiv="1706.03762", type="inproceedings",
)  # fmt: skip
BERT = work(
    "acl", "N19-1423", "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    ("Devlin, Jacob", "Chang, Ming-Wei"), 2019, "NAACL", "10.18653/v1/n19-1423", acl="N19-1423", pages="4171-4186",
    venues=("Proceedings of NAACL",), editors=("Jill Burstein",), isbn=("9781950737130",), complete=False,
)  # fmt: skip
CHINESE = work("cnki", "1", "深度学习研究综述", ("张三",), 2020, "计算机学报")
EDITORIAL = work("dblp", "e1", "Editorial", ("Ada Lovelace",), 2001, "Notes")
ENTRIES = [ATTENTION, BERT, CHINESE, EDITORIAL]
FILLING = [
    work("filling", str(i), f"Study {i} of the {word} effect in large samples", (f"Author{i} Name{i}",), 1990 + i % 30)
    for i, word in enumerate(["magnetic", "thermal", "optical", "social", "neural"] * 40)
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    path = tmp_path_factory.mktemp("index") / "works.index"
    build(path, [*ENTRIES, *FILLING], collections=[Collection("dblp", 0, "2026-11-01", "CC0", "https://dblp.org")])
    with LocalIndex(path) as opened:
        yield opened


def titles(entries: list[Record]) -> list[str]:
    return [entry.title for entry in entries]


@pytest.mark.parametrize(
    ("kind", "value", "entry"),
    [
        ("doi", "10.18653/V1/N19-1423", BERT),
        ("arxiv", "1706.03762", ATTENTION),
        ("acl", "n19-1423", BERT),
        ("isbn", "9781950737130", BERT),
    ],
)
def test_by_identifier(index: LocalIndex, kind: str, value: str, entry: Record) -> None:
    assert index.by_identifier(kind, value) == [entry]
    assert index.by_identifiers([(kind, value), (kind, "nothing")]) == [[entry], []]


@pytest.mark.parametrize(("kind", "value"), [("doi", "1706.03762"), ("arxiv", "n19-1423"), ("doi", ""), ("pmid", "1")])
def test_an_identifier_of_another_kind_is_not_found(index: LocalIndex, kind: str, value: str) -> None:
    assert index.by_identifier(kind, value) == []


def test_there_are_no_other_kinds_of_identifiers(index: LocalIndex) -> None:
    with pytest.raises(ValueError, match="not an identifier of an index: title"):
        index.by_identifier("title", "x")


def test_what_only_shares_a_hash_is_not_given(index: LocalIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalIndex, "_exact", lambda *_: [0])
    assert index.identifier_numbers("doi", "10.1/x") == [0]
    assert index.by_identifier("doi", "10.1/x") == []
    assert index.by_title("Study 7 of the optical effect in large samples")[0].id == "7"


@pytest.mark.parametrize(
    ("asked", "entry"),
    [
        ("attention is all you need.", ATTENTION),
        ("Attention Is All We Need", ATTENTION),
        ("Attenton is Al you Need", ATTENTION),
        ("Pretraining of {Deep} Bidirectional Transformers for Language Understanding", BERT),
        ("BERT", None),
        ("BERT: Pre-training of Deep Bidirectional Transfromers", BERT),
        ("bertt pre-trainin of depe bidirectionl transformes for languag understandin", BERT),
        ("深度学习综述", CHINESE),
        ("深度学习研究综述", CHINESE),
    ],
)
def test_by_title(index: LocalIndex, asked: str, entry: Record | None) -> None:
    found = index.by_title(asked)
    if entry is not None:
        assert found[0] == entry
    assert index.by_titles([asked, "x"]) == [found, index.by_title("x")]
    assert len(found) <= 10


@pytest.mark.parametrize("title", ["", "???", "the of", "zzz qqq", "🤖"])
def test_titles_that_are_nowhere_are_no_error(index: LocalIndex, title: str) -> None:
    assert ATTENTION not in index.by_title(title)


@given(st.text(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_title_can_be_asked_for(index: LocalIndex, title: str) -> None:
    assert len(index.by_title(title, limit=3)) <= 3


def test_an_equal_title_is_all_that_is_given(index: LocalIndex) -> None:
    assert index.by_title("EDITORIAL") == [EDITORIAL]


@pytest.mark.parametrize(
    ("families", "year", "found"),
    [
        (["Vaswani", "Shazeer"], 2017, [ATTENTION]),
        (["Ashish Vaswani", "Parmar, N."], 2017, [ATTENTION]),
        (["Shazeer", "Vaswani", "Nobody"], 2018, [ATTENTION]),
        (["Vaswani", "Shazeer"], 2016, [ATTENTION]),
        (["Vaswani", "Shazeer"], 2019, []),
        (["Vaswani", "Devlin"], 2018, []),
        (["Devlin"], 2019, [BERT]),
        ([], 2019, []),
        (["Vaswani", "Shazeer"], None, []),
    ],
)
def test_by_authors(index: LocalIndex, families: list[str], year: int | None, found: list[Record]) -> None:
    assert index.by_authors(families, year) == found


def test_everything_comes_out_as_it_went_in(index: LocalIndex) -> None:
    assert list(index) == [*ENTRIES, *FILLING]
    assert len(index) == len(ENTRIES) + len(FILLING)
    assert index.collections()[0] == Collection("dblp", 2, "2026-11-01", "CC0", "https://dblp.org")
    assert [(held.name, held.records) for held in index.collections()[1:]] == [
        ("acl", 1),
        ("cnki", 1),
        ("filling", 200),
    ]


TEXT = st.text(max_size=6)
SAID = st.text(min_size=1, max_size=6)
TEXTS = st.lists(SAID, max_size=3, unique=True).map(tuple)
PEOPLE = st.lists(
    st.builds(Person, literal=SAID) | st.builds(Person, literal=SAID, group=st.just(True))
    | st.builds(Person, family=SAID, given=TEXT, particle=TEXT, suffix=TEXT, group=st.booleans()),
    max_size=3,
).map(tuple)  # fmt: skip
YEARS = st.lists(st.integers(0, 3000), max_size=3, unique=True).map(tuple)
PAIRS = st.lists(st.tuples(SAID, SAID), max_size=2).map(tuple)
NOTICES = st.lists(st.builds(Notice, st.sampled_from(get_args(NoticeKind)), SAID, TEXT, TEXT), max_size=2).map(tuple)
OF_TYPE = {
    "str": TEXT, "RecordType": st.sampled_from(get_args(RecordType)), "bool": st.booleans(),
    "int | None": st.none() | st.integers(0, 99), "tuple[str, ...]": TEXTS, "tuple[int, ...]": YEARS,
    "tuple[Person, ...]": PEOPLE, "tuple[tuple[str, str], ...]": PAIRS, "tuple[Notice, ...]": NOTICES,
}  # fmt: skip
RECORDS = st.builds(
    Record,
    id=st.uuids().map(str),
    **{field.name: OF_TYPE[str(field.type)] for field in fields(Record) if field.name != "id"},
)


def readable(value: Any) -> Any:
    """The value with spaces for the separators of an index file."""
    if isinstance(value, str):
        return value.translate(dict.fromkeys((0x1C, 0x1D, 0x1E, 0x1F), " "))
    if isinstance(value, Person | Notice):
        return type(value)(*(readable(getattr(value, field.name)) for field in fields(value)))
    return tuple(map(readable, value)) if isinstance(value, tuple) else value


@pytest.mark.exhaustive
@given(st.lists(RECORDS, min_size=1, max_size=12, unique_by=lambda record: record.id))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_record_comes_out_as_it_went_in(tmp_path: Path, records: list[Record]) -> None:
    in_tables = ("title", "subtitle", "source", "type", "publisher", "agency")  # of their own, where nothing is parted
    build(tmp_path / "any.index", records)
    with LocalIndex(tmp_path / "any.index") as index:
        stated = {record.id: record for record in records}
        for record in index:
            went_in = stated[record.id]
            values = {field.name: getattr(went_in, field.name) for field in fields(Record)}
            kept = {name: value if name in in_tables else readable(value) for name, value in values.items()}
            kept["venues"] = (*went_in.venues[:1], *readable(went_in.venues[1:]))
            assert record == Record(**kept)
            assert record in index.by_title(full_title(record), limit=20)
    verify(tmp_path / "any.index")


def test_a_record_is_found_by_all_its_titles(tmp_path: Path) -> None:
    stated = work("s", "1", "Deep work", subtitle="Rules for focus", other_titles=("Konzentriert arbeiten",))
    build(tmp_path / "i", [stated, *FILLING])
    with LocalIndex(tmp_path / "i") as index:
        for title in ("Deep work: rules for focus", "Deep Work", "Konzentriert Arbeiten"):
            assert index.by_title(title) == [stated]


def test_halves_of_surrogate_pairs_do_not_break_a_build(tmp_path: Path) -> None:
    build(tmp_path / "i", [work("s\ud800", "i\udfff", "Title \ud834 here", ("A \udc00",), venue="v\udc01")])
    with LocalIndex(tmp_path / "i") as index:
        assert index.by_title("Title here") == [work("s?", "i?", "Title ? here", ("A ?",), venue="v?")]


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        pytest.param([ATTENTION, replace(ATTENTION, pages="1-11")], [1], id="same id: the newer one"),
        pytest.param([ATTENTION, replace(ATTENTION, id="other")], [1], id="same but for the id"),
        pytest.param([ATTENTION, replace(ATTENTION, source="other")], [0, 1], id="another collection"),
        pytest.param(
            [EDITORIAL, replace(EDITORIAL, id="e2", authors=(Person("B"),))], [0, 1], id="the same title by others"
        ),
        pytest.param([EDITORIAL, replace(EDITORIAL, id="e2", years=(2002,))], [0, 1], id="of another year"),
        pytest.param([EDITORIAL, replace(EDITORIAL, id="e2", doi="10.1/x")], [0, 1], id="with another identifier"),
        pytest.param([replace(EDITORIAL, id=""), replace(BERT, source="dblp", id="")], [0, 1], id="without ids"),
        pytest.param([EDITORIAL, replace(ATTENTION, id="e1"), replace(EDITORIAL, id="e3")], [1, 2], id="chain"),
    ],
)
def test_what_replaces_what(tmp_path: Path, entries: list[Record], kept: list[int]) -> None:
    report = build(tmp_path / "i", entries)
    with LocalIndex(tmp_path / "i") as index:
        assert list(index) == [entries[i] for i in kept]
        assert {entry for title in titles(entries) for entry in index.by_title(title)} == {entries[i] for i in kept}
        assert sum(held.records for held in index.collections()) == len(kept)
    assert (report.records, report.replaced) == (len(kept), len(entries) - len(kept))
    verify(tmp_path / "i")


def test_an_empty_index(tmp_path: Path) -> None:
    assert build(tmp_path / "i", []).records == 0
    with LocalIndex(tmp_path / "i") as index:
        assert (len(index), list(index), index.by_title("x"), index.by_authors(["x"], 2000)) == (0, [], [], [])
    assert verify(tmp_path / "i") == 0


def test_the_same_entries_give_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(tmp_path / name, [*ENTRIES, *FILLING])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_sorting_on_disk_gives_what_sorting_in_memory_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [*ENTRIES, *FILLING, *ENTRIES]
    build(tmp_path / "whole", entries)
    monkeypatch.setattr(builder, "CHUNK", 16)
    monkeypatch.setattr(builder, "_WORDS_AT_ONCE", 10)
    monkeypatch.setattr(builder, "Runs", lambda folder, name, width: Runs(folder, name, width=width, limit=100))
    build(tmp_path / "parts", entries)
    dumps = []
    for name in ("whole", "parts"):
        connection = sqlite3.connect(tmp_path / name)
        dumps.append([line for line in connection.iterdump() if '"spellings"' not in line and '"meta"' not in line])
        connection.close()
    assert dumps[0] == dumps[1]
    verify(tmp_path / "parts")


def test_rows_come_back_in_order_and_groups_stay_together(tmp_path: Path) -> None:
    generator = random.Random(3)  # noqa: S311
    runs = Runs(tmp_path, "rows", width=2, limit=40)
    added = [(generator.randrange(30), number) for number in range(500)]
    for i in range(0, 500, 7):
        part = np.array(added[i : i + 7], np.uint64)
        runs.add(part[:, 0], part[:, 1])
    parts = [part.T.tolist() for part in runs.parts()]
    assert len(parts) > 5
    assert sorted(map(tuple, [row for part in parts for row in part])) == sorted(added)
    assert [row[0] for part in parts for row in part] == sorted(key for key, _ in added)
    keys = [{key for key, _ in part} for part in parts]
    assert not any(one & other for i, one in enumerate(keys) for other in keys[:i])
    assert list(tmp_path.iterdir()) == []


def test_lines_come_back_in_order_and_once(tmp_path: Path) -> None:
    runs = LineRuns(tmp_path)
    runs.add(["b", "a", "é"])
    runs.add(["c", "a"])
    assert list(runs.lines()) == ["a", "b", "c", "é"]
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "i"
    build(path, ENTRIES)
    before = path.read_bytes()

    def failing() -> Iterator[Record]:
        yield BERT
        raise RuntimeError("the dump ended early")

    with pytest.raises(RuntimeError, match="the dump ended early"):
        build(path, failing())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_next_build_removes_what_a_dead_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead, empty, live = (tmp_path / f".i.{name}.build" for name in ("dead", "empty", "live"))
    for folder in (dead, empty, live):
        folder.mkdir()
    (dead / "index.sqlite").write_bytes(b"SQLite format 3\0 and then the power went")
    connection = sqlite3.connect(live / "index.sqlite", isolation_level=None)
    connection.executescript("CREATE TABLE x (y); BEGIN EXCLUSIVE")
    build(tmp_path / "i", ENTRIES)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".i.empty.build", ".i.live.build", "i"]
    connection.close()
    monkeypatch.setattr(builder, "_ABANDONED_AFTER", -1.0)
    build(tmp_path / "i", ENTRIES)
    assert [path.name for path in tmp_path.iterdir()] == ["i"]


def test_add_remove_merge(tmp_path: Path) -> None:
    path, other = tmp_path / "i", tmp_path / "other"
    scope = ("dblp", "NIPS", 2017, True, "the proceedings list them all")
    build(path, ENTRIES, collections=[Collection("dblp", date="2026-01-01")], scopes=[scope])
    newer = replace(ATTENTION, pages="5998-6008")
    report = add(path, [newer, *FILLING], collections=[Collection("dblp", date="2026-11-01")])
    assert (report.records, report.replaced) == (204, 1)
    with LocalIndex(path) as index:
        assert index.by_title(ATTENTION.title) == [newer]
        assert Collection("dblp", 2, "2026-11-01") in index.collections()
        assert index.scopes() == [scope]
    remove(path, "filling")
    with LocalIndex(path) as index:
        assert set(index) == {newer, BERT, CHINESE, EDITORIAL}
    with pytest.raises(KeyError, match="filling"):
        remove(path, "filling")
    build(other, [ATTENTION, *FILLING[:3]], scopes=[(*scope[:3], False, "half of it")])
    merge(tmp_path / "both", [path, other])
    with LocalIndex(tmp_path / "both") as index:
        assert set(index) == {ATTENTION, BERT, CHINESE, EDITORIAL, *FILLING[:3]}
        assert index.scopes() == [(*scope[:3], False, "half of it")]
    remove(path, "dblp")
    with LocalIndex(path) as index:
        assert index.scopes() == []
    assert verify(path) == 2


def test_an_open_index_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "i"
    build(path, [ATTENTION])
    with LocalIndex(path) as index:
        add(path, [BERT])
        assert list(index) == [ATTENTION]
        assert index.by_identifier("doi", BERT.doi) == []
    with LocalIndex(path) as index:
        assert list(index) == [ATTENTION, BERT]


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "i"
    build(path, [*ENTRIES, *FILLING])
    whole = path.read_bytes()
    assert verify(path) == 204

    def refused(content: bytes | None) -> str:
        bad = tmp_path / "bad"
        bad.unlink(missing_ok=True)
        if content is not None:
            bad.write_bytes(content)
        with pytest.raises(IndexFileError) as caught:
            LocalIndex(bad)
        with pytest.raises(IndexFileError):
            verify(bad)
        return str(caught.value)

    assert "cannot be opened" in refused(None)
    assert "is not a local index" in refused(b"")
    assert "is not a local index" in refused(b"%PDF-1.7" + bytes(200))
    assert "is cut or damaged" in refused(whole[:-4096])
    assert "is cut or damaged" in refused(whole[:-1])
    assert "is cut or damaged" in refused(whole + b"x")
    assert "is an index of format 9" in refused(whole[:60] + (9).to_bytes(4, "big") + whole[64:])
    other = sqlite3.connect(tmp_path / "bad2")
    other.execute("CREATE TABLE x (y)")
    other.commit()
    other.close()
    assert "is not a local index" in refused((tmp_path / "bad2").read_bytes())


def test_an_index_of_other_keys_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "VERSION", 0)
    build(tmp_path / "i", ENTRIES)
    with pytest.raises(IndexFileError, match="keys of version 0, not 1: rebuild it"):
        LocalIndex(tmp_path / "i")


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM titles WHERE id = 5",
        "UPDATE titles SET content = 'Another' WHERE id = 5",
        "UPDATE postings SET content = zeroblob(length(content))",
        "UPDATE exact SET content = x'00' WHERE id = 1",
        "DELETE FROM author_keys WHERE id = 3",
        "UPDATE spellings SET content = 'x'",
        "UPDATE blocks SET content = x'00' WHERE id = 1",
        "DELETE FROM blocks WHERE id = 1",
        "UPDATE meta SET value = 3 WHERE key = 'records'",
        "DELETE FROM meta WHERE key = 'sum:volumes'",
        "UPDATE collections SET records = records + 1",
        "DROP TABLE author_keys",
    ],
)
def test_verify_sees_what_was_changed(tmp_path: Path, change: str) -> None:
    build(tmp_path / "i", [*ENTRIES, *FILLING])
    connection = sqlite3.connect(tmp_path / "i")
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(IndexFileError, match="is damaged"):
        verify(tmp_path / "i")


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM blocks",
        "UPDATE blocks SET content = x'0102'",
        "UPDATE exact SET content = x'00'",
        "DELETE FROM exact",
        "UPDATE postings SET content = x'010203'",
        "DROP TABLE titles",
    ],
)
def test_damage_that_is_come_upon_is_called_so(tmp_path: Path, change: str) -> None:
    build(tmp_path / "i", [*ENTRIES, *FILLING])
    connection = sqlite3.connect(tmp_path / "i")
    connection.execute(change)
    connection.commit()
    connection.close()
    with LocalIndex(tmp_path / "i") as index, pytest.raises(IndexFileError, match="i is damaged") as raised:
        index.by_titles([BERT.title, "Attention Is All We Need"])
    assert "index out of range" not in str(raised.value)
    assert "unpack" not in str(raised.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
@pytest.mark.timeout(20)
def test_what_is_no_file_is_called_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, said in ((tmp_path, "is a folder, not an index"), (tmp_path / "pipe", "is not a regular file")):
        with pytest.raises(IndexFileError, match=said):
            LocalIndex(path)


def test_damage_ends_a_reading_of_all(tmp_path: Path) -> None:
    build(tmp_path / "i", ENTRIES)
    connection = sqlite3.connect(tmp_path / "i")
    connection.execute("UPDATE blocks SET content = x'01'")
    connection.commit()
    connection.close()
    with LocalIndex(tmp_path / "i") as index, pytest.raises(IndexFileError, match="is damaged"):
        list(index)


@pytest.mark.exhaustive
@given(st.integers(100, 60_000), st.binary(min_size=1, max_size=400))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_an_error_of_the_index_or_none(tmp_path: Path, place: int, junk: bytes) -> None:
    if not (tmp_path / "i").exists():
        build(tmp_path / "i", [*ENTRIES, *FILLING])
    whole = (tmp_path / "i").read_bytes()
    place = min(place, len(whole) - len(junk))
    (tmp_path / "bad").write_bytes(whole[:place] + junk + whole[place + len(junk) :])
    with contextlib.suppress(IndexFileError), LocalIndex(tmp_path / "bad") as index:
        for entry in (*ENTRIES, *FILLING[:10]):
            index.by_title(entry.title)
            index.by_title(entry.title + " x")
            index.by_identifier("doi", entry.doi)
            index.by_authors(["Vaswani", "Shazeer"], entry.year)
    with contextlib.suppress(IndexFileError):
        verify(tmp_path / "bad")


def _read_until(path: Path, stop: str, failures: multiprocessing.Queue[str]) -> None:
    rounds = 0
    while not Path(stop).exists() or rounds < 5:
        rounds += 1
        with LocalIndex(path) as index:
            generation = {entry.volume for entry in index}
            found = {entry.volume for entry in index.by_titles([entry.title for entry in FILLING[:20]])[3]}
            if len(generation) != 1 or found != generation:
                failures.put(f"{generation} {found}")


@pytest.mark.exhaustive
def test_readers_see_one_generation_while_it_is_updated(tmp_path: Path) -> None:
    path, stop = tmp_path / "i", tmp_path / "stop"
    build(path, [replace(entry, volume="0") for entry in FILLING])
    context = multiprocessing.get_context("fork")
    failures: multiprocessing.Queue[str] = context.Queue()
    readers = [context.Process(target=_read_until, args=(path, str(stop), failures)) for _ in range(8)]
    for reader in readers:
        reader.start()
    for generation in range(1, 6):
        add(path, [replace(entry, volume=str(generation)) for entry in FILLING])
    stop.touch()
    for reader in readers:
        reader.join(30)
    assert [reader.exitcode for reader in readers] == [0] * 8
    assert failures.empty()


def test_a_read_only_file_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    build(folder / "i", ENTRIES)
    (folder / "i").chmod(0o444)
    folder.chmod(0o555)
    try:
        with LocalIndex(folder / "i") as index:
            assert index.by_title(BERT.title) == [BERT]
        assert [path.name for path in folder.iterdir()] == ["i"]
    finally:
        folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "person",
    [
        Person("Ada Lovelace"),
        Person(family="Lovelace", given="Ada"),
        Person(given="Ada"),
        Person(family="Lovelace"),
        Person(family="Oord", given="Aaron", particle="van den"),
        Person(particle="van den"),
        Person(family="Smith", given="John", suffix="Jr."),
        Person("J. Smith", family="Smith", given="John"),
        Person("ATLAS Collaboration", group=True),
        Person(family="Smith", given="John", group=True),
    ],
    ids=repr,
)
def test_an_index_keeps_every_part_of_a_name(person: Person, tmp_path: Path) -> None:
    people = (person, Person(family="Byron", given="Anne"), Person("Charles Babbage"))
    stored = replace(EDITORIAL, authors=people, editors=people[::-1], doi="10.1000/x")
    build(tmp_path / "i", [stored, *FILLING[:3]])
    with LocalIndex(tmp_path / "i") as opened:
        assert opened.by_identifier("doi", "10.1000/x") == [stored]
