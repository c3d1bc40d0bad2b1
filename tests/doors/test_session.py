"""The session looks up only what has changed."""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import threading
from asyncio import CancelledError
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.doors import Checked, DoorSession
from pytest_citecheck.inputs import NoFiles
from pytest_citecheck.model import Evidence
from tests.doors.conftest import ROOT


def new_session() -> DoorSession:
    chosen = argparse.Namespace(config=None, citecheck_cassettes=str(ROOT / "cassettes"), citecheck_offline=True)
    return DoorSession(chosen, "citecheck lsp")


@pytest.fixture
def session() -> Iterator[DoorSession]:
    opened = new_session()
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


@pytest.mark.exhaustive
def test_a_stopped_look_up_raises_and_can_be_repeated(session: DoorSession, few: Path) -> None:
    stop = threading.Event()
    stop.set()
    read = session.read("refs.bib", few.read_bytes(), NoFiles())
    with contextlib.suppress(CancelledError):
        session.checked(read, stop=stop)
    assert len(session.checked(read).problems) >= 4


def edited(chosen: random.Random, entries: list[str]) -> list[str]:
    """Change, move, copy, remove or break an entry, or what others depend on."""
    entries, at = list(entries), chosen.randrange(len(entries))
    one = entries[at]
    change = chosen.choice(("word", "line", "copy", "remove", "key", "break", "parent", "macro", "waiver", "swap"))
    if change == "copy":
        entries.insert(chosen.randrange(len(entries)), one)
    elif change == "remove" and len(entries) > 3:
        del entries[at]
    elif change == "swap":
        chosen.shuffle(entries)
    elif change == "key":
        entries[at] = one.replace(one.partition("{")[2].partition(",")[0], chosen.choice(("one", "two")), 1)
    elif change == "parent":
        entries[at] = one.replace(",\n", ",\n  crossref = {one},\n", 1)
    elif change == "macro":
        entries[at] = chosen.choice(("@string{v = {Nature}}\n", "@string{v = {Science}}\n")) + one
        other = chosen.randrange(len(entries))
        entries[other] = re.sub(r"journal\s*= \{.*?\}", "journal = v", entries[other])
    elif change == "waiver":
        entries[at] = "% citecheck: ignore it is right\n" + one
    else:
        part = {"word": "x", "line": "\n", "break": chosen.choice(("{", "}", ",", "@", '"'))}.get(change, "")
        place = chosen.randrange(len(one))
        entries[at] = one[:place] + part + one[place:]
    return entries


def shown(checked: Checked) -> tuple[object, ...]:
    """Everything that an editor can show."""
    results = [
        (one.key, one.line, one.end_line, one.verdict, one.findings, one.notices, one.corrected, list(one.evidence))
        for one in checked.result.references
    ]
    return checked.problems, checked.by_place, checked.bibliography, results


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(2, 12))])
def test_edited_texts_are_checked_as_new_ones(session: DoorSession, seed: int) -> None:
    chosen = random.Random(seed)  # noqa: S311 - repeatable
    texts = [(ROOT / f"fixtures/{name}.bib").read_text("utf-8") for name in ("refs", "hallucinated")]
    entries = [match[0] for text in texts for match in re.finditer(r"^@\w+\{.*?^\}\n", text, re.DOTALL | re.MULTILINE)]
    entries = chosen.sample(entries, 10)
    for _ in range(12):
        entries = edited(chosen, entries)
        data = "\n".join(entries).encode()
        again = session.checked(session.read("refs.bib", data, NoFiles()))
        fresh = new_session()
        assert shown(again) == shown(fresh.checked(fresh.read("refs.bib", data, NoFiles())))
        fresh.close()
