"""The edits of one entry: which characters of the file are replaced by which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_citecheck.checks.corrections import macro_for
from pytest_citecheck.fixing.layout import EntryPlace, FieldPlace
from pytest_citecheck.fixing.style import Style
from pytest_citecheck.fixing.values import delimited, written_value
from pytest_citecheck.model import Reference
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["TYPE", "Edit", "entry_edits"]

TYPE = "@"
"""The name under which a correction gives an entry another type."""
Edit = tuple[int, int, str]
"""Start and end of a piece of the text, and what replaces it."""

_COMMA = lazy_pattern(r"[ \t]*,")
_LINE_END = lazy_pattern(r"[ \t]*(?: \n|\r\n|\n|\r|$)")
_NEW_LINE = lazy_pattern(r"\r\n|\n|\r")


def entry_edits(
    text: str, place: EntryPlace, reference: Reference, fixes: Mapping[str, str], style: Style
) -> list[Edit]:
    """The edits that give the fields of an entry these values; an empty value removes the field.

    text: that of the file as it was decoded. A new field is written after the last one, like it. A field that the entry inherits
    from another is not edited. Raises ValueError if a value cannot be written.
    """
    edits: list[Edit] = []
    added: list[tuple[str, str]] = []
    for name, value in fixes.items():
        if name == TYPE:
            edits.append((*place.type, value))
            continue
        field = place.fields.get(name)
        if field is None and name in reference.fields:
            raise ValueError(f"`{name}` is inherited from another entry")
        if any(sign in value for sign in "{}\\") and name not in ("author", "editor"):
            raise ValueError(f"the value of `{name}` contains a brace or a backslash")
        if field is None and value:
            added.append((name, _value(reference, name, value, fixes, "", style)))
        elif field is not None and value:
            before = text[field.start : field.end]
            edits.append((field.start, field.end, _value(reference, name, value, fixes, before, style)))
        elif field is not None:
            edits.append(_removal(text, field, place))
    if added:
        edits.append(_insertion(text, place, added))
    return edits


def _value(reference: Reference, name: str, value: str, fixes: Mapping[str, str], before: str, style: Style) -> str:
    macro = macro_for(reference, name, value, fixes.get("year", reference.fields.get("year", "")))
    return macro or delimited(before, written_value(reference, name, value, style))


def _removal(text: str, field: FieldPlace, place: EntryPlace) -> Edit:
    """The field with its comma, and its line if it is alone on it. The last field takes the comma before it."""
    start, end = field.at, field.end
    comma = _COMMA.match(text, end)
    if comma:
        end = comma.end()
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    rest = _LINE_END.match(text, end)
    if not text[line:start].strip() and rest and line > place.start:
        return (line, rest.end(), "")
    if rest:  # the last one on its line
        return (line + len(text[line:start].rstrip()), end, "")
    return (start, end + len(text[end:]) - len(text[end:].lstrip(" \t")), "")


def _insertion(text: str, place: EntryPlace, added: Iterable[tuple[str, str]]) -> Edit:
    """The new fields after the last one of the entry: indented, aligned, delimited and ended like it."""
    last = max(place.fields.values(), key=lambda field: field.at)
    line = max(text.rfind("\n", 0, last.at), text.rfind("\r", 0, last.at)) + 1
    alone = not text[line : last.at].strip() and line > place.start
    indent = text[line : last.at] if alone else ""
    ends = _NEW_LINE.search(text, place.start, last.at)
    gap = f"{ends[0] if ends else chr(10)}{indent}" if alone else " "
    left, _, right = text[last.at : last.start].partition("=")
    heads = [text[field.at : field.start].partition("=")[0] for field in place.fields.values()]
    aligned = len({len(head) for head in heads}) == 1 and len({len(head.rstrip()) for head in heads}) > 1
    blanks = left[len(left.rstrip()) :]
    comma = _COMMA.match(text, last.end)
    written = "".join(
        f"{gap}{name.ljust(len(left)) if aligned else name + blanks}={right}{value}," for name, value in added
    )
    if comma:
        return (comma.end(), comma.end(), written)
    return (last.end, last.end, f",{written.removesuffix(',')}")
