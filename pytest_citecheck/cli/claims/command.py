"""``citecheck claims`` and what each of its subcommands does with files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.claims.comparison import compare
from pytest_citecheck.claims.files import read_claim_file
from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError
from pytest_citecheck.claims.results import ResultRow, joined, providers_of, read_results
from pytest_citecheck.claims.review import review_csv
from pytest_citecheck.claims.scoring.comparison_table import comparison_csv
from pytest_citecheck.claims.scoring.published import analysis
from pytest_citecheck.claims.scoring.strict import FLAG_ERROR, latency, strict_metrics
from pytest_citecheck.cli.doctor.options import add_settings
from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, complain, say
from pytest_citecheck.reports.markdown.claims import claim_lines
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    """Add ``citecheck claims``."""
    parser = commands.add_parser(
        "claims",
        help="score and compare verdicts on claims; extract, complete and export claims",
    )
    what = parser.add_subparsers(dest="what", required=True)
    score = what.add_parser("score", help="the metrics of each provider in a file of results, as JSON or CSV")
    score.add_argument("results", type=Path, metavar="RESULTS.json")
    score.add_argument(
        "--claims", type=Path, metavar="FILE", help="take the labels from this file, not from the results"
    )
    score.add_argument("--compat", action="store_true", help="the figures of citation-checker-script, bit for bit")
    score.add_argument("--csv", action="store_true", help="the verdicts side by side instead of metrics")
    score.add_argument("--markdown", action="store_true", help="a report for people instead of JSON")
    score.add_argument(
        "--flag-error",
        type=float,
        default=FLAG_ERROR,
        metavar="SHARE",
        help=f"the share of wrong flags that flags.threshold keeps to (default: {FLAG_ERROR:g})",
    )
    score.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to this file")
    score.set_defaults(run=guarded("citecheck claims score", _score))
    two = what.add_parser("compare", help="what became right and wrong from one run to another")
    two.add_argument("control", type=Path, metavar="CONTROL.json")
    two.add_argument("treatment", type=Path, metavar="TREATMENT.json")
    two.add_argument("--claims", type=Path, metavar="FILE", help="take the labels from this file, not from the results")
    two.add_argument(
        "--providers", nargs=2, metavar=("A", "B"), help="compare A of the control with B of the treatment"
    )
    two.add_argument("--floor", type=float, default=5.0, help="points below which a difference is noise (default: 5)")
    two.add_argument(
        "--fail-on-regression", action="store_true", help="exit with 1 if exact accuracy falls by the floor"
    )
    two.set_defaults(run=guarded("citecheck claims compare", _compare))
    export = what.add_parser("export", help="claims as CSV with columns for review; pytest --citecheck reads it back")
    export.add_argument("claims", type=Path, metavar="FILE")
    export.add_argument("output", type=Path, metavar="TABLE.csv")
    export.set_defaults(run=guarded("citecheck claims export", _export))
    _add_fetching(what)


def _add_fetching(commands: Commands) -> None:
    """Add the subcommands that use the network."""
    extract = commands.add_parser(
        "extract", help="the claims of a wiki page at one revision, with the texts that they cite"
    )
    extract.add_argument("address", metavar="URL", help="the page with its revision (…&oldid=…)")
    extract.add_argument("output", type=Path, metavar="CLAIMS.json", help="for pytest --citecheck")
    extract.add_argument("--page", type=Path, metavar="FILE", help="the HTML of the page, instead of fetching it")
    extract.add_argument(
        "--citation", action="append", metavar="N[:K]", help="only citation N, or its K-th occurrence (repeatable)"
    )
    extract.add_argument(
        "--groups", action="store_true", help="citations that share a claim are one pair, with all their sources"
    )
    sources = commands.add_parser(
        "sources", help="fill the sources folder of a manuscript with abstracts, on request with pages"
    )
    sources.add_argument("manuscript", type=Path, metavar="PAPER.tex")
    sources.add_argument(
        "--bib", action="append", type=Path, required=True, metavar="FILE", help="its bibliography (repeatable)"
    )
    sources.add_argument(
        "--sources", type=Path, metavar="DIR", help="the folder (default: sources, beside the manuscript)"
    )
    sources.add_argument("--urls", action="store_true", help="also fetch the pages that entries cite by URL")
    for parser, run in ((extract, _extract), (sources, _sources)):
        parser.add_argument("--cassettes", type=Path, metavar="DIR", help="recordings of what is fetched")
        parser.add_argument(
            "--record", choices=("none", "new", "all"), default="none", help="with --cassettes (default: none)"
        )
        add_settings(parser)
        parser.set_defaults(run=guarded(f"citecheck claims {run.__name__[1:]}", run))


def _extract(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.claims.fetching import extract  # noqa: PLC0415 - heavy for a --help

    return extract(chosen)


def _sources(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.claims.fetching import sources  # noqa: PLC0415

    return sources(chosen)


def _claims(path: Path) -> ClaimFile:
    try:
        return read_claim_file(path, path.name)
    except ClaimFileError as error:
        raise UsageError(str(error)) from error


def _rows(path: Path, claims: Path | None) -> list[ResultRow]:
    """The rows of a file; with claims, their labels, and a line about each copy that differs."""
    try:
        rows = read_results(path.read_text(encoding="utf-8-sig"), path.name)[0]
    except (ClaimFileError, UnicodeDecodeError) as error:
        raise UsageError(str(error)) from error
    if claims is None:
        return rows
    kept, drifts = joined(rows, _claims(claims))
    if not kept:
        raise UsageError(f"no entry of {path.name} has a label in {claims.name}")
    if drifts:
        names = ", ".join(one.entry for one in drifts[:20])
        complain(f"{path.name}: {len(drifts)} labels differ from those of {claims.name}, which count: {names}")
    return kept


def _score(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.results, *([chosen.claims] if chosen.claims else [])])
    rows = _rows(chosen.results, chosen.claims)
    if chosen.csv:
        text = comparison_csv(rows)
    elif chosen.compat:
        text = _json(analysis(rows, ""))
    else:
        found = {
            name: {**strict_metrics(own, flag_error=chosen.flag_error), "latency": latency(own)}
            for name, own in providers_of(rows).items()
        }
        report = {"claims": {"judges": found, "pairs": []}}
        text = "\n".join(claim_lines(report, "en")) if chosen.markdown else _json(found)
    if chosen.output is None:
        _print(text)
    else:
        write_whole(chosen.output, text)
    return 0


def _json(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=2, ensure_ascii=False)


def _print(text: str) -> None:
    for line in text.split("\n"):
        say(line)


def _compare(chosen: argparse.Namespace) -> int:
    providers = tuple(chosen.providers) if chosen.providers else None
    found = compare(
        _rows(chosen.control, chosen.claims),
        _rows(chosen.treatment, chosen.claims),
        providers=providers,
        floor=chosen.floor / 100,
    )
    if not found.cells:
        raise UsageError(
            "the two runs answer no entry in common; name providers that are called differently (--providers)"
        )
    _print(json.dumps(found.summary(), indent=2))
    return 1 if chosen.fail_on_regression and found.is_worse else 0


def _export(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.claims])
    pairs = _claims(chosen.claims).pairs
    write_whole(chosen.output, review_csv(pairs))
    say(f"{chosen.output}: {len(pairs)} claims")
    return 0
