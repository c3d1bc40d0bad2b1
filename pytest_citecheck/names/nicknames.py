"""Short forms of given names in many languages, and spellings of one name that no general rule brings together.

``data/nicknames.txt`` holds one group of forms a line, compiled from general knowledge of usage, folded (lower-case ASCII). A
form may belong to several groups (``alex``, ``sam``): two forms are taken for the same name if they share any group.
"""

from __future__ import annotations

from importlib.resources import files

__all__ = ["is_given_name", "same_given_name"]


def _index() -> dict[str, frozenset[int]]:
    text = files("pytest_citecheck.names").joinpath("data/nicknames.txt").read_text(encoding="utf-8")
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(text.splitlines()):
        for form in line.split():
            groups.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in groups.items()}


_GROUPS_OF = _index()
_NONE: frozenset[int] = frozenset()


def same_given_name(first: str, second: str) -> bool:
    """Whether two folded given names are known forms of one name (``bob``, ``robert``)."""
    return not _GROUPS_OF.get(first, _NONE).isdisjoint(_GROUPS_OF.get(second, _NONE))


def is_given_name(name: str) -> bool:
    """Whether a folded word is a given name of the data; many names are in no group."""
    return name in _GROUPS_OF
