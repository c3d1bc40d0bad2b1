from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import (
    acl_id,
    acl_volume,
    cited_identifiers,
    dblp_key,
    find_dois,
    find_isbns,
    find_issns,
    is_acl_volume,
    malformed_arxiv,
    normalise_arxiv,
    normalise_doi,
    openreview_id,
)
from pytest_citecheck.model import Identifiers, Location, Reference

SICI = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"


def claimed(**fields: str) -> Identifiers:
    return cited_identifiers(Reference("key", "article", fields, Location("refs.bib", 1, 1)))


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1145/3442188.3445922", "10.1145/3442188.3445922"),
        ("https://doi.org/10.1145/3442188.3445922", "10.1145/3442188.3445922"),
        ("http://dx.doi.org/10.1000/ABC", "10.1000/abc"),
        ("https://doi.org/doi:10.1000/abc", "10.1000/abc"),
        ("doi: 10.1000/ABC.", "10.1000/abc"),
        ("DOI 10.1000/182", "10.1000/182"),
        ("info:doi/10.1000/182", "10.1000/182"),
        (r"10.1007/978-3-030-01234-2\_1", "10.1007/978-3-030-01234-2_1"),
        (r"10.1007/978-3-030-01234-2{\_}1", "10.1007/978-3-030-01234-2_1"),
        (r"\url{https://doi.org/10.1000/a_b}", "10.1000/a_b"),
        ("10.1109%2FCVPR.2016.90", "10.1109/cvpr.2016.90"),
        ("10.1109/CVPR.2016.90\u200b", "10.1109/cvpr.2016.90"),
        ("10.1007/s10994‐022‐06288‐4", "10.1007/s10994-022-06288-4"),
        ("(10.1000/abc)", "10.1000/abc"),
        ("10.1016/S0140-6736(20)30183-5", "10.1016/s0140-6736(20)30183-5"),
        ("10.1016/S0140-6736(20)30183-5).", "10.1016/s0140-6736(20)30183-5"),
        (SICI.upper(), SICI),
        (SICI.replace("<", "%3C").replace(">", "%3E"), SICI),
        (SICI.replace("<", "&lt;").replace(">", "&gt;"), SICI),
        ("10.1000/abc</a>", "10.1000/abc"),
        ("https://dl.acm.org/doi/10.1145/1.2", "10.1145/1.2"),
        ("https://dl.acm.org/doi/pdf/10.1145/1.2?download=true", "10.1145/1.2"),
        ("https://onlinelibrary.wiley.com/doi/abs/10.1111/j.14-67.x", "10.1111/j.14-67.x"),
        ("https://onlinelibrary.wiley.com/doi/10.1111/j.14-67.x/abstract", "10.1111/j.14-67.x"),
        ("https://link.springer.com/content/pdf/10.1007%2F978-3-030-1.pdf", "10.1007/978-3-030-1"),
        ("https://link.springer.com/article/10.1007/s10994-022-06288-4#Sec2", "10.1007/s10994-022-06288-4"),
        ("https://doi-org.proxy.example.edu/10.1145/1.2", "10.1145/1.2"),
        ("https://dl-acm-org.proxy.example.edu/doi/10.1145/1.2", "10.1145/1.2"),
        ("https://doi.org/10.1145/1.2?utm_source=x", "10.1145/1.2"),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.01&type=printable",
            "10.1371/journal.pone.01",
        ),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1.full.pdf", "10.1101/2020.01.01.123456"),
        ("10.1101/2020.01.01.123456v2", "10.1101/2020.01.01.123456"),
        ("10.1234/report.pdf", "10.1234/report.pdf"),
        ("10.48550/arXiv.1706.03762v5", "10.48550/arxiv.1706.03762"),
        ("10.48550/arXiv.1706.03762", "10.48550/arxiv.1706.03762"),
        ("10.48550/arXiv.math/0309136v2", "10.48550/arxiv.math/0309136"),
        ("10.1145 / 3442188.3445922", "10.1145/3442188.3445922"),
        ("10.1145/3442188. 3445922", "10.1145/3442188.3445922"),
        ("10.1145/344 2188.344 5922", "10.1145/3442188.3445922"),
        ("10.1145/1234567 (accessed 2020)", "10.1145/1234567"),
        ("10.1145/1234567. Accessed: 2020", "10.1145/1234567"),
        ("10.1145/1.2, 10.1145/3.4", "10.1145/1.2"),
        ("10.1145/1.2,10.1145/3.4", "10.1145/1.2"),
        ("10.1000.10/123", "10.1000.10/123"),
        ("https://doi.org/", ""),
        ("10.1145/", ""),
        ("10.1145", ""),
        ("N/A", ""),
        ("1706.03762", ""),
        ("110.1145/12", ""),
        ("", ""),
    ],
)
def test_normalise_doi(text: str, doi: str) -> None:
    assert normalise_doi(text) == doi


