"""Data encoded in identifiers: the table with its own examples, manually decoded DOIs, and arbitrary DOIs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import (
    VOLUME,
    DoiPattern,
    all_venues,
    doi_patterns,
    match_arxiv_id,
    match_doi,
    normalise_doi,
    parse_venue,
    volume_name,
    volume_of,
)

FORMS = doi_patterns()
CVPR = "10.1109/cvpr52688.2022.00042"
OF_EMNLP = "10.18653/v1/2021.findings-emnlp.12"


def ids(names: tuple[str, ...]) -> set[str]:
    return {venue.id for name in names for venue in parse_venue(name).venues}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.id)
def test_a_row_says_what_its_examples_say_and_names_known_venues_and_a_source(form: DoiPattern) -> None:
    assert form.source
    assert form.examples
    assert bool(form.codes) != bool(form.venue)
    for doi, (venue, year) in form.examples.items():
        assert normalise_doi(doi) == doi
        found = match_doi(doi)
        assert found is not None
        assert (found.form, found.year) == (form.id, year)
        assert venue in ids(found.venues)
    for names in (*form.codes.values(), form.venue):
        assert all(ids((name,)) for name in names), names


@pytest.mark.parametrize(
    ("doi", "text", "first", "last"),
    [
        # Conferences: the year is that of the conference.
        (CVPR, "CVPR 2022", 2022, 2022),
        ("10.1109/cvprw56347.2022.00310", "CVPR Workshops 2022", 2022, 2022),
        ("10.1609/aaai.v39i1.31979", "AAAI 2025", 2025, 2025),  # volume 39 = 1986 + 39
        ("10.18653/v1/w19-5012", None, None, None),  # W: any workshop
        ("10.18653/v1/d19-5012", None, None, None),  # volumes other than the first are workshops, too
        ("10.18653/v1/d19-1012", "EMNLP 2019", 2019, 2019),
        (OF_EMNLP, "Findings of EMNLP 2021", 2021, 2021),
        ("10.18653/v1/2020.acl-demos.10", None, None, None),
        ("10.24963/ijcai.2020/7", "IJCAI 2020", 2020, 2021),  # held in January 2021
        ("10.24963/ijcai.2019/7", "IJCAI 2019", 2019, 2019),
        # Volumes: printed in the year before or after.
        ("10.1145/3292500.3330701", "KDD 2019", 2018, 2020),
        ("10.1145/1.1", None, None, None),
        # Journals: the year in which the article was taken in, then years until its issue.
        ("10.1109/tpami.2021.3050505", "IEEE Transactions on Pattern Analysis and Machine Intelligence 2021", 2020, 2025),
        ("10.1038/s41586-021-03819-2", "Nature 2021", 2020, 2023),
        ("10.1371/journal.pone.0065869", "PLOS ONE", None, None),
        ("10.1371/journal.pxyz.0065869", None, None, None),
        ("10.1016/j.neunet.2014.09.003", "Neural Networks 2014", 2013, 2017),
        # Preprints: of that year or later, since versions follow.
        ("10.48550/arxiv.1706.03762", "arXiv 2017", 2017, None),
        ("10.48550/arxiv.1901.00001", "arXiv 2019", 2018, None),  # submitted in the last days of 2018
        ("10.48550/arxiv.hep-th/9711200", "arXiv 1997", 1997, None),
        ("10.1101/2025.06.10.658949", "bioRxiv 2025", 2025, None),
        ("10.1101/385534", None, None, None),
        ("10.1000/nothing", None, None, None),
        ("", None, None, None),
    ],
)  # fmt: skip
def test_a_doi_is_read(doi: str, text: str | None, first: int | None, last: int | None) -> None:
    found = match_doi(doi)
    if text is None:
        assert found is None
    else:
        assert found is not None
        assert (found.text, found.first, found.last) == (text, first, last)


@pytest.mark.parametrize(
    ("identifier", "year", "month"),
    [("1706.03762", 2017, 6), ("0704.0001", 2007, 4), ("hep-th/9711200", 1997, 11), ("math/0309136", 2003, 9)],
)
def test_an_arxiv_id_says_year_and_month(identifier: str, year: int, month: int) -> None:
    found = match_arxiv_id(identifier)
    assert found is not None
    assert (found.year, found.month) == (year, month)


@pytest.mark.parametrize("identifier", ["", "1713.00001", "nonsense"])
def test_what_is_no_arxiv_id_says_nothing(identifier: str) -> None:
    assert match_arxiv_id(identifier) is None


@pytest.mark.parametrize(
    ("doi", "venue", "expected"),
    [
        (CVPR, "IEEE/CVF Conference on Computer Vision and Pattern Recognition", "same"),
        (CVPR, "NeurIPS", "different"),
        (CVPR, "Journal of Machine Learning Research", "different"),
        (CVPR, "arXiv preprint arXiv:2106.00001", "unknown"),
        # A part of the conference, or the conference itself, stands in the other's volume often enough.
        (CVPR, "CVPR Workshops", "unknown"),
        ("10.1109/cvprw56347.2022.00310", "CVPR", "unknown"),
        (OF_EMNLP, "EMNLP", "unknown"),
        (OF_EMNLP, "CVPR", "different"),
        # Volumes of several conferences.
        ("10.18653/v1/2021.acl-long.7", "IJCNLP", "same"),
        ("10.18653/v1/p19-1001", "COLING-ACL", "same"),
        ("10.1609/aaai.v37i11.26528", "IAAI", "same"),
        ("10.24963/ijcai.2018/7", "ECAI", "same"),
        # What a journal prints may have been presented anywhere; two journals exclude each other.
        ("10.1162/tacl_a_00343", "ACL", "unknown"),
        ("10.1109/lra.2020.2974653", "ICRA", "unknown"),
        ("10.1109/tpami.2021.3050505", "International Journal of Computer Vision", "different"),
        # Proceedings of ACM that were issues of newsletters.
        ("10.1145/1807167.1807184", "SIGMOD Record", "unknown"),
        ("10.1145/1807167.1807184", "CVPR", "different"),
        ("10.24963/ijcai.2024/472", "Proceedings of the Thirty-ThirdInternational Joint Conference on Artificial Intelligence",
         "same"),
        # Not known by its name, but it contains the acronym, or the name misspelt.
        ("10.1109/micro56248.2022.00012", "IEEE Micro", "unknown"),
        (CVPR, "Conference on Computer Vision and Pattern Recogition", "unknown"),
        (CVPR, "Conference on Computer Vision Theory and Applications", "different"),
        (CVPR, "Proceedings of the IEEE", "unknown"),
        ("10.1103/physrevd.93.061102", "Phys. Rev.", "unknown"),
        ("10.1103/physrevd.93.061102", "Phys. Rev. Lett.", "different"),
        ("10.21437/interspeech.2021-1965", "ISCA", "same"),
        (CVPR, "Lecture Notes in Computer Science", "unknown"),
        ("10.48550/arxiv.1706.03762", "NeurIPS", "unknown"),
    ],
)  # fmt: skip
def test_a_venue_is_compared_with_the_encoded_one(doi: str, venue: str, expected: str) -> None:
    found = match_doi(doi)
    assert found is not None
    assert found.place(venue) == expected


@pytest.mark.parametrize(
    ("doi", "name"),
    [
        ("10.1145/3292500.3330701", "10.1145/3292500"),
        ("10.1007/978-3-030-58452-8_24", "10.1007/978-3-030-58452-8"),
        ("10.1007/3-540-44581-1_3", "10.1007/3-540-44581-1"),
        ("10.1137/1.9781611973440.60", "10.1137/1.9781611973440"),
        ("10.52202/079017-0097", "10.52202/079017"),
        ("10.1007/s10994-019-05839-6", ""),
        ("10.1145/3292500", ""),
    ],
)
def test_the_name_of_a_volume_stands_before_the_number_of_the_paper(doi: str, name: str) -> None:
    assert volume_name(doi) == name


def test_a_volume_is_of_a_known_conference() -> None:
    volume = volume_of("10.1007/978-3-031-19787-1_5")
    assert volume is not None
    assert (volume.venue, volume.year) == ("eccv", 2022)
    assert volume.venue in {venue.id for venue in all_venues()}
    assert volume_of("10.1145/9999999.1") is None


PREFIXES = sorted({doi.partition("/")[0] for form in FORMS for doi in form.examples} | {"10.1145", "10.1007"})
SUFFIXES = st.one_of(
    st.text(st.sampled_from("abcjsvxwi0123456789.-_/()"), min_size=1, max_size=40),
    st.sampled_from([doi.partition("/")[2] for form in FORMS for doi in form.examples]).flatmap(
        lambda suffix: st.text(st.sampled_from("0199ax.-"), max_size=4).map(lambda more: suffix + more)
    ),
    st.text(min_size=1, max_size=20),
)


@pytest.mark.exhaustive
@given(st.sampled_from(PREFIXES), SUFFIXES)
def test_whatever_the_doi_it_is_read_or_not(prefix: str, suffix: str) -> None:
    doi = normalise_doi(f"{prefix}/{suffix}")
    found = match_doi(doi)
    if found is None:
        return
    assert found.venues
    assert found.rule
    assert found.form == VOLUME or any(form.id == found.form and form.pattern.fullmatch(doi) for form in FORMS)
    if found.year is not None:
        assert found.may_be_of(found.year)
        assert re.search(str(found.year % 10), doi) or found.form in ("aaai", "bmvc", VOLUME)
    assert found.place(found.venues[0]) == "same"


def test_a_rule_says_what_the_form_states_and_how_a_work_with_it_may_be_dated() -> None:
    # The window of IEEE's journals: from a year before that in the DOI to four years after it.
    journal = match_doi("10.1109/tpami.2021.3050505")
    assert journal is not None
    assert journal.rule.startswith(
        "identifiers of this form state the venue; works with this one are dated 2020 to 2025 (https://ieeexplore.ieee.org: "
    )
    preprint = match_doi("10.48550/arxiv.1706.03762")
    assert preprint is not None
    assert preprint.rule.startswith(
        "identifiers of this form state when a preprint was posted; works with this one are dated 2017 or later ("
    )
    undated = match_doi("10.1162/tacl_a_00343")
    assert undated is not None
    assert undated.rule.startswith("identifiers of this form state the venue (https://direct.mit.edu: ")
