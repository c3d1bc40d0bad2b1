"""Which conference a volume of proceedings is of, by what its DOIs begin with.

Publishers number the papers of a volume below its own name: ACM below the number of the proceedings
(``10.1145/3292500.3330701``), Springer and SIAM below its ISBN (``10.1007/978-3-030-58452-8_24``).
``data/proceedings_volumes.json`` names the conference and the year of those volumes of which enough papers are known, and
practically all of one conference and year (counted by ``python -m benchmarks.volumes``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Volume", "volume_name", "volume_of"]

_IN_A_VOLUME = lazy_pattern(
    r"(10\.(?:1145/\d{6,8}(?=\.)|1007/(?:97[89][\d-]{10,14}|[\dx-]{8,13})(?=_)|1137/1\.97[89]\d{10}(?=\.)"
    r"|52202/\d+(?=-)|26615/97[89][\d-]{10,14}(?=_)|3115/\d+(?=\.)))[._-](?:ch)?\d+",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Volume:
    """name: what the DOIs of its papers begin with; venue: the id of the conference; works: how many papers are known."""

    name: str
    venue: str
    year: int
    works: int


def volume_name(doi: str) -> str:
    """What all DOIs of the volume begin with of which ``doi`` (in normal form) is a paper; empty if its form does not tell."""
    match = _IN_A_VOLUME.fullmatch(doi)
    return match[1] if match else ""


def volume_of(doi: str) -> Volume | None:
    """The volume in which the paper with this DOI is, if it is known."""
    return _table().get(volume_name(doi))


@lru_cache(maxsize=1)
def _table() -> dict[str, Volume]:
    text = files("pytest_citecheck.identifiers").joinpath("data/proceedings_volumes.json").read_text(encoding="utf-8")
    return {name: Volume(name, *row) for name, row in json.loads(text)["volumes"].items()}
