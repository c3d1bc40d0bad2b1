"""Mutation score of the test suite: seeded random changes of the package, and whether a test notices each.

    python -m benchmarks.mutation_score --seed 1 --count 60 [-j 2] [--room ROOM ...] [--all]
    python -m benchmarks.mutation_score --thresholds

The script draws functions at random, and one mutation in each: it negates a test, swaps a comparison, ``and``/``or``,
``any``/``all`` or ``min``/``max``, drops a statement, a ``not`` or a branch that returns, flips a truth value, or moves a number
by one step. It applies each mutation in a copy of the tree. There it runs the tests that import or name the module until one
fails, then those of the room, each time first the fast ones and then the exhaustive ones, and with ``--all`` the rest of the
fast suite. It confirms each failure on the unchanged module. A run of tests that exceeds the time limit counts as a survival.
``equivalent_mutations.toml`` lists mutations that cannot change behaviour, with the reason. The exit code is 1 if the tests
notice less than 85% of the others, or with ``--thresholds`` less than all.
"""

from __future__ import annotations

import argparse
import ast
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pytest_citecheck.thresholds import THRESHOLDS

ROOT = Path(__file__).parent.parent
PACKAGE = "pytest_citecheck"
_ENOUGH = 0.85
_NO_TESTS_FAILED, _SOME_FAILED, _NOT_COLLECTED, _NONE_CHOSEN = 0, 1, 2, 5
_FAST, _EXHAUSTIVE = "not exhaustive", "exhaustive"
_NOT_FAST = ("tests/runs", "tests/hostile", "tests/conformance", "tests/pages", "tests/support", "tests/stand_ins")
_COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not",
    "is not": "is",
}  # fmt: skip
_OPERATOR = re.compile(r"not\s+in\b|is\s+not\b|in\b|is\b|[<>]=?|[=!]=")
_FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}


