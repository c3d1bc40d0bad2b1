"""ACL Anthology: papers of computational linguistics by their id.

Written from the documentation (aclanthology.org/info/ids, and /faq on the formats of each paper) and not from recorded
answers, so it accepts documented forms only: every paper has its entry in MODS beside its page, at ``{id}.xml``; a volume
has it under the id of its front matter. XML is read rather than BibTeX because it is whole or not well-formed. Absence: an
id without an entry may be one whose address was changed, and the site says so with a page for people; so it is no evidence.
Author order: as published, reliable. Limits: none are published for this static site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.catalogue_keys import acl_id, acl_volume, is_acl_volume
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
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ACL_ANTHOLOGY", "AclAnthology"]

_OWN_PAGE = lazy_pattern(rb"<title>[^<]{0,200}\bACL Anthology\b", re.IGNORECASE)
_OLD_PAPER_NUMBER = 4


class AclAnthology(Source):
    """The ACL Anthology as a source of records (see the module)."""

    name = "acl_anthology"
    label = "ACL Anthology"
    base_url = "https://aclanthology.org"
    documentation = "https://aclanthology.org/info/ids/"
    batch: Mapping[QuestionKind, int] = {"acl": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "none published for this static site; 2 requests a second are used"
    terms = Terms("CC BY, may be handed on with the source named")
    absence = "no evidence: ids change, and the answer is a web page, not a record"
    unconfirmed = "the addresses of volumes"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    role = Role(catalogue=("acl",))
    witnesses: Mapping[QuestionKind, Question] = {"acl": Question("acl", "N19-1423")}

    def accepts(self, question: Question) -> bool:
        """Well-formed ids of papers and volumes."""
        return (
            question.kind == "acl"
            and question.value != ""
            and question.value
            in (
                acl_id(question.value),
                acl_volume(question.value),
            )
        )

    def request(self, questions: Sequence[Question]) -> Request:
        """``{id}.xml``."""
        url = path_url(self.base_url, f"{_paper(questions[0].value)}.xml")
        return Request(self.name, url, accept="application/xml, text/xml")

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The one record. Raises MalformedAnswerError for all but its entry in MODS and the Anthology's own 404 page."""
        from pytest_citecheck.services.acl_anthology.record import parse_entry
        from pytest_citecheck.services.parsing.xml_body import parse_xml
        from pytest_citecheck.services.parsing.xml_text import without_namespaces

        if response.status == 404 and _OWN_PAGE.search(response.body):
            return dict.fromkeys(questions, Absent())
        if response.status >= 300:
            raise MalformedAnswerError(f"the ACL Anthology answered status {response.status}")
        root = without_namespaces(parse_xml(response.body))
        entries = root.findall("mods") if root.tag == "modsCollection" else []
        if len(entries) != 1:
            raise MalformedAnswerError(f"the ACL Anthology's answer contains {len(entries)} entries instead of one")
        record = parse_entry(entries[0])
        if record is None or any(record.id != _paper(question.value) for question in questions):
            raise MalformedAnswerError(f"the ACL Anthology answered with {record.id if record else 'no paper'}")
        return dict.fromkeys(questions, Found((record,)))


def _paper(key: str) -> str:
    """The id of the paper, or of the front matter of a volume (number 0), under which the Anthology keeps the entry."""
    if not is_acl_volume(key):
        return key
    if key[0].isdigit():
        return f"{key}.0"
    letter_and_year, _, number = key.partition("-")
    return f"{letter_and_year}-{number.ljust(_OLD_PAPER_NUMBER, '0')}"


ACL_ANTHOLOGY = AclAnthology()
