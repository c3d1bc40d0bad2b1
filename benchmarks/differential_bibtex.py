"""Compare the BibTeX reader with biber or bibtex on real bibliographies.

    CITECHECK_SHARED=FOLDER python -m benchmarks.differential_bibtex [--program bibtex] [--examples N] [--kept FOLDER] [FILE]

Converts each file (by default those of ``FOLDER/real_bibs``) to BibLaTeXML with ``biber --tool``, which resolves ``crossref`` and
``xdata``, and compares keys, types, fields with their text, the number of people and their family names. Prints the differences
by kind with the reason, and examples of those without one. ``--kept`` reuses the conversions in a folder. The exit code is 1 if
a difference has no explanation, and 2 if the program is not installed. ``--program bibtex`` compares with the fields and
names that a style of BibTeX gets.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from pytest_citecheck.inputs import (
    STANDARD_MACROS,
    decode_bytes,
    is_bibliography,
    name_list,
    read_bibtex,
    unify_line_ends,
)
from pytest_citecheck.matching import decode
from pytest_citecheck.model import Reference

_NS = "{http://biblatex-biber.sourceforge.net/biblatexml}"
_ALIASES = {
    "address": "location", "annote": "annotation", "archiveprefix": "eprinttype", "journal": "journaltitle", "key": "sortkey",
    "pdf": "file", "primaryclass": "eprintclass", "school": "institution",
}  # fmt: skip
"""Names of fields in BibTeX that biblatex calls otherwise (biblatex manual, section 2.2.5)."""
_TYPES = {
    "conference": "inproceedings", "electronic": "online", "www": "online", "mastersthesis": "thesis", "phdthesis": "thesis",
    "techreport": "report",
}  # fmt: skip
"""Entry types that are aliases (section 2.1.2)."""
_PEOPLE = frozenset(("author", "editor"))
_UNCOMPARED = frozenset(
    ("xdata", "crossref", "xref", "ids", "entryset", "langid", "options", "keywords", "file", "year", "month")
)
_VERBATIM = frozenset(("abstract", "annotation", "review"))


@dataclass(slots=True)
class Entry:
    """An entry as one of the programs reads it. people: family names of each list."""

    type: str
    fields: dict[str, str] = field(default_factory=dict)
    people: dict[str, list[str]] = field(default_factory=dict)
    reference: Reference | None = None


class Conversion:
    """Biber's conversion of a file. refused: keys of entries that were cut out because biber gives up at them."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.target, self.kept = folder / f"{path.stem}.xml", folder / f"{path.stem}.log"
        self.refused: list[str] = []
        if not self.kept.exists():
            self._convert(decode_bytes(path.read_bytes())[0], read_bibtex(path.name, path.read_bytes()).references)
        *log, refused = self.kept.read_text(encoding="utf-8").split("\n")
        self.log, self.refused = "\n".join(log), json.loads(refused)

    def _convert(self, text: str, references: Sequence[Reference]) -> None:
        lines = unify_line_ends(text).split("\n")
        blocks = [(one.location.line - 1, one.location.end_line, one.key) for one in references]
        while not self._run(lines):
            named = re.search(r"\.utf8, line (\d+), syntax error", self.log)
            at = int(named[1]) - 1 if named else self._crash(lines, [first for first, _, _ in blocks])
            at = next(n for n in range(at, -1, -1) if lines[n].strip())  # an error may be noticed after a damaged entry
            first, last, key = next((one for one in blocks if one[0] <= at < one[1]), (at, at + 1, ""))
            lines[first:last] = [""] * (last - first)
            self.refused.append(key)
        self.kept.write_text(f"{self.log}\n{json.dumps(self.refused)}", encoding="utf-8")

    def _crash(self, lines: list[str], starts: list[int]) -> int:
        """Return the line of the entry at which biber crashes."""
        return starts[
            bisect_left(range(len(starts)), True, key=lambda n: not self._run(lines[: [*starts, len(lines)][n + 1]]))
        ]

    def _run(self, lines: list[str]) -> bool:
        source = self.target.with_suffix(".in.bib")
        source.write_text("\n".join(lines), encoding="utf-8")
        options = (
            "--output-resolve-crossrefs",
            "--output-resolve-xdata",
            "--output-format=biblatexml",
            "--no-bltxml-schema",
        )
        command = (
            "biber",
            "--tool",
            "--tool-noremove-missing-dependants",
            *options,
            "-O",
            str(self.target),
            str(source),
        )
        run = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
        self.log = run.stdout + run.stderr
        try:
            return ElementTree.parse(self.target) is not None  # noqa: S314 - biber wrote it
        except (ElementTree.ParseError, FileNotFoundError):
            return False


