"""Every regular expression of the package: compiled ones in its modules, and inline ones in calls of ``re``."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest_citecheck
from pytest_citecheck.matching import LazyPattern

_Key = tuple[str | bytes, int]
AnyPattern = re.Pattern[str] | re.Pattern[bytes]

_METHODS = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_FUNCTIONS = _METHODS | {"compile"}
_FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}  # which argument; the third of all others


@dataclass(slots=True)
class PackagePattern:
    """A compiled pattern, its first location, and the methods that the package applies to it (all if unknown)."""

    pattern: AnyPattern
    place: str
    methods: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Unread:
    """A call of ``re`` whose pattern is known only at run time."""

    module: str
    source: str


def collect_patterns() -> tuple[list[PackagePattern], list[Unread]]:
    """Return all patterns of the package without duplicates, in module order, and the calls without a literal pattern."""
    found: dict[_Key, PackagePattern] = {}
    unread: list[Unread] = []
    package = Path(pytest_citecheck.__file__).parent
    modules = [pytest_citecheck] + [
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages([str(package)], "pytest_citecheck.")
        if not info.name.endswith("__main__")
    ]
    for module in modules:
        for name, pattern in _held(module):
            found.setdefault((pattern.pattern, pattern.flags), PackagePattern(pattern, f"{module.__name__}.{name}"))
    for module in modules:
        if module.__name__ == LazyPattern.__module__:
            continue  # it compiles the patterns of all others
        _note_methods(module, ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")), found, unread)
    return list(found.values()), unread


def _note_methods(
    module: types.ModuleType, tree: ast.Module, found: dict[_Key, PackagePattern], unread: list[Unread]
) -> None:
    """Find the inline patterns of a module, and how it applies all that it knows."""
    called: set[int] = set()
    elsewhere: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner, method = node.func.value, node.func.attr
        if isinstance(owner, ast.Name) and owner.id == "re" and method in _FUNCTIONS:
            inline = _inline(node, module)
            if inline is None:
                unread.append(Unread(module.__name__, ast.unparse(node.args[0])))
                continue
            place = f"{module.__name__}:{node.lineno}"
            entry = found.setdefault((inline.pattern, inline.flags), PackagePattern(inline, place))
            if method != "compile":
                entry.methods.add(method)
        elif method in _METHODS:
            held = getattr(module, owner.id, None) if isinstance(owner, ast.Name) else None
            if (known := _compiled(held)) is not None:
                found[known.pattern, known.flags].methods.add(method)
                called.add(id(owner))
            elif method != "split" and not isinstance(held, types.ModuleType):
                elsewhere.add(method)
    # A pattern in a table, or handed on, is applied under another name: by what the module calls on such names.
    handed_on = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called
    }
    for name in sorted(handed_on):
        held = getattr(module, name, None)
        if isinstance(held, re.Pattern | LazyPattern | Mapping | list | tuple | set | frozenset):
            for _, pattern in _reached(name, held):
                found[pattern.pattern, pattern.flags].methods |= elsewhere or _METHODS


def _inline(node: ast.Call, module: types.ModuleType) -> AnyPattern | None:
    """Return the pattern of a call of ``re``, or None if it depends on run-time values."""
    flags = 0
    at = _FLAGS_AT.get(ast.unparse(node.func).removeprefix("re."), 2)
    values = [*node.args[at : at + 1], *(keyword.value for keyword in node.keywords if keyword.arg == "flags")]
    try:
        if values:
            flags = eval(ast.unparse(values[0]), vars(module))  # noqa: S307 - our own source
        pattern = eval(ast.unparse(node.args[0]), vars(module))  # noqa: S307
    except NameError:
        return None
    return re.compile(pattern, flags) if isinstance(pattern, str | bytes) else None


def _compiled(value: object) -> AnyPattern | None:
    return value.compiled() if isinstance(value, LazyPattern) else value if isinstance(value, re.Pattern) else None


def _held(module: types.ModuleType) -> Iterator[tuple[str, AnyPattern]]:
    """The patterns that can be reached from the globals of a module, with their path."""
    for name, value in vars(module).items():
        if not name.startswith("__"):
            yield from _reached(name, value)


def _reached(name: str, value: Any) -> Iterator[tuple[str, AnyPattern]]:
    seen: set[int] = set()

    def walk(path: str, value: Any) -> Iterator[tuple[str, AnyPattern]]:
        if (compiled := _compiled(value)) is not None:
            yield path, compiled
            return
        if isinstance(value, str | bytes | int | float | types.ModuleType) or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield from walk(f"{path}[{key!r}]", key)
                yield from walk(f"{path}[{key!r}]", inner)
        elif isinstance(value, list | tuple | set | frozenset):
            for number, inner in enumerate(value):
                yield from walk(f"{path}[{number}]", inner)
        elif isinstance(value, types.MethodType):
            yield from walk(path, value.__self__)
            yield from walk(path, value.__func__)
        elif isinstance(value, types.BuiltinMethodType):
            yield from walk(path, value.__self__)
        elif isinstance(value, types.FunctionType):
            defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            for cell in value.__closure__ or ():
                try:
                    defaults.append(cell.cell_contents)
                except ValueError:
                    continue
            for inner in defaults:
                yield from walk(path, inner)
            if hasattr(value, "__wrapped__"):
                yield from walk(path, value.__wrapped__)
        elif getattr(type(value), "__module__", "").startswith("pytest_citecheck") or (
            isinstance(value, type) and value.__module__.startswith("pytest_citecheck")
        ):
            inner_values = dict(getattr(value, "__dict__", {}))
            for name in getattr(type(value), "__slots__", ()):
                if hasattr(value, name):
                    inner_values[name] = getattr(value, name)
            for name, inner in inner_values.items():
                yield from walk(f"{path}.{name}", inner)

    yield from walk(name, value)
