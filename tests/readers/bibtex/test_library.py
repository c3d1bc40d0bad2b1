"""Well-formed entries are read as bibtexparser reads them: its grammar is maintained by others."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bibtexparser.model import Entry, String
from bibtexparser.splitter import Splitter
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import EntryMemory, ScannedEntry, Source, find_starts, read_bibtex, scan_entry
from tests.readers.bibtex.test_corpus import CASES

FIXTURES = Path(__file__).parents[3] / "fixtures"
Block = tuple[str, str, list[tuple[str, str]]]
"""Type, key, and names and values of the fields; values without delimiters."""


def by_the_library(text: str) -> Iterator[Block]:
    logging.disable(logging.CRITICAL)
    try:
        blocks = Splitter(text).split().blocks
    finally:
        logging.disable(logging.NOTSET)
    for block in blocks:
        if isinstance(block, Entry):
            fields = [(field.key.lower(), _bare(field.value)) for field in block.fields]
            yield block.entry_type.lower(), block.key, fields
        elif isinstance(block, String):
            yield "string", "", [(block.key.lower(), _bare(block.value))]


def _bare(value: str) -> str:
    parts = re.split(r"\s+#\s+", value)
    return "".join(part[1:-1] if part[:1] in ("{", '"') else part for part in parts)


def scanned(text: str) -> list[ScannedEntry]:
    starts = find_starts(text)
    source = Source(text, starts)
    return [scan_entry(source, start, keyed=start.kind != "string") for start in starts if start.kind != "comment"]


def by_the_scanner(text: str) -> Iterator[Block]:
    for entry in scanned(text):
        assert entry.problems == [], text
        fields = [(field.name, "".join(part.text for part in field.parts)) for field in entry.fields]
        yield entry.type, entry.key, fields


SOUND = (
    "@misc{a, title = {T}}",
    "@MISC{A:b/1+2(c).d'e,TITLE={T},\n}  % behind it",
    '@article{ключ, author = {Ge{\\H u} and {\\v{C}}ech, J{\\"o}rg}, título = {T}}\n\nSome text = {x}',
    '@misc{a, title = "G{\\"o}del says {"}T{"} and {{x}}", year = "2000", volume = 12, month = jun\n}',
    "@misc{a, note = {a\n\n}, abstract = {50% of x@y.org, @home, and #1}}@misc{b, year = 1}",
    '@string{naacl = "Proceedings of {NAACL}"}',
    "@string { p={P} }\n",
    "@misc{a, date-added = {2001}, author+an = {1=x}, _x.y = 1}",
)


@pytest.mark.parametrize("text", SOUND)
def test_sound_blocks_are_read_as_the_library_reads_them(text: str) -> None:
    assert list(by_the_scanner(text)) == list(by_the_library(text))


@pytest.mark.parametrize("name", ["refs.bib", "hallucinated.bib"])
def test_sound_files_are_read_as_the_library_reads_them(name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    library = [block for block in by_the_library(text) if block[0] != "string"]
    assert [block for block in by_the_scanner(text) if block[0] != "string"] == library
    assert len(library) > 40


def test_fields_keep_their_places() -> None:
    text = '  @misc{title,\n  title = "title = 1",\n\tnote={x} #  Title , Title={x}\n}'
    (entry,) = scanned(text)
    assert [(field.name, text[field.at :].split("=")[0].strip()) for field in entry.fields] == [
        ("title", "title"), ("note", "note"), ("title", "Title"),
    ]  # fmt: skip
    assert [(part.text, part.macro) for part in entry.fields[1].parts] == [("x", False), ("Title", True)]


# Here the library returns an entry or a macro, and does not say that anything is wrong.
SUSPECT = {
    "comma missing": "@misc{a,\n  author = {X}\n  title = {T}\n}",
    "comma and brace missing": "@misc{a,\n  author = {X\n  title = {T}},\n  year = 2000\n}",
    "brace of a value missing": "@misc{a,\n  title = {T,\n  author = {X}},\n  year = 2000\n}",
    "brace of a value missing before a quoted one": '@misc{a,\n  title = {T,\n  author = "X"},\n  year = 2000\n}',
    "quotation mark of a value missing": '@misc{a,\n  title = "T,\n  year = 2000,\n  note = "},\n}',
    "closed too early": "@misc{a,\n  title = {T}},\n  author = {X}\n}",
    "closed too early, without a comma": "@misc{a,\n  title = {T}}\n  author = {X}\n}",
    "a brace too many": "@misc{a, title = {T}}}",
    "a brace too many on the next line": "@misc{a, title = {T}}\n}",
    "a brace too many in a value": "@misc{a, title = {T} and U, year = 2000}",
    "comment": "@misc{a, title = {T}, % year = {1999},\n  year = {2000}\n}",
    "comment behind the last value": "@misc{a, year = 2000 % at last\n}",
    "commented field": "@misc{a,\n  %year = {1999},\n  title = {T}\n}",
    "conflict of a merge": "@misc{a,\n<<<<<<< HEAD\n  year = {2000},\n  title = {T}\n}",
    "blank in a field name": "@misc{a, Date Added = {2001}}",
    "@ before a field name": "@misc{a, @year = 2000}",
    "brace in a key": "@misc{\\{a, title = {T}}",
    "quotation mark in a key": '@misc{\\"a, title = {T}}',
    "key missing": "@misc{, title = {T}}",
    "type missing": "@{a, title = {T}}",
    "value missing": "@misc{a, title = , year = 2000}",
    "equals sign twice": "@misc{a, title = = {T}}",
    "value without delimiters": "@misc{a, journal = Nature Physics, year = 2000}",
    "typographic quotation marks": "@misc{a, title = “T”}",
    "bare quotation marks": '@misc{a, title = "The "best" of T"}',
    "surplus brace in quotation marks": '@misc{a, title = "A } B"}',
}


@pytest.mark.parametrize("text", SUSPECT.values(), ids=SUSPECT)
def test_damage_that_the_library_does_not_report_is_reported(text: str) -> None:
    assert list(by_the_library(text))
    assert any(entry.problems or entry.unreadable for entry in scanned(text))


# --- properties ----------------------------------------------------------------------------------------------------

_SOURCES = [*(case.source for case in CASES), *SOUND, *SUSPECT.values()]
_INSERTED = st.sampled_from(
    ["{", "}", '"', ",", "=", "#", "%", "@", "\n", "(", ")", "\\", "},", "}}", "{}", "\n@misc{q, title = {Q}}\n", "@foo {",
     ",\n year = ", "title = {", "\\}", "\\{", '\\"', "\u00a0", "\x0b", "<<<<<<< x\n", "text ", "@comment{", "@string{s = {S}}"]
)  # fmt: skip


@given(
    st.lists(st.sampled_from(_SOURCES), min_size=1, max_size=3).map("\n".join),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), st.just("") | _INSERTED), max_size=3),
)
def test_remembered_blocks_are_read_alike_around_damage(text: str, changes: list[tuple[int, int, str]]) -> None:
    for place, removed, inserted in changes:
        place %= len(text) + 1
        text = text[:place] + inserted + text[place + removed :]
    data = text.encode("utf-8", "replace")
    with EntryMemory(100).remembering():
        remembered = read_bibtex("refs.bib", data)
    assert remembered == read_bibtex("refs.bib", data)


@pytest.mark.exhaustive
@given(st.data())
def test_plain_entries_are_read_as_the_library_reads_them(data: st.DataObject) -> None:
    text = st.text(st.sampled_from("ab .;:é&1-"), min_size=1, max_size=10)
    value = st.one_of(
        text.map("{{{}}}".format), text.map('"{}"'.format), text.map("{{x {{{}}}}}".format), st.just("2000")
    )
    names = data.draw(st.lists(st.sampled_from(["title", "author", "year", "doi"]), min_size=1, unique=True))
    fields = ",\n  ".join(f"{name} = {data.draw(value)}" for name in names)
    whole = f"@misc{{key,\n  {fields}\n}}\n\n"
    assert list(by_the_scanner(whole)) == list(by_the_library(whole))
