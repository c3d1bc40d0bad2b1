"""The cited identifiers of a reference."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching.catalogue_ids import (
    acl_id,
    acl_volume,
    bibcode,
    dblp_key,
    find_isbns,
    find_issns,
    issns_among_isbns,
    openreview_id,
    package,
    package_of_title,
    repository,
    rfc_number,
    texkey,
    w3c_report,
    zbl_number,
)
from pytest_citecheck.matching.identifiers import (
    archive_of,
    arxiv_in_junk,
    find_dois,
    is_bare_number,
    is_generated,
    malformed_arxiv,
    normalise_arxiv,
    normalise_doi,
    with_archive,
)
from pytest_citecheck.matching.text import lazy_pattern
from pytest_citecheck.model import Identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_citecheck.model import Reference

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


_URL_FIELDS = ("url", "ee", "link", "bdsk-url-1")
_NOTE_FIELDS = ("note", "howpublished", "addendum")
_ACL_FIELDS = ("anthology", "aclid")
_HAL_FIELDS = ("hal_id", "halid")
_NNT_TYPES = ("nnt", "theses.fr", "thesesfr")
_THESES = frozenset({"thesis", "phdthesis", "mastersthesis"})
_DBLP_FIELDS = ("biburl", *_URL_FIELDS)
_VOLUMES = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection", "book"})
# In this order, because the first fields are meant for it.
_ARXIV_FIELDS = ("arxiv", "eprint", "journal", "journaltitle", "volume", "number", "doi", "url", "ee")
_ARXIV_TEXT_FIELDS = ("link", "bdsk-url-1", "howpublished", "note", "addendum", "booktitle", "publisher", "series")
_ZBL_FIELDS = ("zbl", "zblnumber", "zbmath", "zblno")
_BIBCODE_FIELDS = ("bibcode", "adsbibcode", "adsurl")
_SLAC = lazy_pattern(r"%%\s*+CITATION\s*+=\s*+|;\s*+%%")
_ARXIV_UNPRINTED = ("arxivid", "slaccitation")
_UNPRINTED = frozenset({*_ARXIV_UNPRINTED, "ee", "link", "bdsk-url-1", "biburl"})
"""Fields that reference managers fill and no style prints: they help to find the work, but readers never see them."""
_KINDS = (
    "doi", "short_doi", "arxiv", "pmid", "pmcid", "acl", "openreview", "dblp", "hal", "nnt", "zbl", "bibcode", "url", "rfc",
    "w3c",
)  # fmt: skip
_PROJECTS = ("package", "package_guessed", "repository")

_URL = lazy_pattern(r"(?:https?|ftp)://[^\s{}<>\"“”|\\^`]+", re.IGNORECASE)
_URL_ESCAPE = lazy_pattern(r"\\([_%&#~$])")
# shortdoi.org: `10/f3vhpj`, also written `doi.org/f3vhpj`; Better BibTeX writes only `f3vhpj`, which has no vowels today.
_SHORT_DOI = lazy_pattern(
    r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/(?:10/)?|(?:doi:\s*)?10/)([a-z0-9]{2,12})/?", re.IGNORECASE
)
_BARE_SHORT_DOI = lazy_pattern(r"([b-df-hj-np-tv-z][b-df-hj-np-tv-z0-9]{3,6})")
_RESOLVER = lazy_pattern(r"https?://(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
# A note that speaks of another object may name that object's DOI.
_ABOUT_OTHERS = lazy_pattern(
    r"\b(?:errat|corrigend|correct|retract|comment|repl(?:y|ies)|data|code|software|supplement|review|translat|"
    r"reprint|part of|appendi|slides|video|model)",
    re.IGNORECASE,
)
_REVIEWED_THERE = lazy_pattern(r"\breviewed on openreview\b", re.IGNORECASE)
_PMID = lazy_pattern(
    r"\bPMID\s*+:?\s*+(\d{1,8})\b|(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,8})\b", re.IGNORECASE
)
_PMCID = lazy_pattern(r"\b(PMC\d{1,9})\b", re.IGNORECASE)
_ONLY_DIGITS = lazy_pattern(r"\s*+(?:PMID\s*+:?\s*+)?(\d{1,8})\s*+\.?\s*+$", re.IGNORECASE)


def cited_identifiers(reference: Reference) -> Identifiers:
    """Return the identifiers stated in the fields of ``reference``, except its abstract and comments.

    Fields that no style prints are used only for kinds that the printed ones lack; `Identifiers.unprinted` lists those
    kinds.
    """
    fields = {name: value for name, value in reference.fields.items() if value and value.strip()}
    printed = {name: value for name, value in fields.items() if name not in _UNPRINTED}
    found = _identifiers(reference, printed)
    if len(printed) == len(fields):
        return found
    hidden = _identifiers(reference, fields)
    arxiv, version = (hidden.arxiv, hidden.arxiv_version) if hidden.arxiv else _unprinted_arxiv(fields)
    hidden = replace(hidden, arxiv=arxiv, arxiv_version=version)
    added: dict[str, Any] = {kind: getattr(hidden, kind) for kind in _KINDS if not getattr(found, kind)}
    added = {kind: value for kind, value in added.items() if value}
    return replace(
        found,
        **added,
        **{name: getattr(hidden, name) for name in _PROJECTS},
        arxiv_version=version if "arxiv" in added else found.arxiv_version,
        unprinted=frozenset(added),
    )


def _identifiers(reference: Reference, fields: Mapping[str, str]) -> Identifiers:
    doi, doi_problem = _doi(fields)
    generated = next((fields[name] for name in ("arxiv", "eprint") if _is_generated(fields, name)), "")
    arxiv, version, arxiv_problem = _arxiv({name: value for name, value in fields.items() if value != generated})
    stated, guessed = package(fields), package_of_title(fields)
    isbn, isbn_problem = find_isbns(fields.get("isbn", ""))
    issn, issn_problem = find_issns(fields.get("issn", ""))
    return Identifiers(
        doi=doi,
        doi_problem=doi_problem,
        doi_literal=_doi_as_written(fields, doi),
        short_doi="" if doi else _short_doi(fields),
        arxiv=arxiv,
        arxiv_version=version,
        arxiv_problem=arxiv_problem,
        generated=generated.strip(),
        pmid=_pmid(fields),
        pmcid=_pmcid(fields),
        isbn=isbn,
        issn=issn,
        isbn_problem=isbn_problem,
        issn_problem=issn_problem,
        issn_in_isbn=issns_among_isbns(fields.get("isbn", "")),
        acl=_acl(reference.type, fields, doi),
        openreview=_addressed(fields, openreview_id),
        dblp=_dblp(reference.key, fields),
        hal=_hal(fields),
        nnt=_nnt(reference.type, fields),
        texkey=texkey(fields.get("texkey", "")) or texkey(reference.key),
        zbl=_stated(fields, _ZBL_FIELDS, zbl_number),
        bibcode=_stated(fields, (*_BIBCODE_FIELDS, *_URL_FIELDS), bibcode) or bibcode(reference.key),
        url=_url(fields),
        rfc=rfc_number(reference.type, fields, doi),
        w3c=w3c_report(fields),
        package=stated or guessed,
        package_guessed=bool(guessed) and not stated,
        repository=repository(fields),
    )


def _eprint_type(fields: Mapping[str, str]) -> str:
    return (fields.get("eprinttype") or fields.get("archiveprefix") or "").strip().lower()


def _doi(fields: Mapping[str, str]) -> tuple[str, str]:
    stated = fields.get("doi", "")
    if stated:
        if doi := normalise_doi(stated):
            return doi, ""
        problem = "" if _short_doi({"doi": stated}) else _not_a_doi(stated.strip())
    else:
        problem = ""
    if _eprint_type(fields) == "doi" and (doi := normalise_doi(fields.get("eprint", ""))):
        return doi, problem
    for name in _URL_FIELDS:
        if doi := normalise_doi(fields.get(name, "")):
            return doi, problem
    for name in _NOTE_FIELDS:
        found = find_dois(fields.get(name, ""))
        if len(found) == 1 and not _ABOUT_OTHERS.search(fields[name]):
            return found[0], problem
    return "", problem


def _doi_as_written(fields: Mapping[str, str], doi: str) -> str:
    written = _RESOLVER.sub("", fields.get("doi", "").strip()).lower()
    rest = written.removeprefix(doi)
    return written if doi and rest != written and re.fullmatch(r"[^\w\s]+", rest) else ""


def _short_doi(fields: Mapping[str, str]) -> str:
    """Return ``10/f3vhpj``; only doi.org knows which DOI that is."""
    for name in ("doi", *_URL_FIELDS):
        value = fields.get(name, "").strip()
        if match := _SHORT_DOI.fullmatch(value) or (name == "doi" and _BARE_SHORT_DOI.fullmatch(value)):
            return f"10/{match[1].lower()}"
    return ""


def _not_a_doi(value: str) -> str:
    if normalise_arxiv(value)[0]:
        return f"the field `doi` contains an arXiv identifier, not a DOI: “{value}”"
    if re.fullmatch(r"https?://(?:dx\.|www\.)?doi\.org/?|doi:?", value, re.IGNORECASE):
        return f"the doi field names the resolver but no DOI: '{value}'"
    return f"the field `doi` contains no DOI (a DOI begins with “10.” and has a slash): “{value}”"


def _arxiv(fields: Mapping[str, str]) -> tuple[str, int | None, str]:
    kind, archive = _eprint_type(fields), _archive(fields)
    problem = ""
    for name in (*_ARXIV_FIELDS, *_ARXIV_TEXT_FIELDS):
        value = fields.get(name)
        if not value or (name == "eprint" and kind not in ("", "arxiv", archive)):
            continue
        if name in ("volume", "number") and "/" not in value and "arxiv" not in value.lower():
            continue  # "1706.03762" is an identifier in an eprint field, but may be an article number here
        own = name in ("arxiv", "eprint")
        identifier, version = normalise_arxiv(with_archive(value, archive) if own else value)
        if identifier:
            return identifier, version, problem
        if problem or (own and not archive and is_bare_number(value)):
            continue
        if name == "arxiv" or (name == "eprint" and kind == "arxiv"):
            problem = f"the field `{name}` contains no arXiv identifier: “{value.strip()}”"
        elif wrong := malformed_arxiv(value):
            problem = f"'{wrong}' in the {name} field cannot be an arXiv identifier"
    return "", None, problem


def _is_generated(fields: Mapping[str, str], name: str) -> bool:
    """True if a field for an arXiv identifier holds what a reference manager made."""
    value, archive, kind = fields.get(name, ""), _archive(fields), _eprint_type(fields)
    if not value or (name == "eprint" and kind not in ("arxiv", archive)):
        return False
    stated = with_archive(value, archive)
    return is_generated(stated) if name == "arxiv" or kind or normalise_arxiv(stated)[0] else False


def _unprinted_arxiv(fields: Mapping[str, str]) -> tuple[str, int | None]:
    archive = _archive(fields)
    values = (with_archive(_SLAC.sub("", fields.get(name, "")), archive) for name in _ARXIV_UNPRINTED)
    found = map(arxiv_in_junk, (value for value in values if not is_generated(value)))
    return next((one for one in found if one[0]), ("", None))


def _archive(fields: Mapping[str, str]) -> str:
    """Return the old arXiv archive that the entry names beside its number: ``cond-mat``; empty if it names none."""
    named = (fields.get(name, "") for name in ("primaryclass", "eprintclass", "archiveprefix", "eprinttype"))
    return next(filter(None, map(archive_of, named)), "")


def _pmid(fields: Mapping[str, str]) -> str:
    own = [fields.get("pmid", ""), fields.get("pubmed", "")]
    if _eprint_type(fields) in ("pubmed", "pmid"):
        own.append(fields.get("eprint", ""))
    for value in own:
        if match := _ONLY_DIGITS.match(value):
            return match[1]
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        if match := _PMID.search(fields.get(name, "")):
            return match[1] or match[2]
    return ""


def _pmcid(fields: Mapping[str, str]) -> str:
    for name in ("pmcid", "pmc"):
        value = fields.get(name, "").strip()
        if value.isdigit():
            return f"PMC{value}"
        if match := _PMCID.search(value):
            return match[1].upper()
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        if match := _PMCID.search(fields.get(name, "")):
            return match[1].upper()
    return ""


def _acl(kind: str, fields: Mapping[str, str], doi: str) -> str:
    """The paper. For a volume, only a volume may have the id, as papers are also cited with its address."""
    forms = (acl_id, acl_volume) if kind in _VOLUMES else (acl_id,)
    for form in forms:
        stated = [form(fields.get(name, "")) for name in _ACL_FIELDS]
        if found := next(filter(None, stated), "") or _addressed(fields, form) or form(doi):
            return found
    return ""


def _dblp(key: str, fields: Mapping[str, str]) -> str:
    if key[:5].lower() == "dblp:" and (found := dblp_key(key)):
        return found
    return next((found for name in _DBLP_FIELDS if (found := _in_addresses(fields.get(name, ""), dblp_key))), "")


def _hal(fields: Mapping[str, str]) -> str:
    own = [fields.get(name, "") for name in _HAL_FIELDS]
    own += [fields.get("eprint", "")] if _eprint_type(fields) == "hal" else []
    return next(filter(None, map(hal_id, own)), "") or _addressed(fields, hal_id)


def _nnt(kind: str, fields: Mapping[str, str]) -> str:
    """The number of a thesis; HAL exports it as its ``number``."""
    own = [fields.get("nnt", "")]
    own += [fields.get("eprint", "")] if _eprint_type(fields) in _NNT_TYPES else []
    own += [fields.get("number", "")] if kind in _THESES else []
    return next(filter(None, map(nnt, own)), "") or _addressed(fields, nnt)


def _stated(fields: Mapping[str, str], names: tuple[str, ...], form: Callable[[str], str]) -> str:
    """The first identifier of this form that one of the fields states; of several in a field, the first."""
    values = (
        value for name in names for value in re.split(r"[,;]\s*+|(?<!\s)\s++(?=(?:JFM|Zbl)\b)", fields.get(name, ""))
    )
    return next(filter(None, map(form, values)), "")


def _addressed(fields: Mapping[str, str], form: Callable[[str], str]) -> str:
    """The identifier of this form in the addresses of the work; in a note only if it is of this work, as far as one sees."""
    for name in _URL_FIELDS:
        if found := _in_addresses(fields.get(name, ""), form):
            return found
    for name in _NOTE_FIELDS:
        value = fields.get(name, "")
        if found := _in_addresses(value, form):
            said = _REVIEWED_THERE.sub("", _URL.sub("", value))
            if not _ABOUT_OTHERS.search(said):
                return found
    return ""


def _in_addresses(value: str, form: Callable[[str], str]) -> str:
    """The one work that all addresses of this form in the value point to; empty if there are several or none."""
    if "/" not in value:
        return ""
    addresses = _URL_ESCAPE.sub(r"\1", value).replace("&amp;", "&").split()
    found = {identifier for address in addresses if "/" in address and (identifier := form(address))}
    return found.pop() if len(found) == 1 else ""


def _url(fields: Mapping[str, str]) -> str:
    for name in (*_URL_FIELDS, *_NOTE_FIELDS):
        value = fields.get(name, "")
        if "://" in value and (match := _URL.search(_URL_ESCAPE.sub(r"\1", value))):
            url = match.group().rstrip(".,;:'!?")
            while url.endswith(")") and url.count(")") > url.count("("):
                url = url[:-1].rstrip(".,;:'!?")
            return url
    return fields.get("url", "").strip()
