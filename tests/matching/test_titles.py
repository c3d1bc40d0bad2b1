from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_citecheck.matching import (
    TokenChange,
    compare_titles,
    decode,
    is_second_appearance,
    render_diff,
    title_key,
    words,
)

WORDS = [
    *("neural", "graph", "learning", "robust", "proof", "bounds", "kernel", "vision", "speech", "causal", "market"),
    *("protein", "fairness", "of", "in", "the", "for", "with", "3d", "gpt", "c++", "16x16", "über", "modèle", "α"),
    *("behaviour", "centre"),
]
TITLE_WORDS = st.lists(st.sampled_from(WORDS), min_size=2, max_size=9)
ANY_TITLE = st.one_of(
    TITLE_WORDS.map(" ".join),
    st.text(alphabet="abAB01 .:?-–—'&<>/${}()*+#éß深Ωйガ…", max_size=24),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=16),
)


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("Attention is All you Need", "Attention Is All You Need."),
        (
            "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
            "{BERT}: Pretraining of deep bidirectional transformers for language understanding",
        ),
        ("Pre training of Transformers", "Pretraining of Transformers"),
        (
            "Über formal unentscheidbare Sätze der Principia Mathematica",
            r"{\"U}ber formal unentscheidbare S{\"a}tze der Principia Mathematica",
        ),
        ("Über formal unentscheidbare Sätze", "Ueber formal unentscheidbare Saetze"),
        (r"On the $\ell_1$-norm minimization", "On the l1-norm minimization"),
        ("A note on two problems in connexion with graphs", "A note on two problems in connection with graphs"),
        ("Impact factor distortions (Editorial)", "Impact Factor Distortions"),
        ("Impact factor distortions [letter to the editor]", "Impact Factor Distortions"),
        (r"Li$_x$CoO$_2$ ($0<x\leq 1$): A new cathode", "LixCoO2 (0<x<-1): A new cathode"),
        (
            r"The rare $B^0_s \to \mu^+\mu^-$ decay",
            "The rare B<sub>s</sub><sup>0</sup>→µ<sup>+</sup>µ<sup>−</sup> decay",
        ),
        ("<i>In vivo</i> imaging of H<sub>2</sub>O", "In vivo imaging of H2O"),
        (
            "Machine learning: trends, perspectives, and prospects",
            "Machine Learning : Trends , Perspectives , and Prospects",
        ),
        ("Graph neural nets: a review", "Graph Neural Nets – A Review"),
        ("Metal–organic frameworks", "Metal-organic frameworks"),
        ("Alzheimers disease", "Alzheimer's disease"),
        ("深度学习 综述", "深度学习综述"),
        ("Tumour & behaviour", "Tumor and behavior"),
        ("Modelling and optimisation", "Modeling and Optimization"),
        ("TNF-α signalling", "TNF-alpha signaling"),
        ("Is it true? A study", "Is It True: A Study"),
        ("``Why Should I Trust You?'': Explaining", "“Why Should I Trust You?” Explaining"),
        ("Sequents: Part II", "Sequents, Part 2"),
        ("Type II diabetes", "Type 2 diabetes"),
        ("Measuring the impact of AI", "Measuring the Impact of AI (Extended Abstract)*"),
        ("Measuring the impact of AI", "[Invited] Measuring the impact of AI"),
        ("Measuring the impact of AI", "Reprint of: Measuring the impact of AI"),
        ("Measuring the impact of AI", "Measuring the impact of AI [version 2; peer review: 2 approved]"),
        ("Measuring the impact of AI", "RETRACTED ARTICLE: Measuring the impact of AI"),
        ("Measuring the impact of AI", "Measuring the impact of AI: Extended Abstract"),
        ("Measuring the impact of AI", "Position: Measuring the Impact of AI"),
        ("Measuring the impact of AI", "Measuring the impact of AI (Student Abstract)"),
        ("(Extended Abstract)", "Extended Abstract"),
        ("Messen und Wissen", "Messen und Wissen [in German]"),
        ("Views of 360° videos", "Views of 360deg Videos"),
        ("Views of 360° videos", r"Views of 360$^{\circ}$ Videos"),
        ("Measuring the impact of groups", "Measuring the impact of groups*"),
        ("A data base of 10,000 words", "A Database of 10000 Words"),
        ("Теория множеств", "ТЕОРИЯ МНОЖЕСТВ"),
        ("Η θεωρία των συνόλων", "Η ΘΕΩΡΙΑ ΤΩΝ ΣΥΝΟΛΩΝ"),
        ("Eﬃcient ﬂows", "Efficient flows"),
        ("Flash{A}ttention", "FlashAttention"),
        ("Chain of-Thought Test-time Scaling", "Chain-of-Thought Test-time Scaling"),
    ],
)
def test_harmless_variation_is_the_same(cited: str, found: str) -> None:
    comparison = compare_titles(cited, found)
    assert (comparison.relation, comparison.similarity, comparison.changes) == ("same", 1.0, ())
    assert comparison.found == found


