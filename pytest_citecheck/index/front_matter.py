"""Titles of what is no work: the pages that hold a volume or an issue together.

Only titles that say nothing else are listed. A preface or an introduction may be cited, so it stays.
"""

from __future__ import annotations

__all__ = ["reason_to_skip"]

_LONGEST = 40
_TITLES = frozenset((
    "front matter", "frontmatter", "front-matter", "back matter", "backmatter", "back-matter", "front cover", "back cover",
    "inside front cover", "inside back cover", "cover", "cover page", "title page", "half title", "half title page",
    "copyright", "copyright page", "copyright notice", "contents", "table of contents", "toc", "in this issue",
    "editorial", "editorial board", "editorial board page", "editorial advisory board", "masthead", "issue information",
    "index", "author index", "subject index", "keyword index", "index of authors", "name index", "reviewer index",
    "list of reviewers", "blank page", "program committee", "organizing committee", "advertisement", "announcements",
    "home page",
))  # fmt: skip


def reason_to_skip(title: str) -> str:
    """Why a record with this title is not taken ("no title", "front matter"); empty if it is."""
    if len(title) > _LONGEST:
        return ""
    folded = title.strip(" .[]()").lower()
    if not folded:
        return "no title"
    return "front matter" if folded in _TITLES else ""