def test_find_all_dois() -> None:
    text = "See https://doi.org/10.1145/1.2; and 10.1145/3.4 or doi:10.1145/1.2."
    assert find_dois(text) == ("10.1145/1.2", "10.1145/3.4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1706.03762", ("1706.03762", None)),
        ("arXiv:1706.03762v5", ("1706.03762", 5)),
        ("arXiv: 1706.03762 [cs.CL]", ("1706.03762", None)),
        ("1706.03762v12 [cs.CL]", ("1706.03762", 12)),
        ("http://arxiv.org/abs/1706.03762v1", ("1706.03762", 1)),
        ("https://arxiv.org/pdf/1706.03762v5.pdf", ("1706.03762", 5)),
        ("https://arxiv.org/pdf/1706.03762.pdf", ("1706.03762", None)),
        ("https://arxiv.org/html/2401.00001v2", ("2401.00001", 2)),
        ("arXiv preprint arXiv:1706.03762", ("1706.03762", None)),
        ("arXiv e-prints, arXiv:1810.04805", ("1810.04805", None)),
        ("CoRR, abs/1706.03762", ("1706.03762", None)),
        ("abs/1706.03762", ("1706.03762", None)),
        ("10.48550/arXiv.1706.03762v5", ("1706.03762", 5)),
        ("math.GT/0309136", ("math/0309136", None)),
        ("arXiv:math/0309136v2", ("math/0309136", 2)),
        ("hep-th/9901001", ("hep-th/9901001", None)),
        ("https://arxiv.org/abs/cond-mat/0402594", ("cond-mat/0402594", None)),
        ("0704.0001", ("0704.0001", None)),
        ("1412.9999", ("1412.9999", None)),
        ("1501.00001", ("1501.00001", None)),
        ("0703.0001", ("", None)),
        ("0704.00011", ("", None)),
        ("1412.12345", ("", None)),
        ("1501.1234", ("", None)),
        ("2313.12345", ("", None)),
        ("2300.12345", ("", None)),
        ("arXiv:1706.037621", ("", None)),
        ("hep-th/9913001", ("", None)),
        ("pages 1706.03762 to 1800", ("", None)),
        ("volume 12", ("", None)),
        ("", ("", None)),
    ],
)
def test_normalise_arxiv(text: str, expected: tuple[str, int | None]) -> None:
    assert normalise_arxiv(text) == expected


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("arXiv preprint arXiv:2313.12345", "2313.12345"),
        ("arXiv:XXXX.XXXXX", "XXXX.XXXXX"),
        ("https://arxiv.org/abs/1501.1234", "1501.1234"),
        ("arXiv: 2020", ""),
        ("arXiv preprint", ""),
        ("arXiv:1706.03762", ""),
        ("", ""),
    ],
)
def test_malformed_arxiv(text: str, wrong: str) -> None:
    assert malformed_arxiv(text) == wrong


@pytest.mark.parametrize(
    ("text", "isbn"),
    [
        ("978-0-262-03561-3", ("9780262035613",)),
        ("0262035618", ("9780262035613",)),
        ("0-8044-2957-X", ("9780804429573",)),
        ("ISBN-13: 978 0 262 03561 3 (hbk.)", ("9780262035613",)),
        ("9780262035613, 0-8044-2957-x", ("9780262035613", "9780804429573")),
        ("9780262035613 0262035618", ("9780262035613",)),
        ("979-10-90636-07-1", ("9791090636071",)),
        ("", ()),
        ("n/a", ()),
    ],
)
def test_isbn(text: str, isbn: tuple[str, ...]) -> None:
    assert find_isbns(text) == (isbn, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("978-0-262-03561-4", "check digit"), ("0262035617", "check digit"), ("97802620356", "11 digits")],
)
def test_wrong_isbn(text: str, problem: str) -> None:
    assert find_isbns(text)[0] == ()
    assert problem in find_isbns(text)[1]


