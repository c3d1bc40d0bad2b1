"""Selection of the entries that a document cites, and of cited keys without an entry."""

from __future__ import annotations

import posixpath
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from rapidfuzz import process
from rapidfuzz.distance import OSA

from pytest_citecheck.inputs.base import Bibliography
from pytest_citecheck.inputs.bibtex.reader import BIBTEX, linked_keys, read_together
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.documents import Files, UnreadableDocumentError
from pytest_citecheck.inputs.exchange import CSL_JSON, NBIB, RIS
from pytest_citecheck.model import Defect, Location, Reference

_CUTOFF = 0.6  # minimum similarity of a suggested key


@dataclass(slots=True)
class Citations:
    """Keys that a document cites, each with its first location; also records ``\\nocite{*}`` (cite everything)."""

    places: dict[str, Location] = field(default_factory=dict)
    everything: bool = False

    def add(self, key: str, location: Location) -> None:
        """Add a citation."""
        if key == "*":
            self.everything = True
        else:
            self.places.setdefault(key, location)


def select_cited(
    path: str,
    citations: Citations,
    files: Sequence[Bibliography],
    *,
    everything: bool = False,
    absent: Iterable[str] = (),
    notes: Iterable[Defect] = (),
) -> Bibliography:
    """Return the references that the document at ``path`` cites, in file order, then a failing one for each missing key.

    everything: include uncited entries. absent: names of unread bibliographies, with the reason. Unreadable
    entries and entries without a key are included, because they might be cited.
    """
    aliases = _aliases(files)
    cited = {aliases.get(key, key) for key in citations.places}
    sets = (one for file in files for one in file.references if one.type == "set" and one.key in cited)
    cited.update(aliases.get(key, key) for one in sets for key in linked_keys("entryset", one.raw))
    taken: list[Reference] = []
    remarks = [*notes]
    known: set[str] = set()
    whole = everything or citations.everything
    for one in files:
        kept = [ref for ref in one.references if whole or ref.key in cited or not ref.key.strip()]
        known.update(reference.key for reference in one.references)
        taken += kept
        remarks += [Defect(note.code, f"{one.path}: {note.message}", note.line, note=True) for note in one.notes]
        if left := len(one.references) - len(kept):
            remarks.append(_uncited(left, one.path))
    missing = [key for key in citations.places if aliases.get(key, key) not in known]
    where = ", ".join(one.path for one in files) or "any file"
    gone = "".join(f"; the document names {name}" for name in absent)
    taken += [_missing(key, citations.places[key], where, gone, known) for key in missing]
    return Bibliography(path, tuple(taken), tuple(remarks), sources=tuple(one.path for one in files))


def demand_citations(
    path: str, citations: Citations, sources: Sequence[Bibliography], absent: Iterable[str], *, everything: bool
) -> None:
    """Raise UnreadableDocumentError for a document without a readable bibliography or without a citation."""
    if not sources:
        raise UnreadableDocumentError(f"{path} names {', '.join(absent)}")
    if not citations.places and not citations.everything and not everything:
        named = ", ".join(one.path for one in sources)
        raise UnreadableDocumentError(
            f"{path} uses {named} but contains no citation; pass --citecheck-all to check every entry"
        )


def _uncited(count: int, path: str) -> Defect:
    noun = "entry is" if count == 1 else "entries are"
    message = f"{count} {noun} not cited and not checked (--citecheck-all checks them): {path}"
    return Defect("uncited", message, 1, note=True)


def _aliases(files: Iterable[Bibliography]) -> Mapping[str, str]:
    """Return the alternative keys of entries (biblatex's field ``ids``)."""
    return {
        alias.strip(): reference.key
        for one in files
        for reference in one.references
        if reference.fields.get("ids")
        for alias in reference.fields["ids"].split(",")
        if alias.strip()
    }


def _missing(key: str, location: Location, where: str, gone: str, known: Iterable[str]) -> Reference:
    """Return a placeholder for a key without an entry; it becomes an item that fails."""
    folded = {name: name.lower() for name in known if name}
    found = process.extractOne(key.lower(), folded, scorer=OSA.normalized_similarity, score_cutoff=_CUTOFF)
    nearest = f"; the nearest key is `{found[2]}`" if found else ""
    message = f"no entry has the key `{key}` in {where}{nearest}{gone}"
    defect = Defect("missing-entry", message, location.line, fatal=True)
    return Reference(key, "", {}, location, text=key, defects=(defect,))


