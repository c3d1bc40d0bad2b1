"""Answers across runs: content and lifetime of the cache, and runs with a damaged file."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, QueryResult, Record, Unavailable
from pytest_citecheck.net import AnswerCache, CacheStatistics, Transport, TransportSettings, encode, lifetime
from pytest_citecheck.net import cache as answer_cache
from pytest_citecheck.net import cache as answer_file
from pytest_citecheck.sources import SOURCES
from tests.support.suites import first_fast

DAY = 86_400.0
NOW = 1_795_000_000.0
TITLE = "Attention Is All You Need"


class Clock:
    """A clock that does not advance."""

    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


Opener = Callable[..., AnswerCache]


@pytest.fixture
def cache(tmp_path: Path, clock: Clock) -> Iterator[Opener]:
    """Opens caches in one folder; all are closed in the end."""
    opened: list[AnswerCache] = []

    def make(mirrors: str = "", *, folder: Path = tmp_path / "cache", **options: object) -> AnswerCache:
        made = AnswerCache(folder, mirrors, now=clock, **options)  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.close()


def doi(number: int) -> Query:
    return Query("doi", f"10.5555/{number}")


def found(number: int, title: str = TITLE) -> QueryResult:
    query = doi(number)
    record = Record("crossref", query.value, title=title, doi=query.value)
    return QueryResult("crossref", query, Found((record,)), "https://api.crossref.org/works", "2026-11-21T08:00:00Z")


def contents(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT key, stored, until, body FROM answers ORDER BY id").fetchall()


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


# How long an answer holds


def search(kind: QueryKind, answer: Answer, value: str = TITLE) -> QueryResult:
    return QueryResult("dblp", Query(kind, value), answer)


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        (found(1), 30),
        (QueryResult("doi_org", doi(1), Found((Record("doi_org", "10.5555/1"),))), 30),
        (
            QueryResult("doi_ra", Query("prefix", "10.5555"), Found((Record("doi_ra", "10.5555", agency="Crossref"),))),
            30,
        ),
        (QueryResult("crossref", doi(1), Found(())), 1),
        (QueryResult("doi_org", doi(1), Absent("doi.org")), 1),
        (QueryResult("crossref", doi(1), Absent()), 1),
        (QueryResult("crossref", doi(1), Unavailable("timeout")), 0),
        (search("title", Found((Record("dblp", "1", title="attention is all you need."),))), 30),
        (search("title", Found((Record("dblp", "1", title="Other"), Record("dblp", "2", title=TITLE)))), 30),
        (search("title", Found((Record("dblp", "1", title="Other", other_titles=(TITLE,)),))), 30),
        (search("title", Found((Record("dblp", "1", title=TITLE, subtitle="A Study of Cats"),))), 30),
        (search("title", Found((Record("dblp", "1", title="Attention Is Not All You Need"),))), 1),
        (search("title", Found((Record("dblp", "1"),))), 1),
        (search("title", Found(())), 1),
        (search("title", Absent()), 1),
        (search("title", Unavailable("http-503")), 0),
        (search("author_search", Found((Record("dblp", "1", title=TITLE),)), "conf/nips"), 1),
        (search("venue_year", Found((Record("dblp", "1", title=TITLE),)), "conf/nips"), 1),
    ],
)
def test_lifetime(asked: QueryResult, days: float) -> None:
    assert lifetime(asked) == days * DAY


def test_answers_hold_for_their_lifetime(cache: Opener, clock: Clock) -> None:
    absent = QueryResult("crossref", doi(2), Absent())
    cache().put_many(1, [found(1), absent])
    queries = [doi(2), doi(1)]
    assert list(cache().get_many("crossref", 1, queries).items()) == [(doi(2), absent), (doi(1), found(1))]
    clock.time = NOW + DAY - 1
    assert set(cache().get_many("crossref", 1, queries)) == {doi(1), doi(2)}
    clock.time = NOW + DAY
    assert set(cache().get_many("crossref", 1, queries)) == {doi(1)}
    clock.time = NOW + 30 * DAY
    assert cache().get_many("crossref", 1, queries) == {}


def test_outages_are_not_kept(cache: Opener) -> None:
    one = cache()
    one.put_many(1, [QueryResult("crossref", doi(1), Unavailable("timeout", "x")), found(2)])
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(2): found(2)}
    assert one.statistics().rows == 1


def test_an_outage_does_not_displace_an_answer(cache: Opener) -> None:
    cache().put_many(1, [found(1)])
    cache().put_many(1, [QueryResult("crossref", doi(1), Unavailable("timeout"))])
    assert cache().get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


def test_a_new_answer_replaces_the_old_one(cache: Opener, clock: Clock) -> None:
    cache().put_many(1, [QueryResult("crossref", doi(1), Absent())])
    clock.time += 2 * DAY
    cache().put_many(1, [found(1)])
    assert cache().get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}
    assert cache().statistics().rows == 1


@pytest.mark.parametrize(("days", "holds"), [(0.9, True), (1.1, False), (-29, True)])
def test_a_clock_that_was_wrong(cache: Opener, clock: Clock, days: float, holds: bool) -> None:
    clock.time = NOW + days * DAY
    cache().put_many(1, [found(1)])
    clock.time = NOW
    assert bool(cache().get_many("crossref", 1, [doi(1)])) is holds


def test_refresh_finds_only_what_this_run_stored(cache: Opener, clock: Clock) -> None:
    cache().put_many(1, [found(1, "Old"), found(2, "Old")])
    clock.time += 60
    fresh = cache(refresh=True)
    assert fresh.get_many("crossref", 1, [doi(1), doi(2)]) == {}
    clock.time += 1
    fresh.put_many(1, [found(1, "New")])
    assert fresh.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(1): found(1, "New")}
    # And everybody sees the new one, beside what was not asked again.
    assert cache().get_many("crossref", 1, [doi(1), doi(2)]) == {doi(1): found(1, "New"), doi(2): found(2, "Old")}


# By what an answer is found


@pytest.mark.parametrize(
    "other",
    [
        Query("title", "A", ("Li", "Wu"), 2021),
        Query("author_search", "A", ("Li",), 2020),
        Query("title", "B", ("Li",), 2020),
        Query("title", "A", (), 2020),
        Query("title", "A", ("Li",), 2021),
        Query("title", "A", ("Li",)),
    ],
)
def test_another_question_is_not_answered(cache: Opener, other: Query) -> None:
    query = Query("title", "A", ("Li",), 2020)
    cache().put_many(1, [QueryResult("dblp", query, Absent())])
    assert set(cache().get_many("dblp", 1, [other, query])) == {query}
    assert cache().get_many("crossref", 1, [query]) == {}
    assert cache("2").get_many("dblp", 1, [query]) == {}


def test_answers_of_mirrors_do_not_displace_each_other(cache: Opener) -> None:
    cache("old").put_many(1, [found(1, "Old")])
    cache("new").put_many(1, [found(1, "New")])
    assert cache("old").get_many("crossref", 1, [doi(1)]) == {doi(1): found(1, "Old")}
    assert cache("new").get_many("crossref", 1, [doi(1)]) == {doi(1): found(1, "New")}


@pytest.mark.parametrize("other", [found(2), replace(found(1), source="datacite")])
def test_a_row_under_the_wrong_key_is_no_answer(cache: Opener, other: QueryResult) -> None:
    one = cache()
    one.put_many(1, [found(1), other])
    (_, (key, *_)) = contents(one.path)
    change(one.path, "DELETE FROM answers WHERE id = 2")
    change(one.path, "UPDATE answers SET key = ? WHERE id = 1", key)
    assert one.get_many(other.source, 1, [other.query]) == {}
    one.put_many(1, [other])
    assert one.get_many(other.source, 1, [other.query]) == {other.query: other}


def test_many_questions_in_their_order(cache: Opener) -> None:
    one = cache()
    one.put_many(1, (found(number * 7 % 1203) for number in range(1203)))
    asked = [doi(number) for number in range(0, 3000, 2)]
    assert list(one.get_many("crossref", 1, asked).values()) == [found(number) for number in range(0, 1203, 2)]
    assert one.get_many("crossref", 1, []) == {}


TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=5)


@pytest.mark.exhaustive
@given(
    st.lists(
        st.tuples(st.builds(Query, st.just("title"), TEXTS, st.lists(TEXTS, max_size=2).map(tuple)), TEXTS),
        unique_by=lambda pair: pair[0],
        max_size=5,
    ),
    TEXTS,
)
def test_whatever_was_put_is_found(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[Query, str]], source: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    answers = {query: QueryResult(source, query, Absent(scope)) for query, scope in pairs}
    with closing(AnswerCache(folder)) as one:
        one.put_many(1, answers.values())
        assert one.get_many(source, 1, answers) == answers
        assert not one.problem


# What is written down


def test_exactly_what_was_put_is_stored(cache: Opener, tmp_path: Path) -> None:
    one = cache("a mirror that names nobody")
    one.put_many(1, [found(1)])
    ((key, stored, until, body),) = contents(one.path)
    assert (stored, until, body) == (NOW, NOW + 30 * DAY, encode(found(1)))
    assert isinstance(key, bytes)
    assert len(key) == 16
    one.close()
    written = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert b"names nobody" not in written
    assert os.fsencode(tmp_path) not in written


def test_an_answer_that_the_model_does_not_know_is_left_out(cache: Opener) -> None:
    strange = replace(found(1), answer=Found((Record("x", "y", years=(object(),)),)))  # type: ignore[arg-type]
    one = cache()
    one.put_many(1, [strange, found(2)])
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(2): found(2)}
    assert not one.problem


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_nobody_else_may_read_it(cache: Opener, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        one = cache()
        one.put_many(1, [found(1)])
    finally:
        os.umask(before)
    folder = tmp_path / "cache"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == dict.fromkeys(("answers-1.sqlite", "answers-1.sqlite-wal", "answers-1.sqlite-shm"), 0o600)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_any_folder_name_will_do(cache: Opener, tmp_path: Path) -> None:
    (tmp_path / "real ?mode=ro#%41").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real ?mode=ro#%41", target_is_directory=True)
    cache(folder=tmp_path / "link").put_many(1, [found(1)])
    assert cache(folder=tmp_path / "real ?mode=ro#%41").get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


# How much


def test_expired_answers_make_room_first(cache: Opener, clock: Clock) -> None:
    one = cache(most_bytes=400_000)
    one.put_many(1, map(found, range(200)))
    one.put_many(1, (QueryResult("crossref", doi(number), Absent("x" * 500)) for number in range(200, 600)))
    assert one.statistics().rows == 600
    clock.time += 2 * DAY
    one.put_many(1, (found(number, "x" * 1000) for number in range(1000, 1100)))
    kept = one.get_many("crossref", 1, [doi(number) for number in range(1200)])
    assert set(kept) == {doi(number) for number in (*range(200), *range(1000, 1100))}
    assert one.statistics().rows < 700


@pytest.mark.exhaustive
def test_the_oldest_go_next(cache: Opener, tmp_path: Path) -> None:
    one = cache(most_bytes=200_000)
    one.put_many(1, map(found, range(10)))
    largest = 0
    for start in range(10, 3000, 10):
        one.put_many(1, (found(number) for number in range(start, start + 10)))
        if start % 100 == 10:
            one.put_many(1, [found(3)])  # stored again, so no longer old
        largest = max(largest, (tmp_path / "cache" / "answers-1.sqlite").stat().st_size)
    kept = [int(query.value[8:]) for query in one.get_many("crossref", 1, map(doi, range(3000)))]
    assert kept[0] == 3
    assert kept[1:] == list(range(kept[1], 3000))
    assert 200 < len(kept) < 1000
    assert largest <= 200_000 + 50_000
    assert not one.problem


def test_a_smaller_bound_shrinks_the_file(cache: Opener, tmp_path: Path) -> None:
    big = cache()
    big.put_many(1, (found(number, "x" * 1000) for number in range(2000)))
    big.close()
    assert size(tmp_path / "cache") > 2_000_000
    small = cache(most_bytes=500_000)
    assert len(small.get_many("crossref", 1, map(doi, range(2000)))) > 200
    assert small.get_many("crossref", 1, [doi(1999)])
    small.close()
    assert size(tmp_path / "cache") <= 500_000


def test_a_bound_that_nothing_fits_into(cache: Opener) -> None:
    one = cache(most_bytes=1)
    one.put_many(1, map(found, range(300)))
    assert one.get_many("crossref", 1, map(doi, range(300))) == {}
    assert not one.problem


def test_clear_gives_the_room_back(cache: Opener) -> None:
    one = cache()
    one.put_many(1, (found(number, "x" * 1000) for number in range(1000)))
    before = one.statistics()
    assert before.rows == 1000
    assert before.bytes > 1_000_000
    one.clear()
    assert one.statistics().rows == 0
    assert one.statistics().bytes < 100_000
    one.put_many(1, [found(1)])
    assert cache().get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


# What may happen to the file


def not_a_database(path: Path) -> None:
    path.write_bytes(b"<html>no such cache</html>" * 1000)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


def overwritten(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * (len(data) - 100))


def another_program(path: Path) -> None:
    path.unlink()
    change(path, "CREATE TABLE bookmarks (url TEXT)")


@pytest.mark.parametrize("damage", first_fast([not_a_database, cut_off, overwritten, another_program], 2))
def test_a_broken_file_is_set_aside(
    cache: Opener, tmp_path: Path, clock: Clock, damage: Callable[[Path], None]
) -> None:
    one = cache()
    one.put_many(1, map(found, range(500)))
    one.close()
    path = tmp_path / "cache" / "answers-1.sqlite"
    damage(path)
    broken = path.read_bytes()
    two = cache()
    queries = [doi(number) for number in range(500)]
    assert two.get_many("crossref", 1, queries).items() <= {doi(n): found(n) for n in range(500)}.items()
    two.put_many(1, map(found, range(500)))
    assert two.get_many("crossref", 1, queries) == {doi(n): found(n) for n in range(500)}
    assert str(path) in two.problem
    assert "set aside" in two.problem
    assert path.read_bytes() == broken
    # Later runs go on with the new file, in silence.
    three = cache()
    assert len(three.get_many("crossref", 1, queries)) == 500
    assert not three.problem
    # It goes when the user clears the cache, but not while somebody may have it open.
    three.clear()
    assert path.exists()
    old = time.time() - 2 * DAY
    for file in path.parent.glob("answers-1.sqlite*"):
        os.utime(file, (old, old))
    three.clear()
    assert [file.name for file in path.parent.glob("*.sqlite")] == ["answers-1.2.sqlite"]


def of_another_layout(path: Path) -> None:
    change(path, "ALTER TABLE answers ADD COLUMN more TEXT")


def with_a_trigger(path: Path) -> None:
    change(path, "CREATE TRIGGER mine AFTER INSERT ON answers BEGIN DELETE FROM answers; END")


def rename(path: Path, name: str) -> None:
    """Rename the table, like one damaged byte would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"UPDATE sqlite_schema SET name = CAST({name} AS TEXT) WHERE name = 'answers'")  # noqa: S608