def test_issn() -> None:
    assert find_issns("0028-0836 (Print), 1476-4687 (Online)") == (("0028-0836", "1476-4687"), "")
    assert find_issns("ISSN 2434561x") == (("2434-561X",), "")
    assert "check digit" in find_issns("0028-0837")[1]
    assert "7 digits" in find_issns("0028-083")[1]
    assert find_issns("") == ((), "")


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ("https://doi.org/", "resolver"),
        ("N/A", "no DOI"),
        ("10.1145/", "no DOI"),
        ("arXiv:1706.03762", "arXiv identifier"),
    ],
)
def test_doi_field_without_a_doi(value: str, part: str) -> None:
    identifiers = claimed(doi=value)
    assert identifiers.doi == ""
    assert part in identifiers.doi_problem
    assert value in identifiers.doi_problem


def test_arxiv_doi_states_identifier_and_version() -> None:
    identifiers = claimed(doi="10.48550/arXiv.1706.03762v5")
    assert (identifiers.doi, identifiers.arxiv, identifiers.arxiv_version, identifiers.doi_problem) == (
        "10.48550/arxiv.1706.03762",
        "1706.03762",
        5,
        "",
    )


@pytest.mark.parametrize(
    ("fields", "short"),
    [
        ({"doi": "10/f3vhpj"}, "10/f3vhpj"),
        ({"doi": "https://doi.org/10/FG5V"}, "10/fg5v"),
        ({"doi": "doi:10/fg5v"}, "10/fg5v"),
        ({"url": "https://doi.org/f3vhpj"}, "10/f3vhpj"),
        ({"doi": "doi.org/abc12"}, "10/abc12"),
        ({"doi": "bgbq9t"}, "10/bgbq9t"),  # as Better BibTeX writes it
        ({"doi": "hmzb"}, "10/hmzb"),
        ({"url": "bgbq9t"}, ""),
        ({"doi": "10/f3vhpj", "url": "https://doi.org/10.1000/abc"}, ""),
        ({"doi": "10.1000/abc"}, ""),
        ({"url": "https://doi.org/"}, ""),
    ],
)
def test_short_doi(fields: dict[str, str], short: str) -> None:
    identifiers = claimed(**fields)
    assert (identifiers.short_doi, identifiers.doi_problem) == (short, "")


@pytest.mark.parametrize(
    "value", ["null", "none", "10028452", "2222-3045", "engines", "ADA254536", "PMC2366652", "jphil199693"]
)
def test_other_values_are_no_short_doi(value: str) -> None:
    identifiers = claimed(doi=value)
    assert identifiers.short_doi == ""
    assert value in identifiers.doi_problem


@pytest.mark.parametrize(
    ("fields", "doi"),
    [
        ({"url": "https://doi.org/10.1000/abc"}, "10.1000/abc"),
        ({"url": "https://dl.acm.org/doi/10.1145/1.2"}, "10.1145/1.2"),
        ({"ee": "https://doi.org/10.1000/abc"}, "10.1000/abc"),
        ({"note": "doi:10.1000/abc"}, "10.1000/abc"),
        ({"howpublished": r"\url{https://doi.org/10.1000/abc}"}, "10.1000/abc"),
        ({"eprint": "10.1000/abc", "eprinttype": "doi"}, "10.1000/abc"),
        ({"doi": "10.1000/own", "url": "https://doi.org/10.1000/other"}, "10.1000/own"),
        ({"note": "Erratum: doi:10.1000/abc"}, ""),
        ({"note": "Data at https://doi.org/10.5281/zenodo.1"}, ""),
        ({"note": "10.1000/abc and 10.1000/def"}, ""),
        ({"abstract": "See doi:10.1000/abc"}, ""),
        ({"annote": "doi:10.1000/abc"}, ""),
    ],
)
def test_where_a_doi_is_taken_from(fields: dict[str, str], doi: str) -> None:
    assert claimed(**fields).doi == doi


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        ("10.1000/404-413/", "10.1000/404-413/"),
        ("https://doi.org/10.1000/X.", "10.1000/x."),
        ("10.1000/404-413", ""),
        ("10.31234/osf.io/abcde_v1", ""),
        ("see 10.1000/x.", ""),
    ],
)
def test_a_doi_as_written(written: str, literal: str) -> None:
    assert claimed(doi=written).doi_literal == literal


