"""The content of a reference in a few letters: what a waiver, or the note that it passed, is bound to."""

from __future__ import annotations

import hashlib
import json

from pytest_citecheck.model import Reference

__all__ = ["SUPPRESSION_FIELD", "content_hash"]

SUPPRESSION_FIELD = "citecheck"
"""The field that waives findings; it is no part of the content."""
_LETTERS = 10


def content_hash(reference: Reference) -> str:
    """A hash of key, type, fields and defects, which does not depend on place, order, spacing and delimiters.

    Fields count as they are written, with macros expanded and inherited fields merged in.
    """
    fields = {name: " ".join(value.split()) for name, value in reference.raw.items() if name != SUPPRESSION_FIELD}
    defects = sorted(defect.code for defect in reference.defects if not defect.note)
    content = json.dumps([reference.key, reference.type, sorted(fields.items()), defects])
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()[:_LETTERS]
