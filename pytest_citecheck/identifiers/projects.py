"""Packages and repositories, out of the addresses by which people cite software, data and models.

A package is named by its index: ``pypi:scikit-learn`` (names as PEP 503 normalises them), ``cran:ggplot2`` (capitals matter,
"Writing R Extensions", section 1.1.1). A repository is named by its host: ``github.com/owner/name`` in lower case, since GitHub
ignores capitals, ``huggingface.co/models/owner/name`` and ``huggingface.co/datasets/owner/name``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["package", "package_of_title", "pypi_name", "repository"]

_ADDRESS_FIELDS = ("url", "howpublished", "note", "ee", "link", "publisher", "organization", "addendum")
_BEFORE = r"(?<![\w.-])(?:www\.)?"
_PYPI = lazy_pattern(
    rf"{_BEFORE}pypi\.(?:python\.)?org/(?:project|pypi|simple)/([A-Za-z0-9][A-Za-z0-9._-]{{0,100}})", re.IGNORECASE
)
_CRAN = lazy_pattern(
    _BEFORE + r"(?i:cran\.r-project\.org|cran\.rstudio\.com|cloud\.r-project\.org)/(?:(?i:web)/)?"
    r"packages?[=/]([A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9])(?![\w-])"
)
_CRAN_QUERY = lazy_pattern(
    _BEFORE + r"(?i:cran\.r-project\.org)/\?package=([A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9])(?![\w-])"
)
_R_VERSION = lazy_pattern(r"\bR package\b", re.IGNORECASE)
_R_TITLE = lazy_pattern(r"\s*([A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9])\s*:\s+\S")
_GITHUB = lazy_pattern(
    _BEFORE + r"(?:git@)?github\.com[/:]([a-z0-9](?:[a-z0-9-]{0,38}))/([a-z0-9._-]{1,100})", re.IGNORECASE
)
_NO_OWNERS = frozenset({
    "about", "apps", "blog", "collections", "contact", "customer-stories", "explore", "features", "join", "login",
    "marketplace", "notifications", "orgs", "pricing", "readme", "search", "security", "settings", "site", "sponsors",
    "topics", "trending", "users",
})  # fmt: skip
_HUGGING_FACE = lazy_pattern(
    _BEFORE
    + r"(?:huggingface\.co|hf\.co)/(datasets/)?([A-Za-z0-9][A-Za-z0-9._-]{0,95})(?:/([A-Za-z0-9][A-Za-z0-9._-]{0,95}))?"
)
_NO_MODELS = frozenset({
    "api", "blog", "chat", "collections", "course", "datasets", "docs", "join", "learn", "login", "models", "organizations",
    "papers", "posts", "pricing", "spaces", "tasks", "transformers", "welcome",
})  # fmt: skip
_INSIDE = frozenset({"tree", "blob", "resolve", "discussions", "viewer", "raw", "commit", "commits"})
_URL_ESCAPE = lazy_pattern(r"\\([_%&#~$-])")


def package(fields: Mapping[str, str]) -> str:
    """The package that the addresses of a reference name; empty if they name none, or several."""
    text = _addresses(fields)
    found = {f"pypi:{pypi_name(name)}" for name in _PYPI.findall(text)}
    found |= {f"cran:{name}" for pattern in (_CRAN, _CRAN_QUERY) for name in pattern.findall(text)}
    return found.pop() if len(found) == 1 else ""


def package_of_title(fields: Mapping[str, str]) -> str:
    """The package that the title of a reference seems to name where it speaks of a version of an R package.

    R's ``citation()`` writes ``name: What It Does`` and "R package version 1.2". It need not be on CRAN.
    """
    said = " ".join(fields.get(name, "") for name in ("note", "howpublished", "version", "type", "addendum"))
    match = _R_TITLE.match(fields.get("title", ""))
    return f"cran:{match[1]}" if match and _R_VERSION.search(said) else ""


def pypi_name(name: str) -> str:
    """A name of PyPI in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).strip("-").lower()


def repository(fields: Mapping[str, str]) -> str:
    """The repository that the addresses of a reference name; empty if they name none, or several."""
    text = _addresses(fields)
    found = {
        f"github.com/{owner}/{name.rstrip('.').removesuffix('.git')}".lower()
        for owner, name in _GITHUB.findall(text)
        if owner.lower() not in _NO_OWNERS
    }
    found |= {_hosted(bool(data), first, second) for data, first, second in _HUGGING_FACE.findall(text)} - {""}
    return found.pop() if len(found) == 1 else ""


def _hosted(data: bool, first: str, second: str) -> str:
    """A dataset or model; one without an owner only if its name cannot be that of an owner's page."""
    parts = [part.rstrip(".") for part in (first, second) if part and part not in _INSIDE]
    if data:
        return f"huggingface.co/datasets/{'/'.join(parts)}"
    if first in _NO_MODELS or (len(parts) == 1 and not re.search(r"[-\d]", parts[0])):
        return ""
    return f"huggingface.co/models/{'/'.join(parts)}"


def _addresses(fields: Mapping[str, str]) -> str:
    text = " ".join(fields.get(name, "") for name in _ADDRESS_FIELDS)
    return _URL_ESCAPE.sub(r"\1", text).replace("&amp;", "&")
