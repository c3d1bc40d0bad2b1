from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import fold, standard_spelling, without_latex_and_markup, words, write_out_umlauts
from pytest_citecheck.matching import title_spelling as spelling_variants

ANY_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from("abcXYZ019 .,:;-–—'\"&<>/$\\{}_^*+#%()éüßøłİıαΩςйеΑοあガ深ﬁ²₃™≠×…\u0301\u200b"),
        st.characters(codec="utf-8"),
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Deep  Learning", "deep learning"),
        ("Über Straße", "uber strasse"),
        ("Łódź, Ærø, Œuvre, Þórr, đ ı İ", "lodz, aero, oeuvre, thorr, d i i"),
        ("eﬃcient ﬂow", "efficient flow"),
        ("“Why” ‘so’ „tief“", '"why" \'so\' "tief"'),
        ("a–b—c−d‐e‑f", "a-b-c-d-e-f"),
        ("TNF-α and β-CROWN", "tnf-alpha and beta-crown"),
        ("μ-law and µ-law", "mu-law and mu-law"),
        ("H₂O and x²", "h2o and x2"),
        ("𝐇𝐞𝐥𝐥𝐨 ℓ₁ ℝ", "hello l1 r"),
        ("Ｗｉｄｅ", "wide"),
        ("zero\u200bwidth\u00ad", "zerowidth"),
        ("e\u0301tude étude", "etude etude"),
        ("<i>In vivo</i> H<sub>2</sub>O", "in vivo h2o"),
        ("<jats:p>One</jats:p><jats:p>Two</jats:p>", "one two"),
        ("&lt;i&gt;cis&lt;/i&gt; R&amp;D &#233;", "cis r&d e"),
        ("x<y and z>w", "x<y and z>w"),
        (r"{\"U}ber $\ell_1$ {BERT}", "uber l1 bert"),
        ("Twitter™", "twitter"),
        ("P ≠ NP", "p != np"),
        # Letters that look Latin in a Latin word; words of their own script and symbols stay.
        ("Residuаl Lеаrning, СNN, Ηilbert", "residual learning, cnn, hilbert"),
        ("αGAN ВАЕ Жx модель", "alphagan вае жx модель"),
        ("θεωρία", "θεωρια"),
        ("ΛΌΓΟΣ λόγος", "λογοσ λογοσ"),
        ("Ёлка Йод", "елка иод"),
        ("ガ", "ガ"),
        ("हिन्दी", "हिन्दी"),
        ("한국어", "한국어"),
        ("", ""),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


def test_fold_keeps_japanese_and_latin_marks_apart() -> None:
    assert fold("ガ") != fold("カ")
    assert fold("é") == fold("e")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pre-training of C++ & C#", ("pre", "training", "of", "c++", "and", "c#")),
        ("16×16 words", ("16x16", "words")),
        ("A* search", ("a*", "search")),
        ("GPT-3.5: 10,000 at 5%", ("gpt", "3.5", "10000", "at", "5", "percent")),
        ("Alzheimer's", ("alzheimers",)),
        ("Alzheimer’s", ("alzheimers",)),
        ("深度学习 ABC综述", ("深", "度", "学", "习", "abc", "综", "述")),
        ("P ≠ NP", ("p", "!=", "np")),
        ("α-synuclein", ("alpha", "synuclein")),
        ("भाषा और हिन्दी", ("भाषा", "और", "हिन्दी")),
        ("…?!", ()),
        ("", ()),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


def test_plain_keeps_case_and_spelling() -> None:
    assert without_latex_and_markup("  <b>Über</b>\n{H}<sub>2</sub>O &amp; C++ ") == "Über H2O & C++"


def test_plain_drops_the_tex_twin_of_a_formula() -> None:
    title = "On <mml:math><mml:mi>n</mml:mi><mml:annotation>\\(n\\)</mml:annotation></mml:math>-cubes"
    assert without_latex_and_markup(title) == "On n-cubes"


