"""Record the shipped cassettes: `python -m tests.stand_ins.record [DIR]`.

The plugin's own record mode, pointed at the local services. Recording from the live services is the same command without
the base URLs and rates (cassettes/README.md).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.stand_ins.facts import Facts
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.server import CONVENTIONS_FILE, FACTS_FILE, LocalServices

_ANSWERED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def record(folder: str) -> int:
    """Record everything anew; return 0 if the services were reachable (failing checks are expected).

    The content of the folder is deleted first: recording alone would keep responses that no run requests any more.

    The conventions come second, from services that have their works as well: the recordings for the other fixtures do not
    depend on them.
    """
    for path in Path(folder).glob("*.json"):
        path.unlink()
    facts = load_facts(FACTS_FILE)
    code = _record(folder, ("fixtures/refs.bib", "fixtures/hallucinated.bib"), facts, "all")
    if code not in _ANSWERED:
        return code
    code = _record(folder, ("fixtures/conventions.bib",), facts.joined_with(load_facts(CONVENTIONS_FILE)), "new")
    return 0 if code in _ANSWERED else code


def _record(folder: str, fixtures: tuple[str, ...], facts: Facts, mode: str) -> int:
    with LocalServices(facts) as services:
        options = [f"--citecheck={name}" for name in fixtures]
        for name, url in services.base_urls.items():
            options += [f"--citecheck-base-url={name}={url}", f"--citecheck-rate={name}=200"]
        options += [f"--citecheck-cassettes={folder}", f"--citecheck-record={mode}"]
        # The services have imported the package before pytest could rewrite it.
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        return int(pytest.main([*options, "-q", "--tb=no", "-rN", "-p", "no:cacheprovider"]))


if __name__ == "__main__":
    sys.exit(record(sys.argv[1] if len(sys.argv) > 1 else "cassettes"))
