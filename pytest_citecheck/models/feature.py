"""The feature for language models: arenas, claims and self-checks, and their options and commands."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.plugin.features import Option

if TYPE_CHECKING:
    from pytest_citecheck.models.arena import Arena
    from pytest_citecheck.plugin.features import Opening
    from pytest_citecheck.reports import Layout
    from pytest_citecheck.screen import SafeReporter

OPTIONS = (
    Option(
        "citecheck_models", "lines",
        "Arena only: query and check only models with these names (shell patterns; repeatable)",
        "--citecheck-models", "", "CITECHECK_MODELS", "NAME",
    ),
    Option(
        "citecheck_queries", "lines",
        "Arena only: use only these queries (numbers, ranges such as 2-5, ids or disciplines; repeatable)",
        "--citecheck-queries", "", "CITECHECK_QUERIES", "QUERY",
    ),
    Option(
        "citecheck_ask", "text",
        "Models only: answers to request: missing = missing or failed answers (default), failed = failed calls and "
        "unreadable verdicts, all = every answer again, none",
        "--citecheck-ask", "citecheck_ask", "CITECHECK_ASK", None, ("missing", "failed", "all", "none"),
    ),
    Option(
        "citecheck_arena_output", "text",
        "Arena only: write the files of the Reference Hallucination Arena (queries.json … "
        "evaluation_report.md, charts) to this folder",
        "--citecheck-arena-output", "citecheck_arena_output", "CITECHECK_ARENA_OUTPUT", "DIR", is_path=True,
    ),
    Option(
        "citecheck_budget", "text",
        "Confirm before model calls that may cost more than this many US dollars; refuse them without a terminal. "
        "--citecheck-plan shows the cost",
        "--citecheck-budget", "", "CITECHECK_BUDGET", "DOLLARS", trusted=True,
    ),
    Option(
        "citecheck_allow_endpoint", "lines",
        "Allow model configurations in untrusted folders to send environment variables to this host (repeatable; "
        "docs/models.md)",
        "--citecheck-allow-endpoint", "", "CITECHECK_ALLOW_ENDPOINT", "HOST", trusted=True,
    ),
    Option(
        "citecheck_selfcheck", "text",
        "Query a language model several times about undecided references. Methods, separated by commas (default: "
        "iq,dq): iq (authors), dq or dq1, dq2, dq3 (existence), year, venue, cross (two models)",
        "--citecheck-selfcheck", "", "CITECHECK_SELFCHECK", "METHODS", const="iq,dq", trusted=True,
    ),
    Option(
        "citecheck_selfcheck_model", "text",
        "Self-checks only: model to query: a configuration file with target_endpoints, and a name in it (two names "
        "for cross, separated by commas)",
        "--citecheck-selfcheck-model", "", "CITECHECK_SELFCHECK_MODEL", "FILE::NAME",
    ),
    Option(
        "citecheck_selfcheck_for", "text",
        "Self-checks only: references to query about: open = undecided or not found (default), all",
        "--citecheck-selfcheck-for", "", "CITECHECK_SELFCHECK_FOR", None, ("open", "all"),
    ),
    Option(
        "citecheck_selfcheck_log", "text",
        "Self-checks only: file for all model answers (default: selfcheck.jsonl); answers in this file are reused",
        "--citecheck-selfcheck-log", "", "CITECHECK_SELFCHECK_LOG", "FILE",
    ),
    Option(
        "citecheck_claims", "text",
        "Judge if sources support claims (claim files; citations in .tex and .md files) with the models in this YAML "
        "file; without FILE by word overlap",
        "--citecheck-claims", "citecheck_claims", "CITECHECK_CLAIMS", "FILE", const="overlap", trusted=True, is_path=True,
    ),
    Option(
        "citecheck_claims_sources", "text",
        "Claims only: folder with the texts of cited sources: KEY.txt, KEY.html or KEY.pdf (default: sources, next "
        "to the manuscript)",
        "--citecheck-claims-sources", "citecheck_claims_sources", "CITECHECK_CLAIMS_SOURCES", "DIR", is_path=True,
    ),
    Option(
        "citecheck_claims_partial", "text", "Claims only: result for a partly supported claim: warn (default), pass or fail",
        "--citecheck-claims-partial", "citecheck_claims_partial", "CITECHECK_CLAIMS_PARTIAL", None, ("warn", "pass", "fail"),
    ),
    Option(
        "citecheck_claims_version", "text",
        "Claims only: restrict to pairs of this dataset version: v1, v2, v3; unanimous or mixed (WiCE); or all",
        "--citecheck-claims-version", "", "CITECHECK_CLAIMS_VERSION", None,
        ("all", "v1", "v2", "v3", "unanimous", "mixed"),
    ),
)  # fmt: skip

CHECK_SETTINGS = {"citecheck_ask": "none"}
"""The configuration of an arena says which variables of the environment go to which servers, and it may be a stranger's."""

