"""A finding points at the field that it is about."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.cli import main
from pytest_citecheck.inputs import BIBTEX
from pytest_citecheck.reports import field_place

ENTRY = """\
@article{key,
  title = {Wheels
    and {Cogs, or}},
  author = "Ada {Love, lace}" # jan,
  journal = {Cards}, year = 2999,
  url = {https://doi.org/10.1000/forthcoming},
}
"""


def place(entry: str, check: str, **finding: Any) -> list[int] | None:
    (reference,) = BIBTEX.read("refs.bib", ("% a line\n" + entry).encode()).references
    return field_place(reference, check, finding)


@pytest.mark.parametrize(
    ("check", "finding", "expected"),
    [
        ("title", {"code": "title-near-miss"}, [3, 3, 4, 20]),
        ("authors", {"code": "authors-other"}, [5, 3, 5, 36]),
        ("venue", {"code": "venue-other"}, [6, 3, 6, 20]),
        ("cross_db", {"code": "year-other"}, [6, 22, 6, 33]),
        ("cross_db", {"code": "authors-disagree"}, [5, 3, 5, 36]),
        ("doi", {"code": "doi-unregistered", "cited": "10.1000/forthcoming"}, [7, 3, 7, 46]),
        ("completeness", {"code": "year-future"}, [6, 22, 6, 33]),
        ("completeness", {"code": "field-missing"}, None),
        ("venue", {"code": "venue-other", "fixes": {"year": "2001"}}, [6, 22, 6, 33]),
    ],
)
def test_the_field_of_a_finding(check: str, finding: dict[str, Any], expected: list[int] | None) -> None:
    assert place(ENTRY, check, **finding) == expected


def test_an_entry_on_one_line_and_in_parentheses() -> None:
    assert place("@article(b1, title = {Wheels (a, b)}, year = 2998)", "cross_db", code="year-other") == [2, 39, 2, 50]
    assert place("@misc{b1, note = {no title}}", "title", code="title-missing") is None


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters='{}"\\%@\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029'), max_size=30
    )
)
def test_any_value_is_found_whole(value: str) -> None:
    entry = f"@misc{{a, year = 2001, title = {{x{value}x}}, note = {{n}}}}\n"
    found = place(entry, "title", code="title-other")
    assert found is not None
    lines = ("% a line\n" + entry).split("\n")[found[0] - 1 : found[2]]
    lines[-1] = lines[-1][: found[3] - 1]
    assert "\n".join(lines)[found[1] - 1 :] == f"title = {{x{value}x}}"


@pytest.mark.exhaustive
def test_every_format_points_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("refs.bib").write_text(ENTRY, encoding="utf-8")

    def shown(name: str) -> str:
        assert main(["refs.bib", "--offline", "--cache=off", f"--format={name}", "-m", "completeness"]) == 1
        return capfd.readouterr().out

    assert shown("concise").startswith("refs.bib:5:22: error year-future")
    assert "line=5,endLine=5,title=citecheck year-future,col=22,endColumn=33::" in shown("github")
    region = json.loads(shown("sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "startColumn": 22, "endLine": 5, "endColumn": 33}
    assert re.search(r'name="key\[completeness\]" file="refs.bib" line="5"', shown("junit"))
    assert "linenumber=5;columnnumber=22;" in shown("azure")
    assert json.loads(shown("json"))["references"][0]["checks"]["completeness"]["place"] == [5, 22, 5, 33]
