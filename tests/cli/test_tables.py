"""Tables as a terminal, a spreadsheet and LaTeX take them."""

from __future__ import annotations

import csv

from pytest_citecheck.reports import TABLE_FORMATS


def test_no_cell_of_a_csv_is_a_formula() -> None:
    cells = [
        "=1+1",
        "+1-cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "-0.250",
        "0.5..0.75",
        "-0.5..0.25",
        "a=b",
        "+1",
    ]
    lines = TABLE_FORMATS["csv"](["=tool", *("x" * (len(cells) - 1))], [cells]).splitlines()
    assert lines[0].startswith("'=tool,")
    read = lines[1].split(",")
    assert read[0] == "'=1+1"
    assert [cell[0] for cell in read[:4]] == ["'"] * 4
    assert read[5:] == ["-0.250", "0.5..0.75", "-0.5..0.25", "a=b", "+1"]


HOSTILE = "a|b_\x1b[2J&<i>%"


def test_hostile_names_in_every_format() -> None:
    for name, render in TABLE_FORMATS.items():
        text = render(["tool", "F1"], [[HOSTILE, "-"]])
        assert "\x1b" not in text, name
    assert r"a|b\_\textbackslash{}x1b[2J\&<i>\%" in TABLE_FORMATS["latex"](["tool"], [[HOSTILE]])
    assert r"a&#124;b\_\\x1b\[2J&amp;&lt;i&gt;%" in TABLE_FORMATS["markdown"](["tool"], [[HOSTILE]])
    quoted = TABLE_FORMATS["csv"](["tool", "F1"], [['say "a, b"', "-"]])
    assert list(csv.reader(quoted.splitlines())) == [["tool", "F1"], ['say "a, b"', ""]]
