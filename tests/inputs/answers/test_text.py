"""Extraction of the answer, and the BibTeX, JSON and duplicates in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import duplicates, read_bibtex, references_in, without_reasoning
from pytest_citecheck.model import Location, Reference
from tests.support.steps import growth_of_steps

HERE = Location("answers.jsonl", 7, 7)
ENTRY = "@article{a, title={One}}"


def read(answer: str) -> list[Reference]:
    return references_in(answer, HERE)[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("<think>draft</think>answer", "answer"),
        ("before <THINKING kind='x'>\ndraft\n</thinking> after", "before  after"),
        ("<reasoning>one</reasoning>A<reflection>two</reflection>B", "AB"),
        # Whoever opens twice closes once.
        ("<think>I use <think> tags</think>answer", "answer"),
        # The template printed the opening tag itself.
        ("draft\n</think>\nanswer", "\nanswer"),
        # Cut while reasoning.
        ("<think>\ndraft 1. Doe, J. (2020). Title.", ""),
        # Forgot to close: the entries are the answer.
        (f"<think>draft\n{ENTRY}", ENTRY),
        (f"<think>draft\n```bibtex\n{ENTRY}\n```", f"```bibtex\n{ENTRY}\n```"),
        # A title may name a tag.
        ("@misc{q, title={Quiet <think> models}}", "@misc{q, title={Quiet <think> models}}"),
        ("The tag </think> ends reasoning.", "The tag </think> ends reasoning."),
        ("a <b>bold</b> answer", "a <b>bold</b> answer"),
        ("", ""),
    ],
)
def test_reasoning_is_left_out(answer: str, expected: str) -> None:
    assert without_reasoning(answer) == expected


@given(st.lists(st.sampled_from(["<think>", "</think>", "<reflection>", "draft", "\n", ENTRY, " "]), max_size=12))
def test_nothing_is_added_by_leaving_out(pieces: list[str]) -> None:
    answer = "".join(pieces)
    kept = without_reasoning(answer)
    remaining = iter(answer)
    assert all(sign in remaining for sign in kept)  # in the same order


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("```bibtex\n@article{a, title={One}}\n```\nand\n```bib\n@book{b, title={Two}}\n```", [("a", "One"), ("b", "Two")]),
        ("```latex\n@article{a, title={One}}\n```", [("a", "One")]),
        ("```\n@article{a, title={One}}\n```", [("a", "One")]),
        ("~~~text\n@article{a, title={One}}\n~~~", [("a", "One")]),
        ("Here: @article{a, title={One}} and @book{b, title={Two}}.", [("a", "One"), ("b", "Two")]),
        ("1. @article{a, title={One}}\n   It is good.\n2. @book{b, title = {Two}}", [("a", "One"), ("b", "Two")]),
        # What stands beside fences counts as well.
        ("```bibtex\n@article{a, title={One}}\n```\n@book{b, title={Two}}", [("a", "One"), ("b", "Two")]),
        ('@string{j = "Journal of"}\n@article(a, title = "One" # { Two}, journal = j # " X", year = 2020)', [("a", "One Two")]),
        ("@article{Doe et al. 2020, title={One}, year=2020}", [("Doe et al. 2020", "One")]),
        ("@article{, title={One}}\n@article{title={Two}}", [("ref_1", "One"), ("ref_2", "Two")]),
        # The title is never that of the book or the short one.
        ("@inproceedings{a, booktitle={Book}, shorttitle={Short}, title={One}}", [("a", "One")]),
        ("A list: `@article{a, title={One}}`", [("a", "One")]),
        # Code is none.
        ("```python\n@dataclass(frozen=True)\nclass A: ...\n```\n@article{a, title={One}}", [("a", "One")]),
        ("In `@article{...}` form, mail a@b.org {x}:\n@article{a, title={One}}", [("a", "One")]),
    ],
)  # fmt: skip
def test_bibtex_wherever_it_stands(answer: str, expected: list[tuple[str, str]]) -> None:
    found = read(answer)
    assert [(reference.key, reference.fields["title"]) for reference in found] == expected
    assert all(reference.location == HERE for reference in found)


def test_fields_are_those_of_a_bib_file() -> None:
    entry = (
        '@article{a, title={Gro{\\ss}e H$_2$O}, author="M{\\"u}ller, J and others", journaltitle={J}, date=2020-01-02}'
    )
    (answered,) = read(f"Sure!\n```bibtex\n{entry}\n```\n")
    (written,) = read_bibtex("refs.bib", entry.encode()).references
    assert (answered.fields, answered.raw, answered.type) == (written.fields, written.raw, written.type)
    assert answered.text == written.text == entry


@pytest.mark.parametrize(
    "cut",
    [
        "@article{a, title={One}, author={Doe",
        "@article{a, title={One}",
        "@article{a, title={One},\n  year=20",
        "@article{a",
    ],
)
def test_a_truncated_entry_is_a_damaged_reference(cut: str) -> None:
    first, second = read(f"@article{{whole, title={{Whole}}}}\n{cut}")
    assert (first.key, first.defects) == ("whole", ())
    assert second.defects
    assert not all(defect.note for defect in second.defects)
    assert {defect.line for defect in second.defects} == {7}


@pytest.mark.exhaustive
def test_json_lists() -> None:
    answer = """Here you are:
