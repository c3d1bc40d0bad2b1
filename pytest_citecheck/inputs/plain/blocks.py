"""Blocks of a Markdown text: headings with their sections, list items with nested items, paragraphs and tables.

markdown-it-py parses the blocks (CommonMark and tables). Other marks of lists are first written as Markdown: ``[1]``, ``(1)``,
``[^1]:``, round bullets, numbers on keys or in circles, pictures, and the elements of HTML.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.plain.item_kinds import ITEM_WORD

_MARK = lazy_pattern(
    r"^(?P<before>[ \t>]*+(?:#{1,6}[ \t]++|[-*+][ \t]++)?+)(?P<bold>\*\*)?+(?:"
    r"(?P<number>[(（]\d{1,3}[)）]|[\[［【〔]R?\d{1,3}[\]］】〕]:?|\[\^[^\[\]\s]{1,20}\]:|\\bibitem(?:\[[^\]\n]*\])?\{[^}\n]*\}"
    r"|(?P<sign>\d{1,2}\ufe0f?\u20e3|🔟|[\u2460-\u2473\u2776-\u2793¹²³⁴-⁹]|[一二三四五六七八九十](?=、))[.):、]?"
    r"|\d{1,3}(?:[.)](?=[ \t*])|[、．)]|[:：][ \t]*(?=[^\W\d_])|[ \t][–—-](?=[ \t]+[^\W\d_])|(?=\t))"
    rf"|(?:#|№[ \t]?|{ITEM_WORD}[ \t]?|\^)\d{{1,3}}[.:：^)]?(?=[ \t]*+(?:\*\*)?+[ \t]*+[^\W\d_])"
    r"|\[[^\W\d_][^\[\]\s]{1,12}\d\d[a-z]?\](?![(:]))(?(bold)(?P<bold_end>\*\*)?+)"
    r"|(?P<bullet>(?:[•‣▪◦●·–]|\(?[a-z]\)|\([ivx]{2,5}\))(?=[ \t])))[ \t]*+",
    re.MULTILINE,
)
_LONG_NUMBER = lazy_pattern(r"^([ \t>]*+\d{4,})([.)])(?=[ \t])", re.MULTILINE)
"""A year at the beginning of a line, which does not number an item."""
_TASK = lazy_pattern(r"^\[[ xX]\][ \t]++")
_TAG = lazy_pattern(
    r"(?:(?<!\s)\s++)?+<(?P<block>/?(?:[ou]l|li|p|div|br|h[1-6]|table|thead|tbody|tr|t[dh]|blockquote|dl|dt|dd|details|summary))(?:\s[^<>]{0,300})?/?>"
    r"[ \t]*+|<(?P<close>/)?(?:(?P<bold>b|strong)|(?P<italic>i|em))>"
    r"|<a\s[^<>]{0,200}?href=[\"'](?P<address>[^\"'<>]{0,2000})[\"'][^<>]{0,200}>(?P<text>[^<>]{0,2000})</a>",
    re.IGNORECASE,
)
_BLOCK_TAG = lazy_pattern(r"<(?:li|p|h[1-6]|tr|blockquote|dt)[\s>]", re.IGNORECASE)
_BREAK = lazy_pattern(r"(?:(?<!\s)\s++)?+<br\s*+/?>\s*+", re.IGNORECASE)
_WHOLLY_BOLD = lazy_pattern(r"(?:\*\*|__)(?P<text>(?:(?!\*\*|__).)+)(?:\*\*|__)[:.]?")
_EMPHATIC = 7
"""Level of a line in bold type above other blocks; headings have the levels 1 to 6."""
_MOST_FENCES = 3


@dataclass(slots=True)
class Block:
    """A heading, item or paragraph: its own lines of Markdown, and the blocks in its section or list.

    kind: ``heading``, ``item``, ``paragraph`` or ``table``. level: of a heading, else 0. numbered: True for items with a number.
    """

    kind: str
    lines: list[str]
    level: int = 0
    numbered: bool = False
    children: list[Block] = field(default_factory=list)


def blocks_in(text: str) -> list[Block]:
    """Return the blocks of a text; those below a heading are its children."""
    return _sections(_flat(_as_markdown(text)))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["code", "html_block", "lheading", "reference", "inline", "text_join"])


def _as_markdown(text: str) -> str:
    if _BLOCK_TAG.search(text):
        text = _without_elements(text)
    text = _LONG_NUMBER.sub(r"\1\\\2", text)
    lines = [_marked_line(line) for line in text.split("\n")]
    # A line in bold type heads the next block even without an empty line before it.
    return "\n".join(
        f"\n{line}" if line.startswith("**") and _WHOLLY_BOLD.fullmatch(line.strip()) else line for line in lines
    )


def _marked_line(line: str) -> str:
    """Write the mark of an item in Markdown; a number in bold type or in a heading is left out."""
    line = _without_picture(line)
    match = _MARK.match(line)
    if match is None:
        return line
    before, rest = match["before"], line[match.end() :]
    if match["bold"] and not match["bold_end"]:
        rest = f"**{rest}"
    if before.strip(" \t>"):
        return f"{before}{rest}"
    if match["bold"] and not match["bold_end"] and _WHOLLY_BOLD.fullmatch(rest.strip()):
        return f"{before}{rest}"  # a heading
    return f"{before}{_number(match) or '- '}{rest}"


def _number(match: re.Match[str]) -> str:
    """Return the number of an item as Markdown writes it; `""` for other marks."""
    if sign := match["sign"]:
        number = 10 if sign == "🔟" else int(sign[0]) if sign[0].isdecimal() else int(unicodedata.numeric(sign[0]))
        return f"{number}. "
    digits = re.search(r"\d{1,3}", match["number"] or "")
    return f"{digits[0]}. " if digits and not match["number"].startswith("\\") else ""


def _without_picture(line: str) -> str:
    """Replace a picture at the beginning of a line by a bullet; remove it behind another mark."""
    match = re.match(
        r"(?P<before>[ \t>]*+(?:(?:#{1,6}|[-*+])[ \t]++)?+(?:\*\*)?+)(?P<sign>[^\w\s\x00-\u1fff]{1,4})[ \t]++", line
    )
    if match is None or not _is_picture(match["sign"]):
        return line
    bullet = "" if match["before"].strip(" \t>") else "- "
    return f"{match['before']}{bullet}{line[match.end() :]}"


def _is_picture(sign: str) -> bool:
    kinds = {unicodedata.category(one) for one in sign}
    return "So" in kinds and kinds <= {"So", "Sk", "Mn", "Cf", "Me"} and unicodedata.decomposition(sign[0]) == ""


def _without_elements(text: str) -> str:
    """Write lists, tables, headings, emphasis and links of HTML in Markdown."""
    heads = 0

    def written(match: re.Match[str]) -> str:
        nonlocal heads
        if match["text"] is not None:
            return f"[{match['text']}]({match['address']})"
        if match["bold"] or match["italic"]:
            return "**" if match["bold"] else "*"
        tag = match["block"].lower()
        if tag in ("td", "th"):
            heads += 1
            return "| "
        if tag == "table":
            heads = 0
        if tag == "/tr":
            rule, heads = ("\n" + "|---" * heads + "|" if heads > 0 else ""), -1_000_000
            return f" |{rule}"
        return _OPENED.get(tag, "\n\n### " if re.fullmatch(r"h[1-6]", tag) else "" if tag.startswith("/t") else "\n")

    return _TAG.sub(written, text)


_OPENED = {
    "li": "\n- ", "p": "\n\n", "tr": "\n", "table": "\n\n", "/table": "\n\n", "dt": "\n\n", "dd": "\n: ", "thead": "",
    "tbody": "", "blockquote": "\n\n", "/blockquote": "\n\n", "/ol": "\n\n", "/ul": "\n\n",
    "/td": "", "/th": "", "/dd": "", "br": "\n",
}  # fmt: skip
"""Opening or closing tag → the text that takes its place."""


def _flat(text: str, depth: int = 0) -> list[Block]:
    """Return the blocks in order; items have their nested blocks, headings have no sections yet."""
    return [*_of_nodes(SyntaxTreeNode(_parser().parse(text)).children, text.split("\n"), depth)]


def _of_nodes(nodes: Sequence[SyntaxTreeNode], lines: Sequence[str], depth: int) -> Iterator[Block]:
    for node in nodes:
        if node.type in ("ordered_list", "bullet_list"):
            for one in node.children:
                yield _item([*_of_nodes(one.children, lines, depth)], numbered=node.type == "ordered_list")
        elif node.type == "blockquote":
            for block in _of_nodes(node.children, lines, depth):
                block.kind = "item" if block.kind == "paragraph" else block.kind
                yield block
        elif node.type == "table" and node.map:
            yield Block("table", [line.lstrip(" \t>") for line in lines[slice(*node.map)]])
        elif node.type == "fence" and depth < _MOST_FENCES:
            yield from _flat(_as_markdown(node.content), depth + 1)
        elif node.type == "heading":
            yield Block("heading", [_bare(node.children[0].content)], int(node.tag[1]))
        elif node.type == "paragraph":
            yield _paragraph(node.children[0].content)


def _item(blocks: list[Block], *, numbered: bool) -> Block:
    """Return an item whose first paragraph or heading is its own text."""
    first = blocks[0] if blocks and blocks[0].kind in ("paragraph", "heading") and not blocks[0].children else None
    lines = list(first.lines) if first else []
    if lines:
        lines[0] = _TASK.sub("", lines[0])
    return Block("item", lines, numbered=numbered, children=blocks[1:] if first else blocks)


def _paragraph(content: str) -> Block:
    lines = [line.strip().replace("\\.", ".") for line in _BREAK.sub("\n", content).split("\n")]
    lines = [line.removesuffix("\\").rstrip() for line in lines if line.strip("=-* \\")]
    wholly = _WHOLLY_BOLD.fullmatch(lines[0]) if len(lines) == 1 else None
    return Block("heading" if wholly else "paragraph", lines, _EMPHATIC if wholly else 0)


def _bare(heading: str) -> str:
    return " ".join(heading.strip("# ").split())


def _sections(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with those of each section below its heading, and bullets after a numbered item below the item."""
    result: list[Block] = []
    opened: list[Block] = []
    for block in blocks:
        if block.kind == "heading":
            while opened and opened[-1].level >= block.level:
                opened.pop()
        siblings = opened[-1].children if opened else result
        last = siblings[-1] if siblings else None
        if block.kind == "item" and not block.numbered and last is not None and last.numbered:
            last.children.append(block)
        else:
            siblings.append(block)
        if block.kind == "heading":
            opened.append(block)
    return result
