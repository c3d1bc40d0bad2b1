"""The shapes of answers beside the parsers, ``sources/shapes/NAME.json``: `python -m tests.stand_ins.shapes`.

They are those of the stand-ins' answers to the declared witnesses. Nothing else is held: what only other works have, a search
need not find elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.doctor import Shape, read_shape, shape_file, written
from pytest_citecheck.net import as_response
from pytest_citecheck.sources import SOURCES
from tests.stand_ins.facts import Facts
from tests.stand_ins.server import LocalServices

if TYPE_CHECKING:
    from pytest_citecheck.model import Query
    from pytest_citecheck.sources import Response, Source


def standing_in(services: LocalServices, source: Source, query: Query) -> Response:
    """The answer of the local service to this question alone."""
    request = source.request([query])
    path = request.url.removeprefix(source.base_url)
    _, reply = services.respond(
        "POST" if request.body else "GET", f"/{source.name}{path}", {"host": urlsplit(request.url).netloc}, request.body
    )
    return as_response(reply.status, {"content-type": reply.content_type, **reply.headers}, reply.body)


def shape_files(sources: Iterable[Source] = SOURCES) -> Mapping[Path, str]:
    """The files with their texts; without the sources whose stand-in does not show the witness."""
    shapes: dict[Path, dict[str, dict[str, Shape]]] = defaultdict(dict)
    services = LocalServices(Facts(()))
    with services:
        for source in sources:
            kinds: dict[str, Shape] = {}
            for kind, query in source.samples().items():
                try:
                    kinds[kind] = read_shape(source, query, standing_in(services, source, query))
                except ValueError:
                    continue
            if kinds:
                shapes[Path(str(shape_file(type(source))))][source.name] = kinds
    return {path: written(known) for path, known in shapes.items()}


if __name__ == "__main__":
    for path, text in shape_files().items():
        path.write_text(text, encoding="utf-8")
