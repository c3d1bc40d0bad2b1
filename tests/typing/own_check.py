"""A check as users write it: an object with the attributes of the protocol, which it need not inherit from."""

from __future__ import annotations

import datetime
from typing import assert_type

from pytest_citecheck.api import (
    Candidate,
    Check,
    CitedMetadata,
    Evidence,
    Finding,
    Found,
    Notice,
    Outcome,
    Record,
    Reference,
    ReferenceCase,
    Unavailable,
)


class Pages:
    name = "pages"
    description = "the first page comes before the last one"
    codes = {"pages-ok": "the pages are in order", "pages-none": "no pages are cited"}  # noqa: RUF012

    def check(self, case: ReferenceCase) -> Finding:
        assert_type(case.reference, Reference)
        assert_type(case.cited, CitedMetadata)
        assert_type(case.evidence, Evidence)
        assert_type(case.today, datetime.date)
        assert_type(case.works, tuple[Candidate, ...])
        assert_type(case.near_matches, tuple[Candidate, ...])
        assert_type(case.candidates, tuple[Candidate, ...])
        assert_type(case.unavailable, list[tuple[str, Unavailable]])
        assert_type(case.notices, tuple[Notice, ...])
        found = [asked.answer.records for asked in case.evidence.asked if isinstance(asked.answer, Found)]
        assert_type(found, list[tuple[Record, ...]])
        pages = case.reference.fields.get("pages")
        if pages is None:
            return Finding(self.name, "unverifiable", "pages-none", "no pages are cited")
        best = case.works[0].record if case.works else None
        finding = Finding(self.name, "passed", "pages-ok", "in order", cited=pages, record=best, fixes={"pages": pages})
        assert_type(finding.outcome, Outcome)
        return finding


check: Check = Pages()
