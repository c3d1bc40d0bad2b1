"""``citecheck cache``: what the cache of answers holds, and emptying it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.running import guarded
from pytest_citecheck.transport.settings import user_cache

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = "Look at the answers of services that are kept from run to run, or remove them all."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck cache info`` and ``citecheck cache clear``."""
    cache = commands.add_parser("cache", help="look at or empty the cache of answers", description=_ABOUT)
    cache.add_argument("action", choices=("info", "clear"), help="print what it holds; remove all answers")
    cache.add_argument("--cache", metavar="DIR", type=Path, help="its folder (default: that of the user)")
    cache.set_defaults(run=guarded("citecheck cache", _run))


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.transport.answer_cache import AnswerCache, logic_stamp  # noqa: PLC0415 - heavy for a --help

    stated = os.environ.get("CITECHECK_CACHE", "")
    folder = chosen.cache or (Path(stated) if stated and stated != "off" else user_cache())
    if not folder.is_dir():
        print(f"{folder}: nothing is kept there")
        return 0
    cache = AnswerCache(folder, logic_stamp())
    try:
        if chosen.action == "clear":
            cache.clear()
        held = cache.statistics()
        if cache.problem:
            print(cache.problem)
            return 1
        print(f"{folder}: {held.rows} answers, {held.bytes / 1e6:.1f} MB")
        return 0
    finally:
        cache.close()