@pytest.mark.parametrize(
    ("cited", "found", "relation"),
    [
        ("Deep learning", "Deep Learning for Symbolic Mathematics", "different"),
        ("Deep learning", "Deep learning in neural networks: An overview", "different"),
        ("Subspace Differential Privacy", "Subspace Differential Privacys", "near"),
        (
            "Learning Multiple Layers of Features from Tiny Images",
            "Learning Multiple Layers of Representation",
            "different",
        ),
        (
            "16x16 Words: Transformers for Image Recognition at Scale",
            "32x32 Words: Transformers for Image Recognition at Scale",
            "near",
        ),
        ("Training Compute-Optimal Large Language Models", "Training Compute-Optimal Large Vision Models", "near"),
        ("A Survey on Graph Neural Networks", "A Survey on Deep Neural Networks", "near"),
        ("Neural Networks for Graph Learning", "Graph Learning for Neural Networks", "near"),
        (
            "Causal abstractions of neural networks",
            "Causal abstractions of neural networks with interchange interventions",
            "near",
        ),
        (
            "An introduction to hidden Markov models",
            "An Introduction to Hidden Markov Models (Wiley bioinformatics)",
            "near",
        ),
        ("Programming in C", "Programming in C++", "near"),
        ("Programming in C#", "Programming in C++", "near"),
        ("A* for planning", "A for planning", "near"),
        ("The GPT-3 report", "The GPT-4 report", "near"),
        ("The GPT-3.5 report", "The GPT-35 report", "near"),
        ("Sequents, part I", "Sequents, part II", "near"),
        ("Layers of 3 5 nodes", "Layers of 35 nodes", "near"),
        ("Anytime Dynamic A*", "Anytime Dynamic A", "near"),
        ("Deep Learning and Graphs", "Deep Learning and Graphs (Wiley series)", "near"),
        ("Deep Learning (Extended Abstract)", "(Extended Abstract)", "different"),
        ("Sequents and proofs", "Sequents and proofs: Part II", "near"),
        ("Sequents and proofs", "Sequents and proofs. 2.", "near"),
        ("Sequents and proofs", "Erratum: Sequents and proofs", "near"),
        ("Sequents and proofs", "Sequents and proofs: Erratum", "near"),
        ("Sequents and proofs", "Sequents and proofs: A Reply", "near"),
        ("Deap lerning", "Deep learning", "near"),
        # A common word in front, two coined names, two numbers: no mark of who cites.
        ("Remarks: Sequents and proofs", "Sequents and proofs", "near"),
        ("Reply: Sequents and proofs", "Sequents and proofs", "near"),
        ("SeqNet: Sequents and proofs", "ProofNet: Sequents and proofs", "near"),
        ("SeqNet: Sequents and graphs", "Sequents and proofs", "different"),
        ("1. Sequents and proofs", "2. Sequents and proofs", "near"),
        ("Sequents and proofs (2019)", "Sequents and proofs (2020)", "near"),
        ("Sequents and proofs 2", "Sequents and proofs", "near"),
        ("Sequents of Z[G]", "Sequents of Z", "near"),
        ("Sequents of 50 % of proofs", "Sequents of 50", "near"),
        ("Sequents and proofs", "Comment on “Sequents and proofs”", "near"),
        ("Robust Dynamic Radiance Fields", "Resilient Dynamic Radiance Fields", "near"),
        ("Characterizing risk of fairwashing", "Characterizing the risk of fairwashing", "near"),
        ("P = NP", "P ≠ NP", "near"),
        ("深度学习综述", "深度学习", "near"),
        ("Transformers", "Transformer", "near"),
        ("Learning to fly", "Protein folding with graphs", "different"),
        ("A survey of graphs in biology", "A survey of markets in physics", "different"),
    ],
)
def test_other_titles_are_not_the_same(cited: str, found: str, relation: str) -> None:
    comparison = compare_titles(cited, found)
    assert comparison.relation == relation
    assert comparison.similarity < 1
    assert compare_titles(found, cited).relation == relation


