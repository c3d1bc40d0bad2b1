r"""Reader for ``.bbl`` files: the output of BibTeX or biber that LaTeX typesets.

BibTeX writes ``\bibitem`` with text; biber writes entries with fields.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from pytest_citecheck.inputs.base import Bibliography, LineIndex, text_of
from pytest_citecheck.inputs.bibtex.reader import reference_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.documents import ListReader
from pytest_citecheck.inputs.plain.citation import identifiers
from pytest_citecheck.inputs.plain.cues import lone_year, read_tail
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.inputs.plain.readings import read_reference_strings
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.matching import BLANKS, decode
from pytest_citecheck.model import Location, Reference

_ITEM = lazy_pattern(r"\\bibitem\s*(?=[\[{])|\\leavevmode\s*(?:\\vadjust pre\{)?\\hypertarget\s*(?=\{ref-)")
"""Start of an item, as written by BibTeX or pandoc (``CSLReferences``)."""
_KEY = lazy_pattern(r"\s*(?:%[^\n]*\n\s*)?\{([^{}]*)\}")
_END = lazy_pattern(r"\\end\s*\{(?:thebibliography|CSLReferences|cslreferences)\}|\\end\s*\{document\}")
_COMMENT = lazy_pattern(r"(?<!\\)%[^\n]*\n?[ \t]*")
_NEWBLOCK = lazy_pattern(r"\\newblock(?![A-Za-z])|\\BibitemShut\s*\{[^{}]*\}|\\BibitemOpen(?![A-Za-z])")
_HREF = lazy_pattern(r"\\href(?:@noop)?\s*\{([^{}]*)\}(?=\s*\{)|\\(?:url|path|nolinkurl|doi|eprint)\s*\{([^{}]*)\}")
_DROPPED = lazy_pattern(
    r"\\(?:hskip|hspace|vspace)\s*\*?\s*(?:\{[^{}]*\}|[\d.]+\s*(?:em|ex|pt|cm|mm)(?:\s*(?:plus|minus)\s*[\d.]+\s*(?:em|ex|pt|fil+))*)"
    r"\s*(?:\\relax(?![A-Za-z]))?|\\(?:natexlab|penalty)\s*(?:\{[^{}]*\}|\d+)|\\(?:BIBentryALTinterwordspacing|BIBentrySTDinterwordspacing"
    r"|BIBforeignlanguage|relax|bibinfo\{NoStop\}|providecommand[^\n]*)(?![A-Za-z])"
)
_ARTICLE = lazy_pattern(r"\\showarticletitle\s*\{")
_LINKED = lazy_pattern(r"\\href(?:@noop)?\s*\{[^{}]*\}\s*\{")
_FIELD = lazy_pattern(r"\\bibinfo\s*\{\s*([A-Za-z]+)\s*\}\s*\{")
_FROM_BIBINFO = names_of("bibinfo", "fields")
_EDITORS = lazy_pattern(r"\\bibfield\s*\{\s*editor\s*\}\s*\{")
_APA = lazy_pattern(
    r"\\(APACrefatitle|APACrefbtitle|APACrefYearMonthDay|APACrefYear|APACjournalVolNumPages|APAChowpublished|APACrefaetitle|doi)\s*\{"
)
_FROM_APACITE, _FROM_SPRINGER = names_of("apacite", "fields"), names_of("springer", "fields")
_SPRINGER = lazy_pattern(
    r"\\(batitle|bctitle|btitle|bjtitle|byear|bvolume|bissue|bfpage|bdoi|bconftitle|binits|bsnm)\s*\{"
)
_YEAR = lazy_pattern(rf"(?<!\d)({YEAR})[a-z]?(?!\d)")
_DATED = lazy_pattern(rf"(?:(?<![\s,.])[\s,.]++)?\(?({YEAR})[a-z]?\)?[.,:\s]*+$")
_LABEL_YEAR = lazy_pattern(rf"\(({YEAR})[a-z]?\)")  # natbib: Vaswani et~al.(2017)
_BRACE, _BRACKET = re.compile(r"\\.|[{}]", re.DOTALL), re.compile(r"\\.|[{}\]]", re.DOTALL)
_TYPE_MARK = lazy_pattern(
    r"\[[A-Z]{1,2}(?:/OL)?\]"
)  # GB/T 7714: the whole string is needed to read "Title[C]//Proceedings"
_FEWEST_WORDS = 3
_LONGEST = 20_000
_AMS_ENTRY = re.compile(r"\\bib\*?\s*+\{(?P<key>[^{}]*+)\}\s*+\{(?P<kind>[A-Za-z.]++)\}\s*+\{")
_AMS_FIELD = re.compile(r"(?<![A-Za-z])([A-Za-z]++)\s*+=\s*+\{")
_FROM_AMS, _AMS_KINDS = names_of("amsrefs", "fields"), names_of("amsrefs", "types")


def read_bibitems(path: str, text: str) -> list[Reference]:
    """Return one reference per item, with its key and line; two if an item contains two. Never raises."""
    lines = LineIndex(text)
    found: list[Reference] = []
    for start, end, key, label, body in _items(text):
        place = Location(path, lines.line(start), lines.line(max(start, end - 1)))
        found += _references(key, label, body[:_LONGEST], place)
    return [*found, *_amsrefs(path, text, lines)]


def _amsrefs(path: str, text: str, lines: LineIndex) -> Iterator[Reference]:
    r"""The entries ``\bib{key}{type}{…}`` of amsrefs (D. Jones, *The amsrefs package*, section 5)."""
    starts = [*_AMS_ENTRY.finditer(text)]
    for match, following in zip_longest(starts, starts[1:]):
        end = match.end() + _LONGEST  # of an entry without its brace, if no other follows
        body = _argument(text, match.end() - 1, min(end, following.start()) if following else end)
        place = Location(path, lines.line(match.start()), lines.line(match.end() + len(body)))
        raw = _ams_fields(body)
        raw = {_FROM_AMS.get(name, name): value for name, value in raw.items()}
        if (year := _YEAR.search(raw.get("year", ""))) is not None:
            raw["year"] = year[1]
        kind = match["kind"].lower()
        kind = "incollection" if "booktitle" in raw and kind != "book" else _AMS_KINDS.get(kind, kind)
        yield reference_of(match["key"].strip(), kind, raw, place, _plain(body))


def _ams_fields(body: str) -> dict[str, str]:
    """Return the fields of an entry. Separately listed people are joined; a nested book provides the book title."""
    fields: dict[str, str] = {}
    position = 0
    while (match := _AMS_FIELD.search(body, position)) is not None:
        name, value = match[1].lower(), _argument(body, match.end() - 1)
        position = match.end() + len(value) + 1
        value = " ".join(_COMMENT.sub("", value).split())
        if name in ("book", "conference"):
            inner = _ams_fields(value)
            fields.setdefault("booktitle", inner.pop("title", "") if inner else value)
            fields |= {key: one for key, one in inner.items() if key not in fields and key not in ("author", "book")}
        elif name in ("author", "editor") and name in fields:
            fields[name] += f" and {value}"
        else:
            fields.setdefault(name, value)
    return {name: value for name, value in fields.items() if value}


def _items(text: str) -> Iterator[tuple[int, int, str, str, str]]:
    starts = list(_ITEM.finditer(text))
    for number, match in enumerate(starts):
        stop = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        closing = _END.search(text, match.end(), stop)
        stop = closing.start() if closing else stop
        position = _after_label(text, match.end(), stop)
        key = _KEY.match(text, position, stop)
        if key is not None:
            body, name = text[key.end() : stop], _COMMENT.sub("", key[1]).strip().removeprefix("ref-")
            yield match.start(), key.end() + len(body.rstrip()), name, text[match.end() : position], body


def _after_label(text: str, position: int, stop: int) -> int:
    """Return the offset after the label in brackets, which may contain braces with brackets in them."""
    if text[position : position + 1] != "[":
        return position
    depth = 0
    for match in _BRACKET.finditer(text, position, stop):
        if match[0] == "]" and depth <= 0:
            return match.end()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return position


def _references(key: str, label: str, body: str, place: Location) -> list[Reference]:
    said = _DROPPED.sub(" ", _COMMENT.sub("", body))
    said = said.replace("\\BibTeX", "BibTeX")
    addresses = " ".join(one for pair in _HREF.findall(said) for one in pair if one)
    blocks = [_plain(part) for part in _NEWBLOCK.split(_HREF.sub(r" \2 ", said))]
    blocks = [part for part in blocks if part]
    whole = " ".join(blocks)
    if not whole:
        return []
    stated = _stated(said) or _blocks(blocks) or _linked(said)
    if stated.get("title"):
        raw = {**identifiers(f"{whole} {addresses}"), **stated}
        dated = _LABEL_YEAR.search(label)
        if dated and "year" not in raw:
            raw["year"] = dated[1]
        kind = raw.pop("type", "misc")
        return [reference_of(key, kind, {name: value for name, value in raw.items() if value}, place, whole)]
    read = read_reference_strings([(f"{whole} {_lone_doi(whole, addresses)}".strip(), place)])
    return [replace(one, key=key if not number else f"{key}+{number}") for number, one in enumerate(read)]


def _lone_doi(whole: str, addresses: str) -> str:
    """Return the DOI or arXiv address of a link, if the text contains none."""
    known, linked = identifiers(whole), identifiers(addresses)
    return f"doi: {linked['doi']}" if "doi" in linked and "doi" not in known else ""


def _plain(text: str) -> str:
    return " ".join(decode(text.replace("\\&", "&").replace("~", " ")).split()).strip(" {}")


def _blocks(blocks: list[str]) -> dict[str, str]:
    """Return the fields of an item in which ``\\newblock`` separates authors, title and the rest."""
    if len(blocks) < 2:
        return {}
    head, title = blocks[0], blocks[1]
    year: dict[str, str] = {}
    dated = _DATED.search(head)
    if dated:
        head, year = head[: dated.start()], {"year": dated[1]}
    authors = bibtex_authors(head.strip().rstrip("."))
    if _YEAR.fullmatch(title.strip(" .()")) and len(blocks) > 2:  # acm: authors, year, title
        year = {"year": title.strip(" .()")[:4]}
        blocks = [blocks[0], *blocks[2:]]
        title = blocks[1]
    if not authors or not re.search(r"[^\W\d_]{2}", title) or _TYPE_MARK.search(title):
        return {}
    rest = " ".join(blocks[2:])
    tail = read_tail(rest) if rest else {}
    found = {**tail, **year}
    if "year" not in found and (lone := lone_year(rest)):
        found["year"] = lone
    return {"author": authors, "title": title.strip().rstrip(".,").strip('“”" '), **found}


def _linked(text: str) -> dict[str, str]:
    """Return the fields of an item whose title is a link (Elsevier's styles)."""
    link = _LINKED.search(text)
    if link is None:
        return {}
    title = _plain(_argument(text, link.end() - 1))
    authors = bibtex_authors(_plain(text[: link.start()]).strip(" .,"))
    if not authors or len(title.split()) < _FEWEST_WORDS or "://" in title:
        return {}
    rest = _plain(text[link.end() + len(_argument(text, link.end() - 1)) + 1 :]).strip(" .,")
    year = lone_year(rest)
    return {"author": authors, "title": title.strip(" .,"), **read_tail(rest), **({"year": year} if year else {})}


def _stated(text: str) -> dict[str, str]:
    """Return the fields marked up with ``\\bibinfo``, apacite's or Springer's commands; empty without a title."""
    for commands, read in _MARKED_UP:
        if any(command in text for command in commands):
            fields = {name: value for name, value in read(text).items() if value}
            kind = "article" if "journal" in fields else "inproceedings" if "booktitle" in fields else "misc"
            return {**fields, "type": kind} if "title" in fields else {}
    return {}


def _from_bibinfo(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    people: list[str] = []
    editors = [
        (match.start(), match.end() + len(_argument(text, match.end() - 1))) for match in _EDITORS.finditer(text)
    ]
    for match in _FIELD.finditer(text):
        if any(start < match.start() < end for start, end in editors):
            continue
        name, value = match[1].lower(), _plain(_argument(text, match.end() - 1))
        if name in ("author", "person"):
            people.append(value)
        elif name in _FROM_BIBINFO:
            fields.setdefault(_FROM_BIBINFO[name], value.strip(" .,"))
    if (marked := _ARTICLE.search(text)) is not None:
        fields["title"] = _plain(_argument(text, marked.end() - 1)).strip(" .,")
    authors = [one for person in people for one in re.split(BLANKS + r"and\s+", person) if one]
    if any("," in one and bibtex_authors(one) == "" for one in authors):
        authors = []
    if year := _YEAR.search(fields.get("year", "")):
        fields["year"] = year[1]
    more = re.search(r"\\bibinfo\s*\{\s*person\s*\}[^{}]*\{[^{}]*\}[^\\]*\bet~?\s*al", text) is not None
    if authors:
        fields["author"] = " and ".join([*authors, *(["others"] if more else [])])
    return fields


def _from_apacite(text: str) -> dict[str, str]:
    """Return the fields from apacite commands; if a title has two spellings, use the one in the entry."""
    fields: dict[str, str] = {}
    for match in _APA.finditer(text):
        name, value = match[1], _plain(_argument(text, match.end() - 1)).strip(" .,")
        if name == "APACjournalVolNumPages":
            place = match.end() - 1
            for part in ("journal", "volume", "number", "pages"):
                written = _argument(text, place)
                fields[part] = _plain(written).strip(" .,")
                place = text.find("{", place + len(written) + 2)
                if place < 0:
                    break
        elif name == "APACrefbtitle" and "title" in fields:
            fields.setdefault("booktitle", value)
        else:
            fields.setdefault(_FROM_APACITE[name], value)
    if (year := _YEAR.search(fields.pop("year", ""))) is not None:
        fields["year"] = year[1]
    people = re.search(
        r"\\begin\{APACrefauthors\}((?:(?!\\begin\{APACrefauthors\}).)*?)\\end\{APACrefauthors\}", text, re.DOTALL
    )
    if people is not None:
        said = people[1]
        for command, sign in _SIGNS_OF_APACITE:
            said = re.sub(rf"\\{command}(?![A-Za-z])\s*", sign, said)
        listed = _plain(re.sub(r"\\BOthers(?:Period)?\s*\{\.?\}", "", said)).replace(", ,", ",").strip(" .,&")
        if authors := bibtex_authors(listed):
            others = "\\BOthers" in said and not authors.endswith(" and others")
            fields["author"] = f"{authors} and others" if others else authors
    return fields


_SIGNS_OF_APACITE = (("BHBI", ".-"), ("BPBI", ". "), ("BCB[LT]", ","), ("BBA", "&"), ("BDBL", ", … "))
"""Commands between the parts of names and between names; the last one comes before the last of many authors."""


def _from_springer(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    people: list[str] = []
    for match in _SPRINGER.finditer(text):
        name, value = match[1], _plain(_argument(text, match.end() - 1))
        if name == "bsnm":
            people.append(value)
        elif name == "binits" and people and "," not in people[-1]:
            people[-1] = f"{people[-1]}, {value}"
        elif name == "btitle":
            fields["booktitle" if "title" in fields else "title"] = value
        elif name in _FROM_SPRINGER:
            fields.setdefault(_FROM_SPRINGER[name], value.strip(" .,"))
    if people:
        fields["author"] = " and ".join([*people, *(["others"] if "\\betal" in text else [])])
    return fields


_MARKED_UP = (
    (("\\begin{APACrefauthors}", "\\APACref"), _from_apacite),
    (("\\bibinfo",), _from_bibinfo),
    (("\\batitle", "\\bctitle", "\\btitle"), _from_springer),
)


def _argument(text: str, start: int, end: int = sys.maxsize) -> str:
    return _group(text, start, end)[0]


_ENTRY = lazy_pattern(r"\\entry\{(?P<key>[^{}]*)\}\{(?P<type>[^{}]*)\}")
_BIBLATEX_END = "\\endentry"
_COMMAND = lazy_pattern(r"\\(?P<command>name|list|field|strng|verb|range)\{(?P<name>\w+)\}")
_NAMES = lazy_pattern(r"(?P<part>family|given|prefix|suffix)=\{")
_SPACING = lazy_pattern(
    r"\\(?:bibinitperiod|bibnamedelim[a-z]|bibinithyphendelim|bibinitdelim|addabbrvspace)(?![A-Za-z])\s*"
)
_RANGE = lazy_pattern(r"\\bibrangedash(?![A-Za-z])\s*")
_INTERNAL = frozenset(("extradate", "labeltitle", "sortinit", "sortinithash", "labelnamesource", "labeltitlesource"))
_MOST_GROUPS = 5000


def is_biblatex(text: str) -> bool:
    """Return True if the file contains ``\\entry``, which biblatex uses."""
    return _ENTRY.search(text) is not None and "\\endentry" in text


def read_entries(path: str, text: str) -> list[Reference]:
    """Return one reference per entry; an entry in several lists is read once."""
    lines = LineIndex(text)
    found: dict[str, Reference] = {}
    starts = [*_ENTRY.finditer(text)]
    for match, following in zip_longest(starts, starts[1:]):
        end = text.find(_BIBLATEX_END, match.end(), following.start() if following else None)
        if end < 0 or match["key"] in found:
            continue
        raw = dict(_fields(text[match.end() : end]))
        place = Location(path, lines.line(match.start()), lines.line(end))
        source = text[match.start() : end + len(_BIBLATEX_END)]
        found[match["key"]] = reference_of(match["key"], match["type"].lower(), raw, place, source)
    return list(found.values())


def _fields(body: str) -> Iterator[tuple[str, str]]:
    position = 0
    more = {name for name in ("author", "editor", "translator") if f"\\true{{more{name}}}" in body}
    while (match := _COMMAND.search(body, position)) is not None:
        command, name = match["command"], match["name"]
        if command == "verb":
            end = body.find("\\endverb", match.end())
            value = body[match.end() : end if end >= 0 else len(body)].strip().removeprefix("\\verb").strip()
            position = end if end >= 0 else len(body)
            if name in ("doi", "url", "eprint"):
                yield name, value
            continue
        groups, position = _groups(body, match.end(), 3 if command == "name" else 2 if command == "list" else 1)
        if not groups:
            continue
        value = groups[-1]
        if command == "name" and name in ("author", "editor", "translator"):
            if people := _people(value, more=name in more):
                yield name, people
        elif command == "list":
            parts = [part for part, _ in _each_group(value)]
            yield name, " and ".join(_clean(part) for part in parts)
        elif command == "field" and name not in _INTERNAL:
            yield name, _clean(value)


def _clean(value: str) -> str:
    value = _RANGE.sub("--", value).replace("\\bibrangessep", ", ").replace("%\n", "")
    return " ".join(_SPACING.sub(" ", value).split())


def _people(value: str, *, more: bool) -> str:
    """Convert the names to BibTeX's form. A name is ``{{options}{parts}}``."""
    names = []
    for outer, _ in _each_group(value):
        groups = [inner for inner, _ in _each_group(outer)]
        parts: dict[str, str] = {}
        body = groups[-1] if groups else ""
        depth = position = 0
        for match in _NAMES.finditer(body):
            depth += body.count("{", position, match.start()) - body.count("}", position, match.start())
            position = match.start()
            if depth:
                continue
            text, _ = _group(body, match.end() - 1)
            parts.setdefault(match["part"], _clean(text))
        family = " ".join(part for part in (parts.get("prefix", ""), parts.get("family", "")) if part)
        if not family:
            continue
        if not parts.get("given"):
            names.append(f"{{{family}}}" if " " in family else family)
        else:
            names.append(", ".join(part for part in (family, parts.get("suffix", ""), parts["given"]) if part))
    return " and ".join([*names, *(["others"] if more and names else [])])


def _groups(text: str, position: int, count: int) -> tuple[list[str], int]:
    """Return the next ``count`` brace groups and the offset after them."""
    found = []
    for _ in range(count):
        while position < len(text) and text[position] in " \n\t%":
            position += 1
        if position >= len(text) or text[position] != "{":
            break
        group, position = _group(text, position)
        found.append(group)
    return found, position


def _each_group(text: str) -> Iterator[tuple[str, int]]:
    position = 0
    for _ in range(_MOST_GROUPS):
        start = text.find("{", position)
        if start < 0:
            return
        group, position = _group(text, start)
        yield group, start


def _group(text: str, start: int, end: int = sys.maxsize) -> tuple[str, int]:
    """Return the text in the braces that open at ``start`` and the offset after them. end: of an unclosed group."""
    depth = 0
    for match in _BRACE.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[start + 1 : match.start()], match.end()
    return text[start + 1 : end], len(text)


class BblReader(ListReader):
    """Reader for ``.bbl`` files; see `read_bbl`."""

    suffixes = frozenset((".bbl",))
    format = "a .bbl file"
    nothing = "contains no \\bibitem and no biblatex \\entry"

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only used in locations."""
        return read_bbl(path, data)


BBL = BblReader()


def read_bbl(path: str, data: bytes) -> Bibliography:
    """Return the references of a ``.bbl`` file or of a document's ``thebibliography`` environments. Never raises."""
    text, notes = text_of(data)
    references: list[Reference] = read_entries(path, text) if is_biblatex(text) else read_bibitems(path, text)
    return Bibliography(path, tuple(references), notes)
