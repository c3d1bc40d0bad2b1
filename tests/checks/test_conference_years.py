"""Conference papers cited one year off: wrong years, and years that belong to something else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import absent, covering, evaluated, outcome, record, reference, silent

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


def twice(year: int, venue: str = "ICML", **fields: Any) -> list[QueryResult | Record]:
    return [at(year, venue, **fields), at(year, venue, "mlanthology", **fields)]


def preprint(year: int, arxiv: str = "1809.00001") -> Record:
    return at(year, "arXiv", "arxiv", arxiv=arxiv, type="preprint")


STRENGTH = {"registry": "strong", "two records": "strong", "syntax": "strong", "single record": "weak"}
"""How strong each kind of evidence is."""
ICML_2019 = "36th International Conference on Machine Learning, ICML 2019, Long Beach, California, USA, June 9-15, 2019"
ICPR = (
    "25th International Conference on Pattern Recognition, ICPR 2020, Virtual Event / Milan, Italy, January 10-15, 2021"
)
ECCV_2016 = "Computer Vision - ECCV 2016 - 14th European Conference, Amsterdam, The Netherlands, October 11-14, 2016"
ECCV_2020 = "Computer Vision - ECCV 2020 - 16th European Conference, Glasgow, UK, August 23-28, 2020"


def in_june() -> list[QueryResult | Record]:
    return [at(2019, ICML_2019), at(2019, source="mlanthology")]


@pytest.mark.parametrize(
    ("reference_", "lines", "strength"),
    [
        (cited(2019), twice(2019), ""),
        # Strong evidence needs two collections, and a source that covers the cited venue in the cited year.
        (cited(2018), twice(2019), "weak"),
        (cited(2018), [*twice(2019), covering("icml", 2018)], "strong"),
        (cited(2018), [*twice(2019), covering("icml", 2019)], "weak"),
        (cited(2018), [*twice(2019), covering("icml", 2018, "crossref")], "weak"),  # which was not searched by title
        (cited(2018), [at(2019)], "weak"),
        (cited(2018), [at(2019), covering("icml", 2018)], "weak"),
        (cited(2018), [at(2019), at(2019, source="dblp-crawl"), covering("icml", 2018)], "weak"),
        (cited(2018), [at(2019), at(2019, source="openalex", compiled=True), covering("icml", 2018)], "weak"),
        # A later year may be that of the volume, unless the event is known to have been in the first half of the year.
        (cited(2020), twice(2019), "weak"),
        (cited(2020), [*twice(2019), covering("icml", 2020)], "weak"),
        (cited(2020), in_june(), "weak"),
        (cited(2020), [*in_june(), covering("icml", 2020)], "strong"),
        (cited(2020, eventdate="2019"), [*twice(2019), covering("icml", 2020)], "weak"),
        (cited(2020, eventdate="December 8, 2019"), [*twice(2019), covering("icml", 2020)], "weak"),
        (cited(2020, eventdate="June 9, 2019"), [*twice(2019), covering("icml", 2020)], "strong"),
        (cited(2020), [*in_june(), at(2020, source="papercopilot"), covering("icml", 2020)], ""),
        (cited(2020, journal="ICML", booktitle=""), [*in_june(), covering("icml", 2020)], "strong"),
        (cited(2020, "ICML Workshop on Engines"), [*twice(2019, "ICML Workshop on Engines"), covering("icml", 2020)],
         "weak"),
        # another version of that year, or one between a preprint and the proceedings
        (cited(2018), [*twice(2019), preprint(2018), covering("icml", 2018)], ""),
        (cited(2018), [*twice(2019), preprint(2017, "1709.00001"), covering("icml", 2018)], ""),
        (cited(2020), [*in_june(), preprint(2018), covering("icml", 2020)], "strong"),
        (cited(2018, eprint="1809.00001"), [*twice(2019), absent("index", "arxiv", "1809.00001")], ""),
        (cited(2020), [*in_june(), at(2020, "Nature", "crossref", type="article"), covering("icml", 2020)], ""),
        (cited(2018), [*twice(2019), silent("arxiv"), covering("icml", 2018)], ""),
        (cited(2018), [*twice(2019), silent("arxiv", reason="offline")], "weak"),
        (cited(2018), [*twice(2019), silent("arxiv", reason="offline"), covering("icml", 2018)], "strong"),
        # the date of the event
        (cited(2021, "ICPR"), [at(2020, ICPR), at(2020, "ICPR", "papercopilot")], ""),
        (cited(2021, ICPR), twice(2020, "ICPR"), ""),
        (cited(2021, "ICPR", eventdate="January 10, 2021"), twice(2020, "ICPR"), ""),
        (cited(2019, "ICPR"), [at(2020, ICPR), at(2020, "ICPR", "papercopilot")], "weak"),
        (cited(2019, "ICPR"), [at(2020, ICPR), at(2020, "ICPR", "papercopilot"), covering("icpr", 2019)], "strong"),
        (cited(2021, "ICPR", doi="10.1109/icpr48806.2021.9412345"), twice(2020, "ICPR"), ""),
        (cited(2021, "IJCAI", doi="10.24963/ijcai.2020/216"), twice(2020, "IJCAI"), ""),
        (cited(2020, "IJCAI", doi="10.24963/ijcai.2019/216"), twice(2019, "IJCAI"), "strong"),
        # the volume is printed after the event
        (cited(2025, "ECCV"), twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8"), ""),
        (cited(2023, "ECCV"), twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8"), "weak"),
        (cited(2023, "ECCV"), [*twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8"), covering("eccv", 2023)], "strong"),
        (cited(2017, "ECCV", publisher="Springer"), [at(2016, ECCV_2016), at(2016, "ECCV", "papercopilot")], ""),
        (cited(2021, "ECCV", publisher="Springer"), [at(2020, ECCV_2020), at(2020, "ECCV", "papercopilot")], "weak"),
        (cited(2021, "ECCV", publisher="Springer"), [at(2020, ECCV_2020), at(2020, "ECCV", "papercopilot"),
                                                     covering("eccv", 2021)], "strong"),
        (cited(2023, "CoRL"), [*twice(2022, "CoRL"), covering("corl", 2023)], ""),
        (cited(2021, "CoRL"), twice(2022, "CoRL"), "weak"),
        (cited(2021, "CoRL"), [*twice(2022, "CoRL"), covering("corl", 2021)], "strong"),
        (cited(1988, "ICML"), [*twice(1987), covering("icml", 1988)], ""),
        # NeurIPS: the printer dates volumes by the next year, and until 2008 so did the publisher.
        (cited(2001, "NIPS"), [*twice(2000, "NeurIPS"), covering("neurips", 2001)], ""),
        (cited(2019, "NIPS"), twice(2018, "NeurIPS"), "hint"),
        (cited(2019, "NIPS"), [*twice(2018, "NeurIPS"), covering("neurips", 2019)], "hint"),
        (cited(2017, "NIPS"), twice(2018, "NeurIPS"), "weak"),
        (cited(2017, "NIPS"), [*twice(2018, "NeurIPS"), covering("neurips", 2017)], "strong"),
    ],
)  # fmt: skip
def test_one_year_off(reference_: Reference, lines: list[QueryResult | Record], strength: str) -> None:
    finding = evaluated(reference_, *lines).findings["cross_db"]
    hint = "hint" if finding.code == "year-printed" else ""
    assert (STRENGTH[finding.evidence] if finding.evidence else hint) == strength


@pytest.mark.parametrize(
    "lines",
    [
        (cited(2025, "ECCV"), twice(2024, "ECCV", doi="10.1007/978-3-031-72624-8_8")),
        (cited(2023, "CoRL"), twice(2022, "CoRL")),
        (cited(2001, "NIPS"), twice(2000, "NeurIPS")),
        (cited(1988, "ICML"), twice(1987)),
    ],
)
def test_a_year_in_which_the_volume_may_have_been_printed_is_open(
    lines: tuple[Reference, list[QueryResult | Record]],
) -> None:
    assert outcome(lines[0], "cross_db", *lines[1]) == ("unverifiable", "year-unclear")


def test_one_collection_convicts_where_many_references_are_wrong() -> None:
    assert outcome(cited(2018), "cross_db", at(2019), prior=0.3) == ("failed", "year-other")
    assert outcome(cited(2018), "cross_db", at(2019), prior=0.0004) == ("failed", "year-other")


def test_a_year_of_which_the_user_is_warned_leaves_the_reference_undecided() -> None:
    assert evaluated(cited(2018), *twice(2019)).verdict.name == "undecided"
    assert evaluated(cited(2019, "NIPS"), *twice(2018, "NeurIPS")).verdict.name == "verified"  # only a hint


def test_the_year_of_the_proceedings_is_the_fix() -> None:
    found = evaluated(cited(2018), *twice(2019)).findings["cross_db"]
    assert (found.cited, found.found, found.fixes) == ("2018", "2019", {"year": "2019"})
    assert "DBLP, ML Anthology" in found.message
