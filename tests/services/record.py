"""Record the shipped cassettes: `python -m tests.services.record [DIR]`.

The plugin's own record mode, pointed at the local services. Recording from the live services is the same command without
the base URLs and rates (cassettes/README.md).
"""

from __future__ import annotations

import sys

import pytest

from tests.services.server import LocalServices

__all__ = ["record"]

_FIXTURES = ("fixtures/refs.bib", "fixtures/hallucinated.bib")
_ANSWERED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def record(folder: str) -> int:
    """Record everything anew; returns 0 if the services could be asked (failing checks are to be expected)."""
    with LocalServices() as services:
        options = [f"--citecheck={name}" for name in _FIXTURES]
        for name, url in services.base_urls.items():
            options += [f"--citecheck-base-url={name}={url}", f"--citecheck-rate={name}=200"]
        options += [f"--citecheck-cassettes={folder}", "--citecheck-record=all"]
        code = pytest.main([*options, "-q", "--tb=no", "-rN", "-p", "no:cacheprovider"])
    return 0 if code in _ANSWERED else int(code)


if __name__ == "__main__":
    sys.exit(record(sys.argv[1] if len(sys.argv) > 1 else "cassettes"))