# \nocite is not a citation in the text; callers that need it search for it separately.
_HEAD = lazy_pattern(
    r"\\(?!nocite|setcite|bibcite|citestyle|citereset|Declare|makeciteu?|defcite|renewcite|newcites|citenumfont)"
    r"(?P<name>[A-Za-z]*cite[A-Za-z]*)\*?",
    re.IGNORECASE,
)
_TOKEN = lazy_pattern(r"\\.|[{}()\[\]]", re.DOTALL)
_OPENING = {"]": "[", ")": "("}
_GAP = lazy_pattern(r"\s*")
_ANGLED = lazy_pattern(r"\s*<[^<>\n]*>")


@dataclass(frozen=True, slots=True)
class LatexCitation:
    """A citation command with its arguments. Behaves like a match of a pattern: ``start()``, ``end()`` and ``[0]``."""

    text: str
    name: str
    first: int
    last: int
    keys: tuple[str, ...]

    def start(self) -> int:
        """Offset of the backslash."""
        return self.first

    def end(self) -> int:
        """Offset after the last argument."""
        return self.last

    def __getitem__(self, _whole: int) -> str:
        return self.text[self.first : self.last]


class LatexCitations:
    """Finds citation commands of LaTeX by their balanced arguments, with the interface of a pattern."""

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[LatexCitation]:
        """Yield the citations that are not in arguments of others."""
        for found in latex_citations(text, pos, endpos):
            if found.first >= pos:
                yield found
                pos = found.last

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> LatexCitation | None:
        """Return the citation that begins at ``pos``."""
        head = _HEAD.match(text, pos, endpos)
        return _with_arguments(text, head, endpos) if head else None

    def sub(self, written: Callable[[LatexCitation], str], text: str) -> str:
        """Replace each citation."""
        parts, position = [], 0
        for found in self.finditer(text):
            parts += [text[position : found.first], written(found)]
            position = found.last
        return "".join([*parts, text[position:]])


LATEX_CITATION = LatexCitations()
CitationMatch = re.Match[str] | LatexCitation
"""A citation in Markdown or LaTeX."""
CitationPattern = re.Pattern[str] | LatexCitations


