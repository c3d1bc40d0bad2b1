"""The local K10plus: the union catalogue, which also has theses, and lists all people with their roles."""

from __future__ import annotations

from tests.stand_ins.sru import BOOKS, SruCatalogue


class K10plus(SruCatalogue):
    """K10plus's answers to GET requests."""

    path = "/opac-de-627"
    indexes = ("pica.isb", "pica.tit", "pica.per")
    types = BOOKS | {"dissertation"}