@pytest.mark.parametrize(
    "cited",
    [
        # GB/T 7714-2015, annex B: the kind of document, its carrier, the volume.
        "Sequents and proofs[C]", "Sequents and proofs [J].", "Sequents and proofs[EB/OL]", "Sequents and proofs［M］",
        "Sequents and proofs[C]//Proceedings of the conference on proofs",
        # footnote marks
        r"Sequents and proofs$^1$", r"Sequents and proofs$^{1,2}$", r"Sequents and proofs\textsuperscript{1}",
        r"Sequents and proofs$^*$", r"Sequents and proofs$^\dagger$", "Sequents and proofs†", "Sequents and proofs¹",
        # lists, search engines, pages
        "1. Sequents and proofs", "[12] Sequents and proofs", "3) Sequents and proofs", "[PDF] Sequents and proofs",
        "(PDF) Sequents and proofs", "[1701.00001v2] Sequents and proofs", "Sequents and proofs [Code]",
        "Sequents and proofs | OpenReview", "Sequents and proofs | IEEE Conference Publication | IEEE Xplore",
        "Sequents and proofs, pp. 1--10", "Sequents and proofs (Supplementary Material)", "Sequents and proofs % checked",
        r"\texorpdfstring{Sequents and {proofs}}{x}",
        # Cyrillic а, е, о, Greek capital Alpha and omicron in Latin words
        "Sequents аnd proofs", "Sеquents and prооfs", "Sequents Αnd prοofs",
    ],
)  # fmt: skip
def test_what_a_citation_has_around_a_title(cited: str) -> None:
    assert compare_titles(decode(cited), "Sequents and proofs").relation == "same"
    assert compare_titles("Sequents and proofs", decode(cited)).relation == "same"


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("NeRF", "NeRF: Representing Scenes as Neural Radiance Fields for View Synthesis"),
        ("NeRF: Representing Scenes as Neural Radiance Fields for View Synthesis", "NeRF"),
        ("Who cares?", "Who cares? A study of interest"),
        ("Looking back", "Looking back — forty years of parsing"),
        ("Looking back", "Looking back - forty years of parsing"),
        ("Looking back", "Looking back. Forty years of parsing"),
        ("Looking back: forty years", "Looking back: forty years: a survey"),
        ("Explaining networks with case based...", "Explaining networks with case-based reasoning and trees"),
        ("EngineNet: Notes on the analysis of engines", "Notes on the analysis of engines"),
        ("DPO: Notes on the analysis of engines", "Notes on the analysis of engines"),
        ("engine2vec: Notes on the analysis of engines", "Notes on the analysis of engines"),
        ("EngineNet v3: Notes on the analysis of engines", "Notes on the analysis of engines"),
        ("Notes on the analysis of engines", "ENGINE: Notes on the Analysis of Engines"),
        ("Notes on the analysis of engines (2020)", "Notes on the analysis of engines"),
    ],
)
def test_a_title_cut_at_its_subtitle_is_short(cited: str, found: str) -> None:
    assert compare_titles(cited, found).relation == "short"


def test_subtitle_in_its_own_field() -> None:
    subtitle = "Representing Scenes as Fields"
    assert compare_titles("NeRF: representing scenes as fields", "NeRF", subtitle).relation == "same"
    assert compare_titles("NeRF - Representing Scenes as Fields", "NeRF", subtitle).relation == "same"
    assert compare_titles("NeRF", "NeRF", subtitle).relation == "short"
    assert compare_titles("NeRF", "NeRF", subtitle).found == "NeRF: Representing Scenes as Fields"
    assert compare_titles("NeRFs", "NeRF", subtitle).relation in ("near", "different")


def test_subtitle_that_the_title_holds_already() -> None:
    comparison = compare_titles("NeRF: Scenes", "NeRF: Scenes", "Scenes")
    assert (comparison.relation, comparison.found) == ("same", "NeRF: Scenes")


