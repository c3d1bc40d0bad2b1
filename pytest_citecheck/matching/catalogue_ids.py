"""Keys of works in catalogues: the ACL Anthology, OpenReview, dblp, INSPIRE, zbMATH and the Astrophysics Data System.

Forms: ``P19-1001`` and ``2020.acl-main.1`` with their volumes ``P19-1`` and ``2020.acl-main`` (aclanthology.org/info/ids),
the parameter ``id`` of OpenReview's pages (docs.openreview.net), the keys of dblp's records (dblp.org/faq/13501477), the
keys of INSPIRE's BibTeX (``Maldacena:1997re``), the numbers of zbMATH (``0823.11029``, of the Jahrbuch ``59.1154.01``;
zbmath.org/general-help) and the 19 characters of a bibcode (ui.adsabs.harvard.edu/help/actions/bibcode).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from pytest_citecheck.matching.text import MAYBE_BLANKS, lazy_pattern

CATALOGUES = ("acl", "openreview", "dblp")
"""The kinds of which `Record.related` states the record's own key."""

_OLD = r"[a-z]\d\d-\d"
_NEW = r"(?:19|20)\d\d\.[a-z0-9]+-[a-z0-9_]+"
# Continuations of a paper's address: a file name, the version of a revision, a query.
_END = r"(?=v\d+\b|e\d+\b|[./?#\s,;)\]}>\"']|$)"
_PAPER = rf"(?:{_OLD}\d{{3}}|{_NEW}\.\d+)"
_VOLUME = rf"(?:{_OLD}\d?|{_NEW})"
_ACL_HOST = r"(?:aclanthology\.(?:org|info)|aclanthology\.coli\.uni-saarland\.de|aclweb\.org/anthology(?:-new)?)"
_ACL_ADDRESS = lazy_pattern(rf"{_ACL_HOST}(?:/[^\s/?#]{{0,100}}+){{0,8}}?/({_PAPER}){_END}", re.IGNORECASE)
_ACL_VOLUME_ADDRESS = lazy_pattern(rf"{_ACL_HOST}/volumes/({_VOLUME}){_END}", re.IGNORECASE)
# The association's DOI prefixes: one for DOIs that name their paper, others for older volumes.
_ACL_DOI = lazy_pattern(rf"(?:^|[\s/:])10\.(?:18653|3115)/v1/({_PAPER}|{_VOLUME})$", re.IGNORECASE)
_ACL_PAPER = lazy_pattern(_PAPER, re.IGNORECASE)
_ACL_VOLUME = lazy_pattern(_VOLUME, re.IGNORECASE)

_OPENREVIEW_ADDRESS = lazy_pattern(
    r"openreview\.net/(?:forum|pdf|attachment)/?\?(?:[^\s?#&]*&)*id=([\w-]+)(?=[&#\s.,;)\]}>\"']|$)",
    re.IGNORECASE | re.ASCII,
)
_OPENREVIEW_ID = lazy_pattern(r"[\w-]{5,30}", re.ASCII)

_DBLP_KEY = lazy_pattern(
    r"(?:(?:conf|journals|series|books|reference|tr|data)/[A-Za-z0-9_-]+|phd|ms|habil|bachelor)"
    r"(?:/[A-Za-z0-9_:+'-]+(?:\.[A-Za-z0-9_:+'-]+)*){1,3}"
)
_DBLP_ADDRESS = lazy_pattern(
    r"(?:dblp\.org|dblp\.uni-trier\.de|dblp\.dagstuhl\.de|dblp\d?\.org)/rec/(?:(?:bib\d?|bibtex|html|xml|rdf)/)?([^\s?#{}<>\"]+)",
    re.IGNORECASE,
)
_DBLP_FORMAT = lazy_pattern(r"\.(?:html?|bib|xml|rdf|nt|ttl|ris|json)\Z", re.IGNORECASE)
_TEXKEY = lazy_pattern(r"[A-Z][A-Za-z'-]{1,40}:(?:19|20)\d\d[a-z]{2,3}")
_ZBL = lazy_pattern(
    r"(?:(?:Zbl|JFM|zbMATH)\s*+:?\s*+|(?:https?://)?(?:www\.)?zbmath\.org/(?:\?q=an:)?)?"
    r"([01]\d{3}\.\d{5}|\d\d\.\d{4}\.\d\d)[.;]?",
    re.IGNORECASE,
)
_BIBCODE = lazy_pattern(r"(?:1[4-9]|20)\d\d[A-Za-z&][A-Za-z0-9&.]{4}[A-Za-z0-9.]{4}[A-Za-z0-9.][A-Za-z0-9.]{4}[A-Z.]")
_ADS_ADDRESS = lazy_pattern(
    r"(?:adsabs\.harvard\.edu|ads\.[a-z.]+)/(?:abs|full|cgi-bin/nph-bib_query\?bibcode=)/?([^\s/?#]++)"
)
_DBLP_PREFIX = lazy_pattern(r"dblp:", re.IGNORECASE)


