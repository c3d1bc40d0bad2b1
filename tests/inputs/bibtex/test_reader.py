"""The BibTeX reader as a whole: accounting, locations, bytes, properties."""

from __future__ import annotations

import codecs
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.checks import DEFAULT, PolicyContext, check_syntax
from pytest_citecheck.inputs import (
    BIBTEX,
    Bibliography,
    Start,
    all_readers,
    find_starts,
    read_bibtex,
    reader_for,
    why_unread,
)
from pytest_citecheck.inputs.bibtex import blocks as bibtex_blocks
from pytest_citecheck.model import Reference
from tests.support.pumped_texts import growth_of_repetition
from tests.support.steps import growth_of_steps
from tests.support.suites import first_fast

# Thirty declared entries, each of a kind that readers are known to lose; with all that may stand between entries.
MESSY = r"""% A comment with @article in it, and one that is commented out:
% @article{commented, title={Not here}}
Free text, written by someone@example.org {who likes braces}.
@string{naacl = "Proceedings of " # {NAACL}}
@preamble{"\newcommand{\noopsort}[1]{}"}
@comment{@article{hidden, title={Not here either}}}
@article{clean2015, title={Clean}, author={Doe, Jane}, year={2015}, doi={10.1/clean}
}
@article{accents, author={Ge{\H u} and Mart{\'\i}n and {\c{S}}ahin and {\.{I}}nci}, title={Accents}}
@inproceedings{macro, title={M}, author={A and others}, booktitle = naacl # " 2019", month = jun}
@article{unbalanced,
  title={A Title With {An Unclosed Brace},
  year={2001}
}
@article{afterunbal, title={Survives}, year={2002}}
@article{dup, title={First}}
@book{dup, title={Second}}
@article{nocomma,
  author={Roe, Rick}
  title={No Comma},
  year={2003}}
@online{online1, author={{OpenAI}}, date={2023-03-14}, urldate={2024-01-01}, title={O}}
@software{software1, version={1.2}, title={S}}
@dataset{dataset1, doi={10.5281/zenodo.1}, title={D}}
@article(paren, title={Paren}, year=2004)
@book{weird:key/1+2, title={W}, isbn={978-0-262-03384-8}}
@article{ключ2020, title={Кириллица}}
@misc{, title={No Key}}
@article{dupfield, title={One}, title={Two}}
@article{atsign, abstract={Text
@foo bar {x} goes on}, title={At}}
@article{quotes, title="An {\"o} and {"} here", year="2005"}
@inproceedings{xref, title={Child}, crossref={nips17}}
@proceedings{nips17, title={NeurIPS 2017}, year=2017}
@ARTICLE{UPPER, TITLE={UPPER}, YEAR={2006}}
@article{math, title={{$\ell_1$ is \emph{fine}: $O(n^{1/2})$}}}
@article{biblatex, journaltitle={J}, date={2016-01-28}, title={B}}
@article{undefmacro, title={U}, journal=tpami}
@article{emptyfields, author={}, title={}, journal={}, year={}}
@misc{arxiv, eprint={1706.03762}, archivePrefix={arXiv}, primaryClass={cs.CL}, title={A}}
@phdthesis{thesis, school={MIT}, title={T}}
@article{fake, doi={10.9999/fake}, title={F}}
@article{future, year={2099}, title={Fu}}
@article{last, title={Last}}"""


def read(text: str) -> tuple[Reference, ...]:
    return read_bibtex("refs.bib", text.encode()).references


