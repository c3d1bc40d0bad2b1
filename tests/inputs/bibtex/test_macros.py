"""Macros: definitions, concatenation, limits."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import MACRO_OVERFLOW, Macros, Part, journal_command, read_bibtex


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
        (r"\jgr (Planets)", "Journal of Geophysical Research (Planets)"),
        (r"\jrasc", "Journal of the Royal Astronomical Society of Canada"),
        (r"\jgr \apj", r"\jgr \apj"),
        (r"\unknown", r"\unknown"),
        (r"Some \apj", r"Some \apj"),
        ("Nature", "Nature"),
    ],
)
def test_journal_commands(value: str, name: str) -> None:
    assert journal_command(value) == name


def test_all_macros_of_a_file_together_add_only_so_much() -> None:
    macros = Macros(length=1_000)
    macros.define("m", "x" * 10_000)
    texts = [macros.expand([Part("m", macro=True)])[0] for _ in range(1_000)]
    assert sum(text != "m" for text in texts) == 100
    assert macros.expand([Part("m", macro=True)]) == ("m", ("m",))


@pytest.mark.exhaustive
def test_a_chain_of_doubling_definitions_stays_small_and_is_told() -> None:
    chain = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 4_000))
    text = '@string{a0 = "lol "}\n' + chain + "@misc{k, title = a3999, year = 1999}\n@misc{b, title = {T}}"
    read = read_bibtex("refs.bib", text.encode())
    assert [note.code for note in read.notes] == [MACRO_OVERFLOW]
    assert read.notes[0].line < 100
    first, second = read.references
    assert (first.fields["year"], second.fields["title"]) == ("1999", "T")


def test_an_entry_that_macros_would_make_too_long_is_told() -> None:
    text = '@string{m = "' + "x" * 9_000 + '"}\n@misc{k,\n  note = m # m}'
    (only,) = read_bibtex("refs.bib", text.encode()).references
    assert [(defect.code, defect.line) for defect in only.defects] == [(MACRO_OVERFLOW, 3)]
    assert only.fields["note"] == "x" * 9_000 + "m"
