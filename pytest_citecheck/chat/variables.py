"""Puts environment variables in the place of ``${NAME}``: the only way in which a configuration names a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.secrets.scrub import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Substituted", "substituted"]

_VARIABLE = lazy_pattern(r"\$\{([^{}]*)\}")


class Substituted(NamedTuple):
    """A text with its variables replaced; a `Secret` if there are any.

    unset: the names of those that are not set, or empty. secrets: the values of the others.
    """

    text: str
    unset: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()


def substituted(text: str, environment: Mapping[str, str]) -> Substituted:
    """The text with its variables replaced, those that are not set by nothing."""
    names = tuple(dict.fromkeys(_VARIABLE.findall(text)))
    if not names:
        return Substituted(text)
    # A key that was read from a file often ends with a line break.
    values = {name: environment.get(name, "").strip() for name in names}
    return Substituted(
        Secret(_VARIABLE.sub(lambda match: values[match[1]], text)),
        tuple(name for name, value in values.items() if not value),
        frozenset(Secret(value) for value in values.values() if value),
    )