def codes(reference: Reference) -> list[str]:
    return [defect.code for defect in reference.defects]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_every_entry_of_a_messy_file_is_accounted_for(line_end: str, mark: bytes) -> None:
    bibliography = read_bibtex("refs.bib", mark + MESSY.replace("\n", line_end).encode())
    references = bibliography.references
    declared = re.findall(r"^@(?!string|preamble|comment|foo)\w+[{(]([^,]*),", MESSY, re.MULTILINE)
    assert [reference.key for reference in references] == declared
    assert len(declared) == 30
    assert all(reference.readable for reference in references)
    assert {reference.key: codes(reference) for reference in references if reference.defects} == {
        "unbalanced": ["unbalanced-braces"],
        "dup": ["duplicate-key"],
        "nocomma": ["missing-comma"],
        "": ["missing-key"],
        "dupfield": ["duplicate-field"],
        "undefmacro": ["undefined-macro"],
    }
    assert [note.code for note in bibliography.notes] == []
    fields = {reference.key: reference.fields for reference in references}
    raw = {reference.key: reference.raw for reference in references}
    assert fields["accents"]["author"] == "Geű and Martín and Şahin and İnci"
    assert fields["macro"]["booktitle"] == "Proceedings of NAACL 2019"
    assert fields["macro"]["month"] == "June"
    assert fields["unbalanced"]["year"] == "2001"
    assert fields["quotes"]["title"] == 'An ö and " here'
    assert fields["xref"]["booktitle"] == "NeurIPS 2017"
    assert fields["math"]["title"] == "ℓ1 is fine: O(n1/2)"
    assert fields["nocomma"]["author"] == "Roe, Rick"
    assert raw["online1"]["author"] == "{OpenAI}"


def test_locations_and_texts_are_those_of_the_file() -> None:
    text = "\r\n@misc{a,\r\n  title = {T}\r\n}  @misc{b, title = {U}}\r\ntext\r\n@misc{c,\r\n title = {V}"
    references = read(text)
    assert [(each.location.line, each.location.end_line) for each in references] == [(2, 4), (4, 4), (6, 7)]
    assert [each.text for each in references] == [
        "@misc{a,\r\n  title = {T}\r\n}", "@misc{b, title = {U}}", "@misc{c,\r\n title = {V}",
    ]  # fmt: skip
    assert {each.location.path for each in references} == {"refs.bib"}


def test_defects_name_the_line_of_the_fault() -> None:
    text = "@misc{a,\n title = {T}\n year = 2000,\n title = {U},\n journal = zz,\n}\n\n@misc{a, note = {N}}"
    first, second = read(text)
    assert [(defect.code, defect.line) for defect in first.defects] == [
        ("missing-comma", 3), ("duplicate-field", 4), ("undefined-macro", 5),
    ]  # fmt: skip
    assert [(defect.code, defect.line) for defect in second.defects] == [("duplicate-key", 8)]
    assert "line 1" in second.defects[0].message


@pytest.mark.parametrize("text", ["", "\n\n", "only text, no entry {at all}", "% nothing\n", "@comment{x}", "@", "@{"])
def test_files_without_entries(text: str) -> None:
    assert read(text) == ()


def test_an_entry_that_the_scanner_loses_is_a_fatal_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_some(text: str) -> list[Start]:
        return [start for start in find_starts(text) if start.at == 0 or start.kind != "book"]

    monkeypatch.setattr(bibtex_blocks, "find_starts", find_some)
    first, lost, last = read("@misc{a, title = {T}}\n\n@book{b, title = {U}}\n@misc{c, title = {V}}")
    assert (first.key, last.key) == ("a", "c")
    assert not lost.readable
    assert (codes(lost), lost.location.line) == (["unreadable-entry"], 3)


def test_a_comment_that_swallows_entries_is_noted() -> None:
    bibliography = read_bibtex("x", b"@comment{ {\n@misc{a, title = {T}}\n\n@misc{b, title = {T}}\n}}\n@misc{c}")
    assert [reference.key for reference in bibliography.references] == ["c"]
    assert [(note.code, note.note, note.line) for note in bibliography.notes] == [("commented-entries", True, 1)]
    assert "2 entries" in bibliography.notes[0].message


def test_an_unclosed_comment_does_not_swallow_anything() -> None:
    assert [each.key for each in read("@comment{ {\n\n@misc{a, title = {T}}\n@comment(\n@misc{b, title = {T}}")] == [
        "a", "b",
    ]  # fmt: skip


def test_conflict_markers_between_entries_are_noted() -> None:
    text = b"<<<<<<< HEAD\n@misc{a, title = {T}}\n=======\n@misc{a, title = {U}}\n>>>>>>> other\n"
    bibliography = read_bibtex("x", text)
    assert [(note.code, note.line) for note in bibliography.notes] == [
        ("git-conflict-marker", 1), ("git-conflict-marker", 5),
    ]  # fmt: skip
    assert [codes(reference) for reference in bibliography.references] == [[], ["duplicate-key"]]


