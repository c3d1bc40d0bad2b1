"""Detection of titles in different languages."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import may_be_translation


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("On the electrodynamics of moving bodies", "Zur Elektrodynamik bewegter Körper", True),
        ("On a problem of graph theory", "Об одной задаче теории графов", True),
        ("The theory of functions", "Théorie des fonctions et de leurs dérivées", True),
        ("A survey of deep learning", "深度学习综述", True),
        ("Sobre la teoría de los números y las formas", "On the theory of numbers and forms", True),
        ("On the theory of engines", "On the practice of engines", False),
        ("Deep learning", "Tiefes Lernen", False),
        ("Deep learning", "Machine intelligence of today", False),
        ("", "On the theory of engines", False),
    ],
)
def test_two_languages(one: str, other: str, expected: bool) -> None:
    assert may_be_translation(one, other) is expected
    assert may_be_translation(other, one) is expected


@pytest.mark.parametrize(
    ("cited", "found", "expected"),
    [
        ("Yaşlı bireylerde düşme korkusu", "Fear of falling in older adults", True),
        ("Hjärtsvikt och långvarig smärta", "Heart failure, chronic pain", True),
        ("Schrödinger operators in one dimension", "Spectra of operators", False),
        ("Erdős–Rényi graphs and Szemerédi regularity", "Gödel, Escher, Bach", False),
    ],
)
def test_accents_tell_where_function_words_do_not(cited: str, found: str, expected: bool) -> None:
    assert may_be_translation(cited, found) is expected