@dataclass(frozen=True, slots=True)
class Difference:
    """kind: entry, type, field, value, people or family. type: in biber, else in our reader. reference: ours, if there is one."""

    kind: str
    file: str
    key: str
    type: str
    name: str
    theirs: str
    ours: str
    reference: Reference | None
    conversion: Conversion | Style

    def has(self, *codes: str) -> bool:
        """Return True if our reader found one of these defects in the entry."""
        return self.reference is not None and any(one.code in codes for one in self.reference.defects)


def of_biber(path: Path) -> dict[str, Entry]:
    """Return the entries of a BibLaTeXML file by key."""
    entries = {}
    for element in ElementTree.parse(path).getroot().iter(f"{_NS}entry"):  # noqa: S314 - biber wrote it
        entry = Entry(element.get("entrytype", ""))
        for child in element:
            name = child.tag.removeprefix(_NS)
            if name == "names":
                kind = child.get("type", "")
                entry.people[kind] = [_family(one) for one in child.findall(f"{_NS}name")]
                entry.people[kind] += ["others"] * (child.get("morenames") == "1")
            elif child.get("field") is None:  # a data annotation has one
                kind = child.get("type", "") + name if name == "date" else name
                items = [" ".join(one.itertext()) for one in child.iter(f"{_NS}item")] or [" ".join(child.itertext())]
                entry.fields[kind] = (", " if name == "pages" else " and ").join(
                    " ".join(item.split()) for item in items
                )
        entries[element.get("id", "")] = entry
    return entries


_STYLED = (
    "title", "booktitle", "journal", "year", "volume", "number", "pages", "publisher", "series", "school", "institution",
    "organization", "note",
)  # fmt: skip
_STYLE = (
    "ENTRY {author editor %s} {} {}\nINTEGERS {n}\n"
    'FUNCTION {said} {swap$ duplicate$ missing$ {pop$ pop$} {swap$ write$ " " write$ write$ newline$} if$}\n'
    'FUNCTION {people} {swap$ duplicate$ missing$ {pop$ pop$} {swap$ "PEOPLE " swap$ * write$ newline$ #1 \'n := '
    '{duplicate$ num.names$ n #1 - >} {duplicate$ n "{vv }{ll}{ jj}" format.name$ "NAME " swap$ * write$ newline$ '
    "n #1 + 'n :=} while$ pop$} if$}\n"
    'FUNCTION {default.type} {"ENTRY " cite$ * write$ newline$ %s author "author" people editor "editor" people}\n'
    "READ\nITERATE {call.type$}\n"
)
"""A style that writes each field and each name on a line."""


class Style:
    """The entries of a file as a BibTeX style receives them, with the interface of `Conversion`."""

    refused: tuple[str, ...] = ()

    def __init__(self, path: Path, folder: Path) -> None:
        self.text = decode_bytes(path.read_bytes())[0]
        (folder / "t.bib").write_text(self.text, encoding="utf-8")
        style = _STYLE % (" ".join(_STYLED), " ".join(f'{name} "{name}" said' for name in _STYLED))
        (folder / "said.bst").write_text(style, encoding="utf-8")
        (folder / "t.aux").write_text("\\citation{*}\n\\bibstyle{said}\n\\bibdata{t}\n", encoding="utf-8")
        subprocess.run(("bibtex", "t"), cwd=folder, check=False, capture_output=True)
        self.log = (folder / "t.blg").read_text(encoding="utf-8", errors="replace")
        written = (folder / "t.bbl").read_text(encoding="utf-8", errors="replace")
        self.entries: dict[str, Entry] = {}
        entry = Entry("")
        people: list[str] = []
        for line in written.replace("\n  ", " ").split("\n"):
            name, _, value = line.partition(" ")
            if name == "ENTRY":
                self.entries[value] = entry = Entry("")
            elif name == "PEOPLE":
                people = entry.people[value] = []
            elif name == "NAME":
                people.append(decode(value))
            elif name:
                entry.fields["date" if name == "year" else _ALIASES.get(name, name)] = decode(value)


def _family(name: ElementTree.Element) -> str:
    parts = {
        part.get("type", ""): " ".join(" ".join(part.itertext()).split()) for part in name.findall(f"{_NS}namepart")
    }
    return " ".join(parts[kind] for kind in ("prefix", "family", "suffix") if kind in parts)


def ours(path: Path, program: str) -> dict[str, Entry]:
    """Return the entries as our reader gives them, by key; the first one counts. For bibtex, only fields that it knows."""
    entries: dict[str, Entry] = {}
    for one in read_bibtex(path.name, path.read_bytes()).references:
        entry = Entry(_TYPES.get(one.type, one.type), reference=one)
        for name, value in sorted(one.fields.items(), key=lambda field: field[0] in _ALIASES):
            if value and (program == "biber" or name in _STYLED):
                entry.fields.setdefault(_ALIASES.get(name, name), value)
        if year := entry.fields.get("year", ""):
            entry.fields.setdefault("date", year)
        for kind in _PEOPLE & one.raw.keys():
            names = name_list(one.raw[kind])
            people = [
                " ".join(filter(None, (each.particle, each.family or str(each), each.suffix))) for each in names.names
            ]
            entry.people[kind] = people + ["others"] * names.others
        entries.setdefault(one.key, entry)
    return entries


