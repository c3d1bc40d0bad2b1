"""The actions that read an index: info, verify, lookup."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from pytest_citecheck.cli.commands import Progress, UsageError, amount, complain, count, say
from pytest_citecheck.cli.index import existing_index, regular_file
from pytest_citecheck.index import (
    FORMAT,
    IDENTIFIERS,
    Collection,
    Coverage,
    LocalIndex,
    Size,
    full_title,
    identifiers,
    read_title,
    title_text,
    venue_id,
)
from pytest_citecheck.inputs import cited_metadata, reader_for
from pytest_citecheck.matching import (
    acl_id,
    acl_volume,
    dblp_key,
    find_isbns,
    lazy_pattern,
    normalise_arxiv,
    normalise_doi,
    openreview_id,
)
from pytest_citecheck.today import age

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_citecheck.index import Scope
    from pytest_citecheck.model import CitedMetadata, Record

_AUTHORS = 8  # named of one work
_ALIKE = 70.0  # the index proposes titles that share a word; users want only plausible ones
_PMID = lazy_pattern(r"(?i)(?:https?://)?(?:pmid:?\s*|pubmed\.ncbi\.nlm\.nih\.gov/|pubmed:)?(\d{1,8})/?")
# "doi: 10.1000/x", and as `_described` writes it: "dblp conf/nips/X17".
_PRINTED = lazy_pattern(r"(?i)^(doi|arxiv|acl|dblp|openreview|pmid)(?::\s+|\s+(?=\S+\Z))")
_ADDRESS = lazy_pattern(r"(?i)https?://\S+")
_ISBN = lazy_pattern(r"(?i)(?:isbn[-: ]*+(?:1[03]:?)?+\s*+)?[\dx][\dx -]{9,16}")


def _info(chosen: argparse.Namespace) -> int:
    path = existing_index(chosen.index)
    with LocalIndex(path) as index:
        state = path.stat()
        written = _aged(datetime.datetime.fromtimestamp(state.st_mtime, datetime.UTC).isoformat())
        say(f"{path}: {count(len(index), 'record')}, {amount(state.st_size)}, format {FORMAT}, written {written}")
        contents = _contents(index) if chosen.contents else {}
        for collection in index.collections():
            say(f"{collection.name}: {count(collection.records, 'record')}")
            for line in (*_about(collection), *contents.get(collection.name, ())):
                say(line)
        _print_scopes(index.scopes())
        for (venue, year), (names, size) in sorted(Coverage(index).nearly.items()):
            say(f"nearly complete for {venue} {year} ({names}): {size}")
        if chosen.contents:
            for venue, year, _, titles, _, works, lacks in index.volumes():
                if works:
                    say(f"{venue} {year}: {count(titles, 'title')}, {Size(works, lacks, False)}")
    return 0


def _aged(date: str) -> str:
    days = age(date)
    since = f"{count(days, 'day')} ago" if days else "today"
    return date if days is None else f"{date[:10]} ({since})"


def _about(collection: Collection) -> Iterator[str]:
    if collection.date:
        yield f"  as of: {_aged(collection.date)}"
    if collection.licence:
        yield f"  licence: {collection.licence}"
    if collection.origin:
        yield f"  from: {collection.origin}"
    if collection.derives_from:
        yield f"  derives from: {collection.derives_from}"
    if not collection.complete:
        yield "  not all of it could be read: not counted for agreement"


def _contents(index: LocalIndex) -> dict[str, list[str]]:
    """Lines about years and identifiers of each collection."""
    years: dict[str, Counter[int]] = {}
    identified: dict[str, Counter[str]] = {}
    progress = Progress()
    for number, record in enumerate(index):
        if record.year is not None:
            years.setdefault(record.source, Counter())[record.year] += 1
        held = identified.setdefault(record.source, Counter())
        held.update({text.partition(":")[0] for text in identifiers(record)})
        if progress.due:
            progress.show(f"{number:,} of {len(index):,} records")
    progress.clear()
    lines: dict[str, list[str]] = {}
    for source, held in identified.items():
        stated = years.get(source, Counter())
        span = f"{min(stated)} to {max(stated)}, in {count(stated.total(), 'record')}" if stated else "none"
        kinds = ", ".join(f"{held[kind]:,} {kind}" for kind in IDENTIFIERS if held[kind]) or "none"
        lines[source] = [f"  years: {span}", f"  identifiers: {kinds}"]
    return lines


def _print_scopes(scopes: Iterable[Scope]) -> None:
    def group(scope: Scope) -> tuple[bool, str, str]:
        names, venue, _, complete, _ = scope
        return not complete, venue, names

    for (incomplete, venue, names), members in groupby(
        sorted(scopes, key=lambda scope: (*group(scope), scope[2] or 0)), group
    ):
        years = _spans([year for _, _, year, _, _ in members if year is not None])
        say(f"{'not complete' if incomplete else 'complete'} for {venue} {years} ({names})")


def _spans(years: list[int]) -> str:
    """``2001, 2003-2005``, for ascending numbers."""
    spans: list[list[int]] = []
    for year in years:
        if spans and year - spans[-1][-1] <= 1:
            spans[-1].append(year)
        else:
            spans.append([year])
    return ", ".join(f"{span[0]}-{span[-1]}" if span[-1] > span[0] else str(span[0]) for span in spans)


def _verify(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.index import verify  # noqa: PLC0415 - needs numpy, the other actions do not

    path = existing_index(chosen.index)
    records = verify(path)
    say(f"{path}: whole, {count(records, 'record')}")
    return 0


def stated_identifiers(text: str) -> list[tuple[str, str]]:
    """The kinds and normal forms of the identifier that ``text`` is, alone or as an address; empty if it is a title."""
    text = _PRINTED.sub(r"\1:", text.strip())
    if match := _PMID.fullmatch(text):
        return [("pmid", match[1])]
    if _ISBN.fullmatch(text):
        return [("isbn", number) for number in find_isbns(re.sub(r"(?i)isbn[-: ]*(?:1[03]:)?", "", text))[0]]
    if re.search(r"\s", text):
        return []
    prefix, _, rest = text.partition(":")
    is_openreview = prefix.lower() == "openreview"
    forms = {
        "doi": normalise_doi(text),
        "arxiv": normalise_arxiv(text)[0],
        "acl": acl_id(rest if prefix.lower() == "acl" else text) or acl_volume(text),
        "dblp": dblp_key(text) or dblp_key(f"dblp:{text}"),
        # Its ids look like words.
        "openreview": openreview_id(rest if is_openreview else text)
        if is_openreview or "openreview.net/" in text
        else "",
    }
    return [(kind, value) for kind, value in forms.items() if value]


def _lookup(chosen: argparse.Namespace) -> int:
    if chosen.limit < 1:
        raise UsageError("--limit is less than 1")
    text = " ".join(chosen.what).strip()
    named = stated_identifiers(text)
    if not named and _ADDRESS.fullmatch(text):
        raise UsageError(f"this address has no identifier to look up: {text}")
    path = existing_index(chosen.index)
    with LocalIndex(path) as index:
        found = list(dict.fromkeys(record for records in index.by_identifiers(named) for record in records))
        # A number may be a title ("1984"), and a title may look like an identifier.
        by_title = not found and (not named or named[0][0] == "pmid" or " " in text)
        if by_title:
            found = [one for one in index.by_title(text, chosen.limit) if _likeness(text, full_title(one)) >= _ALIKE]
    if not found:
        asked = ", ".join(f"{kind} {value}" for kind, value in named) or f"the title '{text}'"
        complain(f"{path}: nothing under {asked}")
        return 1
    if by_title and all(read_title(full_title(one))[1] != read_title(text)[1] for one in found):
        say("No record has this title. The most similar ones:")
    for record in found[: chosen.limit]:
        for line in _described(record):
            say(line)
    if len(found) > chosen.limit:
        say(f"and {count(len(found) - chosen.limit, 'more record')}")
    return 0


def _likeness(text: str, title: str) -> float:
    """Share of the shorter title that is in the other one: 0 to 100."""
    return fuzz.token_set_ratio(title_text(text), title_text(title))


def _described(record: Record) -> Iterator[str]:
    yield full_title(record)
    more = len(record.authors) - _AUTHORS
    cut = "" if record.authors_complete else " and others that the collection does not name"
    names = "; ".join(map(str, record.authors[:_AUTHORS])) + (f" and {more} more" if more > 0 else cut)
    yield f"  {names or 'no authors stated'}"
    place = " ".join(
        filter(None, (record.venue or "no venue stated", record.volume, f"({record.number})" * bool(record.number)))
    )
    pages = f"pages {record.pages}" if record.pages else ""
    yield f"  {', '.join(filter(None, (place, str(record.year or 'no year stated'), pages, record.type)))}"
    stated: dict[str, list[str]] = {}
    for kind, _, value in (text.partition(":") for text in identifiers(record)):
        stated.setdefault(kind, []).append(value)
    named = [f"{kind} {' '.join(values)}" for kind, values in stated.items()]
    if line := ", ".join([*named, record.url] if record.url else named):
        yield f"  {line}"
    for notice in record.notices:
        yield f"  {notice.kind}{f' of {notice.date}' if notice.date else ''}, according to {notice.stated_by}"
    own = " (your own references: no authority)" if Collection(record.source).own else ""
    yield f"  from {record.source}{f': {record.id}' if record.id else ''}{own}"


ACTIONS: Mapping[str, Callable[[argparse.Namespace], int]] = {"info": _info, "verify": _verify, "lookup": _lookup}
"""Actions by name. They raise UsageError and IndexFileError, and print their results."""


def cover(chosen: argparse.Namespace) -> int:
    """Print a line for each reference, and two totals. The exit code is always 0."""
    with LocalIndex(existing_index(chosen.index)) as index:
        coverage = Coverage(index)
        claims = list(_claims(chosen.files))
        held = closed = 0
        for where, cited in claims:
            if not cited.reference.readable:
                say(f"{where}: cannot be read")
                continue
            has = _holds(index, cited)
            why = coverage.why_not(cited.venue, cited.year)
            held += has
            closed += not why
            if why:
                said = f"not covered: {why}"
            else:
                names, reason = coverage.closed[venue_id(cited.venue, cited.year), cited.year]
                said = f"covered ({names}: {reason})"
            say(f"{where}: {'in the index' if has else 'not in the index'}; {said}")
    say(f"{count(len(claims), 'reference')}: {held:,} in the index")
    say(f"{closed:,} cited in venues and years for which it is complete")
    if closed:
        say("There an absence is evidence, but only for works searched for under the cited authors.")
    return 0


def _claims(names: list[str]) -> Iterator[tuple[str, CitedMetadata]]:
    for name in names:
        reader = reader_for(name)
        if reader is None:
            raise UsageError(f"no reader for files like {name}")
        path = Path(name)
        if not path.exists():
            raise UsageError(f"no such file: {name}")
        for reference in reader.read(name, regular_file(path).read_bytes()).references:
            yield f"{name}:{reference.location.line} {reference.key}", cited_metadata(reference)


def _holds(index: LocalIndex, cited: CitedMetadata) -> bool:
    """Return True if the index has a record of one of the identifiers, or of exactly that title."""
    named = cited.identifiers
    pairs = [
        (kind, value)
        for kind in IDENTIFIERS
        for value in (named.isbn if kind == "isbn" else (getattr(named, kind),))
        if value
    ]
    return any(index.by_identifiers(pairs)) or bool(cited.title and index.equal_numbers(cited.title))