def test_problem_of_the_doi_field_stays_when_the_url_has_one() -> None:
    identifiers = claimed(doi="forthcoming", url="https://doi.org/10.1000/abc")
    assert identifiers.doi == "10.1000/abc"
    assert "forthcoming" in identifiers.doi_problem


@pytest.mark.parametrize(
    ("fields", "arxiv"),
    [
        ({"eprint": "1706.03762", "archiveprefix": "arXiv"}, "1706.03762"),
        ({"eprint": "1706.03762v3", "eprinttype": "arxiv"}, "1706.03762"),
        ({"eprint": "1706.03762"}, "1706.03762"),
        ({"eprint": "1706.03762", "eprinttype": "jstor"}, ""),
        ({"journal": "arXiv preprint arXiv:1706.03762"}, "1706.03762"),
        ({"journal": "CoRR", "volume": "abs/1706.03762"}, "1706.03762"),
        ({"volume": "1706.03762"}, ""),
        ({"url": "https://arxiv.org/abs/1706.03762v7"}, "1706.03762"),
        ({"note": "arXiv:1706.03762"}, "1706.03762"),
        ({"howpublished": "arXiv:hep-th/9901001"}, "hep-th/9901001"),
        ({"abstract": "as in arXiv:1706.03762"}, ""),
        ({"eprint": "9704054", "primaryclass": "cond-mat"}, "cond-mat/9704054"),
        ({"eprint": "0008166v1", "archiveprefix": "arXiv", "primaryclass": "cond-mat.mes-hall"}, "cond-mat/0008166"),
        ({"eprint": "arXiv:0105123", "eprinttype": "arxiv", "eprintclass": "astro-ph.CO"}, "astro-ph/0105123"),
        ({"eprint": "9711200", "archiveprefix": "hep-th"}, "hep-th/9711200"),
        ({"eprint": "cond-mat.mes-hall/9704054"}, "cond-mat/9704054"),
        ({"eprint": "cond-mat/0008166v1", "archiveprefix": "arXiv"}, "cond-mat/0008166"),
        ({"eprint": "9704054", "archiveprefix": "arXiv"}, ""),
        ({"eprint": "9704054v2"}, ""),
        ({"eprint": "9704054", "eprinttype": "jstor", "primaryclass": "cond-mat"}, ""),
    ],
)
def test_where_an_arxiv_identifier_is_taken_from(fields: dict[str, str], arxiv: str) -> None:
    identifiers = claimed(**fields)
    assert (identifiers.arxiv, identifiers.arxiv_problem) == (arxiv, "")


def test_arxiv_problem() -> None:
    assert "2313.1234" in claimed(eprint="2313.1234", archiveprefix="arXiv").arxiv_problem
    assert "journal" in claimed(journal="arXiv preprint arXiv:2313.12345").arxiv_problem
    both = claimed(eprint="2313.12345", archiveprefix="arXiv", journal="arXiv:2314.12345")
    assert "eprint" in both.arxiv_problem
    assert "9713054" in claimed(eprint="9713054", archiveprefix="arXiv", primaryclass="cond-mat").arxiv_problem
    good = claimed(eprint="2313.12345", archiveprefix="arXiv", url="https://arxiv.org/abs/2303.12345")
    assert good.arxiv == "2303.12345"
    assert "2313.12345" in good.arxiv_problem