def with_a_name_that_is_no_text(path: Path) -> None:
    rename(path, "x'616e7377657273ff'")


def with_a_statement_that_is_no_text(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = CAST(sql || x'ff' AS TEXT) WHERE name = 'answers'")


def of_a_later_format(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[18] = 66  # SQLite reads it, and does not write it
    path.write_bytes(data)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        of_another_layout,
        with_a_trigger,
        with_a_name_that_is_no_text,
        with_a_statement_that_is_no_text,
        of_a_later_format,
        a_folder,
    ],
)
def test_any_damage_is_one_note_and_the_next_file_is_good(
    cache: Opener, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    one = cache()
    one.put_many(1, [found(1)])
    one.close()
    damage(tmp_path / "cache" / "answers-1.sqlite")
    two = cache()
    two.put_many(1, [found(2)])
    assert two.get_many("crossref", 1, [doi(1), doi(2)]).get(doi(2)) == found(2)
    assert "set aside" in two.problem
    assert two.problem.isprintable()
    assert two.is_used
    two.clear()
    assert two.statistics().rows == 0
    three = cache()
    three.put_many(1, [found(3)])
    assert three.get_many("crossref", 1, [doi(2), doi(3)]) == {doi(3): found(3)}
    assert three.problem == ""


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("Could not decode to UTF-8 column 'body'"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        OverflowError("Python int too large to convert to SQLite INTEGER"),
        sqlite3.DataError("string or blob too big"),
        ValueError("embedded null character"),
        TypeError("no"),
        MemoryError(),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_reading_raises_is_damage(cache: Opener, error: Exception) -> None:
    one = cache()
    one.put_many(1, [found(1)])

    def broken(_: sqlite3.Connection) -> None:
        raise error

    assert one._attempt(broken, None) is None
    assert "set aside" in one.problem or "not used" in one.problem
    assert one.get_many("crossref", 1, [doi(1)]) == {}
    one.clear()
    one.put_many(1, [found(1)])
    assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("stored", "soon"),
        ("stored", b"x"),
        ("until", "never"),
        ("until", 1e300),
        ("until", NOW + 40 * DAY),
        ("stored", NOW - DAY),
        ("checksum", "many"),
        ("body", "text"),
        ("body", 7),
        ("key", b"another"),
    ],
)
def test_a_value_that_was_changed_is_no_row(cache: Opener, column: str, value: object) -> None:
    one = cache()
    one.put_many(1, [found(1), found(2)])
    change(one.path, f"UPDATE answers SET {column} = ? WHERE id = 1", value)  # noqa: S608 - as above
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(2): found(2)}
    assert one.problem == ""


