"""reStructuredText: the footnotes and citations that docutils sees, in documents and in generated texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import RESTRUCTURED_TEXT, read_text

docutils_core = pytest.importorskip("docutils.core")
nodes = pytest.importorskip("docutils.nodes")

DOCUMENT = """\
Title
=====

As [1]_ and [CIT2002]_ say; see :doi:`10.1000/in.text` and https://arxiv.org/abs/1706.03762.

.. include:: /etc/passwd
.. raw:: html
   :file: /etc/passwd
.. unknown:: directive

   with :nonsense:`role`

.. [1] A. Author, "Trees",
   Journal of Trees, 2001.

   Second paragraph.
.. [CIT2002] B. Author. Forests.
     Journal of Trees, 2002.

References
----------

B. Third. Woods and trees. Journal of Trees, 2003.

C. Fourth. Seeds and trees. Journal of Trees, 2004.

Next
----

Text.
"""


def seen_by_docutils(text: str) -> dict[str, str]:
    settings = {"report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": False}
    tree = docutils_core.publish_doctree(text, settings_overrides=settings)
    found = {}
    for node in tree.findall(lambda one: isinstance(one, nodes.footnote | nodes.citation)):
        label, *rest = node.children
        found[label.astext()] = " ".join(one.astext() for one in rest if not isinstance(one, nodes.system_message))
    return found


def own(text: str) -> dict[str, str]:
    entries = read_text(list(enumerate(text.split("\n"), start=1))).entries
    return {entry.label: " ".join(entry.lines) for entry in entries if entry.formal}


def test_docutils_sees_the_same_references() -> None:
    expected = {label: " ".join(text.split()) for label, text in seen_by_docutils(DOCUMENT).items()}
    assert own(DOCUMENT) == expected
    assert set(expected) == {"1", "CIT2002"}


def test_a_document_is_read_without_opening_other_files() -> None:
    found = RESTRUCTURED_TEXT.read("docs/index.rst", DOCUMENT.encode())
    assert [one.key for one in found.references] == ["1", "CIT2002", "ref_1", "ref_2", "10.1000/in.text", "1706.03762"]
    assert not any("root:" in one.text for one in found.references)
    assert found.references[2].fields["title"] == "Woods and trees"


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]), min_size=1, max_size=6).map(
    " ".join
)
LABELS = st.lists(st.integers(1, 99).map(str), min_size=1, max_size=5, unique=True)


@pytest.mark.exhaustive
@given(
    LABELS, st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=5, max_size=5), st.integers(3, 9), st.booleans()
)
def test_generated_footnotes(labels: list[str], bodies: list[list[str]], indent: int, blank: bool) -> None:
    lines = ["Text.", ""]
    for label, body in zip(labels, bodies, strict=False):
        first, *rest = body
        lines += [f".. [{label}] {first}", *(f"{' ' * indent}{line}" for line in rest), *([""] if blank else [])]
    text = "\n".join([*lines, "", "After."])
    expected = {label: " ".join(text.split()) for label, text in seen_by_docutils(text).items()}
    assert own(text) == expected
    assert not re.search("After", str(own(text)))


@pytest.mark.parametrize("end", ["Next\n----", ".. rubric:: Examples", ">>> looms()"])
def test_a_section_of_references_ends(end: str) -> None:
    text = (
        "References\n----------\n\nB. Third. Woods and trees. Journal of Trees, 2003.\n\n"
        f"{end}\n\nD. Fifth. Looms and cards. Journal of Looms, 2005.\n"
    )
    found = RESTRUCTURED_TEXT.read("docs/index.rst", text.encode()).references
    assert [one.text for one in found] == ["B. Third. Woods and trees. Journal of Trees, 2003."]
