"""Count lines of code by room: without comments, docstrings and blank lines.

    python -m benchmarks.size

Prints a table of the rooms of the package, and the sums of the package, of its tests and of its benchmarks. Also prints the
functions with more branches or lines than CONTRIBUTING.md allows.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT = Path(__file__).parents[1]
_PACKAGE = _ROOT / "pytest_citecheck"
_NO_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
_BRANCHES: Final = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.comprehension,
)  # fmt: skip
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
MOST_BRANCHES, MOST_LINES = 20, 60
"""Limits of a function."""


def code_lines(path: Path) -> int:
    """Return the number of lines of code in a Python file."""
    text = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                lines.difference_update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    return len(lines)


def long_functions(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the place, the branches and the lines (without the docstring) of each function beyond the limits."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                said = (ast.get_docstring(node, clean=False) or "").count("\n") + bool(ast.get_docstring(node))
                branches, lines = _branches(node), (node.end_lineno or node.lineno) - node.lineno + 1 - said
                if branches > MOST_BRANCHES or lines > MOST_LINES:
                    yield f"{path.relative_to(folder).as_posix()}:{node.lineno} {node.name}", branches, lines


def _branches(function: ast.AST) -> int:
    count, waiting = 0, list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _INNER):
            count += isinstance(node, _BRANCHES) + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
            waiting += ast.iter_child_nodes(node)
    return count


def main() -> None:
    """Print the tables."""
    rooms: Counter[str] = Counter()
    for path in _PACKAGE.rglob("*.py"):
        inside = path.relative_to(_PACKAGE)
        rooms[inside.parts[0] if len(inside.parts) > 1 else "(files)"] += code_lines(path)
    print("| room | lines of code |\n|---|---|")
    for room, count in rooms.most_common():
        print(f"| {room} | {count:,} |")
    print(f"| the package | {sum(rooms.values()):,} |")
    for folder in ("tests", "benchmarks"):
        print(f"| {folder} | {sum(map(code_lines, (_ROOT / folder).rglob('*.py'))):,} |")
    print(f"\n| function beyond {MOST_BRANCHES} branches or {MOST_LINES} lines | branches | lines |\n|---|---|---|")
    for place, branches, lines in long_functions(_PACKAGE):
        print(f"| {place} | {branches} | {lines} |")


if __name__ == "__main__":
    main()