@pytest.mark.parametrize(
    ("fields", "arxiv"),
    [
        ({"arxivid": "1706.03762v2"}, "1706.03762"),
        ({"arxivid": "astro-ph.CO/1109.3457"}, "1109.3457"),
        ({"arxivid": "hep-th/9901001"}, "hep-th/9901001"),
        ({"arxivid": "NIHMS150003"}, ""),
        ({"arxivid": "9704054", "archiveprefix": "arXiv", "primaryclass": "cond-mat"}, "cond-mat/9704054"),
        ({"arxivid": "9704054", "archiveprefix": "arXiv"}, ""),
        ({"ee": "http://arxiv.org/abs/1706.03762"}, "1706.03762"),
        ({"bdsk-url-1": "https://arxiv.org/abs/2313.12345"}, ""),
        ({"arxivid": "15334406"}, ""),
        ({"arxivid": "0028-0836"}, ""),
        ({"arxivid": "1706.03762", "eprint": "2303.12345", "archiveprefix": "arXiv"}, "2303.12345"),
        ({"url": "https://psyarxiv.com/5b26t"}, ""),
        ({"howpublished": "https://psyarxiv.com/5b26t/", "note": "preprint on psyarxiv.com/5b26"}, ""),
    ],
)
def test_a_field_that_no_style_prints_helps_but_is_never_malformed(fields: dict[str, str], arxiv: str) -> None:
    identifiers = claimed(**fields)
    assert (identifiers.arxiv, identifiers.arxiv_problem) == (arxiv, "")
    assert ("arxiv" in identifiers.unprinted) == (bool(arxiv) and "eprint" not in fields)


def test_printed_fields_take_precedence_over_those_that_no_style_prints() -> None:
    identifiers = claimed(ee="https://doi.org/10.1000/hidden", note="doi:10.1000/printed", biburl="https://doi.org/x")
    assert (identifiers.doi, identifiers.unprinted) == ("10.1000/printed", frozenset({"url"}))


GENERATED = ("NIHMS150003", "15334406", "1533-4406", "339:b2535", "x59qg", "PMC2366652", "Materials and Techniques")
"""Values that reference managers put into fields for e-prints: numbers of manuscripts, ISSNs joined or not, and words."""


@pytest.mark.parametrize("value", GENERATED)
@pytest.mark.parametrize("name", ["eprint", "arxiv", "arxivid"])
def test_what_reference_managers_generate_is_no_attempt_at_an_identifier(name: str, value: str) -> None:
    identifiers = claimed(**{name: value, "archiveprefix": "arXiv"})
    assert (identifiers.arxiv, identifiers.arxiv_problem) == ("", "")


@pytest.mark.parametrize(
    "value", ["1706.3762", "17O6.03762", "1706-03762", "170603762", "cs.LG/1708.07747", "arXiv:17.1"]
)
def test_an_attempt_at_an_identifier_is_malformed(value: str) -> None:
    assert value in claimed(eprint=value, archiveprefix="arXiv").arxiv_problem


def test_an_archive_before_a_number_of_today_is_wrong_where_it_is_printed() -> None:
    assert "1708.07747" in claimed(eprint="cs.LG/1708.07747", eprinttype="arXiv").arxiv_problem


@pytest.mark.parametrize(
    ("isbn", "isbns", "issns", "problem"),
    [
        ("0028-0836", (), ("0028-0836",), ""),
        ("00280836", (), ("0028-0836",), ""),
        (r"0168-9525  \textbackslashr0028-0836", (), ("0168-9525", "0028-0836"), ""),
        (r"1095-9203  $\backslash$r0036-8075", (), ("1095-9203", "0036-8075"), ""),
        ("0262035618, 0028-0836", ("9780262035613",), ("0028-0836",), ""),
        ("978 - 0 - 262 - 03561 - 3", ("9780262035613",), (), ""),
        ("2426744401244", (), (), "its 13 digits do not begin with 978 or 979"),
        ("4503-1315", (), (), "it has 8 digits, not 10 or 13"),
        ("0a262035618", (), (), "its digits do not stand together"),
    ],
)
def test_what_stands_in_the_field_for_isbns(
    isbn: str, isbns: tuple[str, ...], issns: tuple[str, ...], problem: str
) -> None:
    identifiers = claimed(isbn=isbn)
    assert (identifiers.isbn, identifiers.issn_in_isbn) == (isbns, issns)
    assert identifiers.isbn_problem.partition(": ")[2] == problem


