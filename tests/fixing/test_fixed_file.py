"""Corrections in the bytes of a file: the rest of the file stays unchanged, in every encoding and style."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.fixing import Correction, FixedFile, as_latex, fixed_file
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.matching import decode

ENTRY = """% a remark, é
@string{jmlr = "Journal of Machine Learning Research"}
free text @ nowhere
@article{key,
  author = {Müller, A. and Jones, B.},
  TITLE  = "The {DNA} of $x_1$",
  journal = jmlr # " B",   % no comment in BibTeX
  year=2001, volume = {3},
}
@misc{next, title={T},year={2001}}
"""
SOUND = ENTRY.replace("   % no comment in BibTeX", "")


def fixed(data: bytes, **fixes: str) -> FixedFile:
    references = read_bibtex("refs.bib", data).references
    found = [Correction(name, value, "title", "code", ("Crossref",)) for name, value in fixes.items()]
    return fixed_file("refs.bib", data, {0: (references[0], found)})


def replaced(text: str, **fixes: str) -> str:
    return fixed(text.encode(), **fixes).data.decode()


@pytest.mark.parametrize(
    ("fixes", "before", "after"),
    [
        ({"year": "1999"}, "year=2001, v", "year=1999, v"),
        ({"volume": "4"}, "{3}", "{4}"),
        ({"title": "The RNA of x1 & y"}, '"The {DNA} of $x_1$"', '"The {RNA} of $x_1$ \\& y"'),
        ({"journal": "Nature"}, 'jmlr # " B"', "{Nature}"),
        ({"journal": "Journal of Machine Learning Research"}, 'jmlr # " B"', "jmlr"),
        ({"author": "Müller, A. and Özil, Mesut"}, "Jones, B.", "Özil, Mesut"),
        ({"volume": ""}, " volume = {3},\n", "\n"),
        ({"journal": ""}, '  journal = jmlr # " B",\n', ""),
        ({"doi": "10.1/a_b"}, "volume = {3},\n", "volume = {3}, doi = {10.1/a_b},\n"),
    ],
    ids=["number", "braces", "quotes", "concatenation", "macro", "names", "dropped", "dropped-line", "added"],
)
def test_only_the_value_changes(fixes: dict[str, str], before: str, after: str) -> None:
    assert replaced(SOUND, **fixes) == SOUND.replace(before, after, 1)


VENUES = """@string{proc = "Proceedings of the "}
@string{icml = "International Conference on Machine Learning"}
@string{nips = {NeurIPS}}
@string{kdd19 = "KDD 2019"}
"""


@pytest.mark.parametrize(
    ("written", "value", "after"),
    [
        ("nips", "ICML", "icml"),
        ("nips", "Knowledge Discovery and Data Mining", "kdd19"),
        ("nips", "European Conference on Computer Vision", "{European Conference on Computer Vision}"),
        ("proc # nips", "Proceedings of the International Conference on Machine Learning", "icml"),
        ("proc # nips", "European Conference on Computer Vision", "{European Conference on Computer Vision}"),
        ("undefined", "ECCV", "{ECCV}"),
        ('"NeurIPS"', "ICML", "icml"),
    ],
)
def test_a_macro_becomes_that_of_the_right_venue_or_its_text(written: str, value: str, after: str) -> None:
    entry = VENUES + "@inproceedings{a, author={A B}, title={T}, booktitle = %s, year = 2019}\n"
    result = fixed((entry % written).encode(), booktitle=value)
    assert (result.data.decode(), dict(result.refused)) == (entry % after, {})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_encodings_and_line_ends_stay(encoding: str, ends: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    text = SOUND.replace("\n", ends)
    data = mark + text.encode(encoding)
    result = fixed(data, author="Müller, A. and Özil, Mesut", year="1999")
    new = r"{\"O}zil, Mesut" if encoding == "cp1252" else "Özil, Mesut"  # a guessed encoding gets ASCII alone
    expected = text.replace("Jones, B.", new).replace("year=2001, v", "year=1999, v", 1)
    assert result.data == mark + expected.encode(encoding)
    assert result.written == (0,)


def test_a_badly_written_or_inherited_field_is_refused() -> None:
    assert fixed(ENTRY.encode(), year="1999").refused == {0: "the entry is malformed"}
    child = b"@inproceedings{c, title={T}, crossref={p}}\n@proceedings{p, title={P}, year={2001}}\n"
    result = fixed(child, year="1999")
    assert result.data == child
    assert result.refused == {0: "`year` is inherited from another entry"}
    assert fixed(SOUND.encode(), title="}").refused == {0: "the value of `title` contains a brace or a backslash"}


def test_a_new_field_is_written_like_the_last_one() -> None:
    text = "@article{k,\r\n\ttitle     = {T},\r\n\tyear      = {2001}\r\n}\r\n"
    assert replaced(text, doi="10.1/x") == text.replace("{2001}", "{2001},\r\n\tdoi       = {10.1/x}")
    assert replaced("@misc{k, title={T}}", year="2001") == "@misc{k, title={T}, year={2001}}"


@pytest.mark.parametrize(
    ("cited", "right", "after"),
    [
        ("{Deep {ResNet} Learning}", "Deep ResNet learnings", "{Deep {ResNet} Learnings}"),
        (
            "{Deep residual learning of\n    images}",
            "Deep residual learning for images",
            "{Deep residual learning for images}",
        ),
        ("{{Deep Residual Learning}}", "Deep Residual Training", "{{Deep Residual Training}}"),
        ("{A Survey of {GAN}s}", "A Survey of ChatGPT: Models", "{A Survey of {ChatGPT}: Models}"),
        (
            "{Elements of Sparse Learning: Data and {ML}}",
            "Elements of Statistical Learning",
            "{Elements of Statistical Learning: Data and {ML}}",
        ),
        (
            "{No Silver Bullets: Essence and Accidents}",
            "No Silver Bullet Essence and Accidents",
            "{No Silver Bullet Essence and Accidents}",
        ),
        ("{Deep Learning: Invented}", "Deep Learning", "{Deep Learning}"),
        ("{Invented from End to End}", "XGBoost", "{XGBoost}"),
        (r"{Le{\'o}n and \emph{E. coli} grow}", "León and E. coli shrink", r"{Le{\'o}n and E. coli shrink}"),
    ],
)
def test_cited_words_that_are_right_stay(cited: str, right: str, after: str) -> None:
    text = f"@misc{{k, title = {cited}}}"
    assert replaced(text, title=right) == f"@misc{{k, title = {after}}}"


@given(
    st.text(st.sampled_from("abcßæøåłıéèêëñōžçąŐőḍ“”Øš"), max_size=20), st.sampled_from(["braced", "argument", "both"])
)
def test_letters_as_commands_read_as_the_same_letters(text: str, form: str) -> None:
    written = as_latex(text, form)  # type: ignore[arg-type]
    assert written.isascii()
    assert decode(written) == text