def test_text_that_is_no_text_is_no_row(cache: Opener) -> None:
    one = cache()
    one.put_many(1, [found(1), found(2)])
    change(one.path, "UPDATE answers SET body = CAST(x'ff' AS TEXT), stored = CAST(x'ff' AS TEXT) WHERE id = 1")
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(2): found(2)}
    assert one.problem == ""


def test_a_body_that_nobody_wrote_is_not_read(cache: Opener) -> None:
    one = cache()
    bodies = {
        1: b" " * (answer_file.LARGEST_BODY + 1),
        2: b"[" * 500_000,
        3: b'{"source":' * 100_000,
        4: b'{"source":' + b"9" * 500_000 + b"}",
    }
    one.write(answer_file.Row(one._key("crossref", 1, doi(n)), NOW, NOW + DAY, body) for n, body in bodies.items())
    assert one.statistics().rows == 3
    change(one.path, "UPDATE answers SET body = zeroblob(10000000) WHERE id = 1")
    assert one.get_many("crossref", 1, map(doi, bodies)) == {}
    assert one.problem == ""


@pytest.mark.parametrize(("size", "kept"), [(answer_file.LARGEST_BODY, 1), (answer_file.LARGEST_BODY + 1, 0)])
def test_the_largest_body(cache: Opener, size: int, kept: int) -> None:
    one = cache()
    one.write([answer_file.Row(b"key", NOW, NOW + DAY, b"x" * size)])
    assert len(one.read([b"key"])) == kept


