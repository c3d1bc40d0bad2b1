"""The names of fields in front of a colon, or at the head of a column, in the languages in which models answer."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LABEL_WORDS", "english_label", "reference_cells", "table_rows"]

_WORDS = {
    "title": "title titel titre título titulo заглавие название 标题 题目 题名 論文名 タイトル 題名 제목 논문명",
    "authors": "author authors autor autoren autorin auteur auteurs autores автор авторы 作者 著者 저자",
    "year": "year years jahr erscheinungsjahr année año ano год 年份 年 出版年 発行年 연도 발행연도",
    "journal": "journal venue conference zeitschrift konferenz revue conférence revista conferencia conferência периодика журнал"
    " конференция 期刊 会议 来源 掲載誌 学会 학술지 학회",
    "volume": "volume band tome volumen том 卷",
    "issue": "issue number heft numéro número выпуск 期",
    "pages": "pages seiten páginas страницы 页码 ページ 페이지",
}
_CANONICAL = {word: name for name, words in _WORDS.items() for word in words.split()}
_OTHER = (
    "published", "publication year", "date", "published in", "publication", "booktitle", "source", "doi", "arxiv", "arxiv id",
    "pmid", "url", "link",
)  # fmt: skip
LABEL_WORDS = "|".join(sorted(map(re.escape, (*_CANONICAL, *_OTHER)), key=len, reverse=True))
_RULE = lazy_pattern(r"[\s|:-]+")


def english_label(word: str) -> str:
    """The English name of a label."""
    return _CANONICAL.get(word.strip().lower(), word.strip().lower())


def table_rows(lines: list[str]) -> list[dict[str, str]]:
    """The rows of a Markdown table by the labels at the heads of its columns, or by what stands in these; none without titles."""
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        return []
    rows = [_cells(line) for line in lines[2:]]
    names = [
        _column(head.strip("*_` "), [row[place] for row in rows if place < len(row)])
        for place, head in enumerate(_cells(lines[0]))
    ]
    if "title" not in names:
        named = set(names)
        words = {
            place: sorted(len(row[place]) for row in rows if place < len(row))[len(rows) // 2 : len(rows) // 2 + 1]
            for place, name in enumerate(names)
            if not name
        }
        longest = max(words, key=lambda place: words[place] or [0], default=None)
        if longest is None or not named & {"authors", "doi", "arxiv", "url", "link"}:
            return []
        names[longest] = "title"
    known = {name: place for place, name in reversed([*enumerate(names)]) if name}
    if "authors" in known:
        _tell_pairs(rows, known["authors"])
    return [{name: row[place] for name, place in known.items() if place < len(row) and row[place]} for row in rows]


def _tell_pairs(rows: list[list[str]], place: int) -> None:
    """``Simonyan, Zisserman`` are two people where other cells of the column list family names, else nobody can tell."""
    families = any(_FAMILIES.fullmatch(row[place]) for row in rows if place < len(row))
    for row in rows:
        if place < len(row) and _PAIR.fullmatch(row[place]):
            row[place] = row[place].replace(",", " &") if families else ""


def reference_cells(lines: list[str]) -> list[str]:
    """The cells of a column of a Markdown table that holds whole references."""
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        return []
    heads = [head.strip("*_` ").lower() for head in _cells(lines[0])]
    place = next((place for place, head in enumerate(heads) if head in _WHOLE), None)
    rows = [_cells(line) for line in lines[2:]] if place is not None else []
    return [row[place] for row in rows if place is not None and place < len(row) and row[place]]


def _column(head: str, cells: list[str]) -> str:
    """What a column holds: by its head in any language, else by its cells; empty if neither tells."""
    for word in (head, *re.split(r"(?<!\s)\s*+[/&(（]\s*+|(?<!\s)\s++(?:and|und|et|y)\s++", head)):
        label = english_label(word.strip(" )）"))
        if label in {*_CANONICAL.values(), *_OTHER}:
            return label
    if head.lower().strip() in _WORKS:
        return "title"
    filled = [cell for cell in cells if cell]
    if filled and sum(_YEAR_CELL.fullmatch(cell) is not None for cell in filled) > len(filled) / 2:
        return "year"
    if filled and sum(_IDENTIFIER_CELL.search(cell) is not None for cell in filled) > len(filled) / 2:
        return "url"
    return ""


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(line.strip().removeprefix("|").removesuffix("|"))]


_WORKS = frozenset(
    (
        *(
            "paper",
            "papers",
            "study",
            "work",
            "article",
            "book",
            "publication",
            "name",
            "paper title",
            "article title",
            "book title",
        ),
        *(
            "论文题目",
            "论文",
            "文献",
            "论文标题",
            "文章",
            "书名",
            "文献标题",
            "論文",
            "文献名",
            "書名",
            "arbeit",
            "werk",
            "studie",
            "buch",
        ),
        *("article", "ouvrage", "livre", "étude", "artículo", "obra", "libro", "estudio", "논문"),
    )
)
"""Heads of columns whose cells are titles."""
_WHOLE = frozenset({
    "reference", "references", "citation", "full citation", "full reference", "bibliographic reference",
    "参考文献", "引用", "引文", "文献信息",
    "referenz", "quelle", "literaturangabe", "référence", "référence complète", "referencia", "cita", "참고문헌",
})  # fmt: skip
"""Heads of columns whose cells are whole references."""
_PAIR = lazy_pattern(r"[^\W\d_a-z][\w’'-]{2,},\s[^\W\d_a-z][\w’'-]{2,}")
_FAMILIES = lazy_pattern(r"[^\W\d_a-z][\w’'-]+(?:,\s[^\W\d_a-z][\w’'-]{2,}){2,}")
_YEAR_CELL = lazy_pattern(r"[(\s*]*(?:1[5-9]|20)\d\d[a-z]?[)\s*]*")
_IDENTIFIER_CELL = lazy_pattern(r"\b10\.\d{4,9}/|arxiv|https?://", re.IGNORECASE)
_BAR = lazy_pattern(r"(?<!\\)\|")
