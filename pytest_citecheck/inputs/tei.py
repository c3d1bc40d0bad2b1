"""TEI that GROBID produces from the references of a PDF.

Documentation: GROBID, "The GROBID Service API" (``/api/processReferences``) and the TEI Guidelines, element ``biblStruct``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.inputs.bibtex.reader import reference_of
from pytest_citecheck.inputs.documents import UnreadableDocumentError
from pytest_citecheck.inputs.exchange import local_name, parse_xml
from pytest_citecheck.model import Location, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element


_NUMBERS = {"volume": "volume", "issue": "number", "page": "pages"}


def references_of_tei(path: str, data: bytes) -> list[Reference]:
    """Return one reference per ``biblStruct`` of the list. Raise UnreadableDocumentError if the data is not XML."""
    try:
        root = parse_xml(data)
    except ValueError as error:
        raise UnreadableDocumentError(f"{path}: the answer of GROBID is not TEI: {error}") from error
    found = []
    for number, one in enumerate(_within(root), start=1):
        raw = {name: value for name, value in _fields(one).items() if value}
        if not raw:
            continue
        kind = raw.pop("type")
        page = _page(one)
        text = _text(next((note for note in one.iter() if note.get("type") == "raw_reference"), None))
        found.append(reference_of(f"ref_{number}", kind, raw, Location(path, page, page, "page"), text))
    return found


def _within(root: Element) -> Iterator[Element]:
    """Yield the entries of reference lists, not the description of the paper itself."""
    for element in root.iter():
        if local_name(element) == "listBibl":
            yield from (child for child in element if local_name(child) == "biblStruct")


def _page(one: Element) -> int:
    """Return the page from the coordinates, if GROBID was asked for them: ``12,72.0,…``."""
    page = (one.get("coords") or "").partition(",")[0]
    return int(page) if page.isdecimal() and 0 < len(page) < 6 else 1


def _fields(one: Element) -> dict[str, str]:
    part = next((child for child in one if local_name(child) == "analytic"), None)
    whole = next((child for child in one if local_name(child) == "monogr"), None)
    title, container = _title(part), _title(whole)
    level = next(
        (e.get("level", "") for e in (whole.iter() if whole is not None else ()) if local_name(e) == "title"), ""
    )
    fields = {"type": "misc", "title": title or container}
    if title and container:
        journal = level == "j"
        fields |= {"type": "article" if journal else "inproceedings", "journal" if journal else "booktitle": container}
    elif container and level == "m":
        fields["type"] = "book"
    authors = _people(part) or _people(whole)
    fields["author"] = " and ".join(authors)
    for element in one.iter():
        fields = _stated(element) | {name: value for name, value in fields.items() if value}
    return fields


def _stated(element: Element) -> dict[str, str]:
    """Return the field that an element states; the first of several counts."""
    name, kind = local_name(element), (element.get("type") or element.get("unit") or "").lower()
    ends = "--".join(filter(None, (element.get("from"), element.get("to"))))
    match name, kind:
        case "idno", _:
            return _identifier(kind, _text(element))
        case "date", "published" | "":
            return {"year": (element.get("when") or _text(element))[:4]}
        case "biblScope", ("volume" | "issue" | "page"):
            return {_NUMBERS[kind]: ends or _text(element)}
        case "publisher", _:
            return {"publisher": _text(element)}
        case "ptr", _:
            return {"url": element.get("target", "")}
    return {}


def _identifier(kind: str, value: str) -> dict[str, str]:
    if kind == "doi":
        return {"doi": value}
    if kind == "arxiv":
        return {"eprint": value.removeprefix("arXiv:").partition("[")[0].strip(), "archiveprefix": "arXiv"}
    return {"pmid": value} if kind == "pmid" else {}


def _title(level: Element | None) -> str:
    titles = [one for one in (level if level is not None else ()) if local_name(one) == "title"]
    main = next((one for one in titles if one.get("type") == "main"), titles[0] if titles else None)
    return _text(main)


def _people(level: Element | None) -> list[str]:
    names = []
    for author in level if level is not None else ():
        if local_name(author) != "author":
            continue
        parts: dict[str, list[str]] = {"forename": [], "surname": [], "orgName": []}
        for element in author.iter():
            if local_name(element) in parts:
                parts[local_name(element)].append(_text(element))
        surname, given = " ".join(parts["surname"]), " ".join(parts["forename"])
        if surname:
            names.append(f"{surname}, {given}" if given else surname)
        elif parts["orgName"]:
            names.append(f"{{{parts['orgName'][0]}}}")
    return names


def _text(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
