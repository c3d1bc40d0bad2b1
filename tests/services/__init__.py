"""Local bibliographic services: the wire formats of the real ones, and a switch for every fault."""

from __future__ import annotations

from tests.services.facts import Facts
from tests.services.facts_file import FactsError, load_facts
from tests.services.faults import KINDS
from tests.services.server import CONVENTIONS_FILE, FACTS_FILE, LocalServices, LoggedRequest

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