def test_other_titles_of_the_record_count() -> None:
    others = ("Über Sätze", "On Formally Undecidable Propositions")
    comparison = compare_titles("On formally undecidable propositions", "Ueber Saetze", "", others)
    assert (comparison.relation, comparison.found) == ("same", others[1])
    assert compare_titles("On decidable propositions", "Ueber Saetze", "", others).found == others[1]


@pytest.mark.parametrize(
    ("cited", "found", "changes"),
    [
        (
            "Causal abstractions of neural networks",
            "Causal Abstraction of Neural Networks",
            (TokenChange("replaced", "abstractions", "Abstraction"),),
        ),
        ("GRF for 3D Scene Representation", "GRF for 3D Representation", (TokenChange("added", "Scene", ""),)),
        (
            "Balancing for Effect Inference",
            "Balancing for Effect Inference with Observational Data",
            (TokenChange("dropped", "", "with Observational Data"),),
        ),
        (
            "Neural Networks for Graph Learning",
            "Graph Learning for Neural Networks",
            (
                TokenChange("moved", "Neural Networks", "Neural Networks"),
                TokenChange("moved", "Graph Learning", "Graph Learning"),
            ),
        ),
        ("Fast Deep Parsing", "Deep Fast Parsing", (TokenChange("moved", "Fast", "Fast"),)),
        ("Deep Parsing of Text Fast", "Fast Deep Parsing of Text", (TokenChange("moved", "Fast", "Fast"),)),
        (
            "Pretraining of Self-supervised GPT-3.5 Models",
            "Pre-training of Unsupervised GPT-3.5 models",
            (TokenChange("replaced", "Self-supervised", "Unsupervised"),),
        ),
        (
            "Safe Fast Deep Wide Nets",
            "Wide Deep Fast Safe Nets",
            (TokenChange("moved", "Safe Fast Deep Wide", "Wide Deep Fast Safe"),),
        ),
        (
            "Pre training systems for text",
            "Pretraining models for text",
            (TokenChange("replaced", "systems", "models"),),
        ),
        ("深度学习综述", "深度学习指南", (TokenChange("replaced", "综述", "指南"),)),
    ],
)
def test_changes_in_the_original_spelling(cited: str, found: str, changes: tuple[TokenChange, ...]) -> None:
    assert compare_titles(cited, found).changes == changes


@pytest.mark.parametrize(
    ("cited", "found", "expected"),
    [
        ("Characterizing risk of fairwashing", "Characterizing the risk of fairwashing", True),
        ("Learning from Feedback on Text", "Learning with Feedback on Text", True),
        ("The Tangent Kernel of Nets", "A Tangent Kernel of Nets", True),
        ("Person Search with Graph Attention", "Person Search using Graph Attention", False),
        ("SO (2)-Equivariant Nets and Kernels", "(2)-Equivariant Nets and Kernels", False),
        ("Vision with Attention and Text", "Vision without Attention and Text", False),
        ("Deep Nets and Kernels", "Deep Nets and Kernels", False),
    ],
)
def test_only_function_words(cited: str, found: str, expected: bool) -> None:
    assert compare_titles(cited, found).only_function_words is expected


@pytest.mark.parametrize(
    ("cited", "found", "diff"),
    [
        (
            "Causal abstractions of neural networks",
            "Causal abstraction of neural networks",
            "Causal [-abstractions-]{+abstraction+} of neural networks",
        ),
        ("Risk of fairwashing", "The risk of fairwashing", "{+The+} Risk of fairwashing"),
        ("Risk of (new) nets?", "Risk of nets?", "Risk of ([-new-]) nets?"),
        ("Risk of nets", "Risk of nets and trees", "Risk of nets {+and trees+}"),
        ("Risk of nets", "RISK OF NETS", "Risk of nets"),
    ],
)
def test_render_diff(cited: str, found: str, diff: str) -> None:
    assert render_diff(compare_titles(cited, found), cited) == diff


@pytest.mark.parametrize("text", ["", " ", "...", "{}"])
def test_a_title_without_words_is_never_the_title_of_another_work(text: str) -> None:
    assert compare_titles(text, "Deep learning").relation == "different"
    assert compare_titles("Deep learning", text).relation == "different"
    assert compare_titles("", text).relation == "different"
    assert render_diff(compare_titles("Deep learning", text), "Deep learning")