@pytest.mark.parametrize(
    ("fields", "pmid", "pmcid"),
    [
        ({"pmid": "12345678"}, "12345678", ""),
        ({"pmid": "PMID: 123", "pmcid": "pmc77"}, "123", "PMC77"),
        ({"eprint": "123", "eprinttype": "pubmed"}, "123", ""),
        ({"url": "https://pubmed.ncbi.nlm.nih.gov/31978945/"}, "31978945", ""),
        ({"url": "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/"}, "", "PMC123"),
        ({"note": "PMID: 123; PMCID: PMC456"}, "123", "PMC456"),
        ({"pmc": "456"}, "", "PMC456"),
        ({"number": "123"}, "", ""),
    ],
)
def test_pubmed_identifiers(fields: dict[str, str], pmid: str, pmcid: str) -> None:
    identifiers = claimed(**fields)
    assert (identifiers.pmid, identifiers.pmcid) == (pmid, pmcid)


def test_url_and_standard_numbers() -> None:
    identifiers = claimed(
        howpublished=r"\url{https://example.org/a\_b(c)}.", isbn="0262035618", issn="0028-0837", url=""
    )
    assert identifiers.url == "https://example.org/a_b(c)"
    assert identifiers.isbn == ("9780262035613",)
    assert identifiers.issn == ()
    assert "check digit" in identifiers.issn_problem


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("P19-1001", "P19-1001"),
        (" n19-1423 ", "N19-1423"),
        ("2020.acl-main.1", "2020.acl-main.1"),
        ("2020.Findings-EMNLP.292", "2020.findings-emnlp.292"),
        ("https://aclanthology.org/P19-1001", "P19-1001"),
        ("https://aclanthology.org/P19-1001/", "P19-1001"),
        ("https://aclanthology.org/P19-1001v2.pdf", "P19-1001"),
        ("https://aclanthology.org/2020.acl-main.12.pdf#page=3", "2020.acl-main.12"),
        ("aclanthology.org/2021.naacl-main.41?x=1", "2021.naacl-main.41"),
        ("https://www.aclweb.org/anthology/P19-1001", "P19-1001"),
        ("https://aclweb.org/anthology/P/P19/P19-1001.pdf", "P19-1001"),
        ("http://www.aclweb.org/anthology-new/P/P07/P07-1033.pdf", "P07-1033"),
        ("http://aclanthology.info/papers/P18-1001/p18-1001", "P18-1001"),
        ("https://aclanthology.org/attachments/P18-1001.Poster.pdf", "P18-1001"),
        ("10.18653/v1/p19-1001", "P19-1001"),
        ("https://doi.org/10.18653/v1/2020.acl-main.703", "2020.acl-main.703"),
        ("10.3115/v1/D14-1162", "D14-1162"),
        ("10.3115/1073083.1073135", ""),
        ("10.18653/v1/K17-3", ""),
        ("https://aclanthology.org/volumes/P19-1/", ""),
        ("https://aclanthology.org/events/acl-2020/", ""),
        ("https://aclanthology.org/P19-10012", ""),
        ("https://example.org/P19-1001", ""),
        ("P19", ""),
        ("", ""),
    ],
)
def test_papers_of_the_acl_anthology(text: str, paper: str) -> None:
    assert acl_id(text) == paper


