"""Blocks that bibtexparser may read: all well-formed ones, and none that our scanner would read differently."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest
from bibtexparser.model import Entry, String
from bibtexparser.splitter import Splitter
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import (
    Bibliography,
    ScannedEntry,
    Source,
    Start,
    find_starts,
    parse_well_formed,
    read_bibtex,
    scan_entry,
)
from pytest_citecheck.inputs.bibtex import blocks as bibtex_blocks
from tests.inputs.bibtex.test_corpus import CASES
from tests.inputs.bibtex.test_reader import MESSY
from tests.support.steps import growth_of_steps

FIXTURES = Path(__file__).parents[3] / "fixtures"


def blocks(text: str) -> list[tuple[ScannedEntry | None, ScannedEntry]]:
    """For every start: the block as the library path reads it, and as the scanner does."""
    starts = find_starts(text)
    source = Source(text, starts)
    parsed = parse_well_formed(text, starts)
    return [(parsed.get(start.at), scan_entry(source, start, keyed=start.kind != "string")) for start in starts]


def read_both_ways(text: str) -> tuple[Bibliography, Bibliography, int]:
    """The bibliography as it is read, as the scanner reads it alone, and how many blocks the library parsed."""
    taken = 0

    def counted(text: str, starts: Sequence[Start]) -> dict[int, ScannedEntry]:
        nonlocal taken
        parsed = parse_well_formed(text, starts)
        taken += len(parsed)
        return parsed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bibtex_blocks, "parse_well_formed", counted)
        usual = read_bibtex("refs.bib", text.encode("utf-8", "replace"))
        patch.setattr(bibtex_blocks, "parse_well_formed", lambda *_: {})
        scanned = read_bibtex("refs.bib", text.encode("utf-8", "replace"))
    return usual, scanned, taken


SOUND = (
    "@misc{a, title = {T}}",
    "@MISC{A:b/1+2(c).d'e,TITLE={T},\n}  % behind it",
    '@article{ключ, author = {Ge{\\H u} and {\\v{C}}ech, J{\\"o}rg}, título = {T}}\n\nSome text = {x}',
    '@misc{a, title = "G{\\"o}del says {"}T{"} and {{x}}", year = "2000", volume = 12, month = jun\n}',
    '@misc {a , booktitle = naacl # " 2019" # {, Part } # 2 , url = {https://x.org/?a=b,c&d=e}}',
    "@misc{a, note = {a\n\n}, abstract = {50% of x@y.org, @home, and #1}}@misc{b}",
    '@string{naacl = "Proceedings of " # {NAACL}}',
    "@string { p={P} }\n",
    "@misc{a, date-added = {2001}, author+an = {1=x}, _x.y = 1}",
)


@pytest.mark.parametrize("text", SOUND)
def test_sound_blocks_are_parsed_by_the_library(text: str) -> None:
    parsed, scanned = blocks(text)[0]
    assert parsed == scanned
    assert parsed is not None
    assert parsed.fields
    assert not parsed.problems


def test_fields_keep_their_places() -> None:
    text = '  @misc{title,\n  title = "title = 1",\n\tnote={x} #  Title , Title={x}\n}'
    parsed, _ = blocks(text)[0]
    assert parsed is not None
    assert [(field.name, text[field.at :].split("=")[0].strip()) for field in parsed.fields] == [
        ("title", "title"), ("note", "note"), ("title", "Title"),
    ]  # fmt: skip
    assert [part.text for part in parsed.fields[1].parts] == ["x", "Title"]
    assert [part.macro for part in parsed.fields[1].parts] == [False, True]


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
    "colon behind a field name": "@misc{a, title: = {T}}",
    "@ before a field name": "@misc{a, @year = 2000}",
    "brace in a key": "@misc{\\{a, title = {T}}",
    "quotation mark in a key": '@misc{\\"a, title = {T}}',
    "key missing": "@misc{, title = {T}}",
    "type missing": "@{a, title = {T}}",
    "value missing": "@misc{a, title = , year = 2000}",
    "equals sign twice": "@misc{a, title = = {T}}",
    "value without delimiters": "@misc{a, journal = Nature Physics, year = 2000}",
    "digits and letters without delimiters": "@misc{a, pages = 12a}",
    "typographic quotation marks": "@misc{a, title = “T”}",
    "bare quotation marks": '@misc{a, title = "The "best" of T"}',
    "quoted accent outside of braces": '@misc{a, author = "K. G\\"odel"}',
    "surplus brace in quotation marks": '@misc{a, title = "A } B"}',
    "brace hidden by a backslash": "@misc{a, title = {A \\} B}, year = {2000}}",
    "opening brace hidden by a backslash": "@misc{a, title = {A \\{ B}, year = {2000}}",
    "another entry in a value": "@misc{a, note = {See @misc{b, title = {U}}}}",
    "no fields": "@misc{a}",
    "parentheses": "@misc(a, title = {T})",
    "macros joined by a comma": '@string{a = "A", b = {B}}',
    "macro with a longer type": "@stringent{a = {b}}",
}


@pytest.mark.parametrize("text", SUSPECT.values(), ids=SUSPECT)
def test_what_the_library_reads_wrongly_without_a_word_is_left_to_the_scanner(text: str) -> None:
    assert isinstance(Splitter(text).split().blocks[0], Entry | String)
    assert blocks(text)[0][0] is None


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a, title = {T}, title = {U}}",
        "@misc{a, title = {T}",
        "@misc{a title = {T}}",
        "@misc{a,, title = {T}}",
        "@misc{a",
    ],
)
def test_what_the_library_sets_aside_is_left_to_the_scanner(text: str, caplog: pytest.LogCaptureFixture) -> None:
    assert [parsed for parsed, _ in blocks(text)] in ([None], [])
    assert caplog.records == []
    assert not logging.getLogger(Splitter.__module__).disabled


@pytest.mark.parametrize("name", ["refs.bib", "hallucinated.bib"])
def test_the_library_reads_all_of_a_sound_file(name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    usual, scanned, taken = read_both_ways(text)
    assert usual == scanned
    assert taken == len(usual.references) + text.count("\n@string")
    assert taken > 40


@pytest.mark.parametrize("source", [pytest.param(case.source, id=case.name) for case in CASES])
def test_the_library_is_not_taken_where_the_scanner_reads_otherwise(source: str) -> None:
    for text in (source, "@misc{x, title = {X}}\n" + source + "\n@misc{y, title = {Y}}"):
        for parsed, scanned in blocks(text):
            assert parsed in (None, scanned)
            assert parsed is None or not scanned.problems
        usual, scanner, _ = read_both_ways(text)
        assert usual == scanner


def test_a_failure_of_the_library_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_bibtex("refs.bib", MESSY.encode())
    failures = []

    def fail(_: object) -> None:
        failures.append(1)
        raise RecursionError

    monkeypatch.setattr(Splitter, "split", fail)
    assert read_bibtex("refs.bib", MESSY.encode()) == expected
    assert failures
    assert not logging.getLogger(Splitter.__module__).disabled


def test_a_block_that_is_not_the_text_is_left_to_the_scanner(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Splitter("@misc{b, year = 2000}").split()
    monkeypatch.setattr(Splitter, "split", lambda _: other)
    assert blocks("@misc{b, year = 2000}")[0][0] is not None
    assert blocks("@misc{b, year = 2001}")[0][0] is None


def test_the_library_is_not_asked_about_entries_of_absurd_length() -> None:
    sound = "@misc{a, title = {" + "{} " * 30_000 + "}}"
    assert blocks(sound)[0][0] is not None
    longer = sound.replace("}}", "{} " * 10_000 + "}}", 1)
    assert len(longer) > 100_000
    assert blocks(longer)[0][0] is None


def test_blocks_that_are_no_starts_cost_no_more_than_their_length() -> None:
    text = "@1{a, x = 1}\n" * 20_000 + "@misc{b, x = 1}"
    (parsed,) = parse_well_formed(text, find_starts(text)).values()
    assert parsed.key == "b"
    assert growth_of_steps(lambda text: parse_well_formed(text, find_starts(text)), "@1{a, x = 1}\n") < 5


@pytest.mark.exhaustive
def test_a_long_block_and_the_length_of_a_file_keep_no_block_from_the_library() -> None:
    entry = "@misc{a, title = {" + "word " * 10_000 + "}}\n"
    absurd = "@misc{x, title = {" + "word " * 30_000 + "}}\n"
    text = entry * 30 + absurd + entry * 2 + absurd
    starts = find_starts(text)
    parsed = parse_well_formed(text, starts)
    assert [start.at in parsed for start in starts] == [True] * 30 + [False, True, True, False]
    usual, scanned, _ = read_both_ways(text)
    assert usual == scanned


def test_entries_with_one_key_are_all_parsed_by_the_library() -> None:
    text = "@misc{a, x = 1}\n@misc{a, x = 1}\n@string{s = {A}}\n@string{s = {B}}"
    assert len(parse_well_formed(text, find_starts(text))) == 4


# --- properties ----------------------------------------------------------------------------------------------------

_CONTENT = st.text(st.sampled_from("ab ,=\n%#@'\\-é1"), max_size=12)
_BALANCED = st.recursive(
    _CONTENT, lambda inner: st.lists(inner, max_size=3).map(lambda all_: "{" + "".join(all_) + "}")
)
_PART = st.one_of(
    _BALANCED.map(lambda text: "{" + text + "}"),
    _BALANCED.map(lambda text: '"' + text + '"'),
    st.sampled_from(["jun", "x-y", "2000", "0"]),
)
_VALUE = st.lists(_PART, min_size=1, max_size=3).map(" # ".join)
_FIELD = st.tuples(st.sampled_from(["title", "Author", "x", "url", "date-added"]), _VALUE).map(" = ".join)
_ENTRY = st.tuples(
    st.sampled_from(["@misc{k,", "@Article {\nk,\n  ", "@string{"]),
    st.lists(_FIELD, min_size=1, max_size=4).map(",\n".join),
    st.sampled_from(["}", ",\n}", "}\n\n", "} ", "}\n% text\n", "}\ntext, x = {y}\n"]),
).map("".join)


@pytest.mark.exhaustive
@given(st.lists(_ENTRY, max_size=4))
def test_generated_entries_are_read_alike(entries: list[str]) -> None:
    usual, scanned, _ = read_both_ways("".join(entries))
    assert usual == scanned


@pytest.mark.exhaustive
@given(st.data())
def test_plain_entries_are_always_parsed_by_the_library(data: st.DataObject) -> None:
    text = st.text(st.sampled_from("ab .;:é&1-"), max_size=10)
    value = st.one_of(
        text.map("{{{}}}".format), text.map('"{}"'.format), text.map("{{x {{{}}}}}".format), st.just("2000")
    )
    names = data.draw(st.lists(st.sampled_from(["title", "author", "year", "doi"]), min_size=1, unique=True))
    fields = ",\n  ".join(f"{name} = {data.draw(value)}" for name in names)
    usual, scanned, taken = read_both_ways(f"@misc{{key,\n  {fields}\n}}\n\n" * 3)
    assert usual == scanned
    assert taken == 3


_SOURCES = [*(case.source for case in CASES), *SOUND, *SUSPECT.values()]
_INSERTED = st.sampled_from(
    ["{", "}", '"', ",", "=", "#", "%", "@", "\n", "(", ")", "\\", "},", "}}", "{}", "\n@misc{q, title = {Q}}\n", "@foo {",
     ",\n year = ", "title = {", "\\}", "\\{", '\\"', "\u00a0", "\x0b", "<<<<<<< x\n", "text ", "@comment{", "@string{s = {S}}"]
)  # fmt: skip


@given(
    st.lists(st.sampled_from(_SOURCES), min_size=1, max_size=3).map("\n".join),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), st.just("") | _INSERTED), max_size=3),
)
def test_damage_anywhere_is_read_alike(text: str, changes: list[tuple[int, int, str]]) -> None:
    for place, removed, inserted in changes:
        place %= len(text) + 1
        text = text[:place] + inserted + text[place + removed :]
    for parsed, scanned in blocks(text):
        assert parsed in (None, scanned)
    usual, scanner, _ = read_both_ways(text)
    assert usual == scanner
