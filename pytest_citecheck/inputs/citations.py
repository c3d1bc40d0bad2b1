"""Selection of the entries that a document cites, and of cited keys without an entry."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import process
from rapidfuzz.distance import OSA

from pytest_citecheck.inputs.base import Bibliography
from pytest_citecheck.inputs.bibtex.reader import BIBTEX, read_together
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.documents import Files
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
            noun = "entry is" if left == 1 else "entries are"
            message = f"{left} {noun} not cited and not checked (--citecheck-all checks them): {one.path}"
            remarks.append(Defect("uncited", message, 1, note=True))
    missing = [key for key in citations.places if aliases.get(key, key) not in known]
    where = ", ".join(one.path for one in files) or "any file"
    gone = "".join(f"; the document names {name}" for name in absent)
    taken += [_missing(key, citations.places[key], where, gone, known) for key in missing]
    return Bibliography(path, tuple(taken), tuple(remarks), sources=tuple(one.path for one in files))


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


# Citations in a document: ``\cite{key}`` and variants in LaTeX, ``[@key]`` and ``@key`` in Markdown.


_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_OPTION = rf"\[(?:[^\[\]{{}}]|{_GROUP}|\[(?:[^\[\]{{}}]|{_GROUP})*+\])*+\]"
# \nocite is not a citation in the text; callers that need it search for it separately.
LATEX_CITATION = re.compile(
    r"\\(?!nocite|setcite|bibcite|citestyle|citereset|Declare|makeciteu?|defcite|renewcite|newcites|citenumfont)"
    r"(?:[A-Za-z]*cite[A-Za-z]*)\*?"
    r"(?:\s*\([^()]*\)){0,2}(?:\s*<[^<>]*>)?"
    rf"(?P<braces>(?:\s*+{_OPTION}){{0,2}}+\s*+\{{[^{{}}]*+\}}(?:(?:{_OPTION}){{0,2}}+\{{[^{{}}]*+\}})*+)",
    re.IGNORECASE,
)
_SEVERAL = lazy_pattern(r"\\[A-Za-z]*cites\b", re.IGNORECASE)
_VOLUME = lazy_pattern(r"\\[a-z]*volcites?\b", re.IGNORECASE)  # biblatex: \volcite[see]{volume}[page]{key}
_KEYS = lazy_pattern(rf"{_OPTION}|\{{([^{{}}]*+)\}}")
MARKDOWN_CITATION = lazy_pattern(
    r"\[(?P<group>[^\[\]]*(?<![\w.])-?@[^\[\]]*)\](?!\()|(?<![\w@./\\])-?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>[\w][\w:.#$%&+?<>~/-]*\w))"
)
_KEY_IN_GROUP = lazy_pattern(r"(?<![\w.])-?@(?:\{([^{}\s]+)\}|([\w][\w:.#$%&+?<>~/-]*\w|\w))")

_COMMENT = lazy_pattern(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_VERB = lazy_pattern(
    r"\\(?:verb\*?|lstinline(?:\[[^\[\]\n]*+\])?|mintinline(?:\[[^\[\]\n]*+\])?\{[^{}\n]*+\})([^\sA-Za-z*\[])"
)
_LONGEST_VERB = 300
# ``\ifthenelse{…}`` and similar commands take their branches in braces and have no ``\fi``.
_CONDITIONAL = lazy_pattern(r"\\(if(?!f(?![A-Za-z@]))[A-Za-z@]*+|else|fi)(?![A-Za-z@]|\s*+\{)(?:(?<=\\if)\s*+0(?=\s))?")
_NEW_SWITCH = lazy_pattern(r"\\newif\s*+\\(if[A-Za-z@]++)")
_SWITCH = lazy_pattern(r"\\([A-Za-z@]+?)(true|false)(?![A-Za-z@])")
_FENCE = lazy_pattern(r"^(?:```|~~~)|<!--", re.MULTILINE)
_CODE = lazy_pattern(r"`[^`\n]*`|\A---\n.*?\n---\n", re.DOTALL)
_UNSAID = lazy_pattern(r"[\\#{}=]")


def keys_of(match: re.Match[str]) -> list[str]:
    r"""Return the keys of one citation, for either pattern.

    ``\cite{a}{b}`` cites ``a``; ``\cites{a}{b}`` cites both; ``\volcite{2}{a}`` cites ``a``.
    """
    if match.re is LATEX_CITATION:
        braces = [one[1] for one in _KEYS.finditer(match["braces"]) if one[1] is not None]
        if _VOLUME.match(match[0]):
            braces = braces[1::2]
        if not _SEVERAL.match(match[0]):
            braces = braces[:1]
        keys = [key.strip() for part in braces for key in part.split(",")]
        if match[0].startswith("\\citeproc"):  # pandoc, from version 3.1.8
            keys = [key.removeprefix("ref-") for key in keys]
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
    r"""Return True if this place of a text is between a conditional of TeX and its ``\fi``."""
    names = [match[1] for match in _CONDITIONAL.finditer(text[: min(place, len(text))])]
    return sum(-1 if name == "fi" else name != "else" for name in names) > 0


def _without_skipped(text: str) -> str:
    r"""Blank out text that TeX skips: from ``\iffalse``, or a switch that is only ever off, to its ``\else`` or ``\fi``."""
    switches = {(match[1], match[2]) for match in _SWITCH.finditer(text)} if "\\newif" in text else set()
    off = {f"if{name}" for name, state in switches if state == "false" and (name, "true") not in switches}
    off &= {match[1] for match in _NEW_SWITCH.finditer(text)}
    open_ifs: list[tuple[bool, int]] = []  # is it false, and the offset at which its skipped text begins
    skipped: list[tuple[int, int]] = []
    for match in _CONDITIONAL.finditer(text):
        name = match[1]
        if name not in ("else", "fi"):
            open_ifs.append((name == "iffalse" or name in off or "0" in match[0], match.end()))
        elif open_ifs:
            false, begin = open_ifs.pop()
            if false:
                skipped.append((begin, match.start()))
            if name == "else":
                open_ifs.append((False, match.end()))
    parts, position = [], 0
    for begin, end in sorted(skipped):
        if begin >= position:
            parts += [text[position:begin], spaces(text[begin:end])]
            position = end
    return "".join([*parts, text[position:]])


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


# Headings of reference sections and of the sections after them, in several languages.


_NUMBERED = r"\s*(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])[.)]?\s+|[•■●]\s*)?"
_TITLES = (
    r"references?(?: and notes| and further reading| cited)?|reference list|list of references|cited references"
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


# Bibliographies named by a document: BibTeX files (read together) and exchange formats.


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
            absent.append(files.absence(name) if data is None else f"{name}, which is no bibliography")
        elif suffix in BIBTEX.suffixes:
            bibtex.append((shown, data))
        else:
            others.append(_EXCHANGED[suffix].read(shown, data))
    return [*read_together(bibtex), *others], absent
