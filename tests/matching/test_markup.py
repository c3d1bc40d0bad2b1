"""Plain text out of titles and names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import without_markup
from tests.support.pumped_texts import growth_of_repetition
from tests.support.steps import growth_of_steps


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Deep learning", "Deep learning"),
        ("  Deep\n\t learning ", "Deep learning"),
        ("H<sub>2</sub>O", "H2O"),
        ("CO\n   <sub>2</sub>\n   emission", "CO2 emission"),
        ("<i>In vivo</i> imaging", "In vivo imaging"),
        ("Ecology and<i>Functional Ecology</i>today", "Ecology and Functional Ecology today"),
        ("<scp>T</scp>reebase: an<scp>R</scp>package", "Treebase: an R package"),
        ("<b>N</b>-acetyl and <em>p</em>-values", "N-acetyl and p-values"),
        ("Rating (\n  <scp>NFDRS</scp>\n  ) system", "Rating (NFDRS) system"),
        ("<jats:italic>E. coli</jats:italic> &amp; friends", "E. coli & friends"),
        ("A &amp;amp; B &amp;amp;amp; C", "A & B & C"),
        ("&lt;title&gt;Noise&lt;/title&gt;", "Noise"),
        ("&lt;i&gt;In vitro&lt;/i&gt; growth", "In vitro growth"),
        ("Erd&#337;s and Schr&ouml;dinger&apos;s", "Erdős and Schrödinger's"),
        ("AT&T and R&D", "AT&T and R&D"),
        ("a&copy=1", "a&copy=1"),
        ("p &lt; 0.05 and q > 3", "p < 0.05 and q > 3"),
        ("where n<p and q>3", "where n<p and q>3"),
        ("a<b and c", "a<b and c"),
        ("First line<br/>second line", "First line second line"),
        ("soft\u00adhyphen and zero\u200bwidth", "softhyphen and zerowidth"),
        ("<inline-formula><tex-math>$k$</tex-math></inline-formula>-means", "$k$-means"),
        ('<span class="x">Spanned</span> <a href="http://x.example">link</a>', "Spanned link"),
        ("ALL CAPITALS STAY", "ALL CAPITALS STAY"),
        (r"$\ell_1$ stays", r"$\ell_1$ stays"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("\x1b[31mred\x9b0m", "[31mred0m"),
        ("Oliver Wei\u00c3\u009fl", "Oliver Weißl"),
        ("Aurora Ram\u00c3\u00adrez", "Aurora Ramírez"),
        ("École « L’été »", "École « L’été »"),
        ("CAFÉ«S»", "CAFÉ«S»"),
        ("œuvre Wei\u00c3\u009fl", "œuvre WeiÃl"),
    ],
)
def test_plain_text_of_titles(stated: str, expected: str) -> None:
    assert without_markup(stated) == expected


def test_a_formula_appears_once() -> None:
    stated = (
        'Search for <mml:math xmlns:mml="x" display="inline"><mml:semantics><mml:mrow> <mml:mi>Z</mml:mi>\n'
        '<mml:mn>2</mml:mn></mml:mrow><mml:annotation encoding="application/x-tex">Z_2</mml:annotation>'
        "</mml:semantics></mml:math>-symmetry"
    )
    assert without_markup(stated) == "Search for Z2-symmetry"


def test_tex_beside_mathml_is_left_out() -> None:
    stated = "<tex-math>$\\pi$</tex-math><mml:math><mml:mi>π</mml:mi></mml:math> decay"
    assert without_markup(stated) == "π decay"


def test_a_word_that_touches_a_formula_is_parted_from_it() -> None:
    assert without_markup("of<mml:math><mml:mi>π</mml:mi></mml:math>decays") == "of π decays"


@given(st.text(alphabet="ab <>&;/i=amp\n\t\"'²é(){}", max_size=60))
def test_any_text_gives_one_line_without_known_tags(stated: str) -> None:
    cleaned = without_markup(stated)
    assert cleaned == cleaned.strip()
    assert "\n" not in cleaned
    assert "  " not in cleaned
    assert "<i>" not in cleaned
    assert "&amp;" not in cleaned or len(stated) > 40


@given(st.text(alphabet=st.characters(exclude_characters="<&", exclude_categories=("Cs", "Cc", "Cf", "Z"))))
def test_text_without_markup_is_untouched(stated: str) -> None:
    try:
        repaired = stated.encode("latin-1").decode("utf-8")  # "Ã©" for "é": read in the wrong encoding once
    except UnicodeError:
        repaired = stated
    assert without_markup(stated) in (stated, repaired)


HOSTILE = [("", "\n", "<b"), ("", "<math>", ""), ("", "&amp;", ""), ("&", "amp;", ""), ("", "(\n", "<i>")]


@pytest.mark.parametrize(("prefix", "unit", "suffix"), HOSTILE)
def test_hostile_text_takes_steps_by_its_length(prefix: str, unit: str, suffix: str) -> None:
    assert growth_of_steps(without_markup, unit, prefix=prefix, suffix=suffix) < 5


@pytest.mark.exhaustive
@pytest.mark.parametrize(("prefix", "unit", "suffix"), HOSTILE)
def test_hostile_text_takes_time_by_its_length(prefix: str, unit: str, suffix: str) -> None:
    grown = growth_of_repetition(without_markup, unit, prefix=prefix, suffix=suffix)
    assert grown is None or not grown.superlinear
