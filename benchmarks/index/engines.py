"""The engines that are compared: the local index, SQLite's text search as hallucinator asks it, and tantivy."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rapidfuzz import fuzz, process

from pytest_citecheck.index import STOP_WORDS, LocalIndex, build, build_shards, read_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.model import Record


class Engine(Protocol):
    """An engine: built once, opened, and queried for titles."""

    name: str
    path: Path

    def __init__(self, folder: Path) -> None: ...

    def build(self, records: Iterable[Record]) -> None:
        """Index all records."""

    def open(self) -> None:
        """Make ready for questions."""

    def find(self, title: str) -> Any:
        """Return up to ten candidates in the engine's own form."""

    def titles(self, found: Any) -> list[str]:
        """Return the titles of the results of `find`; not included in the times."""

    def size(self) -> int:
        """Bytes on disk."""


class Local:
    """The local index."""

    name = "local index"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "works.index"

    def build(self, records: Iterable[Record]) -> None:
        build(self.path, records)

    def open(self) -> None:
        self.index = LocalIndex(self.path)

    def find(self, title: str) -> Any:
        return self.index.title_numbers(title)

    def titles(self, found: Any) -> list[str]:
        return [record.title for record in self.index.records(found)]

    def size(self) -> int:
        return self.path.stat().st_size


class Shards(Local):
    """The local index as a set of four files."""

    name = "local index, 4 shards"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "works.set"

    def build(self, records: Iterable[Record]) -> None:
        build_shards(self.path, records, 4)

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.path.iterdir())


class Fts5:
    """SQLite's FTS5 with hallucinator's questions: all of six words, all of three, any of the four rarest, each 50 by BM25."""

    name = "FTS5 as hallucinator asks"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "fts5.sqlite"

    def build(self, records: Iterable[Record]) -> None:
        self.path.unlink(missing_ok=True)
        connection = sqlite3.connect(self.path)
        connection.executescript(
            "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE works (id INTEGER PRIMARY KEY, title TEXT NOT NULL, authors TEXT NOT NULL);"
            "CREATE VIRTUAL TABLE found USING fts5 (title, content='works', content_rowid='id');"
            "CREATE VIRTUAL TABLE terms USING fts5vocab (found, row);"
        )
        connection.executemany(
            "INSERT INTO works (title, authors) VALUES (?, ?)",
            ((one.title, "|".join(map(str, one.authors))) for one in records),
        )
        connection.execute("INSERT INTO found (found) VALUES ('rebuild')")
        connection.commit()
        connection.close()

    def open(self) -> None:
        self.connection = sqlite3.connect(f"file:{self.path}?mode=ro&immutable=1", uri=True)
        self.connection.execute("PRAGMA mmap_size = 1099511627776")

    def find(self, title: str) -> Any:
        words, _ = read_title(title)
        text = " ".join(words)
        telling = list(dict.fromkeys(word for word in words if len(word) > 2 and word not in STOP_WORDS)) or words
        longest = sorted(telling, key=len, reverse=True)
        best: list[tuple[str, float, int]] = []
        for ask in (longest[:6], longest[:3], None):
            chosen = ask if ask is not None else self._rarest(telling)
            query = (" " if ask is not None else " OR ").join(f'"{word}"' for word in chosen)
            if not query:
                continue
            rows = self.connection.execute(
                "SELECT title FROM works WHERE id IN (SELECT rowid FROM found WHERE found MATCH ? ORDER BY rank LIMIT 50)",
                (query,),
            ).fetchall()
            best = process.extract(text, [" ".join(read_title(row)[0]) for (row,) in rows], scorer=fuzz.ratio, limit=10)
            if best and best[0][1] >= 90:
                break
        return best

    def _rarest(self, words: list[str]) -> list[str]:
        counts = {}
        for word in words:
            row = self.connection.execute("SELECT doc FROM terms WHERE term = ?", (word,)).fetchone()
            if row:
                counts[word] = row[0]
        return sorted(counts, key=counts.__getitem__)[:4]

    def titles(self, found: Any) -> list[str]:
        return [title for title, _, _ in found]

    def size(self) -> int:
        return self.path.stat().st_size


class Tantivy:
    """tantivy with the five rarest words of a title, 25 by BM25, ranked by their letters."""

    name = "tantivy, 5 rarest words"

    def __init__(self, folder: Path) -> None:
        import tantivy  # noqa: PLC0415  (the comparison is made without it where it is not installed)

        self.tantivy: Any = tantivy
        self.path = folder / "tantivy"

    def build(self, records: Iterable[Record]) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir()
        schema = (
            self.tantivy.SchemaBuilder()
            .add_text_field("title", stored=True)
            .add_text_field("form", tokenizer_name="raw")
        )
        index = self.tantivy.Index(schema.build(), path=str(self.path))
        writer = index.writer(256_000_000, 1)
        for record in records:
            words, form = read_title(record.title)
            document = self.tantivy.Document()
            document.add_text("title", " ".join(words))
            document.add_text("form", form)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        self.index = self.tantivy.Index.open(str(self.path))
        self.schema = self.index.schema
        self.searcher = self.index.searcher()

    def find(self, title: str) -> Any:
        query = self.tantivy.Query
        words, form = read_title(title)
        exact = self.searcher.search(query.term_query(self.schema, "form", form), 10)
        if exact.hits:
            return [self.searcher.doc(address)["title"][0] for _, address in exact.hits]
        counts = {word: count for word in words if (count := self.searcher.doc_freq("title", word))}
        rarest = sorted(counts, key=counts.__getitem__)[:5]
        if not rarest:
            return []
        terms = [(self.tantivy.Occur.Should, query.term_query(self.schema, "title", word)) for word in rarest]
        hits = self.searcher.search(query.boolean_query(terms), 25).hits
        found = [self.searcher.doc(address)["title"][0] for _, address in hits]
        return [text for text, _, _ in process.extract(" ".join(words), found, scorer=fuzz.token_sort_ratio, limit=10)]

    def titles(self, found: Any) -> list[str]:
        return list(found)

    def size(self) -> int:
        time.sleep(1)  # until files that were merged are gone
        return sum(file.stat().st_size for file in self.path.iterdir())