COMMANDS = {"claims": "pytest_citecheck.models.commands.claims"}

SECTIONS = {
    "models": ("citecheck_models", "citecheck_queries", "citecheck_ask", "citecheck_selfcheck"),
    "claims": ("citecheck_claims",),
}

# ruff: noqa: PLC0415 - most runs have no model, and every run loads this file


def layouts() -> tuple[Layout, ...]:
    """The sections of claims and of self-checks."""
    from pytest_citecheck.models.claims import claim_sections
    from pytest_citecheck.models.selfcheck import selfcheck_sections

    return claim_sections, selfcheck_sections


def pytest_citecheck_settings(config: pytest.Config, value: Callable[[str], Any], base: Path) -> dict[str, Any]:
    """Read the options above. Raises pytest.UsageError."""
    from pytest_citecheck.models.settings import read_settings

    return read_settings(config, value, base)


def pytest_citecheck_open(config: pytest.Config, opening: Opening) -> None:
    """Open arenas, self-checks and files of claims. Raises pytest.UsageError for what cannot be used."""
    arenas: tuple[Arena, ...] = ()
    if _named(config, opening, (".yaml", ".yml")):
        from pytest_citecheck.models.arena import ArenaHooks, ArenaReader, open_arenas, with_services

        arenas = open_arenas(config, opening.settings, os.environ)
        opening.settings = with_services(opening.settings, arenas)
        opening.extensions = replace(opening.extensions, readers=(ArenaReader(arenas), *opening.extensions.readers))
        opening.starts.append(partial(ArenaHooks, arenas=arenas))
    if opening.settings.features["selfcheck"] is not None:
        from pytest_citecheck.models.selfcheck import start_selfchecks

        opening.starts.append(partial(start_selfchecks, arenas=arenas))
    if _named(config, opening, (".json", ".csv", ".jsonl", ".tex", ".md")):
        from pytest_citecheck.models.claims import claim_files
        from pytest_citecheck.models.settings import usage_errors

        with usage_errors("--citecheck", None):
            files = claim_files(config, opening.settings)
        if files:
            from pytest_citecheck.models.claims import ClaimHooks, ClaimsReader, open_claims

            claims = open_claims(files, config, opening.settings, os.environ, opening.extensions.judges)
            opening.readers += (ClaimsReader(claims.files),)
            opening.starts.append(partial(ClaimHooks, run=claims))


def _named(config: pytest.Config, opening: Opening, suffixes: tuple[str, ...]) -> bool:
    names = (*opening.settings.files, *config.args)
    return any(name.split("::", 1)[0].lower().endswith(suffixes) for name in names)


def pytest_citecheck_plan(config: pytest.Config, reporter: SafeReporter) -> str:
    """Write the calls of models that a run would make."""
    from pytest_citecheck.models import PLANS, write_plans

    plans = config.stash.get(PLANS, [])
    if not plans:
        return ""
    write_plans(plans, reporter)
    return "references in answers that are not requested yet are unknown"
