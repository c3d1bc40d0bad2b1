"""Damaged, unusual and legal BibTeX by class: expected entries and defects.

Every case is read alone, with three kinds of line ends, and between two sound entries, which must stay unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pytest_citecheck.inputs import read_bibtex


@dataclass(frozen=True)
class Entry:
    """Expected reference: key, fields (all of ``fields`` must be present), exact set of defect codes."""

    key: str
    fields: dict[str, str] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    line: int = 1


@dataclass(frozen=True)
class Case:
    """A class of defect or of unusual writing."""

    name: str
    source: str
    entries: tuple[Entry, ...]


def entry(key: str, *codes: str, line: int = 1, **fields: str) -> Entry:
    return Entry(key, fields, frozenset(codes), line)


CASES = (
    # --- damaged -----------------------------------------------------------------------------------------------
    Case(
        "comma missing between fields",
        "@article{a,\n  author = {X and Y}\n  title = {T}\n  year = 2000\n  doi = {10.1/x}\n}",
        (entry("a", "missing-comma", author="X and Y", title="T", year="2000", doi="10.1/x"),),
    ),
    Case(
        "comma missing on one line",
        '@article{a, author = "X" title = {T}, year = 2000 doi = {10.1/x}}',
        (entry("a", "missing-comma", author="X", title="T", year="2000", doi="10.1/x"),),
    ),
    Case(
        "comma missing behind the key",
        "@article{a\n  title = {T},\n  year = 2000\n}",
        (entry("a", "missing-comma", title="T", year="2000"),),
    ),
    Case(
        "double comma",
        "@article{a,\n  title = {T},,\n  year = {2000},\n  , doi = {10.1/x},\n}",
        (entry("a", "double-comma", title="T", year="2000", doi="10.1/x"),),
    ),
    Case("double comma behind the key", "@article{a,, title = {T}}", (entry("a", "double-comma", title="T"),)),
    Case(
        "equals sign missing",
        "@article{a,\n  title {T},\n  author \"X\",\n  year = 2000\n}",
        (entry("a", "missing-equals", title="T", author="X", year="2000"),),
    ),
    Case(
        "colon instead of equals sign",
        "@article{a,\n  title: {T},\n  year = 2000\n}",
        (entry("a", "missing-equals", title="T", year="2000"),),
    ),
    Case(
        "key twice",
        "@article{a, title = {T}}\n@book{a, title = {U}}\n@book{a, title = {V}}",
        (
            entry("a", title="T"),
            entry("a", "duplicate-key", title="U", line=2),
            entry("a", "duplicate-key", title="V", line=3),
        ),
    ),
    Case(
        "field twice",
        "@article{a, title = {T}, title = {U}, year = 2000}",
        (entry("a", "duplicate-field", title="T", year="2000"),),
    ),
    Case(
        "macro undefined",
        "@article{a, title = {T}, journal = tpami, year = 2000}",
        (entry("a", "undefined-macro", title="T", journal="tpami", year="2000"),),
    ),
    Case(
        "macro defined too late",
        "@article{a, journal = zzz}\n@string{zzz = {Zzz Letters}}",
        (entry("a", "undefined-macro", journal="Zzz Letters"),),
    ),
    Case("key missing", "@misc{, title = {T}}", (entry("", "missing-key", title="T"),)),
    Case("key and comma missing", "@misc{title = {T}, year = 2000}", (entry("", "missing-key", title="T"),)),
    Case("key missing, equals sign too", "@misc{title {T}}", (entry("", "missing-key", "missing-equals", title="T"),)),
    Case(
        "key in braces",
        "@misc{{a}, title = {T}}",
        (entry("a", "malformed-key", title="T"),),
    ),
    Case("key in quotation marks", '@misc{"a", title = {T}}', (entry("a", "malformed-key", title="T"),)),
    Case("type missing", "@{a, title = {T}}", (entry("a", "missing-type", title="T"),)),
    Case(
        "inner brace never closed",
        "@article{a,\n  title = {A {B},\n  author = {X},\n  year = 2000\n}",
        (entry("a", "unbalanced-braces", title="A B", author="X", year="2000"),),
    ),
    Case(
        "inner brace never closed, on one line",
        "@article{a, title = {A {B}, author = {X}, year = {2000}}",
        (entry("a", "unbalanced-braces", title="A B", author="X", year="2000"),),
    ),
    Case(
        "inner brace never closed, in the last field",
        "@article{a,\n  year = 2000,\n  title = {A {B {C}\n}",
        (entry("a", "unbalanced-braces", title="A B C", year="2000"),),
    ),
    Case(
        "unknown command never closed",
        "@article{a,\n  title = {A \\textbf{B},\n  year = 2000,\n}",
        (entry("a", "unbalanced-braces", title="A B", year="2000"),),
    ),
    Case(
        "accent cut off",
        "@article{a,\n  author = {Herv{\\'e and Li, B.},\n  title = {T},\n}",
        (entry("a", "unbalanced-braces", author="Hervé and Li, B.", title="T"),),
    ),
    Case(
        "accent cut off at the end of the list",
        "@article{a,\n  author = {Li, B. and Herv{\\'e},\n  title = {T},\n}",
        (entry("a", "unbalanced-braces", author="Li, B. and Hervé", title="T"),),
    ),
    Case(
        "accent cut off and nothing closed",
        "@article{a,\n  title = {T},\n  author = {Li, B. and Herv{\\'e\n",
        (entry("a", "unreadable-entry", "unclosed-value", "unclosed-entry", title="T"),),
    ),
    Case(
        "brace of a value missing",
        "@article{a,\n  title = {T,\n  author = {X},\n  year = 2000\n}",
        (entry("a", "unclosed-value", title="T", author="X", year="2000"),),
    ),
    Case(
        "brace and comma of a value missing",
        "@article{a,\n  title = {T\n  author = {X},\n  year = 2000\n}",
        (entry("a", "unclosed-value", "missing-comma", title="T", author="X", year="2000"),),
    ),
    Case(
        "brace of a value missing and one too many behind",
        "@article{a,\n  title = {T,\n  author = {X}},\n  year = 2000\n}",
        (entry("a", "unclosed-value", "extra-brace", title="T", author="X", year="2000"),),
    ),
    Case(
        "brace of the last value missing",
        "@article{a,\n  title = {T},\n  year = {2000\n}",
        (entry("a", "unclosed-entry", title="T", year="2000"),),
    ),
    Case(
        "quotation mark of a value missing",
        '@article{a,\n  title = "T,\n  author = "X",\n  year = "2000"\n}',
        (entry("a", "unclosed-value", title="T", author="X", year="2000"),),
    ),
    Case(
        "quotation mark missing before a braced field",
        '@article{a,\n  title = "T,\n  author = {X},\n  year = 2000\n}',
        (entry("a", "unclosed-value", title="T", author="X", year="2000"),),
    ),
    Case(
        "quotation mark opens and brace closes",
        '@article{a,\n  title = "T},\n  author = {X},\n  year = 2000\n}',
        (entry("a", "unbalanced-braces", title="T", author="X", year="2000"),),
    ),
    Case(
        "brace opens and quotation mark closes",
        '@article{a,\n  title = {T",\n  author = {X},\n  year = 2000\n}',
        (entry("a", "unclosed-value", title="T", author="X", year="2000"),),
    ),
    Case(
        "bare quotation marks in a quoted value",
        '@article{a,\n  title = "The "best" of T",\n  year = 2000\n}',
        (entry("a", "quote-in-value", title='The "best" of T', year="2000"),),
    ),
    Case(
        "quoted accent outside braces",
        '@article{a,\n  author = "K. G\\"odel",\n  year = 2000\n}',
        (entry("a", "quote-in-value", author="K. Gödel", year="2000"),),
    ),
    Case(
        "entry never closed",
        "@article{a,\n  title = {T},\n  year = {2000}\n\n@article{b, title = {U}}",
        (entry("a", "unclosed-entry", title="T", year="2000"), entry("b", title="U", line=5)),
    ),
    Case(
        "entry never closed, comma at its end",
        "@article{a,\n  title = {T},\n  year = 2000,\n\n@article{b, title = {U}}",
        (entry("a", "unclosed-entry", title="T", year="2000"), entry("b", title="U", line=5)),
    ),
    Case(
        "entry closed too early",
        "@article{a,\n  title = {T}},\n  author = {X},\n  year = 2000\n}",
        (entry("a", "extra-brace", title="T", author="X", year="2000"),),
    ),
    Case(
        "brace too many inside a value",
        "@article{a,\n  title = {T} and U},\n  year = 2000\n}",
        (entry("a", "extra-brace", title="T and U", year="2000"),),
    ),
    Case(
        "brace too many inside the last value",
        "@article{a,\n  year = 2000,\n  title = {T} and U}\n}",
        (entry("a", "extra-brace", title="T and U", year="2000"),),
    ),
    Case("brace too many at the end", "@article{a, title = {T}}}", (entry("a", "extra-brace", title="T"),)),
    Case(
        "text behind a value",
        "@article{a,\n  title = {T} junk,\n  year = 2000\n}",
        (entry("a", "stray-text", title="T", year="2000"),),
    ),
    Case(
        "text where a field is due",
        "@article{a,\n  title = {T},\n  some words here,\n  year = {2000}\n}",
        (entry("a", "stray-text", title="T", year="2000"),),
    ),
    Case(
        "comment inside an entry",
        "@article{a,\n  title = {T}, % the title\n  % year = {1999},\n  year = {2000} % at last\n}",
        (entry("a", "comment-in-entry", title="T", year="2000"),),
    ),
    Case(
        "conflict of a merge",
        "@article{a,\n  title = {T},\n<<<<<<< HEAD\n  year = {2000},\n=======\n  year = {2001},\n>>>>>>> x\n}",
        (entry("a", "git-conflict-marker", "duplicate-field", title="T", year="2000"),),
    ),
    Case("NUL characters", "@article{a,\n title = {T\0U}\n}", (entry("a", "nul-byte", title="TU"),)),
    Case(
        "value without delimiters",
        "@article{a,\n  journal = Nature Physics,\n  pages = 12--15,\n  doi = 10.1/x(1),\n  year = 2000\n}",
        (entry("a", "unquoted-value", journal="Nature Physics", pages="12--15", doi="10.1/x(1)", year="2000"),),
    ),
    Case(
        "typographic quotation marks",
        "@article{a,\n  title = “T of U”,\n  author = 'X',\n  year = 2000\n}",
        (entry("a", "unquoted-value", title="T of U", author="X", year="2000"),),
    ),
    Case(
        "value missing",
        "@article{a,\n  title = ,\n  year = 2000,\n  doi =\n}",
        (entry("a", "missing-value", title="", year="2000", doi=""),),
    ),
    Case(
        "blank in a field name",
        "@article{a,\n  Date Added = {2001-01-01},\n  title = {T}\n}",
        (Entry("a", {"title": "T", "date-added": "2001-01-01"}, frozenset({"blank-in-field-name"})),),
    ),
    Case(
        "parenthesis closed with a brace",
        "@article(a, title = {T}, year = 2000}",
        (entry("a", "mismatched-delimiter", title="T", year="2000"),),
    ),
    Case(
        "brace closed with a parenthesis",
        "@article{a, title = {T}, year = 2000)",
        (entry("a", "mismatched-delimiter", title="T", year="2000"),),
    ),
    Case(
        "crossref to nothing",
        "@inproceedings{a, title = {T}, crossref = {zz}}",
        (entry("a", "crossref-missing", title="T"),),
    ),
    Case(
        "crossref in a circle",
        "@book{a, title = {T}, crossref = {b}}\n@book{b, year = 2000, crossref = {a}}",
        (entry("a", title="T", year="2000"), entry("b", "crossref-cycle", year="2000", line=2)),
    ),
    Case("crossref to itself", "@book{a, crossref = {a}}", (entry("a", "crossref-cycle"),)),
    Case(
        "xdata in a circle",
        "@xdata{a, publisher = {P}, xdata = {b}}\n@xdata{b, xdata = {a}, location = {L}}",
        (entry("a", publisher="P", location="L"), entry("b", "xdata-cycle", location="L", line=2)),
    ),
    Case("xdata missing", "@misc{a, xdata = {zz}, title = {T}}", (entry("a", "xdata-missing", title="T"),)),
    Case(
        "granular xdata missing",
        "@misc{a, title = {xdata=zz-title}}\n@misc{b, title = {xdata=x-title}}\n@xdata{x, note = {N}}",
        (
            entry("a", "xdata-missing", title="xdata=zz-title"),
            entry("b", "xdata-missing", title="xdata=x-title", line=2),
            entry("x", note="N", line=3),
        ),
    ),
    Case(
        "granular xdata in a circle",
        "@misc{a, note = {xdata=b-note}}\n@misc{b, note = {xdata=a-note}}",
        (
            entry("a", note="xdata=a-note"),
            entry("b", "xdata-cycle", note="xdata=a-note", line=2),
        ),
    ),
    Case(
        "member of a set missing",
        "@set{a, entryset = {b, zz}}\n@misc{b, title = {T}}",
        (entry("a", "entryset-missing", entryset="b, zz"), entry("b", title="T", line=2)),
    ),
    Case(
        "entry in brackets",
        "@article[a, title={T}, year=2000]\n@misc{b, title = {U}}\n  @article[c,\n  title = {V}\n]",
        (entry("a", "unreadable-entry"), entry("b", title="U", line=2), entry("c", "unreadable-entry", line=3)),
    ),
    Case("cut off behind the key", "@article{a,\n", (entry("a", "unreadable-entry", "unclosed-entry"),)),
    Case("cut off in the key", "@article{a", (entry("a", "unreadable-entry", "unclosed-entry"),)),
    Case(
        "cut off in a field name",
        "@article{a,\n  title = {T},\n  auth",
        (entry("a", "stray-text", "unclosed-entry", title="T"),),
    ),
    Case(
        "prose instead of fields",
        "@article{a, nothing but some words here }",
        (entry("a", "unreadable-entry", "stray-text"),),
    ),
    Case(
        "equals sign twice",
        "@article{a,\n  title = = {T},\n  year == 2000\n}",
        (entry("a", "double-equals", title="T", year="2000"),),
    ),
    Case(
        "equals sign missing before a bare value",
        "@article{a,\n  year 2000,\n  month jun\n}",
        (entry("a", "missing-equals", year="2000", month="June"),),
    ),
    Case(
        "opening brace of a value missing",
        "@article{a,\n  title = Time, Clocks, and T},\n  author = X, Y.},\n  year = {2000}\n}",
        (entry("a", "unopened-value", title="Time, Clocks, and T", author="X, Y.", year="2000"),),
    ),
    Case(
        "brace too many before a comma of the value",
        "@article{a,\n  author = {Ng{\\^o}}, Bao Ch{\\^a}u},\n  title = {T}\n}",
        (entry("a", "extra-brace", author="Ngô, Bao Châu", title="T"),),
    ),
    Case(
        "brace inside the key",
        "@article{a}b,\n  title = {T},\n  year = 2000\n}",
        (entry("a", "extra-brace", title="T", year="2000"),),
    ),
    Case(
        "brace inside a field name",
        "@article{a,\n  title = {T},\n  pa}ges = {1},\n  year = 2000\n}",
        (entry("a", "extra-brace", "stray-text", title="T", year="2000"),),
    ),
    Case(
        "@ before a field name",
        "@article{a,\n  title = {T},\n  @year = 2000\n}",
        (entry("a", "stray-text", title="T", year="2000"),),
    ),
    Case(
        "last value takes the comma",
        "@article{a,\n  title = {T},\n  year = {2000,\n}",
        (entry("a", "unclosed-entry", title="T", year="2000"),),
    ),
    Case(
        "opening delimiter of the entry missing",
        "@inproceedingsa2000,\n  title = {T},\n  year = 2000\n}",
        (entry("a2000", "unreadable-entry"),),
    ),
    Case(
        "type of the entry damaged",
        "@arti,cle{a,\n  title = {T},\n  year = 2000\n}",
        (entry("a", "unreadable-entry"),),
    ),
    # --- unusual, but right ------------------------------------------------------------------------------------
    Case(
        "@ at the start of a line in a value",
        "@article{a,\n  abstract = {See\n@foo bar {x} and\n@misc{y} there.},\n  year = 2000\n}",
        (entry("a", "stray-at", abstract="See @foo bar {x} and @misc{y} there.", year="2000"),),
    ),
    Case(
        "a whole entry in a value",
        "@article{a,\n  note = {Cite as\n@misc{y, title = {U}} please},\n  year = 2000\n}",
        (entry("a", "stray-at", note="Cite as @miscy, title = U please", year="2000"),),
    ),
    Case("parentheses", "@article(a, title = {T (1)}, year = 2000)", (entry("a", title="T (1)", year="2000"),)),
    Case("parentheses without fields", "@misc(a)", (entry("a"),)),
    Case("no fields", "@misc{a}\n@misc{b,}", (entry("a"), entry("b", line=2))),
    Case(
        "everything in capitals",
        "@ARTICLE{A, TITLE = {T}, YEAR = 2000}",
        (entry("A", title="T", year="2000"),),
    ),
    Case("blanks everywhere", "@ article\n {\n a\n,\n title\n=\n{T}\n,\n}", (entry("a", title="T"),)),
    Case("punctuation in the key", "@misc{a:b/1+2(c).d'e, title = {T}}", (entry("a:b/1+2(c).d'e", title="T"),)),
    Case("blank in the key", "@misc{Smith et al 2020, title = {T}}", (entry("Smith et al 2020", title="T"),)),
    Case("equals sign in the key", "@misc{a=b, title = {T}}", (entry("a=b", title="T"),)),
    Case("Unicode in key and text", "@misc{ключ2020, title = {Война и мир}}", (entry("ключ2020", title="Война и мир"),)),
    Case(
        "concatenation and macros",
        '@string{p = "Proc. of " # {NAACL}}\n@inproceedings{a, booktitle = P # " 2019", month = jun # "~3"}',
        (entry("a", booktitle="Proc. of NAACL 2019", month="June 3", line=2),),
    ),
    Case("macro of the standard styles", "@article{a, journal = jacm}", (entry("a", journal="Journal of the ACM"),)),
    Case(
        "journal as a command",
        "@article{a, journal = {\\mnras}}",
        (entry("a", journal="Monthly Notices of the Royal Astronomical Society"),),
    ),
    Case(
        "quotation marks in braces",
        '@misc{a, title = "G{\\"o}del says {"}T{"}", year = "2000"}',
        (entry("a", title='Gödel says "T"', year="2000"),),
    ),
    Case("several fields on a line", "@misc{a,title={T},author={X},year=2000}", (entry("a", title="T", author="X"),)),
    Case("empty fields", "@misc{a, title = {}, year = {}}", (entry("a", title="", year=""),)),
    Case(
        "entries on one line",
        "@misc{a, title = {T}} @misc{b, title = {U}}@misc{c, title = {V}}",
        (entry("a", title="T"), entry("b", title="U"), entry("c", title="V")),
    ),
    Case(
        "comments and text between entries",
        "Mail me@example.org or see \\@foo{x}.\n% @article{no, title = {x}}\n@misc{a, title = {T}}\n"
        "@comment{@misc{b, title = {U}}\n@misc{c, title = {V}}}\n@preamble{\"\\newcommand{x}\"}",
        (entry("a", title="T", line=3),),
    ),
    Case(
        "children before and behind the parent",
        "@inproceedings{a, title = {T}, crossref = {P}}\n"
        "@proceedings{p, title = {Proc}, year = 2000, doi = {10.1/p}, editor = {E}}\n"
        "@inproceedings{b, title = {U}, year = 2001, crossref = {p}}",
        (
            entry("a", title="T", booktitle="Proc", year="2000", editor="E"),
            entry("p", title="Proc", year="2000", doi="10.1/p", line=2),
            entry("b", title="U", booktitle="Proc", year="2001", line=3),
        ),
    ),
    Case(
        "granular xdata",
        "@inproceedings{a, author = {xdata=x-author-2 and de la Cruz, Jr, Jo}, title = {xdata=x-title}, xdata = {y}}\n"
        "@article{b, author = {xdata=x-author}, publisher = {xdata=y-publisher-1}}\n"
        "@xdata{x, author = {Ann Smith and Bob {von Tester}}, title = {T}}\n@xdata{y, publisher = {xdata=z-publisher-2}}\n"
        "@xdata{z, publisher = {P and {Q and R}}}",
        (
            entry("a", author="Bob von Tester and de la Cruz, Jr, Jo", title="T", publisher="Q and R"),
            entry("b", author="Ann Smith and Bob von Tester", publisher="Q and R", line=2),
            entry("x", author="Ann Smith and Bob von Tester", title="T", line=3),
            entry("y", publisher="Q and R", line=4),
            entry("z", publisher="P and Q and R", line=5),
        ),
    ),
    Case(
        "chain of crossrefs",
        "@inproceedings{a, title = {T}, crossref = {p}}\n@proceedings{p, title = {P}, subtitle = {S}, crossref = {q}}\n"
        "@mvproceedings{q, title = {Q}, volume = 3}",
        (
            entry("a", title="T", booktitle="P", booksubtitle="S", maintitle="Q", volume="3"),
            entry("p", title="P", subtitle="S", maintitle="Q", volume="3", line=2),
            entry("q", title="Q", volume="3", line=3),
        ),
    ),
    Case(
        "chained xdata",
        "@misc{a, title = {T}, xdata = {x, y}}\n@xdata{x, xdata = {z}, publisher = {P}}\n@xdata{y, note = {N}}\n"
        "@xdata{z, location = {L}, publisher = {Q}}",
        (
            entry("a", title="T", publisher="P", note="N", location="L"),
            entry("x", publisher="P", location="L", line=2),
            entry("y", note="N", line=3),
            entry("z", publisher="Q", line=4),
        ),
    ),
    Case(
        "names of biblatex",
        "@online{a, journaltitle = {J}, date = {2016-01-28}, eprinttype = {arxiv}, eprint = {1601.00001}}",
        (entry("a", journaltitle="J", date="2016-01-28", eprinttype="arxiv", eprint="1601.00001"),),
    ),
    Case(
        "percent signs and underscores in identifiers",
        "@misc{a, url = {https://x.org/a%20b_c~d}, doi = {10.1/a\\_b}, title = {100\\% of 50%}}",
        (entry("a", url="https://x.org/a%20b_c~d", doi="10.1/a_b", title="100% of 50%"),),
    ),
)  # fmt: skip

_BEFORE = "@article{before,\n  title = {Before {A}},\n  year = 1999\n}\n\n"
_AFTER = '\n\n@article{after,\n  title = "After {B}",\n  month = may\n}\n'


def _read(source: str) -> list[Entry]:
    return [
        Entry(
            reference.key,
            dict(reference.fields),
            frozenset(defect.code for defect in reference.defects),
            reference.location.line,
        )
        for reference in read_bibtex("refs.bib", source.encode()).references
    ]


def _check(found: list[Entry], expected: tuple[Entry, ...]) -> None:
    assert [(each.key, each.codes, each.line) for each in found] == [
        (each.key, each.codes, each.line) for each in expected
    ]
    for each, wanted in zip(found, expected, strict=True):
        assert {name: each.fields.get(name) for name in wanted.fields} == wanted.fields


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    for line_end in ("\n", "\r\n", "\r"):
        _check(_read(case.source.replace("\n", line_end)), case.entries)
    # The neighbours stay what they are.
    before, *_, after = _read(_BEFORE + case.source + _AFTER)
    assert before == entry("before", title="Before A", year="1999")
    line = (_BEFORE + case.source + _AFTER[:2]).count("\n") + 1
    assert after == entry("after", title="After B", month="May", line=line)


def test_every_message_is_a_phrase_of_its_own() -> None:
    references = [one for case in CASES for one in read_bibtex("refs.bib", case.source.encode()).references]
    for reference in references:
        for defect in reference.defects:
            assert not defect.message.endswith((".", ";"))
            assert not defect.message[0].isupper() or defect.message.startswith("BibTeX")
            assert "refs.bib" not in defect.message
            assert defect.fatal == (defect.code == "unreadable-entry")
            assert defect.note == (defect.code == "stray-at")
            assert reference.location.line <= defect.line <= reference.location.end_line


def test_the_corpus_is_as_broad_as_it_claims() -> None:
    damaged = [case for case in CASES if any(each.codes - {"stray-at"} for each in case.entries)]
    assert len(damaged) >= 40
    assert len({case.name for case in CASES}) == len(CASES)
