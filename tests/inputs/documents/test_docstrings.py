"""References in docstrings: sections, footnotes, roles, comments, and files that are hostile."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from pytest_citecheck.inputs import (
    DOCSTRINGS,
    Bibliography,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    docstrings_of,
    may_refer,
    reference_names,
)

NUMPYDOC = '''
"""Rotate things.

References
----------
.. [1] A. Lovelace and C. Babbage, "On the rotation of
       small engines", Journal of Engines 12(3), pp. 1-9, 1843.
       :doi:`10.1000/engines.12`
.. [Knuth97] Knuth, D. E. The Art of Computer Programming. 1997.

Examples
--------
>>> rotate(1)  # [2] not a reference
"""


class Spline:
    """A spline [1]_.

    References
    ----------
    [1] G. Hopper. Compilers for Splines. Journal of Tools, 1952.
    """

    degree = 3
    """The degree, as in :arxiv:`1706.03762`."""

    async def fit(self):
        r"""Fit.

        .. rubric:: References

        * N. Noether, "Invariants", Annals of Things, 1918.
          Second line.
        * T. Other, "Further invariants", Annals of Things, 1919.
        """


def template():
    """Google.

    References:
        Lovelace, A. (1843). Notes on engines. Taylor's Memoirs.

        %(example)s

        Hopper, G. (1952). The education of a computer. ACM.
    Returns:
        Nothing.
    """
    value = "doi:10.1000/in.a.string"
    return value  # see doi:10.1000/in.a.comment
'''


def read(text: str, path: str = "engines.py") -> Bibliography:
    return DOCSTRINGS.read(path, text.encode())


def test_references_of_every_style_have_the_name_of_their_object() -> None:
    found = read(NUMPYDOC)
    assert reference_names(found) == [
        "1",
        "Knuth97",
        "Spline::1",
        "Spline.degree::1706.03762",
        "Spline.fit::ref_1",
        "Spline.fit::ref_2",
        "template::ref_1",
        "template::ref_2",
        "10.1000/in.a.comment",
    ]
    first = found.references[0]
    assert first.fields["title"] == "On the rotation of small engines"
    assert first.fields["author"] == "Lovelace, A. and Babbage, C."
    assert first.fields["doi"] == "10.1000/engines.12"
    assert (first.location.line, first.location.end_line, first.location.column) == (6, 8, 1)
    assert found.references[2].location.column == 5
    assert found.references[5].fields["title"] == "Further invariants"


ROLES = [
    (
        ":doi:`10.1175/1520-0493(1973)101<0701:TKDMLE>2.3.CO;2`",
        "doi",
        "10.1175/1520-0493(1973)101<0701:TKDMLE>2.3.CO;2",
    ),
    (':arxiv:`Halko, et al. (2009). "Finding structure" <0909.4061>`', "eprint", "0909.4061"),
    ("A. Author, Some title of it, 2001. :PMID:`12345`", "pmid", "12345"),
    ("A. Author, Some title of it, 2001. :doi:`dpgkg3`", "doi", "10/dpgkg3"),
    ("A. Author, Some title of it, 2001. DOI:`10.1000/abc`", "doi", "10.1000/abc"),
    ("`Some title of it <https://doi.org/10.1000/loom>`_ by A. Author", "doi", "10.1000/loom"),
]


@pytest.mark.parametrize(("text", "name", "value"), ROLES, ids=["brackets", "text", "case", "short", "bare", "link"])
def test_identifiers_in_roles(text: str, name: str, value: str) -> None:
    found = read(f'"""X.\n\nReferences\n----------\n.. [1] {text}\n"""\n').references
    assert [one.fields[name] for one in found] == [value]


def test_a_web_page_or_a_short_form_demands_no_field() -> None:
    text = '"""X\n\nReferences\n----------\n'
    text += '.. [1] https://en.wikipedia.org/wiki/Spline\n.. [2] C. Numerical Recipes (any edition).\n"""\n'
    assert {one.type for one in read(text).references} <= {"identifier", "misc"}


def test_a_file_that_does_not_parse_and_cython_are_read_as_text() -> None:
    text = 'cdef class Tree:\n    """A tree.\n\n'
    text += '    .. [1] A. Author, "Trees", Journal of Trees, 2001.\n    """\n    cdef int x = <int>3\n'
    for path in ("tree.pyx", "tree.py"):
        assert reference_names(read(text, path)) == ["Tree::1"]
    assert [note.code for note in read(text).notes] == ["unparsed"]
    assert not read(text, "tree.pyx").notes


def test_lines_of_concatenated_and_escaped_docstrings_are_found() -> None:
    text = 'def f():\n    ("One.\\n\\n"\n     "References\\n----------\\n"\n'
    text += '     ".. [1] A. Author, \\"Trees\\", Journal of Trees, 2001.\\n")\n'
    (one,) = read(text).references
    assert one.location.line == 4


