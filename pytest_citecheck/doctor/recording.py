"""Live answers to the witnesses, written as bodies that the conformance tests read.

Of an answer only what its parser reads is kept, which no terms forbid, and which holds no addresses of people. Of one that its
parser does not read, or that cannot be reduced, no value is kept but only which places there are: that is what the parser is
mended by.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.doctor.bodies import Body, body_of
from pytest_citecheck.doctor.shapes import read_shape
from pytest_citecheck.whole_file import whole_file

if TYPE_CHECKING:
    from pytest_citecheck.doctor.examination import Examined, LookUp
    from pytest_citecheck.model import Question
    from pytest_citecheck.services.base import Response, Source

__all__ = ["INDEX", "write_bodies"]

INDEX = "index.jsonl"
"""One line an answer: service, kind, witness, url, status, content_type, date; ``file``: its body, reduced to what is read, else
(``places``) the places that it has."""

_ENDINGS = {"JSON": "json", "XML": "xml"}


def write_bodies(folder: Path, examined: Iterable[Examined]) -> tuple[int, int]:
    """Write the answers into this folder, in place of earlier ones to the same questions; how many bodies, and places.

    Nothing is written of a service that gave no answer. Raises OSError.
    """
    rows = _known(folder / INDEX)
    bodies = places = 0
    for one in examined:
        for look_up in one.look_ups:
            written = _written(one.source, look_up)
            if written is None:
                continue
            name, content, is_body = written
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as file:
                file.write(content)
            rows[one.source.name, look_up.question.kind] = _row(one.source, look_up, name, is_body=is_body)
            bodies += is_body
            places += not is_body
    with whole_file(folder / INDEX) as file:
        file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for _, row in sorted(rows.items())).encode())
    return bodies, places


def _known(index: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    lines = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    return {(row["service"], row["kind"]): row for row in map(json.loads, lines)}


def _written(source: Source, look_up: LookUp) -> tuple[str, bytes, bool] | None:
    """The name and content of the file for an answer, and whether it is its body; None if there is nothing to write."""
    response = look_up.reply.response
    body = body_of(response.body) if response is not None and look_up.state in ("reachable", "shape changed") else None
    if response is None or body is None:
        return None
    place = f"{source.name}/{look_up.question.kind}"
    reduced = _reduced(source, look_up.question, response, body)
    if reduced is not None:
        return f"{place}.{_ENDINGS[body.format]}", reduced, True
    known = {name: "|".join(sorted(types)) for name, types in sorted(body.places().items())}
    return f"{place}.places.json", f"{json.dumps(known, indent=1, ensure_ascii=False)}\n".encode(), False


def _reduced(source: Source, question: Question, response: Response, body: Body) -> bytes | None:
    """The body with what the parser reads and nothing else; None if it reads nothing, or the format has no parts."""
    if body.format not in _ENDINGS:
        return None
    try:
        shape = read_shape(source, question, response)
        answer = source.parse([question], response)
    except Exception:  # noqa: BLE001 - however the parser fails, there is nothing to keep
        return None
    kept = {*shape.needed, *shape.read, *shape.unread}
    # One by one, as of two that say the same one has to stay.
    for place in shape.unread:
        fewer = {one for one in kept if one != place and not one.startswith(f"{place}/")}
        try:
            same = source.parse([question], replace(response, body=body.only(fewer))) == answer
        except Exception:  # noqa: BLE001 - it cannot do without
            same = False
        kept = fewer if same else kept
    return body.only(kept)


def _row(source: Source, look_up: LookUp, name: str, *, is_body: bool) -> dict[str, Any]:
    response = look_up.reply.response
    assert response is not None  # noqa: S101 - narrows the type
    return {
        "service": source.name,
        "kind": look_up.question.kind,
        "witness": look_up.question.value,
        "file": name,
        "places": not is_body,
        "url": look_up.reply.url,
        "status": response.status,
        "content_type": response.headers.get("content-type", ""),
        "date": response.date,
    }
