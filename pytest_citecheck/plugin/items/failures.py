"""A failed check as pytest shows it: one line that is complete in itself, then the evidence, never a traceback."""

from __future__ import annotations

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from pytest_citecheck.model import Location

__all__ = ["CheckFailure", "represent"]


class CheckFailure(AssertionError):  # noqa: N818 - an outcome, not an error: reporters call anything else "broken"
    """A check failed: ``headline`` is the line for summaries, ``explanation`` the full text."""

    def __init__(self, headline: str, explanation: str, location: Location) -> None:
        super().__init__(headline)
        self.headline = headline
        self.explanation = explanation
        self.location = location


def represent(failure: CheckFailure) -> ReprExceptionInfo:
    """The failure in pytest's own classes, the only ones that survive the way from an xdist worker.

    ``reprcrash`` gives the short summary line, the JUnit message and ``--tb=line``; the "traceback" is the explanation.
    """
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([failure.explanation + "\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(failure.location.path, failure.location.line, failure.headline),
    )
