"""``citecheck claims score`` and ``citecheck claims compare``: stored verdicts against labels, and two runs side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli import UsageError, complain, refuse_overwrite, say
from pytest_citecheck.confinement import OutsideError, start_folder
from pytest_citecheck.models.claims import (
    Cell,
    ClaimFile,
    ClaimFileError,
    ClaimPair,
    Comparison,
    ResultRow,
    analysis,
    claim_sections,
    compare,
    comparison_csv,
    joined,
    latency,
    providers_of,
    read_claim_file,
    read_results,
    rows_of_cases,
    strict_metrics,
)
from pytest_citecheck.reports import Section, Table, html_blocks, markdown_lines

if TYPE_CHECKING:
    import argparse


def labels_of(path: Path, version: str = "all") -> ClaimFile:
    """The claims of a file. Raises UsageError and OSError."""
    try:
        return read_claim_file(path, path.name, version=version, roots=start_folder())
    except (ClaimFileError, OutsideError) as error:
        raise UsageError(str(error)) from error


def _read(path: Path) -> list[ResultRow]:
    """The verdicts in a results file, a JSON report or JUnit XML."""
    if path.suffix.lower() == ".xml":
        from pytest_citecheck.benchmark import read_suites  # noqa: PLC0415 - needs junitparser

        return rows_of_cases(case for suite in read_suites(path) for case in suite.cases)
    try:
        return read_results(path.read_text(encoding="utf-8-sig"), path.name)[0]
    except (ClaimFileError, UnicodeDecodeError) as error:
        raise UsageError(str(error)) from error


def rows_of_files(
    paths: Sequence[Path], claims: Path | None, version: str = "all", *, whole: bool = False
) -> list[ResultRow]:
    """The verdicts of all files, the first for each claim and provider. Raises UsageError and OSError.

    claims: the labels, of claims that can be judged (whole: of all), with a line about each copied label that differs.
    """
    found: dict[tuple[str, str], ResultRow] = {}
    for path in paths:
        for row in _read(path):
            found.setdefault((row.entry, row.provider), row)
    names = ", ".join(path.name for path in paths)
    if not found:
        raise UsageError(f"{names}: there are no verdicts on claims")
    if claims is None:
        if version != "all":
            raise UsageError("--version needs --claims, because results do not state the version of a claim")
        return list(found.values())
    stated = labels_of(claims, version)
    if not whole:
        stated = replace(stated, pairs=tuple(pair for pair in stated.pairs if pair.runs))
    kept, drifts = joined(list(found.values()), stated)
    if not kept:
        raise UsageError(f"no entry of {names} has a label in {claims.name}")
    if drifts:
        entries = ", ".join(drifts[:20])
        complain(f"{names}: {len(drifts)} labels differ from {claims.name}, whose labels are used: {entries}")
    return kept


def score_results(chosen: argparse.Namespace) -> int:
    """Print or write the scores; the exit code. Raises UsageError and OSError."""
    refuse_overwrite([chosen.output], [*chosen.results, *([chosen.claims] if chosen.claims else [])])
    rows = rows_of_files(chosen.results, chosen.claims, chosen.version, whole=chosen.compat)
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
        text = "\n".join(markdown_lines(claim_sections(report))) if chosen.markdown else _json(found)
    if chosen.output is None:
        _print(text)
    else:
        write_whole(chosen.output, text)
    return 0


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=2, ensure_ascii=False)


def _print(text: str) -> None:
    for line in text.split("\n"):
        say(line)


_FIGURES = ("provider", "claims", "exact", "lenient", "binary", "improved", "worse", "p")
_FLIPS = ("claim", "provider", "direction", "label", "control", "treatment", "text", "source")


def compare_runs(chosen: argparse.Namespace) -> int:
    """Print or write the comparison; the exit code. Raises UsageError and OSError."""
    inputs = [chosen.control, chosen.treatment, *([chosen.claims] if chosen.claims else [])]
    refuse_overwrite([chosen.html], inputs)
    providers = tuple(chosen.providers) if chosen.providers else None
    pairs = {pair.id: pair for pair in labels_of(chosen.claims, chosen.version).pairs} if chosen.claims else {}
    found = compare(
        rows_of_files([chosen.control], chosen.claims, chosen.version),
        rows_of_files([chosen.treatment], chosen.claims, chosen.version),
        providers=providers,
        floor=chosen.floor / 100,
    )
    found = _narrowed(found, providers, chosen.provider)
    flips = [cell for cell in found.cells if cell.control != cell.treatment]
    shown = [cell for cell in flips if chosen.direction in (None, cell.direction)]
    names = dict.fromkeys(cell.provider for cell in found.cells)
    single = {
        name: replace(found, cells=tuple(cell for cell in found.cells if cell.provider == name)) for name in names
    }
    if chosen.html:
        write_whole(chosen.html, _PAGE.format(content=html_blocks([_section(single, shown, pairs)], 1)))
    if chosen.markdown:
        _print("\n".join(markdown_lines([_section(single, shown, pairs)], 1)))
    elif not chosen.html:
        listed = [_flip(cell, pairs.get(cell.entry)) for cell in shown]
        report = {
            **found.summary(),
            "providers": {name: one.summary() for name, one in single.items()},
            "flips": listed,
        }
        _print(_json(report))
    return 1 if chosen.fail_on_regression and found.is_worse else 0


def _narrowed(found: Comparison, providers: tuple[str, ...] | None, chosen: Sequence[str]) -> Comparison:
    """The comparison of the chosen providers, with the name of a pair of them. Raises UsageError if nothing is left."""
    cells = [replace(cell, provider=" → ".join(providers)) if providers else cell for cell in found.cells]
    kept = tuple(cell for cell in cells if not chosen or cell.provider in chosen)
    if not kept:
        raise UsageError("the two runs have no entry in common; if provider names differ, pass --providers")
    return replace(found, cells=kept)


def _flip(cell: Cell, pair: ClaimPair | None) -> dict[str, str]:
    """A verdict that changed, with its claim if that is known."""
    said = {"entry": cell.entry, "provider": cell.provider, "direction": cell.direction}
    said |= {"truth": cell.truth, "control": cell.control, "treatment": cell.treatment}
    return said | ({"claim": pair.claim, "cites": pair.cites} if pair is not None else {})


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Claims compared</title><style>
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 2rem }} table {{ border-collapse: collapse; margin: 0 0 2rem }}
caption {{ font-weight: bold; text-align: left }}
th, td {{ border: 1px solid #888; padding: .2rem .5rem; text-align: left; vertical-align: top }}
</style></head><body>{content}</body></html>
"""


def _section(single: Mapping[str, Comparison], flips: Sequence[Cell], pairs: Mapping[str, ClaimPair]) -> Section:
    """Both accuracies of each provider by each rule with their difference, and the verdicts that changed."""
    rows = []
    for name, one in single.items():
        before, after, counts = one.accuracies("control"), one.accuracies("treatment"), one.counts()
        rates = [f"{before[rule]:.3f} → {after[rule]:.3f} ({after[rule] - before[rule]:+.3f})" for rule in before]
        changed = [str(counts["improvement"]), str(counts["regression"])]
        rows.append([name, str(len(one.cells)), *rates, *changed, f"{one.p:.3g}"])
    changes = []
    for cell in flips:
        pair = pairs.get(cell.entry)
        claim, url = (pair.claim, pair.cites) if pair is not None else ("", "")
        verdicts = [cell.truth, cell.control, cell.treatment]
        changes.append([cell.entry, cell.provider, cell.direction, *verdicts, claim, url])
    tables = [Table("Providers: control → treatment", _FIGURES, rows), Table("Changed verdicts", _FLIPS, changes)]
    return Section("Claims compared", tables)