_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of one place. start, end: in bytes; line: from 1; text: the line as it is."""

    path: str
    line: int
    text: str
    start: int
    end: int
    replacement: str
    what: str

    @property
    def room(self) -> str:
        return Path(self.path).parts[1].removesuffix(".py")


def mutations(path: Path) -> dict[str, list[Mutation]]:
    """Return the mutations of each function by its name, and of module-level code under the empty name."""
    found: dict[str, list[Mutation]] = {}
    inner = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, _FUNCTION)]
    for one in _every_mutation(path):
        around = [node for node in inner if node.lineno <= one.line <= (node.end_lineno or 0)]
        name = f"{around[-1].name}:{around[-1].lineno}" if around else ""
        found.setdefault(name, []).append(one)
    return found


def _every_mutation(path: Path) -> Iterator[Mutation]:
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    silent = _not_run(tree)
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        for start, end, replacement in _changes(node, source, starts):
            was = source[start:end].decode()
            number = next(row for row, at in enumerate(starts) if at > start)
            text = lines[number - 1].decode().strip()
            what = f"{' '.join(was.split())} → {' '.join(replacement.split()) or '(dropped)'}"
            yield Mutation(path.relative_to(ROOT).as_posix(), number, text, start, end, replacement, what)


def _not_run(tree: ast.Module) -> set[int]:
    """Nodes that decide nothing at run time: annotations, exports, texts."""
    roots: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                roots.append(annotation)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                roots += [node.returns] if node.returns is not None else []
                roots += [one for one in node.decorator_list if isinstance(one, ast.Call)]
            case ast.ClassDef():
                roots += node.decorator_list
            case (
                ast.If(test=ast.Name(id="TYPE_CHECKING"))
                | ast.Assign(targets=[ast.Name(id="__all__")])
                | ast.JoinedStr()
            ):
                roots.append(node)
            case _:
                pass
    return {id(inner) for root in roots for inner in ast.walk(root)}


def _changes(node: ast.AST, source: bytes, starts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    def at(one: ast.expr | ast.stmt) -> tuple[int, int]:
        return starts[one.lineno - 1] + one.col_offset, starts[(one.end_lineno or 0) - 1] + (one.end_col_offset or 0)

    def text(one: ast.expr | ast.stmt) -> str:
        return source[slice(*at(one))].decode()

    match node:
        case ast.Compare():
            operands = [node.left, *node.comparators]
            for left, right in pairwise(operands):
                begin = at(left)[1]
                found = _OPERATOR.search(source[begin : at(right)[0]].decode())
                if found is not None:
                    yield begin + found.start(), begin + found.end(), _COMPARISONS[" ".join(found[0].split())]
        case ast.BoolOp():
            word = "and" if isinstance(node.op, ast.And) else "or"
            for left, right in pairwise(node.values):
                begin = at(left)[1]
                found = re.search(rf"\b{word}\b", source[begin : at(right)[0]].decode())
                if found is not None:
                    yield begin + found.start(), begin + found.end(), "or" if word == "and" else "and"
        case ast.UnaryOp(op=ast.Not()):
            yield at(node)[0], at(node.operand)[0], ""
        case ast.Constant(value=bool()):
            yield *at(node), str(not node.value)
        case ast.Constant(value=int() as value):
            yield *at(node), str(value + 1)
            yield *at(node), f"({value - 1})"
        case ast.Constant(value=float() as value):
            yield *at(node), repr(round(value + 0.05, 6))
            yield *at(node), f"({round(value - 0.05, 6)!r})"
        case ast.If():
            yield *at(node.test), f"not ({text(node.test)})"
            if isinstance(node.body[-1], ast.Return):
                yield *at(node.test), "False"
        case ast.While() | ast.IfExp():
            yield *at(node.test), f"not ({text(node.test)})"
        case ast.AugAssign() | ast.Expr(value=ast.Call() | ast.Await()):
            yield *at(node), "pass"
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            yield *at(node.func), _FUNCTIONS[name]
        case _:
            return


def chosen(count: int, seed: int, only: Sequence[str] = ()) -> list[Mutation]:
    """One mutation in each of ``count`` random functions, the same for the same seed. only: rooms."""
    dice = random.Random(seed)
    functions = []
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        room = path.relative_to(ROOT / PACKAGE).parts[0].removesuffix(".py")
        if room != "thresholds" and (not only or room in only):
            functions += [every for name, every in mutations(path).items() if name]
    return [dice.choice(every) for every in dice.sample(functions, min(count, len(functions)))]


def of_thresholds(names: Sequence[str] = ()) -> list[Mutation]:
    """Each threshold one step less, and one step more."""
    path = ROOT / PACKAGE / "thresholds.py"
    source = path.read_text(encoding="utf-8")
    found = []
    for name, row in THRESHOLDS.items():
        at = re.search(rf'^{name} = _row\("{name}", ([^,]+),', source, re.MULTILINE)
        assert at is not None, name
        start, end = (len(source[: at.start(1)].encode()), len(source[: at.end(1)].encode()))
        line = source[: at.start()].count("\n") + 1
        for step in (-row.step, row.step):
            value = repr(round(row.value + step, 6))
            what = f"{name} = {at[1]} → {value}"
            if not names or name in names:
                found.append(Mutation(f"{PACKAGE}/thresholds.py", line, name, start, end, value, what))
    return found


def equivalent() -> dict[tuple[str, str, str], str]:
    """The reviewed mutations that change no behaviour, by path, line and change, with the reason."""
    rows = tomllib.loads((Path(__file__).parent / "equivalent_mutations.toml").read_text(encoding="utf-8"))
    return {(one["path"], one["line"], one["change"]): one["reason"] for one in rows.get("mutation", [])}


class Tree:
    """A copy of the project in which one mutation at a time is tried."""

    def __init__(self, folder: Path, deadline: float, *, every: bool) -> None:
        """deadline: seconds for each run of tests. every: also run the rest of the fast suite."""
        self.folder, self.deadline, self.every = folder, deadline, every
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        self._writes = 0
        self._imports = {
            path.relative_to(folder).as_posix(): _imported(path.read_text(encoding="utf-8"))
            for path in sorted((folder / "tests").rglob("test_*.py"))
            if not path.relative_to(folder).as_posix().startswith(_NOT_FAST)
        }

    def tried(self, mutation: Mutation) -> str:
        """Return the test that detected a mutation, or `""`. Files whose tests also fail without it are not run again."""
        path = self.folder / mutation.path
        source = path.read_bytes()
        changed = source[: mutation.start] + mutation.replacement.encode() + source[mutation.end :]
        try:
            self._write(path, changed)
            found = next(filter(None, (self._failure(*stage) for stage in self._stages(mutation))), "")
        finally:
            self._write(path, source)
        if found.startswith("tests/") and self._failure([found.partition("[")[0]], ""):
            print(f"{found} fails without any mutation", file=sys.stderr)
            del self._imports[found.partition("::")[0]]
            return self.tried(mutation)
        return found

    def _write(self, path: Path, source: bytes) -> None:
        """Write a module with a unique time stamp: compiled modules are recognised by whole seconds and size."""
        path.write_bytes(source)
        self._writes += 1
        at = path.stat().st_mtime + 10 * self._writes
        os.utime(path, (at, at))

    def _stages(self, mutation: Mutation) -> Iterator[tuple[list[str], str]]:
        """Return test files, and which of their tests to run: first files that import or name the module, then those of its room,
        and with `every` all others."""
        parts = mutation.path.removesuffix(".py").removesuffix("/__init__").split("/")[1:]
        module, room = ".".join(parts), ".".join(parts[:2] if parts[0] == "models" else parts[:1])
        folder = f"/{room.split('.')[-1]}/"
        near = [name for name, imported in self._imports.items() if module in imported or parts[-1] in Path(name).name]
        around = [
            name
            for name, imported in self._imports.items()
            if name not in near
            and (folder.strip("/") in name or any(f"{one}.".startswith(f"{room}.") for one in imported))
        ]
        near.sort(key=lambda name: (parts[-1] not in name, folder not in name))
        around.sort(key=lambda name: folder not in name)
        yield from ((files, mark) for files in (near, around) for mark in (_FAST, _EXHAUSTIVE))
        if self.every:
            yield [name for name in self._imports if name not in near and name not in around], _FAST

    def _failure(self, tests: Sequence[str], mark: str) -> str:
        if not tests:
            return ""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-rfE",
            "--no-header",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "-m",
            mark,
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PYTHONPYCACHEPREFIX": str(self.folder / ".compiled"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        try:
            run = subprocess.run(
                [*command, "-p", "no:xdist", *tests],
                cwd=self.folder, env=environment, capture_output=True, text=True, timeout=self.deadline, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return ""
        if run.returncode in (_NO_TESTS_FAILED, _NONE_CHOSEN):
            return ""
        if run.returncode not in (_SOME_FAILED, _NOT_COLLECTED) and "while loading conftest" not in run.stderr:
            raise RuntimeError(run.stdout + run.stderr)
        found = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", run.stdout, re.MULTILINE)
        return found[1] if found else "(the package cannot be imported)"


def _imported(text: str) -> set[str]:
    """Return the modules of the package that a test imports, including possible imports by folder."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return {name.removeprefix(f"{PACKAGE}.") for name in found if name.startswith(f"{PACKAGE}.")}