def acl_id(text: str) -> str:
    """The paper of the ACL Anthology that ``text`` names as its id, its address or its DOI; empty if it names none."""
    value = text.strip()
    if _ACL_PAPER.fullmatch(value):
        return _acl_case(value)
    match = _ACL_ADDRESS.search(value) or _ACL_DOI.search(value)
    return _acl_case(match[1]) if match and _ACL_PAPER.fullmatch(match[1]) else ""


def acl_volume(text: str) -> str:
    """The volume of the ACL Anthology that ``text`` names as its id, its address or its DOI; empty if it names none."""
    value = text.strip()
    if _ACL_VOLUME.fullmatch(value):
        return _acl_case(value)
    match = _ACL_VOLUME_ADDRESS.search(value) or _ACL_DOI.search(value)
    return _acl_case(match[1]) if match and _ACL_VOLUME.fullmatch(match[1]) else ""


def is_acl_volume(key: str) -> bool:
    """Return True if an id of the ACL Anthology belongs to a whole volume."""
    return _ACL_VOLUME.fullmatch(key) is not None


def _acl_case(key: str) -> str:
    return key.lower() if key[0].isdigit() else key.upper()


def openreview_id(text: str) -> str:
    """The submission on OpenReview that ``text`` names as its id or its address; empty if it names none.

    Capitals matter. The id of a review or comment (``noteId``) is another thing.
    """
    value = text.strip()
    if "/" in value:
        match = _OPENREVIEW_ADDRESS.search(value)
        value = match[1] if match else ""
    return value if _OPENREVIEW_ID.fullmatch(value) else ""


def dblp_key(text: str) -> str:
    """The key of dblp (``conf/nips/VaswaniSPUJGKP17``) that ``text`` states as ``DBLP:conf/…`` or by its address.

    Empty if it states none. Capitals matter.
    """
    value = text.strip()
    match = _DBLP_ADDRESS.search(value)
    if match:
        value = _DBLP_FORMAT.sub("", match[1].rstrip(".,;)'"))
    elif _DBLP_PREFIX.match(value):
        value = value[len("dblp:") :]
    else:
        return ""
    return value if _DBLP_KEY.fullmatch(value) else ""


def texkey(text: str) -> str:
    """The key of INSPIRE's BibTeX in ``text``; empty for another form. Other tools use this form for their own keys."""
    value = text.strip()
    return value if _TEXKEY.fullmatch(value) else ""


def zbl_number(text: str) -> str:
    """The number of zbMATH or of the Jahrbuch that ``text`` is, alone or behind ``Zbl``, ``JFM`` or its address; else empty."""
    match = _ZBL.fullmatch(text.strip())
    return match[1] if match else ""


def bibcode(text: str) -> str:
    """The bibcode in ``text``, or in an address of the Astrophysics Data System; empty without one."""
    match = _ADS_ADDRESS.search(text)
    value = unquote(match[1]) if match else text.strip()
    return value if _BIBCODE.fullmatch(value) else ""


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
    """Name of the package that a title seems to cite, if the reference mentions a version of an R package.

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
    """A dataset or model. One without an owner counts only if its name cannot be an owner's page."""
    parts = [part.rstrip(".") for part in (first, second) if part and part not in _INSIDE]
    if data:
        return f"huggingface.co/datasets/{'/'.join(parts)}"
    if first in _NO_MODELS or (len(parts) == 1 and not re.search(r"[-\d]", parts[0])):
        return ""
    return f"huggingface.co/models/{'/'.join(parts)}"


def _addresses(fields: Mapping[str, str]) -> str:
    text = " ".join(fields.get(name, "") for name in _ADDRESS_FIELDS)
    return _URL_ESCAPE.sub(r"\1", text).replace("&amp;", "&")