@pytest.mark.parametrize(
    ("text", "volume"),
    [
        ("P19-1", "P19-1"),
        ("w19-54", "W19-54"),
        ("2020.acl-main", "2020.acl-main"),
        ("https://aclanthology.org/volumes/2020.acl-main/", "2020.acl-main"),
        ("https://aclanthology.org/volumes/P19-1.bib", "P19-1"),
        ("10.18653/v1/K17-3", "K17-3"),
        ("10.18653/v1/K17-3001", ""),
        ("https://aclanthology.org/P19-1001", ""),
        ("", ""),
    ],
)
def test_volumes_of_the_acl_anthology(text: str, volume: str) -> None:
    assert acl_volume(text) == volume
    assert is_acl_volume(volume) == bool(volume)


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("rJXMpikCZ", "rJXMpikCZ"),
        ("https://openreview.net/forum?id=rJXMpikCZ", "rJXMpikCZ"),
        ("openreview.net/pdf?id=rJl-b3RcF7.", "rJl-b3RcF7"),
        ("https://openreview.net/forum?id=rJXMpikCZ&noteId=SJU4ayYgl", "rJXMpikCZ"),
        ("https://openreview.net/forum?noteId=SJU4ayYgl&id=rJXMpikCZ#all", "rJXMpikCZ"),
        ("https://openreview.net/attachment?id=_VjQlMeSB_J&name=pdf", "_VjQlMeSB_J"),
        ("https://openreview.net/forum?noteId=SJU4ayYgl", ""),
        ("https://openreview.net/references/pdf?id=SJU4ayYgl", ""),
        ("https://openreview.net/group?id=ICLR.cc/2019", ""),
        ("https://example.org/forum?id=SJU4ayYgl", ""),
        ("not an id", ""),
        ("", ""),
    ],
)
def test_submissions_on_openreview(text: str, identifier: str) -> None:
    assert openreview_id(text) == identifier


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("DBLP:conf/nips/VaswaniSPUJGKP17", "conf/nips/VaswaniSPUJGKP17"),
        ("dblp:journals/corr/abs-1706-03762", "journals/corr/abs-1706-03762"),
        ("https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17", "conf/nips/VaswaniSPUJGKP17"),
        ("https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.bib", "conf/nips/VaswaniSPUJGKP17"),
        ("https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.html?view=bibtex", "conf/nips/VaswaniSPUJGKP17"),
        ("http://dblp.uni-trier.de/rec/bib/journals/corr/KingmaB14", "journals/corr/KingmaB14"),
        ("https://dblp.dagstuhl.de/rec/xml/phd/hal/Sharma22.xml", "phd/hal/Sharma22"),
        ("conf/nips/VaswaniSPUJGKP17", ""),
        ("https://dblp.org/pid/01/1234.html", ""),
        ("https://dblp.org/rec/nonsense", ""),
        ("DBLP:smith2020", ""),
        ("", ""),
    ],
)
def test_keys_of_dblp(text: str, key: str) -> None:
    assert dblp_key(text) == key


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"url": "https://aclanthology.org/P19-1001"}, ("P19-1001", "", "")),
        ({"doi": "10.18653/v1/P19-1001"}, ("P19-1001", "", "")),
        ({"aclid": "P19-1001", "url": "https://aclanthology.org/P19-1002"}, ("P19-1001", "", "")),
        ({"anthology": "2020.acl-main.1"}, ("2020.acl-main.1", "", "")),
        ({"howpublished": r"\url{https://aclanthology.org/P19-1001}"}, ("P19-1001", "", "")),
        ({"note": "Data: https://aclanthology.org/P19-1001"}, ("", "", "")),
        ({"url": "https://aclanthology.org/volumes/P19-1/"}, ("", "", "")),
        ({"url": r"https://openreview.net/forum?id=\_VjQlMeSB\_J"}, ("", "_VjQlMeSB_J", "")),
        ({"url": "https://openreview.net/forum?noteId=a1b2c3d&amp;id=rJXMpikCZ"}, ("", "rJXMpikCZ", "")),
        ({"note": "Reviewed on OpenReview: https://openreview.net/forum?id=rJXMpikCZ"}, ("", "rJXMpikCZ", "")),
        ({"note": "Reviews at https://openreview.net/forum?id=rJXMpikCZ"}, ("", "", "")),
        ({"note": "https://openreview.net/forum?id=rJXMpikCZ https://openreview.net/forum?id=SJU4ayYgl"}, ("", "", "")),
        ({"url": "rJXMpikCZ"}, ("", "", "")),
        ({"biburl": "https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.bib"}, ("", "", "conf/nips/VaswaniSPUJGKP17")),
        ({"ee": "https://dblp.org/rec/journals/corr/KingmaB14"}, ("", "", "journals/corr/KingmaB14")),
        ({"url": "conf/nips/VaswaniSPUJGKP17"}, ("", "", "")),
        (
            {
                "abstract": "See https://aclanthology.org/P19-1001, https://openreview.net/forum?id=rJXMpikCZ"
                " and https://dblp.org/rec/journals/corr/KingmaB14"
            },
            ("", "", ""),
        ),
    ],
)
def test_where_keys_of_catalogues_are_taken_from(fields: dict[str, str], expected: tuple[str, str, str]) -> None:
    identifiers = claimed(**fields)
    assert (identifiers.acl, identifiers.openreview, identifiers.dblp) == expected


