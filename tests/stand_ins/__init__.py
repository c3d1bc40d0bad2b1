"""Local bibliographic services: the wire formats of the real ones, and a switch for every fault."""

from __future__ import annotations

from tests.stand_ins.facts import Facts
from tests.stand_ins.facts_file import FactsError, load_facts
from tests.stand_ins.faults import KINDS
from tests.stand_ins.server import CONVENTIONS_FILE, FACTS_FILE, LocalServices, LoggedRequest

__all__ = [
    "CONVENTIONS_FILE",
    "FACTS_FILE",
    "KINDS",
    "Facts",
    "FactsError",
    "LocalServices",
    "LoggedRequest",
    "load_facts",
]
