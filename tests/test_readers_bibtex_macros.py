"""Macros: definitions, concatenation, limits."""

from __future__ import annotations

import pytest

from pytest_citecheck.readers.bibtex_macros import Macros, journal_command
from pytest_citecheck.readers.bibtex_value import Part


def test_parts_are_joined_and_names_compared_without_case() -> None:
    macros = Macros()
    macros.define("NaAcl", "NAACL")
    assert macros.expand([Part("Proc. "), Part("naacl", macro=True), Part(" 3")]) == ("Proc. NAACL 3", ())


def test_months_are_known_and_can_be_redefined() -> None:
    macros = Macros()
    assert macros.expand([Part("JAN", macro=True)]) == ("January", ())
    macros.define("jan", "Jänner")
    assert macros.expand([Part("jan", macro=True)]) == ("Jänner", ())


def test_an_undefined_name_is_kept_and_reported() -> None:
    assert Macros().expand([Part("tpami", macro=True)]) == ("tpami", ("tpami",))


def test_a_later_definition_helps_but_is_reported() -> None:
    later = Macros()
    later.define("x", "X")
    assert Macros().expand([Part("x", macro=True)], later) == ("X", ("x",))


def test_definitions_that_double_each_other_stay_short() -> None:
    macros = Macros()
    macros.define("m", "lol " * 100)
    for _ in range(60):
        macros.define("m", macros.expand([Part("m", macro=True)] * 2)[0])
    assert len(macros.expand([Part("m", macro=True)] * 2)[0]) < 100_000


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (r"\apj", "The Astrophysical Journal"),
        (r"{\apj}", "The Astrophysical Journal"),
        (r"\mnras{}", "Monthly Notices of the Royal Astronomical Society"),
        (r"\unknown", r"\unknown"),
        (r"Some \apj", r"Some \apj"),
        ("Nature", "Nature"),
    ],
)
def test_journal_commands(value: str, name: str) -> None:
    assert journal_command(value) == name
