"""A source as users write it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import assert_type

from pytest_citecheck.api import (
    Absent,
    Answer,
    Found,
    MalformedAnswerError,
    Person,
    Query,
    Rate,
    Record,
    Request,
    Response,
    Source,
)


class Shelf(Source):
    name = "shelf"
    label = "Our library"
    base_url = "https://library.example.org"
    documentation = "https://library.example.org/api"
    batch = {"title": 1, "doi": 50}  # noqa: RUF012 - as the protocol has it
    keeps_author_order = True
    rate = Rate(per_second=5, concurrency=2)
    limits = "5 requests a second"
    absence = "no evidence"
    authoritative_for = ("title", "authors")

    def accepts(self, query: Query) -> bool:
        return query.kind == "title"

    def request(self, queries: Sequence[Query]) -> Request:
        return Request(self.name, f"{self.base_url}/search?title={queries[0].value}")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        try:
            title: str = json.loads(response.body)["title"]
        except (ValueError, KeyError) as error:
            raise MalformedAnswerError(str(error)) from error
        record = Record(
            self.name, "1", title=title, authors=(Person(family="Quillfeather", given="Ada"),), years=(1999,)
        )
        return {query: Found((record,)) if title else Absent() for query in queries}


source: Source = Shelf()
assert_type(source.rate, Rate)
assert_type(source.parse([], Response(200, b"{}")), dict[Query, Answer])
