"""The import graph points one way (docs/architecture.md), and modules stay readable in one sitting."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.size import long_functions

pytestmark = pytest.mark.exhaustive  # .ci/run runs them with the linters

PACKAGE = Path(__file__).parent.parent / "pytest_citecheck"

# Each room with the rooms whose modules it may import, besides its own.
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "rows": set(),
    "nearest": set(),
    "exit_codes": set(),
    "thresholds": set(),
    "atomic_write": set(),
    "today": set(),
    "garbage": set(),
    "confinement": set(),
    "matching": {"model", "rows", "thresholds"},
    "screen": {"matching"},
    "inputs": {"model", "confinement", "matching", "nearest"},
    "evidence": {"model", "rows", "thresholds", "matching", "inputs"},
    "sources": {"model", "matching", "inputs", "evidence"},
    "checks": {"model", "rows", "nearest", "thresholds", "matching", "inputs", "evidence"},
    "fixing": {"model", "rows", "thresholds", "matching", "inputs", "evidence", "checks"},
    "net": {"model", "atomic_write", "today", "matching", "sources"},
    "index": {"model", "thresholds", "atomic_write", "garbage", "matching", "inputs", "evidence", "sources"},
    "lookup": {"model", "thresholds", "garbage", "matching", "evidence", "sources", "checks", "net", "index"},
    "reports": {"model", "thresholds", "atomic_write", "matching", "evidence", "checks", "fixing"},
    "benchmark": {
        *(
            "model",
            "atomic_write",
            "today",
            "confinement",
            "screen",
            "matching",
            "inputs",
            "evidence",
            "checks",
            "index",
        ),
        *("reports", "plugin", "cli"),
    },
    "api": {"model", "inputs", "evidence", "sources", "checks", "reports"},
    "audit": {
        "model",
        "thresholds",
        "atomic_write",
        "confinement",
        "matching",
        "inputs",
        "evidence",
        "sources",
        "checks",
        "net",
        "index",
        "lookup",
        "reports",
    },
    "plugin": {
        *(
            "model",
            "rows",
            "nearest",
            "exit_codes",
            "thresholds",
            "atomic_write",
            "confinement",
            "today",
            "screen",
            "matching",
            "inputs",
            "evidence",
            "sources",
            "checks",
            "net",
        ),
        *("checks", "net", "index", "lookup", "reports", "api"),
    },
    "models": {
        *(
            "model",
            "nearest",
            "thresholds",
            "atomic_write",
            "today",
            "confinement",
            "screen",
            "matching",
            "inputs",
            "sources",
            "checks",
            "net",
            "lookup",
            "benchmark",
            "reports",
            "evidence",
        ),
        *("plugin", "cli"),
    },
    "doctor": {"model", "atomic_write", "matching", "sources", "net"},
    "cli": {
        *(
            "model",
            "nearest",
            "exit_codes",
            "atomic_write",
            "today",
            "confinement",
            "screen",
            "matching",
            "inputs",
            "evidence",
            "sources",
            "checks",
            "fixing",
            "net",
            "index",
            "lookup",
        ),
        *("reports", "audit", "plugin", "doctor"),
    },
    "doors": {
        *(
            "model",
            "atomic_write",
            "today",
            "confinement",
            "screen",
            "matching",
            "inputs",
            "evidence",
            "checks",
            "fixing",
            "net",
            "lookup",
            "reports",
        ),
        *("plugin", "models", "cli"),
    },
    "__main__": {"cli"},
}
FEATURES = {
    "cli": {"doors", "models", "benchmark"},
    "api": {"benchmark"},
    "doctor": {"models"},
    "benchmark": {"models"},
}
"""Rooms above a room that it opens when a run asks for them: imports inside functions and for types, nothing else."""

FOREIGN = {
    "pytest": {"plugin", "cli", "models", "benchmark"},
    "_pytest": {"plugin"},
    "httpx": {"net"},
    "vcr": {"net"},
    "bibtexparser": {"inputs"},
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imports_at_start(tree: ast.Module) -> set[str]:
    """Return the imports at module level, without those in functions or for types only."""
    return imports(ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], []))


@pytest.mark.parametrize("own", sorted(ALLOWED))
def test_a_room_imports_what_it_may_and_its_modules_are_readable(own: str) -> None:
    for path in MODULES:
        if room(path) == own:
            check(path, own)


def check(path: Path, own: str) -> None:
    """Assert the rules for one module."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    first = imports_at_start(tree)
    for name in imports(tree):
        parts = name.split(".")
        if (
            parts[0] == "pytest_citecheck"
            and len(parts) > 1
            and (PACKAGE / parts[1]).is_dir() | (PACKAGE / f"{parts[1]}.py").is_file()
        ):
            opened = name not in first and parts[1] in FEATURES.get(own, ())
            assert parts[1] == own or parts[1] in ALLOWED[own] or opened, f"{path} imports {name}"
        if parts[0] in FOREIGN:
            assert own in FOREIGN[parts[0]], f"{path} imports {name}"
    lines = text.count("\n")
    assert lines <= 750, f"{path} has {lines} lines: does it still hold one subject?"
    assert path.stem not in {"utils", "common", "misc", "helpers"}


