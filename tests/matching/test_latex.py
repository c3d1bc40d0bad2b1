"""LaTeX markup to readable Unicode."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import decode, unescape


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # accents in all spellings
        (r"Mat\'\ias", "Matías"), (r"Ma\u\ic", "Maĭc"),
        (r"{\"o}", "ö"), (r"\"{o}", "ö"), (r"\"o", "ö"), (r"{\"{o}}", "ö"), (r"\" o", "ö"), (r"{\" {o}}", "ö"),
        (r"\v{s}", "š"), (r"{\v s}", "š"), (r"\v s", "š"), (r"{\H u}", "ű"), (r"\H{o}", "ő"), (r"\c{c}", "ç"),
        (r"\c c", "ç"), (r"\c{S}", "Ş"), (r"\k{a}", "ą"), (r"\.{I}", "İ"), (r"\.{z}", "ż"), (r"\u{g}", "ğ"),
        (r"\r{a}", "å"), (r"\=a", "ā"), (r"\d{s}", "ṣ"), (r"\b{d}", "ḏ"), (r"\~n", "ñ"), (r"\^{\i}", "î"),
        (r"\'\i", "í"), (r"\'{\i}", "í"), (r"{\'\i}", "í"), (r"\'i", "í"), (r"\.{i}", "i"), (r"\v{\j}", "ǰ"),
        (r"\t{oo}", "o͡o"), (r"\'{\^e}", "ế"), (r"\'\^e", "ế"), (r"Nguy\~{\^e}n", "Nguyễn"), (r"\`{E}", "È"),
        # letters
        (r"\L{}ukasz", "Łukasz"), (r"Stra\ss e", "Straße"), (r"Stra{\ss}e", "Straße"), (r"\o stergaard", "østergaard"),
        (r"{\O}stergaard", "Østergaard"), (r"\AA ngstr\"om", "Ångström"), (r"\aa", "å"), (r"\ae{}on", "æon"),
        (r"{\OE}uvre", "Œuvre"), (r"{\i}", "ı"), (r"\dh\th\dj\ng", "ðþđŋ"),
        # dashes, quotation marks, blanks, signs
        ("a--b---c", "a–b—c"), ("``x''", "“x”"), ("?`Que?", "¿Que?"), ("!`Si!", "¡Si!"), ("Foo~Bar", "Foo Bar"),
        (r"A \& B, 5\% of \$3, \#1, a\_b, \{x\}", "A & B, 5% of $3, #1, a_b, {x}"), (r"J.\,Smith\ Jr.", "J. Smith Jr."),
        (r"hyphen\-ation\/", "hyphenation"), (r"one\\two", "one two"), ("50% faster", "50% faster"),
        (r"a\slash b", "a/b"), (r"\textregistered\ and \copyright", "® and ©"), (r"\ldots", "…"), (r"\~{}x", "~x"),
        (r"caf\'e.", "café."), (r"\textquoteright", "’"), (r"\LaTeX{} and \BibTeX", "LaTeX and BibTeX"),
        # formatting vanishes, arguments stay
        (r"\emph{x} y", "x y"), (r"\textit{x}", "x"), (r"\textsc{Bert}", "Bert"), (r"{\em x} y", "x y"),
        (r"{\bf x}", "x"), (r"{BERT}: {P}re-training", "BERT: Pre-training"), (r"\unknowncommand{x}", "x"),
        (r"\unknown[opt]{x}", "x"), (r"\mbox{x}", "x"), (r"\enquote{x}", "“x”"), (r"\textcolor{red}{x}", "x"),
        (r"x\footnote{y}", "x"), (r"{\noopsort{b}}x", "x"), (r"\MakeLowercase x", "x"), (r"\section*{x}", "x"),
        # commands of two and three arguments: what is printed is one of them
        (r"\texorpdfstring{$L^2$ norms}{L2 norms} of \texorpdfstring{{A}}{B} c", "L2 norms of A c"), (r"\texorpdfstring{a}", "a"),
        (r"\colorbox{red}{x} y", "x y"), (r"\fcolorbox{red}{blue}{x} y", "x y"), (r"\resizebox{3pt}{!}{x} y", "x y"),
        (r"\hyperlink{target}{x} y", "x y"), (r"\scalebox{.9}{x} y", "x y"), (r"\textcolor[rgb]{1,0,0}{x} y", "x y"),
        # a footnote mark behind the last word stays raised
        (r"Notes on engines$^1$", "Notes on engines¹"), (r"{Notes on engines$^{1,2}$}", "Notes on engines¹²"),
        (r"Notes\textsuperscript{3}", "Notes³"), (r"The norm of E$^2$", "The norm of E2"), (r"words$^2$ of", "words2 of"),
        # links
        (r"\url{http://a.b/c%20d_e~f--g}", "http://a.b/c%20d_e~f--g"), (r"\url{http://a.b/\%20\_}", "http://a.b/%20_"),
        (r"\href{http://x.org/a%20}{text}", "text"), ("https://a.b/~x--y and--z", "https://a.b/~x--y and–z"),
        (r"\url{a{b}c} d", "abc d"), (r"see people.org/~x", "see people.org/~x"),
        # formulas
        (r"$\ell_1$", "ℓ1"), (r"H$_2$O", "H2O"), (r"$16\times16$", "16×16"), (r"$O(n^{1/2})$", "O(n1/2)"),
        (r"{{$\ell_1$ by \emph{that}: $O(n^{1/2})$}}", "ℓ1 by that: O(n1/2)"), (r"$\alpha\beta$-div", "αβ-div"),
        (r"$\alpha \to \infty$", "α → ∞"), (r"$\mathcal{L}_2$", "L2"), (r"$\tilde{O}(n)$", "Õ(n)"),
        (r"$B^0_s$", "Bs0"), (r"$B_s^0$", "Bs0"), (r"$x^{2}_{ij}$", "xij2"), (r"\^a_b", "â_b"),
        (r"\(x_1\)", "x1"), (r"$$x_1$$", "x1"), (r"\frac{a}{b}", "a/b"), (r"\ensuremath{x_1^2}", "x12"),
        (r"$\sqrt{n}$", "√n"), (r"$\epsilon$-greedy", "ϵ-greedy"), (r"$a \leq b$", "a ≤ b"), (r"$x$--$y$", "x–y"),
        # dollars
        ("costs $5", "costs $5"), ("costs $5 and $10", "costs $5 and $10"), (r"costs \$5 and \$10", "costs $5 and $10"),
        # damaged
        (r"Herv{\'e", "Hervé"), (r"a \textbf{x", "a x"), ("x }", "x "), ("{{x}", "x"), (r"x\'", "x'"), ("x\\", "x"),
        (r"\url{http://x", "http://x"), (r"{\"}", '"'), (r"\'{}", "'"), (r"$x", "$x"), (r"\v", ""),
        (r"\"Deep\" learning", '"Deep" learning'), (r"\href{x", ""),
    ],
)  # fmt: skip
def test_decode(source: str, expected: str) -> None:
    assert decode(source) == expected


def test_decode_composes_what_is_written_apart() -> None:
    assert decode("Mu\u0308ller") == "Müller"
    assert decode("{Mu\u0308ller}") == "Müller"


@pytest.mark.parametrize("nested", ["{" * 10_000 + "x" + "}" * 10_000, r"\'{" * 10_000, r"\emph{" * 10_000 + "x"])
def test_decode_survives_deep_nesting(nested: str) -> None:
    assert len(decode(nested)) <= 10_000


def test_decode_of_many_accents_on_one_letter_stays_short() -> None:
    assert len(decode("\\'" * 50_000 + "e")) < 10


@given(st.text(alphabet=st.sampled_from("aeo{}\\\"'`^~$_%&#-? \n[]()vcHkidu/:") | st.characters(), max_size=60))
def test_decode_and_unescape_never_raise_and_give_normal_form(text: str) -> None:
    assert unicodedata.is_normalized("NFC", decode(text))
    assert isinstance(unescape(text), str)


@given(st.text(alphabet=st.characters(exclude_characters="\\{}$~-`'", exclude_categories=["Cs"])))
def test_plain_text_stays_what_it_is(text: str) -> None:
    assert decode(text) == unicodedata.normalize("NFC", text)
    assert unescape(text) == text


@given(st.sampled_from("'`^\"~=.Hckuvrd"), st.sampled_from("aceginosuyzACEINOSUZ"), st.text("xyz", max_size=3))
def test_all_spellings_of_an_accent_agree(accent: str, letter: str, rest: str) -> None:
    gap = " " if accent.isalpha() else ""
    spellings = (f"\\{accent}{{{letter}}}", f"{{\\{accent}{gap}{letter}}}", f"{{\\{accent}{{{letter}}}}}")
    assert len({decode(spelling + rest) for spelling in spellings}) == 1
    assert decode(f"\\{accent}{gap}{letter}{rest}") == decode(spellings[0] + rest)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"10.1002/a\_b{\textless}1{\textgreater}", "10.1002/a_b<1>"),
        (r"10.1/{\_}a\&b\#c\%d", "10.1/_a&b#c%d"),
        (r"\url{http://x/\~{}y\%20}", "http://x/~y%20"),
        (r"http://x/{\textasciitilde}y", "http://x/~y"),
        (r"http://x/\textasciitilde y", "http://x/~y"),
        (r"http://x/$\sim$y", "http://x/~y"),
        (r"http://x/\textunderscore{}y", "http://x/_y"),
        (r"1\textendash 3", "1–3"),
        (r"0020-7136{\textbackslash}r1097-0215", r"0020-7136\r1097-0215"),
        ("1--5", "1--5"),
        ("10.1/a%20b~c", "10.1/a%20b~c"),
        ("{1601.00001}", "1601.00001"),
        ("a$b", "a$b"),
    ],
)
def test_unescape(source: str, expected: str) -> None:
    assert unescape(source) == expected
