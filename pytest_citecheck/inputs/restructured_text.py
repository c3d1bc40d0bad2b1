"""References in reStructuredText: footnotes, citations, reference sections and roles, in docstrings and in ``.rst`` files.

The text is read line by line, without docutils: directives are never executed and no file is included.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pytest_citecheck.inputs.base import Bibliography, identifier_reference, text_of, with_unique_keys
from pytest_citecheck.inputs.bibtex.reader import read_together
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import Citations, is_references_heading, select_cited
from pytest_citecheck.inputs.documents import Surroundings, TextDocumentReader, UnreadableDocumentError
from pytest_citecheck.inputs.plain.citation import identifiers
from pytest_citecheck.inputs.plain.item_kinds import begins_with_persons
from pytest_citecheck.inputs.plain.readings import read_reference_strings
from pytest_citecheck.inputs.plain.references import split_at_breaks
from pytest_citecheck.matching import find_dois, is_placeholder, normalise_arxiv
from pytest_citecheck.model import Defect, Location, Reference

_UNDERLINE = lazy_pattern(r"\s*([-=~^\"'*+#`.:_])\1{2,}\s*")
_GOOGLE = lazy_pattern(r"(\s*)(?:\*\*)?:?(?:references?|bibliography|literature):?(?:\*\*)?:?\s*", re.IGNORECASE)
_RUBRIC = lazy_pattern(r"(\s*)\.\. rubric::\s*(.*)", re.IGNORECASE)
_FOOTNOTE = lazy_pattern(r"(\s*)\.\. ?\[([^\[\]\s][^\[\]\n]{0,60})\]:?(?:\s+(.*)|\s*)")
_MARKUP = lazy_pattern(r"(\s*)\.\.(?:\s.*|\s*)")
_BRACKETED = lazy_pattern(r"(\s*)\[([\w.+:-]{1,30})\][_:]?\s+(\S.*)")
_NEXT_NUMBER = lazy_pattern(r"(\s*)\(?(\d{1,3})[.)]\s+([A-Z].*)")
_BULLET = lazy_pattern(r"(\s*)()(?:[-*+•]|\(?(?:\d{1,3}|#)[.)])\s+(\S.*)")
_PLACEHOLDER = lazy_pattern(r"\s*(?:%\(\w+\)s|\$?\{\w+\}|>>>.*|\.\.\.)\s*")
_YEAR = lazy_pattern(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_DOCTEST = lazy_pattern(r"\s*>>>")

_ROLE = lazy_pattern(r"(?<![\w`]):?(?P<name>[A-Za-z][\w+.-]{0,30}(?::\w{1,20}){0,4}+):`(?P<content>[^`]{0,3000})`")
_TARGET = lazy_pattern(r"(?s:(?P<text>.*?))(?<!\s)\s*+<(?P<target>[^<>\s](?:[^\s]*[^<>\s])?)>")
_LINK = lazy_pattern(r"`(?P<text>[^`<]{0,2000})(?:<(?P<url>[^`<>]{1,2000})>)?`_{0,2}")
_LITERAL = lazy_pattern(r"``([^`]{0,2000})``")
_FOOTNOTE_REFERENCE = lazy_pattern(r"\[([^\[\]\s]{1,60})\]_(?!\w)")
_KINDS = {"doi": "doi", "arxiv": "eprint", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "isbn": "isbn"}
"""Roles that contain an identifier, with its field."""
_CITING = frozenset({"cite", "footcite", "citep", "citet", "cite-p", "cite-t"})
_ARXIV = lazy_pattern(
    r"(?:\barxiv\s*:\s*|arxiv\.org/(?:abs|pdf)/)((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)(?!\d)",
    re.IGNORECASE,
)
_LONGEST = 5000
_MOST_ENTRIES = 2000


@dataclass(slots=True)
class Entry:
    """One reference of a text: its label (empty without one), lines and place. formal: a footnote or citation of reST."""

    label: str
    line: int
    indent: int
    formal: bool = False
    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def add(self, number: int, text: str) -> None:
        """Add a line."""
        if text.strip():
            self.lines.append(text.strip())
            self.numbers.append(number)

    @property
    def end_line(self) -> int:
        return self.numbers[-1] if self.numbers else self.line


@dataclass(slots=True)
class Text:
    """The entries of a text, and its other lines by number. labels: those that the other lines cite."""

    entries: list[Entry] = field(default_factory=list)
    others: list[tuple[int, str]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


def read_text(lines: Sequence[tuple[int, str]]) -> Text:
    """Divide the numbered lines of a text, without common indentation, into references and other lines."""
    found = Text()
    place = 0
    while place < len(lines):
        number, line = lines[place]
        if (begin := _section(lines, place)) is not None:
            place = _read_section(lines, begin, found)
        elif match := _FOOTNOTE.fullmatch(line):
            place = _read_footnote(lines, place, match, found)
        else:
            found.others.append((number, line))
            place += 1
    found.entries = [entry for entry in found.entries if entry.lines][:_MOST_ENTRIES]
    for number, line in found.others:
        for match in _FOOTNOTE_REFERENCE.finditer(line):
            found.labels.setdefault(match[1], number)
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _section(lines: Sequence[tuple[int, str]], place: int) -> tuple[int, int] | None:
    """Return the first line of the reference section that this line heads, and the indentation at which it ends (-1: none)."""
    line = lines[place][1]
    if not line.strip() or len(line) > 80:
        return None
    following = lines[place + 1][1] if place + 1 < len(lines) else ""
    if _UNDERLINE.fullmatch(following) and is_references_heading(line):
        return place + 2, -1
    if (match := _RUBRIC.fullmatch(line)) and is_references_heading(match[2]):
        return place + 1, -1
    if (match := _GOOGLE.fullmatch(line)) and (":" in line or "**" in line):
        after = next((text for _, text in lines[place + 1 : place + 4] if text.strip()), "")
        if _indent(after) > len(match[1]) or "**" in line:
            return place + 1, len(match[1]) if _indent(after) > len(match[1]) else -1
        if _FOOTNOTE.fullmatch(after) or _BRACKETED.fullmatch(after) or _BULLET.fullmatch(after):
            return place + 1, -1
    return None


def _read_footnote(lines: Sequence[tuple[int, str]], place: int, match: re.Match[str], found: Text) -> int:
    """Read a footnote or citation outside a section: its further lines are indented."""
    entry = Entry(match[2], lines[place][0], len(match[1]), formal=True)
    entry.add(lines[place][0], match[3] or "")
    place += 1
    while place < len(lines) and (not lines[place][1].strip() or _indent(lines[place][1]) > entry.indent):
        entry.add(*lines[place])
        place += 1
    found.entries.append(entry)
    return place


def _read_section(lines: Sequence[tuple[int, str]], begin: tuple[int, int], found: Text) -> int:
    """Read the entries of a section; return its end."""
    place, least = begin
    current: Entry | None = None
    paragraph: list[tuple[int, str]] = []
    blank = True
    first = place
    while place < len(lines):
        number, line = lines[place]
        if not line.strip():
            blank = True
            place += 1
            continue
        indent = _indent(line)
        if indent <= least or _ends_section(lines, place, first):
            break
        if _PLACEHOLDER.fullmatch(line):
            current = None
            found.entries += _paragraph(paragraph)
            place += 1
            continue
        if (listed := _begins_entry(line, current, blank=blank or place == first)) is not None:
            found.entries += _paragraph(paragraph)
            current = Entry(listed[2] or "", number, len(listed[1]), _FOOTNOTE.fullmatch(line) is not None)
            current.add(number, listed[3] or "")
            found.entries.append(current)
        elif _MARKUP.fullmatch(line):  # a directive, a comment or a link target
            found.entries += _paragraph(paragraph)
            current = None
            end = place + 1
            while end < len(lines) and (not lines[end][1].strip() or _indent(lines[end][1]) > indent):
                end += 1
            found.others += lines[place:end]
            place = end - 1
        elif current is not None and (not blank or indent > current.indent):
            current.add(number, line)
        else:
            current = None
            if blank and not (paragraph and indent > _indent(paragraph[0][1])):
                found.entries += _paragraph(paragraph)
            paragraph.append((number, line))
        blank = False
        place += 1
    found.entries += _paragraph(paragraph)
    return place


def _ends_section(lines: Sequence[tuple[int, str]], place: int, first: int) -> bool:
    """Return True for the heading of another section and for a doctest."""
    line, following = lines[place][1], lines[place + 1][1] if place + 1 < len(lines) else ""
    heading = _UNDERLINE.fullmatch(following) is not None and place + 1 > first
    return heading or _RUBRIC.fullmatch(line) is not None or _DOCTEST.match(line) is not None


def _begins_entry(line: str, current: Entry | None, *, blank: bool) -> re.Match[str] | None:
    match = _FOOTNOTE.fullmatch(line) or _BRACKETED.fullmatch(line) or _next_number(line, current)
    return match or _bullet(line, current, blank=blank)


def _next_number(line: str, current: Entry | None) -> re.Match[str] | None:
    """Return the match of ``(3) …`` after the reference with the label 2, however far it is indented."""
    match = _NEXT_NUMBER.fullmatch(line)
    before = int(current.label) if current is not None and current.label.isdecimal() else -1
    return match if match is not None and int(match[2]) == before + 1 else None


def _bullet(line: str, current: Entry | None, *, blank: bool) -> re.Match[str] | None:
    """Return the match of a list item, unless the line continues a reference: ``two-part - a title``."""
    match = _BULLET.fullmatch(line)
    if match is None or (current is not None and (current.formal or len(match[1]) > current.indent) and not blank):
        return None
    return match if blank or (current is not None and not current.label) else None


def _paragraph(paragraph: list[tuple[int, str]]) -> list[Entry]:
    """Return the references of a paragraph, which is emptied: one per line that is not indented, if others are."""
    if not paragraph:
        return []
    base = _indent(paragraph[0][1])
    hanging = any(_indent(line) > base for _, line in paragraph[1:])
    alone = split_at_breaks("\n".join(line for _, line in paragraph))
    each = not hanging and len(alone) == len(paragraph)
    entries: list[Entry] = []
    complete = False  # the reference has its year and ends with a full stop
    for number, line in paragraph:
        dated = _YEAR.search(line) is not None
        anew = complete and entries[-1].lines[-1].endswith(".") and dated and begins_with_persons(line.strip())
        if not entries or each or (hanging and _indent(line) <= base) or anew:
            entries.append(Entry("", number, base))
            complete = False
        entries[-1].add(number, line)
        complete |= dated
    paragraph.clear()
    return entries


def plain(text: str) -> tuple[str, dict[str, str]]:
    """Return the text without markup and addresses, and the identifiers of its roles and addresses as fields."""
    stated: dict[str, str] = {}

    def role(match: re.Match[str]) -> str:
        name, content = match["name"].lower(), " ".join(match["content"].split())
        kind = _KINDS.get(name)
        if kind is None:
            return " " if name.partition(":")[0] in _CITING else content
        target = _TARGET.fullmatch(content) if any(sign.isspace() for sign in content) else None
        identifier = _without_resolver((target["target"] if target else content).strip())
        if kind not in stated and " " not in identifier:
            stated[kind] = f"10/{identifier}" if kind == "doi" and _SHORT_DOI.fullmatch(identifier) else identifier
        return f"{target['text']}{_CUT}" if target else _CUT

    def link(match: re.Match[str]) -> str:
        return f"{match['text'].rstrip()} {match['url'] or ''} "

    text = _LINK.sub(link, _LITERAL.sub(r"\1", _ROLE.sub(role, text))).replace("\\ ", "")
    stated = identifiers(" ".join(text.split())) | stated
    if "eprint" in stated:
        stated["archiveprefix"] = "arXiv"
    said = _GAPS.sub(lambda gap: gap[1] or " ", _ADDRESS.sub(_CUT, _EVEN_QUOTES.sub(r"“\1”", text)))
    return _SEE.sub("", _EMPTY.sub("", said).strip()).rstrip(",;").rstrip(), stated


_CUT = " \ue000 "
_SHORT_DOI = lazy_pattern(r"[a-z0-9]{4,8}")
_SEE = lazy_pattern(r"\A(?:see|cf\.)(?:\s+also)?:?\s+(?=[\"“A-Z])", re.IGNORECASE)
_EMPTY = lazy_pattern(r"\(\s*+(?:\)|$)")
_EVEN_QUOTES = lazy_pattern(r"”([^“”]{5,300})”")
_ADDRESS = lazy_pattern(
    r"(?:\b(?:URL|PDF|Available(?: at| from)?|arXiv|DOI)\s*+:?\s*+)?<?(?:https?|ftp)://[^\s<>\"“”]+>?", re.IGNORECASE
)
_GAPS = lazy_pattern(r"(?<!\s)\s*+\ue000[\s\ue000]*+([.,;:)]?)")
"""The place of a removed identifier or address, with the mark after it."""


def _without_resolver(text: str) -> str:
    return re.sub(r"^(?:https?://)?(?:dx\.)?doi\.org/|^(?:doi|arxiv):\s*", "", text, flags=re.IGNORECASE)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Reference, ...]:
    said, stated = plain(text)
    place = Location("", 1, 1)
    read = read_reference_strings([(said, place)]) if said else [Reference("", "misc", {}, place)]
    if len(read) > 1:
        return tuple(read)
    return tuple(_with(one, stated, text) for one in read)


def _with(reference: Reference, stated: dict[str, str], text: str) -> Reference:
    fields = {**reference.fields, **{name: value for name, value in stated.items() if name != "url"}}
    if "url" in stated:
        fields.setdefault("url", stated["url"])
    kind = "article" if reference.type == "misc" and "eprint" in fields else reference.type
    if not {"title", "author", "year"} <= fields.keys():  # the forms of docstrings are short: no field is demanded
        kind = "misc" if "title" in fields else "identifier"
    raw = {**reference.raw, **{name: value for name, value in fields.items() if name not in reference.raw}}
    return replace(reference, type=kind, fields=fields, raw=raw, text=reference.text or " ".join(text.split()))


def placed_references(path: str, text: Text, prefix: str = "", columns: Sequence[str] = ()) -> list[Reference]:
    """Return the references of a text with their labels as keys. prefix: before each key. columns: lines of the file."""
    found: list[Reference] = []
    stated: set[str] = set()
    unnamed = 0
    for entry in text.entries:
        if not entry.label:
            unnamed += 1
        label = (entry.label or f"ref_{unnamed}").lstrip("#") or f"ref_{len(found) + 1}"
        place = _place(path, entry.line, entry.end_line, columns)
        for number, one in enumerate(_read("\n".join(entry.lines)[:_LONGEST])):
            if not one.fields:
                continue
            key = f"{prefix}{label}" if not number else f"{prefix}{label}+{number}"
            found.append(replace(one, key=key, location=place))
            stated |= {value.lower() for name, value in one.fields.items() if name in ("doi", "eprint", "pmid")}
    found += _mentioned(path, text, prefix, stated, columns)
    return found


def _place(path: str, line: int, end: int, columns: Sequence[str], text: str = "") -> Location:
    source = columns[line - 1] if 0 < line <= len(columns) else ""
    at = source.find(text) if text else -1
    return Location(path, line, end, column=(at if at >= 0 else _indent(source)) + 1 if source else 0)


def _mentioned(path: str, text: Text, prefix: str, stated: set[str], columns: Sequence[str]) -> Iterator[Reference]:
    """Yield the identifiers outside entries."""
    for number, line in text.others:
        for kind, identifier in referring(line):
            if identifier.lower() not in stated:
                stated.add(identifier.lower())
                place = _place(path, number, number, columns, identifier)
                yield replace(identifier_reference(kind, identifier, place), key=f"{prefix}{identifier}")


def referring(line: str) -> Iterator[tuple[str, str]]:
    """Yield the identifiers in a line of text: field and value."""
    if "10." not in line and "arxiv" not in line.lower() and "pmid" not in line.lower():
        return
    roles: list[tuple[str, str]] = []

    def role(match: re.Match[str]) -> str:
        kind = _KINDS.get(match["name"].lower())
        if kind in ("doi", "eprint", "pmid"):
            roles.extend((kind, value) for name, value in plain(match[0])[1].items() if name == kind)
            return " "
        return match[0]

    rest = _LINK.sub(lambda match: f"{match['text']} {match['url'] or ''} ", _ROLE.sub(role, line))
    yield from roles
    # The id in one of arXiv's own DOIs is read as such.
    yield from (("doi", doi) for doi in find_dois(rest) if not is_placeholder(doi) and not normalise_arxiv(doi)[0])
    yield from (("eprint", match[1]) for match in _ARXIV.finditer(rest))


def unlinked(path: str, text: Text, prefix: str = "") -> Iterator[Reference]:
    """Yield the footnotes that are never cited, and the citations without a footnote, each as an unreadable reference."""
    labels = {entry.label for entry in text.entries}
    inner = {match[1] for entry in text.entries for line in entry.lines for match in _FOOTNOTE_REFERENCE.finditer(line)}
    found = [
        (entry.label, entry.line, "uncited-reference", f"this text never cites its reference [{entry.label}]")
        for entry in text.entries
        if entry.formal and entry.label not in text.labels and entry.label not in inner
    ]
    found += [
        (label, line, "missing-reference", f"[{label}]_ is cited, but this text has no such reference")
        for label, line in text.labels.items()
        if label not in labels
    ]
    for label, line, code, message in found:
        if not label.startswith(("#", "*")):
            defect = Defect(code, message, line, fatal=True)
            yield Reference(f"{prefix}{label}", "", {}, Location(path, line, line), text=label, defects=(defect,))


_CITE = lazy_pattern(r":(?:foot)?cite(?::\w+)*+:`([^`]{1,1000})`|\{cite(?::\w+)?\}`([^`]{1,1000})`")
_PAREN = lazy_pattern(r"\{[^{}]*\}|\[[^\[\]]*\]")


def cited_keys(lines: Iterable[tuple[int, str]], path: str) -> Citations:
    """Return the keys that the roles of these lines cite."""
    citations = Citations()
    for number, line in lines:
        if "cite" in line:
            for match in _CITE.finditer(line):
                for key in _PAREN.sub(" ", match[1] or match[2]).split(","):
                    if key.strip(" !~"):
                        citations.add(key.strip(" !~"), Location(path, number, number))
    return citations


@lru_cache(maxsize=4)
def _bibliographies(contents: tuple[tuple[str, bytes], ...]) -> tuple[Bibliography, ...]:
    """Read the bibliographies of a project, which all of its pages use."""
    return tuple(read_together(contents))


def with_cited(
    path: str,
    citations: Citations,
    own: Sequence[Reference],
    around: Surroundings,
    nothing: str,
    notes: Iterable[Defect] = (),
) -> Bibliography:
    """Add the entries of the bibliographies of the project that a file cites.

    nothing: message of the UnreadableDocumentError that is raised without any reference. notes: of the file.
    """
    cited = Bibliography(path, ())
    if citations.places and around.given:
        home = posixpath.dirname(path)
        found = [(posixpath.normpath(posixpath.join(home, name)), around.files.read(name)) for name in around.given]
        sources = _bibliographies(tuple((shown, data) for shown, data in found if data is not None))
        read = zip(around.given, found, strict=True)
        absent = [around.files.absence(name) for name, (_, data) in read if data is None]
        cited = select_cited(path, citations, sources, absent=absent)
    if not own and not cited.references:
        raise UnreadableDocumentError(f"{path} {nothing}")
    kept = tuple(note for note in cited.notes if note.code != "uncited")
    return Bibliography(path, (*own, *cited.references), (*notes, *kept), sources=cited.sources, nested=True)


class RestructuredTextReader(TextDocumentReader):
    """Reader for ``.rst`` files."""

    suffixes = frozenset((".rst",))
    format = "a reStructuredText document"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references of a document and the entries that it cites. Raise UnreadableDocumentError without any."""
        decoded, notes = text_of(data)
        source = decoded.split("\n")
        text = read_text([(number, line.expandtabs()) for number, line in enumerate(source, start=1)])
        citations = cited_keys(text.others, path)
        references = with_unique_keys(placed_references(path, text, columns=source))
        nothing = "contains no reference: no footnote, section or role has one"
        read = with_cited(path, citations, references, around, nothing, notes)
        return replace(read, unlinked=tuple(unlinked(path, text)))


RESTRUCTURED_TEXT = RestructuredTextReader()