def test_fields_outside_of_any_entry_are_noted() -> None:
    text = b"@misc{a, title = {T}}\n\narticle{disabled,\n  title = {U},\n  year = 2000\n}\n@misc{b, title = {V}}"
    bibliography = read_bibtex("x", text)
    assert [reference.key for reference in bibliography.references] == ["a", "b"]
    assert [(note.code, note.line) for note in bibliography.notes] == [("stray-fields", 3)]


@pytest.mark.parametrize(
    "lines",
    [
        "article{gone, title={T},\n  year=2001}",
        "article{gone, author={A}, title={T}, year={2001}}",
        "  InProceedings{gone,\n title = {T},\n}",
    ],
)
@pytest.mark.parametrize(("before", "after"), [("", "\n@misc{b, title = {V}}"), ("@misc{b, title = {V}}\n", "")])
def test_an_entry_without_at_is_named(lines: str, before: str, after: str) -> None:
    bibliography = read_bibtex("x", f"{before}{lines}{after}".encode())
    assert [reference.key for reference in bibliography.references] == ["b"]
    (note,) = bibliography.notes
    assert note.message.startswith("`gone` is not read: its entry begins without @")


@pytest.mark.parametrize("text", ["% article{gone, title={T}}", "see note{gone, 1}", "figure{gone, title}"])
def test_a_comment_is_no_entry_without_at(text: str) -> None:
    assert read_bibtex("x", f"{text}\n@misc{{b, title = {{V}}}}".encode()).notes == ()


def test_a_faulty_macro_definition_is_noted_for_the_file() -> None:
    bibliography = read_bibtex("x", b'@string{a "A", b = {B}\n}\n@misc{x, note = a, title = b}')
    assert [(note.code, note.note) for note in bibliography.notes] == [("missing-equals", True)]
    assert bibliography.references[0].fields == {"note": "A", "title": "B"}


def test_latin_1_utf_16_and_nul_are_read() -> None:
    latin = read_bibtex("x", "@misc{a,\n title = {Jörg}}".encode("latin-1"))
    assert latin.references[0].fields["title"] == "Jörg"
    assert [(note.code, note.line) for note in latin.notes] == [("encoding-guessed", 2)]
    assert read_bibtex("x", "@misc{a, title = {Jörg}}".encode("utf-16")).references[0].fields["title"] == "Jörg"
    nul = read_bibtex("x", b"@misc{a, title = {T\0}}\n@misc{b, title = {U}}")
    assert [codes(reference) for reference in nul.references] == [["nul-byte"], []]
    assert [note.code for note in nul.notes] == ["nul-byte"]


def test_only_text_fields_are_decoded() -> None:
    (reference,) = read(
        r"@misc{a, title={A--B~\emph{C}}, doi={10.1/a--b\_c}, url={http://x/~a\%20--b}, abstract={\emph{x}  y--z}}"
    )
    assert reference.fields == {
        "title": "A–B C", "doi": "10.1/a--b_c", "url": "http://x/~a%20--b", "abstract": r"\emph{x} y--z",
    }  # fmt: skip
    assert reference.raw["title"] == r"A--B~\emph{C}"


def test_values_of_any_depth_are_read_and_long_ones_cut() -> None:
    long = "word " * 400_000
    (reference,) = read("@misc{a, abstract = {" + long + "}, title = {" + "{" * 500 + "x" + "}" * 500 + "}}")
    assert reference.fields["title"] == "x"
    assert reference.fields["abstract"].startswith("word word")
    assert [defect.code for defect in reference.defects] == ["overlong-field"]
    (reference,) = read("@misc{a, note = {n}, title = {" + "{" * 10_000 + "x" + "}" * 10_000 + "}}")
    assert (reference.fields["note"], reference.fields["title"], reference.defects) == ("n", "x", ())


