"""The addresses under which collections publish their dumps, and how to read their lists of files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

UNCONFIRMED = "unconfirmed"


class PublishedDump(NamedTuple):
    """A dump to download.

    confirmed: date on which the address was seen to answer (ISO 8601), or `UNCONFIRMED`. url: of the file or of the list of
    files; empty if there is none for plain downloads. listing: ``""`` for one file, ``"folder"`` for a page with links,
    ``"manifest"`` for OpenAlex's list. checksum: ending of a file with the MD5 sum beside each file. updates: address of a
    second list, of incremental files. whole: True if a newer dump replaces the collection. why: what to do without an address.
    """

    url: str
    confirmed: str
    listing: str = ""
    checksum: str = ""
    updates: str = ""
    whole: bool = True
    why: str = ""


PUBLISHED: Mapping[str, PublishedDump] = {
    "dblp": PublishedDump("https://dblp.org/xml/dblp.xml.gz", "2026-10-03", checksum=".md5"),
    "arxiv": PublishedDump("https://www.kaggle.com/api/v1/datasets/download/Cornell-University/arxiv", UNCONFIRMED),
    "openalex": PublishedDump(
        "https://openalex.s3.amazonaws.com/data/works/manifest", UNCONFIRMED, listing="manifest", whole=False
    ),
    "pubmed": PublishedDump(
        "https://ftp.ncbi.nlm.nih.gov/pubmed/baseline/", UNCONFIRMED, listing="folder", checksum=".md5", whole=False,
        updates="https://ftp.ncbi.nlm.nih.gov/pubmed/updatefiles/",
    ),
    "crossref": PublishedDump(
        "", UNCONFIRMED, listing="folder", whole=False,
        why="Crossref publishes its data file as a torrent (https://www.crossref.org/learning/public-data-file/): download it "
        "and pass its folder as FILE, or pass --mirror crossref=URL with the address of a folder that has its files",
    ),
}  # fmt: skip
"""The dumps by collection. An address that is `UNCONFIRMED` is from memory: no request to it was made for this version."""


class DumpFile(NamedTuple):
    """A file to download.

    name: its path below the folder of its collection. size: in bytes, 0 if unknown. checksum: the address of the MD5 sum; empty
    if there is none.
    """

    url: str
    name: str
    size: int = 0
    checksum: str = ""


class ListingError(ValueError):
    """A list of files is not what it should be."""


_LINK = lazy_pattern(
    r"""<a\s[^<>]*?\bhref=["']([^"'<>/?#]+\.(?:gz|zst|tar|zip|jsonl|json|xml))["'][^<>]*>[^<>]*</a>([^<\n]*)"""
)
_SIZE = lazy_pattern(r"\s([0-9]+(?:\.[0-9]+)?)([KMG]?)\s*\Z")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SAFE = lazy_pattern(r"[A-Za-z0-9._=-]+(?:/[A-Za-z0-9._=-]+)*")


def listed_files(url: str, listing: str, checksum: str, body: bytes) -> list[DumpFile]:
    """The files in a list at this address. All are on the same host. Raises ListingError."""
    text = body.decode("utf-8", "replace")
    files = _of_manifest(url, text) if listing == "manifest" else _of_folder(url, text, checksum)
    if not files:
        raise ListingError(f"{url} lists no dump files")
    return files


def _of_folder(url: str, page: str, checksum: str) -> list[DumpFile]:
    base = url if url.endswith("/") else f"{url}/"
    files = {}
    for match in _LINK.finditer(page):
        size = _SIZE.search(match[2])
        stated = int(float(size[1]) * _UNITS[size[2]]) if size else 0
        address = urljoin(base, match[1])
        files[match[1]] = DumpFile(address, _safe(match[1]), stated, f"{address}{checksum}" if checksum else "")
    return list(files.values())


def _of_manifest(url: str, text: str) -> list[DumpFile]:
    """``{"entries": [{"url": "s3://BUCKET/KEY", "meta": {"content_length": …}}]}``: keys of the bucket at this host."""
    try:
        entries = json.loads(text)["entries"]
        parts = urlsplit(url)
        above = parts.path.rpartition("/")[0].lstrip("/")
        files = []
        for entry in entries:
            key = re.sub(r"\As3://[^/]+/", "", entry["url"])
            name = _safe(key.removeprefix(f"{above}/"))
            size = int(entry.get("meta", {}).get("content_length") or 0)
            files.append(DumpFile(f"{parts.scheme}://{parts.netloc}/{_safe(key)}", name, size))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ListingError(f"{url} is not a manifest of OpenAlex") from error
    return files


def _safe(name: str) -> str:
    """A name that stays below its folder. Raises ListingError for others."""
    if not _SAFE.fullmatch(name) or any(part.startswith(".") for part in name.split("/")):
        raise ListingError(f"{name!r} is not a name of a dump file")
    return name
