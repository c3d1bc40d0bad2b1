"""The local Library of Congress: books, without the roles of people, and of four authors only the first."""

from __future__ import annotations

from tests.stand_ins.sru import SruCatalogue


class LibraryOfCongress(SruCatalogue):
    """The answers of the Library of Congress to GET requests."""

    path = "/LCDB"
    indexes = ("bath.isbn", "dc.title", "dc.creator")
    relators = False
    first_of_many = True
