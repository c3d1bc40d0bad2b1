"""A YAML document as sections that say of each value where it stands: errors and unknown keys are named with their line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

import yaml

from pytest_citecheck.chat.variables import KeyRules, substituted, variables_in

__all__ = ["ConfigurationError", "Document", "Section"]

_MANY = 20  # problems that are listed


class ConfigurationError(ValueError):
    """A file that cannot be used; the text has a line for each problem, with file, line and key."""


class Document:
    """One YAML file. Problems, remarks and the values of variables are collected while its sections are read."""

    def __init__(
        self,
        where: str,
        text: str,
        environment: Mapping[str, str],
        *,
        secrets: bool = True,
        keys: KeyRules | None = None,
    ) -> None:
        """Parse the text.

        secrets: whether variables in secret keys must be set. keys: to which hosts variables may go; None if nothing is sent.
        Raises ConfigurationError.
        """
        self.where = where
        self.environment = environment
        self.secrets = secrets
        self.keys = keys
        self._used: list[tuple[tuple[str, ...], str]] = []
        self._written: dict[tuple[str, ...], str] = {}
        self.secret_values: set[str] = set()
        self.problems: list[str] = []
        self.remarks: list[tuple[int, str]] = []
        self._lines: dict[tuple[str, ...], int] = {}
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            self._note_lines(node, ())
            value = loader.construct_document(node) if node is not None else None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise ConfigurationError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error
        finally:
            loader.dispose()
        if not isinstance(value, dict):
            raise ConfigurationError(f"{where}: a configuration is a mapping of keys to values")
        self.root = Section(self, (), value)

    def _note_lines(self, node: Any, path: tuple[str, ...]) -> None:
        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            name = (*path, str(key.value))
            if name in self._lines:
                self.problem(name, f"given twice, first in line {self._lines[name]}", line=key.start_mark.line + 1)
            self._lines.setdefault(name, key.start_mark.line + 1)
            self._note_lines(value, name)

    def line(self, path: tuple[str, ...]) -> int:
        """The line (from 1) of a key, or of the nearest one around it that is there."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def problem(self, path: tuple[str, ...], what: str, line: int | None = None) -> None:
        """Note an error at a key."""
        self.problems.append(f"{self.where}:{line or self.line(path)}: {'.'.join(path)}: {what}")

    def remark(self, path: tuple[str, ...], what: str) -> None:
        """Note something at a key that is no error."""
        self.remarks.append((self.line(path), f"{'.'.join(path)}: {what}"))

    def finish(self) -> None:
        """Raises ConfigurationError with all problems, if there are any."""
        if self.problems:
            more = len(self.problems) - _MANY
            raise ConfigurationError("\n".join([*self.problems[:_MANY], *([f"and {more} more"] if more > 0 else [])]))

    def expanded(self, text: str, path: tuple[str, ...], *, secret: bool) -> str:
        """The text with ``${NAME}`` replaced from the environment; a variable that is not set is a problem."""
        found = substituted(text, self.environment)
        self._written[path] = text
        self._used += [(path, name) for name in variables_in(text)]
        for name in found.unset:
            if self.secrets or not secret:
                self.problem(path, f"the environment variable {name} is not set")
        # The values of other variables are words that an answer may contain.
        if secret or path[-1].endswith("_url"):
            self.secret_values |= found.secrets
        return found.text

    def demand_home(self, path: tuple[str, ...], url: str, named: tuple[str, ...], besides: str = "") -> None:
        """Note each variable at or below a key that may not go to this URL.

        named: the key of the URL. besides: a key in it that has another URL.
        """
        if self.keys is None:
            return
        # As written: the host may contain the value of a variable.
        written = self._written.get(named, url)
        try:
            host = urlsplit(written).hostname or written
        except ValueError:
            host = written
        for place, variable in dict.fromkeys(self._used):
            inside = place[: len(path)] == path and place[len(path) : len(path) + 1] != (besides,)
            if inside and not self.keys.admit(variable, url):
                self.problem(place, self.keys.refusal(variable, host))