```json
{"references": [
  {"title": "One of Many", "authors": ["A. Bee", {"given": "C.", "family": "Dee"}, "et al."], "year": 2020,
   "journal": "Nature", "doi": "10.1000/1"},
  {"title": "Two of Many", "authors": "E. Eff and G. Ha", "publication_year": "2021", "venue": "NeurIPS", "key": "eff"}
]}
```"""
    one, two = read(answer)
    assert (one.key, one.type, dict(one.raw)) == (
        "ref_1",
        "article",
        {
            "title": "One of Many",
            "author": "A. Bee and Dee, C. and others",
            "year": "2020",
            "journal": "Nature",
            "doi": "10.1000/1",
        },
    )
    assert (two.key, two.type, two.fields["booktitle"], two.fields["year"]) == (
        "eff",
        "inproceedings",
        "NeurIPS",
        "2021",
    )
    assert [r.key for r in read('{"title": "A title", "year": 2020}\n{"title": "Another", "year": 2021}')] == [
        "ref_1",
        "ref_2",
    ]
    assert read("[1, 2] and {x} and [[" + "[" * 1000) == []


def test_duplicates_are_those_of_the_first() -> None:
    found = read(
        "@article{a, title={Same Work of Art}, doi={10.1000/1}}\n"
        "@misc{b, title={Another Title}, url={https://doi.org/10.1000/1}}\n"
        "@misc{c, title={A Third Title}, eprint={1706.03762v2}}\n"
        "@misc{d, title={same {Work} of art!}}\n"
        "@misc{e, title={Fifth Title}, note={arXiv:1706.03762}}\n"
        "@misc{f, title={Reply}}\n@misc{g, title={Reply}}\n"
        "@misc{h, title={Another title}}\n"
    )
    # b has the DOI of a; d its title; e the arXiv id of c; "Reply" names no work; h has the title of b, which is a.
    assert duplicates(found) == ["", "a", "", "a", "c", "", "", "a"]


@pytest.mark.parametrize("unit", ["<think>", "</think>\n", "```\n", "@article{", '{"a":', "["])
def test_hostile_answers_take_steps_by_their_length(unit: str) -> None:
    assert growth_of_steps(read, unit) < 5


WORKS = (
    ("Shannon, C. E.", "1948", "A mathematical theory of communication", "Bell System Technical Journal"),
    ("Turing, A. M.", "1950", "Computing machinery and intelligence", "Mind"),
    ("Hopper, G. M.", "1952", "The education of a computer", "Proceedings of the ACM"),
)
NUMBERS = {
    "keys": "1\ufe0f\u20e3 |2\ufe0f\u20e3 |3\ufe0f\u20e3 ",
    "bare keys": "1\u20e3|2\u20e3|3\u20e3",
    "circles": "①|②|③",
    "black circles": "❶ |❷ |❸ ",
    "sans-serif circles": "➀. |➁. |➂. ",
    "in bold": "**1\ufe0f\u20e3 |**2\ufe0f\u20e3 |**3\ufe0f\u20e3 ",
}


@pytest.mark.parametrize("way", NUMBERS)
def test_numbers_that_are_signs(way: str) -> None:
    signs = NUMBERS[way].split("|")
    bold = "" if way == "in bold" else "**"
    lines = [
        f"{sign}{bold}{who} ({year}).** *{title}.* {venue}."
        for sign, (who, year, title, venue) in zip(signs, WORKS, strict=True)
    ]
    found = read("\n".join(["Here are three works:", *lines]))
    assert [one.fields.get("title") for one in found] == [title for _, _, title, _ in WORKS]
    assert [one.fields.get("year") for one in found] == [year for _, year, _, _ in WORKS]


@pytest.mark.parametrize("rule", ["---|---|---|---\n", ":-- | --- | --: | ---\n"])
def test_tables_without_bars_at_the_edges(rule: str) -> None:
    rows = "\n".join(" | ".join(work) for work in WORKS)
    found = read(f"Here they are.\n\nAuthor | Year | Title | Journal\n{rule}{rows}\n\nThat is all.")
    assert [one.fields.get("title") for one in found] == [title for _, _, title, _ in WORKS]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "heads", ["authors,title,year,venue", "Author,Title,Year,Journal", "Autoren,Titel,Jahr,Zeitschrift"]
)
@pytest.mark.parametrize("fence", ["```csv\n%s\n```", "%s", "```\n%s\n```\nThat is all."])
def test_tables_of_separated_values(separator: str, heads: str, fence: str) -> None:
    rows = [separator.join((f'"{who}"', f'"{title}"', year, venue)) for who, year, title, venue in WORKS]
    found = read("Here they are.\n\n" + fence % "\n".join([heads.replace(",", separator), *rows]))
    assert [one.fields.get("title") for one in found] == [title for _, _, title, _ in WORKS]
    assert [one.fields.get("year") for one in found] == [year for _, year, _, _ in WORKS]


@pytest.mark.parametrize(
    "text", ["Title, author and year are missing.\nI have none.", "a, b\nc, d", "year;title\nnothing here"]
)
def test_prose_with_commas_is_no_table(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("heading", ["### %d. Topic", "%d. Topic", "**%d. Topic**", "%d. **Topic of the work**"])
@pytest.mark.parametrize("indent", ["", "   "])
@pytest.mark.parametrize("bullet", ["- **%s**", "* *%s*", "- %s"])
def test_a_heading_above_nested_bullets_is_no_title(heading: str, indent: str, bullet: str) -> None:
    lines = []
    for number, (who, year, title, venue) in enumerate(WORKS, start=1):
        lines += [heading % number, indent + bullet % title]
        lines += [f"{indent}  - Authors: {who}", f"{indent}  - *Venue:* {venue} {year}"]
    found = read("\n".join(lines))
    assert [one.fields.get("title") for one in found] == [title for _, _, title, _ in WORKS]
