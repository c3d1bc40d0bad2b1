"""DBLP: one publication by its key.

Documentation: dblp FAQ "How can I download the whole dblp dataset?" and "What do I find in dblp.xml?" (dblp.org/faq), the
definition of the elements (dblp.org/xml/dblp.dtd), and "How to fetch the record of a publication" (dblp.org/rec/KEY.xml).
Absence: DBLP does not document how it denies a key, and keys change, so its 404 has no scope. Author order: as in the
publication, reliable. Limits: those of DBLP's search, with which it shares the host;
like it, it is asked only where a user names a mirror.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind
from pytest_citecheck.services.base import (
    LARGEST_RECORD,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
)
from pytest_citecheck.services.parsing.query_url import path_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DBLP_RECORD", "DblpRecord"]


class DblpRecord(Source):
    """DBLP's records by key as a source (see the module)."""

    name = "dblp_record"
    label = "DBLP records"
    base_url = "https://dblp.org"
    documentation = "https://dblp.org/faq/16154937.html"
    batch: Mapping[QuestionKind, int] = {"dblp": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    mirror_only = True
    largest_body = LARGEST_RECORD
    limits = "none published; 429 with Retry-After beyond about one request a second"
    terms = Terms("CC0, may be handed on", reported=True)
    absence = "no evidence: keys change, and a denial has no documented form"
    unconfirmed = "records by key, which a mirror may have under another address"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    role = Role(catalogue=("dblp",))
    witnesses: Mapping[QuestionKind, Question] = {"dblp": Question("dblp", "conf/nips/VaswaniSPUJGKP17")}

    def accepts(self, question: Question) -> bool:
        """Keys of publications, not of persons (``homepages/…``)."""
        from pytest_citecheck.services.dblp.record import KEY

        return question.kind == "dblp" and KEY.fullmatch(question.value) is not None

    def request(self, questions: Sequence[Question]) -> Request:
        """``/rec/{key}.xml``."""
        url = path_url(f"{self.base_url}/rec", f"{questions[0].value}.xml")
        return Request(self.name, url, accept="application/xml")

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The publication with that key. Raises MalformedAnswerError for another key and all but one publication."""
        return {question: _answer(question.value, response) for question in questions}


def _answer(key: str, response: Response) -> Answer:
    from pytest_citecheck.services.dblp.record import parse_publication
    from pytest_citecheck.services.parsing.xml_body import parse_xml

    if response.status == 404 and _is_own_page(response.body):
        return Absent()
    if response.status >= 300:
        raise MalformedAnswerError(f"DBLP answered status {response.status}")
    root = parse_xml(response.body, doctype=True)
    stated = list(root) if root.tag == "dblp" else [root]
    if len(stated) != 1:
        raise MalformedAnswerError(f"DBLP's answer contains {len(stated)} publications instead of one")
    record = parse_publication(stated[0])
    if record is None:
        raise MalformedAnswerError(f"DBLP's answer is not a publication but {stated[0].tag[:60]}")
    if record.id != key:
        raise MalformedAnswerError(f"DBLP answered for {record.id} instead of {key}")
    return Found((record,))


def _is_own_page(body: bytes) -> bool:
    """Whether this is a page of DBLP itself, and not of something in between."""
    page = body.lower()
    return b"<html" in page and b"dblp" in page and b"404" in page


DBLP_RECORD = DblpRecord()
