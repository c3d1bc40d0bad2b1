"""Standards by number, and packages, repositories and models by name: the conclusions allowed from their records."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import Absent, Person, QueryResult, Record, Reference
from tests.support.evidence_builders import absent, entry, evaluated, found, record, silent, stated

KEYWORDS = "Key words for use in RFCs to Indicate Requirement Levels"
TLS = "The Transport Layer Security (TLS) Protocol Version 1.3"
GGPLOT = "ggplot2: Create Elegant Data Visualisations Using the Grammar of Graphics"


def rfc(title: str, people: str = "author = {Scott Bradner},", kind: str = "misc", more: str = "") -> Reference:
    return entry(f"@{kind}{{a, {people} title = {{{title}}}, howpublished = {{RFC 2119}}, year = 1997, {more}}}")


def of_rfc(title: str = KEYWORDS, people: str = "S. Bradner", **fields: Any) -> QueryResult:
    one = record(title, people, source="rfc_editor", year=1997, type="report", publisher="RFC Editor; IETF", **fields)
    return found(one, kind="rfc", value="2119", source="rfc_editor")


def project(name: str, summary: str = "", people: str = "", source: str = "pypi", **fields: Any) -> Record:
    return record(name, people, source=source, type="project", subtitle=summary, authors_complete=False, **fields)


def of_package(one: Record, value: str) -> QueryResult:
    return found(one, kind="package", value=value, source=one.source)


@pytest.mark.parametrize(
    "reference",
    [
        rfc(KEYWORDS),
        rfc(f"{{RFC}} 2119: {KEYWORDS}"),
        rfc(KEYWORDS, "author = {{Internet Engineering Task Force}},"),
        rfc(KEYWORDS, "author = {Internet Engineering Task Force},"),
        rfc(KEYWORDS, "author = {IETF},", "techreport", "institution = {IETF}"),
        rfc(KEYWORDS, "", "online"),
        rfc(KEYWORDS, "editor = {Bradner, S.},", "standard"),
    ],
    ids=["plain", "number in the title", "group", "unbraced group", "acronym", "nobody", "editor"],
)
def test_an_rfc_under_its_number(reference: Reference) -> None:
    other = (f"RFC 2119: {KEYWORDS}",)
    evaluation = evaluated(reference, of_rfc(other_titles=other))
    assert evaluation.findings["doi"].code == "rfc-ok"
    assert evaluation.findings["title"].outcome == "passed"
    assert [name for name, one in evaluation.findings.items() if one.outcome == "failed"] == []


def test_a_number_that_was_not_looked_up_is_no_identifier() -> None:
    assert evaluated(rfc(KEYWORDS), absent("crossref")).findings["doi"].code == "doi-not-cited"


def test_a_number_of_another_rfc_convicts() -> None:
    evaluation = evaluated(rfc("A Protocol for Quantum Handshakes", "author = {Lena Quist},"), of_rfc())
    assert stated(evaluation.findings["doi"]) == ("failed", "rfc-other-work")


@pytest.mark.parametrize(
    ("title", "people", "found_title"),
    [
        ("Requirement words", "author = {Scott Bradner},", KEYWORDS),  # by the same people
        ("Requirement words", "", KEYWORDS),  # a word in common
        ("{TCP}", "author = {IETF},", "Transmission Control Protocol"),  # its initials
    ],
)
def test_a_shortened_title_convicts_nobody(title: str, people: str, found_title: str) -> None:
    evaluation = evaluated(rfc(title, people), of_rfc(found_title))
    assert evaluation.findings["doi"].code == "rfc-unclear"
    assert "failed" not in {one.outcome for one in evaluation.findings.values()}


@pytest.mark.parametrize(
    ("title", "outcome"),
    [
        ("The {TLS} Protocol Version 1.3", "unverifiable"),
        ("Transport Layer Security Protocol Version 1.3", "unverifiable"),
        ("The Transport Layer Security ({TLS}) Protocol Version 1.4", "failed"),
        ("The Session Layer Security ({TLS}) Protocol Version 1.3", "failed"),
    ],
)
def test_words_of_a_standard_may_be_left_out_but_not_replaced(title: str, outcome: str) -> None:
    finding = evaluated(rfc(title, "author = {Eric Rescorla},"), of_rfc(TLS, "E. Rescorla")).findings["title"]
    assert stated(finding)[0] == outcome


def test_a_number_that_was_never_given_out() -> None:
    reference = rfc("A Protocol for Quantum Handshakes", "author = {Lena Quist},")
    denied = absent("rfc_editor", "rfc", "2119", "the RFC Editor has published none of this number")
    assert evaluated(reference, denied).findings["doi"].code == "rfc-unknown"
    assert evaluated(reference, silent("rfc_editor", "rfc", "2119")).findings["doi"].outcome == "unverifiable"
    # Its DOI at Crossref shows that there is one, whatever the RFC Editor says.
    held = record("A Protocol for Quantum Handshakes", "Lena Quist", doi="10.17487/rfc2119", year=1997)
    assert evaluated(reference, denied, found(held)).findings["doi"].code == "rfc-ok"


def w3c(title: str, found_title: str) -> str:
    reference = entry(f"@online{{a, title = {{{title}}}, url = {{https://www.w3.org/TR/xml/}}, year = 2008}}")
    one = record(found_title, source="w3c", type="report", publisher="W3C")
    return evaluated(reference, found(one, kind="w3c", value="xml", source="w3c")).findings["doi"].code


def test_reports_of_the_w3c() -> None:
    full = "Extensible Markup Language (XML) 1.0 (Fifth Edition)"
    assert w3c("Extensible Markup Language ({XML}) 1.0", full) == "w3c-ok"
    assert w3c("{XML} 1.0", full) == "w3c-unclear"
    assert w3c("Eine Auszeichnungssprache für übertragbare Dokumente", full) == "w3c-unclear"  # a translation
    assert w3c("Sparse gradients", full) == "w3c-other-work"


@pytest.mark.parametrize(
    ("cited", "name", "summary"),
    [
        ("scikit-learn: Machine Learning in {Python}", "scikit-learn", "A set of python modules for machine learning"),
        ("The {NumPy} library", "numpy", "Fundamental package for array computing in Python"),
        ("{PyTorch} Image Models", "pytorch-image-models", ""),
        ("pandas-dev/pandas: Pandas", "pandas", ""),
        ("data.table: Extension of `data.frame`", "data.table", "Extension of data frames"),
        (
            "Fundamental package for array computing in {Python}",
            "numpy",
            "Fundamental package for array computing in Python",
        ),
    ],
)
def test_a_project_is_known_by_its_name_and_contradicts_nothing(cited: str, name: str, summary: str) -> None:
    reference = entry(
        f"@software{{a, author = {{Ada Quillfeather and Tom Nightwhistle}}, title = {{{cited}}}, year = 2031, "
        "publisher = {Self}, url = {https://pypi.org/project/x/}}"
    )
    one = project(name, summary, "Someone Else", years=(2009, 2010))
    evaluation = evaluated(reference, of_package(one, "pypi:x"))
    assert evaluation.findings["doi"].code == "package-ok"
    assert evaluation.findings["title"].code == "title-ok"
    assert {n for n, one in evaluation.findings.items() if one.outcome == "failed"} == {"completeness"}  # the year 2031
    assert evaluation.verdict.name != "verified"


def test_a_project_confirms_people() -> None:
    reference = entry(
        f"@manual{{a, author = {{Hadley Wickham and Winston Chang}}, title = {{{GGPLOT}}}, year = 2020, "
        "note = {R package version 3.3.2}, url = {https://CRAN.R-project.org/package=ggplot2}}"
    )
    one = project(
        "ggplot2", GGPLOT[9:], "Hadley Wickham; Winston Chang; Thomas Lin Pedersen", "cran", years=(2007, 2008)
    )
    evaluation = evaluated(reference, of_package(one, "cran:ggplot2"))
    assert evaluation.verdict.name == "verified"
    assert evaluation.findings["cross_db"].code == "agree-registry"
    assert "2007" not in evaluation.findings["cross_db"].message


def test_a_repository_beside_a_paper_does_not_pass_the_title_of_the_paper() -> None:
    reference = entry(
        "@misc{a, author = {Jacob Devlin and Ming-Wei Chang}, title = {{BERT}: Pre-training of Shallow Transformers}, "
        "year = 2019, url = {https://github.com/google-research/bert}}"
    )
    held = project("bert", "TensorFlow code", "google-research", "github")
    paper = record("BERT: Pre-training of Deep Transformers", "Jacob Devlin; Ming-Wei Chang", year=2019, venue="NAACL")
    where = "github.com/google-research/bert"
    alone = evaluated(reference, found(held, kind="repository", value=where, source="github"))
    assert (alone.findings["doi"].code, alone.findings["title"].code) == ("repository-ok", "title-ok")
    beside = evaluated(reference, found(held, kind="repository", value=where, source="github"), found(paper))
    assert beside.findings["title"].outcome != "passed"


@pytest.mark.parametrize(
    ("address", "kind", "value", "outcome", "code"),
    [
        ("https://CRAN.R-project.org/package=zquantile", "package", "cran:zquantile", "failed", "package-unknown"),
        ("https://pypi.org/project/zquantile", "package", "pypi:zquantile", "unverifiable", "package-gone"),
        ("https://github.com/quist/z", "repository", "github.com/quist/z", "unverifiable", "repository-gone"),
        ("", "package", "cran:zquantile", "unverifiable", "doi-not-cited"),  # guessed from the title alone
    ],
)
def test_what_is_denied(address: str, kind: Any, value: str, outcome: str, code: str) -> None:
    reference = entry(
        "@manual{a, author = {Lena Quist}, title = {zquantile: Zonal Quantiles}, year = 2021, "
        f"note = {{R package version 1.5}}, url = {{{address}}}}}"
    )
    denied = absent("registry", kind, value, "there is none")
    finding = evaluated(reference, denied).findings["doi"]
    assert stated(finding) == (outcome, code)
    undecided = QueryResult(denied.source, denied.query, Absent())
    assert evaluated(reference, undecided).findings["doi"].outcome == "unverifiable"


def test_a_journal_named_after_the_host_is_no_wrong_venue() -> None:
    reference = entry(
        "@misc{a, author = {Hugging Face}, title = {Transformers}, journal = {GitHub repository}, year = 2020, "
        "url = {https://github.com/huggingface/transformers}}"
    )
    one = project("transformers", people="", source="github", publisher="GitHub")
    one = record(
        one.title, (Person(literal="huggingface", group=True),), source="github", type="project", publisher="GitHub"
    )
    value = "github.com/huggingface/transformers"
    evaluation = evaluated(reference, found(one, kind="repository", value=value, source="github"))
    assert evaluation.findings["venue"].code == "venue-ok"
