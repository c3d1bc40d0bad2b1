"""``citecheck fix -i``: the user decides about one finding at a time."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pytest_citecheck.cli.screen import say

if TYPE_CHECKING:
    from pytest_citecheck.cli.entries.mending import Place
    from pytest_citecheck.fixing.corrections import Correction
    from pytest_citecheck.model import Reference
    from pytest_citecheck.verdict import Evaluation

__all__ = ["Choices", "choose"]

Written = Mapping["Place", tuple["Reference", tuple["Correction", ...]]]

_KEYS: Final = "[a]ccept, [w]aive, [s]kip, [o]pen the record, [q]uit? "


@dataclass(slots=True)
class Choices:
    """The decisions of the user. accepted: corrections to write. waived: file, key, code and reason of findings to accept."""

    accepted: dict[Place, tuple[Reference, tuple[Correction, ...]]] = field(default_factory=dict)
    waived: list[tuple[str, str, str, str]] = field(default_factory=list)


def choose(
    written: Written,
    evaluations: Mapping[Place, tuple[Reference, Evaluation]],
) -> Choices:
    """Ask about each finding on the terminal, until the input ends."""
    choices = Choices()
    for place, reference, found in _findings(written):
        finding = evaluations[place][1].findings.get(found[0].check) if place in evaluations else None
        url = finding.record.url if finding is not None and finding.record is not None else ""
        say("")
        say(f"{place[0]}:{reference.location.line} {reference.key} [{found[0].check}] {found[0].code}")
        for one in found:
            say(f"  old: {one.field} = {{{reference.fields.get(one.field, '')}}}")
            say(f"  new: {one.field} = {{{one.value}}}" if one.value else f"  new: no {one.field}")
        if finding is not None:
            say(f"  why: {finding.message}")
        say(f"  by:  {', '.join(found[0].vouched) or 'one source only'}{f' ({url})' if url else ''}")
        answer = _answer(url)
        if answer == "a":
            _, before = choices.accepted.get(place, (reference, ()))
            choices.accepted[place] = reference, (*before, *found)
        elif answer == "w":
            reason = " ".join(input("reason: ").split()) or "accepted by hand"
            choices.waived.append((place[0], reference.key, found[0].code, reason))
        elif answer == "q":
            break
    return choices


def _findings(written: Written) -> Iterator[tuple[Place, Reference, tuple[Correction, ...]]]:
    """Group corrections by finding."""
    for place, (reference, found) in written.items():
        ordered = sorted(found, key=lambda one: (one.check, one.code))
        for _, group in groupby(ordered, key=lambda one: (one.check, one.code)):
            yield place, reference, tuple(group)


def _answer(url: str) -> str:
    """The first letter of an answer that is one of the keys; quit at the end of the input."""
    while True:
        try:
            answer = input(_KEYS).strip().lower()[:1]
        except EOFError:
            return "q"
        if answer == "o" and url.startswith(("https://", "http://")):
            webbrowser.open(url)
        elif answer == "o":
            say("  no record with an address")
        elif answer in ("a", "w", "s", "q"):
            return answer
