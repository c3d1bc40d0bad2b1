"""INSPIRE keys, zbMATH numbers and bibcodes: their fields in references, and invalid ones."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import cited_identifiers
from pytest_citecheck.model import Identifiers, Location, Reference


def claimed(key: str = "a", **fields: str) -> Identifiers:
    return cited_identifiers(Reference(key, "article", fields, Location("refs.bib", 1, 1)))


@pytest.mark.parametrize(
    ("key", "texkey"),
    [
        ("Maldacena:1997re", "Maldacena:1997re"),
        ("ATLAS:2012yve", "ATLAS:2012yve"),
        ("O'Raifeartaigh:1975pr", "O'Raifeartaigh:1975pr"),
        ("maldacena1997", ""),
        ("DBLP:conf/x", ""),
        ("Smith:20121", ""),
        ("Smith:2012", ""),
    ],
)
def test_keys_of_inspire(key: str, texkey: str) -> None:
    assert claimed(key).texkey == texkey
    assert claimed(texkey=key).texkey == texkey


@pytest.mark.parametrize(
    ("fields", "zbl"),
    [
        ({"zbl": "0823.11029"}, "0823.11029"),
        ({"zblnumber": "Zbl 0823.11029"}, "0823.11029"),
        ({"zbmath": "https://zbmath.org/?q=an:0823.11029"}, "0823.11029"),
        ({"zbl": "59.1154.01; Zbl 0007.21601"}, "59.1154.01"),
        ({"zbl": "JFM 59.1154.01"}, "59.1154.01"),
        ({"zbl": "06684722"}, ""),
        ({"doi": "10.1000/0823.11029", "eprint": "0706.12345", "note": "0823.11029"}, ""),
    ],
)
def test_numbers_of_zbmath(fields: dict[str, str], zbl: str) -> None:
    assert claimed(**fields).zbl == zbl


@pytest.mark.parametrize(
    ("fields", "bibcode"),
    [
        ({"adsurl": "https://ui.adsabs.harvard.edu/abs/1998AJ....116.1009R"}, "1998AJ....116.1009R"),
        ({"adsurl": "http://adsabs.harvard.edu/abs/2020A%26A...641A...6P"}, "2020A&A...641A...6P"),
        ({"url": "https://ui.adsabs.harvard.edu/abs/2020A&A...641A...6P/abstract"}, "2020A&A...641A...6P"),
        ({"bibcode": "1965ApJ...142..419P"}, "1965ApJ...142..419P"),
        ({"bibcode": "1965ApJ...142"}, ""),
        ({"url": "https://example.org/1998AJ....116.1009R"}, ""),
    ],
)
def test_bibcodes(fields: dict[str, str], bibcode: str) -> None:
    assert claimed(**fields).bibcode == bibcode
    assert claimed(bibcode or "a").bibcode == bibcode


def test_what_slac_cites_helps_to_find_the_work_and_is_no_claim_of_the_author() -> None:
    eprint = claimed(slaccitation="%%CITATION = HEP-TH/9711200;%%")
    assert eprint.arxiv == "hep-th/9711200"
    assert set(eprint.unprinted) == {"arxiv"}
    assert claimed(slaccitation="%%CITATION = ARXIV:1207.7214;%%").arxiv == "1207.7214"
    journal = claimed(slaccitation="%%CITATION = PHLTA,B716,1;%%")
    assert (journal.arxiv, journal.arxiv_problem) == ("", "")
