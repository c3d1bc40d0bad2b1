"""The XML files of PubMed: the yearly baseline and the daily updates, ``pubmed24n0001.xml.gz``.

Documentation: "Download PubMed Data" (pubmed.ncbi.nlm.nih.gov/download), MEDLINE/PubMed XML element descriptions
(nlm.nih.gov/bsd/licensee/elements_descriptions.html) and pubmed_240101.dtd.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.xml_pieces import XmlError, decode, element, pieces
from pytest_citecheck.services.parsing.identifiers import pubmed_id
from pytest_citecheck.services.pubmed.record import parse_article
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["DUMPS", "PUBMED_XML", "PubmedXml"]

_TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
_HOME = lazy_pattern(rb"<(?:!DOCTYPE\s+)?(?:Pubmed(?:Book)?Article(?:Set)?|DeleteCitation)\b")
_FRAME = lazy_pattern(
    rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?Pubmed(?:Book)?ArticleSet\b[^<>]*>)*", re.DOTALL
)
_PMID = lazy_pattern(rb"<PMID[^<>]*>\s*(\d{1,8})")


class PubmedXml:
    """Reads files of PubMed (see the module)."""

    name = "pubmed-xml"
    source = "pubmed"
    licence = ""
    starts = "<"
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By its document type, root element or first record."""
        return _HOME.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an article or book; the ids that ``DeleteCitation`` lists go into ``context.deleted``."""
        told = False
        for piece in pieces(chunks, _TAGS, context):
            if isinstance(piece, Problem):
                yield piece
                told = True
                continue
            if not told and not _FRAME.fullmatch(piece.before):
                yield context.problem(piece.offset - len(piece.before), "text that belongs to no record")
            told = False
            if not piece.tag:
                return
            try:
                root = element(decode(piece.data))
                if piece.tag == "DeleteCitation":
                    context.deleted += filter(pubmed_id, ((one.text or "").strip() for one in root.iterfind("PMID")))
                    continue
                record = parse_article(root)
                if record is None:
                    raise XmlError(_why_none(root))
            except XmlError as error:
                stated = _PMID.search(piece.data)
                yield context.problem(piece.offset, str(error), record=stated[1].decode() if stated else "")
            else:
                yield record


def _why_none(root: ET.Element) -> str:
    """Why an element is no record."""
    if root.find("*/Article") is None and root.find("*/Book") is None:
        return "the record has no article" if root.tag == "PubmedArticle" else "the record has no book"
    return "the record has no PubMed id"


PUBMED_XML = PubmedXml()
DUMPS = (PUBMED_XML,)