def test_the_coding_cookie_counts() -> None:
    text = '# -*- coding: latin-1 -*-\n"""X\n\nReferences\n----------\n.. [1] J. Müller, "Bäume", Journal of Trees, 2001.\n"""\n'
    (one,) = DOCSTRINGS.read("x.py", text.encode("latin-1")).references
    assert one.fields["author"] == "Müller, J."


def test_keys_of_a_project_are_resolved_in_its_bibliographies(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("@book{knuth, title={Sorting}, author={Knuth, D.}, year=1973, publisher={A}}\n")
    around = Surroundings(FolderFiles(tmp_path), given=("refs.bib",))
    text = '"""See :cite:p:`knuth` and :footcite:t:`knth`."""\n'
    found = DOCSTRINGS.read_document("x.py", text.encode(), around)
    assert [(one.key, one.readable) for one in found.references] == [("knuth", True), ("knth", False)]
    assert "the nearest key is `knuth`" in found.references[1].defects[0].message


def test_unlinked_references_are_findings_apart() -> None:
    text = '"""As in [2]_.\n\nReferences\n----------\n.. [1] A. Author, "Trees", Journal of Trees, 2001.\n"""\n'
    found = read(text)
    assert [(one.key, one.defects[0].code) for one in found.unlinked] == [
        ("1", "uncited-reference"),
        ("2", "missing-reference"),
    ]
    assert not found.references[0].defects


def test_a_cheap_test_excludes_files_without_references() -> None:
    assert not may_refer(b'"""Reference counting and a citation."""\nx = 10.5\n')
    assert may_refer(b'"""X\n\nReferences\n----------\n"""')
    with pytest.raises(UnreadableDocumentError, match="contains no reference"):
        read("x = 1\n")


HOSTILE = {
    "megabyte": '"""References\n----------\n' + ".. [1] A. Author, Title of it, 2001.\n" * 30_000 + '"""\n',
    "brackets": '"""References\n----------\n.. [1] ' + "[" * 100_000 + "]" * 100_000 + '\n"""\n',
    "backticks": '"""References\n----------\n.. [1] ' + ":doi:`" * 50_000 + '\n"""\n',
    "nested code": "x = " + "(" * 5_000 + ")" * 5_000 + '\n"""See doi:10.1000/abc."""\n',
    "open string": 'def f():\n    """References\n    ----------\n    .. [1] A. Author, Title, 2001.\n',
    "spaces": '"""References\n----------\n' + " " * 1_000_000 + '\n.. [1] A. Author, Title, 2001.\n"""\n',
    "quotes": "'''" * 100_000 + " doi:10.1000/abc",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_files_are_read_in_bounded_time(name: str) -> None:
    start = time.process_time()
    with contextlib.suppress(UnreadableDocumentError):
        read(HOSTILE[name])
    assert time.process_time() - start < 20


def test_files_in_odd_encodings_are_read() -> None:
    text = '"""X\n\nReferences\n----------\n.. [1] A. Author, "Trees", Journal of Trees, 2001.\n"""\n'
    for data in (
        text.encode("utf-8-sig"),
        text.replace("\n", "\r\n").encode(),
        b"# coding: none\n" + text.encode() + b"\xff",
    ):
        assert [one.key for one in DOCSTRINGS.read("x.py", data).references] == ["1"]


def test_docstrings_have_the_lines_of_the_file() -> None:
    source = "class A:\n    '''One.\n\n      Two.\n    '''\n"
    (one,) = docstrings_of(source)[0]
    assert (one.name, one.lines) == ("A", ((2, "One."), (3, ""), (4, "Two."), (5, "")))


def titles_of(*lines: str) -> list[str]:
    text = "\n    ".join(lines)
    return [
        one.fields.get("title", "")
        for one in DOCSTRINGS.read("m.py", f'def f():\n    """F.\n\n    {text}\n    """\n'.encode()).references
    ]


ENGINES = "Lovelace, A. (1843). On engines. Journal of Engines, 12, 1-9."
SPLINES = "Hopper, G. (1952). Compilers for splines. Journal of Tools, 3, 4-8."


@pytest.mark.parametrize("heading", ["References:", "Bibliography:", ":References:", "**References**"])
def test_headings_of_a_block(heading: str) -> None:
    assert titles_of(heading, f"    {ENGINES}", f"    {SPLINES}") == ["On engines", "Compilers for splines"]


def test_a_number_in_brackets_continues_a_list() -> None:
    found = titles_of(
        "References", "----------",
        ".. [1] Noether, N. (1918). On invariants. Annals of Things, 1, 2-3.",
        ".. [2] Lovelace, A. (1843). On engines. Journal of",
        "       Engines, 12, 1-9.",
        f"   (3) {SPLINES}",
    )  # fmt: skip
    assert found == ["On invariants", "On engines", "Compilers for splines"]


def test_paragraphs_of_several_references() -> None:
    found = titles_of(
        "References", "----------",
        ENGINES,
        "Hopper, Grace, and Ada Lovelace. 1952.",
        "Compilers for Splines: Second Edition.",
        "Oxford University Press.",
    )  # fmt: skip
    assert len(found) == 2
    assert found[0] == "On engines"
