"""``citecheck fix`` on the shipped fixtures, offline."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
OFFLINE = (f"--cassettes={ROOT / 'cassettes'}", "--offline")
LEFT = 17
"""The invented works of the fixture, which cannot be corrected, and three author lists with too few sources."""


@pytest.fixture
def hallucinated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(ROOT / "fixtures/hallucinated.bib", tmp_path / "refs.bib"))


@pytest.fixture
def few(hallucinated: Path) -> Path:
    """The wrong venues alone, which is quicker."""
    parts = hallucinated.read_text("utf-8").split("\n\n")
    hallucinated.write_text("\n\n".join(part for part in parts if "{wrong-venue" in part) + "\n", "utf-8")
    return hallucinated


@pytest.mark.exhaustive
def test_every_work_that_exists_is_mended_and_no_other_byte_changes(
    hallucinated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = hallucinated.read_bytes()
    assert main(["fix", "refs.bib", *OFFLINE]) == 0
    assert f"Corrected 46 entries; {LEFT} still fail" in capsys.readouterr().out
    assert (
        main(["fix", "refs.bib", *OFFLINE]) == 0
    )  # with its authors corrected, a merged citation shows its wrong venue
    assert f"Corrected 1 entry; {LEFT} still fail" in capsys.readouterr().out
    after = hallucinated.read_bytes()
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(old) == len(new)
    changed = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    field = re.compile(rb"(\s+(?:doi|title|author|journal|booktitle|year|volume|number)\s*= [{\"]).*?([}\"],\n)$")
    for one, other in changed:
        first, second = field.match(one), field.match(other)
        assert first is not None
        assert second is not None
        assert first.groups() == second.groups()
    assert main(["fix", "refs.bib", *OFFLINE]) == 0
    assert f"Corrected 0 entries; {LEFT} still fail" in capsys.readouterr().out
    assert hallucinated.read_bytes() == after


@pytest.mark.exhaustive
def test_diff_and_check_write_nothing(few: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = few.read_bytes()
    assert main(["fix", "refs.bib", *OFFLINE, "--check"]) == 1
    assert b"Would correct 3 entries" in capfdbinary.readouterr().out
    assert main(["fix", "refs.bib", *OFFLINE, "--diff"]) == 1
    patch = capfdbinary.readouterr().out
    assert few.read_bytes() == before
    subprocess.run(["patch", "-p0"], input=patch, check=True, cwd=few.parent, capture_output=True)
    assert b"+  journal = {Nucleic Acids Research},\n" in patch
    assert main(["fix", "refs.bib", *OFFLINE, "--diff"]) == 0
    assert capfdbinary.readouterr().out == b""


def test_select_names_checks_or_codes(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = few.read_bytes()
    assert main(["fix", "refs.bib", *OFFLINE, "--select=title,doi"]) == 0
    assert few.read_bytes() == before
    assert main(["fix", "refs.bib", "--select=venue-othr"]) == 2
    assert "unknown check or code 'venue-othr'; did you mean venue-other?" in capsys.readouterr().err


def test_entries_that_are_left_are_named_with_place_and_reason(
    hallucinated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hallucinated.write_text(
        "@article{one,\n  author = {Ada Lovelace},\n  title = {Notes},\n  year = {2001}\n}\n", "utf-8"
    )
    assert main(["fix", "refs.bib", "--offline", "--cache=off"]) == 3
    out, err = capsys.readouterr()
    assert "Corrected 0 entries; 1 still fails" in out
    assert err.splitlines() == [
        "refs.bib:1: one is left as it is: field-missing: no correction is known",
        "citecheck fix: no source answered for 1 of 1 reference",
    ]


def test_uncommitted_changes_are_refused_if_asked(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "1"],
    ):
        subprocess.run(["git", *command], check=True, cwd=few.parent)
    few.write_bytes(few.read_bytes() + b"% more\n")
    assert main(["fix", "refs.bib", "--require-clean"]) == 1
    assert "refs.bib has changes that are not committed" in capsys.readouterr().err


CLOCKS = """@article{clocks,
  author = {Leslie Lamport},
  title = {Time, Clocks, and the Ordering of Events in a Distributed System},
  journal = {Communications of the ACM},
  volume = {21}, number = {7}, pages = {558--565},
  year = {1978}
}
"""


@pytest.mark.exhaustive
def test_dois_are_added_if_asked(hallucinated: Path) -> None:
    hallucinated.write_text(CLOCKS, "utf-8")
    assert main(["fix", "refs.bib", *OFFLINE]) == 0
    assert hallucinated.read_text("utf-8") == CLOCKS
    assert main(["fix", "refs.bib", *OFFLINE, "--add-doi"]) == 0
    expected = CLOCKS.replace("{1978}", "{1978},\n  doi = {10.1145/359545.359563}")
    assert hallucinated.read_text("utf-8") == expected


@pytest.mark.exhaustive
def test_one_finding_at_a_time(few: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    before = few.read_text("utf-8")
    answers, opened = iter(["o", "?", "a", "w", " ", "printed so", "s"]), list[str]()
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["fix", "refs.bib", *OFFLINE, "-i"]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"^  old: ", shown, re.MULTILINE)) == 3
    assert "Corrected 1, waived 1" in shown
    assert "waive: keep the entry, with a reason" in shown
    assert len(opened) == 1
    assert opened[0].startswith("https://")
    after = few.read_text("utf-8")
    assert after.count("% citecheck: ignore[venue-") == 1
    changed = [
        line for line in after.splitlines() if line not in before.splitlines() and not line.startswith("% citecheck")
    ]
    assert len(changed) == 1
    assert next(answers, None) is None


@pytest.mark.exhaustive
def test_the_end_of_the_input_stops(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = few.read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["fix", "refs.bib", *OFFLINE, "-i"]) == 0
    assert few.read_bytes() == before


DOCSTRING = '''def order():
    """Order events [1]_.

    References
    ----------
    .. [1] Leslie Lamport, "Time, Clocks, and the Ordering of Events in a
           Distributed System", Communications of the ACM, 1978.
           :doi:`10.1145/359545.999563`
    .. [2] Alan H. Guth, "Inflationary universe: A possible solution to the
           horizon and flatness problems", Physical Review D, 1981.
    """
    return sorted
'''


@pytest.mark.exhaustive
def test_references_in_docstrings_are_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    file = tmp_path / "src" / "order.py"
    file.write_text(DOCSTRING)
    (tmp_path / "src" / "__init__.py").write_text("")
    assert main(["fix", "src", *OFFLINE, "--check"]) == 1
    assert file.read_text() == DOCSTRING
    assert main(["fix", "src", *OFFLINE]) == 0
    assert file.read_text() == DOCSTRING.replace("10.1145/359545.999563", "10.1145/359545.359563")
    assert main(["fix", "src", *OFFLINE, "--diff"]) == 0
