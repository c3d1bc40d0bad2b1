"""The HTML report: a single file that works offline.

Its Content Security Policy allows only the page's own script and style, by their hashes (W3C, "Content Security Policy
Level 3"). Markup that got in through a title could not do anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pytest_citecheck.absence import PRIOR_OF_MODELS, PRIOR_OF_PAPERS
from pytest_citecheck.reports.html.claims import claims_section
from pytest_citecheck.reports.html.markup import text
from pytest_citecheck.reports.html.payload import payload_json
from pytest_citecheck.reports.html.score_tables import score_sections
from pytest_citecheck.reports.html.selfchecks import selfcheck_section
from pytest_citecheck.reports.html.tables import (
    head,
    notes_list,
    outcome_charts,
    sources_table,
    tiles,
    unread_list,
    wrong_table,
)
from pytest_citecheck.whole_file import write_whole

__all__ = ["html_page", "write_html"]

# Joined into one script in this order; the last part draws the page.
_SCRIPTS = ("elements.js", "details.js", "list.js")


def write_html(result: Mapping[str, Any], path: Path) -> None:
    """Write the HTML report. result: the JSON report as data (docs/json-report.md). Raises OSError."""
    write_whole(path, html_page(result))


def html_page(result: Mapping[str, Any]) -> str:
    """The whole page; the same result always gives the same page."""
    style = _part("page.css")
    script = "\n".join(map(_part, _SCRIPTS))
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    named = [f"policy {result['policy']}"] if result.get("policy", "default") != "default" else []
    named += ["--citecheck-strict"] if result.get("strict") else []
    paths = dict.fromkeys(str(reference.get("path", "")) for reference in result.get("references") or ())
    return Template(_part("page.html")).substitute(
        policy=policy,
        style=style,
        script=script,
        files=text(", ".join(filter(None, paths)) or "no file"),
        version=text(" · ".join([str(result.get("version", "")), *named])),
        head=head(result),
        prior=f"{PRIOR_OF_PAPERS:.2%} of the references in papers are invented, and {PRIOR_OF_MODELS:.0%} in answers of "
        "language models (--citecheck-prior)",
        tiles=tiles(result),
        outcomes=outcome_charts(result),
        scores=score_sections(result),
        claims=claims_section(result) + selfcheck_section(result),
        wrong=wrong_table(result),
        sources=sources_table(result),
        notes=unread_list(result) + notes_list(result),
        payload=payload_json(result),
    )


def _part(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
