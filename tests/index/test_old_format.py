"""Files of format 5 are read; sets of it, and other formats, are refused."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.index import IndexFileError, LocalIndex, build, layout
from tests.support.records import work

pytest.importorskip("numpy")

_UNIT, _RECORD = "\x1f", "\x1d"
_NAMES = (1, 2, 3, 16, 21)  # fields of a packed record: source, type, venue, publisher, agency


def as_format_5(path: Path) -> None:
    """Rewrite a small index as the former version of the program wrote it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for row, content in connection.execute("SELECT id, content FROM blocks").fetchall():
            block = layout.split_block(content)
            texts = [_with_rows(text, block.names or []) for text in block.texts]
            _write(connection, "blocks", row, zlib.compress(_RECORD.join(texts).encode(), 6, -15))
        for table in ("postings", "author_keys"):
            for row, content in connection.execute(f"SELECT id, content FROM {table}").fetchall():  # noqa: S608
                _write(connection, table, row, bytes(layout.widened(content, layout.NARROW)))
        connection.execute("DELETE FROM meta WHERE key IN ('width', 'sum')")
        total = layout.table_sum(sorted(connection.execute("SELECT key, value FROM meta")))
        connection.execute("INSERT INTO meta VALUES ('sum', ?)", (total,))
        connection.execute("PRAGMA user_version = 5")
    with closing(sqlite3.connect(path)) as connection:
        ((pages,),) = connection.execute("PRAGMA page_count")
    with path.open("r+b") as file:
        file.truncate(pages * layout.PAGE)
    layout.seal(path)


def _with_rows(text: str, names: list[int]) -> str:
    fields = text.split(_UNIT)
    for place in _NAMES:
        if place < len(fields) and fields[place]:
            fields[place] = str(names[int(fields[place])])
    return _UNIT.join(fields)


def _write(connection: sqlite3.Connection, table: str, row: int, content: bytes) -> None:
    query = f"UPDATE {table} SET crc = ?, content = ? WHERE id = ?"  # noqa: S608
    connection.execute(query, (layout.row_sum(table, row, content), content, row))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    works = [
        work(
            "dblp" if n % 3 else "acl", str(n), f"Study {n} of layered films", ("A. Zhang", f"B. Li{n % 5}"), 2000 + n % 9,
            f"V{n}",
        )
        for n in range(40)
    ]  # fmt: skip
    build(tmp_path / "new.index", works)
    build(tmp_path / "old.index", works)
    as_format_5(tmp_path / "old.index")
    return tmp_path / "old.index"


def test_a_file_of_format_5_answers_as_a_new_one(old: Path) -> None:
    assert old.read_bytes()[60:64] == b"\0\0\0\5"
    with LocalIndex(old) as index, LocalIndex(old.with_name("new.index")) as new:
        assert list(index) == list(new)
        titles = ["Study 7 of layered films", "Study 7 of layerd films", "Studies of 9 layered"]
        assert index.by_titles(titles) == new.by_titles(titles)
        assert index.by_authors(["Zhang", "Li3"], 2003) == new.by_authors(["Zhang", "Li3"], 2003) != []


def test_another_format_is_refused_with_the_remedy(old: Path) -> None:
    content = bytearray(old.read_bytes())
    content[63] = 4
    old.write_bytes(content)
    with pytest.raises(IndexFileError, match="is an index of format 4; this version reads 6: rebuild it"):
        LocalIndex(old)
