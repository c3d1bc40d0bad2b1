"""The subcommands of ``citecheck``: to add one, write a module with ``add_parser`` and name it in `COMMANDS`."""

from __future__ import annotations

from pytest_citecheck.cli import audit, cache, index, report, trust
from pytest_citecheck.cli.benchmark import baseline, compare, dataset, mutate, rank, score, validate
from pytest_citecheck.cli.check import command as check
from pytest_citecheck.cli.claims import command as claims
from pytest_citecheck.cli.doctor import command as doctor
from pytest_citecheck.cli.doctor import record
from pytest_citecheck.cli.entries import fix

__all__ = ["COMMANDS"]

COMMANDS = (
    check,
    fix,
    audit,
    doctor,
    record,
    trust,
    cache,
    index,
    mutate,
    validate,
    dataset,
    baseline,
    score,
    rank,
    compare,
    claims,
    report,
)
