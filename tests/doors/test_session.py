"""The session looks up only what has changed."""

from __future__ import annotations

import argparse
import contextlib
import threading
from asyncio import CancelledError
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.doors import DoorSession
from pytest_citecheck.inputs import NoFiles
from pytest_citecheck.model import Evidence
from tests.doors.conftest import ROOT


@pytest.fixture
def session() -> Iterator[DoorSession]:
    chosen = argparse.Namespace(config=None, citecheck_cassettes=str(ROOT / "cassettes"), citecheck_offline=True)
    opened = DoorSession(chosen, "citecheck lsp")
    yield opened
    opened.close()


def test_only_changed_entries_are_looked_up(session: DoorSession, few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    gathering = session._engine.session.gathering
    gather = gathering.gather

    def counted(references: dict[str, Evidence], *arguments: object, **named: object) -> None:
        asked.extend(references)
        gather(references, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(gathering, "gather", counted)
    data = few.read_bytes()
    first = session.checked(session.read("refs.bib", data, NoFiles()))
    assert len(asked) == 4
    moved = session.checked(session.read("refs.bib", b"% one more line\n" + data, NoFiles()))
    assert len(asked) == 4
    assert [one.line for one in moved.problems] == [one.line + 1 for one in first.problems]
    assert [one.message for one in moved.problems] == [one.message for one in first.problems]
    changed = data.replace(b"359545.999563", b"359545.359563")
    assert len(session.checked(session.read("refs.bib", changed, NoFiles())).problems) == len(first.problems) - 1
    assert len(asked) == 5


def test_a_stopped_look_up_raises_and_can_be_repeated(session: DoorSession, few: Path) -> None:
    stop = threading.Event()
    stop.set()
    read = session.read("refs.bib", few.read_bytes(), NoFiles())
    with contextlib.suppress(CancelledError):
        session.checked(read, stop=stop)
    assert len(session.checked(read).problems) >= 4
