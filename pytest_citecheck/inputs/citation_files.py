"""Readers for files in which software states its references: ``CITATION.cff``, ``codemeta.json``, ``.zenodo.json``, Hayagriva.

Each entry is converted to a CSL item (Citation File Format 1.2.0; CodeMeta 3.0; Zenodo's metadata; Typst's Hayagriva).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from pytest_citecheck.inputs.base import Bibliography, FileReader, LineIndex, identifier_reference, text_of, unreadable
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.exchange import csl_reference
from pytest_citecheck.inputs.plain.readings import read_reference_strings
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.matching import find_dois, normalise_arxiv
from pytest_citecheck.model import Defect, Location, Reference

_LARGEST = 5_000_000
_DEEPEST = 50
_KEY_LINE = lazy_pattern(r"^(preferred-citation|references|doi|identifiers)\s*:", re.MULTILINE)


def loaded_yaml(text: str) -> Any:
    """Load YAML without aliases. Raise ValueError, which shows the line."""
    if len(text) > _LARGEST:
        raise ValueError("it is too large")
    depth = 0
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            depth += isinstance(
                token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken | yaml.BlockMappingStartToken
            )
            depth -= isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken | yaml.BlockEndToken)
            if depth > _DEEPEST:
                raise ValueError("it is nested too deeply")
            if isinstance(token, yaml.AliasToken):  # an anchor may repeat its content endlessly
                raise ValueError(f"line {token.start_mark.line + 1} has an alias, which is not read")
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise ValueError(f"{where}{getattr(error, 'problem', None) or 'it is not YAML'}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _broken(path: str, why: str, notes: tuple[Defect, ...] = ()) -> Bibliography:
    match = re.search(r"line (\d+)", why)
    return replace(unreadable(path, f"{path} cannot be read: {why}", int(match[1]) if match else 1), notes=notes)


class CitationFileReader(FileReader):
    """Reader for ``CITATION.cff``: the identifiers of the software, its preferred citation and its references."""

    suffixes = frozenset((".cff",))
    format = "a citation file (CITATION.cff)"

    def reads(self, head: bytes) -> bool:
        """Accept any text."""
        return b"\0" not in head[:1024]

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference for each work. A malformed file yields a failing one, which shows its line."""
        text, notes = text_of(data)
        try:
            whole = loaded_yaml(text)
        except ValueError as error:
            return _broken(path, str(error), notes)
        if not isinstance(whole, dict):
            return _broken(path, "it has no fields such as `title` and `authors`", notes)
        lines = LineIndex(text)
        starts = {match[1]: lines.line(match.start()) for match in _KEY_LINE.finditer(text)}
        line = starts.get("doi", starts.get("identifiers", 1))
        own = dict.fromkeys(_own_dois(whole))
        references = [identifier_reference("doi", doi, Location(path, line, line)) for doi in own]
        line, section = 1, ""
        for number, (key, entry) in enumerate(_entries(whole), start=1):
            name = key.partition("-")[0] if key.startswith("references-") else key
            line = _line_of(text, lines, entry, line if name == section else starts.get(name, 1))
            section = name
            if not isinstance(entry, dict):
                why = f"`{key}` is not a work with a type, authors and a title"
                fatal = Defect("unreadable-entry", why, line, fatal=True)
                references.append(Reference(key, "", {}, Location(path, line, line), defects=(fatal,)))
                continue
            references.append(replace(csl_reference(_csl(entry), Location(path, line, line), number), key=key))
        return Bibliography(path, tuple(references), notes, nested=True)


CFF = CitationFileReader()


