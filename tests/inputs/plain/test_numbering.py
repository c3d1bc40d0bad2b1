"""Numbers of items that do not rise, second lists, and dashes for the people of the entry before."""

from __future__ import annotations

import textwrap

import pytest

from pytest_citecheck.inputs import MARKDOWN, PLAIN_TEXT, DocumentReader, NoFiles, Surroundings
from pytest_citecheck.model import Reference

_WORKS = {
    "Salt roads of the north": "Ilves, M. (2004). Salt roads of the north. Baltic Studies, 12(2), 3–29.",
    "Amber and law": "Tamm, J., & Holm, G. (2005). Amber and law. Baltic Studies, 13(1), 30–41.",
    "Harbours and hides": "Saar, P. (2007). Harbours and hides. Baltic Studies, 15(3), 1–9.",
    "The toll of Narva": "Holm, G. (2006). The toll of Narva. Baltic Studies, 14(4), 1–20.",
}
_READERS: dict[str, DocumentReader] = {"list.txt": PLAIN_TEXT, "list.md": MARKDOWN}


def _titles(name: str, text: str) -> list[str]:
    return [one.fields.get("title", "") for one in _references(name, text)]


def _references(name: str, text: str) -> tuple[Reference, ...]:
    return _READERS[name].read_document(name, text.encode(), Surroundings(NoFiles())).references


@pytest.mark.parametrize("name", _READERS)
@pytest.mark.parametrize("form", ["{}. ", "{}) ", "[{}] ", "({}) ", "{} ", "{}."])
@pytest.mark.parametrize(
    "numbers", [(1, 1, 1, 1), (1, 2, 1, 2), (4, 3, 2, 1), (1, 3, 2, 4), (2, 2, 3, 3), (1, 2, 3, 3)]
)
def test_numbers_that_do_not_rise_lose_no_item(name: str, form: str, numbers: tuple[int, ...]) -> None:
    items = [f"{form.format(number)}{text}" for number, text in zip(numbers, _WORKS.values(), strict=True)]
    assert _titles(name, "\n".join(["References", "", *items])) == [*_WORKS]


_YEAR_LAST = {
    "Salt roads of the north": 'M. Ilves, "Salt roads of the north," Baltic Stud., vol. 12, pp. 3–29, 2004.',
    "Amber and law": 'J. Tamm and G. Holm, "Amber and law," Baltic Stud., vol. 13, pp. 30–41, 2005.',
    "Harbours and hides": 'P. Saar, "Harbours and hides," Baltic Stud., vol. 15, pp. 1–9, 2007.',
    "The toll of Narva": 'G. Holm, "The toll of Narva," Baltic Stud., vol. 14, pp. 1–20, 2006.',
    "Ropes for the fleet": 'L. Mets, "Ropes for the fleet," Baltic Stud., vol. 16, pp. 5–17, 2008.',
    "A census of mills": 'T. Kask, "A census of mills," Baltic Stud., vol. 17, pp. 2–8, 2009.',
}


@pytest.mark.parametrize("form", ["[{}] ", "{}. ", "{} ", "{}."])
@pytest.mark.parametrize("width", [200, 50])
@pytest.mark.parametrize(
    "numbers",
    [
        (1, 2, 2, 3, 4, 5), (1, 2, 3, 4, 5, 5), (1, 1, 2, 3, 4, 5), (1, 1, 2, 2, 3, 3), (1, 2, 4, 3, 5, 6), (1, 2, 7, 4, 5, 6),
        (1, 2, 3, 4, 50, 6), (1, 2, 3, 14, 15, 16), (1, 2, 3, 1, 2, 3),
    ],
)  # fmt: skip
def test_a_number_out_of_order_loses_no_item(form: str, width: int, numbers: tuple[int, ...]) -> None:
    items = [form.format(number) + text for number, text in zip(numbers, _YEAR_LAST.values(), strict=True)]
    lines = [line for item in items for line in textwrap.wrap(item, width)]
    assert _titles("list.txt", "\n".join(["References", "", *lines])) == [*_YEAR_LAST]


@pytest.mark.parametrize("number", [8, 12, 30])
def test_the_number_of_a_volume_begins_no_item(number: int) -> None:
    items = [f"{place} {text}" for place, text in enumerate(_YEAR_LAST.values(), 1)]
    items[2:3] = ['3 P. Saar, "Harbours and hides," Baltic Stud. Vol.', f"{number} Tartu Press, Tartu, 2007."]
    assert _titles("list.txt", "\n".join(["References", "", *items])) == [*_YEAR_LAST]


@pytest.mark.parametrize("name", _READERS)
@pytest.mark.parametrize(
    "heading", ["Supplementary References", "Appendix references", "Web References", "Key references"]
)
def test_a_second_list_is_read_under_its_heading(name: str, heading: str) -> None:
    first, second, third, fourth = _WORKS.values()
    mark = "## " if name.endswith(".md") else ""
    lines = [f"{mark}References", "", first, "", second, "", f"{mark}{heading}", "", third, "", fourth, ""]
    assert _titles(name, "\n".join(lines)) == [*_WORKS]


@pytest.mark.parametrize("dash", ["———.", "---.", "_____.", "——————.", "–––.", "⸺.", "———,"])
def test_a_dash_stands_for_the_people_of_the_entry_before(dash: str) -> None:
    first, second, third = _references(
        "list.txt",
        'Bibliography\n\nIlves, Marta, and Juhan Tamm. "Salt Roads of the North." Baltic Studies 12, no. 2 (2004): 3–29.\n'
        f'{dash} "Amber and Law." Baltic Studies 13, no. 1 (2005): 30–41.\n'
        'Saar, Peeter. "Harbours and Hides." Baltic Studies 15, no. 3 (2007): 1–9.\n',
    )
    assert [one.fields["title"] for one in (first, second, third)] == [
        "Salt Roads of the North",
        "Amber and Law",
        "Harbours and Hides",
    ]
    assert second.fields["author"] == first.fields["author"] != third.fields["author"]


@pytest.mark.parametrize("bullet", ["-- ", "--- ", "— ", "– "])
def test_a_dash_before_a_name_is_a_bullet(bullet: str) -> None:
    read = _references("list.txt", "\n".join(["References", "", *(f"{bullet}{text}" for text in _WORKS.values())]))
    assert [one.fields["author"].split(",")[0] for one in read] == ["Ilves", "Tamm", "Saar", "Holm"]


@pytest.mark.parametrize(
    "people",
    ["Ver Hoef, J. M.", "Ver Hoef, Jay M.", "So, Young Kim", "But, Thomas", "See-To, K. W.", "Also, M. and Auch, N."],
)
def test_a_name_in_a_bibliography_is_no_word_before_a_work(people: str) -> None:
    texts = [f"{people} (2004). Salt roads of the north. Baltic Studies, 12(2), 3–29.", *[*_WORKS.values()][1:]]
    read = _references("list.txt", "\n".join(["References", "", *texts]))
    assert [one.fields.get("title") for one in read] == [*_WORKS]
    assert read[0].fields["author"].startswith(people.partition(",")[0])
