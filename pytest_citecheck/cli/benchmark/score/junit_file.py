"""Reading pytest's JUnit XML: the ``citecheck.…`` properties of test suites and test cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from xml.etree.ElementTree import ParseError

from junitparser import JUnitXmlError, TestSuite
from junitparser.xunit2 import JUnitXml, TestCase

from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Suite", "read_suites"]

_ENTITY = lazy_pattern(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suite:
    """The properties of one run and of each of its cases. If a name occurs twice, the last value counts."""

    path: Path
    properties: dict[str, str]
    cases: tuple[dict[str, str], ...]


def read_suites(path: Path) -> Iterator[Suite]:
    """The suites of a file. Raises UsageError if it cannot be read, NotDoneError if it is not JUnit XML."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if _ENTITY.search(data[:4096]):
        raise NotDoneError(f"{path}: JUnit XML must not declare a document type")
    try:
        report = JUnitXml.fromstring(data)
    except (JUnitXmlError, ParseError, ValueError) as error:
        raise NotDoneError(f"{path}: not JUnit XML: {error}") from error
    for suite in report:
        cases = cast("Iterable[TestCase]", suite)  # includes those of nested suites
        yield Suite(path, _properties(suite), tuple(map(_properties, cases)))


def _properties(element: TestSuite | TestCase) -> dict[str, str]:
    stated = element.properties()  # type: ignore[no-untyped-call]
    return {prop.name: prop.value for prop in stated if prop.name.startswith("citecheck.")}