DAMAGE = [
    "\n@misc{a,b=", "@misc{a,", "@comment{ {x\n@misc{a, b = {c}}\n", "\n", " ", "}", "{", ' q "', ", a = ", "%\n", "= ",
    "@misc{a, title = {x {y,\n year = 2000\n\n", "foo bar ", "x={}y ", "@", "\\'", "$",
]  # fmt: skip
WHOLE = "\n@misc{z, title = {T}}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", first_fast(DAMAGE, 5))
def test_repeated_damage_takes_steps_by_its_length(unit: str) -> None:
    # How far a missing brace is looked for is bounded: from some 200 repetitions on it shows.
    assert growth_of_steps(read, unit, 200, prefix="@misc{k, x = {a", suffix=WHOLE) < 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", DAMAGE)
@pytest.mark.parametrize("prefix", ["", "@misc{k, x = {a", '@misc{k, x = "a', "@misc(k, "])
def test_repeated_damage_takes_time_by_its_length(prefix: str, unit: str) -> None:
    grown = growth_of_repetition(read, unit, prefix=prefix, suffix=WHOLE)
    assert grown is None or not grown.superlinear


def test_a_value_of_many_parts_is_read_in_steps_by_their_number() -> None:
    (reference,) = read("@misc{a, note = " + "x # " * 15_000 + "y")
    assert reference.raw["note"].endswith("xy")
    assert growth_of_steps(read, "x # ", prefix="@misc{a, note = ") < 5


class Further:
    """A reader that another package brings."""

    suffixes = frozenset((".ris", ".bib"))
    format = "a RIS file"
    lenient = True

    def reads(self, head: bytes) -> bool:
        return head.startswith(b"TY  - ")

    def read(self, path: str, data: bytes) -> Bibliography:
        raise NotImplementedError


def test_readers_are_found_by_suffix() -> None:
    assert BIBTEX in all_readers()
    assert reader_for("some/Refs.BIB") is BIBTEX
    assert reader_for("refs.epub") is None


@pytest.mark.parametrize("suffix", [".bib", ".bibtex", ".biblatex", ".BibTeX"])
def test_all_suffixes_of_bibtex_have_the_same_reader(suffix: str) -> None:
    assert reader_for(f"refs{suffix}") is BIBTEX


def test_a_further_reader_comes_before_the_own_ones(tmp_path: Path) -> None:
    further = Further()
    assert reader_for("refs.ris", further=[further]) is further
    assert reader_for("refs.bib", further=[further]) is further
    (tmp_path / "refs.bib").write_text("@misc{a}")
    assert reader_for(str(tmp_path / "refs.bib"), further=[further]) is BIBTEX
    assert ".ris" in why_unread("refs.epub", further=[further])
    assert "save it as .docx" in why_unread("paper.doc")
    (file := tmp_path / "refs.ris").write_text("no RIS")
    assert reader_for(str(file), further=[further]) is None
    assert why_unread(str(file), further=[further]) == f"{file} is neither a RIS file nor RIS"


# --- properties ----------------------------------------------------------------------------------------------------

_SOUP = st.lists(
    st.sampled_from(
        ["@article{", "@misc(", "@string{", "@comment{", "@", "key", ",", "=", " = ", "{", "}", ")", '"', "#", "%", "\n",
         "title", "author = {", "year = 2000", "crossref = {key}", "\\'e", "$", "jan", " ", "é", "\0", "\r\n", "<<<<<<<"]
    )
    | st.text(max_size=3),
    max_size=40,
).map("".join)  # fmt: skip


@given(_SOUP)
def test_any_text_is_read_and_every_start_of_an_entry_is_accounted_for(text: str) -> None:
    bibliography = read_bibtex("x", text.encode("utf-8", "replace"))
    assert not any(
        defect.message == "An entry begins here that was not read."
        for reference in bibliography.references
        for defect in reference.defects
    )
    places = [reference.location.line for reference in bibliography.references]
    assert places == sorted(places)
    assert all(reference.text.startswith("@") for reference in bibliography.references)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    read_bibtex("x", data)
    read_bibtex("x", b"@misc{a, title = {" + data)


_NAME = st.text(string.ascii_lowercase + "-_", min_size=1, max_size=12).filter(lambda name: name[0] != "-")
_KEY = st.text(string.ascii_letters + string.digits + ":/+.-_'éж", min_size=1, max_size=12)
_PLAIN = st.text(st.characters(exclude_characters="{}\"\\$~-`'#%@=\0\r", exclude_categories=["Cs", "Cc"]), max_size=30)
_FIELDS = st.dictionaries(_NAME.filter(lambda name: name not in ("crossref", "xdata")), _PLAIN, min_size=1, max_size=6)


