"""``citecheck waive`` and ``citecheck baseline``: findings that somebody accepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from tests.cli.test_pre_commit import ROOT, entries

OFFLINE = (f"--cassettes={ROOT / 'cassettes'}", "--state=off")
WRONG = "wrong-venue-2-psiblast"


@pytest.fixture
def bib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "refs.bib"
    path.write_bytes(entries("he2016deep", WRONG).replace("\n", "\r\n").encode())
    return path


def hook(*options: str) -> int:
    return main(["hook", "refs.bib", *OFFLINE, *options])


@pytest.mark.exhaustive
def test_a_waiver_is_a_comment_above_the_entry_and_an_edit_voids_it(bib: Path) -> None:
    before = bib.read_bytes()
    assert hook() == 1
    assert main(["waive", WRONG, "venue-other", "refs.bib", "--reason", "printed so"]) == 0
    after = bib.read_bytes()
    (comment,) = set(after.splitlines(keepends=True)) - set(before.splitlines(keepends=True))
    assert comment.startswith(b"% citecheck: ignore[venue-other] printed so [")
    assert comment.endswith(b"]\r\n")
    assert after.replace(comment, b"") == before
    assert hook() == 0
    assert main(["fix", "refs.bib", OFFLINE[0], "--offline"]) == 0
    assert bib.read_bytes() == after  # what is accepted is not corrected
    bib.write_bytes(after.replace(b"Nature Genetics", b"Nature"))
    assert hook() == 1
    assert main(["waive", WRONG, "venue-other", "refs.bib", "--reason", "again", "--until", "2099-01-01"]) == 0
    assert bib.read_bytes().count(b"citecheck: ignore") == 1
    assert hook() == 0
    bib.write_bytes(bib.read_bytes().replace(b"2099", b"2000"))
    assert hook() == 1  # it has expired
    assert main(["waive", WRONG, "venue-other", "refs.bib", "--reason", "again", "--until", "2000-01-01"]) == 2


def test_what_cannot_be_waived_is_refused(bib: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = bib.read_bytes()
    assert main(["waive", "wrong-venue-2-psiblas", "venue", "refs.bib", "--reason=x"]) == 2
    assert f"did you mean {WRONG}?" in capsys.readouterr().err
    assert main(["waive", WRONG, "venue-othr", "refs.bib", "--reason=x"]) == 2
    assert "did you mean venue-other?" in capsys.readouterr().err
    assert main(["waive", WRONG, "venue", "refs.bib", "--reason= "]) == 2
    with pytest.raises(SystemExit):
        main(["waive", WRONG, "venue", "refs.bib"])
    for name in ("completeness", "year-future"):
        assert main(["waive", WRONG, name, "refs.bib", "--reason=x"]) == 2
        assert f"{WRONG} has no finding {name}" in capsys.readouterr().err
    assert bib.read_bytes() == before


@pytest.mark.exhaustive
def test_a_baseline_accepts_the_findings_of_today(bib: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "write", "refs.bib", OFFLINE[0], "--offline", "-o", "known.json"]) == 0
    assert "accepted 1 finding in known.json" in capsys.readouterr().out
    (found,) = json.loads(Path("known.json").read_text("utf-8"))["findings"]
    assert (found["key"], found["check"], found["codes"]) == (WRONG, "venue", ["venue-other"])
    assert hook("--baseline=known.json") == 0
    bib.write_bytes(bib.read_bytes().replace(b"2016.90", b"2016.990"))
    assert hook("--baseline=known.json") == 1
    said = capsys.readouterr().out
    assert "doi-unregistered" in said
    assert "venue-other" not in said
    Path("known.json").write_text("[]")
    assert hook("--baseline=known.json") == 2
