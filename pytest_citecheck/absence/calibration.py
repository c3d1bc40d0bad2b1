"""A table of earlier trials: random real works of each stratum, and which title searches found them.

Forty references cannot show that a search misses fewer than one work in a hundred. `citecheck doctor --calibrate` therefore draws
random works from services that offer random samples, and searches for each at the others. The table holds counts only, by month,
stratum and service, and nothing about anybody's papers. It is kept in the user's cache, or beside the cassettes.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from pytest_citecheck.absence.controls import Search, Trials
from pytest_citecheck.absence.coverage import Kind, Period, Stratum
from pytest_citecheck.model import Discipline
from pytest_citecheck.thresholds import CALIBRATION_MONTHS, CALIBRATION_TRIALS

__all__ = ["FILE_NAME", "Calibration", "CalibrationError"]

FILE_NAME = "calibration.json"
_FORMAT = 1
_MOST_BYTES = 5_000_000


class CalibrationError(ValueError):
    """The file is not a calibration table; the message names file and place."""


class _Row(NamedTuple):
    """month: ``2026-11``. sampler: the service that the works were drawn from. searched, found: sources in alphabetical order."""

    month: str
    sampler: str
    place: Stratum
    searched: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(slots=True)
class Calibration:
    """The table, by row the number of works."""

    rows: Counter[_Row] = field(default_factory=Counter)

    @classmethod
    def load(cls, folder: Path | None) -> Calibration:
        """Read the table of a folder; an empty one if there is none. Raises CalibrationError."""
        path = folder / FILE_NAME if folder is not None else None
        if path is None or not path.is_file():
            return cls()
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise CalibrationError(f"{path}: larger than {_MOST_BYTES:,} bytes")
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != _FORMAT:
                raise CalibrationError(
                    f"{path}: format {document['format']!r} is unknown; run citecheck doctor --calibrate"
                )
            return cls(Counter(dict(_parsed(row) for row in document["trials"])))
        except CalibrationError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CalibrationError(f"{path}: not a calibration table ({error}); delete it") from error

    def save(self, folder: Path) -> None:
        """Write the table into a folder, in one step. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "month": row.month, "sampler": row.sampler, "kind": row.place.kind, "discipline": row.place.discipline,
                "period": row.place.period, "searched": row.searched, "found": row.found, "count": count,
            }
            for row, count in sorted(self.rows.items())
        ]  # fmt: skip
        text = json.dumps({"format": _FORMAT, "trials": rows}, indent=1)
        beside = folder / f".{FILE_NAME}.{os.getpid()}"
        try:
            beside.write_text(text + "\n", encoding="utf-8")
            beside.replace(folder / FILE_NAME)
        finally:
            with contextlib.suppress(OSError):
                beside.unlink()

    def add(self, month: str, sampler: str, place: Stratum, searches: Iterable[Search]) -> None:
        """Count one drawn work. The sampler's own search is left out: it returned the work."""
        others = sorted((search for search in searches if search.source != sampler), key=lambda search: search.source)
        if others:
            searched = tuple(search.source for search in others)
            found = tuple(search.source for search in others if search.found)
            self.rows[_Row(month, sampler, place, searched, found)] += 1

    def drawn(self, month: str, sampler: str, kind: Kind, period: Period) -> int:
        """Return the number of works drawn this month from a service for a type and period."""
        return sum(
            count
            for row, count in self.rows.items()
            if (row.month, row.sampler, row.place.kind, row.place.period) == (month, sampler, kind, period)
        )

    def trials(self, today: datetime.date) -> Mapping[str, Mapping[Stratum, Trials]]:
        """Return the trials of each search in the last months, at most `CALIBRATION_TRIALS` of a stratum."""
        by_source: dict[str, dict[Stratum, Trials]] = {}
        for row, count in self.rows.items():
            year, month = map(int, row.month.split("-"))
            if not 0 <= (today.year - year) * 12 + today.month - month <= CALIBRATION_MONTHS:
                continue
            for source in row.searched:
                trials = by_source.setdefault(source, {})
                hit = source in row.found
                trials[row.place] = trials.get(row.place, Trials()) + Trials(count * hit, count * (not hit))
        return {
            source: {place: one.scaled(min(1, CALIBRATION_TRIALS / one.looked_for)) for place, one in trials.items()}
            for source, trials in by_source.items()
        }

    def summary(self) -> Mapping[Stratum, tuple[Trials, Mapping[str, Trials]]]:
        """Return for each stratum the trials of all searches together, and of each search."""
        result: dict[Stratum, tuple[Trials, dict[str, Trials]]] = {}
        for row, count in sorted(self.rows.items()):
            together, single = result.get(row.place, (Trials(), {}))
            for source in row.searched:
                hit = source in row.found
                single[source] = single.get(source, Trials()) + Trials(count * hit, count * (not hit))
            hit = bool(row.found)
            result[row.place] = (together + Trials(count * hit, count * (not hit)), single)
        return result


def _parsed(row: Mapping[str, Any]) -> tuple[_Row, int]:
    values = {name: row[name] for name in ("kind", "discipline", "period")}
    for name, known in (("kind", get_args(Kind)), ("discipline", get_args(Discipline)), ("period", get_args(Period))):
        if values[name] not in known:
            raise ValueError(f"{name}: {values[name]!r}")
    place = Stratum(cast("Kind", row["kind"]), cast("Discipline", row["discipline"]), cast("Period", row["period"]))
    month = datetime.date.fromisoformat(f"{row['month']}-01").strftime("%Y-%m")
    count = int(row["count"])
    if count < 1:
        raise ValueError(f"count: {count}")
    return _Row(
        month, str(row["sampler"]), place, tuple(map(str, row["searched"])), tuple(map(str, row["found"]))
    ), count
