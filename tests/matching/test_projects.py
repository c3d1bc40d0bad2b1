"""Packages and repositories, out of the addresses by which people cite them."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import cited_identifiers, package, package_of_title, repository
from tests.support.evidence_builders import entry


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("pypi:scikit-learn", "https://pypi.org/project/scikit_learn/1.2/"),
        ("pypi:numpy", "http://pypi.python.org/pypi/NumPy"),
        ("cran:ggplot2", "https://CRAN.R-project.org/package=ggplot2"),
        ("cran:data.table", "https://cran.r-project.org/web/packages/data.table/index.html"),
        ("cran:lme4", "http://CRAN.R-project.org/package=lme4."),
        ("cran:lme4", "https://cran.r-project.org/?package=lme4"),
        ("", "https://bioconductor.org/packages/DESeq2"),
        ("", "https://cran.r-project.org/web/views/"),
        ("", "https://mypypi.org.example/project/numpy"),
        ("", "https://pypi.org/project/numpy https://pypi.org/project/scipy"),
    ],
)
def test_packages(name: str, url: str) -> None:
    assert package({"howpublished": url}) == name


def test_a_package_of_r_without_an_address_is_a_guess() -> None:
    assert package_of_title({"title": "zoo: S3 Infrastructure", "note": "R package version 1.8"}) == "cran:zoo"
    assert package_of_title({"title": "zoo: S3 Infrastructure", "note": "version 1.8"}) == ""
    assert package_of_title({"title": "The zoo package", "note": "R package version 1.8"}) == ""
    stated = (
        "@manual{a, title = {zoo: S3}, note = {R package version 1}, url = {https://CRAN.R-project.org/package=zoo}}"
    )
    assert not cited_identifiers(entry(stated)).package_guessed
    assert cited_identifiers(entry("@manual{a, title = {zoo: S3}, note = {R package version 1}}")).package_guessed


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("github.com/numpy/numpy", "https://github.com/numpy/numpy"),
        ("github.com/google-research/bert", "https://www.github.com/google-research/BERT.git"),
        ("github.com/rwightman/pytorch-image-models", r"https://github.com/rwightman/pytorch-image-models/tree/main."),
        ("github.com/a/b_c", r"\url{https://github.com/a/b\_c}"),
        ("github.com/a/b", "git@github.com:a/b.git"),
        ("huggingface.co/models/google-bert/bert-base-uncased", "https://huggingface.co/google-bert/bert-base-uncased"),
        ("huggingface.co/models/gpt2", "https://huggingface.co/gpt2/tree/main"),
        ("huggingface.co/datasets/squad", "https://huggingface.co/datasets/squad"),
        ("", "https://huggingface.co/docs/transformers"),
        ("", "https://huggingface.co/openai"),
        ("", "https://github.com/numpy"),
        ("", "https://github.com/topics/citations"),
        ("", "https://gist.github.com/a/0123456789"),
        ("", "https://a.github.io/b/"),
        ("", "https://github.com/a/b https://github.com/a/c"),
    ],
)
def test_repositories(name: str, url: str) -> None:
    assert repository({"url": url}) == name
