"""The import graph points one way (docs/architecture.md), and modules stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "pytest_citecheck"

# Each room with the rooms whose modules it may import, besides its own.
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "whole_file": set(),
    "matching": {"model"},
    "hallmark": {"model", "matching"},
    "readers": {"model", "matching", "hallmark"},
    "sources": {"model", "matching"},
    "transport": {"model", "matching", "sources", "whole_file"},
    "checks": {"model", "matching"},
    "verdict": {"model", "matching", "checks"},
    "index": {"model", "matching", "readers", "whole_file"},
    "gather": {"model", "matching", "index", "sources", "transport", "verdict"},
    "metrics": {"model", "hallmark"},
    "reports": {"model", "matching", "verdict", "metrics", "whole_file"},
    "plugin": {
        *(
            "model",
            "matching",
            "readers",
            "hallmark",
            "sources",
            "index",
            "transport",
            "gather",
            "checks",
            "verdict",
            "metrics",
            "reports",
            "whole_file",
        ),
    },
    "cli": {"matching", "hallmark", "readers", "index", "transport", "metrics", "reports", "plugin", "whole_file"},
}
FOREIGN = {
    "pytest": {"plugin", "cli"},
    "_pytest": {"plugin"},
    "httpx": {"transport"},
    "vcr": {"transport"},
    "bibtexparser": {"readers"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module(path: Path) -> None:
    own = room(path)
    if own == "__init__":
        return
    for name in imports(path):
        parts = name.split(".")
        if (
            parts[0] == "pytest_citecheck"
            and len(parts) > 1
            and (PACKAGE / parts[1]).is_dir() | (PACKAGE / f"{parts[1]}.py").is_file()
        ):
            assert parts[1] == own or parts[1] in ALLOWED[own], f"{path} imports {name}"
        if parts[0] in FOREIGN:
            assert own in FOREIGN[parts[0]], f"{path} imports {name}"
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400, f"{path} has {lines} lines: which second reason to change does it have?"
    assert path.stem not in {"utils", "common", "misc", "helpers"}


def test_every_room_is_listed() -> None:
    assert {room(path) for path in MODULES} - {"__init__"} == set(ALLOWED)
