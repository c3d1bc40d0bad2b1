"""The local ACL Anthology: the entry of a paper in MODS beside its page, ``/{id}.xml``.

Written after the MODS 3 guidelines and the formats that the Anthology offers (aclanthology.org/faq); what it does not have
is a page that says so. Year and pages are those that DBLP took from the volume, where Crossref was told others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote
from xml.sax.saxutils import escape

from tests.stand_ins.replies import Parameters, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.stand_ins.facts import Facts, Name, Work

_MISSING = (
    b"<!doctype html><html lang=en><head><title>Page not found - ACL Anthology</title></head><body></body></html>"
)


class AclAnthology:
    """The Anthology's answers to GET requests. With ``shift``, every paper found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._papers = [work for work in facts.works if work.acl]
        self._shift = shift
        self._positions = {work.acl: position for position, work in enumerate(self._papers)}

    def answer(self, path: str, _parameters: Parameters) -> Reply:
        name = unquote(path.removeprefix("/"))
        position = self._positions.get(name.removesuffix(".xml")) if name.endswith(".xml") else None
        if position is None:
            return Reply(404, "text/html; charset=UTF-8", _MISSING)
        paper = self._papers[(position + self._shift) % len(self._papers)]
        return Reply(200, "application/xml", ("\n".join(_collection(paper)) + "\n").encode())


def _collection(paper: Work) -> Iterator[str]:
    volume = next((record for record in paper.dblp if not record.type.startswith("Informal")), None)
    year = volume.year if volume else str(paper.issued[0])
    first, _, last = (volume.pages if volume and volume.pages else paper.pages).partition("-")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<modsCollection xmlns="http://www.loc.gov/mods/v3">'
    yield f'<mods ID="{paper.id}">'
    yield f"    <titleInfo>\n        <title>{escape(paper.title)}</title>\n    </titleInfo>"
    yield from _people(paper.authors, "author")
    yield f"    <originInfo>\n        <dateIssued>{year}</dateIssued>\n    </originInfo>"
    yield "    <typeOfResource>text</typeOfResource>"
    yield '    <relatedItem type="host">'
    yield f"        <titleInfo>\n            <title>{escape(paper.container)}</title>\n        </titleInfo>"
    yield from _people(paper.editors, "editor")
    yield f"        <originInfo>\n            <publisher>{escape(paper.publisher)}</publisher>\n        </originInfo>"
    yield '        <genre authority="marcgt">conference publication</genre>'
    yield "    </relatedItem>"
    yield f'    <identifier type="citekey">{paper.id}</identifier>'
    if paper.doi:
        yield f'    <identifier type="doi">{escape(paper.doi)}</identifier>'
    yield f"    <location>\n        <url>https://aclanthology.org/{paper.acl}/</url>\n    </location>"
    yield f"    <part>\n        <date>{year}</date>"
    if first:
        end = f"<end>{last}</end>" if last else ""
        yield f'        <extent unit="page">\n            <start>{first}</start>{end}\n        </extent>'
    yield "    </part>\n</mods>\n</modsCollection>"


def _people(names: Sequence[Name], role: str) -> Iterator[str]:
    for name in names:
        if name.literal:
            yield f'    <name type="corporate">\n        <namePart>{escape(name.literal)}</namePart>'
        else:
            yield '    <name type="personal">'
            yield from (f'        <namePart type="given">{escape(given)}</namePart>' for given in name.given.split())
            yield f'        <namePart type="family">{escape(name.family)}</namePart>'
            if name.suffix:
                yield f'        <namePart type="termsOfAddress">{escape(name.suffix)}</namePart>'
        term = f'<roleTerm authority="marcrelator" type="text">{role}</roleTerm>'
        yield f"        <role>\n            {term}\n        </role>\n    </name>"
