"""A file that is edited while a command looks up its entries keeps the edits, and gets the corrections that still apply."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.support.edited_files import CHANGED, EDITS, FIRST, SECOND, Edit, Edited, entry, two_wrong_entries

Command = Callable[..., int]


@pytest.fixture(scope="module")
def services() -> Iterator[Edited]:
    with Edited() as local:
        yield local


@pytest.fixture
def live(services: Edited) -> list[str]:
    return services.options


@pytest.fixture
def bib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    two_wrong_entries(tmp_path / "refs.bib")
    return tmp_path / "refs.bib"


def fix(path: Path, live: list[str], _: pytest.MonkeyPatch, services: Edited, edit: Callable[[], None]) -> int:
    services.meanwhile = edit
    return main(["fix", path.name, *live])


def confirm(path: Path, live: list[str], patch: pytest.MonkeyPatch, _: Edited, edit: Callable[[], None]) -> int:
    waiting = [edit]

    def answer(_: str) -> str:
        while waiting:
            waiting.pop()()
        return "a"

    patch.setattr("builtins.input", answer)
    return main(["fix", "-i", path.name, *live])


def waive_each(path: Path, live: list[str], patch: pytest.MonkeyPatch, _: Edited, edit: Callable[[], None]) -> int:
    waiting = [edit]

    def answer(question: str) -> str:
        while waiting:
            waiting.pop()()
        return "printed so" if question.startswith("reason") else "w"

    patch.setattr("builtins.input", answer)
    return main(["fix", "-i", path.name, *live])


COMMANDS: tuple[Command, ...] = (fix, confirm, waive_each)


def run(command: Command, path: Path, edit: Edit, *others: Any) -> tuple[int, bytes | None]:
    """The exit code of a command during which a file is edited, and the edited file."""
    done: list[bytes | None] = []

    def meanwhile() -> None:
        done.append(edit(path.read_bytes()))
        if done[0] is None:
            path.unlink()
        else:
            path.write_bytes(done[0])

    code = command(path, *others, meanwhile)
    assert len(done) == 1, "the file was edited while the command ran"
    return code, done[0]


UNDISTURBED: dict[Command, str] = {}
"""The file that each command writes if nobody edits it meanwhile."""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "edit", [edit if edit == "the same entry" else pytest.param(edit, marks=pytest.mark.exhaustive) for edit in EDITS]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_edits_made_meanwhile_are_kept(
    command: Command,
    edit: str,
    bib: Path,
    live: list[str],
    services: Edited,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change, lost = EDITS[edit]
    before = bib.read_bytes()
    if command not in UNDISTURBED:
        run(command, bib, EDITS["nothing"][0], live, monkeypatch, services)
        UNDISTURBED[command] = bib.read_bytes().decode()
        bib.write_bytes(before)
        capsys.readouterr()
    corrected = {key: (entry(before.decode(), key), entry(UNDISTURBED[command], key)) for key in (FIRST, SECOND)}
    assert all(old != new for old, new in corrected.values())
    code, edited = run(command, bib, change, live, monkeypatch, services)
    out, err = capsys.readouterr()
    if edited is None:
        assert not bib.exists()
        assert code == 2
        assert "refs.bib cannot be written: No such file" in err
    else:
        encoding = "utf-16" if edited.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
        expected = edited.decode(encoding, "surrogateescape").replace("\r\n", "\n")
        for key, (old, new) in corrected.items():
            expected = expected if key in lost else expected.replace(old, new, 1)
        if b"\r\n" in edited:
            expected = expected.replace("\n", "\r\n")
        assert bib.read_bytes() == expected.encode(encoding, "surrogateescape")
        assert code == (1 if lost else 0)
    for key in lost if edited is not None else ():
        assert f"{key} is left as it is: {CHANGED}" in err
    verb = "waived" if command is waive_each else "Corrected"
    assert f"{verb} {2 - len(lost)}" in out
    assert [one.name for one in bib.parent.iterdir() if one.name.endswith(".tmp")] == []


MODULE = '''"""Word vectors.

References
----------
.. [1] Leslie Lamport, "Time, Clocks, and the Ordering of Events in a
       Distributed System", Communications of the ACM, 1978.
       :doi:`10.1145/359545.999563`
"""
'''


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("Word vectors.", "Word vectors.\n\nA line more.", 0), ("\n", "\r\n", 0), ("1978", "1979", 1), (MODULE, "", 1)],
)
def test_docstrings_that_are_edited_meanwhile_keep_the_edits(
    old: str,
    new: str,
    code: int,
    tmp_path: Path,
    live: list[str],
    services: Edited,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "vectors.py"
    path.write_text(MODULE, "utf-8")
    edit = lambda data: data.replace(old.encode(), new.encode())  # noqa: E731
    assert run(fix, path, edit, live, monkeypatch, services)[0] == code
    expected = MODULE if code else MODULE.replace("359545.999563", "359545.359563")
    assert path.read_bytes() == expected.replace(old, new).encode()
    assert (CHANGED in capsys.readouterr().err) == bool(code)


@pytest.fixture
def while_writing() -> Iterator[list[Callable[[], None]]]:
    """Functions that are called, once each, when a file is opened for writing."""
    waiting: list[Callable[[], None]] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if waiting and event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_WRONLY:
            waiting.pop()()

    sys.addaudithook(hook)
    yield waiting
    waiting.clear()


def test_a_waiver_is_written_into_the_present_file(
    bib: Path, while_writing: list[Callable[[], None]], capsys: pytest.CaptureFixture[str]
) -> None:
    def waive(path: Path, edit: Callable[[], None]) -> int:
        while_writing.append(edit)
        return main(["waive", FIRST, "venue", path.name, "--reason=printed so"])

    code, after = run(waive, bib, EDITS["an entry before"][0])
    assert (code, after) == (0, re.sub(rb"% citecheck: .*\n", b"", bib.read_bytes()))
    assert b"printed so" in bib.read_bytes()
    two_wrong_entries(bib)
    code, after = run(waive, bib, EDITS["the same entry"][0])
    assert (code, after) == (1, bib.read_bytes())
    assert f"{FIRST} is left as it is: {CHANGED}" in capsys.readouterr().err


@pytest.mark.parametrize("before", [None, b"{}"])
def test_a_baseline_that_changed_meanwhile_is_not_overwritten(
    before: bytes | None, bib: Path, live: list[str], services: Edited, capsys: pytest.CaptureFixture[str]
) -> None:
    known = bib.with_name("known.json")
    if before is not None:
        known.write_bytes(before)
    services.meanwhile = lambda: known.write_bytes(b"of somebody else")
    assert main(["baseline", "write", "refs.bib", "-o", "known.json", *live]) == 1
    assert known.read_bytes() == b"of somebody else"
    assert "known.json was changed while citecheck ran, and is left as it is" in capsys.readouterr().err


def test_what_cannot_be_written_is_not_counted_and_costs_no_other_file(
    bib: Path, live: list[str], services: Edited, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = bib.read_text("utf-8").split("\n\n")
    bib.write_text(parts[0], "utf-8")
    other = bib.with_name("other.bib")
    other.write_text(parts[1] + "\n", "utf-8")
    services.meanwhile = bib.unlink
    assert main(["fix", "refs.bib", "other.bib", *live]) == 2
    out, err = capsys.readouterr()
    assert "refs.bib cannot be written: No such file" in err
    assert "Corrected 1 entry" in out
    assert FIRST not in out
    assert "Nature Genetics" not in other.read_text("utf-8")