def break_while_open(one: AnswerCache) -> None:
    """Zero the pages of the open file after emptying its page cache."""
    assert one._connection is not None
    one._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    one._connection.execute("PRAGMA cache_size = 1")
    with one.path.open("r+b") as file:
        file.seek(100)
        file.write(b"\x00" * 100_000)


def test_a_file_that_breaks_while_it_is_used(cache: Opener) -> None:
    one = cache()
    one.put_many(1, map(found, range(300)))
    break_while_open(one)
    assert one.get_many("crossref", 1, map(doi, range(300))).items() <= {doi(n): found(n) for n in range(300)}.items()
    one.put_many(1, [found(7)])
    assert one.get_many("crossref", 1, [doi(7)]) == {doi(7): found(7)}
    assert "set aside" in one.problem


def test_a_changed_bit_is_no_answer(cache: Opener) -> None:
    one = cache()
    one.put_many(1, [found(1, "Attention Is All You Need"), found(2)])
    data = encode(found(1)).replace(b"All You", b"Ale You")
    change(one.path, "UPDATE answers SET body = ? WHERE id = 1", data)
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {doi(2): found(2)}


def test_a_body_of_another_form_is_no_answer(cache: Opener) -> None:
    one = cache()
    ours = one._key("crossref", 1, doi(1))
    one.write([answer_file.Row(ours, NOW, NOW + DAY, b'{"source": "crossref"}')])
    assert one.get_many("crossref", 1, [doi(1)]) == {}
    assert not one.problem


