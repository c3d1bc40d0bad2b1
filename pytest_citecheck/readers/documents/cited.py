"""What of a bibliography a document cites: the cited entries, and the keys that no file has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import process
from rapidfuzz.distance import OSA

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography

__all__ = ["Citations", "select_cited"]

_CUTOFF = 0.6  # of the letters of a key that the nearest one shares


@dataclass(slots=True)
class Citations:
    """The keys that a document cites, each with its first place, and whether it cites all (``\\nocite{*}``)."""

    places: dict[str, Location] = field(default_factory=dict)
    everything: bool = False

    def add(self, key: str, location: Location) -> None:
        """Another citation."""
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
    """The references of these files that the document at ``path`` cites, in their order, then a failing one for each missing key.

    everything: take in what it does not cite. absent: bibliographies that it names and that are not there.
    An entry that has no key, or cannot be read, is taken in: whether it is cited is not known.
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
    gone = "".join(f"; {name} is not there" for name in absent)
    taken += [_missing(key, citations.places[key], where, gone, known) for key in missing]
    return Bibliography(path, tuple(taken), tuple(remarks), sources=tuple(one.path for one in files))


def _aliases(files: Iterable[Bibliography]) -> Mapping[str, str]:
    """The further keys of entries: biblatex's field ``ids``."""
    return {
        alias.strip(): reference.key
        for one in files
        for reference in one.references
        if reference.fields.get("ids")
        for alias in reference.fields["ids"].split(",")
        if alias.strip()
    }


def _missing(key: str, location: Location, where: str, gone: str, known: Iterable[str]) -> Reference:
    """What stands for a key without an entry: an item of its own, which fails."""
    folded = {name: name.lower() for name in known if name}
    found = process.extractOne(key.lower(), folded, scorer=OSA.normalized_similarity, score_cutoff=_CUTOFF)
    nearest = f"; the nearest key is `{found[2]}`" if found else ""
    message = f"no entry has the key `{key}` in {where}{nearest}{gone}"
    defect = Defect("missing-entry", message, location.line, fatal=True)
    return Reference(key, "", {}, location, text=key, defects=(defect,))
