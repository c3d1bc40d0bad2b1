"""Texts of an editor: places in them, citations, and the words that it shows about a reference."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from pytest_citecheck.checks import listing
from pytest_citecheck.inputs import (
    LATEX_CITATION,
    MARKDOWN_CITATION,
    CitationPattern,
    blanked_latex,
    blanked_markdown,
    keys_of,
)
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.reports import Problem, ReferenceResult, plain

DOI: Final = lazy_pattern(r"(?<![\w./])10\.\d{4,9}+/[^\s{}\"<>|\\,;`]*+(?<![.)\]])")
_QUOTED: Final = ("verbatim", "lstlisting", "comment", "minted")
_SHOWN: Final = 8  # records in a hover text
_URL_END: Final = lazy_pattern(r"[\s()<>\[\]`]")


class TextLines:
    """A text with its lines as editors count them, from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *accumulate(map(len, io.StringIO(text, newline="")))]
        if not text.endswith(("\n", "\r")):
            self._starts = self._starts[:-1] or [0]

    def start(self, line: int) -> int:
        """Offset of a line."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def line(self, line: int) -> str:
        """A line without its end."""
        return self.text[self.start(line) : self.start(line + 1)].rstrip("\r\n")

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]


def citations_in(name: str, text: str) -> dict[str, list[tuple[int, int]]]:
    """Start and end of each key that a manuscript cites, by key; empty for other texts."""
    suffix = Path(name).suffix.lower()
    if suffix in (".tex", ".ltx"):
        pattern: CitationPattern = LATEX_CITATION
        blanked = blanked_latex(text, _QUOTED)
    elif suffix in (".md", ".markdown", ".qmd", ".rmd"):
        blanked, pattern = blanked_markdown(text), MARKDOWN_CITATION
    else:
        return {}
    found: dict[str, list[tuple[int, int]]] = {}
    for match in pattern.finditer(blanked):
        start = match.start()
        for key in keys_of(match):
            at = blanked.find(key, start, match.end())
            if at >= 0:
                start = at + len(key)
                found.setdefault(key, []).append((at, start))
    return found


def changed_part(before: str, after: str) -> tuple[int, int, str]:
    """Start and end of the part that differs, and the text in its place."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    return head, len(before) - tail, after[head : len(after) - tail]


def hover_text(reference: ReferenceResult, found: Sequence[Problem], labels: Mapping[str, str]) -> str:
    """Verdict, problems and evidence in Markdown. labels: display names of sources."""
    verdict = str(reference.verdict["name"]) if reference.verdict else "not checked"
    lines = [f"**{verdict}** {plain(reference.key)}: {plain(reference.title)}", ""]
    lines += [f"- {one.level}{' (waived)' if one.waived else ''} `{one.code}`: {plain(one.sentence)}" for one in found]
    lines += [f"- **{plain(one['kind'])}** {plain(one.get('doi') or '')}" for one in reference.notices]
    undecided = [
        f"- undecided `{finding.get('code')}`: {plain(str(finding.get('message') or ''))}"
        for check, finding in reference.findings.items()
        if finding.get("outcome") == "unverifiable" and check not in {one.check for one in found}
    ]
    lines += [*undecided, "", "Evidence:", ""]
    seen: dict[tuple[str, str], str] = {}
    for one in reference.evidence:
        records = " ".join(_link(url) for url in one.get("records", ())[:3])
        what = records or {"absent": "no record", "found": "found"}.get(one["answer"], one.get("reason", ""))
        seen.setdefault((labels.get(one["source"], one["source"]), what), one["date"][:10])
    shown = list(seen.items())
    lines += [f"- {plain(source)}: {what}{f' ({date})' if date else ''}" for (source, what), date in shown[:_SHOWN]]
    if len(shown) > _SHOWN:
        lines.append(f"- and {len(shown) - _SHOWN} more answers")
    return "\n".join(lines)


def _link(url: str) -> str:
    """A link; text from a database cannot end it."""
    return f"<{url}>" if url.startswith(("https://", "http://")) and not _URL_END.search(url) else plain(url)


def lens_text(reference: ReferenceResult, labels: Mapping[str, str]) -> tuple[str, str]:
    """``verified by Crossref and DBLP``, and the URL of the first record; empty unless the reference is verified."""
    if not reference.verdict or reference.verdict["name"] != "verified":
        return "", ""
    records = [
        record for one in reference.findings.values() if one["outcome"] == "passed" and (record := one["record"])
    ]
    names = list(dict.fromkeys(labels.get(one["source"], one["source"]) for one in records))
    return f"verified by {listing(names)}" if names else "", next((one["url"] for one in records if one["url"]), "")
