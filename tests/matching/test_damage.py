"""Titles that show that letters of them were lost."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import is_damaged


@pytest.mark.parametrize(
    "title",
    [
        "t\u00e4k\u00af: a cache",
        "Poincar\u00b4e maps",
        "Schr\ufffddinger",
        "Schr?dinger",
        "M\u00c3\u00bcller",
        "a \u00e2\u20ac\u201c b",
        "a\x81b",
    ],
)
def test_damaged(title: str) -> None:
    assert is_damaged(title)


@pytest.mark.parametrize(
    "title",
    [
        "t\u00e4k\u014d: a cache",
        "What is a bird? A survey",
        "Why?Because",
        "\u00c3O PAULO",
        "Na\u00efve Bayes \u2013 a view",
        "",
    ],
)
def test_whole(title: str) -> None:
    assert not is_damaged(title)