@st.composite
def _entries(draw: st.DrawFn) -> tuple[list[tuple[str, dict[str, str]]], str]:
    """Some entries, with the raw values that they must have, and one of the many ways to write them."""
    drawn = draw(st.lists(st.tuples(_KEY, _FIELDS), max_size=4, unique_by=lambda pair: pair[0].lower()))
    entries = []
    text = ""
    for key, fields in drawn:
        opener, closer = draw(st.sampled_from([("{", "}"), ("(", ")"), (" {\n", "\n}")]))
        separator = draw(st.sampled_from([",", ", ", ",\n\t", "\n ,\r\n"]))
        equals = draw(st.sampled_from(["=", " = ", "\n=\t"]))
        grouped = draw(st.sets(st.sampled_from(sorted(fields))))
        raw = {name: "{" + value + "}" if name in grouped else value for name, value in fields.items()}
        quotes = {name: draw(st.sampled_from(["{}", '""'])) for name in fields}
        written = [name + equals + quotes[name][0] + raw[name] + quotes[name][1] for name in fields]
        text += f"@{draw(st.sampled_from(['article', 'MISC', 'InBook']))}{opener}{key}{separator}"
        text += separator.join(written) + draw(st.sampled_from(["", ",", ",\n"])) + closer
        text += draw(st.sampled_from(["\n", "", "\n\nsome text\n"]))
        entries.append((key, raw))
    return entries, text


@pytest.mark.exhaustive
@given(_entries())
def test_what_is_written_is_read_back(written: tuple[list[tuple[str, dict[str, str]]], str]) -> None:
    entries, text = written
    references = read(text)
    assert [(reference.key, reference.raw) for reference in references] == entries
    assert [codes(reference) for reference in references] == [[] for _ in entries]


_GOOD = (
    '@article{good1,\n  title = {A {B} "C"},\n  author = {Doe, J{\\"o}rn},\n  year = 2001\n}\n',
    '@misc(good2, title = "A {B} and {"}", month = may # "~3")\n',
    "@book{good3,\n\ttitle={T},\n\tpublisher={P},\n}\n",
)


@given(_SOUP.filter(lambda soup: "@comment" not in soup and "@string" not in soup), st.integers(0, 3))
def test_a_damaged_block_never_changes_how_its_neighbours_are_read(soup: str, place: int) -> None:
    damaged = "@article{bad,\n" + soup + "\n\n"
    blocks = [*_GOOD[:place], damaged, *_GOOD[place:]]
    alone = {reference.key: reference for reference in read("".join(_GOOD))}
    together = {reference.key: reference for reference in read("".join(blocks)) if reference.key.startswith("good")}
    assert {key: (each.fields, each.raw, each.text, each.defects) for key, each in together.items()} == {
        key: (each.fields, each.raw, each.text, each.defects) for key, each in alone.items()
    }


def test_the_same_bytes_give_the_same_references() -> None:
    assert read(MESSY) == read(MESSY)


