"""What an audit is: its inputs cut into partitions, and all that its verdicts depend on. It stands in the folder before any work,
so that every worker, and every later start, does the same.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pytest_citecheck import __version__
from pytest_citecheck.audit.inputs.pieces import Piece, Unread
from pytest_citecheck.whole_file import write_whole

__all__ = ["Folder", "OtherAuditError", "Plan", "PlanSettings"]

_FORMAT = 1


class OtherAuditError(ValueError):
    """The folder holds an audit of other inputs, with another index or other settings."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """All that verdicts depend on besides the references.

    indexes: addresses, each with what identifies its content. today: ISO 8601, of the start. policy: its name; policy_text: the
    content of its file, if it has one. joined: whether exact look-ups are one join.
    """

    indexes: tuple[tuple[str, str], ...]
    today: str
    policy: str = "default"
    policy_text: str = ""
    prior: float | None = None
    strict: bool = False
    profile: str = "default"
    joined: bool = False

    @property
    def day(self) -> datetime.date:
        return datetime.date.fromisoformat(self.today)


@dataclass(frozen=True, slots=True)
class Plan:
    """inputs: each file with what identifies its content. unread: what could not even be opened."""

    inputs: tuple[str, ...]
    settings: PlanSettings
    partitions: tuple[tuple[Piece, ...], ...]
    unread: tuple[Unread, ...] = field(default=())

    def continues(self, earlier: Plan) -> bool:
        """Whether it is the same audit, be it begun on another day."""
        mine, theirs = _compared(self), _compared(earlier)
        return mine == theirs


def _compared(plan: Plan) -> dict[str, Any]:
    data = asdict(plan)
    data["settings"].pop("today")
    return data


class Folder:
    """The files of an audit."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def plan_file(self) -> Path:
        return self.path / "plan.json"

    def keys(self, number: int) -> Path:
        """What a partition looks up exactly."""
        return self.path / "keys" / f"part-{number:06}.parquet"

    def exact(self, number: int) -> Path:
        """What the join has found for it."""
        return self.path / "exact" / f"part-{number:06}.parquet"

    def references(self, number: int) -> Path:
        """The references of a partition, judged."""
        return self.path / "references" / f"part-{number:06}.parquet"

    def online(self, number: int) -> Path:
        """The same after further sources were asked."""
        return self.path / "online" / f"part-{number:06}.parquet"

    def unread(self, number: int) -> Path:
        """What could not be read in a partition."""
        return self.path / "unread" / f"part-{number:06}.parquet"

    def judged(self, number: int) -> Path:
        """The last word on the references of a partition."""
        online = self.online(number)
        return online if online.exists() else self.references(number)

    @property
    def log(self) -> Path:
        """A line for each partition that a worker has done."""
        return self.path / "work.jsonl"

    def write(self, plan: Plan) -> Plan:
        """Keep the plan, or take the one that is there. Raises OSError, OtherAuditError."""
        if self.plan_file.exists():
            earlier = self.plan()
            if not plan.continues(earlier):
                raise OtherAuditError(
                    f"{self.path} holds an audit of other inputs, another index or other settings: choose another folder"
                )
            return earlier
        data = {"format": _FORMAT, "version": __version__, **asdict(plan)}
        write_whole(self.plan_file, json.dumps(data, ensure_ascii=False, indent=1))
        return plan

    def plan(self) -> Plan:
        """Raises OSError, OtherAuditError if no plan of this version stands there."""
        try:
            data = json.loads(self.plan_file.read_bytes())
            if data["format"] != _FORMAT or data["version"] != __version__:
                raise OtherAuditError(f"{self.path} was begun with version {data['version']}; this is {__version__}")
            settings = data["settings"]
            settings["indexes"] = tuple(map(tuple, settings["indexes"]))
            return Plan(
                tuple(data["inputs"]),
                PlanSettings(**settings),
                tuple(tuple(Piece(**piece) for piece in pieces) for pieces in data["partitions"]),
                tuple(Unread(**unread) for unread in data["unread"]),
            )
        except (ValueError, LookupError, TypeError) as error:
            if isinstance(error, OtherAuditError):
                raise
            raise OtherAuditError(f"{self.plan_file} is not the plan of an audit") from error
