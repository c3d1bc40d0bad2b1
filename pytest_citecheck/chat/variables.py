"""Puts environment variables in the place of ``${NAME}``: the only way in which a configuration names a secret."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.transport.secrets.scrub import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UnsetVariableError", "Variables"]

_REFERENCE = re.compile(r"\$\{([^{}]*)\}")


class UnsetVariableError(ValueError):
    """A variable that a configuration names is not set, or empty. The text names both."""

    def __init__(self, variable: str, key: str) -> None:
        super().__init__(f"{key}: the environment variable {variable!r} is not set")
        self.variable = variable
        self.key = key


class Variables:
    """The environment of one configuration. ``secrets`` are the values that it was asked for.

    required: False for a replay, which needs no key: what is not set is empty then.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, *, required: bool = True) -> None:
        self._environment = os.environ if environment is None else environment
        self._required = required
        self.secrets: set[str] = set()

    def resolved(self, value: Any, key: str) -> Any:
        """The value with the variables in all its strings, through objects and lists. Raises UnsetVariableError.

        key: where the value stands (``target_endpoints.gpt.api_key``). A string with a variable becomes a `Secret`.
        """
        if isinstance(value, dict):
            return {name: self.resolved(member, f"{key}.{name}") for name, member in value.items()}
        if isinstance(value, list):
            return [self.resolved(member, f"{key}.{position}") for position, member in enumerate(value)]
        if not isinstance(value, str) or not _REFERENCE.search(value):
            return value
        return Secret(_REFERENCE.sub(lambda match: self._value(match[1], key), value))

    def _value(self, name: str, key: str) -> str:
        value = self._environment.get(name, "").strip()
        if not value and self._required:
            raise UnsetVariableError(name, key)
        if value:
            self.secrets.add(Secret(value))
        return value