def latex_citations(text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[LatexCitation]:
    """Yield all citations of a text, including those in arguments of others."""
    for head in _HEAD.finditer(text, pos, endpos):
        if (found := _with_arguments(text, head, endpos)) is not None:
            yield found


@lru_cache(maxsize=2)
def _closings(text: str) -> Mapping[int, tuple[int, ...]]:
    """Return the offsets after the ends of each bracket: its counterpart, then the first closing one in the same braces.

    LaTeX ends an optional argument at the first ``]``, and the argument parsers of newer packages at the counterpart.
    """
    ends: dict[int, tuple[int, ...]] = {}
    groups: list[tuple[int, dict[str, list[int]], dict[str, list[int]]]] = [
        (-1, {"[": [], "(": []}, {"[": [], "(": []})
    ]
    for token in _TOKEN.finditer(text):
        sign, place = token[0], token.start()
        opened, waiting = groups[-1][1:]
        if sign == "{":
            groups.append((place, {"[": [], "(": []}, {"[": [], "(": []}))
        elif sign == "}" and len(groups) > 1:
            ends[groups.pop()[0]] = (place + 1,)
        elif sign in opened:
            opened[sign].append(place)
            waiting[sign].append(place)
        elif (opening := _OPENING.get(sign)) is not None:
            ends.update((one, (place + 1,)) for one in waiting[opening])
            waiting[opening].clear()
            if opened[opening]:
                begin = opened[opening].pop()
                ends[begin] = (place + 1, *ends.get(begin, ()))
    return ends


def _after(text: str, place: int, opening: str, endpos: int) -> tuple[int, int]:
    """Return where the argument after blanks begins, and the offset after it; two zeros if there is none."""
    start = cast("re.Match[str]", _GAP.match(text, place)).end()
    if text[start : start + 1] != opening:
        return 0, 0
    ends = [end for end in _closings(text).get(start, ()) if end <= endpos]
    followed = [end for end in ends if _follows(text, end, "[({" if opening == "(" else "[{")]
    return (start, (followed or ends)[0]) if ends else (0, 0)


def _follows(text: str, place: int, signs: str) -> bool:
    gap = cast("re.Match[str]", _GAP.match(text, place))
    return text[gap.end() : gap.end() + 1] in tuple(signs)


def _past_options(text: str, place: int, sign: str, endpos: int) -> int:
    """Return the end of up to two options that open with a sign."""
    for _ in range(2):
        place = _after(text, place, sign, endpos)[1] or place
    return place


def _with_arguments(text: str, head: re.Match[str], endpos: int) -> LatexCitation | None:
    r"""Return the citation that begins with this command; None without a list of keys.

    ``\cite{a}{b}`` cites ``a``; ``\cites{a}{b}`` cites both; ``\volcite{2}{a}`` and ``\volcites{2}{a}`` of biblatex cite ``a``.
    """
    name = head["name"].lower()
    several, volumes = name.endswith("cites"), "volcite" in name
    place, parts = head.end(), list[str]()
    place = _past_options(text, place, "(", endpos)
    angled = _ANGLED.match(text, place)
    place = angled.end() if angled else place
    while True:
        if parts and not several and not (volumes and len(parts) == 1) and text[place : place + 1] not in ("[", "{"):
            break
        begin, end = _after(text, _past_options(text, place, "[", endpos), "{", endpos)
        is_volume = volumes and len(parts) % 2 == 0
        if not end or (not is_volume and "{" in text[begin + 1 : end]):
            break
        parts.append(text[begin + 1 : end - 1])
        place = end
    keys = parts[1::2] if volumes else parts
    if not keys:
        return None
    found = [key.strip() for part in (keys if several else keys[:1]) for key in part.split(",")]
    if name.startswith("citeproc"):  # pandoc, from version 3.1.8
        found = [key.removeprefix("ref-") for key in found]
    return LatexCitation(text, head["name"], head.start(), place, tuple(found))


MARKDOWN_CITATION = lazy_pattern(
    r"\[(?P<group>[^\[\]]*(?<![\w.])-?@[^\[\]]*)\](?!\()|(?<![\w@./\\])-?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>[\w][\w:.#$%&+?<>~/-]*\w))"
)
_KEY_IN_GROUP = lazy_pattern(r"(?<![\w.])-?@(?:\{([^{}\s]+)\}|([\w][\w:.#$%&+?<>~/-]*\w|\w))")

_COMMENT = lazy_pattern(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_VERB = lazy_pattern(
    r"\\(?:verb\*?|lstinline(?:\[[^\[\]\n]*+\])?|mintinline(?:\[[^\[\]\n]*+\])?\{[^{}\n]*+\})([^\sA-Za-z*\[])"
)
_LONGEST_VERB = 300
_CONDITIONAL = lazy_pattern(
    r"\\newif\s*+\\(?P<new>if[A-Za-z@]++)|\\let\s*+\\(?P<alias>if[A-Za-z@]++)\s*+=?\s*+\\(?P<value>[A-Za-z@]++)"
    r"|\\(?P<name>if(?!f(?![A-Za-z@]))[A-Za-z@]*+|else|fi)(?![A-Za-z@])(?P<zero>(?<=\\if)\s*+0(?=\s))?(?P<braced>(?=\s*+\{))?"
)
_SWITCH = lazy_pattern(r"\\([A-Za-z@]+?)(true|false)(?![A-Za-z@])")
_CONSTANTS = {"iffalse": False, "iftrue": True}
_FENCE = lazy_pattern(r"^(?:```|~~~)|<!--", re.MULTILINE)
_CODE = lazy_pattern(r"`[^`\n]*`|\A---\n.*?\n---\n", re.DOTALL)
_UNSAID = lazy_pattern(r"[\\#{}=]")


def keys_of(match: CitationMatch) -> list[str]:
    """Return the keys of one citation, in LaTeX or Markdown."""
    if isinstance(match, LatexCitation):
        keys = [*match.keys]
    elif match["group"] is not None:
        keys = [braced or bare for braced, bare in _KEY_IN_GROUP.findall(match["group"])]
    else:
        keys = [match["braced"] or match["bare"]]
    return [key for key in keys if key and not _UNSAID.search(key)]


def spaces(text: str) -> str:
    """Return a string of blanks with the text's length and line ends."""
    return re.sub(r"[^\n]", " ", text)


def blanked_latex(text: str, environments: tuple[str, ...]) -> str:
    """Blank out comments and these environments, preserving offsets."""
    begin = re.compile(rf"\\begin\{{(?:{'|'.join(environments)})\}}")
    said = _COMMENT.sub(lambda match: match[1] + spaces(match[0][len(match[1]) :]), _without_verb(text))
    return _without_skipped(_without_blocks(said, begin))


def _without_verb(text: str) -> str:
    r"""Blank out ``\verb|…|`` and variants, which end on the same line."""
    parts, position = [], 0
    for start in _VERB.finditer(text):
        if start.start() < position:
            continue
        end = text.find("}" if start[1] == "{" else start[1], start.end(), start.end() + _LONGEST_VERB)
        if end >= 0 and "\n" not in text[start.end() : end]:
            parts += [text[position : start.start()], " " * (end + 1 - start.start())]
            position = end + 1
    return "".join([*parts, text[position:]])


def is_conditional(text: str, place: int) -> bool:
    """Return True if TeX may skip this place of a text: it is in braces, or in a branch whose condition is unknown."""
    before = text[:place].replace("\\{", "").replace("\\}", "")
    if before.count("{") > before.count("}"):
        return True  # \iftoggle{draft}{\includeonly{one}}{}, or the body of a definition
    return any(taken is None and begin <= place < end for begin, end, taken in _branches(text))


def _without_skipped(text: str) -> str:
    r"""Blank out the branches that TeX skips, such as the text from ``\iffalse`` to its ``\else`` or ``\fi``."""
    parts, position = [], 0
    for begin, end, taken in sorted(_branches(text), key=lambda one: one[0]):
        if taken is False and position <= begin and end < len(text):
            parts += [text[position:begin], spaces(text[begin:end])]
            position = end
    return "".join([*parts, text[position:]])


def _branches(text: str) -> list[tuple[int, int, bool | None]]:
    """Return the branches of conditionals: begin, end (of the text, if unclosed) and True if TeX reads them; None if unknown."""
    return _branches_of(text, _switches(text))


def _branches_of(text: str, known: Mapping[str, bool | None]) -> list[tuple[int, int, bool | None]]:
    opened: list[tuple[int, bool | None]] = []
    found: list[tuple[int, int, bool | None]] = []
    for match in _CONDITIONAL.finditer(text):
        name = match["name"]
        if name in ("else", "fi"):
            if opened:
                begin, taken = opened.pop()
                found.append((begin, match.start(), taken))
                if name == "else":
                    opened.append((match.end(), None if taken is None else not taken))
        elif name and (match["braced"] is None or name in known):
            # ``\ifthenelse{…}`` and similar commands take their branches in braces and have no ``\fi``.
            opened.append((match.end(), False if match["zero"] else known.get(name)))
    return found + [(begin, len(text), taken) for begin, taken in opened]


def _switches(text: str) -> dict[str, bool | None]:
    """Return the value of each switch that a text defines; None if it is set to both values, or to none in this file."""
    known: dict[str, bool | None] = dict(_CONSTANTS)
    if "\\newif" not in text and "\\let" not in text:
        return known
    inside = [(begin, end) for begin, end, _ in _branches_of(text, {})]
    inside += [(begin, ends[0]) for begin, ends in _closings(text).items() if text[begin] == "{"]
    unsure = _united(inside)
    states: dict[str, set[bool]] = {}
    for match in _SWITCH.finditer(text):
        place = bisect_right(unsure, (match.start(), len(text))) - 1
        sure = place < 0 or unsure[place][1] <= match.start()
        states.setdefault(f"if{match[1]}", set()).update({match[2] == "true"} if sure else {match[2] == "true", False})
    for match in _CONDITIONAL.finditer(text):
        if name := match["new"] or match["alias"]:
            values = states.get(name, set()) | ({_CONSTANTS[match["value"]]} if match["value"] in _CONSTANTS else set())
            known[name] = values.pop() if len(values) == 1 else None
    return known


def _united(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Unite overlapping spans."""
    united: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if united and begin <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((begin, end))
    return united


def blanked_markdown(text: str) -> str:
    """Blank out code, comments and the header, preserving offsets."""
    return _CODE.sub(lambda match: spaces(match[0]), _without_blocks(text, _FENCE))


def _without_blocks(text: str, starts: re.Pattern[str]) -> str:
    """Blank out each block from its start to its end; unclosed blocks are kept."""
    return "".join(_parts(text, starts))


def _parts(text: str, starts: re.Pattern[str]) -> Iterator[str]:
    position, endless = 0, set[str]()
    for start in starts.finditer(text):
        if start.start() < position or start[0] in endless:
            continue
        closing = _closing_of(start[0])
        end = text.find(closing, start.end())
        if end < 0:
            endless.add(start[0])
            continue
        yield text[position : start.start()]
        yield spaces(text[start.start() : end + len(closing)])
        position = end + len(closing)
    yield text[position:]


def _closing_of(start: str) -> str:
    if start == "<!--":
        return "-->"
    return start.replace("begin", "end", 1) if start.startswith("\\") else f"\n{start}"


_NUMBERED = r"\s*(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])[.)]?\s+|[•■●]\s*)?"
_TITLES = (
    r"(?:(?:supplementa(?:ry|l)|additional|further|appendix|web|online|other|selected|key) )?references?"
    r"(?: and notes| and further reading| cited)?|reference list|list of references|cited references"
    r"|bibliograph(?:y|ies)"
    r"|works? cited|literature(?: cited| references)?|cited (?:literature|works)|sources"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis)?|referenzen|références(?: bibliographiques)?|bibliographie"
    r"|referencias(?: bibliográficas)?|bibliografía|referências(?: bibliográficas)?|bibliografia|riferimenti(?: bibliografici)?"
    r"|referenties|literatuur|referenser|referanser|litteratur|kirjallisuus|lähteet|literatura|piśmiennictwo|irodalom|kaynak(?:lar|ça)"
    r"|(?:список )?литератур[аы]|библиография|参考文献|參考文獻|参考资料|引用文献|文献|참고\s*문헌"
)
_SPACED = lazy_pattern(r"(?:\w )+\w")
_HEADING = lazy_pattern(rf"{_NUMBERED}(?:{_TITLES})\s*+(?:[:.]\s*+)?", re.IGNORECASE)
_FOLLOWING = (
    r"appendi(?:x|ces)|supplementa(?:ry|l)|supporting information|acknowledge?ments?|author (?:contributions|information)"
    r"|checklist|neurips paper checklist|reproducibility|broader impact|ethics|limitations|conflicts? of interest|funding"
    r"|index|biograph(?:y|ies)|about the authors?|figures?|tables?|proofs?|additional|anhang|annexe|apéndice|附录|付録|부록"
)
_AFTER = lazy_pattern(rf"{_NUMBERED}(?:{_FOLLOWING})\b.{{0,60}}", re.IGNORECASE)
_LONGEST = 60


def is_references_heading(line: str) -> bool:
    """Return True if the line is the heading of a reference section: ``References``, ``7 REFERENCES``, ``R E F E R E N C E
    S``."""
    text = " ".join(line.split()).strip("#*_ ")
    if not 0 < len(text) <= _LONGEST:
        return False
    if _SPACED.fullmatch(text):
        text = text.replace(" ", "")
    return _HEADING.fullmatch(text) is not None


def ends_references(line: str) -> bool:
    """Return True if the line is a heading that may follow a reference section."""
    text = " ".join(line.split()).strip("#*_ ")
    return 0 < len(text) <= _LONGEST and _AFTER.fullmatch(text) is not None and not text.endswith((",", "."))


_EXCHANGED = {suffix: reader for reader in (CSL_JSON, RIS, NBIB) for suffix in reader.suffixes}


def not_followed(absence: str) -> Defect:
    """Return the note about a file that a document includes (`Files.absence`)."""
    return Defect("not-followed", f"the document names {absence}", 1, note=True)


def named_sources(files: Files, names: Iterable[str], folder: str) -> tuple[list[Bibliography], list[str]]:
    """Return the bibliographies with these names, BibTeX files first, and the names that cannot be read, with the reason.

    folder: base of the names, as displayed.
    """
    bibtex: list[tuple[str, bytes]] = []
    others: list[Bibliography] = []
    absent: list[str] = []
    for name in dict.fromkeys(names):
        suffix = posixpath.splitext(name)[1].lower()
        data = files.read(name)
        shown = posixpath.normpath(posixpath.join(folder, name))
        if data is None or (suffix not in BIBTEX.suffixes and suffix not in _EXCHANGED):
            why = files.absence(name).removeprefix(name) if data is None else ", which is no bibliography"
            absent.append(f"{shown}{why}")
        elif suffix in BIBTEX.suffixes:
            bibtex.append((shown, data))
        else:
            others.append(_EXCHANGED[suffix].read(shown, data))
    return [*read_together(bibtex), *others], absent