def test_the_key_of_an_entry_that_comes_from_dblp_is_its_own() -> None:
    fields = {"biburl": "https://dblp.org/rec/conf/nips/2017.bib"}
    reference = Reference("DBLP:conf/nips/VaswaniSPUJGKP17", "inproceedings", fields, Location("refs.bib", 1, 1))
    assert cited_identifiers(reference).dblp == "conf/nips/VaswaniSPUJGKP17"


@pytest.mark.parametrize("fields", [{"url": "https://aclanthology.org/volumes/K17-3/"}, {"doi": "10.18653/v1/K17-3"}])
def test_only_what_is_a_volume_claims_the_id_of_one(fields: dict[str, str]) -> None:
    for kind, expected in (("proceedings", "K17-3"), ("inproceedings", "")):
        assert cited_identifiers(Reference("key", kind, fields, Location("refs.bib", 1, 1))).acl == expected


def test_a_reference_without_identifiers() -> None:
    assert claimed(title="A title", author="A. Author", year="2020") == Identifiers()


NOISE = st.text(
    alphabet=st.one_of(st.sampled_from("10.145/():;<>%2Fvx-_ \\{}&lt;#?,"), st.characters(codec="utf-8")), max_size=24
)


@given(st.tuples(NOISE, st.sampled_from(("", "10.1145/", "https://x.org/10.1000/", SICI)), NOISE).map("".join))
def test_normalise_doi_is_idempotent_and_never_raises(text: str) -> None:
    doi = normalise_doi(text)
    assert normalise_doi(doi) == doi
    assert doi == "" or doi.startswith("10.")


@given(st.integers(15, 40), st.integers(1, 12), st.integers(1, 99999), st.integers(1, 20))
def test_arxiv_identifiers_are_read_from_every_form(year: int, month: int, number: int, version: int) -> None:
    identifier = f"{year:02}{month:02}.{number:05}"
    for form in ("{}v{}", "arXiv:{}v{}", "https://arxiv.org/abs/{}v{}", "10.48550/arXiv.{}v{}"):
        assert normalise_arxiv(form.format(identifier, version)) == (identifier, version)


@given(NOISE)
def test_no_field_value_makes_reading_fail(text: str) -> None:
    identifiers = claimed(doi=text, url=text, note=text, eprint=text, isbn=text, issn=text, pmid=text)
    assert normalise_doi(identifiers.doi) == identifiers.doi


ADDRESSES = (
    "",
    "https://aclanthology.org/",
    "https://aclanthology.org/volumes/",
    "10.18653/v1/",
    "https://openreview.net/forum?id=",
    "https://dblp.org/rec/",
    "DBLP:",
)
PIECES = st.lists(
    st.sampled_from(
        ("P19-1001", "W19-54", "2020.acl-main", ".1", "rJXMpikCZ", "conf/nips/", "&id=", "v2", ".pdf", "/", "-")
    )
    | st.text(max_size=4),
    max_size=4,
).map("".join)


@given(st.sampled_from(ADDRESSES), PIECES)
def test_keys_of_catalogues_are_normal_or_nothing(address: str, rest: str) -> None:
    text = address + rest
    for form, restated in ((acl_id, "{}"), (acl_volume, "{}"), (openreview_id, "{}"), (dblp_key, "dblp:{}")):
        key = form(text)
        assert key == "" or form(restated.format(key)) == key
        assert key.isascii()
        assert not any(map(str.isspace, key))
    reference = Reference(text, "proceedings", {"url": text, "biburl": text, "aclid": text}, Location("refs.bib", 1, 1))
    identifiers = cited_identifiers(reference)
    assert identifiers.dblp == dblp_key(f"dblp:{identifiers.dblp}")
    assert identifiers.acl in (acl_id(identifiers.acl), acl_volume(identifiers.acl))