_REGIONAL = [
    ("cyphertext", "ciphertext"),
    ("syphons", "siphons"),
    ("scaleable", "scalable"),
    ("adaptors", "adapters"),
    ("descendents", "descendants"),
    ("panjabi", "punjabi"),
    ("uighur", "uyghur"),
    ("roumanian", "romanian"),
    ("rumanian", "romanian"),
    ("koran", "quran"),
    ("routeing", "routing"),
    ("orientated", "oriented"),
    ("indexes", "indices"),
    ("matrixes", "matrices"),
    ("vertexes", "vertices"),
    ("appendixes", "appendices"),
    ("formulae", "formulas"),
    ("tchebycheff", "chebyshev"),
    ("cebysev", "chebyshev"),
    ("tschebyscheff", "chebyshev"),
    ("liapunov", "lyapunov"),
    ("ljapunow", "lyapunov"),
    ("liapounoff", "lyapunov"),
    ("kolmogoroff", "kolmogorov"),
    ("tychonoff", "tikhonov"),
    ("behaviour", "behavior"),
    ("neighbourhood", "neighborhood"),
    ("organisation", "organization"),
    ("optimisers", "optimizers"),
    ("analyse", "analyze"),
    ("centre", "center"),
    ("centred", "centered"),
    ("modelling", "modeling"),
    ("labelled", "labeled"),
    ("catalogue", "catalog"),
    ("defence", "defense"),
    ("haemoglobin", "hemoglobin"),
    ("oedema", "edema"),
    ("programme", "program"),
    ("grey", "gray"),
    ("towards", "toward"),
    ("artefacts", "artifacts"),
    ("fibre", "fiber"),
    ("kilometres", "kilometers"),
    ("fulfilment", "fulfillment"),
    ("sulphur", "sulfur"),
    ("manoeuvre", "maneuver"),
    ("discs", "disks"),
    ("leukaemia", "leukemia"),
    ("paediatric", "pediatric"),
    ("aesthetics", "esthetics"),
    ("aetiology", "etiology"),
    ("archaeology", "archeology"),
    ("palaeontology", "paleontology"),
    ("gynaecology", "gynecology"),
    ("mediaeval", "medieval"),
    ("oestrogen", "estrogen"),
    ("oesophagus", "esophagus"),
    ("foetus", "fetus"),
    ("faeces", "feces"),
    ("coeliac", "celiac"),
    ("diarrhoea", "diarrhea"),
    ("dyspnoea", "dyspnea"),
    ("homoeopathy", "homeopathy"),
    ("amoeba", "ameba"),
    ("aluminium", "aluminum"),
    ("sceptic", "skeptic"),
    ("reflexion", "reflection"),
    ("enquiry", "inquiry"),
    ("judgement", "judgment"),
    ("acknowledgement", "acknowledgment"),
    ("skilful", "skillful"),
    ("ageing", "aging"),
    ("moulding", "molding"),
    ("ploughs", "plows"),
    ("tyres", "tires"),
    ("practising", "practicing"),
    ("focussed", "focused"),
    ("advisors", "advisers"),
    ("learnt", "learned"),
    ("amongst", "among"),
    ("whilst", "while"),
    ("vs", "versus"),
]


@pytest.mark.parametrize(("british", "american"), _REGIONAL)
def test_regional_spellings_fall_together(british: str, american: str) -> None:
    assert standard_spelling(british) == standard_spelling(american)


def test_each_rule_of_spelling_has_an_example_that_is_not_passed_over() -> None:
    # A rule that the quick search for its letters passes over would be none.
    examples = [word for pair in _REGIONAL for word in pair]
    for pattern, _ in spelling_variants._RULES:
        assert any(pattern.search(word) and standard_spelling(word) != word for word in examples), pattern.pattern


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("model", "models"),
        ("privacy", "privacys"),
        ("four", "for"),
        ("tour", "tor"),
        ("source", "sorce"),
        ("diameter", "diametric"),
        ("controlled", "control"),
        ("programming", "program"),
        ("size", "sized"),
        ("course", "corse"),
        ("learning", "learned"),
    ],
)
def test_other_words_stay_apart(word: str, other: str) -> None:
    assert standard_spelling(word) != standard_spelling(other)


def test_umlauts_are_written_out() -> None:
    assert write_out_umlauts("Über Sätze, Ångström, Ørsted") == "Ueber Saetze, Aangstroem, Oersted"


@given(ANY_TEXT)
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(ANY_TEXT)
def test_words_are_those_of_the_folded_text(text: str) -> None:
    assert words(fold(text)) == words(text)
    assert all(words(text))


@given(st.text(alphabet="abcdefghilmnoprstuyz", min_size=1, max_size=14))
def test_standard_spelling_is_idempotent(word: str) -> None:
    assert standard_spelling(standard_spelling(word)) == standard_spelling(word)
