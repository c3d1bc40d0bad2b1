"""``citecheck claims`` and its subcommands."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli.commands import UsageError, complain, say
from pytest_citecheck.cli.doctor import add_settings, transport_settings
from pytest_citecheck.cli.running import guarded, refuse_overwrite
from pytest_citecheck.inputs import cited_metadata, reader_for
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Found, Query, Reference, Unavailable
from pytest_citecheck.models.claims import (
    ABSTRACT,
    DIRECTIONS,
    FLAG_ERROR,
    MANUSCRIPTS,
    PAGE_TEXT,
    WIKI_PAGE,
    Cell,
    ClaimFile,
    ClaimFileError,
    ClaimPair,
    Comparison,
    ResultRow,
    SourceFolder,
    WikiCitation,
    WikiPage,
    abstract_urls,
    analysis,
    compare,
    comparison_csv,
    file_name,
    is_pinned,
    joined,
    latency,
    providers_of,
    read_claim_file,
    read_results,
    read_wiki_page,
    review_csv,
    strict_metrics,
    text_of,
    unusable,
)
from pytest_citecheck.net import CassetteError, Transport
from pytest_citecheck.reports import claim_lines, plain

if TYPE_CHECKING:
    from pytest_citecheck.net import TransportSettings
    from pytest_citecheck.sources import Source

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else


def add_parser(commands: Commands) -> None:
    """Add ``citecheck claims``."""
    parser = commands.add_parser(
        "claims",
        help="score and compare verdicts on claims; extract, complete and export claims",
    )
    what = parser.add_subparsers(dest="what", required=True)
    score = what.add_parser("score", help="metrics of each provider in a results file, as JSON or CSV")
    score.add_argument("results", type=Path, metavar="RESULTS.json")
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
    score.set_defaults(run=guarded("citecheck claims score", _score))
    two = what.add_parser("compare", help="verdicts that changed between two runs")
    two.add_argument("control", type=Path, metavar="CONTROL.json")
    two.add_argument("treatment", type=Path, metavar="TREATMENT.json")
    two.add_argument("--claims", type=Path, metavar="FILE", help="take the labels from this file, not from the results")
    two.add_argument(
        "--providers", nargs=2, metavar=("A", "B"), help="compare A of the control with B of the treatment"
    )
    two.add_argument("--version", default="all", metavar="NAME", help="only claims of this version (with --claims)")
    two.add_argument("--provider", action="append", metavar="NAME", help="only this provider (repeatable)")
    two.add_argument("--direction", choices=DIRECTIONS, help="list only verdicts that changed in this direction")
    two.add_argument("--markdown", action="store_true", help="a report with each changed verdict instead of JSON")
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
        "--sources", type=Path, metavar="DIR", help="folder (default: sources, next to the manuscript)"
    )
    sources.add_argument("--urls", action="store_true", help="also fetch the pages that entries cite by URL")
    for parser, run in ((extract, _extract), (sources, _sources)):
        parser.add_argument("--cassettes", type=Path, metavar="DIR", help="recordings of the fetched pages")
        parser.add_argument(
            "--record", choices=("none", "new", "all"), default="none", help="with --cassettes (default: none)"
        )
        add_settings(parser)
        parser.set_defaults(run=guarded(f"citecheck claims {run.__name__[1:]}", run))


def _extract(chosen: argparse.Namespace) -> int:

    return extract(chosen)


def _sources(chosen: argparse.Namespace) -> int:

    return sources(chosen)


def _claims(path: Path, version: str = "all") -> ClaimFile:
    try:
        return read_claim_file(path, path.name, version=version)
    except ClaimFileError as error:
        raise UsageError(str(error)) from error


def _rows(path: Path, claims: Path | None, version: str = "all") -> list[ResultRow]:
    """The rows of a file; with claims, their labels, and a line about each copy that differs."""
    try:
        rows = read_results(path.read_text(encoding="utf-8-sig"), path.name)[0]
    except (ClaimFileError, UnicodeDecodeError) as error:
        raise UsageError(str(error)) from error
    if claims is None:
        if version != "all":
            raise UsageError("--version needs --claims, because results do not state the version of a claim")
        return rows
    kept, drifts = joined(rows, _claims(claims, version))
    if not kept:
        raise UsageError(f"no entry of {path.name} has a label in {claims.name}")
    if drifts:
        names = ", ".join(one.entry for one in drifts[:20])
        complain(f"{path.name}: {len(drifts)} labels differ from {claims.name}, whose labels are used: {names}")
    return kept


def _score(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.results, *([chosen.claims] if chosen.claims else [])])
    rows = _rows(chosen.results, chosen.claims, chosen.version)
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
    pairs = {pair.id: pair for pair in _claims(chosen.claims, chosen.version).pairs} if chosen.claims else {}
    found = compare(
        _rows(chosen.control, chosen.claims, chosen.version),
        _rows(chosen.treatment, chosen.claims, chosen.version),
        runnable={name for name, pair in pairs.items() if pair.runs} if pairs else None,
        providers=providers,
        floor=chosen.floor / 100,
    )
    if chosen.provider:
        found = replace(found, cells=tuple(cell for cell in found.cells if cell.provider in chosen.provider))
    if not found.cells:
        raise UsageError("the two runs have no entry in common; if provider names differ, pass --providers")
    flips = [cell for cell in found.cells if cell.control != cell.treatment]
    shown = [cell for cell in flips if chosen.direction in (None, cell.direction)]
    names = dict.fromkeys(cell.provider for cell in found.cells)
    single = {
        name: replace(found, cells=tuple(cell for cell in found.cells if cell.provider == name)) for name in names
    }
    if chosen.markdown:
        _print("\n".join(_comparison_lines(single, shown, pairs)))
    else:
        listed = [_flip(cell, pairs.get(cell.entry)) for cell in shown]
        _print(
            _json(
                {**found.summary(), "providers": {name: one.summary() for name, one in single.items()}, "flips": listed}
            )
        )
    return 1 if chosen.fail_on_regression and found.is_worse else 0


def _flip(cell: Cell, pair: ClaimPair | None) -> dict[str, str]:
    """A verdict that changed, with its claim if that is known."""
    said = {"entry": cell.entry, "provider": cell.provider, "direction": cell.direction}
    said |= {"truth": cell.truth, "control": cell.control, "treatment": cell.treatment}
    return said | ({"claim": pair.claim, "cites": pair.cites} if pair is not None else {})


def _comparison_lines(
    single: Mapping[str, Comparison], flips: Iterable[Cell], pairs: Mapping[str, ClaimPair]
) -> Iterator[str]:
    """Markdown: the figures of each provider, and each verdict that changed with its claim and what it cites."""
    yield "| provider | claims | exact | lenient | binary | improved | worse | p |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in single.items():
        deltas = " | ".join("–" if delta is None else f"{delta:+.3f}" for delta in one.deltas().values())
        counts = one.counts()
        changed = f"{counts['improvement']} | {counts['regression']}"
        yield f"| {plain(name)} | {len(one.cells)} | {deltas} | {changed} | {one.p:.3g} |"
    for cell in flips:
        pair = pairs.get(cell.entry)
        yield ""
        changed = f"{cell.control} → {cell.treatment}, labelled {cell.truth}"
        yield f"- {plain(cell.entry)} ({plain(cell.provider)}), {cell.direction}: {changed}"
        if pair is not None:
            yield f"  {plain(pair.claim)} {plain(pair.cites)}".rstrip()


def _export(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.claims])
    pairs = _claims(chosen.claims).pairs
    write_whole(chosen.output, review_csv(pairs))
    say(f"{chosen.output}: {len(pairs)} claims")
    return 0


# ``citecheck claims extract`` and ``citecheck claims sources``: the two commands about claims that use the network.


_CITATION = lazy_pattern(r"(\d{1,4})(?::(\d{1,3}))?\Z")


def _settings(chosen: argparse.Namespace) -> TransportSettings:
    settings = transport_settings(chosen, "citecheck claims", [PAGE_TEXT, WIKI_PAGE])
    if chosen.cassettes is None:
        return settings
    return replace(settings, cassettes=chosen.cassettes.absolute(), record=chosen.record, cache=None)


def _fetched(source: Source, urls: Iterable[str], settings: TransportSettings) -> dict[str, tuple[str, str]]:
    """Text of each URL, or the reason for its absence. Raises UsageError."""
    wanted = {url: Query("url", url) for url in urls if url}
    asked = [question for question in wanted.values() if source.accepts(question)]

    async def ask() -> Mapping[Query, Any]:
        async with Transport(settings) as transport:
            return await transport.ask(source, asked)

    try:
        answers = asyncio.run(ask()) if asked else {}
    except CassetteError as error:
        raise UsageError(str(error)) from error
    found: dict[str, tuple[str, str]] = {}
    for url, question in wanted.items():
        answer = (
            answers[question].answer if question in answers else Unavailable("request", "is not the address of a page")
        )
        if isinstance(answer, Found):
            found[url] = text_of(answer.records[0]), ""
        else:
            found[url] = "", answer.scope if isinstance(answer, Absent) else answer.detail
    return found


def extract(chosen: argparse.Namespace) -> int:
    """Write the claims of a page; the exit code. Raises UsageError and OSError."""
    refuse_overwrite([chosen.output], [chosen.page] if chosen.page else [])
    settings = _settings(chosen)
    if not is_pinned(chosen.address):
        raise UsageError(
            "the address has no revision: use the “Permanent link” of the page (…&oldid=…), so that claims stay the same"
        )
    if chosen.page is not None:
        markup = chosen.page.read_text(encoding="utf-8", errors="replace")
    else:
        markup, problem = _fetched(WIKI_PAGE, [chosen.address], settings)[chosen.address]
        if problem:
            raise UsageError(f"{chosen.address}: {problem}")
    page = read_wiki_page(markup, chosen.address)
    if not page.citations:
        raise UsageError(f"{chosen.address}: there are no citations [N] on this page")
    citations, rows = _chosen(page, chosen.citation or ())
    texts = _fetched(PAGE_TEXT, dict.fromkeys(one.cited.url for one in citations), settings)
    groups = [[one] for one in citations]
    if chosen.groups:
        together: dict[int, list[WikiCitation]] = {}
        for one in citations:
            together.setdefault(one.group, []).append(one)
        groups = list(together.values())
    rows += [_row(group, page, chosen.address, texts) for group in groups]
    metadata = {"article_url": chosen.address, "article_title": page.title}
    write_whole(chosen.output, json.dumps({"metadata": metadata, "rows": rows}, ensure_ascii=False, indent=1) + "\n")
    whole = sum(row["extraction_status"] == "complete" for row in rows)
    say(f"{chosen.output}: {len(rows)} claims, {whole} of them with a source")
    for row in rows:
        if row["extraction_status"] != "complete":
            complain(
                f"{row['id']}: {row['extraction_status']}{': ' if row.get('problem') else ''}{row.get('problem', '')}"
            )
    return 0


def _chosen(page: WikiPage, wanted: Sequence[str]) -> tuple[list[WikiCitation], list[dict[str, Any]]]:
    """The requested citations, and rows for those that the page does not have. Raises UsageError."""
    if not wanted:
        return list(page.citations), []
    found, missing = [], []
    for text in wanted:
        match = _CITATION.match(text)
        if match is None:
            raise UsageError(f"--citation is N or N:K, not {text!r}")
        number, occurrence = int(match[1]), int(match[2] or 1)
        one = page.find(number, occurrence)
        if one is not None:
            found += [each for each in page.citations if each.number == number and (each is one or not match[2])]
            continue
        count = sum(each.number == number for each in page.citations)
        said = f"the page has {count} occurrences of [{number}]" if count else f"the page has no citation [{number}]"
        missing.append(
            {
                "id": f"cite_{number}.{occurrence}",
                "claim_text": "",
                "extraction_status": "claim_extraction_failed",
                "problem": said,
            }
        )
    return list(dict.fromkeys(found)), missing


def _row(
    group: Sequence[WikiCitation], page: WikiPage, address: str, texts: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    first = group[0]
    row: dict[str, Any] = {
        "id": "+".join(f"cite_{one.number}" + (f".{one.occurrence}" if one.occurrences > 1 else "") for one in group),
        "article_url": address,
        "article_title": page.title,
        "citation_number": first.number,
        "occurrence": first.occurrence,
        "total_occurrences": first.occurrences,
        "claim_text": first.claim,
        "claim_container": first.container,
        "extraction_status": "complete",
    }
    if len(group) > 1:
        row["sources"] = [_source(one, texts) for one in group]
        return row
    text, problem = texts.get(first.cited.url, ("", ""))
    status = "complete" if text else "source_fetch_failed" if first.cited.url else "no_source_url"
    row |= {"source_url": first.cited.url, "source_text": text, "extraction_status": status}
    return row | ({"page": first.cited.page} if first.cited.page else {}) | ({"problem": problem} if problem else {})


def _source(one: WikiCitation, texts: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    text, problem = texts.get(one.cited.url, ("", "no URL is cited"))
    return {"source_url": one.cited.url, "text": text, **({"problem": problem} if problem else {})}


def sources(chosen: argparse.Namespace) -> int:
    """Fill the folder of sources; the exit code. Raises UsageError and OSError."""
    if chosen.manuscript.suffix.lower() not in MANUSCRIPTS:
        raise UsageError(f"{chosen.manuscript} is not a manuscript ({', '.join(sorted(MANUSCRIPTS))})")
    folder = chosen.sources or chosen.manuscript.parent / "sources"
    try:
        claims = read_claim_file(chosen.manuscript, chosen.manuscript.name, sources=folder)
    except ClaimFileError as error:
        raise UsageError(str(error)) from error
    folder_of_texts = SourceFolder(folder)
    cited = {key: pair.claim for pair in claims.pairs for key in pair.keys}
    missing = [key for key in cited if not folder_of_texts.text(key)[0]]
    entries = _entries(chosen.bib)
    settings = _settings(chosen)
    pages = {key: entries[key].fields.get("url", "") for key in missing if chosen.urls and key in entries}
    found = _fetched(PAGE_TEXT, pages.values(), settings)
    unfilled = 0
    folder.mkdir(parents=True, exist_ok=True)
    for key in missing:
        entry = entries.get(key)
        text, problem = found.get(pages.get(key, ""), ("", ""))
        ending = ".txt"
        if text and (refused := unusable(text, cited[key])):
            text, problem = "", refused
        if entry is None:
            problem = "no entry with this key"
        elif not text:
            text, said = abstract_of(entry, settings)
            ending, problem = ABSTRACT, "; ".join(filter(None, (problem, said)))
        if text:
            write_whole(folder / f"{file_name(key)}{ending}", text.strip() + "\n")
            say(f"{key}: {folder.name}/{file_name(key)}{ending}")
        else:
            unfilled += 1
            complain(f"{key}: nothing: {problem}")
    say(f"{len(missing) - unfilled} of {len(missing)} missing sources filled")
    return 0


def _entries(paths: Iterable[Path]) -> dict[str, Reference]:
    entries: dict[str, Reference] = {}
    for path in paths:
        reader = reader_for(str(path))
        if reader is None:
            raise UsageError(f"{path}: no reader for this bibliography")
        for reference in reader.read(path.name, path.read_bytes()).references:
            entries.setdefault(reference.key, reference)
    return entries


def abstract_of(entry: Reference, settings: TransportSettings) -> tuple[str, str]:
    """Abstract from the entry or from a service, or the reason for its absence."""
    stated = " ".join(entry.fields.get("abstract", "").split())
    if stated:
        return stated, ""
    cited = cited_metadata(entry).identifiers
    problems = []
    for url in abstract_urls(cited.doi, cited.arxiv, cited.pmid):
        text, problem = _fetched(PAGE_TEXT, [url], settings)[url]
        if text:
            return text, ""
        problems.append(problem)
    return "", "; ".join(dict.fromkeys(problems)) or "the entry has no identifier"
