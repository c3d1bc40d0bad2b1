"""The subcommands of ``citecheck``: to add one, write a module with ``add_parser`` and name it in `COMMANDS`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMANDS", "add_command"]

COMMANDS = {
    "check": "check.command",
    "demo": "reference.demo",
    "fix": "entries.fix",
    "explain": "reference.explain",
    "record": "entries.record",
    "hook": "entries.hook",
    "waive": "entries.waive",
    "baseline": "entries.baseline",
    "audit": "audit",
    "doctor": "doctor.command",
    "trust": "trust",
    "cache": "cache",
    "index": "index",
    "mutate": "benchmark.mutate",
    "validate": "benchmark.validate",
    "dataset": "benchmark.dataset",
    "score": "benchmark.score",
    "rank": "benchmark.rank",
    "compare": "benchmark.compare",
    "claims": "claims.command",
    "report": "report",
    "diff": "diff",
    "completion": "reference.completion",
}
"""The module of each command, below ``pytest_citecheck.cli``. Only that of the command that runs is imported: hooks run often."""


def add_command(name: str, commands: argparse._SubParsersAction[Any]) -> None:
    """Add the parser of this command."""
    import_module(f"pytest_citecheck.cli.{COMMANDS[name]}").add_parser(commands)