def letters(text: str) -> str:
    """Return the letters and digits of a text without accents and LaTeX."""
    text = unicodedata.normalize("NFKD", text.replace("ı", "i").replace("ȷ", "j"))
    return "".join(each for each in text.casefold() if each.isalnum())


def differences(
    path: Path, theirs: Mapping[str, Entry], conversion: Conversion | Style, known: frozenset[str]
) -> Iterator[Difference]:
    """Yield the differences of a file. known: names of all fields that biber writes."""
    mine = ours(path, "biber" if isinstance(conversion, Conversion) else "bibtex")

    def differ(kind: str, key: str, name: str = "", their: str = "", our: str = "") -> Difference:
        type_ = (theirs.get(key) or mine[key]).type
        return Difference(
            kind, path.name, key, type_, name, their, our, mine[key].reference if key in mine else None, conversion
        )

    for key in [*theirs, *(key for key in mine if key not in theirs)]:
        if key not in mine or key not in theirs:
            yield differ("entry", key, "", "read" * (key in theirs), "read" * (key in mine))
            continue
        their, our = theirs[key], mine[key]
        if their.type not in ("", our.type):
            yield differ("type", key, "", their.type, our.type)
        for kind in sorted(_PEOPLE & (their.people.keys() | our.people.keys())):
            one, other = their.people.get(kind, []), our.people.get(kind, [])
            if len(one) != len(other):
                yield differ("people", key, kind, "; ".join(one), "; ".join(other))
            elif list(map(letters, one)) != list(map(letters, other)):
                pairs = [(a, b) for a, b in zip(one, other, strict=True) if letters(a) != letters(b)]
                yield differ("family", key, kind, "; ".join(a for a, _ in pairs), "; ".join(b for _, b in pairs))
        for name in sorted((their.fields.keys() | (our.fields.keys() & known)) - _UNCOMPARED - _PEOPLE):
            said, read = (each.fields.get(name, "")[: 4 if name == "date" else None] for each in (their, our))
            if letters(said) != letters(read) or bool(said) != bool(read):
                yield differ("value" if said and read else "field", key, name, said, read)


def _refused(one: Difference) -> bool:
    log, refused = one.conversion.log, one.conversion.refused
    if " " in one.key and isinstance(one.conversion, Style):
        return True
    skipped = f"skipping entry '{one.key}'" in log or re.search(
        rf"Repeated entry.*\n : @\w+\{{{re.escape(one.key)}\n", log
    )
    return one.key in refused or (one.kind == "entry" and bool(skipped))


def _commented(one: Difference) -> bool:
    """Return True if an entry with this key is behind a percent sign, where BibTeX reads it."""
    return (
        isinstance(one.conversion, Style)
        and re.search(rf"%\s*@\w+\{{{re.escape(one.key)},", one.conversion.text) is not None
    )


def _repaired(one: Difference) -> bool:
    parent = one.reference.raw.get("crossref", "") if one.reference else ""
    unknown = bool(parent) and f"for crossref '{parent}'" in one.conversion.log
    return not one.theirs and (one.has("extra-brace", "unbalanced-braces", "stray-text") or unknown)


def _commanded(one: Difference) -> bool:
    written = one.reference.raw.get("journal", "") if one.reference and one.name == "journaltitle" else one.theirs
    return one.kind in ("value", "family", "field") and any(sign in written + one.theirs for sign in "\\$")


def _pairs(one: Difference) -> list[tuple[str, str]]:
    if one.kind != "family":
        return []
    return [(letters(a), letters(b)) for a, b in zip(one.theirs.split("; "), one.ours.split("; "), strict=False)]


def _whole(one: Difference) -> bool:
    """Return True if our family name contains theirs."""
    return bool(pairs := _pairs(one)) and all(a in b for a, b in pairs)


def _parted(one: Difference) -> bool:
    """Return True if their family name begins with ours and goes on with given names or a second person."""
    return bool(pairs := _pairs(one)) and all(
        a.startswith(b.removesuffix("jr").removesuffix("iii")) or b in a for a, b in pairs
    )


def _noise(one: Difference) -> bool:
    return one.kind in ("people", "family") and not re.sub(r"\b(?:and|et al)\b|[\d.;\s]", "", one.theirs)


def _is_damaged(one: Difference) -> bool:
    """Return True if our reader repaired the entry, or another one before it with its key."""
    return one.reference is not None and any(not found.note for found in one.reference.defects)


