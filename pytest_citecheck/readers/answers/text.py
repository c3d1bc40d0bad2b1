"""The references in the text of an answer: BibTeX anywhere in it, else lists in JSON, else plain lists of references."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.answers.json_references import read_json_references
from pytest_citecheck.readers.answers.reasoning import without_reasoning
from pytest_citecheck.readers.bibtex.reader import read_bibtex
from pytest_citecheck.readers.lines import unify_line_ends
from pytest_citecheck.readers.plain.references import mentions_in, read_plain_references
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import title_key

__all__ = ["references_in", "seems_to_cite"]

_FENCE = lazy_pattern(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*$", re.MULTILINE)
_READ_FENCES = frozenset(
    {"", "bib", "bibtex", "biblatex", "latex", "tex", "text", "txt", "plain", "plaintext", "markdown", "md"}
)
_ENTRY = lazy_pattern(
    r"@(?:article|inproceedings|incollection|inbook|conference|book|booklet|misc|online|phdthesis|mastersthesis|thesis"
    r"|techreport|report|manual|unpublished|dataset|software)[ \t]*[{(]",
    re.IGNORECASE,
)
_BESIDE = lazy_pattern(rf"(?<=[}})])([^{{}}()@=\n]{{1,80}})(?={_ENTRY.pattern})", re.IGNORECASE)
"""The words between an entry and the next one on the same line; without a line end they would be read as a part of it."""
_FENCED = lazy_pattern(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CITES = lazy_pattern(
    r"\bet al\b\.?,?\s*\(?(?:1[5-9]|20)\d\d|(?<![\w'’-])[^\W\d_a-z][\w'’-]++(?:\s\(|,\s)(?:1[5-9]|20)\d\d[a-z]?\)"
    r"|[“„«»《『\"][^“”„«»《》『』\"\n]{8,200}[”“»«》』\"][^.\n]{0,80}(?:1[5-9]|20)\d\d"
    r"|\b10\.\d{4,9}/\S|\barxiv[.:]\S*\d{4}\.\d{4}"
)
_INLINE_CODE = lazy_pattern(r"`(@[^`\n]*)`")


def references_in(answer: str, location: Location) -> tuple[list[Reference], list[Defect]]:
    """The references of an answer in their order, each at ``location``, and remarks. Never raises.

    Reasoning is ignored. BibTeX is read as if it stood in a ``.bib`` file, in fences of any kind and between prose; if there
    is any, nothing else counts, because a list beside it says in words what the entries say. ``text`` of each reference is
    what the model wrote. Keys that are missing become ``ref_N``, N being the place in the answer.
    """
    text = unify_line_ends(without_reasoning(answer))
    references, notes = _bibtex(text, location)
    if references:
        known = {title_key(one.fields.get("title", "")) for one in references}
        prose = _FENCED.sub("\n\n", text)
        prose = re.sub(r"(?m)^[ \t]*@\w+[{(].*?^[ \t]*[})]", "\n\n", prose, flags=re.DOTALL)
        references += [
            one
            for one in mentions_in(prose, location)
            if "author" in one.fields and "year" in one.fields and title_key(one.fields["title"]) not in known
        ]
    else:
        references = read_json_references(text, location) or read_plain_references(text, location)
    return [_keyed(reference, number) for number, reference in enumerate(references, start=1)], notes


def seems_to_cite(answer: str) -> bool:
    """Return True if an answer without a readable reference seems to cite works: by author and year, identifier or quotes."""
    text = _FENCED.sub("", without_reasoning(answer))
    return _CITES.search(text) is not None


def _keyed(reference: Reference, number: int) -> Reference:
    return reference if reference.key.strip() else replace(reference, key=f"ref_{number}")


def _bibtex(text: str, location: Location) -> tuple[list[Reference], list[Defect]]:
    if "@" not in text:
        return [], []
    bibliography = read_bibtex(location.path, codecs.BOM_UTF8 + _without_fences(text).encode())
    references, notes = [], []
    for reference in bibliography.references:
        if _is_mention(reference):
            message = f"“{' '.join(reference.text.split())[:60]}” is read as a mention of BibTeX, not as an entry"
            notes.append(Defect("mention", message, location.line, note=True))
        else:
            defects = tuple(_moved(defect, location) for defect in reference.defects)
            references.append(replace(reference, location=location, defects=defects))
    # What lies between entries is prose here; fields in it are only worth a word if there are entries.
    notes += [_moved(note, location) for note in bibliography.notes if references]
    return references, notes


def _is_mention(reference: Reference) -> bool:
    """Whether this is ``@article{...}`` or the like in a sentence: whole, and without a single field.

    A handle or decorator (``@dataclass(frozen=True)``) is none of BibTeX either.
    """
    if not _ENTRY.match(reference.text):
        return not any(name in reference.fields for name in ("title", "author", "year", "journal", "booktitle"))
    return not reference.fields and not any(defect.code == "unclosed-entry" for defect in reference.defects)


def _without_fences(text: str) -> str:
    """The text without the lines of fences and without code of other languages, every entry on a line of its own."""
    text = _BESIDE.sub(r"\n\1\n", _INLINE_CODE.sub(r" \1 ", text))
    parts: list[str] = []
    position, opened = 0, ""
    language = ""
    for fence in _FENCE.finditer(text):
        mark, label = fence[1], fence[2].lower()
        if opened and (mark[0] != opened[0] or len(mark) < len(opened) or label):
            continue
        parts.append(_readable(text[position : fence.start()], language if opened else ""))
        position = fence.end()
        opened, language = ("", "") if opened else (mark, label)
    parts.append(_readable(text[position:], language if opened else ""))
    return "".join(parts)


def _readable(part: str, language: str) -> str:
    if language.strip("{}.") in _READ_FENCES or _ENTRY.search(part):
        return part
    return "\n"


def _moved(defect: Defect, location: Location) -> Defect:
    """The defect at the line of the answer in its file; its own line counts inside the answer."""
    return replace(defect, line=location.line)