# International standard numbers with their check digits: ISBN (ISO 2108) and ISSN (ISO 3297).
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_ISBN = lazy_pattern(r"(?<![\dXx])(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx](?!\d)")
_ISSN = lazy_pattern(
    r"(?:(?<![\dXx-])|(?<=\d{4}-\d{3}[\dX]))\d{4}[ -]?\d{3}[\dXx](?:(?![\d-])|(?=\d{4}-\d{3}[\dX](?!\d)))"
)
_LABEL = lazy_pattern(
    r"(?:(?:e-?|p-?|print|online|electronic)\s*+|" + MAYBE_BLANKS + r")IS[BS]N(?:-1[03]|-L)?(?:\s*+\d\d(?=:))?\s*+:?",
    re.IGNORECASE,
)
_PARENTHESIS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_SEPARATOR = lazy_pattern(r"[,;/|]|\band\b|\$?\\(?:text)?backslash(?:\{\})?\$?[rnt](?![a-z])")
"""Between numbers; Mendeley exports the line breaks between them as ``\\textbackslashr``."""
_SPACED = lazy_pattern(r"[\d -]*[\dXx]")
_LENGTHS = (10, 13)
_PREFIXES = ("978", "979")


def find_isbns(text: str) -> tuple[tuple[str, ...], str]:
    """ISBNs in the field value ``text``, as 13 digits, and the problem with the others (empty: none)."""
    numbers: list[str] = []
    for part, candidates in _parts(text, _ISBN):
        if not candidates and _issns_in(part):
            continue
        if not candidates:
            return tuple(numbers), f"'{part}' is not an ISBN: {_why_no_isbn(part)}"
        for written in candidates:
            number = _bare(written)
            if not _isbn_is_valid(number):
                return tuple(numbers), f"'{written}' is not an ISBN: its check digit is wrong"
            numbers.append(number if len(number) == 13 else _isbn13(number))
    return tuple(dict.fromkeys(numbers)), ""


def find_issns(text: str) -> tuple[tuple[str, ...], str]:
    """ISSNs in the field value ``text``, as ``1234-567X``, and the problem with the others (empty: none)."""
    numbers: list[str] = []
    for part, candidates in _parts(text, _ISSN):
        if not candidates:
            return tuple(numbers), f"'{part}' is not an ISSN: it has {_digits(part)} digits, not 8"
        for written in candidates:
            number = _bare(written)
            if _weighted(number, range(8, 0, -1)) % 11:
                return tuple(numbers), f"'{written}' is not an ISSN: its check digit is wrong"
            numbers.append(f"{number[:4]}-{number[4:]}")
    return tuple(dict.fromkeys(numbers)), ""


def issns_among_isbns(text: str) -> tuple[str, ...]:
    """ISSNs in the value of a field for ISBNs, where reference managers put them."""
    found = [number for part, isbns in _parts(text, _ISBN) if not isbns for number in _issns_in(part)]
    return tuple(dict.fromkeys(found))


def _issns_in(part: str) -> tuple[str, ...]:
    numbers, problem = find_issns(part)
    return () if problem else numbers


def _why_no_isbn(part: str) -> str:
    count = _digits(part)
    if count not in _LENGTHS:
        return f"it has {count} digits, not 10 or 13"
    if count == max(_LENGTHS) and not _bare(part).startswith(_PREFIXES):
        return "its 13 digits do not begin with 978 or 979"
    return "its digits do not stand together"


def _parts(text: str, pattern: re.Pattern[str]) -> list[tuple[str, list[str]]]:
    """Parts of a field value with digits, and the text in each that looks like a number, as written."""
    bare = _LABEL.sub(" ", _PARENTHESIS.sub(" ", text.translate(_DASHES)))
    result: list[tuple[str, list[str]]] = []
    for piece in _SEPARATOR.split(bare):
        part = piece.strip(" .:\n\t")
        if any(char.isdigit() for char in part):
            found = [match.group().strip(" -") for match in pattern.finditer(part)]
            if not found and _SPACED.fullmatch(part) and pattern.fullmatch(_bare(part)):
                found = [part]
            result.append((part, found))
    return result


def _bare(written: str) -> str:
    return re.sub(r"[ -]", "", written).upper()


def _digits(part: str) -> int:
    return sum(char.isdigit() or char in "xX" for char in part)


def _weighted(number: str, weights: range) -> int:
    return sum((10 if digit == "X" else int(digit)) * weight for digit, weight in zip(number, weights, strict=True))


def _isbn_is_valid(number: str) -> bool:
    if len(number) == 10:
        return _weighted(number, range(10, 0, -1)) % 11 == 0
    return _ean(number)


def _ean(number: str) -> bool:
    return number.isdigit() and _ean_sum(number) % 10 == 0


def _ean_sum(number: str) -> int:
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(number))


def _isbn13(number: str) -> str:
    body = "978" + number[:9]
    return f"{body}{-_ean_sum(body) % 10}"