class Section:
    """One mapping of a document. Each key is read once by what it is expected to hold; `close` names those that are not read."""

    def __init__(self, document: Document, path: tuple[str, ...], values: Mapping[Any, Any]) -> None:
        self.document, self.path = document, path
        self._values = {str(key): value for key, value in values.items()}
        self._known: dict[str, None] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are given."""
        return tuple(self._values)

    def _take(self, key: str) -> Any:
        self._known[key] = None
        return self._values.get(key)

    def _wrong(self, key: str, expected: str, value: object) -> None:
        shown = type(value).__name__ if isinstance(value, dict | list) else repr(value)
        self.document.problem((*self.path, key), f"must be {expected}, not {shown}")

    def text(self, key: str, default: str = "", *, required: bool = False, secret: bool = False) -> str:
        """A text, with variables replaced. An absent one that is required is a problem."""
        value = self._take(key)
        if value is None:
            if required:
                self.document.problem((*self.path, key), "is required")
            return default
        if not isinstance(value, str):
            self._wrong(key, "text", "…" if secret else value)
            return default
        expanded = self.document.expanded(value, (*self.path, key), secret=secret)
        if required and not expanded.strip() and "${" not in value:
            self.document.problem((*self.path, key), "is empty")
        return expanded

    def integer(self, key: str, default: int | None, low: int, high: int | None = None) -> Any:
        """A whole number in a range; the default (None too) if it is absent."""
        value = self._take(key)
        if value is None:
            return default
        span = f"{low} to {high}" if high is not None else f"{low} upwards"
        if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
            self._wrong(key, f"a whole number from {span}", value)
            return default
        return value

    def number(self, key: str, default: float | None, low: float = 0.0, high: float = float("inf")) -> Any:
        """A number in a range; the default (None too) if it is absent."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            self._wrong(key, f"a number from {low:g}" + (f" to {high:g}" if high < float("inf") else " upwards"), value)
            return default
        return float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._wrong(key, "true or false", value)
            return default
        return value

    def choice(self, key: str, default: str, choices: Collection[str]) -> str:
        """One of several texts."""
        value = self.text(key, default)
        if value not in choices:
            self._wrong(key, f"one of {', '.join(choices)}", value)
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._wrong(key, "a list of texts", value)
            return ()
        return tuple(value)

    def values(self, key: str) -> dict[str, Any]:
        """A mapping of free keys, with variables replaced in every text of it."""
        value = self._take(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._wrong(key, "a mapping", value)
            return {}
        return {str(name): self._free(one, (*self.path, key, str(name))) for name, one in value.items()}

    def _free(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return self.document.expanded(value, path, secret=False)
        if isinstance(value, list):
            return [self._free(one, path) for one in value]
        if isinstance(value, dict):
            return {str(name): self._free(one, (*path, str(name))) for name, one in value.items()}
        return value

    def section(self, key: str, *, required: bool = False) -> Section:
        """A section inside this one, empty if it is absent."""
        value = self._take(key)
        if value is None:
            if required:
                self.document.problem((*self.path, key), "is required")
            value = {}
        if not isinstance(value, dict):
            self._wrong(key, "a mapping", value)
            value = {}
        return Section(self.document, (*self.path, key), value)

    def without_effect(self, key: str, why: str) -> None:
        """A key of the Arena that does nothing here: remarked on if it is given."""
        if self._take(key) is not None:
            self.document.remark((*self.path, key), f"has no effect: {why}")

    def close(self) -> None:
        """Remark on every key that was not read, with the nearest one that there is."""
        for key in self._values:
            if key not in self._known:
                near = get_close_matches(key, self._known, 1)
                hint = f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(self._known)}"
                self.document.remark((*self.path, key), f"unknown key, ignored{hint}")