def switched_off(one: AnswerCache) -> None:
    """It answers nothing, keeps nothing, and nothing raises."""
    assert "is not used" in one.problem
    one.put_many(1, [found(2)])
    assert one.get_many("crossref", 1, [doi(1), doi(2)]) == {}
    one.clear()
    assert one.statistics().rows == 0
    one.close()


def test_a_second_broken_file_ends_the_cache_for_this_run(cache: Opener, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    not_a_database(tmp_path / "cache" / "answers-1.sqlite")
    one = cache()
    assert "set aside" in one.problem
    one.put_many(1, map(found, range(300)))
    break_while_open(one)
    one.put_many(1, map(found, range(300)))
    assert "is not used" in one.problem
    assert not one.is_used
    assert not (tmp_path / "cache" / "answers-1.3.sqlite").exists()
    # Who clears it wants one that can be used.
    one.clear()
    one.put_many(1, [found(1)])
    assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


@pytest.mark.parametrize(
    "pragma",
    [
        "query_only = 1",  # what a file that cannot be written gives
        "max_page_count = 1",  # what a full disk gives
    ],
)
def test_a_file_that_cannot_be_written(cache: Opener, pragma: str) -> None:
    one = cache()
    one.put_many(1, [found(1)])
    assert one._connection is not None
    one._connection.execute(f"PRAGMA {pragma}")
    assert one.get_many("crossref", 1, [doi(1)])
    one.put_many(1, (found(number, "x" * 5000) for number in range(10, 60)))
    switched_off(one)
    # Nothing of what could not be written whole is there.
    assert cache().get_many("crossref", 1, map(doi, range(60))) == {doi(1): found(1)}


def test_a_file_that_another_process_holds(cache: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(answer_file, "_PATIENCE", 0.05)
    one = cache()
    one.put_many(1, [found(1)])
    with closing(sqlite3.connect(tmp_path / "cache" / "answers-1.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}  # who reads does not wait
        one.put_many(1, [found(2)])
        assert "locked" in one.problem
        switched_off(one)
    assert cache().get_many("crossref", 1, [doi(1), doi(2)]) == {doi(1): found(1)}


def test_a_new_file_that_another_process_holds(cache: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(answer_file, "_PATIENCE", 0.05)
    (tmp_path / "cache").mkdir()
    with closing(sqlite3.connect(tmp_path / "cache" / "answers-1.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        one = cache()
        assert "locked" in one.problem
        switched_off(one)


def test_a_folder_that_is_a_file(cache: Opener, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    switched_off(cache(folder=tmp_path / "file"))
    switched_off(cache(folder=tmp_path / "file" / "below"))
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_cannot_be_written(cache: Opener, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    switched_off(cache())


def test_closed_is_closed(cache: Opener, tmp_path: Path) -> None:
    one = cache()
    one.put_many(1, [found(1)])
    one.close()
    one.close()
    one.put_many(1, [found(2)])
    assert one.get_many("crossref", 1, [doi(1)]) == {}
    # With the last one the log is in the file.
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["answers-1.sqlite"]
    closed = size(tmp_path / "cache")
    assert cache().statistics() == CacheStatistics(1, closed)


def test_interrupted_while_writing(cache: Opener) -> None:
    def interrupted() -> Iterable[tuple[bytes, float, float, bytes, int]]:
        yield (b"key", NOW, NOW + DAY, b"body", 0)
        raise KeyboardInterrupt

    one = cache()
    connection = one._connection
    assert connection is not None
    with pytest.raises(KeyboardInterrupt), answer_file._transaction(connection):
        connection.executemany(
            "INSERT INTO answers (key, stored, until, body, checksum) VALUES (?, ?, ?, ?, ?)", interrupted()
        )
    assert one.statistics().rows == 0
    one.put_many(1, [found(1)])
    assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1)}


# Several processes


def write_and_read(folder: Path, number: int, start: object) -> None:
    """Store 40 batches of 5 answers, reading the others' batches in between; every batch read is complete."""
    start.wait(60)  # type: ignore[attr-defined]
    with closing(AnswerCache(folder, most_bytes=50_000_000)) as one:
        for batch in range(40):
            first = number * 1000 + batch * 5
            one.put_many(1, (found(n) for n in range(first, first + 5)))
            read = one.get_many("crossref", 1, [doi(n * 1000 + batch * 5) for n in range(3)])
            assert all(asked == found(int(query.value[8:])) for query, asked in read.items())
            assert doi(first) in read
        assert not one.problem, one.problem


@pytest.mark.exhaustive
def test_several_processes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    # All open the file that is not there yet at the same time.
    start = context.Barrier(3)
    processes = [context.Process(target=write_and_read, args=(tmp_path / "cache", n, start)) for n in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    with closing(AnswerCache(tmp_path / "cache")) as one:
        numbers = [n * 1000 + k for n in range(3) for k in range(200)]
        assert one.get_many("crossref", 1, map(doi, numbers)) == {doi(n): found(n) for n in numbers}
        assert one.statistics().rows == 600


WRITER = """
import sys
from pathlib import Path
from tests.net.test_answer_cache import found
from pytest_citecheck.net import AnswerCache
cache = AnswerCache(Path(sys.argv[1]))
for batch in range(100_000):
    cache.put_many(1, (found(number) for number in range(batch * 10, batch * 10 + 10)))
    print(batch, flush=True)
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_a_killed_process_loses_nothing_that_was_put(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "cache")]
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 100:
                os.kill(writer.pid, signal.SIGKILL)
                break
        # What it had said before it died counts too.
        batches = 1 + max([100, *(int(line) for line in writer.stdout if line.endswith("\n"))])
    assert writer.returncode == -signal.SIGKILL
    with closing(AnswerCache(tmp_path / "cache", now=time.time)) as one:
        numbers = range(batches * 10)
        assert one.get_many("crossref", 1, map(doi, numbers)) == {doi(n): found(n) for n in numbers}
        # The batch in the middle of which it was killed is there whole or not at all.
        assert one.statistics().rows % 10 == 0
        one.put_many(1, [found(1, "Anew")])
        assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1, "Anew")}
        assert not one.problem


# The version by which answers were read


def test_a_new_version_of_a_service_finds_none_of_its_older_answers(cache: Opener) -> None:
    one = cache()
    one.put_many(1, [found(1, "Old")])
    assert one.get_many("crossref", 2, [doi(1)]) == {}
    one.put_many(2, [found(1, "New")])
    assert one.get_many("crossref", 2, [doi(1)]) == {doi(1): found(1, "New")}
    assert one.get_many("crossref", 1, [doi(1)]) == {doi(1): found(1, "Old")}


def test_a_new_format_finds_nothing_of_the_older_one(cache: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    cache().put_many(1, [found(1)])
    monkeypatch.setattr(answer_cache, "FORMAT", answer_cache.FORMAT + 1)
    assert cache().get_many("crossref", 1, [doi(1)]) == {}


@pytest.mark.parametrize("raised", ["crossref", "arxiv"])
def test_a_run_finds_the_answers_of_the_services_that_have_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: str
) -> None:
    queries = {"crossref": doi(1), "arxiv": Query("arxiv", "1706.03762")}
    sources = {source.name: source for source in SOURCES if source.name in queries}
    with closing(AnswerCache(tmp_path)) as kept:
        for name, query in queries.items():
            kept.put_many(sources[name].version, [QueryResult(name, query, Found((Record(name, "x", title=TITLE),)))])
    monkeypatch.setattr(type(sources[raised]), "version", sources[raised].version + 1)

    async def ask() -> dict[str, QueryResult]:
        async with Transport(TransportSettings(cache=tmp_path, offline=True)) as transport:
            return {name: (await transport.ask(sources[name], [q]))[q] for name, q in queries.items()}

    answers = asyncio.run(ask())
    assert [name for name, asked in answers.items() if isinstance(asked.answer, Unavailable)] == [raised]