_DOI = lazy_pattern(r"(?:^|/)10\.17487/rfc0*([1-9]\d{0,4})$", re.IGNORECASE)
_RFC_ADDRESS = lazy_pattern(
    r"(?:rfc-editor\.org|\bietf\.org)/(?:rfc|info|pdfrfc|html|pdf|doc(?:/html|/pdf|/rfc)?|id|archive/id)/rfc0*([1-9]\d{0,4})"
    r"(?=[./?#\s,;)\]}>\"']|$)",
    re.IGNORECASE,
)
_STATED = lazy_pattern(
    r"\W{0,4}(?:(?:IETF|Internet|Standards Track|Informational)[\s,]+)?(?:RFC|Requests? for Comments?)[\s:#~-]*"
    r"(?:n(?:o|r|umber)?\.?\s*)?0*([1-9]\d{0,4})\b",
    re.IGNORECASE,
)
_ANY = lazy_pattern(r"\bRFC[\s~-]*\d", re.IGNORECASE)
_TITLED = lazy_pattern(r"\s*RFC[\s~-]*0*([1-9]\d{0,4})\s*(?::|\s[-\u2013\u2014]+\s|\.\s)\s*\S", re.IGNORECASE)
_SERIES = lazy_pattern(r"\b(?:RFCs?|Requests? for Comments?)\b", re.IGNORECASE)
_BARE = lazy_pattern(r"0*([1-9]\d{0,4})")
# Statements about another RFC.
_ABOUT_OTHERS = lazy_pattern(
    r"\b(?:obsolet|updat|superse|replac|based on|extends?|see|cf|errat|defined in)", re.IGNORECASE
)
_UNPUBLISHED = lazy_pattern(r"\b(?:to[ -]be|to appear|forthcoming|in press|draft|proposed for)\b", re.IGNORECASE)
_SERIES_FIELDS = (
    "series",
    "type",
    "journal",
    "journaltitle",
    "howpublished",
    "institution",
    "publisher",
    "organization",
)
_STATING = ("number", *_SERIES_FIELDS[:5], "note", "issue", "volume", "booktitle")
_STANDARD_FIELDS = ("url", "ee", "link", "howpublished", "note")
_TYPES_OF_RFCS = frozenset({
    "techreport", "report", "misc", "standard", "online", "electronic", "www", "webpage", "manual", "rfc",
})  # fmt: skip

_TR = r"\bw3\.org/TR/"
_NAME = r"[A-Za-z][A-Za-z0-9._+-]{0,80}?"
_DATED = lazy_pattern(
    _TR + rf"(?:\d{{4}}/)[A-Z]{{2,8}}-({_NAME})-((?:19|20)\d{{6}})(?=[/?#\s,;)\]}}>\"']|\.\s|\.?$)", re.IGNORECASE
)
_UNDATED = lazy_pattern(_TR + rf"(?:REC-)?({_NAME})(?=[/?#\s,;)\]}}>\"']|\.\s|\.?$)")


def rfc_number(kind: str, fields: Mapping[str, str], doi: str) -> str:
    """The number of the RFC that a reference of this type cites; empty if it cites none, or names several."""
    if match := _DOI.search(doi):
        return match[1]
    found = set(_numbers(kind, fields))
    return found.pop() if len(found) == 1 else ""


def _numbers(kind: str, fields: Mapping[str, str]) -> Iterator[str]:
    if any(_UNPUBLISHED.search(fields.get(name, "")) for name in ("note", "howpublished", "pubstate", "number")):
        return
    own = {name: value for name, value in fields.items() if name == "url" or not _ABOUT_OTHERS.search(value)}
    for name in _STATING:
        value = own.get(name, "")
        if (match := _STATED.match(value)) and len(_ANY.findall(value)) <= 1:
            yield match[1]
    number = _BARE.fullmatch(fields.get("number", "").strip())
    if number and any(_says_rfc(fields.get(name, "")) for name in _SERIES_FIELDS):
        yield number[1]
    if kind in _TYPES_OF_RFCS and (match := _TITLED.match(fields.get("title", ""))):
        yield match[1]
    for name in _STANDARD_FIELDS:
        yield from _RFC_ADDRESS.findall(own.get(name, ""))


def _says_rfc(value: str) -> bool:
    return _SERIES.search(value) is not None and not any(map(str.isdigit, value))


def w3c_report(fields: Mapping[str, str]) -> str:
    """The report of the W3C that the addresses of a reference name: ``xml``, or ``xml/20081126`` for one version of it.

    Empty if they name none, or several. Capitals matter.
    """
    text = " ".join(fields.get(name, "") for name in _STANDARD_FIELDS)
    dated = {f"{name}/{date}" for name, date in _DATED.findall(text)}
    found = dated or set(_UNDATED.findall(text))
    return found.pop() if len(found) == 1 else ""
