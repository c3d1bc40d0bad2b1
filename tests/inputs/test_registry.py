"""The table of readers: it agrees with them, and the page lists them."""

from __future__ import annotations

from pathlib import Path

from pytest_citecheck.inputs import _FORMATS, all_readers, reader_for

PAGE = Path(__file__).parents[2] / "docs" / "inputs.md"


def test_the_table_of_readers_states_their_suffixes() -> None:
    assert {reader.suffixes for reader in all_readers()} == {frozenset(suffixes) for _, _, suffixes in _FORMATS}
    assert all(reader_for(f"x{suffix}") in all_readers() for reader in all_readers() for suffix in reader.suffixes)


def test_the_page_lists_each_format() -> None:
    page = PAGE.read_text(encoding="utf-8")
    unlisted = [name for _, name, suffixes in _FORMATS if not any(f"{suffix}`" in page for suffix in suffixes)]
    assert unlisted == [], "add a row to docs/inputs.md"
