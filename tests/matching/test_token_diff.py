"""The word-level difference of two titles: position, size and display."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import Gap, TokenChange, align, changes, render, shared_weight, tokenise

# Cited, found, the gaps between their words, the weight in common in order and in any order, the marked difference.
PAIRS = [
    ("deep deep learning", "deep deep vision", [(2, 3, 2, 3)], 0.6667, 0.6667, "deep deep [-learning-]{+vision+}"),
    (
        "data base systems",
        "systems of database",
        [(0, 0, 0, 2), (2, 3, 3, 3)],
        0.5769,
        0.3846,
        "{+systems of+} data base [-systems-]",
    ),
    (
        "A database of systems",
        "data base of big systems",
        [(0, 1, 0, 0), (3, 3, 3, 4)],
        0.8182,
        0.3636,
        "[-A-] database of {+big+} systems",
    ),
    (
        "Neural Nets for Vision",
        "Vision for Neural Nets",
        [(0, 0, 0, 2), (2, 4, 4, 4)],
        0.625,
        1.0,
        "{+Vision for+} Neural Nets [-for Vision-]",
    ),
    (
        "Graph Theory with Aplications",
        "Graph Theory with Applications",
        [(3, 4, 3, 4)],
        0.9864,
        0.6875,
        "Graph Theory with [-Aplications-]{+Applications+}",
    ),
    ("Deep Nets in Practice", "Deep Nets", [(2, 4, 2, 2)], 0.7692, 0.7692, "Deep Nets [-in Practice-]"),
    ("Nets", "Deep Nets in Practice", [(0, 0, 0, 1), (1, 1, 2, 4)], 0.4762, 0.4762, "{+Deep+} Nets {+in Practice+}"),
    ("Über alles", "Ueber alles", [], 1.0, 0.5, "Über alles"),
    ("Uber alles", "Über alles", [], 1.0, 1.0, "Uber alles"),
    ("Stars in the sky*", "Stars in the sky", [(3, 4, 3, 4)], 0.9405, 0.5833, "Stars in the [-sky*-]{+sky+}"),
    ("Stars* in the sky", "Stars in the sky", [(0, 1, 0, 1)], 0.9621, 0.5833, "[-Stars*-]{+Stars+} in the sky"),
    ("On A*", "On A", [(1, 2, 1, 2)], 0.25, 0.25, "On [-A*-]{+A+}"),
    ("On Cat*", "On Cat", [(1, 2, 1, 2)], 0.881, 0.1667, "On [-Cat*-]{+Cat+}"),
    ("On Cats*", "On Cats", [], 1.0, 0.1667, "On Cats*"),
    ("x ≤ y", "x < y", [], 1.0, 0.6667, "x ≤ y"),
    ("a colour of b", "a color of b", [], 1.0, 1.0, "a colour of b"),
    (
        "learning deep robust models",
        "deep learning models robust",
        [(0, 1, 0, 0), (2, 3, 1, 2), (4, 4, 3, 4)],
        0.5,
        1.0,
        "[-learning-] deep [-robust-]{+learning+} models {+robust+}",
    ),
    (
        "one two three four",
        "four two three one",
        [(0, 1, 0, 1), (3, 4, 3, 4)],
        0.5,
        1.0,
        "[-one-]{+four+} two three [-four-]{+one+}",
    ),
    (
        "alpha beta gamma",
        "alpha gamma beta delta",
        [(1, 1, 1, 2), (2, 3, 3, 4)],
        0.5714,
        0.8571,
        "alpha {+gamma+} beta [-gamma-]{+delta+}",
    ),
    ("alpha, beta: gamma!", "alpha, delta: gamma!", [(1, 2, 1, 2)], 0.6667, 0.6667, "alpha, [-beta-]{+delta+}: gamma!"),
    ("深い学習", "深い学習法", [(4, 4, 4, 5)], 0.8889, 0.8889, "深い学習 {+法+}"),
    ("the of a", "cat", [(0, 3, 0, 1)], 0.0, 0.0, "[-the of a-]{+cat+}"),
    ("speed 3.5 GHz", "speed 35 GHz", [(1, 2, 1, 2)], 0.9333, 0.6667, "speed [-3.5-]{+35+} GHz"),
    ("cat", "dog", [(0, 1, 0, 1)], 0.0, 0.0, "[-cat-]{+dog+}"),
    ("computers", "computing", [(0, 1, 0, 1)], 0.0, 0.0, "[-computers-]{+computing+}"),
    ("abcd", "abxy", [(0, 1, 0, 1)], 0.0, 0.0, "[-abcd-]{+abxy+}"),
    ("abcde", "abcdx", [(0, 1, 0, 1)], 0.8, 0.0, "[-abcde-]{+abcdx+}"),
    ("C++ & Rust 100% safe", "C & Rust 100% safe", [(0, 1, 0, 1)], 0.8077, 0.8077, "[-C++-]{+C+} & Rust 100% safe"),
    (
        "naive-bayes classifiers' power",
        "naive bayes classifier power",
        [(2, 3, 2, 3)],
        0.9881,
        0.75,
        "naive-bayes [-classifiers-]{+classifier+}' power",
    ),
    ("Solving x=y systems", "Solving x=z systems", [(3, 4, 3, 4)], 0.8, 0.8, "Solving x=[-y-]{+z+} systems"),
    ("a=b=c of it", "a=b of it", [(3, 5, 3, 3)], 0.7222, 0.7222, "a=b[-=c-] of it"),
    ("(x=y), then z", "(x=y), then w", [(4, 5, 4, 5)], 0.7619, 0.7619, "(x=y), then [-z-]{+w+}"),
    ("Öl für alle", "Oel fuer alle", [], 1.0, 0.3333, "Öl für alle"),
    ("Öl für alle", "Ole fuer alle", [(0, 2, 0, 2)], 0.8857, 0.3333, "[-Öl für-]{+Ole fuer+} alle"),
    ("Oel and Wasser", "Öl and Wasser", [], 1.0, 0.5455, "Oel and Wasser"),
    ("cat* of a", "cat of b", [(0, 1, 0, 1), (2, 3, 2, 3)], 0.5873, 0.1111, "[-cat*-]{+cat+} of [-a-]{+b+}"),
    ("p < q", "p = q", [(1, 2, 1, 2)], 0.6667, 0.6667, "p [-<-]{+=+} q"),
    ("p <= q", "p < q", [], 1.0, 0.6667, "p <= q"),
    ("x<y and z", "x<=y and z", [], 1.0, 0.7619, "x<y and z"),
    ("data base", "database", [], 1.0, 0.0, "data base"),
    ("database", "data base", [], 1.0, 0.0, "database"),
    ("the data base", "database the", [(0, 1, 0, 0), (3, 3, 1, 2)], 0.8824, 0.1176, "[-the-] data base {+the+}"),
    ("a b c d e", "a x c y e", [(1, 2, 1, 2), (3, 4, 3, 4)], 0.5238, 0.5238, "a [-b-]{+x+} c [-d-]{+y+} e"),
    (
        "first x second y",
        "first y second x",
        [(1, 2, 1, 2), (3, 4, 3, 4)],
        0.5,
        1.0,
        "first [-x-]{+y+} second [-y-]{+x+}",
    ),
    ("colour maps", "color charts", [(1, 2, 1, 2)], 0.5, 0.5, "colour [-maps-]{+charts+}"),
    ("on cats*", "on the cats", [(1, 2, 1, 3)], 0.1538, 0.1538, "on [-cats*-]{+the cats+}"),
    ("big cats* of", "big cats of", [(1, 2, 1, 2)], 0.9495, 0.5455, "big [-cats*-]{+cats+} of"),
    ("red green blue", "blue red green", [(0, 0, 0, 1), (2, 3, 3, 3)], 0.6667, 1.0, "{+blue+} red green [-blue-]"),
    ("red red blue", "blue red red", [(0, 1, 0, 1), (2, 3, 2, 3)], 0.3333, 1.0, "[-red-]{+blue+} red [-blue-]{+red+}"),
    ("alpha beta", "gamma delta", [(0, 2, 0, 2)], 0.0, 0.0, "[-alpha beta-]{+gamma delta+}"),
    ("alpha of", "alpha in", [(1, 2, 1, 2)], 0.8333, 0.8333, "alpha [-of-]{+in+}"),
    ("alpha of it", "alpha it", [(1, 2, 1, 1)], 0.9231, 0.9231, "alpha [-of-] it"),
    ("x in the y", "x the in y", [(1, 1, 1, 2), (2, 3, 3, 3)], 0.9167, 1.0, "x {+the+} in [-the-] y"),
    ("¿Qué? it is", "¿Que? it was", [(2, 3, 2, 3)], 0.8571, 0.8571, "¿Qué? it [-is-]{+was+}"),
]


@pytest.mark.parametrize(
    ("cited", "found", "gaps", "similarity", "shared", "marked"), PAIRS, ids=[f"{a} | {b}" for a, b, *_ in PAIRS]
)
def test_the_difference_of_two_titles(
    cited: str, found: str, gaps: list[tuple[int, int, int, int]], similarity: float, shared: float, marked: str
) -> None:
    a, b = tokenise(cited), tokenise(found)
    differing, in_common = align(a, b)
    assert differing == [Gap(*gap) for gap in gaps]
    assert in_common == pytest.approx(similarity, abs=1e-4)
    assert shared_weight(a, b) == shared_weight(b, a) == pytest.approx(shared, abs=1e-4)
    assert render(a, b, differing) == marked
    backwards, same = align(b, a)
    assert backwards == [Gap(gap.start_b, gap.end_b, gap.start_a, gap.end_a) for gap in differing]
    assert same == in_common


@pytest.mark.parametrize(
    ("cited", "found", "expected"),
    [
        ("Solving x=y systems", "Solving x=z systems", [("replaced", "y", "z")]),
        ("Deep Nets in Practice", "Deep Nets", [("added", "in Practice", "")]),
        ("Nets", "Deep Nets in Practice", [("dropped", "", "Deep"), ("dropped", "", "in Practice")]),
        ("First X, second Y", "First Y, second X", [("moved", "X", "X"), ("moved", "Y", "Y")]),
        ("Red green blue", "Blue red green", [("moved", "blue", "Blue")]),
        (
            "Nets, Neural, for Vision",
            "Vision for Nets, Neural",
            [("moved", "Nets, Neural, for Vision", "Vision for Nets, Neural")],
        ),
        (
            "A cat is a dog of Rome",
            "A dog is a cat of Oslo",
            [("moved", "cat", "cat"), ("moved", "dog", "dog"), ("replaced", "Rome", "Oslo")],
        ),
        ("Alpha beta gamma", "Alpha gamma beta delta", [("dropped", "", "gamma"), ("replaced", "gamma", "delta")]),
        ("One of two in three", "One two in the three", [("added", "of", ""), ("dropped", "", "the")]),
        ("Öl für alle", "Ole fuer alle", [("replaced", "Öl für", "Ole fuer")]),
    ],
)
def test_what_was_changed(cited: str, found: str, expected: list[tuple[str, str, str]]) -> None:
    a, b = tokenise(cited), tokenise(found)
    assert list(changes(a, b, align(a, b)[0])) == [TokenChange(*change) for change in expected]  # type: ignore[arg-type]


@pytest.mark.parametrize(("last", "marked"), [("", True), ("a", False)], ids=["200", "201"])
def test_words_in_a_very_long_run_of_letters_are_not_told_apart(last: str, marked: bool) -> None:
    run = "a=" * 100 + last
    a, b = tokenise(f"{run} end"), tokenise(f"{run} start")
    diff = render(a, b, align(a, b)[0])
    assert diff == (f"{run} [-end-]{{+start+}}" if marked else f"[-{run} end-]{{+{run} start+}}")
    (change,) = changes(a, b, align(a, b)[0])
    assert (change.cited, change.found) == ("end", "start")


def test_a_very_long_run_counts_only_where_its_words_are_not_its_letters() -> None:
    word = "a" * 300
    a, b = tokenise(f"{word} x=y end"), tokenise(f"{word} x=y start")
    assert render(a, b, align(a, b)[0]) == f"{word} x=y [-end-]{{+start+}}"


def test_titles_without_words_share_nothing() -> None:
    empty, word = tokenise(""), tokenise("word")
    assert align(empty, empty) == ([], 0.0)
    assert (shared_weight(empty, empty), shared_weight(empty, word)) == (0.0, 0.0)
    assert align(empty, word) == ([Gap(0, 0, 0, 1)], 0.0)
