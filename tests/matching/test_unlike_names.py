"""Names of venues that cannot be one venue: both are full names, and they have no word in common."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import have_no_common_word


@pytest.mark.parametrize(
    ("name", "other", "journals", "unlike"),
    [
        ("Annals of Botany", "Journal of Applied Physics", True, True),
        ("Am J Obstet Gynecol", "Journal of Visual Communication and Image Representation", True, True),
        ("Tidskrift för genusvetenskap", "International Journal of Clinical Practice", True, True),
        ("J. Appl. Phys.", "Journal of Applied Physics", True, False),
        # a single word: the name of a journal, not an acronym
        ("NeuroImage", "Cancer Epidemiology", True, True),
        ("Engineering", "Applied Psychology", True, True),
        ("NeuroImage", "Journal of Image Analysis", True, False),
        ("Eurocrypt", "Advances in Cryptology", True, False),
        ("PAMI", "Pattern Analysis and Machine Intelligence", True, False),
        ("Mobihoc", "Symposium on Ad Hoc Networking", False, False),
        ("Cell", "Annals of Botany", True, False),
        # another script
        ("Вестник математики", "Annals of Botany", True, False),
    ],
)
def test_names_without_a_common_word(name: str, other: str, journals: bool, unlike: bool) -> None:
    assert have_no_common_word(name, other, journals=journals) == unlike
    assert have_no_common_word(other, name, journals=journals) == unlike
