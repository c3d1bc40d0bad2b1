"""TEI that GROBID produces from the references of a PDF. Each entry is converted to a CSL item.

Documentation: GROBID, "The GROBID Service API" (``/api/processReferences``) and the TEI Guidelines, element ``biblStruct``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.inputs.documents import UnreadableDocumentError
from pytest_citecheck.inputs.exchange import csl_reference, local_name, parse_xml
from pytest_citecheck.model import Location, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element


def references_of_tei(path: str, data: bytes) -> list[Reference]:
    """Return one reference per ``biblStruct`` of the list. Raise UnreadableDocumentError if the data is not XML."""
    try:
        root = parse_xml(data)
    except ValueError as error:
        raise UnreadableDocumentError(f"{path}: the answer of GROBID is not TEI: {error}") from error
    found = []
    for number, one in enumerate(_within(root), start=1):
        page = _page(one)
        text = _text(next((note for note in one.iter() if note.get("type") == "raw_reference"), None))
        reference = csl_reference(_item(one), Location(path, page, page, "page"), number, text)
        found += [reference] if reference.fields else []
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


def _item(one: Element) -> dict[str, Any]:
    part = next((child for child in one if local_name(child) == "analytic"), None)
    whole = next((child for child in one if local_name(child) == "monogr"), None)
    title, container = _title(part), _title(whole)
    level = container.get("level", "") if container is not None else ""
    item: dict[str, Any] = {"title": _text(title) or _text(container), "author": _people(part) or _people(whole)}
    if _text(title) and _text(container):
        kind = "article-journal" if level == "j" else "paper-conference"
        item |= {"type": kind, "container-title": _text(container)}
    elif level == "m":
        item["type"] = "book"
    for element in one.iter():
        item = _stated(element) | {name: value for name, value in item.items() if value}
    return item


def _stated(element: Element) -> dict[str, str]:
    """Return the field that an element states; the first of several counts."""
    name, kind = local_name(element), (element.get("type") or element.get("unit") or "").lower()
    match name, kind:
        case "idno", "doi":
            return {"DOI": _text(element)}
        case "idno", "arxiv":
            return {"archive_location": f"arXiv:{_text(element).removeprefix('arXiv:').partition('[')[0].strip()}"}
        case "idno", "pmid":
            return {"PMID": _text(element)}
        case "date", "published" | "":
            return {"issued": (element.get("when") or _text(element))[:4]}
        case "biblScope", ("volume" | "issue" | "page"):
            return {kind: "--".join(filter(None, (element.get("from"), element.get("to")))) or _text(element)}
        case "publisher", _:
            return {"publisher": _text(element)}
        case "ptr", _:
            return {"URL": element.get("target", "")}
    return {}


def _title(level: Element | None) -> Element | None:
    titles = [one for one in (level if level is not None else ()) if local_name(one) == "title"]
    return next((one for one in titles if one.get("type") == "main"), titles[0] if titles else None)


def _people(level: Element | None) -> list[dict[str, str]]:
    return [_person(one) for one in (level if level is not None else ()) if local_name(one) == "author"]


def _person(author: Element) -> dict[str, str]:
    parts: dict[str, list[str]] = {}
    for element in author.iter():
        parts.setdefault(local_name(element), []).append(_text(element))
    family, given = " ".join(parts.get("surname", ())), " ".join(parts.get("forename", ()))
    return {"family": family, "given": given} if family else {"literal": "".join(parts.get("orgName", ())[:1])}


def _text(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