def main() -> int:
    """Try them, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--room", action="append", default=[], help="only of this room (repeatable)")
    parser.add_argument("--thresholds", nargs="*", metavar="NAME", help="each threshold instead (default: all)")
    parser.add_argument("--all", action="store_true", help="run the rest of the fast suite too")
    parser.add_argument("--deadline", type=float, default=120.0, help="seconds for one run of tests")
    parser.add_argument("-j", type=int, default=1, help="copies of the tree that work at once")
    given = parser.parse_args()
    tries = (
        of_thresholds(given.thresholds) if given.thresholds is not None else chosen(given.count, given.seed, given.room)
    )
    known = equivalent()
    survived = noticed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.j) as pool:
        trees: queue.Queue[Tree] = queue.Queue()
        for number in range(given.j):
            trees.put(Tree(Path(folder, str(number)), given.deadline, every=given.all))

        def tried(mutation: Mutation) -> str:
            if reason := known.get((mutation.path, mutation.text, mutation.what)):
                return f"equivalent: {reason}"
            tree = trees.get()
            try:
                return tree.tried(mutation)
            finally:
                trees.put(tree)

        for mutation, result in zip(tries, pool.map(tried, tries), strict=True):
            if not result.startswith("equivalent"):
                noticed, survived = noticed + bool(result), survived + (not result)
            place = f"{mutation.path.removeprefix(PACKAGE + '/')}:{mutation.line}"
            print(f"{mutation.room:12} {place:45} {mutation.what[:60]:60} {result or 'SURVIVED'}", flush=True)
    counted = noticed + survived
    print(f"{noticed} of {counted} noticed ({noticed / counted:.1%}), {len(tries) - counted} equivalent")
    return int(noticed < counted * (1.0 if given.thresholds is not None else _ENOUGH))


if __name__ == "__main__":
    sys.exit(main())
