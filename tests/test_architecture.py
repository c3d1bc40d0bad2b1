"""The import graph points one way (docs/architecture.md), and modules stay small."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "pytest_citecheck"

# Each room with the rooms whose modules it may import, besides its own.
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "whole_file": set(),
    "thresholds": set(),
    "text": {"model"},
    "names": {"model", "thresholds", "text"},
    "titles": {"model", "thresholds", "text"},
    "venues": {"model", "thresholds", "text"},
    "identifiers": {"model", "thresholds", "text", "venues"},
    "readers": {"model", "text", "names", "titles", "venues", "identifiers"},
    "linking": {"model", "thresholds", "text", "names", "titles", "venues", "identifiers", "readers"},
    "absence": {"model", "thresholds", "titles", "venues", "linking"},
    "services": {"model", "text", "names", "titles", "venues", "identifiers", "readers", "linking"},
    "transport": {"model", "text", "titles", "services", "whole_file"},
    "chat": {"model", "text", "services", "transport", "whole_file"},
    "doctor": {"model", "text", "titles", "services", "transport", "chat", "whole_file"},
    "checks": {
        "model",
        "thresholds",
        "readers",
        "text",
        "names",
        "titles",
        "venues",
        "identifiers",
        "linking",
        "absence",
    },
    "verdict": {"model", "thresholds", "text", "venues", "identifiers", "linking", "absence", "checks"},
    "fixing": {
        *("model", "thresholds", "text", "names", "titles", "venues", "readers", "linking", "checks", "verdict"),
    },
    "index": {
        "model",
        "thresholds",
        "text",
        "names",
        "venues",
        "identifiers",
        "readers",
        "linking",
        "services",
        "whole_file",
    },
    "arena": {"model", "readers", "chat", "whole_file"},
    "selfcheck": {"model", "text", "names", "venues", "chat", "arena"},
    "gather": {
        "model",
        "text",
        "absence",
        "thresholds",
        "names",
        "titles",
        "venues",
        "linking",
        "readers",
        "index",
        "services",
        "transport",
        "verdict",
    },
    "benchmark": {"model", "text", "names", "titles", "venues", "identifiers", "readers", "chat", "selfcheck"},
    "claims": {"model", "thresholds", "text", "readers", "services", "chat", "arena", "benchmark", "whole_file"},
    "reports": {"model", "absence", "checks", "fixing", "text", "linking", "verdict", "benchmark", "whole_file"},
    "audit": {
        *("model", "whole_file", "absence", "readers", "index", "services", "transport", "gather", "checks", "verdict"),
        "reports",
    },
    "plugin": {
        *(
            "model",
            "text",
            "absence",
            "readers",
            "linking",
            "services",
            "index",
            "transport",
            "gather",
            "checks",
            "verdict",
            "benchmark",
        ),
        *("api", "reports", "whole_file", "chat", "arena", "selfcheck", "claims"),
    },
    "api": {"model", "readers", "linking", "services", "checks", "verdict", "benchmark", "reports"},
    "cli": {
        *("model", "identifiers", "readers", "index", "services", "transport", "doctor", "benchmark", "reports"),
        *("plugin", "arena", "chat", "selfcheck", "claims", "whole_file", "checks", "fixing", "verdict", "audit"),
        *("absence", "gather", "linking", "text"),
    },
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


@pytest.mark.parametrize("own", sorted(ALLOWED))
def test_a_room_imports_what_it_may_and_its_modules_are_small(own: str) -> None:
    for path in MODULES:
        if room(path) == own:
            check(path, own)


def check(path: Path, own: str) -> None:
    """Assert the rules for one module."""
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
    assert lines <= 700, f"{path} has {lines} lines: which second reason to change does it have?"
    assert path.stem not in {"utils", "common", "misc", "helpers"}


def test_every_room_is_listed() -> None:
    assert {room(path) for path in MODULES} - {"__init__"} == set(ALLOWED)


def test_one_module_of_gathering_runs_checks() -> None:
    """`LookupState.evaluate_so_far` is the only way from gathering to the checks."""
    gathering = [path for path in MODULES if room(path) == "gather"]
    into = {
        path.name: {name.split(".")[1] for name in imports(path) if name.startswith("pytest_citecheck.")}
        for path in gathering
    }
    assert not [name for name, rooms in into.items() if "checks" in rooms]
    assert [name for name, rooms in into.items() if "verdict" in rooms] == ["lookup_state.py"]


def test_no_folder_is_crowded() -> None:
    folders = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {str(folder.relative_to(PACKAGE)): count for folder, count in folders.items() if count > 30} == {}
