"""CSL-JSON, as Zotero, Mendeley, pandoc and Crossref write it.

Documentation: the CSL-JSON schema 1.0.2 (github.com/citation-style-language/schema), the CSL specification 1.0.2, appendices III
and IV.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET  # for types: `root_of` parses after entities are rejected
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import unescape
from typing import TYPE_CHECKING, Any

from pytest_citecheck.inputs.base import Bibliography, FileReader, LineIndex, decode_bytes, text_of
from pytest_citecheck.inputs.bibtex.reader import readable_value, readable_within_length, written_within_length
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import FOUR_DIGITS, year_text
from pytest_citecheck.inputs.documents import ListReader, Surroundings, UnreadableDocumentError, WholeDocumentReader
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.matching import BLANKS, find_dois, find_isbns, normalise_arxiv, root_of
from pytest_citecheck.model import Location, Reference

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SIGNIFICANT = lazy_pattern(r"(?<!\\)([#$%&_{}\\])")
_BLANKS = lazy_pattern(r"\s+")
_AND = lazy_pattern(r"\band\b", re.IGNORECASE)
_ADDRESSES = frozenset({"url", "doi", "eprint"})


def exchanged(
    key: str,
    kind: str,
    stated: Mapping[str, str],
    location: Location,
    text: str,
    *,
    names: Mapping[str, str] | None = None,
) -> Reference:
    """Return the reference with these plain-text values. names: lists of people in BibTeX's form."""
    raw: dict[str, str] = {}
    fields: dict[str, str] = {}
    defects = []
    for name, value in stated.items():
        plain = _BLANKS.sub(" ", value).strip()
        if not plain:
            continue
        written = plain if name in _ADDRESSES else _SIGNIFICANT.sub(r"\\\1", plain).replace("\\\\", "\\textbackslash{}")
        raw[name], overlong = written_within_length(name, written, location.line, key)
        fields[name], unreadable = readable_within_length(name, plain, location.line, key)
        defects += [defect for defect in (overlong or unreadable,) if defect is not None]
    for name, value in (names or {}).items():
        if value:
            raw[name], overlong = written_within_length(name, value, location.line, key)
            fields[name] = readable_value(name, raw[name])
            defects += [overlong] if overlong is not None else []
    return Reference(key, kind, fields, location, raw=raw, text=text, defects=tuple(defects))


def joined_names(people: Iterable[tuple[str, str, str]]) -> str:
    """Join names (family, given, suffix) in BibTeX's form. A name without a given name is braced if BibTeX could split it."""
    written = []
    for family, given, suffix in people:
        family, given, suffix = map(_bare, (family, given, suffix))
        if not family:
            family, given = given, ""
        if not family:
            continue
        if not given:
            written.append(f"{{{family}}}" if " " in family or "," in family or _AND.search(family) else family)
        else:
            family = f"{{{family}}}" if _AND.search(family) else family
            written.append(", ".join(part for part in (family, suffix, given) if part))
    return " and ".join(written)


def _bare(part: str) -> str:
    return _BLANKS.sub(" ", part.replace("{", "").replace("}", "")).strip(" ,")


def key_of(stated: str, number: int) -> str:
    """Return the key of an entry: its own, or its position in the list."""
    return _BLANKS.sub("_", stated.strip()) or f"ref_{number}"


_TYPES, _PLAIN = names_of("csl", "types"), names_of("csl", "fields")
_HEAD = lazy_pattern(rb'"(?:issued|container-title|citation-key|title|DOI)"\s*:')
_OWN = lazy_pattern(rb'"(?:issued|container-title|date-parts|citation-key|family|literal|DOI|ISBN|type)"\s*:')
_ARXIV = lazy_pattern(r"arxiv(?:\.org/(?:abs|pdf|html)/|:\s*|\s+)([\w./-]{0,40}\d)", re.IGNORECASE)
_TAGS = lazy_pattern(r"</?(?:i|b|sub|sup|sc|span|em|strong)\b[^<>]*>")
_MOST = 200_000


class CslJsonReader(ListReader):
    """Reader for CSL-JSON ``.json`` files; see `read`."""

    suffixes = frozenset((".json", ".csljson"))
    format = "CSL-JSON"
    nothing = "contains no CSL-JSON item"

    def reads(self, head: bytes) -> bool:
        """Detect a list or object with CSL names."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return start[:1] in (b"[", b"{") and _HEAD.search(head) is not None and _OWN.search(head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference per item, located at its first line."""
        text, notes = text_of(data)
        lines = LineIndex(text)
        references = []
        for number, (start, end, item) in enumerate(_items(text), start=1):
            place = Location(path, lines.line(start), lines.line(end))
            references.append(csl_reference(item, place, number, text[start:end]))
            if number >= _MOST:
                break
        return Bibliography(path, tuple(references), notes)


