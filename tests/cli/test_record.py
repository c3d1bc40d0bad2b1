"""``citecheck record``: the folder of recorded answers as a lock file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.server import FACTS_FILE, LocalServices

ROOT = Path(__file__).parents[2]


def entry(key: str) -> str:
    parts = (ROOT / "fixtures/refs.bib").read_text("utf-8").split("\n\n")
    return next(part for part in parts if f"{{{key}," in part) + "\n\n"


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServices]:
    monkeypatch.chdir(tmp_path)
    with LocalServices(load_facts(FACTS_FILE)) as services:
        yield services


def record(services: LocalServices, *options: str) -> int:
    live = [f"--base-url={name}={url}" for name, url in services.base_urls.items()]
    live += [f"--rate={name}=200" for name in services.base_urls]
    return main(["record", "refs.bib", "--cassettes=evidence", *([] if "--check" in options else live), *options])


def test_what_is_missing_is_added_and_what_nobody_asks_is_dropped(
    services: LocalServices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bib, evidence = tmp_path / "refs.bib", tmp_path / "evidence"
    bib.write_text(entry("he2016deep"), "utf-8")
    assert record(services) == 0
    first = {path.name: path.read_bytes() for path in evidence.iterdir()}
    said = capsys.readouterr().out
    assert re.search(r"recorded [1-9]\d* answers?, dropped 0 answers", said)
    assert "1 of 1 entry with recorded evidence; the oldest answer is of " in said
    assert record(services) == 0
    assert {path.name: path.read_bytes() for path in evidence.iterdir()} == first

    bib.write_text(entry("he2016deep") + entry("hochreiter1997long"), "utf-8")
    assert record(services, "--check") == 1
    said = capsys.readouterr().out
    assert "refs.bib:10: hochreiter1997long: no recorded evidence" in said
    assert "1 of 2 entries with recorded evidence" in said
    assert {path.name: path.read_bytes() for path in evidence.iterdir()} == first
    assert record(services) == 0
    assert record(services, "--check") == 0

    bib.write_text(entry("hochreiter1997long"), "utf-8")
    capsys.readouterr()
    assert record(services) == 0
    assert "recorded 0 answers, dropped 0 answers" in capsys.readouterr().out  # of another file, they are kept
    assert record(services, "--prune") == 0
    assert re.search(r"recorded 0 answers, dropped [1-9]", capsys.readouterr().out)
    assert record(services, "--check") == 0


@pytest.mark.exhaustive
def test_a_wrong_entry_has_evidence_too(services: LocalServices, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        entry("he2016deep").replace("Recognition},\n  author", "Robots},\n  author"), "utf-8"
    )
    assert record(services) == 0
    assert record(services, "--check") == 0


def test_old_answers_are_asked_for_again(
    services: LocalServices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "refs.bib").write_text(entry("he2016deep"), "utf-8")
    (tmp_path / "young.ini").write_text("[pytest]\ncitecheck_max_age = 500\n")
    assert record(services) == 0
    for path in (tmp_path / "evidence").glob("*.json"):  # without checksum: as edited by hand
        text = re.sub(r'"\w{3}, \d\d \w{3} \d{4} ([\d:]+) GMT"', r'"Wed, 01 Jan 2024 \1 GMT"', path.read_text("utf-8"))
        path.write_text(re.sub(r',\s*"sha256": "\w+"', "", text), "utf-8")
    assert record(services, "--check") == 0
    assert record(services, "--check", "--config=young.ini") == 1
    assert "evidence of 2024-01-01 is older than citecheck_max_age" in capsys.readouterr().out
    assert record(services, "--config=young.ini") == 0
    assert record(services, "--check", "--config=young.ini") == 0


def test_a_folder_has_to_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refs.bib").write_text(entry("he2016deep"), "utf-8")
    assert main(["record", "refs.bib"]) == 2


@pytest.mark.exhaustive
def test_a_calibration_is_kept_beside_the_recorded_answers(services: LocalServices, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(entry("he2016deep"), encoding="utf-8")
    record(services, "--calibrate")
    table = (tmp_path / "evidence" / "calibration.json").read_bytes()
    assert b'"searched"' in table
    assert not any(b"sample=" in path.read_bytes() for path in (tmp_path / "evidence").glob("crossref.json"))
    assert record(services, "--check") == 0
    assert (tmp_path / "evidence" / "calibration.json").read_bytes() == table
