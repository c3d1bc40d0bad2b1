"""Source families of the records: works shared by two families, and the index of all records without one family.

A family is all data from one origin: several crawlers of DBLP feed the collections, and even more of arXiv. Two records of one
family are not independent.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import yaml

from benchmarks.offline_verdicts import RECORDS, built
from benchmarks.styles import bibtex_entry
from benchmarks.styles_names import author_field
from benchmarks.styles_text import latex, protected
from benchmarks.styles_venues import known_venue
from pytest_citecheck.matching import parse, title_key
from pytest_citecheck.model import Person
from tests.conformance.rendering import Row, read_rows

_SCOPES = Path(__file__).parent / "scopes.yaml"
_MONTHS_OF_MEETINGS = {"acl": "jul", "emnlp": "nov", "naacl": "jun", "coling": "dec", "lrec": "may"}
"""Months in which these meetings usually publish, as the ACL Anthology prints them."""


Export = Callable[[Row, str], str]
"""A BibTeX entry made from a record and a citation key."""


@dataclass(frozen=True, slots=True)
class Family:
    """A source family: the prefixes of its collections, and its BibTeX export."""

    name: str
    prefixes: tuple[str, ...]
    export: Export

    def has(self, source: str) -> bool:
        return any(source == prefix or source.startswith(f"{prefix}-") for prefix in self.prefixes)


def _exported(row: Row, key: str, kind: str, names: str, title: str, more: Mapping[str, str]) -> str:
    dice = Random(key)
    fields = {
        "author": author_field(row.authors, names, dice, tex=True, careful=True),
        "title": title,
        **more,
        "year": str(row.year or ""),
        "doi": row.doi,
        "url": row.url,
    }
    return bibtex_entry(kind, key, fields)


def _place(row: Row, name: str) -> tuple[str, dict[str, str]]:
    if row.type == "article":
        return "article", {"journal": latex(name, None)}
    return "inproceedings", {"booktitle": latex(name, None)}


def _dblp(row: Row, key: str) -> str:
    if row.arxiv and row.type == "preprint":
        fields = {"journal": "CoRR", "volume": f"abs/{row.arxiv}", "eprinttype": "arXiv", "eprint": row.arxiv}
        return _exported(row, key, "article", "Given Family", _title(row, key), fields)
    kind, place = _place(row, row.venue)
    if row.arxiv:
        place |= {"eprinttype": "arXiv", "eprint": row.arxiv}
    return _exported(row, key, kind, "Given Family", _title(row, key), place)


def _acl_anthology(row: Row, key: str) -> str:
    kind, place = _place(row, row.venue)
    venue = known_venue(row)
    place["month"] = _MONTHS_OF_MEETINGS.get(venue.id, "") if venue else ""
    place["publisher"] = "Association for Computational Linguistics"
    place |= _eprint(row)
    return _exported(row, key, kind, "Family, Given", protected(_title(row, key), Random(key)), place)


def _ml_anthology(row: Row, key: str) -> str:
    venue = known_venue(row)
    kind, place = _place(row, venue.name if venue else row.venue)
    return _exported(row, key, kind, "Family, Given", f"{{{_title(row, key)}}}", place | _eprint(row))


def _openreview(row: Row, key: str) -> str:
    venue = known_venue(row)
    kind, place = _place(row, venue.name if venue else row.venue)
    return _exported(row, key, kind, "Given Family", _title(row, key), place | _eprint(row))


def _arxiv(row: Row, key: str) -> str:
    return _exported(row, key, "misc", "Given Family", _title(row, key), _eprint(row))


def _eprint(row: Row) -> dict[str, str]:
    return {"eprint": row.arxiv, "archivePrefix": "arXiv"} if row.arxiv else {}


def _title(row: Row, key: str) -> str:
    return latex(row.title, Random(key))


FAMILIES = (
    Family("DBLP", ("dblp", "api-dblp"), _dblp),
    Family("ML Anthology", ("mlanthology",), _ml_anthology),
    Family("Paper Copilot", ("papercopilot",), _openreview),
    Family("ACL Anthology", ("acl-anthology",), _acl_anthology),
    Family("arXiv", ("arxiv",), _arxiv),
)


def family_of(source: str) -> str:
    """Return the name of the family of a collection, or ``""`` for the other collections."""
    return next((family.name for family in FAMILIES if family.has(source)), "")


Work = Mapping[str, Sequence[Row]]
"""The records of one work by family; records of the other collections are under ``""``."""


def works_of(rows: Iterable[Row]) -> Iterator[Work]:
    """Split the records under one title into works: records are of one work if they share at least half of the shorter list.

    Rejected and withdrawn submissions and records without authors belong to no work.
    """
    found: list[tuple[set[str], dict[str, list[Row]]]] = []
    for row in rows:
        people = {_family_name(name) for name in row.authors}
        if not people or row.type == "submission":
            continue
        same = (one for one in found if 2 * len(one[0] & people) >= min(len(one[0]), len(people)))
        match = next(same, None)
        if match is None:
            match = set(), defaultdict(list)
            found.append(match)
        known, work = match
        known |= people
        work[family_of(row.source)].append(row)
    yield from (work for _, work in found)


def _family_name(name: str) -> str:
    return parse(Person(literal=name)).family_key


@dataclass(frozen=True, slots=True)
class Collections:
    """All records, and the numbers of the records under each title."""

    rows: Sequence[Row]
    titles: Sequence[Sequence[int]]

    @classmethod
    def read(cls, folder: Path) -> Collections:
        """Read all records; the keys of their titles are kept in ``folder``."""
        rows = list(read_rows(RECORDS))
        kept, keys = folder / "titles.keys", array("Q")
        if kept.exists() and kept.stat().st_size == len(rows) * keys.itemsize:
            keys.frombytes(kept.read_bytes())
        else:
            keys.extend(_hashed(title_key(row.title)) for row in rows)
            kept.write_bytes(keys.tobytes())
        titles: dict[int, list[int]] = defaultdict(list)
        for number, key in enumerate(keys):
            titles[key].append(number)
        return cls(rows, list(titles.values()))

    def shared_works(self) -> Iterator[Work]:
        """Yield the works that at least two families have."""
        for numbers in self.titles:
            rows = [self.rows[number] for number in numbers]
            if len({family_of(row.source) for row in rows} - {""}) > 1:
                yield from (work for work in works_of(rows) if len(work.keys() - {""}) > 1)

    def single_rows(self, family: str) -> Iterator[Row]:
        """Yield the records of a family with a title that no other record has."""
        for numbers in self.titles:
            row = self.rows[numbers[0]]
            if len(numbers) == 1 and family_of(row.source) == family and row.type != "submission":
                yield row


def _hashed(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())


def index_without(family: Family, rows: Iterable[Row], folder: Path) -> Path:
    """Return the index of all records without this family in ``folder``. Build it if it is missing.

    The declared scopes of the family are left out as well; agreement between collections is counted without it anyway.
    """
    path = folder / f"without-{family.name.lower().replace(' ', '-')}.index"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            records, scopes = Path(temporary, "records.jsonl"), Path(temporary, "scopes.yaml")
            with records.open("w", encoding="utf-8") as lines:
                for row in rows:
                    if not family.has(row.source):
                        fields = {name: value for name, value in asdict(row).items() if name != "extra"}
                        lines.write(json.dumps(fields, ensure_ascii=False) + "\n")
            declared = yaml.safe_load(_SCOPES.read_text(encoding="utf-8"))
            others = [scope for scope in declared if not family.has(scope["collection"])]
            scopes.write_text(yaml.safe_dump(others), encoding="utf-8")
            built(Path(temporary, "works.index"), records, scopes).replace(path)
    return path
