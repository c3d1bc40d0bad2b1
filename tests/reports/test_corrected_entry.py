"""The corrected entry: correct parts stay as in the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Finding
from pytest_citecheck.reports import corrected_entry
from tests.support.evidence_builders import entry

TEXT = r"""@article{key,
  author = "Sch{\"a}ffer, A. and {\L}ukasz Kaiser",
  title  = {Gapped {BLAST} and a {{nested}} thing, x = {1}},
  journal = jmlr # " B", pages = "770" # "--778",
  month = may,
  YEAR = 2001,
  note = {see doi = 10.1/x}
}"""


def fixed(**fixes: str) -> list[str]:
    return corrected_entry(entry(TEXT), [Finding("title", "failed", "code", "message", fixes=fixes)])


def test_nothing_to_mend_gives_nothing() -> None:
    assert fixed() == []
    assert fixed(year="2001") == []
    assert corrected_entry(entry(TEXT), [Finding("title", "passed", "ok", "", fixes={"year": "1999"})]) == []


def test_only_the_changed_field_changes() -> None:
    lines = fixed(year="1999")
    assert [line for line in lines if line.startswith((">", "-"))] == [">   YEAR = 1999,"]
    untouched = [line.removeprefix("  ") for line in lines if not line.startswith((">", "-"))]
    assert untouched == [line for line in TEXT.splitlines() if "YEAR" not in line]


def test_fields_on_one_line_and_concatenated_values() -> None:
    (line,) = [line for line in fixed(pages="1--2") if line.startswith(">")]
    assert line == '>   journal = jmlr # " B", pages = {1--2},'
    (line,) = [line for line in fixed(journal="A & B") if line.startswith(">")]
    assert line == r'>   journal = {A \& B}, pages = "770" # "--778",'


@pytest.mark.parametrize(
    ("fixes", "expected"),
    [
        ({"booktitle": "NeurIPS"}, ["booktitle = nips,"]),
        ({"booktitle": "Advances in Neural Information Processing Systems"}, ["booktitle = nips,"]),
        (
            {"booktitle": "ICLR", "year": "2020"},
            ["booktitle = {ICLR},", "year = 2020,"],
        ),  # the macro is of another year
        ({"booktitle": "ICLR", "year": "2021"}, ["booktitle = iclr21,", "year = 2021,"]),
        ({"year": "2020"}, ["year = 2020,"]),
        ({"title": "ICML"}, ["title = {ICML},"]),
    ],
)
def test_macros_stay_macros(fixes: dict[str, str], expected: list[str]) -> None:
    text = (
        '@string{icml = "ICML"} @string{nips = "Adv. Neural Inf. Process. Syst."} @string{iclr21 = {ICLR 2021}}\n'
        "@inproceedings{key,\n  title = {T},\n  booktitle = icml,\n  year = 2019,\n}"
    )
    lines = corrected_entry(entry(text), [Finding("venue", "failed", "code", "message", fixes=fixes)])
    found = [line.removeprefix(">").strip() for line in lines if line.startswith(">")]
    assert [line.replace("{2020}", "2020").replace("{2021}", "2021") for line in found] == expected
    assert ("  booktitle = icml," in [line.removeprefix("  ") for line in lines]) is ("booktitle" not in fixes)


def test_protected_words_stay_protected() -> None:
    (line,) = [line for line in fixed(title="Gapped BLAST and PSI-BLAST 100% of it") if line.startswith(">")]
    assert line == r">   title  = {Gapped {BLAST} and PSI-{BLAST} 100\% of it},"


def test_a_field_to_drop_and_one_to_add() -> None:
    lines = fixed(note="", doi="10.1/new_one")
    assert "-   note = {see doi = 10.1/x}," in lines
    assert lines[-2:] == [">   doi = {10.1/new_one},", "  }"]


def test_a_field_to_drop_that_shares_its_line_is_gone() -> None:
    text = "@article{key, title={T},\n  journal={A}, volume={25}, number = 17, year=1997, pages={1--2}\n}"
    changes = {"journal": "B", "volume": "", "number": "", "pages": ""}
    finding = Finding("venue", "failed", "code", "message", fixes=changes)
    assert corrected_entry(entry(text), [finding]) == [
        "  @article{key, title={T},",
        ">   journal={B}, year=1997,",
        "  }",
    ]


def test_the_first_fix_of_a_field_counts() -> None:
    both = [
        Finding("a", "failed", "c", "m", fixes={"year": "1999"}),
        Finding("b", "failed", "c", "m", fixes={"year": "1998"}),
    ]
    assert any("1999" in line for line in corrected_entry(entry(TEXT), both))


VALUES = {
    "title": "{T, x = {1}}",
    "journal": '"A, B"',
    "volume": "{25}",
    "number": "17",
    "pages": "{1--2}",
    "note": "{n}",
}


@given(
    st.permutations(sorted(VALUES)),
    st.lists(st.sampled_from([" ", "\n  ", "\n"]), min_size=6, max_size=6),
    st.sets(st.sampled_from(sorted(VALUES))),
    st.sampled_from(["", ",", " ,\n"]),
)
def test_what_is_left_is_the_entry_without_the_dropped_fields(
    names: list[str], gaps: list[str], dropped: set[str], end: str
) -> None:
    body = ",".join(f"{gap}{name} = {VALUES[name]}" for gap, name in zip(gaps, names, strict=True))
    before = entry(f"@article{{key,{body}{end}}}")
    lines = corrected_entry(before, [Finding("venue", "failed", "c", "m", fixes=dict.fromkeys(dropped, ""))])
    left = "\n".join(line[2:] for line in lines if not line.startswith("-"))
    after = entry(left) if lines else before
    assert dict(after.fields) == {name: value for name, value in before.fields.items() if name not in dropped}


def names(written: str, fix: str, name: str = "author") -> str:
    before = entry(f"@article{{key,\n  {name} = {{{written}}},\n  title = {{T}}\n}}")
    (line,) = [
        line
        for line in corrected_entry(before, [Finding("authors", "failed", "c", "m", fixes={name: fix})])
        if line.startswith(">")
    ]
    return line.partition("= {")[2].removesuffix("},")


@pytest.mark.parametrize(
    ("written", "fix", "expected"),
    [
        # Who is cited rightly stays as written, braces and accents included; who is new follows the style.
        (
            r"Alejandro Sch{\"a}ffer and J. Doe",
            "Schäffer, Alejandro and Roe, Jane",
            r"Alejandro Sch{\"a}ffer and Jane Roe",
        ),
        (
            r"Sch{\"a}ffer, Alejandro and Doe, J.",
            "Schäffer, Alejandro and Roe, Jane",
            r"Sch{\"a}ffer, Alejandro and Roe, Jane",
        ),
        (
            "Ada {van Dyke} and J. Doe",
            "van Dyke, Ada and Le Guin, Ursula and Poe, Edgar Allan",
            "Ada {van Dyke} and Ursula {Le Guin} and Edgar Allan Poe",
        ),
        ("{The Team} and J. Doe", "{The Team} and Doe, Jane", "{The Team} and Jane Doe"),
    ],
)
def test_names_keep_the_style_of_the_entry(written: str, fix: str, expected: str) -> None:
    assert names(written, fix) == expected


@pytest.mark.parametrize(
    ("before", "after"), [("{2001}", "{1999}"), ('"2001"', '"1999"'), ("{{2001}}", "{{1999}}"), ("2001", "1999")]
)
def test_delimiters_are_kept(before: str, after: str) -> None:
    (line,) = [
        line
        for line in corrected_entry(
            entry(f"@article{{key,\n  title = {{T}},\n  year = {before}\n}}"),
            [Finding("cross_db", "failed", "c", "m", fixes={"year": "1999"})],
        )
        if line.startswith(">")
    ]
    assert line == f">   year = {after}"
