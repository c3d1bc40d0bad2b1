"""Text from outside stays text in Markdown."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import Span, markdown_table, plain
from tests.support.report_data import HOSTILE

markdown_it = pytest.importorskip("markdown_it")


def cells(lines: list[str]) -> list[str]:
    """The text of every body cell; fails if anything in it is more than text, code or a forced break."""
    tokens = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse("\n".join(lines))
    inside = [part.type for part in tokens if part.level == 0]
    assert inside == ["table_open", "table_close"]
    texts = []
    for before, token in itertools.pairwise(tokens):
        if before.type == "td_open":
            assert {child.type for child in token.children} <= {"text", "text_special", "code_inline"}
            texts.append("".join(child.content for child in token.children))
    return texts


@given(st.text(alphabet=st.one_of(st.sampled_from("|\\`*_<>&[]()~#$@:/.-+=1w! \t\n"), st.characters()), max_size=30))
@example(HOSTILE)
@example("a\\|b")
@example("``` | `")
@example("www.example.org https://x.org a@b.org")
@example("_a_ b_c_ __d__")
def test_a_cell_holds_its_text_and_nothing_else(text: str) -> None:
    said = cells(markdown_table(["a", "b", "c"], [[text, Span(text, "code"), "end"]]))
    expected = safe_line(text)
    assert said[0].replace("@\u2060", "@") == expected.replace("@\u2060", "@")
    assert said[1].replace("@\u2060", "@") == expected.replace("@\u2060", "@")
    assert said[2] == "end"


@pytest.mark.parametrize(
    "text", ["# a", "- a", "1. a", "2) a", "+ a", "> a", "=== a", "```", "<div>", "| a |", "[a]: b"]
)
def test_a_line_starts_no_block(text: str) -> None:
    tokens = markdown_it.MarkdownIt("commonmark").parse(f"- {plain(text)}")
    assert [token.type for token in tokens] == [
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline"),
        *("paragraph_close", "list_item_close", "bullet_list_close"),
    ]