CSL_JSON = CslJsonReader()


def _items(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield each item with its place: in an array, in an object that contains an array, or one per line."""
    decoder = json.JSONDecoder()
    position, length = 0, len(text)
    opened = False
    while position < length:
        found = text.find("{", position)
        if found < 0:
            return
        try:
            value, end = decoder.raw_decode(text, found)
        except (ValueError, RecursionError):
            if opened:
                return
            opened, position = True, found + 1
            continue
        if isinstance(value, dict) and not is_csl_item(value):
            inner = next((one for one in value.values() if isinstance(one, list)), [])
            yield from ((found, end, one) for one in inner if isinstance(one, dict) and is_csl_item(one))
        elif isinstance(value, dict):
            yield found, end, value
        position = end


def is_csl_item(value: Mapping[str, Any]) -> bool:
    """Return True if an object is an item: it has a title or identifier and at least one other field."""
    return len(value) > 1 and any(
        _text(value.get(name)) for name in ("title", "DOI", "URL", "container-title", "title-short")
    )


def csl_reference(item: Mapping[str, Any], location: Location, number: int, text: str = "") -> Reference:
    """Return the reference for an item. Values with types that CSL does not allow count as missing."""
    stated = {ours: _text(item.get(foreign)) for foreign, ours in _PLAIN.items()}
    kind = _TYPES.get(_text(item.get("type")), "misc")
    title, subtitle = _text(item.get("title")), ""
    if isinstance(item.get("subtitle"), list):  # Crossref
        subtitle = _text(item["subtitle"])
    stated["title"] = f"{title}: {subtitle}" if subtitle and subtitle not in title else title
    container = _text(item.get("container-title")) or _text(item.get("event-title"))
    if container:
        if kind == "misc":
            kind = "article"
        stated["journal" if kind in ("article", "online", "dataset", "software") else "booktitle"] = container
    if kind == "phdthesis":
        stated["school"] = stated.pop("publisher")
    elif kind == "techreport":
        stated["institution"] = stated.pop("publisher")
    stated["year"] = _year(item.get("issued"))
    fields = ("number", "archive_location", "URL", "DOI", "note")
    if arxiv := next(filter(None, (_ARXIV.search(_text(item.get(name))) for name in fields)), None):
        stated |= {"eprint": arxiv[1], "archiveprefix": "arXiv"}
    names = {field: _names(item.get(field)) for field in ("author", "editor")}
    key = key_of(_text(item.get("citation-key")) or _text(item.get("id")), number)
    text = text or json.dumps(item, ensure_ascii=False)[:20_000]
    return exchanged(key, kind, stated, location, text, names=names)


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return _TAGS.sub("", str(value)).strip()


def _year(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        if isinstance(first, list) and first:
            last = next((one for one in list(parts or ())[1:2] if isinstance(one, list)), first)
            begin, end = _text(first[0]), _text(last[:1])
            return begin if begin == end else f"{begin}/{'' if end == '0' else end}"
        value = value.get("raw") or value.get("literal") or value.get("year")
    elif isinstance(value, list):  # pandoc's YAML
        return _year(value[0]) if value else ""
    return year_text(_text(value))


def _names(value: Any) -> str:
    people = []
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            people.append((one, "", ""))
        elif isinstance(one, Mapping):
            parts = ("dropping-particle", "non-dropping-particle", "family")
            family = " ".join(filter(None, (_text(one.get(part)) for part in parts)))
            literal = _text(one.get("literal")) or _text(one.get("name"))
            given = _text(one.get("given")) if family else ""
            several = [] if given else _several(family or literal)
            people += several or [(family or literal, given, _text(one.get("suffix")))]
    return joined_names(people)


_PMID = lazy_pattern(r"(?:pmid\s*+(?::\s*+)?|https?://pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,8})/?", re.IGNORECASE)
_PMCID = lazy_pattern(r"(?:pmcid\s*+(?::\s*+)?|https?://\S*/)?(PMC\d{3,9})/?", re.IGNORECASE)
_IDENTIFIERS_ARXIV = lazy_pattern(
    r"(?:arxiv\s*+(?::\s*+)?|https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_DOI = lazy_pattern(r"(?:doi\s*+(?::\s*+)?|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)
_ISBN = lazy_pattern(r"(?:isbn(?:-1[03])?\s*+(?::\s*+)?)?[\d-]{9,17}[\dX]", re.IGNORECASE)
_REMARK = lazy_pattern(rf"{BLANKS}#.*|^#.*")


def identifier_lines(path: str, text: str) -> list[Reference] | None:
    """Return one reference per line, or None if a line contains anything but an identifier.

    Empty lines and ``#`` comments are ignored.
    """
    found: list[Reference] = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = _REMARK.sub("", line).strip().strip(",;")
        if not said:
            continue
        stated = _identifier(said)
        if not stated:
            return None
        place = Location(path, number, number)
        found.append(exchanged(said, "book" if "isbn" in stated else "identifier", stated, place, said))
    return found


def _identifier(said: str) -> dict[str, str]:
    if _IDENTIFIERS_ARXIV.fullmatch(said):
        arxiv, version = normalise_arxiv(said if not said[:1].isdigit() else f"arXiv:{said}")
        return {"eprint": f"{arxiv}v{version}" if version else arxiv, "archiveprefix": "arXiv"} if arxiv else {}
    if _DOI.fullmatch(said):
        dois = list(find_dois(said))
        return {"doi": dois[0]} if len(dois) == 1 else {}
    if match := _PMID.fullmatch(said):
        return {"pmid": match[1]}
    if match := _PMCID.fullmatch(said):
        return {"pmcid": match[1].upper()}
    if _ISBN.fullmatch(said):
        isbns, problem = find_isbns(said)
        return {"isbn": isbns[0]} if len(isbns) == 1 and not problem else {}
    return {}


_RIS_LINE = lazy_pattern(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_NBIB_LINE = lazy_pattern(r"([A-Z]{2,4}) *- (.*)")
_RIS_TYPES = names_of("ris", "types")
_TAGGED_ARXIV = lazy_pattern(r"arxiv\.org/(?:abs|pdf)/([\w./-]*\d)", re.IGNORECASE)
_Tagged = dict[str, list[str]]
_Made = Callable[[_Tagged, Location, int, str], Reference]


class RisReader(FileReader):
    """Reader for ``.ris`` files."""

    suffixes = frozenset((".ris",))
    format = "RIS"

    def reads(self, head: bytes) -> bool:
        """Detect a line with a type."""
        return re.search(rb"(?:\A|\n|\xef\xbb\xbf|\r)TY  ?-", head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference per ``TY`` … ``ER`` block; a new ``TY`` also ends a block."""
        return _read(path, data, _RIS_LINE, "TY", "ER", _from_ris)


class NbibReader(FileReader):
    """Reader for ``.nbib`` files."""

    suffixes = frozenset((".nbib", ".medline"))
    format = "NBIB"

    def reads(self, head: bytes) -> bool:
        """Detect a line with a PubMed number."""
        return re.search(rb"(?:\A|\n|\xef\xbb\xbf|\r)PMID *-", head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference per ``PMID``."""
        return _read(path, data, _NBIB_LINE, "PMID", "", _from_nbib)


RIS, NBIB = RisReader(), NbibReader()


def _read(path: str, data: bytes, pattern: re.Pattern[str], first: str, last: str, made: _Made) -> Bibliography:
    decoded, notes = text_of(data)
    references: list[Reference] = []
    for start, end, tagged, text in _entries(decoded, pattern, first, last):
        references.append(made(tagged, Location(path, start, end), len(references) + 1, text))
        if len(references) >= _MOST:
            break
    return Bibliography(path, tuple(references), notes)


def _entries(text: str, pattern: re.Pattern[str], first: str, last: str) -> Iterator[tuple[int, int, _Tagged, str]]:
    tagged: _Tagged = {}
    begun, latest = 0, ""
    lines = text.split("\n")
    for number, line in enumerate([*lines, ""], start=1):
        match = pattern.fullmatch(line.rstrip()) if number <= len(lines) else None
        tag = match[1] if match else ""
        ends = tagged and (tag == first or (last and tag == last) or number > len(lines))
        if ends:
            stop = number if tag == last and last else number - 1
            yield begun, max(begun, stop), tagged, "\n".join(lines[begun - 1 : stop]).strip()
            tagged, latest = {}, ""
        if tag == first:
            begun = number
        if match and (tag == first or tagged) and tag != last:
            tagged.setdefault(tag, []).append((match[2] or "").strip())
            latest = tag
        elif tagged and latest and line[:1].isspace() and line.strip():
            tagged[latest][-1] = f"{tagged[latest][-1]} {line.strip()}"


def _first(tagged: Mapping[str, list[str]], *tags: str) -> str:
    return next((value for tag in tags for value in tagged.get(tag, ()) if value), "")


def _divided(name: str) -> tuple[str, str, str]:
    family, given, suffix = (part.strip() for part in (*name.split(",", 2), "", "")[:3])
    return family, given, suffix


def _tagged_people(tagged: _Tagged, *tags: str) -> Iterator[tuple[str, str, str]]:
    """Yield the people of these tags, one per line as the format demands, or several that are certainly names."""
    for tag in tags:
        for line in tagged.get(tag, ()):
            for name in filter(None, map(str.strip, unescape(line).split(";"))):
                listed = bibtex_authors(name).split(" and ")
                several = len(listed) > 1 and all(" " in one or one == "others" for one in listed)
                yield from map(_divided, listed if several else [name])


def _several(line: str) -> list[tuple[str, str, str]]:
    """Return the people of one value if it lists several with commas in their names; empty for one person or a group."""
    names = [name.strip() for name in line.split(";") if name.strip()]
    return [_divided(name) for name in names] if len(names) > 1 and all("," in name for name in names) else []


def _doi_in(tagged: _Tagged, *tags: str) -> str:
    """Return the first DOI in these tags, where exporters without a field for DOIs put it."""
    return next((doi for tag in tags for value in tagged.get(tag, ()) for doi in find_dois(value)), "")


def _from_ris(tagged: _Tagged, place: Location, number: int, text: str) -> Reference:
    kind = _RIS_TYPES.get(_first(tagged, "TY"), "misc")
    title = _first(tagged, "TI", "T1", "CT") or (_first(tagged, "BT") if kind == "book" else "")
    containers = (name for tag in ("T2", "JO", "JF", "BT", "JA", "J2", "T3") for name in tagged.get(tag, ()))
    container = next((name for name in containers if name and name != title), "")
    start, end = _first(tagged, "SP"), _first(tagged, "EP")
    pages = start if "-" in start or not end or end == start else f"{start}--{end}"
    standard = _first(tagged, "SN")
    doi, url = _first(tagged, "DO"), _first(tagged, "UR", "L2", "LK")
    doi = doi or _doi_in(tagged, "M3", "L3", "ID", "AN", "UR", "L1", "L2", "LK", "M1")
    stated = {
        "title": title,
        "journal" if kind in ("article", "misc", "online", "dataset") else "booktitle": container,
        "year": year_text(_first(tagged, "PY", "Y1", "DA")),
        "volume": _first(tagged, "VL"),
        "number": _first(tagged, "IS"),
        "pages": pages,
        {"phdthesis": "school", "techreport": "institution"}.get(kind, "publisher"): _first(tagged, "PB"),
        "doi": doi,
        "url": url,
        "issn" if len(standard.replace("-", "")) == 8 else "isbn": standard.partition(" ")[0],
    }
    if arxiv := _TAGGED_ARXIV.search(url):
        stated |= {"eprint": arxiv[1], "archiveprefix": "arXiv"}
    people = {"author": ("AU", "A1"), "editor": ("ED",)}
    names = {role: joined_names(_tagged_people(tagged, *tags)) for role, tags in people.items()}
    return exchanged(key_of(_first(tagged, "ID", "LB"), number), kind, stated, place, text, names=names)


def _from_nbib(tagged: _Tagged, place: Location, number: int, text: str) -> Reference:
    stated_ids = [value for tag in ("LID", "AID") for value in tagged.get(tag, ())]
    doi = next((value.partition(" ")[0] for value in stated_ids if value.endswith("[doi]")), "")
    doi = doi or _doi_in(tagged, "LID", "AID", "SO")
    book = _first(tagged, "BTI")
    stated = {
        "title": (_first(tagged, "TI") or book).rstrip("."),
        "journal": _first(tagged, "JT", "TA"),
        "booktitle": book if _first(tagged, "TI") else "",
        "year": year_text(_first(tagged, "DP", "DEP")),
        "volume": _first(tagged, "VI"),
        "number": _first(tagged, "IP"),
        "pages": _first(tagged, "PG"),
        "doi": doi,
        "pmid": _first(tagged, "PMID"),
        "pmcid": _first(tagged, "PMC"),
    }
    full = [*_tagged_people(tagged, "FAU")]
    parted = [name.strip().rpartition(" ") for line in tagged.get("AU", ()) for name in line.split(";")]
    short = [(family or initials, initials if family else "", "") for family, _, initials in parted]
    groups = [(name, "", "") for name in tagged.get("CN", ())]
    kind = "article" if stated["journal"] else "incollection" if stated["booktitle"] else "book" if book else "misc"
    key = key_of(f"pmid{stated['pmid']}" if stated["pmid"] else "", number)
    return exchanged(key, kind, stated, place, text, names={"author": joined_names([*(full or short), *groups])})


_LARGEST = 50_000_000  # bytes: the text of a 500-page thesis in .docx takes about 10 MB
_MOST_MARKS = 6_000_000  # tags and attributes: 50 MB at Word's density contain 4 million
_DEEPEST = 200
_DECLARED = lazy_pattern(r"<!\s*(?:ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)


def parse_xml(data: bytes) -> ET.Element:
    """Return the root element. Raise ValueError if the data is not XML, declares entities, or is too large or too deep."""
    if len(data) > _LARGEST:
        raise ValueError(f"its XML has more than {_LARGEST // 1_000_000} MB")
    text = decode_bytes(data)[0]
    if _DECLARED.search(text):
        raise ValueError("its XML declares entities, which are not read")
    try:
        return root_of(text, marks=_MOST_MARKS, depth=_DEEPEST)
    except ValueError as error:
        raise ValueError(f"its XML {error}") from error


def local_name(element: ET.Element) -> str:
    """Return the name of an element without its namespace; `""` for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


_ENDNOTE_TYPES = names_of("endnote", "types")
_RECORD = lazy_pattern(r"<record\b")


class EndnoteReader(WholeDocumentReader):
    """Reader for EndNote's ``.xml`` files; see `read_document`."""

    suffixes = frozenset((".xml",))
    format = "EndNote XML"

    def reads(self, head: bytes) -> bool:
        """Detect the root element and a record."""
        return b"<record" in head and b"<contributors" in head

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Return one reference per record, located at its first line. Raise UnreadableDocumentError."""
        try:
            root = parse_xml(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{path}: {error}") from error
        text = decode_bytes(data)[0]
        lines = LineIndex(text)
        places = [lines.line(match.start()) for match in _RECORD.finditer(text)] if len(text) < 20_000_000 else []
        records = [one for one in root.iter() if local_name(one) == "record"]
        if not records:
            raise UnreadableDocumentError(f"{path} contains no EndNote record")
        references = []
        for number, record in enumerate(records, start=1):
            line = places[number - 1] if number <= len(places) else 1
            references.append(_reference(record, Location(path, line, line), number))
        return Bibliography(path, tuple(references))


ENDNOTE = EndnoteReader()


def _reference(record: Element, place: Location, number: int) -> Reference:
    kind_element = _at(record, "ref-type")
    kind = _ENDNOTE_TYPES.get((kind_element.get("name", "") if kind_element is not None else "").lower(), "misc")
    container = _text_at(record, "titles", "secondary-title") or _text_at(record, "periodical", "full-title")
    year = FOUR_DIGITS.search(_text_at(record, "dates", "year"))
    stated = {
        "title": _text_at(record, "titles", "title"),
        "journal" if kind in ("article", "misc", "online") else "booktitle": container,
        "year": year[0] if year else "",
        "volume": _text_at(record, "volume"),
        "number": _text_at(record, "number"),
        "pages": _text_at(record, "pages"),
        {"phdthesis": "school", "techreport": "institution"}.get(kind, "publisher"): _text_at(record, "publisher"),
        "doi": _text_at(record, "electronic-resource-num"),
        "url": _text_at(record, "urls", "related-urls", "url"),
        "isbn" if kind in ("book", "incollection", "inproceedings") else "issn": _text_at(record, "isbn").split(" ")[0],
    }
    names = {
        "author": joined_names(_people(record, "authors")),
        "editor": joined_names(_people(record, "secondary-authors") if kind in ("book", "incollection") else ()),
    }
    key = _text_at(record, "label") or _text_at(record, "rec-number")
    text = " ".join(part for part in ("".join(record.itertext())).split() if part)
    return exchanged(key_of(key, number), kind, stated, place, text[:5000], names=names)


def _at(element: Element, name: str) -> Element | None:
    return next((child for child in element if local_name(child) == name), None)


def _text_at(record: Element, *names: str) -> str:
    element: Element | None = record
    for name in names:
        element = _at(element, name) if element is not None else None
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _people(record: Element, role: str) -> Iterator[tuple[str, str, str]]:
    contributors = _at(record, "contributors")
    group = _at(contributors, role) if contributors is not None else None
    for author in group if group is not None else ():
        yield _divided("".join(author.itertext()))
