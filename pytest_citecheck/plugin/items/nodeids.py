"""Node ids: ``refs.bib::key[check]``, stable, escaped, unique."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import _pytest.main

from pytest_citecheck.readers.reference_names import escape_key, escape_name, reference_names
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "FETCHED",
    "bracketed_paths",
    "escape_key",
    "escape_name",
    "fetched_name",
    "file_nodeid",
    "reference_names",
    "split_nodeid",
    "typed_nodeid",
]

_CHECK_AT_END = lazy_pattern(r"(?P<name>.*)(?P<check>\[[\w-]+\])", re.DOTALL)
_NAME_AND_CHECK = lazy_pattern(r"(?P<name>[^\[\]]+)\[(?P<check>[\w-]+)\]")


FETCHED = "citecheck-documents"
"""Folder of fetched documents in the cache and beside cassettes; each lies in a folder that is called as the user calls it."""


def fetched_name(path: Path) -> str:
    """The identifier or address by which the user named a fetched document; empty for any other file."""
    return unquote(path.parent.name) if path.parent.parent.name == FETCHED else ""


def file_nodeid(path: Path, rootpath: Path) -> str:
    """The node id of a file, also for one outside the root folder (pytest itself would leave it empty)."""
    if fetched := fetched_name(path):
        return fetched
    try:
        relative = os.path.relpath(path, rootpath)
    except ValueError:  # another drive on Windows
        relative = str(path)
    return relative.replace(os.sep, "/")


def typed_nodeid(argument: str) -> str:
    """An argument of the command line as pytest selects by it: a key may be typed as it is in its file, or percent-encoded."""
    file, colons, rest = argument.partition("::")
    named = _CHECK_AT_END.fullmatch(rest)
    if not colons or file.endswith(".py") or (named is None and "[" in rest):
        return argument
    name, check = (named["name"], named["check"]) if named else (rest, "")
    if not file.endswith((".json", ".jsonl", ".yaml", ".yml")):
        return f"{file}::{escape_key(name if name == escape_key(name) else unquote(name))}{check}"
    # In node ids of answers, model and query precede the key.
    *groups, key = name.split("::")
    typed = [one if "%" in one else escape_name(one) for one in groups] + [key if "%" in key else escape_key(key)]
    return f"{file}::{'::'.join(typed)}{check}"


@contextmanager
def bracketed_paths() -> Iterator[None]:
    """Let pytest collect files with brackets in their names, in the block: it takes these for parameters of a test."""
    resolve = _pytest.main.resolve_collection_argument

    def resolved(invocation_path: Path, arg: str, *given: Any, **named: Any) -> Any:
        file, colons, rest = arg.partition("::")
        path = Path(os.path.abspath(invocation_path / file))  # noqa: PTH100 - links keep their names
        if "[" not in file or not path.is_file():
            return resolve(invocation_path, arg, *given, **named)
        # What is behind the colons is read behind another file that exists, and then given to this one.
        return replace(resolve(invocation_path, f"{__file__}{colons}{rest}", *given, **named), path=path)

    _pytest.main.resolve_collection_argument = resolved
    try:
        yield
    finally:
        _pytest.main.resolve_collection_argument = resolve


def split_nodeid(nodeid: str) -> tuple[str, str, str] | None:
    """File, reference name and check of a check's node id; None for any other item's."""
    # The first one divides: the name may hold more, of nodes between the file and its references.
    file, _, rest = nodeid.partition("::")
    match = _NAME_AND_CHECK.fullmatch(rest)
    return (file, match["name"], match["check"]) if file and match else None
