"""``citecheck claims`` and its subcommands."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli import add_settings, argument, guarded, refuse_overwrite, say
from pytest_citecheck.models.claims import DIRECTIONS, FLAG_ERROR, review_csv
from pytest_citecheck.models.commands.claims_fetch import extract_claims, fill_sources
from pytest_citecheck.models.commands.claims_scores import compare_runs, labels_of, score_results

if TYPE_CHECKING:
    from pytest_citecheck.cli import Commands


_RESULTS = (
    "verdicts of a run: the report of pytest --citecheck-json=FILE, the JUnit XML of pytest --junitxml=FILE (of all shards), "
    "or a results file of citation-checker-script"
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck claims``."""
    parser = commands.add_parser(
        "claims", help="score and compare verdicts on claims; extract, complete and export claims"
    )
    what = parser.add_subparsers(dest="what", required=True)
    score = what.add_parser("score", help="metrics of each provider in a results file, as JSON or CSV")
    argument(score, "results RESULTS...", _RESULTS, type=Path)
    argument(score, "--claims FILE", "take the labels from this file, not from the results")
    argument(score, "--version NAME", "only claims of this version (with --claims)", default="all")
    argument(score, "--compat", "exactly the figures of citation-checker-script")
    argument(score, "--csv", "the verdicts side by side instead of metrics")
    argument(score, "--markdown", "a text report instead of JSON")
    argument(
        score,
        "--flag-error SHARE",
        f"maximum share of wrong flags for flags.threshold (default: {FLAG_ERROR:g})",
        type=float,
        default=FLAG_ERROR,
    )
    argument(score, "-o --output FILE", "write to this file")
    score.set_defaults(run=guarded("citecheck claims score", score_results))
    two = what.add_parser("compare", help="verdicts that changed between two runs")
    argument(two, "control CONTROL", _RESULTS, type=Path)
    argument(two, "treatment TREATMENT", "the same of the other run", type=Path)
    argument(two, "--claims FILE", "take the labels from this file, not from the results")
    two.add_argument(
        "--providers", nargs=2, metavar=("A", "B"), help="compare A of the control with B of the treatment"
    )
    argument(two, "--version NAME", "only claims of this version (with --claims)", default="all")
    argument(two, "--provider NAME", "only this provider (repeatable)", action="append")
    argument(two, "--direction", "list only verdicts that changed in this direction", choices=DIRECTIONS)
    argument(two, "--markdown", "a report with each changed verdict instead of JSON")
    argument(two, "--html FILE", "write the report as an HTML page")
    argument(two, "--floor", "points below which a difference is noise (default: 5)", type=float, default=5.0)
    argument(two, "--fail-on-regression", "exit with 1 if exact accuracy falls by the floor")
    two.set_defaults(run=guarded("citecheck claims compare", compare_runs))
    export = what.add_parser("export", help="claims as CSV with columns for review; pytest --citecheck reads it back")
    export.add_argument("claims", type=Path, metavar="FILE")
    export.add_argument("output", type=Path, metavar="TABLE.csv")
    export.set_defaults(run=guarded("citecheck claims export", _export))
    _add_fetching(what)


def _add_fetching(commands: Commands) -> None:
    """Add the subcommands that use the network."""
    extract = commands.add_parser(
        "extract", help="the claims of wiki pages at one revision, with the texts that they cite"
    )
    argument(
        extract,
        "address URL|TABLE.csv",
        "a page, at its current revision or another one (…&oldid=…); or a table with columns for the article URL, "
        "the citation number, its instance, the ground truth and the dataset version",
    )
    argument(extract, "output CLAIMS.json", "for pytest --citecheck", type=Path)
    argument(extract, "--page FILE", "the HTML of the page, instead of fetching it")
    argument(extract, "--citation N[:K]", "only citation N, or its K-th occurrence (repeatable)", action="append")
    argument(extract, "--groups", "citations that share a claim are one pair, with all their sources")
    sources = commands.add_parser(
        "sources", help="fill the sources folder of a manuscript with open full texts, or else abstracts"
    )
    sources.add_argument("manuscript", type=Path, metavar="PAPER.tex")
    argument(sources, "--bib FILE", "its bibliography (repeatable)", action="append", required=True)
    argument(sources, "--sources DIR", "folder (default: sources, next to the manuscript)")
    argument(sources, "--abstracts-only", "fetch no full texts")
    argument(sources, "--urls", "also fetch the pages that entries cite by URL")
    for parser, run in ((extract, extract_claims), (sources, fill_sources)):
        argument(parser, "--cassettes DIR", "recordings of the fetched pages")
        argument(parser, "--record", "with --cassettes", "none", choices=("none", "new", "all"))
        add_settings(parser)
        parser.set_defaults(run=guarded(parser.prog, run))


def _export(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.claims])
    pairs = labels_of(chosen.claims).pairs
    write_whole(chosen.output, review_csv(pairs))
    say(f"{chosen.output}: {len(pairs)} claims")
    return 0
