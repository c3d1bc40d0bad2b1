"""People of printed references in each usual form of initials, as GB/T 7714, Vancouver, APA and Elsevier print them."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import LATEX, PLAIN_TEXT, NoFiles, Surroundings, cited_metadata
from pytest_citecheck.matching import compare_authors
from pytest_citecheck.model import Person, Reference

_TITLE = "Deep residual learning for image recognition"
_STYLES = {
    "GB/T 7714, article": f"{{}}. {_TITLE}[J]. Journal of Machine Learning, 2016, 12(3): 770-778.",
    "GB/T 7714, paper": f"{{}}. {_TITLE}[C]//Proceedings of the Meeting on Computer Vision. Berlin: Springer, 2016: 770-778.",
    "Vancouver": f"{{}}. {_TITLE}. Journal of Machine Learning. 2016;12(3):770-778.",
    "APA": f"{{}} (2016). {_TITLE}. Journal of Machine Learning, 12(3), 770-778.",
}
_FORMS = [
    "{f} {i}{j}", "{f} {i} {j}", "{f} {i}-{j}", "{f} {i}. {j}.", "{f} {i}.{j}.", "{f}, {i}. {j}.", "{f}, {i}.{j}.",
    "{f}, {i} {j}", "{i}. {j}. {f}", "{i}.-{j}. {f}", "{F} {i} {j}", "{F} {i}{j}", "{F} {i}.",
]  # fmt: skip
_LISTS = {
    "Chinese": (("Wu", "Kai", "Ming"), ("Zhang", "Xiao", "Yan"), ("Ren", "Shu", "Qing")),
    "European": (("Weber", "Kurt", "Max"), ("Kowalski", "Xaver", "Yann"), ("Lopez", "Sara", "Quin")),
}


def _first(name: str, text: str) -> Reference:
    reader = LATEX if name.endswith(".tex") else PLAIN_TEXT
    return reader.read_document(name, text.encode(), Surroundings(NoFiles())).references[0]


@pytest.mark.sample(12)
@pytest.mark.parametrize("style", _STYLES)
@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("people", _LISTS)
@pytest.mark.parametrize("end", ["", ", et al"])
def test_initials_in_each_form_are_read(style: str, form: str, people: str, end: str) -> None:
    named = _LISTS[people]
    names = ", ".join(form.format(f=family, F=family.upper(), i=one[0], j=two[0]) for family, one, two in named)
    item = _STYLES[style].format(names + end).replace("..", ".")
    cited = cited_metadata(_first("list.txt", f"References\n\n[1] {item}\n[2] {item}\n[3] {item}\n"))
    found = [Person(f"{family}, {one} {two}") for family, one, two in named]
    compared = compare_authors(cited.people, found)
    assert (cited.title, compared.code, compared.abstain) == (_TITLE, "", False)
    assert cited.people.others == bool(end)


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ("{t}[J]. Journal of Machine Learning, 2016, 12(3): 7-9.", {"journal": "Journal of Machine Learning", "pages": "7-9"}),
        ("{t}[C]//Proceedings of the Meeting. Berlin: Springer, 2016: 7-9.",
         {"booktitle": "Proceedings of the Meeting", "publisher": "Springer", "pages": "7-9", "year": "2016"}),
        ("{t}[C]//2016 Meeting on Vision (MV). Las Vegas, NV, USA: IEEE, 2016: 7-9.",
         {"booktitle": "2016 Meeting on Vision (MV)", "publisher": "IEEE", "pages": "7-9", "year": "2016"}),
        ("{t}[C]//Proceedings of the Meeting. 2016: 7-9.", {"booktitle": "Proceedings of the Meeting", "pages": "7-9"}),
        ("{t}[M]. Berlin: Springer, 2016.", {"publisher": "Springer", "year": "2016"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mark", ["", "\n\\newblock "], ids=["one line", "newblock"])
def test_a_mark_of_the_type_ends_the_title(item: str, fields: dict[str, str], mark: str) -> None:
    """The styles of BibTeX for GB/T 7714 put the mark and the volume into the block of the title."""
    text = f"WU K M, ZHANG X Y.{mark or ' '}{item.format(t=_TITLE)}".replace("[", "\\allowbreak[", 1)
    read = _first(
        "paper.tex",
        f"\\begin{{document}}\n\\cite{{a}}\n\\begin{{thebibliography}}{{9}}\n\\bibitem{{a}} {text}\n\\end{{thebibliography}}\n",
    )
    assert read.fields["title"] == _TITLE
    assert fields.items() <= read.fields.items()
