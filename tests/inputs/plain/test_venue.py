"""Text after the title of a printed reference: one row for each form."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import container, is_venue, lone_year, read_tail

# The text, its fields, and whether it certainly is a venue.
TAILS = [
    (
        "Neural Computation, vol. 9, no. 8, pp. 1735-1780, 1997",
        {
            "volume": "9",
            "number": "8",
            "pages": "1735-1780",
            "year": "1997",
            "type": "article",
            "journal": "Neural Computation",
        },
        True,
    ),
    (
        "Neural Computation. 1997;9(8):1735-80",
        {
            "year": "1997",
            "volume": "9",
            "number": "8",
            "pages": "1735-80",
            "type": "article",
            "journal": "Neural Computation",
        },
        True,
    ),
    (
        "Neural Computation 9, no. 8 (1997): 1735-80",
        {
            "volume": "9",
            "year": "1997",
            "pages": "1735-80",
            "number": "8",
            "type": "article",
            "journal": "Neural Computation",
        },
        True,
    ),
    (
        "Neural Computation 9.8 (1997): 1735-80",
        {
            "volume": "9",
            "number": "8",
            "year": "1997",
            "pages": "1735-80",
            "type": "article",
            "journal": "Neural Computation",
        },
        True,
    ),
    (
        "Neural Computation, 9(8), 1735-1780, 1997",
        {
            "volume": "9",
            "number": "8",
            "pages": "1735-1780",
            "year": "1997",
            "type": "article",
            "journal": "Neural Computation",
        },
        True,
    ),
    (
        "Neural Computation, 9, 1735-1780",
        {"volume": "9", "pages": "1735-1780", "type": "article", "journal": "Neural Computation"},
        True,
    ),
    (
        "In Proceedings of CVPR (pp. 770-778)",
        {"pages": "770-778", "type": "inproceedings", "booktitle": "Proceedings of CVPR"},
        True,
    ),
    ("In CVPR, 2016", {"year": "2016", "type": "inproceedings", "booktitle": "CVPR"}, True),
    (
        "In: Advances in Neural Information Processing Systems 30, pp. 5998-6008",
        {
            "pages": "5998-6008",
            "type": "inproceedings",
            "booktitle": "Advances in Neural Information Processing Systems 30",
        },
        True,
    ),
    (
        "In Journal of Machine Learning Research, 3, 993-1022",
        {"volume": "3", "pages": "993-1022", "type": "article", "journal": "Journal of Machine Learning Research"},
        True,
    ),
    ("CVPR 2016", {"year": "2016", "type": "inproceedings", "booktitle": "CVPR 2016"}, True),
    ("CVPR, 2017", {"year": "2017", "type": "inproceedings", "booktitle": "CVPR"}, True),
    ("X (2017)", {"year": "2017", "type": "misc", "howpublished": "X"}, False),
    (
        "arXiv preprint arXiv:1706.03762, 2017",
        {"year": "2017", "type": "article", "journal": "arXiv preprint arXiv:1706.03762"},
        True,
    ),
    (
        "ArXiv e-prints, 1907.02444 [cs.CR], July 2019",
        {"year": "2019", "type": "article", "journal": "ArXiv e-prints, 1907.02444 [cs.CR]"},
        True,
    ),
    ("J. Mol. Biol., 12, 3-4", {"volume": "12", "pages": "3-4", "type": "article", "journal": "J. Mol. Biol"}, True),
    (
        "Publ. Math. Inst. Hautes Études Sci.",
        {"type": "article", "journal": "Publ. Math. Inst. Hautes Études Sci"},
        True,
    ),
    ("Springer, 2001. 2003", {"year": "2001", "type": "misc", "howpublished": "Springer"}, True),
    ("Phys. Rev. Lett. 12", {"type": "article", "journal": "Phys. Rev. Lett. 12"}, True),
    ("Nat. Commun. Five words after it here", {"type": "article", "journal": "Nat"}, False),
    ("Nat. Commun. Six words after it here now", {"type": "article", "journal": "Nat"}, False),
    ("Nat. five words After it", {"type": "article", "journal": "Nat"}, False),
    ("Some workshop on things", {"type": "inproceedings", "booktitle": "Some workshop on things"}, False),
    ("Some Institute of Things", {"type": "misc", "howpublished": "Some Institute of Things"}, False),
    ("2017", {"year": "2017"}, False),
    ("In 2017", {"year": "2017"}, True),
    ("Proceedings of the IEEE", {"type": "article", "journal": "Proceedings of the IEEE"}, True),
    ("Journal of Fun 5", {"type": "article", "journal": "Journal of Fun 5"}, False),
    ("Grand. Meeting of friends", {"type": "inproceedings", "booktitle": "Grand. Meeting of friends"}, False),
    ("Berlin. Springer Verlag", {"type": "misc", "howpublished": "Berlin. Springer Verlag"}, True),
    ("NeurIPS. Vancouver, Canada", {"type": "inproceedings", "booktitle": "NeurIPS"}, False),
    ("Comput. Linguist. A b c d", {"type": "misc", "howpublished": "Comput. Linguist. A b c d"}, False),
    ("Comput. A b c d E", {"type": "misc", "howpublished": "Comput. A b c d E"}, False),
    ("Comput. A b c d E f", {"type": "misc", "howpublished": "Comput"}, False),
    (
        "Proc. of the Royal Society, 2001",
        {"year": "2001", "type": "article", "journal": "Proc. of the Royal Society"},
        False,
    ),
    ("The Conf on Birds", {"type": "inproceedings", "booktitle": "The Conf on Birds"}, False),
    ("Meeting on Birds (2001)", {"year": "2001", "type": "inproceedings", "booktitle": "Meeting on Birds"}, False),
    ("University of Bern, pages 3-9.", {"pages": "3-9", "type": "misc", "howpublished": "University of Bern"}, True),
]


@pytest.mark.parametrize(("text", "fields", "certain"), TAILS, ids=[text for text, *_ in TAILS])
def test_the_details_of_a_venue(text: str, fields: dict[str, str], certain: bool) -> None:
    assert read_tail(text) == fields
    assert is_venue(text) == certain
    assert read_tail(f" {text};") == fields


@pytest.mark.parametrize(
    ("venue", "alone", "with_volume"),
    [
        ("NeurIPS", "booktitle", "booktitle"),
        ("Nature", "journal", "journal"),
        ("arXiv", "journal", "journal"),
        ("Proceedings of the IEEE", "journal", "journal"),
        ("Proceedings of the Royal Society", "journal", "journal"),
        ("Proceedings of the Bird Society", "booktitle", "journal"),
        ("Journal of Birds", "journal", "journal"),
        ("Birds", "howpublished", "journal"),
        ("Symposium on Birds", "booktitle", "journal"),
        ("PMLR", "howpublished", "journal"),
    ],
)
def test_the_field_of_a_venue(venue: str, alone: str, with_volume: str) -> None:
    types = {"booktitle": "inproceedings", "journal": "article", "howpublished": "misc"}
    assert container(venue) == (types[alone], alone)
    assert container(venue, volume=True) == (types[with_volume], with_volume)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Zurich, 2019", "2019"),
        ("Zurich, 2019a.", "2019"),
        ("Zurich, Sept. 3, 2019.", "2019"),
        ("held in 2019 in Rome", "2019"),
        ("Zurich, 2019; Rome, 2020", ""),
        ("held in 2018, again in 2019 in Rome", ""),
        ("held in 2018 and 2019 in Rome", ""),
        ("held in 2018 and 2018 in Rome", "2018"),
        ("pages 2001-2019", ""),
        ("Zurich, 1499", ""),
        ("", ""),
    ],
)
def test_the_one_year_of_a_text(text: str, year: str) -> None:
    assert lone_year(text) == year


def test_a_name_of_absurd_length_is_no_venue() -> None:
    longest = "W" * 249
    assert read_tail(f"{longest}, 2001") == {"year": "2001", "type": "misc", "howpublished": longest}
    assert read_tail(f"W{longest}, 2001") == {"year": "2001"}
    preprint = "arXiv preprint " + "w" * 234
    assert is_venue(preprint)
    assert not is_venue(f"{preprint}w")
