"""The names of fields in front of a colon, or at the head of a column, in the languages in which models answer."""

from __future__ import annotations

import re

__all__ = ["LABEL_WORDS", "english_label", "table_rows"]

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
_RULE = re.compile(r"[\s|:-]+")


def english_label(word: str) -> str:
    """The English name of a label."""
    return _CANONICAL.get(word.strip().lower(), word.strip().lower())


def table_rows(lines: list[str]) -> list[dict[str, str]]:
    """The rows of a Markdown table by the labels at the heads of its columns; none if no column holds titles."""
    heads = [english_label(cell.strip("*_` ")) for cell in _cells(lines[0])] if lines else []
    if "title" not in heads or len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        return []
    known = {name: place for place, name in reversed([*enumerate(heads)]) if name in {*_CANONICAL.values(), *_OTHER}}
    rows = [_cells(line) for line in lines[2:]]
    return [{name: row[place] for name, place in known.items() if place < len(row) and row[place]} for row in rows]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
