"""Reading and validating a file of facts.

The loader is strict (unknown keys, wrong types, impossible dates), because a typing error here would look like a
wrong answer of a database in every test that uses it.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml

from tests.stand_ins.facts import ARXIV_PREFIX, ArxivRecord, DateParts, DblpRecord, Event, Facts, Name, Notice, Work

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Every scalar stays the string that was written: as a number, the prefix 10.1090 would lose a zero.
_StringLoader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class FactsError(ValueError):
    """The facts file is not as it should be; the message names the file and the item."""


@lru_cache(maxsize=8)
def load_facts(path: Path) -> Facts:
    """Read and validate a facts file, once a process; raises FactsError, naming file and item."""
    try:
        text = path.read_text(encoding="utf-8")
        document = yaml.load(text, Loader=_StringLoader)  # noqa: S506 - makes strings, lists and mappings only
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FactsError(f"{path}: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("works"), list):
        raise FactsError(f"{path}: a mapping with a list of `works` is needed")
    top = _Item(f"{path}", document)
    works = tuple(_work(path, position, item) for position, item in enumerate(document["works"], start=1))
    prefixes = _prefixes(path, top.get("prefixes", dict, {}), works)
    recorded = _moment(top)
    included = [load_facts(path.with_name(name)).works for name in top.texts("include")]
    top.get("works", list, [])
    top.done()
    works = (*works, *(work for more in included for work in more))
    _refuse_duplicates(path, works)
    return Facts(works, prefixes, recorded)


class _Item:
    """A mapping of the file. Its keys are consumed one by one, and its errors include their location."""

    def __init__(self, where: str, values: Any) -> None:
        self.where = where
        if not isinstance(values, dict):
            raise FactsError(f"{where}: a mapping is needed, not {values!r}")
        self._values = dict(values)

    def error(self, text: str) -> FactsError:
        return FactsError(f"{self.where}: {text}")

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        value = self._values.pop(key, None)
        if value is None or value == "":
            return default
        if not isinstance(value, kind):
            raise self.error(f"`{key}` must be a {kind.__name__}, not {value!r}")
        return value

    def text(self, key: str) -> str:
        return str(self.get(key, str, "")).strip()

    def required(self, key: str) -> str:
        value = self.text(key)
        if not value:
            raise self.error(f"`{key}` is missing")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.get(key, object, [])
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in values):
            raise self.error(f"`{key}` must be strings, not {value!r}")
        return tuple(values)

    def date(self, key: str) -> DateParts:
        text = self.text(key)
        if not text:
            return ()
        try:
            if not re.fullmatch(r"\d{4}(-\d\d){0,2}", text):
                raise ValueError
            parts = tuple(map(int, text.split("-")))
            dt.date(*parts, *(1, 1)[len(parts) - 1 :])
        except ValueError:
            raise self.error(f"`{key}` must be YYYY, YYYY-MM or YYYY-MM-DD, not {text!r}") from None
        return parts

    def number(self, key: str, default: int) -> int:
        text = self.text(key)
        if text and not text.isdecimal():
            raise self.error(f"`{key}` must be a number, not {text!r}")
        return int(text) if text else default

    def names(self, key: str) -> tuple[Name, ...]:
        """Return a list of names, also from the short form `Family, Given; Family, Given, Suffix; Name of a Group`."""
        values = self.get(key, object, [])
        if isinstance(values, str):
            return tuple(self._short_name(key, name) for name in values.split(";"))
        if not isinstance(values, list):
            raise self.error(f"`{key}` must be names, not {values!r}")
        return tuple(self._name(key, value) for value in values)

    def _short_name(self, key: str, text: str) -> Name:
        parts = [part.strip() for part in text.split(",")]
        match parts:
            case [literal] if literal:
                return Name(literal=literal)
            case [family, given] if family and given:
                return Name(given, family)
            case [family, given, suffix] if family and given and suffix:
                return Name(given, family, suffix)
        raise self.error(f"`{key}`: {text.strip()!r} is not `Family, Given`, `Family, Given, Suffix` or one name")

    def _name(self, key: str, value: Any) -> Name:
        if isinstance(value, str):
            return Name(literal=value)
        item = _Item(f"{self.where}: {key}", value)
        name = Name(item.text("given"), item.text("family"), item.text("suffix"), item.text("name"))
        item.done()
        if bool(name.literal) == bool(name.family):
            raise item.error(f"either `family` or `name` is needed: {value!r}")
        return name

    def done(self) -> None:
        if self._values:
            raise self.error(f"unknown keys: {', '.join(map(str, self._values))}")


def _work(path: Path, position: int, values: Any) -> Work:
    named = values.get("id") if isinstance(values, dict) else None
    item = _Item(f"{path}: item {position} ({named or 'without id'})", values)
    title, authors, doi = item.required("title"), item.names("authors"), item.text("doi")
    work = Work(
        id=item.required("id"),
        title=title,
        type=item.required("type"),
        subtitle=item.text("subtitle"),
        crossref_title=item.text("crossref_title"),
        authors=authors,
        editors=item.names("editors"),
        container=item.text("container"),
        short_container=item.text("short_container"),
        event=_event(item),
        publisher=item.text("publisher"),
        issued=item.date("issued"),
        print=item.date("print"),
        online=item.date("online"),
        volume=item.text("volume"),
        issue=item.text("issue"),
        pages=item.text("pages"),
        isbn=item.texts("isbn"),
        issn=item.texts("issn"),
        doi=doi,
        agency=item.text("agency"),
        resource_type=item.text("resource_type"),
        pmid=item.text("pmid"),
        pmcid=item.text("pmcid"),
        vernacular=item.text("vernacular"),
        acl=item.text("acl"),
        openreview=item.text("openreview"),
        hal=item.text("hal"),
        nnt=item.text("nnt"),
        rfc=item.text("rfc"),
        w3c=item.text("w3c"),
        package=item.text("package"),
        repository=item.text("repository"),
        summary=item.text("summary"),
        last_year=item.text("last_year"),
        texkey=item.text("texkey"),
        zbl=item.text("zbl"),
        bibcode=item.text("bibcode"),
        published=item.text("published"),
        notices=_notices(item),
        dblp=_dblp_records(item, title, authors, doi),
        arxiv=_arxiv_record(item, title, authors),
    )
    item.done()
    if doi and not re.fullmatch(r"10\.\d{4,9}/\S+", doi):
        raise item.error(f"`doi` is no DOI: {doi!r}")
    if bool(work.doi) != bool(work.agency):
        raise item.error("`doi` and `agency` belong together")
    if work.doi and not work.issued:
        raise item.error("`issued` is missing")
    return work


def _event(item: _Item) -> Event | None:
    values = item.get("event", dict)
    if values is None:
        return None
    event = _Item(f"{item.where}: event", values)
    found = Event(event.text("name"), event.text("acronym"))
    event.done()
    return found


def _notices(item: _Item) -> tuple[Notice, ...]:
    notices = []
    for value in item.get("notices", list, []):
        notice = _Item(f"{item.where}: notices", value)
        notices.append(Notice(notice.required("kind"), notice.date("date"), notice.text("doi")))
        notice.done()
        if notices[-1].kind not in ("retraction", "removal", "concern", "correction"):
            raise notice.error(f"unknown kind of notice: {notices[-1].kind!r}")
    return tuple(notices)


def _dblp_records(item: _Item, title: str, authors: tuple[Name, ...], doi: str) -> tuple[DblpRecord, ...]:
    value = item.get("dblp", object)
    values = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(_dblp_record(item, one, title, authors, doi) for one in values)


def _dblp_record(item: _Item, values: Any, title: str, authors: tuple[Name, ...], doi: str) -> DblpRecord:
    block = _Item(f"{item.where}: dblp", values)
    record_type = block.required("type")
    stated = "doi" in values
    record = DblpRecord(
        key=block.required("key"),
        year=block.required("year"),
        type=record_type,
        title=block.text("title") or title,
        authors=block.texts("authors") or tuple(map(str, authors)),
        venues=block.texts("venue"),
        volume=block.text("volume"),
        number=block.text("number"),
        pages=block.text("pages"),
        publisher=block.text("publisher"),
        # The CoRR record of a published paper never carries the publisher's DOI.
        doi=block.text("doi") if stated or record_type.startswith("Informal") else doi,
        ee=block.text("ee"),
    )
    block.done()
    return record


def _arxiv_record(item: _Item, title: str, authors: tuple[Name, ...]) -> ArxivRecord | None:
    values = item.get("arxiv", dict)
    if values is None:
        return None
    block = _Item(f"{item.where}: arxiv", values)
    published = block.date("published")
    record = ArxivRecord(
        id=block.required("id"),
        version=block.number("version", 1),
        published=published,
        updated=block.date("updated") or published,
        title=block.text("title") or title,
        authors=block.names("authors") or authors,
        category=block.required("category"),
        comment=block.text("comment"),
        journal_ref=block.text("journal_ref"),
        doi=block.text("doi"),
        earlier_titles=block.texts("earlier_titles"),
    )
    block.done()
    if len(record.earlier_titles) >= record.version:
        raise block.error("`earlier_titles` has as many titles as there are versions, or more")
    if not published:
        raise block.error("`published` is missing")
    if not re.fullmatch(r"\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7}", record.id):
        raise block.error(f"`id` is no arXiv identifier without version: {record.id!r}")
    return record


def _refuse_duplicates(path: Path, works: tuple[Work, ...]) -> None:
    seen: dict[str, str] = {}
    for work in works:
        identifiers = [f"id {work.id}"]
        identifiers += [f"DOI {work.doi.lower()}"] if work.doi else []
        identifiers += [f"arXiv id {work.arxiv.id}"] if work.arxiv else []
        identifiers += [f"DBLP key {record.key}" for record in work.dblp]
        identifiers += [
            name for name in (work.rfc and f"RFC {work.rfc}", work.w3c, work.package, work.repository) if name
        ]
        for identifier in identifiers:
            if identifier in seen:
                raise FactsError(f"{path}: item {work.id}: {identifier} stands in {seen[identifier]} too")
            seen[identifier] = work.id


def _prefixes(path: Path, stated: Mapping[str, Any], works: tuple[Work, ...]) -> dict[str, str]:
    prefixes: dict[str, str] = {ARXIV_PREFIX: "DataCite"}
    for prefix, agency in stated.items():
        if not re.fullmatch(r"10\.\d{4,9}", prefix) or not isinstance(agency, str):
            raise FactsError(f"{path}: prefixes: {prefix!r}: {agency!r} is no prefix with its agency")
        prefixes[prefix] = agency
    for work in works:
        prefix = work.doi.partition("/")[0]
        if prefix and prefix not in prefixes:
            raise FactsError(f"{path}: item {work.id}: prefix {prefix} has no agency in `prefixes`")
    return prefixes


def _moment(top: _Item) -> dt.datetime | None:
    text = top.text("recorded")
    if not text:
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise top.error(f"`recorded` must be an ISO 8601 moment, not {text!r}") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
