"""Taking the reasoning of a model out of its answer: a draft is not what was answered."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["without_reasoning"]

_TAG = re.compile(r"<(?P<closing>/?)(?:think(?:ing)?|reasoning|reflection)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_ENTRY = lazy_pattern(
    r"^[ \t]*(?:```[^\n]*\n[ \t]*)?@(?:article|inproceedings|incollection|inbook|proceedings|conference|book|booklet|misc"
    r"|online|phdthesis|mastersthesis|thesis|techreport|report|manual|unpublished|dataset|software|string)[ \t]*[{(]",
    re.IGNORECASE | re.MULTILINE,
)


def without_reasoning(answer: str) -> str:
    """The answer without its blocks ``<think>``, ``<thinking>``, ``<reasoning>`` and ``<reflection>``, in any case.

    A closing tag that was never opened (templates print the opening one themselves) ends reasoning that began with the
    text. A block that is never closed is reasoning to the end, but BibTeX entries in it count as the answer:
    the closing tag was forgotten, and an answer that was cut while reasoning holds no entry at the start of a line, or only
    drafts of what it would have said. A tag inside a line opens a block only if one is closed later: titles name
    such tags too. Linear in the length of the text.
    """
    tags = list(_TAG.finditer(answer))
    last_closing = max((tag.start() for tag in tags if tag["closing"]), default=-1)
    kept: list[str] = []
    position, inside = 0, False
    for tag in tags:
        if tag["closing"]:
            if inside:
                position, inside = tag.end(), False
            elif _at_line_edge(answer, tag):
                position = tag.end()
        elif not inside and (tag.start() < last_closing or _begins_line(answer, tag)):
            kept.append(answer[position : tag.start()])
            position, inside = tag.end(), True
    rest = answer[position:]
    if inside:
        entry = _ENTRY.search(rest)
        rest = rest[entry.start() :] if entry else ""
    return "".join((*kept, rest))


def _begins_line(text: str, tag: re.Match[str]) -> bool:
    return not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()


def _at_line_edge(text: str, tag: re.Match[str]) -> bool:
    end = text.find("\n", tag.end())
    return _begins_line(text, tag) or not text[tag.end() : end if end >= 0 else len(text)].strip()
