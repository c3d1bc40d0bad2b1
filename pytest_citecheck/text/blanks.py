r"""Blanks in front of what a regular expression looks for, without trying each of a long run of them.

``\s*,`` goes through a run of n blanks once for each blank at which it may begin, n²/2 steps, where no comma follows. These
parts of patterns begin only where the run does, and give none of it back. What stands after them must not begin with a blank.
"""

from __future__ import annotations

__all__ = ["BLANKS", "MAYBE_BLANKS"]

BLANKS = r"(?<!\s)\s++"
r"""``\s+`` at the start of a pattern."""

MAYBE_BLANKS = rf"(?:{BLANKS})?"
r"""``\s*`` at the start of a pattern."""
