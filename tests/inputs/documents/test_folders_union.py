"""A file that ends up in a folder of papers never hides references without a line that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.folder_layouts import LAYOUTS, Reading, by_audit, by_command, folders, lost, write


def plain_readings(start: Path, names: set[str]) -> dict[str, Reading]:
    found = {}
    for number, name in enumerate(sorted(names)):
        folder = start / f"plain{number}"
        write(folder, LAYOUTS[name])
        found[name] = by_command(folder, start / "report.json")
    return found


def silent_losses(start: Path, count: int, seed: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    given = list(folders(count, seed, start))
    before = plain_readings(start, {name for name, _, _ in given})
    assert [name for name, reading in before.items() if not reading.references] == []
    found = []
    for name, file, folder in given:
        capsys.readouterr()
        after = by_command(folder, start / "report.json")
        said = capsys.readouterr().out
        found += [f"{name} + {file}: {one}" for one in lost(before[name], after)]
        found += [
            f"{name} + {file}: {one} is not in the output" for one in after.unread if f"{folder.name}/{one}" not in said
        ]
    return found


@pytest.mark.exhaustive
def test_no_dropped_file_hides_a_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "\n".join(silent_losses(tmp_path, 8, 7, capsys)) == ""


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_no_dropped_file_of_many_hides_a_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "\n".join(silent_losses(tmp_path, 40, 100 + seed, capsys)) == ""


@pytest.mark.exhaustive
def test_no_file_of_two_thousand_hides_a_reference_from_an_audit(tmp_path: Path) -> None:
    before = {}
    for number, name in enumerate(LAYOUTS):
        write(tmp_path / f"plain{number}", LAYOUTS[name])
        before[name] = by_audit(tmp_path / f"plain{number}")
    found = []
    for name, file, folder in folders(2000, 1, tmp_path):
        found += [f"{name} + {file}: {one}" for one in lost(before[name], by_audit(folder))]
    assert "\n".join(found) == ""
