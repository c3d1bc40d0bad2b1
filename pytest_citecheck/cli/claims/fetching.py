"""``citecheck claims extract`` and ``citecheck claims sources``: the two commands about claims that use the network."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.claims.files import MANUSCRIPTS, read_claim_file
from pytest_citecheck.claims.manuscripts.source_folder import ABSTRACT, file_name
from pytest_citecheck.claims.pages.page_text import PAGE_TEXT, WIKI_PAGE, abstract_urls, text_of
from pytest_citecheck.claims.pages.wiki import WikiCitation, WikiPage, is_pinned, read_wiki_page
from pytest_citecheck.claims.pairs import ClaimFileError
from pytest_citecheck.cli.doctor.settings import transport_settings
from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.screen import UsageError, complain, say
from pytest_citecheck.model import Absent, Found, Question, Reference, Unavailable
from pytest_citecheck.readers import reader_for
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.cassettes.cassette_file import CassetteError
from pytest_citecheck.transport.client import Transport
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["extract", "sources"]

_CITATION = lazy_pattern(r"(\d{1,4})(?::(\d{1,3}))?\Z")


def _settings(chosen: argparse.Namespace) -> TransportSettings:
    settings = transport_settings(chosen, "citecheck claims", [PAGE_TEXT, WIKI_PAGE])
    if chosen.cassettes is None:
        return settings
    return replace(settings, cassettes=chosen.cassettes.absolute(), record=chosen.record, cache=None)


def _fetched(source: Source, urls: Iterable[str], settings: TransportSettings) -> dict[str, tuple[str, str]]:
    """The text behind each URL, and why there is none. Raises UsageError."""
    wanted = {url: Question("url", url) for url in urls if url}
    asked = [question for question in wanted.values() if source.accepts(question)]

    async def ask() -> Mapping[Question, Any]:
        async with Transport(settings) as transport:
            return await transport.ask(source, asked)

    try:
        answers = asyncio.run(ask()) if asked else {}
    except CassetteError as error:
        raise UsageError(str(error)) from error
    found: dict[str, tuple[str, str]] = {}
    for url, question in wanted.items():
        answer = answers[question].answer if question in answers else Unavailable("request", "is no address of a page")
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
            "the address names no revision: give that of “Permanent link” (…&oldid=…), so that claims stay the same"
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
    """The citations that were asked for, and rows for those that the page does not have. Raises UsageError."""
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
        raise UsageError(f"{chosen.manuscript} is no manuscript ({', '.join(sorted(MANUSCRIPTS))})")
    folder = chosen.sources or chosen.manuscript.parent / "sources"
    try:
        claims = read_claim_file(chosen.manuscript, chosen.manuscript.name, sources=folder)
    except ClaimFileError as error:
        raise UsageError(str(error)) from error
    missing = dict.fromkeys(pair.cites for pair in claims.pairs if not pair.source)
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
        if entry is None:
            problem = "no entry of this key"
        elif not text:
            text, said = _abstract(entry, settings)
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


def _abstract(entry: Reference, settings: TransportSettings) -> tuple[str, str]:
    """The abstract that the entry states, or a service gives; and why there is none."""
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
