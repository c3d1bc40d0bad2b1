"""``citecheck cache``: show or clear the answer cache and the holds."""

from __future__ import annotations

import argparse
import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.running import command
from pytest_citecheck.net import Budget, budget_path, hold_messages, user_cache

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Show or clear cached answers and holds. A hold pauses requests to a service that asked for it, for at most an "
    "hour. info prints both. clear removes the answers; clear --holds removes the holds."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck cache info`` and ``citecheck cache clear``."""
    cache = command(commands, "cache", "show or clear the answer cache", _ABOUT, _run)
    argument(cache, "action", "info: print the contents; clear: remove all answers", choices=("info", "clear"))
    argument(cache, "--holds", "with clear: remove the holds instead of the answers")
    argument(cache, "--cache DIR", "folder of the cache (default: the user's)")


def _run(chosen: argparse.Namespace) -> int:
    if chosen.holds and chosen.action != "clear":
        raise UsageError("--holds needs the action clear")
    stated = os.environ.get("CITECHECK_CACHE", "")
    folder = chosen.cache or (Path(stated) if stated and stated != "off" else user_cache())
    if not folder.is_dir():
        say(f"{folder}: no cache")
        return 0
    if chosen.holds:
        return _end_holds(folder)
    return max(_show_holds(folder), _answers(folder, chosen.action))


def _answers(folder: Path, action: str) -> int:
    from pytest_citecheck.net import AnswerCache  # noqa: PLC0415 - heavy for a --help

    cache = AnswerCache(folder)
    try:
        if action == "clear":
            cache.clear()
        contents = cache.statistics()
        if cache.problem:
            say(cache.problem)
        if not cache.is_used:
            return 1
        say(f"{folder}: {contents.rows} answers, {contents.bytes / 1e6:.1f} MB")
        return 0
    finally:
        cache.close()


def _show_holds(folder: Path) -> int:
    path = budget_path(folder)
    if not path.exists():
        return 0
    with closing(Budget(path)) as budget:
        holds = hold_messages(budget)
        return _print_all(budget, holds)


def _end_holds(folder: Path) -> int:
    path = budget_path(folder)
    with closing(Budget(path if path.exists() else None)) as budget:
        ended = budget.end_holds()
        return _print_all(budget, [f"{folder}: {ended} {'hold' if ended == 1 else 'holds'} removed"])


def _print_all(budget: Budget, lines: list[str]) -> int:
    # A file that was created again is only reported; one that cannot be used is a failure.
    for line in [*([budget.problem] if budget.problem else []), *lines]:
        say(line)
    return 0 if budget.is_shared or not budget.problem else 1
