"""Conference papers cited one year off: when the year is wrong, and when it is that of something else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import Asked, Record, Reference
from tests.support.evidence_builders import absent, evaluated, outcome, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"


def cited(year: int, venue: str = "ICML", **fields: str) -> Reference:
    return reference(
        "inproceedings",
        **{"author": "Ada Lovelace and Alan Turing", "title": TITLE, "booktitle": venue, "year": str(year)} | fields,
    )


def at(year: int, venue: str = "ICML", source: str = "dblp", **fields: Any) -> Record:
    stated = {"type": "inproceedings", "id": f"{source} {year}"} | fields
    return record(TITLE, TWO, source=source, venue=venue, year=year, **stated)


def twice(year: int, venue: str = "ICML", **fields: Any) -> list[Asked | Record]:
    return [at(year, venue, **fields), at(year, venue, "mlanthology", **fields)]


def preprint(year: int, arxiv: str = "1809.00001") -> Record:
    return at(year, "arXiv", "arxiv", arxiv=arxiv, type="preprint")


WRONG = ("failed", "year-other")
ICPR = (
    "25th International Conference on Pattern Recognition, ICPR 2020, Virtual Event / Milan, Italy, January 10-15, 2021"
)
ECCV_2016 = "Computer Vision - ECCV 2016 - 14th European Conference, Amsterdam, The Netherlands, October 11-14, 2016"
ECCV_2020 = "Computer Vision - ECCV 2020 - 16th European Conference, Glasgow, UK, August 23-28, 2020"


@pytest.mark.parametrize(
    ("reference_", "lines", "wrong"),
    [
        (cited(2020), twice(2019), True),
        (cited(2018), twice(2019), True),
        (cited(2019), twice(2019), False),
        (cited(2020), [at(2019)], False),
        (cited(2020), [at(2019), at(2019, source="dblp-crawl")], False),
        (cited(2020), [at(2019), at(2019, source="openalex", compiled=True)], False),
        (cited(2020), [*twice(2019), at(2020, source="papercopilot")], False),
        (cited(2020, journal="ICML", booktitle=""), twice(2019), True),
        (cited(2020, "ICML Workshop on Engines"), twice(2019, "ICML Workshop on Engines"), False),
        # another version of that year, or one between a preprint and the proceedings
        (cited(2018), [*twice(2019), preprint(2018)], False),
        (cited(2018), [*twice(2019), preprint(2017, "1709.00001")], False),
        (cited(2020), [*twice(2019), preprint(2018)], True),
        (cited(2018, eprint="1809.00001"), [*twice(2019), absent("index", "arxiv", "1809.00001")], False),
        (cited(2020), [*twice(2019), at(2020, "Nature", "crossref", type="article")], False),
        (cited(2018), [*twice(2019), silent("arxiv")], False),
        (cited(2018), [*twice(2019), silent("arxiv", reason="offline")], True),
        # the date of the event
        (cited(2021, "ICPR"), [at(2020, ICPR), at(2020, "ICPR", "papercopilot")], False),
        (cited(2021, ICPR), twice(2020, "ICPR"), False),
        (cited(2021, "ICPR", eventdate="January 10, 2021"), twice(2020, "ICPR"), False),
        (cited(2019, "ICPR"), [at(2020, ICPR), at(2020, "ICPR", "papercopilot")], True),
        (cited(2021, "ICPR", doi="10.1109/icpr48806.2021.9412345"), twice(2020, "ICPR"), False),
        (cited(2021, "IJCAI", doi="10.24963/ijcai.2020/216"), twice(2020, "IJCAI"), False),
        (cited(2020, "IJCAI", doi="10.24963/ijcai.2019/216"), twice(2019, "IJCAI"), True),
        # the volume is printed after the event
        (cited(2025, "ECCV"), twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8"), False),
        (cited(2023, "ECCV"), twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8"), True),
        (cited(2017, "ECCV", publisher="Springer"), [at(2016, ECCV_2016), at(2016, "ECCV", "papercopilot")], False),
        (cited(2021, "ECCV", publisher="Springer"), [at(2020, ECCV_2020), at(2020, "ECCV", "papercopilot")], True),
        (cited(2023, "CoRL"), twice(2022, "CoRL"), False),
        (cited(2021, "CoRL"), twice(2022, "CoRL"), True),
        (cited(2001, "NIPS"), twice(2000, "NeurIPS"), False),
        (cited(2019, "NIPS"), twice(2018, "NeurIPS"), True),
        (cited(1988, "ICML"), twice(1987), False),
    ],
)  # fmt: skip
def test_one_year_off(reference_: Reference, lines: list[Asked | Record], wrong: bool) -> None:
    assert (outcome(reference_, "cross_db", *lines) in (WRONG, ("failed", "year-doi"))) == wrong


def test_the_year_of_the_proceedings_is_the_fix() -> None:
    found = evaluated(cited(2018), *twice(2019)).findings["cross_db"]
    assert (found.cited, found.found, found.fixes) == ("2018", "2019", {"year": "2019"})
    assert "DBLP, ML Anthology" in found.message
