"""Answers are documents: tables, nested bullets, headings, footnotes, definition lists, prose in six languages."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import read_answers, references_in
from pytest_citecheck.model import Location

HERE = Location("answers.jsonl", 1, 1)


def read(answer: str) -> list[dict[str, str]]:
    return [dict(one.fields) for one in references_in(answer, HERE)[0]]


@pytest.mark.parametrize(
    "head",
    [
        "| # | Paper | Authors | Year | Venue |", "| 序号 | 论文题目 | 作者 | 年份 | 期刊/会议 |",
        "| | Work | Author(s) | When | Where |",
    ],
)  # fmt: skip
def test_tables_with_any_heads(head: str) -> None:
    rows = (
        "| 1 | On computable numbers | Turing, A. M. | 1936 | Proceedings |\n"
        "| 2 | The education of a computer | Hopper, G. | 1952 | ACM |"
    )
    first, second = read(f"{head}\n|---|---|---|---|---|\n{rows}")
    assert (first["title"], first["author"], first["year"]) == ("On computable numbers", "Turing, A. M.", "1936")
    assert second["title"] == "The education of a computer"


def test_a_column_of_whole_references() -> None:
    cell = "Turing, A. M. (1936). On computable numbers. Proceedings, 42, 230-265."
    table = f"| Reference | Why |\n|---|---|\n| {cell} | it began here |"
    assert [one["title"] for one in read(table)] == ["On computable numbers"]


def test_identifiers_in_nested_bullets_belong_to_their_reference() -> None:
    (found,) = read(
        '1. **"Attention"** – Vaswani et al. (2017)\n   - The first.\n   - [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)\n'
    )
    assert (found["title"], found["eprint"]) == ("Attention", "1706.03762")


def test_a_remark_on_another_work_changes_nothing() -> None:
    answer = (
        "1. Bender, E. M. (2021). On the dangers of parrots. In *Proceedings of FAccT* (pp. 610–623). ACM.\n"
        "   *Summary:* They cite Strubell et al. (2019), “Energy and policy”, https://doi.org/10.1000/other\n"
    )
    (found,) = read(answer)
    assert (found["title"], found.get("doi", "")) == ("On the dangers of parrots", "")


def test_a_heading_with_its_people_below() -> None:
    answer = "### 1. Where to look for the pancreas\n**Oktay, O., Schlemper, J., et al. (2018)** · arXiv:1804.03999\nIt looks.\n"
    (found,) = read(answer)
    assert (found["title"], found["year"], found["eprint"]) == ("Where to look for the pancreas", "2018", "1804.03999")


@pytest.mark.parametrize(
    ("prose", "author", "title", "year"),
    [
        ("Zu nennen ist Max Webers „Die protestantische Ethik“ (1905).", "Max Weber", "Die protestantische Ethik", "1905"),
        ("Voir Thomas Piketty, *Le Capital au XXIe siècle* (Seuil, 2013).", "Thomas Piketty", "Le Capital au XXIe siècle",
         "2013"),
        ("Destaca «La estructura ausente» de Umberto Eco (1968).", "Umberto Eco", "La estructura ausente", "1968"),
        ("推荐：周志华《机器学习》（清华大学出版社，2016）。", "周志华", "机器学习", "2016"),
        ("Siehe Rumelhart, Hinton und Williams (1986): „Learning representations“.", "Rumelhart and Hinton and Williams",
         "Learning representations", "1986"),
        ("Darwin's *On the Origin of Species* (1859) is a landmark.", "Darwin", "On the Origin of Species", "1859"),
    ],
)  # fmt: skip
def test_works_in_prose(prose: str, author: str, title: str, year: str) -> None:
    (found,) = read(prose)
    assert (found["author"], found["title"], found["year"]) == (author, title, year)


def test_a_work_that_prose_mentions_beside_bibtex() -> None:
    entry = "```bibtex\n@book{eco, title={La estructura ausente}, author={Eco, Umberto}, year={1968}}\n```"
    prose = "See also Clark et al. (2020), “Discriminators rather than generators”, and Eco's “La estructura ausente” (1968)."
    answer = f"{entry}\n\n{prose}"
    assert [one["title"] for one in read(answer)] == ["La estructura ausente", "Discriminators rather than generators"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("I cannot browse, so I have no references for you.", "answer-empty"),
        ("Several studies support this (Smith & Jones, 2018), but Brown (2019) disagrees.", "answer-unread"),
        ("1. Define your question.\\n2. Screen titles (PRISMA 2020).", "answer-empty"),
    ],
)
def test_a_refusal_is_not_an_answer_that_cannot_be_read(answer: str, code: str) -> None:
    line = f'{{"model": "m", "query": "q", "answer": "{answer}"}}'
    (found,) = read_answers("answers.jsonl", line.encode()).references
    assert [defect.code for defect in found.defects] == [code]


def test_two_family_names_in_a_table_are_no_name() -> None:
    table = "| Title | Authors | Year |\n|---|---|---|\n| Very deep networks | Simonyan, Zisserman | 2015 |\n"
    assert "author" not in read(table)[0]
    first, second = read(table + "| Residual learning of networks | He, Zhang, Ren, Sun | 2016 |\n")
    assert (first["author"], second["author"]) == ("Simonyan and Zisserman", "He and Zhang and Ren and Sun")
