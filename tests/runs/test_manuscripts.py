"""One paper in five formats (fixtures/manuscripts): same references, same verdicts, no accusation caused by parsing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "fixtures" / "manuscripts"
CITED = 45


def checked(pytester: pytest.Pytester, name: str) -> list[dict[str, Any]]:
    if name.endswith(".pdf"):
        pytest.importorskip("pypdfium2")
    report = pytester.path / f"{name}.json"
    options = (f"--citecheck-cassettes={ROOT / 'cassettes'}", f"--citecheck-json={report}", "-p", "no:cacheprovider")
    pytester.runpytest(f"--citecheck={FOLDER / name}", f"--citecheck-root={FOLDER.parent}", *options)
    references: list[dict[str, Any]] = json.loads(report.read_text())["references"]
    return references


def failed(references: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (one["key"], finding["code"])
        for one in references
        for finding in one["checks"].values()
        if finding["outcome"] == "failed"
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["paper.tex", "paper.bbl", "paper.md", "paper.docx"])
def test_every_format_with_fields_gives_the_same(pytester: pytest.Pytester, name: str) -> None:
    references = checked(pytester, name)
    assert failed(references) == []
    assert len(references) == CITED
    assert {one["verdict"]["name"] for one in references} == {"verified"}


@pytest.mark.exhaustive
def test_the_pdf_gives_nearly_all_and_accuses_nobody(pytester: pytest.Pytester) -> None:
    references = checked(pytester, "paper.pdf")
    assert failed(references) == []
    assert len(references) == CITED
    titled = [one for one in references if one["title"]]
    assert len(titled) >= 0.97 * CITED
    # What the cassettes have no answer for stays open.
    assert sum(one["verdict"]["name"] == "verified" for one in references) >= 0.9 * CITED
    assert {one["unit"] for one in references} == {"page"}
