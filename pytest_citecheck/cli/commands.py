"""The subcommands of ``citecheck``: each is one module here and one name in `COMMANDS`."""

from __future__ import annotations

from pytest_citecheck.cli import baseline, cache, check, index, mutate, rank, report, score, trust, validate

__all__ = ["COMMANDS"]

COMMANDS = (check, trust, cache, index, mutate, validate, baseline, score, rank, report)
