"""The ids of parametrised tests describe the case."""

from __future__ import annotations

import re

import pytest

from tests.support.evidence_builders import found, record, reference
from tests.support.parameter_ids import readable_id


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (("passed", "title-ok"), "passed, title-ok"),
        ({"year": 2001, "doi": "10.1/a"}, "year=2001, doi=10.1/a"),
        ({"b", "a"}, "a, b"),
        (b"\x1b\n<a>", r"\x1b <a>"),
        (b"\xff\x1b", "2 bytes"),
        ((), "none"),
        ("a::b \u2026", r"a:b \u2026"),
        (ValueError("no"), "ValueError"),
        (reference("misc", title="Looms", author="Ada Lovelace and Alan Turing"), "misc title=Looms"),
        (found(record("Looms", "Grace Hopper", year=2001)), "title crossref Looms Grace Hopper 2001"),
        ("x" * 100, "x" * 28 + " .. " + "x" * 16),
    ],
)
def test_values_become_words(value: object, text: str) -> None:
    assert readable_id(value) == text


def test_the_rest_is_left_to_pytest() -> None:
    assert [readable_id(value) for value in (7, None, "", object(), lambda: 1)] == [None] * 5


@pytest.mark.exhaustive
def test_no_parameter_is_a_number_in_a_list(request: pytest.FixtureRequest) -> None:
    numbered = []
    for item in request.session.items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            names = "|".join(map(re.escape, item.callspec.params))
            if re.search(rf"(^|-)(({names})\d+|<lambda>\d*)(-|$)", item.callspec.id):
                numbered.append(item.nodeid)
    assert numbered == []