FACES = {
    ".".join(stub.parent.relative_to(PACKAGE.parent).parts): {
        alias.name
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for stub in sorted(PACKAGE.rglob("__init__.pyi"))
}
"""Each face with its names. A folder of `models` has a face of its own."""

ROOT = PACKAGE.parent
OUTSIDE = [*sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]


def face_of(module: str) -> str:
    """The face that hides the module; empty if there is none."""
    return max((face for face in FACES if module == face or module.startswith(f"{face}.")), key=len, default="")


FROM = re.compile(r"^[ \t]*from (pytest_citecheck[\w.]*) import (?:\(([^)]*)\)|([^\n(]+))", re.MULTILINE)


@cache
def from_imports() -> list[tuple[Path, str, str]]:
    """Each name that a file imports from this package: the file, the module and the name. Source text that is written in a
    string, for a process or a conftest.py, counts too."""
    return [
        (path, module, name.split()[0])
        for path in (*MODULES, *OUTSIDE)
        for module, several, one in FROM.findall(path.read_text(encoding="utf-8"))
        for name in re.sub(r"#[^\n]*", "", several or one).split(",")
        if name.strip()
    ]


def is_module(module: str, name: str) -> bool:
    return ROOT.joinpath(*module.split("."), f"{name}.py").is_file()


def test_rooms_and_tests_import_faces() -> None:
    """A file of a room may move without a change in another room or in a test."""
    inner = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for path, module, name in from_imports()
        if face_of(module) not in ("", module, face_of(".".join(path.relative_to(ROOT).with_suffix("").parts)))
        and not is_module(module, name)
        and path.name != "feature.py"  # every run of pytest loads it, but no face
    ]
    assert inner == []


CLOCKS = {"now", "utcnow", "today", "time", "time_ns"}
"""Methods of `datetime` and `time` that read the clock."""
OWN_CLOCKS = {"today.py", "net/budget.py", "net/cache.py", "index/builder.py"}
"""Modules that read it: request budgets are shared by the clock of the machine, and files are as old as it states."""


def test_the_date_is_asked_for_in_one_place() -> None:
    reading = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in CLOCKS
        if ast.unparse(node.value).split(".")[-1] in ("datetime", "date", "time")
    }
    assert reading == OWN_CLOCKS


def test_few_tests_look_inside_a_room() -> None:
    """A test that replaces a part of a module imports the module. There should be fewer of them, not more."""
    inside = {
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for path, module, name in from_imports()
        if path in OUTSIDE and face_of(module) and is_module(module, name)
    }
    assert len(inside) <= 45, inside


@pytest.mark.parametrize("face", sorted(FACES))
def test_a_face_is_whole_and_every_name_is_used(face: str) -> None:
    """Names load lazily, so a wrong line would only show where it is used."""
    module = import_module(face)
    for name in FACES[face]:
        try:
            getattr(module, name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("pytest_citecheck"):  # else of an extra that is not installed
                raise
    assert {name for _, module, name in from_imports() if module == face} >= FACES[face]


def test_every_room_is_listed() -> None:
    assert {room(path) for path in MODULES} - {"__init__"} == set(ALLOWED)


def test_one_module_of_the_lookup_runs_checks() -> None:
    """`LookupState.evaluate_so_far` is the only way from the lookup to the verdict."""
    into = {
        path.name: imports(ast.parse(path.read_text(encoding="utf-8"))) for path in MODULES if room(path) == "lookup"
    }
    assert [name for name, names in into.items() if "pytest_citecheck.checks.evaluate" in names] == ["planning.py"]


def test_no_folder_is_crowded() -> None:
    """Sources and commands are one file each; every other folder is read at a glance."""
    folders = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {str(folder.relative_to(PACKAGE)): count for folder, count in folders.items() if count > 30}
    assert set(crowded) <= {"sources", "cli"}


def test_the_package_stays_within_its_bounds() -> None:
    """Many small files are as hard to read as few large ones."""
    assert len(MODULES) <= 430
    assert len({path.parent for path in MODULES}) <= 60


def prints(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that print, or write to standard output or standard error."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "print" or re.fullmatch(r"sys\.(stdout|stderr)(\.buffer)?\.write(lines)?", called):
                yield node.lineno


def test_no_function_is_long() -> None:
    assert [place for place, _, _ in long_functions(PACKAGE)] == []


def test_only_one_module_writes_to_the_terminal() -> None:
    """Text of files and services is escaped there. The other one is a process of its own, whose output its parent reads."""
    found = [(path, line) for path in MODULES for line in prints(ast.parse(path.read_text(encoding="utf-8")))]
    assert {path.stem for path, _ in found} == {"screen", "pdf_extract"}, found


def test_no_comment_is_a_headline() -> None:
    """A comment stands at what it explains. A headline inside a file means that the file holds two subjects."""
    headline = re.compile(r"(?:^|\n\n)(# [^\n]*)\n(?:#[^\n]*\n)*\n")
    found = [f"{path}: {line}" for path in MODULES for line in headline.findall(path.read_text(encoding="utf-8"))]
    assert [one for one in found if not re.search(r": # (?:ruff|fmt):", one)] == []
