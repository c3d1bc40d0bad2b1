"""``citecheck explain``: what a code means, why it convicts, how to suppress it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_citecheck.checks.codes import CODES, TABLE
from pytest_citecheck.checks.explanations import explanation, explanation_markdown, nearest_codes
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = (
    "Say what a code of a finding means, why it convicts, and how to suppress it. Without CODE: all codes, by check."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck explain``."""
    parser = commands.add_parser("explain", help="say what a code of a finding means", description=_ABOUT)
    parser.add_argument("codes", nargs="*", metavar="CODE", help="such as title-near-miss; several one after the other")
    parser.add_argument(
        "--format", choices=("text", "markdown"), default="text", help="form of the explanation (default: %(default)s)"
    )
    parser.set_defaults(run=guarded("citecheck explain", _run))


def _run(chosen: argparse.Namespace) -> int:
    unknown = [code for code in chosen.codes if code not in CODES]
    if unknown:
        raise UsageError("; ".join(map(_unknown, unknown)))
    explained = explanation if chosen.format == "text" else explanation_markdown
    print("\n\n".join(map(explained, chosen.codes)) if chosen.codes else "\n".join(_all()))
    return 0


def _unknown(code: str) -> str:
    near = nearest_codes(code)
    meant = f"; did you mean {' or '.join(near)}?" if near else "; citecheck explain lists all codes"
    return f"no code is named {code!r}{meant}"


def _all() -> Iterator[str]:
    check = ""
    for row in TABLE:
        if row.check != check:
            yield from ([""] if check else [])
            check = row.check
            yield f"{check}:"
        yield f"  {row.name:<26} {row.outcome:<13} {row.sentence}"