def _entries(whole: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if whole.get("preferred-citation") is not None:
        yield "preferred-citation", whole["preferred-citation"]
    listed = whole.get("references")
    if isinstance(listed, list):
        yield from ((f"references-{number}", one) for number, one in enumerate(listed, start=1))
    elif listed is not None:
        yield "references", listed


def _line_of(text: str, lines: LineIndex, entry: Any, start: int) -> int:
    """Return the line of the title of an entry, from the line of the entry before it on."""
    title = entry.get("title") if isinstance(entry, dict) else None
    bare = str(title).split("\n", 1)[0][:30] if title else ""
    found = text.find(bare, lines.start(start)) if bare else -1
    return lines.line(found) if found >= 0 else start


def _own_dois(whole: Mapping[str, Any]) -> Iterator[str]:
    for value in (whole.get("doi"), *(one.get("value") for one in _objects(whole.get("identifiers")))):
        yield from find_dois(str(value)) if value else ()


_CFF_TYPES, _HAYAGRIVA_TYPES = names_of("cff", "types"), names_of("hayagriva", "types")


def _csl(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a work of the Citation File Format."""
    people = {role: [_person(one) for one in _objects(entry.get(f"{role}s"))] for role in ("author", "editor")}
    pages = "-".join(str(entry[name]) for name in ("start", "end") if entry.get(name))
    conference = entry.get("conference")
    publisher = entry.get("publisher")
    return {
        **people,
        "type": _CFF_TYPES.get(str(entry.get("type", "")), "article"),
        "title": entry.get("title"),
        "container-title": entry.get("journal")
        or entry.get("collection-title")
        or (conference.get("name") if isinstance(conference, dict) else ""),
        "issued": str(entry.get("year") or entry.get("date-published") or entry.get("date-released") or ""),
        "volume": str(entry.get("volume") or ""),
        "issue": str(entry.get("issue") or ""),
        "page": pages or str(entry.get("pages") or ""),
        "DOI": entry.get("doi") or next(_own_dois(entry), ""),
        "ISBN": entry.get("isbn"),
        "URL": entry.get("url"),
        "publisher": publisher.get("name") if isinstance(publisher, dict) else publisher,
        "number": f"arXiv:{arxiv}" if (arxiv := normalise_arxiv(json.dumps(entry, default=str))[0]) else "",
    }


def _person(one: Mapping[str, Any]) -> dict[str, Any]:
    if one.get("name"):
        return {"literal": one["name"]}
    return {
        "family": one.get("family-names"),
        "given": one.get("given-names"),
        "suffix": one.get("name-suffix"),
        "non-dropping-particle": one.get("name-particle"),
    }


_CODEMETA = lazy_pattern(rb'"@context"\s*:[^{}]{0,300}codemeta', re.IGNORECASE)
_ZENODO = lazy_pattern(rb'"(?:related_identifiers|upload_type|creators)"\s*:')
_CITING = frozenset({"cites", "issupplementto", "isdocumentedby", "references", "isdescribedby", "isderivedfrom"})


class SoftwareJsonReader(FileReader):
    """Reader for ``codemeta.json`` and ``.zenodo.json``."""

    suffixes = frozenset((".json",))
    format = "metadata of software (codemeta.json, .zenodo.json)"

    def reads(self, head: bytes) -> bool:
        """Accept only these two."""
        return _CODEMETA.search(head) is not None or (_ZENODO.search(head) is not None and head.lstrip()[:1] == b"{")

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference for each cited work."""
        text, notes = text_of(data)
        try:
            whole = json.loads(text) if len(text) <= _LARGEST else None
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            return _broken(path, f"line {line}: {getattr(error, 'msg', 'it is nested too deeply')}", notes)
        if not isinstance(whole, dict):
            return _broken(path, "it is not an object with fields", notes)
        return Bibliography(path, tuple(_placed(path, text, _in_json(path, whole))), notes, nested=True)


SOFTWARE_JSON = SoftwareJsonReader()


def _placed(path: str, text: str, references: Iterable[Reference]) -> Iterator[Reference]:
    """Yield the references with the lines of their identifiers or titles, which are searched in order."""
    lines, place = LineIndex(text), 0
    for number, one in enumerate(references, start=1):
        said = next((one.fields[name] for name in ("doi", "eprint", "title") if one.fields.get(name)), "")
        found = text.find(said[:40], place) if said else -1
        place = found if found >= 0 else place
        line = lines.line(place) if found >= 0 else 1
        yield replace(one, location=Location(path, line, line), key=one.key or f"ref_{number}")


def _in_json(path: str, whole: Mapping[str, Any]) -> Iterator[Reference]:
    place = Location(path, 1, 1)
    for name in ("referencePublication", "citation"):
        listed = whole.get(name)
        for one in listed if isinstance(listed, list) else [listed]:
            if isinstance(one, str):
                yield from read_reference_strings([(one, place)])
            elif isinstance(one, dict):
                yield replace(csl_reference(_from_schema(one), place, 1), key="")
    for one in _objects(whole.get("related_identifiers")):
        cites = str(one.get("relation", "")).lower() in _CITING
        for doi in find_dois(str(one.get("identifier", ""))) if cites else ():
            yield identifier_reference("doi", doi, place)
    texts = whole.get("references")
    if isinstance(texts, list):
        strings = [(one, place) for one in texts if isinstance(one, str)]
        yield from (replace(one, key="") for one in read_reference_strings(strings) if one.fields)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _from_schema(one: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a work of schema.org."""
    periodical = next(_objects(one.get("isPartOf")), {})
    return {
        "type": "article-journal" if one.get("@type") == "ScholarlyArticle" else "article",
        "title": one.get("name") or one.get("headline"),
        "author": [
            {"family": who.get("familyName"), "given": who.get("givenName"), "literal": who.get("name")}
            for who in _objects(one.get("author"))
        ],
        "issued": str(one.get("datePublished") or ""),
        "container-title": periodical.get("name"),
        "DOI": next(iter(find_dois(f"{one.get('@id', '')} {one.get('identifier', '')} {one.get('sameAs', '')}")), ""),
        "URL": one.get("url"),
    }


_WORK = lazy_pattern(r"^['\"]?([^\s'\"#-][^\n:]*?)['\"]?(?<![ \t])[ \t]*+:", re.MULTILINE)
"""The key of an entry."""


def hayagriva_references(path: str, data: bytes) -> list[Reference]:
    """Return the entries of a Hayagriva file. A malformed file yields a failing reference."""
    text = text_of(data)[0]
    try:
        whole = loaded_yaml(text)
    except ValueError as error:
        return list(_broken(path, str(error)).references)
    references, lines = [], LineIndex(text)
    places = {match[1]: match.start() for match in reversed(list(_WORK.finditer(text)))}
    for number, (key, entry) in enumerate((whole if isinstance(whole, dict) else {}).items(), start=1):
        if isinstance(entry, dict):
            line = lines.line(places.get(str(key), 0))
            item = _from_hayagriva(entry)
            references.append(replace(csl_reference(item, Location(path, line, line), number), key=str(key)))
    return references


def _from_hayagriva(entry: Mapping[str, Any]) -> dict[str, Any]:
    parent = next(_objects(entry.get("parent")), {})
    own = {**parent, **{name: value for name, value in entry.items() if value}}
    numbers = entry.get("serial-number")
    serial = numbers if isinstance(numbers, dict) else {"number": numbers}
    kind = str(entry.get("type", "")).lower()
    if kind == "article" and str(parent.get("type", "")).lower() in ("proceedings", "conference"):
        kind = "paper"
    publisher = own.get("publisher")
    address = entry.get("url")
    doi = serial.get("doi") or next(iter(find_dois(str(address or ""))), "")
    arxiv = serial.get("arxiv") or normalise_arxiv(str(address or ""))[0]
    return {
        "type": "paper-conference" if kind == "paper" else _HAYAGRIVA_TYPES.get(kind, "article"),
        "title": _text_of_value(entry.get("title")),
        "author": list(_people(entry.get("author"))),
        "editor": list(_people(entry.get("editor"))),
        "issued": str(own.get("date") or ""),
        "container-title": _text_of_value(parent.get("title")),
        "volume": str(own.get("volume") or ""),
        "issue": str(own.get("issue") or ""),
        "page": str(entry.get("page-range") or entry.get("page") or ""),
        "publisher": _text_of_value(publisher.get("name") if isinstance(publisher, dict) else publisher),
        "DOI": str(doi or ""),
        "number": f"arXiv:{str(arxiv).removeprefix('arXiv:')}" if arxiv else "",
        "ISBN": str(serial.get("isbn") or ""),
        "URL": _text_of_value(address),
    }


def _text_of_value(value: Any) -> str:
    return str((value.get("value") if isinstance(value, dict) else value) or "")


def _people(value: Any) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            family, _, given = one.partition(",")
            yield {"family": family.strip(), "given": given.strip()} if given else {"literal": one}
        elif isinstance(one, dict):
            yield {
                "family": one.get("name"),
                "given": one.get("given-name"),
                "non-dropping-particle": one.get("prefix"),
            }