EXPLAINED: tuple[tuple[str, Callable[[Difference], bool], str], ...] = (
    (
        "refused",
        _refused,
        "dropped are damaged entries that we repair or report, by BibTeX also keys with blanks or in other case",
    ),
    ("commented", _commented, "BibTeX reads entries after %, biber and we do not"),
    (
        "repaired",
        _repaired,
        "biber drops fields after a surplus brace or sign, and those of a parent whose key differs in case",
    ),
    (
        "undefined macro",
        lambda one: one.has("undefined-macro") and len(one.theirs) < len(one.ours),
        "the value is dropped",
    ),
    (
        "standard macro",
        lambda one: not one.theirs and one.ours in STANDARD_MACROS.values(),
        "journals that the styles of BibTeX define, which biber does not know",
    ),
    (
        "glossary",
        lambda one: not one.ours and one.kind == "entry" and not is_bibliography(one.type or "glossdef", ()),
        "entries of other types than works are counted in a note",
    ),
    ("alias of a type", lambda one: one.name == "type", "biber writes @phdthesis as @thesis with the field type"),
    (
        "date",
        lambda one: one.name.endswith("date") and bool(one.reference),
        "biber drops what is no date, and the time of a day",
    ),
    ("command", _commanded, "biber leaves formulas and commands to LaTeX"),
    ("verbatim", lambda one: one.name in _VERBATIM and one.kind == "value", "text that no check reads is not decoded"),
    (
        "separators",
        lambda one: one.has("name-separators"),
        "names without “and” are one name; we split and report them",
    ),
    ("others", lambda one: one.ours.endswith("others"), "“et al.” is a name for them"),
    ("stray and", _noise, "a doubled “and”, “et al.” or a number is a name for them"),
    (
        "empty names",
        lambda one: one.kind == "people" and "; ;" in one.theirs,
        "a doubled “and” is an empty name for BibTeX",
    ),
    ("named parts", lambda one: "family=" in one.theirs, "BibTeX does not know the names of biblatex (family=Bergen)"),
    ("whole names", _whole, "groups, names in native script and families before initials are not taken apart"),
    (
        "accents",
        lambda one: len(_pairs(one)) > 2 and any(a == b or a in b for a, b in _pairs(one)),
        "several of these reasons in one list",
    ),
    ("missing comma", _parted, "a missing comma or a misspelt “and” makes more of the name a family name for them"),
    ("mojibake", lambda one: "Ð" in one.theirs, "a name list of which the file has only damaged letters"),
    ("damaged", _is_damaged, "an entry with other damage, which we repair and report"),
)
"""Name of a reason, its condition, and the reason; the first row that holds counts."""


def explanation(difference: Difference) -> str:
    """Return the name of the first row that explains a difference, or `""`."""
    return next((name for name, holds, _ in EXPLAINED if holds(difference)), "")


def compare(paths: Iterable[Path], folder: Path, program: str) -> list[Difference]:
    """Return the differences of all files."""
    read: list[tuple[Path, dict[str, Entry], Conversion | Style]] = []
    for path in paths:
        if program == "biber":
            read.append((path, of_biber((made := Conversion(path, folder)).target), made))
        else:
            read.append((path, (styled := Style(path, folder)).entries, styled))
    known = frozenset(name for _, entries, _ in read for entry in entries.values() for name in entry.fields)
    return [one for path, entries, conversion in read for one in differences(path, entries, conversion, known)]


def main() -> int:
    """Print the differences by kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--program", choices=("biber", "bibtex"), default="biber")
    options = parser.parse_args()
    if not shutil.which(options.program):
        print(f"{options.program} is not installed")
        return 2
    paths = options.files or sorted(Path(os.environ["CITECHECK_SHARED"], "real_bibs").glob("*.bib"))
    with tempfile.TemporaryDirectory() as made:
        found = compare(paths, options.kept or Path(made), options.program)
    by_kind: dict[str, list[Difference]] = defaultdict(list)
    for one in found:
        by_kind[explanation(one)].append(one)
    for name, _, why in EXPLAINED:
        if by_kind[name]:
            print(f"{len(by_kind[name]):6,}  {name}: {why}")
    unexplained = by_kind[""]
    print(
        f"{len(unexplained):6,}  unexplained, in {len(paths)} files: {dict(Counter(one.kind for one in unexplained))}"
    )
    shown: Counter[tuple[str, str]] = Counter()
    for one in unexplained:
        shown[one.kind, one.name] += 1
        if shown[one.kind, one.name] <= options.examples:
            print(
                f"  {one.kind} {one.name} {one.file} {one.key}\n    theirs: {one.theirs[:150]}\n    ours:   {one.ours[:150]}"
            )
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
