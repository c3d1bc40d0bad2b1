"""Measure how the references of well-known Python packages are read.

    python -m benchmarks.docstrings [--packages NAME==VERSION ...] [--wheels FOLDER] [--index PATH] [--titles N --seed S]

Downloads the wheels from the configured package index and never imports them. Prints a table: references that docutils
(footnotes and citations) and numpydoc (sections without any) see, and how many of them are read with at least nine tenths of
their words; with ``--index``, the time of an offline run on two workers and its accusations. ``--titles`` prints random
references with the title that is read, to be judged by hand. Needs docutils and numpydoc.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser, roles
from docutils.utils import new_document
from numpydoc.docscrape import NumpyDocString

from pytest_citecheck.inputs import DOCSTRINGS, UnreadableDocumentError, docstrings_of, read_text
from pytest_citecheck.model import Reference

_PACKAGES = ("scipy==1.17.1", "scikit-learn==1.9.1", "scikit-image==0.26.0")
_FOLDERS = {"scikit-learn": "sklearn", "scikit-image": "skimage"}
_READ, _READ_IN_ALL = 0.9, 0.95
_OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_MAY_REFER = re.compile(r"references?|\.\. ?\[", re.IGNORECASE)


def _download(package: str, wheels: Path) -> Path:
    """Return the folder of an unpacked wheel."""
    name, _, version = package.partition("==")
    folder = wheels / f"{name}-{version}"
    if not folder.is_dir():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            "--python-version=3.12",
        ]
        with tempfile.TemporaryDirectory() as there:
            subprocess.run([*command, f"--dest={there}", package], check=True)
            with zipfile.ZipFile(next(Path(there).glob("*.whl"))) as wheel:
                wheel.extractall(folder)
    return folder / _FOLDERS.get(name, name)


# The oracle: docutils, and numpydoc for sections without footnotes.


def _role(*_: object) -> tuple[Any, list[Any]]:
    def literal(_name: str, _raw: str, text: str, *_rest: object, **_named: object) -> tuple[list[Any], list[Any]]:
        return [nodes.literal(text, text)], []

    return literal, []


def _footnotes(text: str) -> Iterator[tuple[str, str]]:
    settings = get_default_settings(Parser)
    settings.report_level = settings.halt_level = 5
    settings.warning_stream = None
    settings.file_insertion_enabled = settings.raw_enabled = False
    document = new_document("docstring", settings)
    Parser().parse(text, document)
    for message in list(document.findall(nodes.system_message)):
        message.parent.remove(message)
    for node in document.findall(lambda one: isinstance(one, nodes.footnote | nodes.citation)):
        label = node.children[0].astext() if isinstance(node.children[0], nodes.label) else ""
        yield label, " ".join(one.astext() for one in node.children if not isinstance(one, nodes.label))


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    try:
        section = "\n".join(NumpyDocString(text)["References"])
    except ValueError:  # a section is repeated
        return
    for part in re.split(r"\n\s*\n", section):
        if _words(part) and not re.fullmatch(r"\s*%\(\w+\)s\s*|\s*\.\. .*", part):
            yield "", part


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text.lower()))


def _covered(expected: str, text: str) -> float:
    wanted = _words(expected)
    return (wanted & _words(text)).total() / max(1, wanted.total())


def _score(folder: Path) -> tuple[int, int, list[str]]:
    """Return the references that are read and those that exist, and a line for each that is missing."""
    read, existing, missing = 0, 0, []
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text("utf-8", "replace")
        if not _MAY_REFER.search(source):
            continue
        own = {one.lines[0][0]: read_text(one.lines).entries for one in docstrings_of(source)[0] if one.lines}
        for node in ast.walk(ast.parse(source)):
            text = ast.get_docstring(node) if isinstance(node, _OWNERS) else None
            if not text or not _MAY_REFER.search(text):
                continue
            entries = [(one.label, " ".join(one.lines)) for one in own.get(node.body[0].lineno, [])]  # type: ignore[attr-defined]
            for label, expected in list(_footnotes(text)) or list(_paragraphs(text)):
                existing += 1
                alike = [said for name, said in entries if not label or name == label]
                whole = " ".join(said for _, said in entries)
                found = any(_covered(expected, said) >= _READ for said in alike)
                if found or (not label and _covered(expected, whole) >= _READ_IN_ALL):
                    read += 1
                else:
                    missing.append(
                        f"{path.name} {getattr(node, 'name', '')} [{label}] {' '.join(expected.split())[:100]}"
                    )
    return read, existing, missing


# The references that the reader finds, and the result of a run.


def _references(folder: Path) -> Iterator[Reference]:
    for path in sorted(folder.rglob("*.py*")):
        if path.suffix in DOCSTRINGS.suffixes:
            try:
                yield from DOCSTRINGS.read(path.name, path.read_bytes()).references
            except UnreadableDocumentError:
                continue


def _run(folder: Path, index: Path) -> tuple[float, list[str]]:
    """Return the seconds of an offline run on two workers, and its accusations."""
    with tempfile.TemporaryDirectory() as there:
        report = Path(there) / "report.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n2", f"--citecheck={folder.name}", "--citecheck-offline"]
        start = time.monotonic()
        subprocess.run(
            [*command, f"--citecheck-index={index}", f"--citecheck-json={report}"],
            cwd=folder.parent,
            check=False,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.monotonic() - start
        whole = json.loads(report.read_text("utf-8"))
    said = [
        f"{one['id']}[{name}] {finding['code']}: {finding['message']}"
        for one in whole["references"]
        for name, finding in one["checks"].items()
        if finding["outcome"] == "failed" or finding.get("severity") in ("error", "warning")
    ]
    return seconds, said


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", nargs="+", default=list(_PACKAGES))
    parser.add_argument("--wheels", type=Path, default=Path(tempfile.gettempdir()) / "citecheck-wheels")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--titles", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    roles.role = _role
    everything: dict[str, Reference] = {}
    print("| package | references | read | share | time | accusations |\n|---|---|---|---|---|---|")
    details: list[str] = []
    for package in chosen.packages:
        folder = _download(package, chosen.wheels)
        read, existing, missing = _score(folder)
        seconds, said = _run(folder, chosen.index.absolute()) if chosen.index else (0.0, [])
        everything |= {one.text: one for one in _references(folder)}
        timed = f"{seconds:.0f} s | {len(said)}" if chosen.index else "- | -"
        print(f"| {package} | {existing} | {read} | {read / max(1, existing):.1%} | {timed} |", flush=True)
        details += [f"missing: {line}" for line in missing] + [f"accusation: {line}" for line in said]
    print("\n".join(details))
    works = [one for one in everything.values() if one.type != "identifier" or "title" in one.fields]
    for one in random.Random(chosen.seed).sample(works, min(chosen.titles, len(works))):
        print(f"- {one.text}\n    title: {one.fields.get('title', '')}{'' if not one.uncertain else ' (uncertain)'}")


if __name__ == "__main__":
    main()