@pytest.mark.parametrize(
    ("text", "kept", "said"),
    [
        ('@glossdef{gnu, word="gnu", definition="an animal"}\n@glossdef{a, word="a"}', [], "2 @glossdef"),
        ("@abbreviation{ml, short={ML}, long={machine learning}}\n@article{a, title={T}}", ["a"], "1 @abbreviation"),
        ("@control{achemso-control, ctrl-article-title={yes}}", [], "1 @control"),
        ("@CONTROL{REVTEX42Control}", [], "1 @control"),
        # A misspelt type has the fields of a work; a known type needs none.
        ("@in-book{a, title={T}}\n@tweet{b, author={A}}\n@misc{c, word={w}}", ["a", "b", "c"], ""),
        ("@xdata{x, location={Paris}}\n@set{s, entryset={a}}", ["x", "s"], ""),
    ],
)
def test_what_is_no_bibliography_is_passed_over_and_counted(text: str, kept: list[str], said: str) -> None:
    bibliography = read_bibtex("refs.bib", text.encode())
    assert [reference.key for reference in bibliography.references] == kept
    notes = [note.message for note in bibliography.notes if note.code == "no-bibliography"]
    assert [note.rpartition(": ")[2] for note in notes] == ([said] if said else [])


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Ann Lee, Bo Chen, and Cy Twombly", "Lee, Ann and Chen, Bo and Twombly, Cy"),
        (
            "Guohong Fu, Yu He, Jiaying Song and Chaoyue Wang",
            "Fu, Guohong and He, Yu and Song, Jiaying and Wang, Chaoyue",
        ),
        ("A. Lee, B. Chen, et al.", "Lee, A. and Chen, B. and others"),
        ("Lee, Ann; Chen, Bo", "Lee, Ann and Chen, Bo"),
        (r"Ann Lee \and Bo Chen", "Lee, Ann and Chen, Bo"),
        (r"Ann Lee \& Bo Chen", "Lee, Ann and Chen, Bo"),
        ("Lee, Ann and Chen, Bo", ""),
        ("van der Lee, Ann and Chen, Jr., Bo", ""),
        ("Lee, Ann and others", ""),
        (r"Klein, J. and O{\&}rsquo;Huigin, C.", ""),
        ("{Barnes & Noble, Inc.}", ""),
        ("Lee, A. M.", ""),
        ("Lee III, Ann G and Chen, Bo", ""),
    ],
)
def test_names_that_are_not_separated_by_and_are_a_warning_with_the_field_as_bibtex_wants_it(
    author: str, expected: str
) -> None:
    reference = read_bibtex("refs.bib", f"@misc{{a, author = {{{author}}}, title = {{T}}}}".encode()).references[0]
    assert [defect.code for defect in reference.defects] == (["name-separators"] if expected else [])
    finding = check_syntax(reference)
    assert finding.fixes == ({"author": expected} if expected else {})
    assert DEFAULT.severity(finding, PolicyContext()) == ("warning" if expected else "ignore")


@pytest.mark.parametrize("stuck", ["p", "L", "the", "}p"])
@pytest.mark.parametrize("before", ["", "@article{b, title={B}}\n", "@article{b, title={B}}\n\n  "])
def test_letters_before_an_entry_lose_nothing(stuck: str, before: str) -> None:
    *_, last = read(f"{before}{stuck}@article{{a, title={{T}}, year=2000}}\n@misc{{c, title={{C}}}}")[
        : 2 if before else 1
    ]
    assert (last.key, last.fields) == ("a", {"title": "T", "year": "2000"})
    assert [(defect.code, defect.message) for defect in last.defects] == [
        ("stray-text", f"unexpected text “{stuck.strip('}')}” before the entry")
    ]


@pytest.mark.parametrize(
    "text", ["me@article.org{x, title=", "someone@example{a, title={T}}", "verylongname@article{a, title={T}}"]
)
def test_an_address_is_no_entry(text: str) -> None:
    assert read(text) == ()


HEADED = "@inproceedings{a,\n  author = {A One},\n  title = {First},\n  year = {2020},\n}\n"


@pytest.mark.parametrize(
    "headless",
    [
        "\n  author = {B Two},\n  title = {Second},\n  doi = {10.1/b},\n}\n",
        "  author = {B Two},\n  title = {Second},\n  doi = {10.1/b},\n}\n",
        "\n  doi = {10.1/b},\n  title = {Second},\n}\n",
        "\n  doi = {10.1/b},\n  isbn = {1},\n}\n",
    ],
)
def test_an_entry_without_a_head_lends_no_field_to_its_neighbour(headless: str) -> None:
    first, last = read(f"{HEADED}{headless}\n@misc{{z, title={{Z}}}}")
    assert first.fields == {"author": "A One", "title": "First", "year": "2020"}
    assert (last.key, last.fields) == ("z", {"title": "Z"})


def test_an_entry_that_is_closed_too_early_keeps_its_last_fields() -> None:
    (one,) = read("@article{a,\n  author = {A One},\n  title = {First}}\n  year = {2020},\n  doi = {10.1/a},\n}\n")
    assert one.fields == {"author": "A One", "title": "First", "year": "2020", "doi": "10.1/a"}
