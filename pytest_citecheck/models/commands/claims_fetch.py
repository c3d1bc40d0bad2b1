"""``citecheck claims extract`` and ``citecheck claims sources``: claims of wiki pages, and the texts of cited works."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli import UsageError, complain, refuse_overwrite, say, transport_settings
from pytest_citecheck.inputs import cited_metadata, reader_for
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Found, Query, Reference, Unavailable
from pytest_citecheck.models.claims import (
    ABSTRACT,
    EUROPE_PMC_IDS,
    MANUSCRIPTS,
    PAGE_TEXT,
    WIKI_PAGE,
    ClaimFileError,
    SourceFolder,
    WikiCitation,
    WikiPage,
    abstract_urls,
    csv_rows,
    europe_pmc_id,
    europe_pmc_search,
    file_name,
    full_text_urls,
    pinned,
    read_claim_file,
    read_wiki_page,
    text_of,
    unusable,
)
from pytest_citecheck.net import CassetteError, Transport

if TYPE_CHECKING:
    from pytest_citecheck.net import TransportSettings
    from pytest_citecheck.sources import Source

_CITATION = lazy_pattern(r"(\d{1,4})(?::(\d{1,3}))?\Z")


def _settings(chosen: argparse.Namespace) -> TransportSettings:
    settings = transport_settings(chosen, "citecheck claims", [PAGE_TEXT, WIKI_PAGE, EUROPE_PMC_IDS])
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
            why = answer.scope if isinstance(answer, Absent) else answer.detail
            found[url] = "", why.removeprefix(f"the answer of {source.label} could not be read: ")
    return found


def extract_claims(chosen: argparse.Namespace) -> int:
    """Write the claims of a page, or of the pages in a table; the exit code. Raises UsageError and OSError."""
    settings = _settings(chosen)
    if chosen.address.lower().endswith(".csv"):
        return _extract_table(Path(chosen.address), chosen, settings)
    refuse_overwrite([chosen.output], [chosen.page] if chosen.page else [])
    page, address = _page(chosen.address, chosen.page, settings)
    if not page.citations:
        raise UsageError(f"{address}: there are no citations [N] on this page")
    citations, rows = _chosen(page, chosen.citation or ())
    texts = _fetched(PAGE_TEXT, dict.fromkeys(citation.cited.url for citation in citations), settings)
    groups: dict[int, list[WikiCitation]] = {}
    for citation in citations:
        groups.setdefault(citation.group if chosen.groups else len(groups), []).append(citation)
    rows += [_row(group, page, address, texts) for group in groups.values()]
    return _write(chosen.output, rows, {"article_url": address, "article_title": page.title})


def _page(address: str, file: Path | None, settings: TransportSettings) -> tuple[WikiPage, str]:
    """A wiki page and the address of the revision. Raises UsageError and OSError."""
    if file is not None:
        markup = file.read_text(encoding="utf-8", errors="replace")
    else:
        markup, problem = _fetched(WIKI_PAGE, [address], settings)[address]
        if problem:
            raise UsageError(f"{address}: {problem}")
    fixed = pinned(address, markup)
    if not fixed:
        raise UsageError(
            "the page states no revision: use its “Permanent link” (…&oldid=…), so that claims stay the same"
        )
    if fixed != address:
        say(f"revision: {fixed}")
    return read_wiki_page(markup, fixed), fixed


def _write(output: Path, rows: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any]) -> int:
    write_whole(output, json.dumps({"metadata": metadata, "rows": rows}, ensure_ascii=False, indent=1) + "\n")
    whole = sum(row["extraction_status"] == "complete" for row in rows)
    say(f"{output}: {len(rows)} claims, {whole} of them with a source")
    for row in rows:
        if row["extraction_status"] != "complete":
            complain(
                f"{row['id']}: {row['extraction_status']}{': ' if row.get('problem') else ''}{row.get('problem', '')}"
            )
    return 0


_TABLE: Mapping[str, tuple[str, ...]] = {
    "url": ("url", "link", "article"),
    "occurrence": ("instance", "occurrence"),
    "number": ("number", "citation"),
    "label": ("ground truth", "ground_truth", "label", "verdict"),
    "version": ("version",),
}


def _columns(header: Sequence[str], where: str) -> dict[str, int]:
    """The place of each column, by a word in its name. Raises UsageError."""
    found: dict[str, int] = {}
    for name, marks in _TABLE.items():
        places = (
            place
            for mark in marks
            for place, cell in enumerate(header)
            if mark in cell.lower() and place not in found.values()
        )
        if (place := next(places, None)) is not None:
            found[name] = place
    missing = [name for name in ("url", "number") if name not in found]
    if missing:
        raise UsageError(f"{where}: no column for the {' and the '.join(missing)}: {', '.join(header)}")
    return found


def _extract_table(path: Path, chosen: argparse.Namespace, settings: TransportSettings) -> int:
    """Write the claims of a table of citations. A row that cannot be found stays, with the reason."""
    refuse_overwrite([chosen.output], [path])
    if chosen.page or chosen.citation or chosen.groups:
        raise UsageError("--page, --citation and --groups are for one page, not for a table")
    try:
        header, *lines = [row for _, row in csv_rows(path.read_bytes().decode("utf-8-sig"), path.name)]
    except (UnicodeDecodeError, ClaimFileError, ValueError) as error:
        raise UsageError(f"{path}: not a table in UTF-8: {error}") from error
    columns = _columns(header, path.name)
    entries = [
        (number, {name: line[place].strip() if place < len(line) else "" for name, place in columns.items()})
        for number, line in enumerate(lines, start=2)
    ]
    pages: dict[str, tuple[WikiPage, str] | str] = {}
    for address in dict.fromkeys(entry["url"] for _, entry in entries):
        try:
            pages[address] = _page(address, None, settings)
        except UsageError as error:
            pages[address] = str(error)
    found = [_table_row(number, entry, pages[entry["url"]]) for number, entry in entries]
    urls = dict.fromkeys(citation.cited.url for _, citation in found if citation is not None)
    texts = _fetched(PAGE_TEXT, urls, settings)
    for row, citation in found:
        page = pages[row["article_url"]]
        if citation is not None and not isinstance(page, str):
            row.update(_row([citation], *page, texts), id=row["id"])
    return _write(chosen.output, [row for row, _ in found], {"table": path.name})


def _table_row(
    number: int, entry: Mapping[str, str], page: tuple[WikiPage, str] | str
) -> tuple[dict[str, Any], WikiCitation | None]:
    """The row of a line of the table, and its citation if the page has it. number: the line."""
    row: dict[str, Any] = {"id": f"row_{number}", "article_url": entry["url"], "claim_text": ""}
    row |= {"ground_truth": entry["label"]} if entry.get("label") else {}
    row |= {"dataset_version": entry["version"]} if entry.get("version") else {}
    if isinstance(page, str):
        return {**row, "extraction_status": "article_fetch_failed", "problem": page}, None
    number_stated = entry["number"].strip("[]")
    match = _CITATION.match(f"{number_stated}:{entry.get('occurrence') or 1}")
    citation = page[0].find(int(match[1]), int(match[2] or 1)) if match else None
    if citation is None:
        problem = f"the page has {page[0].count(int(match[1])) if match else 0} occurrences of [{number_stated}]"
        row |= {"extraction_status": "claim_extraction_failed", "problem": problem}
    return row, citation


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
        citation = page.find(number, occurrence)
        if citation is not None:
            found += [each for each in page.citations if each.number == number and (each is citation or not match[2])]
            continue
        count = page.count(number)
        said = f"the page has {count} occurrences of [{number}]" if count else f"the page has no citation [{number}]"
        row = {"id": f"cite_{number}.{occurrence}", "claim_text": ""}
        missing.append({**row, "extraction_status": "claim_extraction_failed", "problem": said})
    return list(dict.fromkeys(found)), missing


def _name(mark: WikiCitation) -> str:
    return f"cite_{mark.number}" + (f".{mark.occurrence}" if mark.occurrences > 1 else "")


def _row(
    group: Sequence[WikiCitation], page: WikiPage, address: str, texts: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    first = group[0]
    row: dict[str, Any] = {
        "id": "+".join(map(_name, group)),
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
        row["sources"] = [_source(citation, texts) for citation in group]
        return row
    text, problem = texts.get(first.cited.url, ("", ""))
    status = "complete" if text else "source_fetch_failed" if first.cited.url else "no_source_url"
    row |= {"source_url": first.cited.url, "source_text": text, "extraction_status": status}
    return row | ({"page": first.cited.page} if first.cited.page else {}) | ({"problem": problem} if problem else {})


def _source(one: WikiCitation, texts: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    text, problem = texts.get(one.cited.url, ("", "no URL is cited"))
    return {"source_url": one.cited.url, "text": text, **({"problem": problem} if problem else {})}


def fill_sources(chosen: argparse.Namespace) -> int:
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
    folder.mkdir(parents=True, exist_ok=True)
    filled = 0
    for key in missing:
        entry = entries.get(key)
        if entry is None:
            complain(f"{key}: nothing: no entry with this key")
            continue
        text, why, ending = "", "", ".txt"
        if not chosen.abstracts_only:
            text, why = _full_text(entry, cited[key], settings, urls=chosen.urls)
        if not text:
            ending = ABSTRACT
            text, problem = abstract_of(entry, settings)
            why = "; ".join(dict.fromkeys(filter(None, (why, problem))))
        if text:
            write_whole(folder / f"{file_name(key)}{ending}", text.strip() + "\n")
            say(f"{key}: {folder.name}/{file_name(key)}{ending}{f' (no full text: {why})' if why else ''}")
            filled += 1
        else:
            complain(f"{key}: nothing: {why}")
    say(f"{filled} of {len(missing)} missing sources filled")
    return 0


def _full_text(entry: Reference, claim: str, settings: TransportSettings, *, urls: bool) -> tuple[str, str]:
    """The full text from an open archive or, with ``--urls``, from the cited page; else the reason for its absence."""
    cited = cited_metadata(entry).identifiers
    search = "" if cited.arxiv or cited.pmcid else europe_pmc_search(cited.doi, cited.pmid)
    answer = _fetched(EUROPE_PMC_IDS, [search], settings)[search][0] if search else ""
    places = [*full_text_urls(cited, europe_pmc_id(answer)), *([entry.fields.get("url", "")] if urls else [])]
    return _first_text(places, settings, lambda text: unusable(text, claim))


def _first_text(
    urls: Iterable[str], settings: TransportSettings, refused: Callable[[str], str] = lambda _: ""
) -> tuple[str, str]:
    """The first of the texts behind these URLs that is not refused, or why there is none."""
    problems: dict[str, None] = {}
    for url in filter(None, urls):
        text, problem = _fetched(PAGE_TEXT, [url], settings)[url]
        if not (problem := problem or refused(text)):
            return text, ""
        problems[problem] = None
    return "", "; ".join(problems)


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
    text, problem = _first_text(abstract_urls(cited.doi, cited.arxiv, cited.pmid), settings)
    return text, "" if text else problem or "the entry has no identifier"
