"""Word counts, sentence lengths and unwanted phrases of the documentation: `python -m tests.pages.words`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_PHRASES = re.compile(
    r"(?:(?<=^)|(?<=[.:!?] )|(?<=\| )|(?<=- )|(?<=# ))(?:What|Whether|Who|Of) (?![^.|\n]*\?)"
    r"|\b(?:that of|is said|stands?(?!-)|tells?|whatever|whoever|nothing is|so many|in so many words)\b",
    re.MULTILINE,
)
"""Phrases that mark a literal translation. A question may start with "What"."""


def guide_pages() -> list[Path]:
    """Pages of the user guide, in the order of the navigation."""
    navigation: list[dict[str, Any]] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    guide = next(part["Guide"] for part in navigation if "Guide" in part)
    return [ROOT / "docs" / path for page in guide for path in page.values()]


def other_pages() -> list[Path]:
    """All further pages: landing page, reference, evidence, project."""
    return sorted(set((ROOT / "docs").rglob("*.md")) - set(guide_pages()))


def words(text: str) -> int:
    """Number of words, including code and tables, as `wc -w` counts them."""
    return len(text.split())


def _prose(text: str) -> str:
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences(text: str) -> list[str]:
    """Sentences of paragraphs and list items; headings, tables and code are left out."""
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", _prose(text)):
        block = " ".join(block.split())
        if block and not block.startswith(("#", "|", ">")):
            found += [part for part in re.split(r"(?<=[.!?:])\s+(?=[\"“*`A-Z(])", block) if re.search(r"\w", part)]
    return found


def mean_sentence(texts: Iterable[str]) -> float:
    """Mean number of words of the sentences in these texts."""
    lengths = [len(sentence.split()) for text in texts for sentence in sentences(text)]
    return sum(lengths) / len(lengths)


def phrases(text: str) -> list[str]:
    """Lines of prose that contain an unwanted phrase."""
    return [line.strip() for line in _prose(text).splitlines() if _PHRASES.search(line)]


def _report() -> None:
    groups = {"README": [README], "guide": guide_pages(), "other pages": other_pages()}
    for name, pages in groups.items():
        texts = [page.read_text(encoding="utf-8") for page in pages]
        hits = [f"{page.name}: {line}" for page, text in zip(pages, texts, strict=True) for line in phrases(text)]
        print(
            f"{name}: {len(pages)} pages, {sum(map(words, texts)):,} words, "
            f"{mean_sentence(texts):.1f} words per sentence, {len(hits)} unwanted phrases"
        )
        for hit in hits[:20]:
            print(f"  {hit[:140]}")


if __name__ == "__main__":
    _report()
