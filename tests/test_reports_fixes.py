"""The corrected entry: what is not wrong stays as it stands in the file."""

from __future__ import annotations

from pytest_citecheck.model import Finding
from pytest_citecheck.reports.fixes import corrected_entry
from tests.evidence_builders import entry

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
    assert [line for line in lines if line.startswith((">", "-"))] == [">   YEAR = {1999},"]
    untouched = [line.removeprefix("  ") for line in lines if not line.startswith((">", "-"))]
    assert untouched == [line for line in TEXT.splitlines() if "YEAR" not in line]


def test_fields_on_one_line_and_concatenated_values() -> None:
    (line,) = [line for line in fixed(pages="1--2") if line.startswith(">")]
    assert line == '>   journal = jmlr # " B", pages = {1--2},'
    (line,) = [line for line in fixed(journal="A & B") if line.startswith(">")]
    assert line == r'>   journal = {A \& B}, pages = "770" # "--778",'


def test_protected_words_stay_protected() -> None:
    (line,) = [line for line in fixed(title="Gapped BLAST and PSI-BLAST 100% of it") if line.startswith(">")]
    assert line == r">   title  = {Gapped {BLAST} and PSI-{BLAST} 100\% of it},"


def test_a_field_to_drop_and_one_to_add() -> None:
    lines = fixed(note="", doi="10.1/new_one")
    assert "-   note = {see doi = 10.1/x}," in lines
    assert lines[-2:] == [">   doi = {10.1/new_one},", "  }"]


def test_the_first_fix_of_a_field_counts() -> None:
    both = [
        Finding("a", "failed", "c", "m", fixes={"year": "1999"}),
        Finding("b", "failed", "c", "m", fixes={"year": "1998"}),
    ]
    assert any("1999" in line for line in corrected_entry(entry(TEXT), both))
