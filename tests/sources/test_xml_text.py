"""Elements by their names alone, and their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import marked_text, marked_texts, parse_xml, without_namespaces


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("Plain", "Plain"),
        ("", ""),
        ("H<sub>2</sub>O and <i>E. coli</i>", "H2O and E. coli"),
        ("p &lt; 0.05 &amp; more", "p < 0.05 & more"),
        ("<b>R</b> &lt; 3", "R < 3"),
        ("Caf&#233; &amp;amp; Bar", "Café & Bar"),
        ("of <m:math xmlns:m='x'><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math> only", "of x2 only"),
        ("Two\n   lines <i>and\n more</i>", "Two lines and more"),
        ("&lt;i&gt;Escaped&lt;/i&gt; markup", "Escaped markup"),
    ],
)
def test_text_without_markup(inside: str, text: str) -> None:
    root = without_namespaces(parse_xml(f"<r xmlns='y'><t>{inside}</t>tail</r>".encode()))
    assert marked_text(root.find("t")) == text
    assert marked_texts(root, "t") == ([text] if text else [])
    assert root[0].tail == "tail"


def test_nothing_has_no_text() -> None:
    assert marked_text(None) == ""
    assert marked_texts(None, "t") == []


@given(st.text(alphabet="ab<>&/ ;\n\"'", max_size=40))
def test_any_text_beside_markup_is_read_like_text_alone(value: str) -> None:
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    alone, marked = parse_xml(f"<t>{escaped}</t>".encode()), parse_xml(f"<t>{escaped}<sub></sub></t>".encode())
    assert marked_text(marked).replace(" ", "") == marked_text(alone).replace(" ", "")
