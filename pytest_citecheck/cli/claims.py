"""``citecheck claims`` and its subcommands."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli.claims_fetch import extract_claims, fill_sources
from pytest_citecheck.cli.claims_scores import compare_runs, labels_of, score_results
from pytest_citecheck.cli.commands import say
from pytest_citecheck.cli.doctor import add_settings
from pytest_citecheck.cli.running import guarded, refuse_overwrite
from pytest_citecheck.models.claims import DIRECTIONS, FLAG_ERROR, review_csv

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


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
    score.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help=_RESULTS)
    score.add_argument(
        "--claims", type=Path, metavar="FILE", help="take the labels from this file, not from the results"
    )
    score.add_argument("--version", default="all", metavar="NAME", help="only claims of this version (with --claims)")
    score.add_argument("--compat", action="store_true", help="exactly the figures of citation-checker-script")
    score.add_argument("--csv", action="store_true", help="the verdicts side by side instead of metrics")
    score.add_argument("--markdown", action="store_true", help="a text report instead of JSON")
    score.add_argument(
        "--flag-error",
        type=float,
        default=FLAG_ERROR,
        metavar="SHARE",
        help=f"maximum share of wrong flags for flags.threshold (default: {FLAG_ERROR:g})",
    )
    score.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to this file")
    score.set_defaults(run=guarded("citecheck claims score", score_results))
    two = what.add_parser("compare", help="verdicts that changed between two runs")
    two.add_argument("control", type=Path, metavar="CONTROL", help=_RESULTS)
    two.add_argument("treatment", type=Path, metavar="TREATMENT", help="the same of the other run")
    two.add_argument("--claims", type=Path, metavar="FILE", help="take the labels from this file, not from the results")
    two.add_argument(
        "--providers", nargs=2, metavar=("A", "B"), help="compare A of the control with B of the treatment"
    )
    two.add_argument("--version", default="all", metavar="NAME", help="only claims of this version (with --claims)")
    two.add_argument("--provider", action="append", metavar="NAME", help="only this provider (repeatable)")
    two.add_argument("--direction", choices=DIRECTIONS, help="list only verdicts that changed in this direction")
    two.add_argument("--markdown", action="store_true", help="a report with each changed verdict instead of JSON")
    two.add_argument("--html", type=Path, metavar="FILE", help="write the report as an HTML page")
    two.add_argument("--floor", type=float, default=5.0, help="points below which a difference is noise (default: 5)")
    two.add_argument(
        "--fail-on-regression", action="store_true", help="exit with 1 if exact accuracy falls by the floor"
    )
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
    extract.add_argument(
        "address",
        metavar="URL|TABLE.csv",
        help="a page, at its current revision or another one (…&oldid=…); or a table with columns for the article URL, "
        "the citation number, its instance, the ground truth and the dataset version",
    )
    extract.add_argument("output", type=Path, metavar="CLAIMS.json", help="for pytest --citecheck")
    extract.add_argument("--page", type=Path, metavar="FILE", help="the HTML of the page, instead of fetching it")
    extract.add_argument(
        "--citation", action="append", metavar="N[:K]", help="only citation N, or its K-th occurrence (repeatable)"
    )
    extract.add_argument(
        "--groups", action="store_true", help="citations that share a claim are one pair, with all their sources"
    )
    sources = commands.add_parser(
        "sources", help="fill the sources folder of a manuscript with open full texts, or else abstracts"
    )
    sources.add_argument("manuscript", type=Path, metavar="PAPER.tex")
    sources.add_argument(
        "--bib", action="append", type=Path, required=True, metavar="FILE", help="its bibliography (repeatable)"
    )
    sources.add_argument(
        "--sources", type=Path, metavar="DIR", help="folder (default: sources, next to the manuscript)"
    )
    sources.add_argument("--abstracts-only", action="store_true", help="fetch no full texts")
    sources.add_argument("--urls", action="store_true", help="also fetch the pages that entries cite by URL")
    for parser, run in ((extract, extract_claims), (sources, fill_sources)):
        parser.add_argument("--cassettes", type=Path, metavar="DIR", help="recordings of the fetched pages")
        parser.add_argument(
            "--record", choices=("none", "new", "all"), default="none", help="with --cassettes (default: none)"
        )
        add_settings(parser)
        parser.set_defaults(run=guarded(parser.prog, run))


def _export(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.claims])
    pairs = labels_of(chosen.claims).pairs
    write_whole(chosen.output, review_csv(pairs))
    say(f"{chosen.output}: {len(pairs)} claims")
    return 0
