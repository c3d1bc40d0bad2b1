"""The syntax finding: repaired and unreadable entries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.checks import DEFAULT, PolicyContext, check_syntax
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.model import Defect
from tests.support.evidence_builders import reference, stated

PLAIN = reference("article", title="Notes")


def test_a_well_written_entry_passes() -> None:
    assert check_syntax(PLAIN).outcome == "passed"


def test_a_note_is_no_fault() -> None:
    noted = replace(PLAIN, defects=(Defect("encoding", "read as Latin-1", 1, note=True),))
    assert (check_syntax(noted).outcome, check_syntax(noted).code) == ("passed", "syntax-ok")


def test_the_fatal_defect_comes_first_and_other_lines_are_named() -> None:
    broken = replace(
        PLAIN,
        defects=(
            Defect("missing-comma", "a comma is missing", 3),
            Defect("unclosed-entry", "the entry is open", 1, fatal=True),
        ),
    )
    finding = check_syntax(broken)
    assert stated(finding) == ("failed", "unclosed-entry")
    assert finding.message == "the entry is open; a comma is missing (line 3)"


def test_the_worst_defect_decides_and_all_are_shown() -> None:
    entry = "@article{a, author = {Curie, Marie, Curie, Pierre, Becquerel, Henri}, title = {T}}\n"
    (_, repeated) = read_bibtex("refs.bib", (entry * 2).encode()).references
    finding = check_syntax(repeated)
    assert finding.codes == ("duplicate-key", "name-separators")
    assert DEFAULT.severity(finding, PolicyContext()) == "error"
    assert "duplicate key" in finding.message
    assert "not separated by “and”" in finding.message


@pytest.mark.parametrize(
    "source",
    [
        "@article{a,\n title={T\n",
        "@article{a, nothing but words here }",
        "@article{c\n",
        "@article{d,\n  title = {T},\n  auth",
        "@inproceedingsa2000,\n  title = {T},\n  year = 2000\n}",
        "@article{a,\n  title = {T}\n  author = {X}\n  year = 2000 junk\n}}",
    ],
)
def test_every_message_of_a_broken_entry_stands_once(source: str) -> None:
    (broken,) = read_bibtex("refs.bib", source.encode()).references
    said = check_syntax(broken).message
    assert ".;" not in said
    parts = [part.split(" (line ")[0] for part in said.split("; ")]
    assert len(set(parts)) == len(parts)
    for part in parts:
        assert said.count(part) == 1


def test_macros_that_grow_without_end_are_named() -> None:
    macros = "@string{a = {" + "x" * 6_000 + "}}\n@string{b = a # a}\n@string{c = b # b}\n"
    (entry,) = read_bibtex("refs.bib", (macros + "@article{k, title = c # c}").encode()).references
    assert "macro-overflow" in {defect.code for defect in entry.defects}


def test_faults_of_fields_that_no_style_prints_are_notes() -> None:
    text = b"@misc{a, title = {T}, annote = {x}, annote = {y}, mendeley-tags = {p}, mendeley-tags = {q}, keywords = nothing}"
    (one,) = read_bibtex("refs.bib", text).references
    assert [defect.code for defect in one.defects] == ["duplicate-field", "duplicate-field", "undefined-macro"]
    assert check_syntax(one).outcome == "passed"
    (title,) = read_bibtex("refs.bib", b"@misc{a, title = {T}, title = {U}}").references
    assert check_syntax(title).outcome == "failed"
