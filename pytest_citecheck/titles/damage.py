"""Titles that lost letters on their way into a collection: what such a record says of a word is not what the paper says."""

from __future__ import annotations

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_damaged"]

# Accents that stand alone or before their letters ("täk¯", "Poincar´e"), what stands for letters that could not be decoded,
# UTF-8 read as Latin-1 ("Ã¼", "â€“"), control characters, and a question mark inside a word ("Schr?dinger").
_DAMAGE = lazy_pattern(
    "[\u02c6\u02c7\u02d8-\u02dd\u00a8\u00af\u00b4\u00b8\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff]"
    "|\u00c3[\u0080-\u00bf]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac|[^\\W\\d_]\\?[^\\W\\d_A-Z]"
)


def is_damaged(title: str) -> bool:
    """Whether a title as a record has it shows that letters were lost or misread."""
    return _DAMAGE.search(title) is not None
