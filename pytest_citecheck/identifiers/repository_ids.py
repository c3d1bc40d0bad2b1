"""Identifiers of works in the open archive HAL and of French theses, out of the fields and addresses that people cite.

Forms: ``hal-00650905``, ``tel-00390303``, ``sic_00001234`` (doc.hal.science, "Identifiant HAL"), and the *numéro national de
thèse* ``2010DENS0040``: year, school and number (abes.fr, "NNT").
"""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["hal_id", "nnt"]

_HAL = r"[a-z][a-z0-9]{1,9}(?:[-_][a-z0-9]{2,12})?[-_]\d{8}"
_HAL_ID = lazy_pattern(rf"({_HAL})(?:v\d{{1,3}})?", re.IGNORECASE)
_HAL_ADDRESS = lazy_pattern(
    r"(?:\bhal\.science|\barchives-ouvertes\.fr|\bccsd\.cnrs\.fr|\bhal\.[a-z0-9-]{2,30}(?:\.[a-z0-9-]{2,30})?\.fr)"
    rf"/({_HAL})(?:v\d{{1,3}})?(?=[/?#\s.,;)\]}}>\"']|$)",
    re.IGNORECASE,
)
_NNT = r"(?:19|20)\d\d(?=\d{0,3}[A-Z])[A-Z0-9]{4}[A-Z0-9]{4}"
_NNT_ALONE = lazy_pattern(_NNT, re.IGNORECASE)
_NNT_ADDRESS = lazy_pattern(rf"\btheses\.fr/(?:[a-z/]{{2,20}}/)?({_NNT})(?=[/?#\s.,;)\]}}>\"']|$)", re.IGNORECASE)


def hal_id(text: str) -> str:
    """The document in HAL that ``text`` names as its id or its address, without its version; empty if it names none."""
    value = text.strip()
    match = _HAL_ADDRESS.search(value) if "/" in value else _HAL_ID.fullmatch(value)
    return match[1].lower() if match else ""


def nnt(text: str) -> str:
    """The French thesis that ``text`` names by its national number or its address at theses.fr; empty if it names none."""
    value = text.strip()
    match = _NNT_ADDRESS.search(value) if "/" in value else _NNT_ALONE.fullmatch(value)
    return match[match.lastindex or 0].upper() if match else ""
