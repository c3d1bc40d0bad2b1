"""The result of ``citecheck doctor`` as lines of at most 100 characters, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_citecheck.transport.limits.retry import stated_rate
from pytest_citecheck.transport.secrets.identity import Identity

if TYPE_CHECKING:
    from pytest_citecheck.doctor.examination import Examined, LookUp
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["SCHEMA", "as_json", "lines"]

SCHEMA = "citecheck-doctor/1"

_WIDTH = 100
_HEADER = ("source", "state", "key", "limit", "answered", "confirmed", "terms")
_UNKNOWN = "unknown"
_OPEN = {True: "open", False: "private"}
_MOST_LINES = 4  # of one look-up in the table of all sources


def lines(
    examined: Sequence[Examined], settings: TransportSettings, last: Mapping[str, str], *, whole: bool
) -> Iterator[str]:
    """The table, with what is wrong below each source. whole: also its terms, and all that its headers state."""
    rows = [_HEADER, *(_row(one, settings, last) for one in examined)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if number:
            one = examined[number - 1]
            yield from _details(one, whole=whole)


def _row(one: Examined, settings: TransportSettings, last: Mapping[str, str]) -> tuple[str, ...]:
    name = one.source.name
    key = {"": "-", "none": "needed" if one.off and "key" in _why(one) else "none"}.get(one.key, one.key)
    return (
        name,
        f"off: {_why(one).partition(' ')[0]}" if one.state == "off" else one.state,
        key,
        _limit(one, settings),
        last.get(name, "-")[:10],
        "no" if one.source.unconfirmed else "yes",
        _OPEN[one.source.terms.raw] if one.source.terms.said != _UNKNOWN else _UNKNOWN,
    )


def _why(one: Examined) -> str:
    return next(iter(one.off.values()), "").partition(":")[0]


def _limit(one: Examined, settings: TransportSettings) -> str:
    """What its headers state, else what is kept to."""
    stated = stated_rate(one.limits)
    pool = one.limits.get("x-api-pool", "")
    if stated is not None:
        return f"{_rate(stated)} {pool or '(stated)'}"
    wanted = settings.rates.get(one.source.name) or Identity.of(settings).rate(one.source)
    return _rate(wanted.per_second)


def _rate(per_second: float) -> str:
    return f"{round(per_second, 3):g}/s"


def _details(one: Examined, *, whole: bool) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for look_up in one.look_ups:
        if look_up.detail or whole:
            state = "" if look_up.state == one.state and look_up.detail else look_up.state
            text = ": ".join(filter(None, (state, look_up.detail or _noted(look_up))))
            said.setdefault(text, []).append(look_up.question.kind)
    for text, kinds in said.items():
        yield from _wrapped(f"{', '.join(kinds)}: {text}", whole=whole)
    if whole and not one.source.samples():
        yield "    never looked up: it declares no work that it certainly has"
    partly = {kind: reason for kind, reason in one.off.items() if one.state != "off" or whole}
    for reason in dict.fromkeys(partly.values()):
        closed = ", ".join(kind for kind, stated in partly.items() if stated == reason)
        yield from _wrapped(f"not asked for {closed}: {reason}", whole=whole)
    if whole:
        headers = (f"{name}: {value}" for name, value in sorted(one.limits.items()))
        notes = {
            "limits": one.source.limits,
            "headers": "; ".join(headers),
            "terms": _terms(one),
            "unconfirmed": one.source.unconfirmed,
            "documentation": one.source.documentation,
        }
        for name, text in notes.items():
            if text:
                yield from _wrapped(f"{name}: {text}", whole=True)


def _noted(look_up: LookUp) -> str:
    """What is no fault."""
    changed = look_up.change
    said = [] if look_up.compared else ["no shape to compare with"]
    said += [f"not stated: {', '.join(changed.lacking)}"] if changed.lacking else []
    said += [f"new: {', '.join(changed.new)}"] if changed.new else []
    return "; ".join(said)


def _wrapped(text: str, *, whole: bool) -> Iterable[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="      ",
        max_lines=None if whole else _MOST_LINES,
        placeholder=" … (--source shows all)",
        break_on_hyphens=False,
    )


def _terms(one: Examined) -> str:
    terms = one.source.terms
    return f"{terms.said} ({'reported' if terms.reported else 'unconfirmed'})"


def as_json(examined: Sequence[Examined], settings: TransportSettings, last: Mapping[str, str], *, live: bool) -> str:
    """The whole result as JSON."""
    sources = [_plain(one, settings, last) for one in examined]
    return json.dumps({"schema": SCHEMA, "live": live, "sources": sources}, indent=1, ensure_ascii=False)


def _plain(one: Examined, settings: TransportSettings, last: Mapping[str, str]) -> dict[str, Any]:
    source = one.source
    return {
        "name": source.name,
        "label": source.label,
        "state": one.state,
        "on": one.state != "off",
        "not_asked": dict(one.off),
        "key": {"variable": source.credentials.variable, "found": one.key == "found"} if source.credentials else None,
        "mirror": one.mirrored,
        "limit": _limit(one, settings),
        "published_limits": source.limits,
        "headers": dict(sorted(one.limits.items())),
        "last_answer": last.get(source.name),
        "terms": {"said": source.terms.said, "reported": source.terms.reported, "raw": source.terms.raw},
        "confirmed": not source.unconfirmed,
        "unconfirmed": source.unconfirmed,
        "documentation": source.documentation,
        "look_ups": [_look_up(look_up) for look_up in one.look_ups],
    }


def _look_up(look_up: LookUp) -> dict[str, Any]:
    changed = look_up.change
    return {
        "kind": look_up.question.kind,
        "witness": look_up.question.value,
        "url": look_up.reply.url,
        "status": look_up.reply.response.status if look_up.reply.response else None,
        "state": look_up.state,
        "detail": look_up.detail,
        "compared": look_up.compared,
        "missing": list(changed.missing),
        "retyped": list(changed.retyped),
        "lost": list(changed.lost),
        "lacking": list(changed.lacking),
        "new": list(changed.new),
    }
