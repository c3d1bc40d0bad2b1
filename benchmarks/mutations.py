"""Whether the tests notice small changes of the package: seeded mutations, spread evenly over all rooms.

    python -m benchmarks.mutations --seed 1 --count 60 [-j 2] [--room ROOM ...] [--own]
    python -m benchmarks.mutations --thresholds

A mutation exchanges a comparison, ``and``/``or``, ``any``/``all``, ``min``/``max`` or two arguments, drops a ``not`` or a branch
that returns, flips a truth value, or moves a number by a step. Each is applied in a copy of the tree. There the tests of its
room run until one fails, then, without ``--own``, the rest of the fast suite. What cannot change behaviour stands in
``equivalent_mutations.toml``, with the reason. Prints a row a mutation, and the rate; the exit code is 1 if less than 85 % of the
mutations that change behaviour are noticed, or with ``--thresholds`` less than all.
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

__all__ = ["Mutation", "chosen", "main", "mutations", "of_thresholds"]

ROOT = Path(__file__).parent.parent
PACKAGE = "pytest_citecheck"
_ENOUGH = 0.85
_NO_TESTS_FAILED, _SOME_FAILED, _NOT_COLLECTED = 0, 1, 2
_OWN_TESTS = {
    "api": ("tests/plugin", "tests/typing"),
    "benchmark": ("tests/benchmark", "tests/reports"),
    "checks": ("tests/checks", "tests/verdict", "tests/test_thresholds.py"),
    "gather": ("tests/gather", "tests/index"),
    "linking": ("tests/linking", "tests/checks", "tests/test_thresholds.py"),
    "model": ("tests/checks", "tests/linking", "tests/verdict", "tests/services"),
    "names": ("tests/names", "tests/checks", "tests/test_thresholds.py"),
    "reports": ("tests/reports", "tests/plugin"),
    "services": ("tests/services", "tests/dumps"),
    "text": ("tests/text", "tests/titles", "tests/names", "tests/readers"),
    "thresholds": ("tests/test_thresholds.py",),
    "titles": ("tests/titles", "tests/checks", "tests/test_thresholds.py"),
    "venues": ("tests/venues", "tests/checks", "tests/test_thresholds.py"),
    "verdict": ("tests/verdict", "tests/test_thresholds.py"),
    "whole_file": ("tests/test_whole_file.py",),
}
"""The tests that run first, by room; of other rooms those of the folder of the same name."""
_NOT_FAST = ("tests/runs", "tests/hostile", "tests/conformance", "tests/pages", "tests/support", "tests/stand_ins")
_COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not",
    "is not": "is",
}  # fmt: skip
_OPERATOR = re.compile(r"not\s+in\b|is\s+not\b|in\b|is\b|[<>]=?|[=!]=")
_FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}


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


def mutations(path: Path) -> Iterator[Mutation]:
    """Every small change of a module, in the order of the syntax tree."""
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
    def at(one: ast.expr) -> tuple[int, int]:
        return starts[one.lineno - 1] + one.col_offset, starts[(one.end_lineno or 0) - 1] + (one.end_col_offset or 0)

    def text(one: ast.expr) -> str:
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
        case ast.If(body=[*_, ast.Return()]):
            yield *at(node.test), "False"
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            yield *at(node.func), _FUNCTIONS[name]
        case ast.Call(args=[first, second, *_]) if text(first) != text(second):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                between = source[at(first)[1] : at(second)[0]].decode()
                yield at(first)[0], at(second)[1], text(second) + between + text(first)
        case _:
            return


def rooms() -> dict[str, list[Path]]:
    """The modules of each room, but for the table of thresholds, of which each is tried by itself."""
    found: dict[str, list[Path]] = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        room = path.relative_to(ROOT / PACKAGE).parts[0].removesuffix(".py")
        if room not in ("__init__", "thresholds"):
            found.setdefault(room, []).append(path)
    return found


def chosen(count: int, seed: int, only: Sequence[str] = ()) -> list[Mutation]:
    """As many mutations, the same in every run, as evenly over the rooms as can be."""
    dice = random.Random(seed)
    places = {name: paths for name, paths in rooms().items() if not only or name in only}
    names = sorted(places)
    dice.shuffle(names)
    found = []
    for number, name in enumerate(names):
        every = [one for path in places[name] for one in mutations(path)]
        share = count // len(names) + (number < count % len(names))
        found += dice.sample(every, min(share, len(every)))
    return found


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

    def __init__(self, folder: Path, deadline: float, *, own: bool) -> None:
        """deadline: seconds for each of the two runs of tests. own: only the tests of the room."""
        self.folder, self.deadline, self.own = folder, deadline, own
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)

    def check(self) -> None:
        """Raises RuntimeError if a test of the tree fails as it is: such a failure would be taken for a mutation's."""
        if failure := self._failure([] if self.own else self._others([])) or self._failure(
            ["tests/test_thresholds.py"]
        ):
            raise RuntimeError(f"the tree fails without any mutation: {failure}")

    def tried(self, mutation: Mutation) -> str:
        """What noticed a mutation: a test, or the deadline; empty if nothing did."""
        path = self.folder / mutation.path
        source = path.read_bytes()
        path.write_bytes(source[: mutation.start] + mutation.replacement.encode() + source[mutation.end :])
        try:
            first = self._tests_of(mutation)
            return self._failure(first) or ("" if self.own else self._failure(self._others(first)))
        finally:
            path.write_bytes(source)

    def _tests_of(self, mutation: Mutation) -> list[str]:
        """The tests of the module of the same name, then those of the room."""
        folders = _OWN_TESTS.get(mutation.room, (f"tests/{mutation.room}",))
        module = Path(mutation.path).stem
        near = sorted((self.folder / folders[0]).glob(f"test_{module}*.py"))
        return [str(one.relative_to(self.folder)) for one in near] + [
            name for name in folders if (self.folder / name).exists()
        ]

    def _others(self, first: Sequence[str]) -> list[str]:
        found = [*sorted((self.folder / "tests").glob("test_*.py")), *sorted((self.folder / "tests").glob("*/"))]
        names = [one.relative_to(self.folder).as_posix() for one in found if one.name != "__pycache__"]
        return [name for name in names if name not in {*first, *_NOT_FAST}]

    def _failure(self, tests: Sequence[str]) -> str:
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
        ]
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            run = subprocess.run(
                [*command, "-p", "no:xdist", *tests],
                cwd=self.folder, env=environment, capture_output=True, text=True, timeout=self.deadline, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"(deadline of {self.deadline:g} s)"
        if run.returncode == _NO_TESTS_FAILED:
            return ""
        if run.returncode not in (_SOME_FAILED, _NOT_COLLECTED) and "while loading conftest" not in run.stderr:
            raise RuntimeError(run.stdout + run.stderr)
        found = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", run.stdout, re.MULTILINE)
        return found[1] if found else "(the package cannot be imported)"


def main() -> int:
    """Try them, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--room", action="append", default=[], help="only of this room (repeatable)")
    parser.add_argument("--thresholds", nargs="*", metavar="NAME", help="each threshold instead (default: all)")
    parser.add_argument("--own", action="store_true", help="run only the tests of the room")
    parser.add_argument("--deadline", type=float, default=900.0, help="seconds for one run of tests")
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
            trees.put(Tree(Path(folder, str(number)), given.deadline, own=given.own))
        trees.queue[0].check()

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