def test_title_of_signs_only_is_compared_literally() -> None:
    assert compare_titles("!!!", "!!!").relation == "same"
    assert compare_titles("!!!", "???").relation == "different"


def test_title_key() -> None:
    assert title_key("Pre-Training of {BERT}s.") == title_key("pretraining of BERTs")
    assert title_key("A 3-5 split") != title_key("A 35 split")
    assert title_key("C++") != title_key("C")
    assert title_key("") == ""
    assert title_key("Col our") == title_key(title_key("Col our")) == title_key("Color")


@pytest.mark.exhaustive
@given(ANY_TITLE)
def test_title_key_is_idempotent(title: str) -> None:
    assert title_key(title_key(title)) == title_key(title)


@given(ANY_TITLE)
def test_a_title_is_the_same_as_itself(title: str) -> None:
    assume(words(title))
    assert compare_titles(title, title).relation == "same"


@given(ANY_TITLE, ANY_TITLE)
def test_the_relation_is_symmetric(first: str, second: str) -> None:
    forward, backward = compare_titles(first, second), compare_titles(second, first)
    assert forward.relation == backward.relation
    assert forward.similarity == pytest.approx(backward.similarity)
    assert render_diff(forward, first) is not None


@st.composite
def varied(draw: st.DrawFn) -> tuple[str, str]:
    chosen = draw(TITLE_WORDS)
    pieces: list[str] = []
    for word in chosen:
        kind = draw(st.sampled_from(("plain", "upper", "tag", "braces", "accent", "title")))
        letters = word.isalpha() and word.isascii()
        variants = {
            "upper": word.upper(),
            "title": word.title(),
            "tag": f"<i>{word}</i>",
            "braces": f"{{{word}}}",
            "accent": f"{word[0]}\u0301{word[1:]}" if letters else word,
        }
        pieces.append(variants.get(kind, word))
    separators = [draw(st.sampled_from((" ", "-", " – ", "  ", ": ", ", "))) for _ in pieces[1:]]
    changed = pieces[0] + "".join(separator + piece for separator, piece in zip(separators, pieces[1:], strict=True))
    return " ".join(chosen), changed + draw(st.sampled_from(("", ".", "?", " (Extended Abstract)")))


@given(varied())
def test_harmless_variation_of_any_title_is_the_same(pair: tuple[str, str]) -> None:
    assert compare_titles(*pair).relation == "same"
    assert title_key(pair[0]) == title_key(pair[1])


@given(TITLE_WORDS, st.data())
def test_a_title_with_one_other_word_is_never_the_same(chosen: list[str], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(chosen) - 1))
    other = data.draw(st.sampled_from([word for word in WORDS if word != chosen[position]]))
    changed = [*chosen[:position], other, *chosen[position + 1 :]]
    comparison = compare_titles(" ".join(changed), " ".join(chosen))
    assert comparison.relation in ("near", "different")
    assert comparison.similarity < 1


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("R^3Net: Relations of birds", "R\u02c63Net: Relations of birds"),
        (r"Into a single \$&!# vector", "Into a single $&!#* vector"),
        (r"Birds \&amp; bees", "Birds & bees"),
        ("The flight of birds. arXiv e-prints", "The flight of birds"),
        ("The flight of birds. arXiv preprint arXiv:1901.00001", "The flight of birds"),
    ],
)
def test_the_same_title_in_another_dress(cited: str, found: str) -> None:
    assert compare_titles(cited, found).relation == "same"
    assert compare_titles(found, cited).relation == "same"


@pytest.mark.parametrize(
    ("cited", "found"), [("A* for birds in flight", "A for birds in flight"), ("Birds < bees", "Birds > bees")]
)
def test_signs_that_mean_something(cited: str, found: str) -> None:
    assert compare_titles(cited, found).relation == "near"


@pytest.mark.parametrize(
    ("title", "again"),
    [
        ("The flight of birds (Extended Abstract)", True),
        ("The flight of birds (Abstract)", True),
        ("The flight of birds (Invited Talk).", True),
        ("The flight of birds: An Extended Abstract", True),
        ("Demo: The flight of birds", True),
        ("Abstract birds", False),
        ("The flight of birds (Part II)", False),
        ("A demo of birds", False),
    ],
)
def test_second_appearances(title: str, again: bool) -> None:
    assert is_second_appearance(title) is again
