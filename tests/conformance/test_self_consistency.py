"""The published scores and statistics of self-checks are reproduced from the published answers of GPT-4.

Source of the expected values: microsoft/hallucinated-references, Agrawal et al., EACL 2024.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from pytest_citecheck.benchmark import (
    Labelled,
    area,
    bootstrap,
    cohen,
    fdr_at,
    flagged,
    fleiss,
    interpolated_view,
    kept_above,
    paired,
    reachable,
    threshold_view,
)
from pytest_citecheck.cli import main
from pytest_citecheck.models.chat import Prices
from pytest_citecheck.models.selfcheck import (
    YES,
    LabelledScores,
    Options,
    Usage,
    YesRule,
    agreement,
    overlap,
    overlap_compat,
    published_answers,
    read_labelled,
    read_table,
    read_usage,
    replay,
    share_of_yes,
    truth,
)

SHARED = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "self_consistency"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="CITECHECK_SHARED names no folder with the GPT-4 rows")
RAW, CONDENSED = SHARED / "gpt-4_results.csv", SHARED / "gpt4.csv"


@cache
def condensed() -> LabelledScores:
    return read_labelled(CONDENSED, group_size=5)


@cache
def raw() -> LabelledScores:
    return read_labelled(RAW)


def rows(method: str) -> Labelled:
    return condensed().of(method)


AREAS = {
    "iq": (0.878095, 0.010759),
    "dq1": (0.886810, 0.010966),
    "dq2": (0.844505, 0.010882),
    "dq3": (0.860838, 0.011736),
    "dq": (0.916643, 0.008861),
    "iq+dq": (0.928355, 0.008040),
    "iq+dq1": (0.920631, 0.008895),
    "iq+dq2": (0.908788, 0.009074),
    "iq+dq3": (0.912164, 0.009052),
}


@pytest.mark.parametrize("method", AREAS)
def test_q7_q8_areas_and_delong_errors(method: str) -> None:
    found = area(rows(method))
    assert (found.value, found.se) == pytest.approx(AREAS[method], abs=1e-6)
    again = area(raw().of(method))
    assert (again.value, again.se) == pytest.approx(AREAS[method], abs=1e-6)


def test_q5_q6_every_stored_score_follows_from_the_raw_answers() -> None:
    table = read_table(RAW)
    iq = direct = 0
    for row in table:
        pairs = [overlap_compat(answer) for answer in published_answers(row["neural_ans1_list"])]
        said = dict(zip([(1, 0), (2, 0), (2, 1)], pairs, strict=True))
        mean = agreement(3, lambda later, earlier, said=said: said[later, earlier])  # type: ignore[misc]
        iq += mean == pytest.approx(float(row["neural_ans1_prob"]), abs=1e-12)
        for number in (2, 3, 4):
            answers = tuple(published_answers(row[f"neural_ans{number}_list"]))
            direct += share_of_yes(answers, "substring") == pytest.approx(
                float(row[f"neural_ans{number}_prob"]), abs=1e-12
            )
        shares = map(overlap, published_answers(row["neural_ans1_list"]))
        assert [share if isinstance(share, float) else 0.0 for share in shares] == pytest.approx(pairs)
    assert (len(table), iq, direct) == (1000, 1000, 3000)


def test_the_first_rows_and_the_means() -> None:
    scores = condensed().scores
    expected = ((0.305556, 1, 1, 1), (0.386667, 1, 0.3, 1), (0.276667, 1, 0.7, 0.8))
    for place, values in enumerate(expected):
        assert [scores[name][place] for name in ("iq", "dq1", "dq2", "dq3")] == pytest.approx(values, abs=2e-5)
    means = {name: float(rows(name).scores.mean()) for name in ("iq", "dq1", "dq2", "dq3")}
    assert means == pytest.approx({"iq": 0.414698, "dq1": 0.5167, "dq2": 0.3405, "dq3": 0.5610}, abs=1e-6)
    assert (scores["iq"].count(0.0), scores["iq"].count(1.0)) == (443, 308)
    assert condensed().grounded.count(False) == 468
    by_position = [sum(not known for known in condensed().grounded[place::5]) / 200 for place in range(5)]
    assert by_position == [0.320, 0.440, 0.455, 0.550, 0.575]


@pytest.mark.parametrize(
    ("one", "other", "difference", "z"),
    [("iq", "dq1", -0.008716, -0.730), ("iq+dq", "iq", 0.050260, 7.584), ("iq+dq", "dq", 0.011712, 2.322)],
)
def test_q8_paired_tests(one: str, other: str, difference: float, z: float) -> None:
    found = paired(rows(one), rows(other))
    assert found.value == pytest.approx(difference, abs=1e-6)
    assert found.z == pytest.approx(z, abs=5e-4)


def test_q9_the_bootstrap_draws_what_the_published_code_draws() -> None:
    plain = bootstrap(rows("iq"), 100)
    clustered = bootstrap(rows("iq"), 1000, by_group=True)
    assert plain is not None
    assert clustered is not None
    assert plain.mean == pytest.approx(0.876838, abs=1e-6)
    assert plain.sd == pytest.approx(0.0107, abs=5e-5)
    assert clustered.sd == pytest.approx(0.0124, abs=5e-4)


FDR = {
    "iq": ((0.0649, 0.0649, 0.0649, 0.0860, 0.1313, 0.2202, 0.3751, 0.4680), 0.308),
    "dq1": ((0.0601, 0.0601, 0.0601, 0.0617, 0.1160, 0.2214, 0.3722, 0.4680), 0.383),
    "dq": ((0.0089, 0.0089, 0.0197, 0.0489, 0.1191, 0.2050, 0.3586, 0.4680), 0.224),
    "iq+dq": ((0.0, 0.0050, 0.0150, 0.0539, 0.1040, 0.1942, 0.3523, 0.4680), 0.175),
}


@pytest.mark.parametrize("method", FDR)
def test_q10_false_discoveries_with_ties_in_expectation(method: str) -> None:
    expected, smallest = FDR[method]
    found = [fdr_at(rows(method), fraction) for fraction in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)]
    assert found == pytest.approx(expected, abs=5.1e-5)
    assert reachable(rows(method)) == smallest


@pytest.mark.parametrize(
    ("threshold", "kept", "fdr"),
    [(0, 557, 0.1724), (0.1622, 515, 0.1437), (0.3745, 444, 0.1036), (0.5, 396, 0.0833), (0.99, 308, 0.0649)],
)
def test_q10_thresholds(threshold: float, kept: int, fdr: float) -> None:
    found = kept_above(rows("iq"), threshold)
    assert found.rows == kept
    assert found.fdr == pytest.approx(fdr, abs=5.1e-5)


def test_q10_the_published_view_of_50_thresholds() -> None:
    view = threshold_view(rows("iq"))
    assert (len(view), view[0][0], view[-1][0]) == (50, -0.05, 0.99)
    assert view[0][1:] == (1.0, 0.468)
    assert view[-1][1] == 0.308
    assert view[-1][2] == pytest.approx(0.0649, abs=5.1e-5)
    drawn = interpolated_view(rows("iq"))
    assert (len(drawn), drawn[0][0], drawn[-1][0]) == (70, 0.31, 1.0)
    assert drawn[-1][1] == pytest.approx(0.468)
    exact = [fdr_at(rows("iq"), kept) or 0.0 for kept, _ in drawn]
    assert [fdr for _, fdr in drawn] == pytest.approx(exact, abs=0.05)  # straight lines cross groups of ties


@pytest.mark.parametrize(
    ("method", "inclusive", "precision", "recall"),
    [
        ("iq", True, 0.7202, 0.9295),
        ("dq1", True, 0.7993, 0.9103),
        ("iq", False, 0.7329, 0.9145),
        ("dq1", False, 0.8089, 0.8953),
    ],
)
def test_q10_what_is_flagged(method: str, inclusive: bool, precision: float, recall: float) -> None:
    found = flagged(rows(method), 0.5, inclusive=inclusive)
    assert (found.precision, found.recall) == pytest.approx((precision, recall), abs=5.1e-5)


def test_q11_the_experts_agree() -> None:
    with (SHARED / "expert_labels.csv").open(encoding="utf-8", newline="") as file:
        labels = list(csv.DictReader(file))
    columns = {name: [row[name] for row in labels] for name in ("A", "B", "C", "D", "bing")}
    kappas = [cohen(columns[one], columns[other]).kappa for one, other in combinations("ABCD", 2)]
    assert kappas == pytest.approx([0.9596, 0.9798, 0.9596, 0.9798, 1, 0.9798], abs=5.1e-5)
    web = [cohen(columns[one], columns["bing"]) for one in "ABCD"]
    assert [one.kappa for one in web] == pytest.approx([0.9798, 0.9798, 1, 0.9798], abs=5.1e-5)
    assert [one.observed for one in web] == [0.99, 0.99, 1.0, 0.99]
    assert [columns[name].count("H") for name in columns] == [55, 55, 56, 55, 56]
    assert fleiss(list(zip(*(columns[name] for name in "ABCD"), strict=True))).kappa == pytest.approx(
        0.976407, abs=1e-6
    )


def test_q11_labels_of_the_experts_are_combined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experts = str(SHARED / "expert_labels.csv")
    command = ["score", "selfcheck", "--combine", "A,B,C,D"]
    assert main([*command, experts, "--raters", "A,B,C,D,bing", "--format", "csv"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "combined (Fleiss),0.9883,0.9764" in out
    assert "majority - bing,1.0000,1.0000" in out
    assert "combined by majority: 44 grounded, 55 hallucinated, 1 tied" in out  # two experts against two
    # The same labels for the scores of GPT-4, which names some of the 99 titles twice.
    document = tmp_path / "found.json"
    assert main([*command, str(SHARED / "gpt-4"), "--labels", experts, "--json", str(document)]) == 0
    found = json.loads(document.read_text())["gpt-4"]
    titles = [row["gen_title"] for row in read_table(RAW)]
    with (SHARED / "expert_labels.csv").open(encoding="utf-8", newline="") as file:
        known = {row["title"] for row in csv.DictReader(file) if [row[name] for name in "ABCD"].count("G") != 2}
    assert found["rows"] == sum(title in known for title in titles) == 102
    assert found["methods"]["iq+dq"]["auc"] > 0.95


def test_q10_the_view_of_50_thresholds_does_not_depend_on_the_order_of_ties(tmp_path: Path) -> None:
    """The view of the answers, of the condensed counts, and of the counts in reverse order, against the plain rule."""
    header, *lines = CONDENSED.read_text(encoding="utf-8").splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([header, *reversed(lines)]) + "\n", encoding="utf-8")
    document = tmp_path / "found.json"
    assert main(["score", "selfcheck", str(RAW), str(CONDENSED), str(turned), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    for method in ("iq", "dq1", "dq2", "dq3", "dq", "iq+dq"):
        scores, grounded = condensed().scores[method], condensed().grounded
        expected = []
        for place in range(50):
            threshold = -0.05 + place * (0.99 + 0.05) / 49
            kept = [real for score, real in zip(scores, grounded, strict=True) if score > threshold]
            expected.append([threshold, len(kept) / 1000, kept.count(False) / len(kept) if kept else None])
        for file in ("gpt-4", "gpt4", "turned"):
            of = found[file]["methods"][method]
            for view, plain in zip(of["thresholds"], expected, strict=True):
                assert view == pytest.approx(plain, abs=1e-12)
            assert of["fdr_published_view"] == found["gpt4"]["methods"][method]["fdr_published_view"]


# Mean tokens (prompt, completion) of DS, IQ, DQ1, DQ2, DQ3: tables 4 to 6.
TOKENS: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "gpt-4": ((40.1, 443.4, 221.2, 299.6, 946.1), (64.8, 140.1, 67.2, 12.2, 30.3)),
    "gpt-3.5-turbo": ((40.1, 437.3, 224.1, 302.2, 1009.6), (71.8, 144.9, 28.8, 45.5, 75.8)),
    "text-davinci-003": ((39.7, 399.53, 232.36, 332.4, 995.1), (68.4, 90.6, 30.3, 21.8, 30.4)),
}
PRICES_OF_2023 = """
[[price]]
models = "gpt-4"
input = 30.0
output = 60.0
date = "2023-03-14"
source = "OpenAI, API pricing"

[[price]]
models = "gpt-3.5-turbo"
input = 2.0
output = 2.0
date = "2023-03-01"
source = "OpenAI, API pricing"

[[price]]
models = "text-davinci-003"
input = 20.0
output = 20.0
date = "2022-11-28"
source = "OpenAI, API pricing"
"""


@pytest.mark.parametrize(
    ("model", "tokens", "dollars"),
    [("gpt-4", 2.181, 73.32), ("gpt-3.5-turbo", 2.291, 4.58), ("text-davinci-003", 2.154, 43.08)],
)
def test_q12_tokens_and_cost_from_a_dated_price_file(model: str, tokens: float, dollars: float, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES_OF_2023)
    price = Prices.read(file).price(model)
    assert price is not None
    prompt, completion = (200 * of[0] + 1000 * sum(of[1:]) for of in TOKENS[model])
    assert (prompt + completion) / 1e6 == pytest.approx(tokens, abs=5.1e-4)
    assert Usage(prompt, completion, 0).cost(price) == pytest.approx(dollars, abs=5.1e-3)
    if model == "gpt-4":
        stated = [read_usage()[name] for name in ("iq", "dq1", "dq2", "dq3")]
        assert [(one.prompt, one.completion) for one in stated] == list(
            zip(*(of[1:] for of in TOKENS[model]), strict=True)
        )
        costs = [
            Usage(asked, said, 0).cost(price) for asked, said in zip(*(of[1:] for of in TOKENS[model]), strict=True)
        ]
        assert costs == pytest.approx([0.0217, 0.0107, 0.0097, 0.0302], abs=5.1e-5)


def _dq1(rule: YesRule, samples: int) -> float | None:
    answers = [tuple(published_answers(row["neural_ans2_list"])) for row in read_table(RAW)]
    scores = [share_of_yes(given[:samples], rule) or 0.0 for given in answers]
    return area(Labelled.of(scores, condensed().grounded)).value


@pytest.mark.parametrize(
    ("rule", "samples", "expected"),
    [
        ("substring", 1, 0.8199),
        ("substring", 3, 0.8743),
        ("substring", 5, 0.8813),
        ("substring", 10, 0.8868),
        ("starts", 10, 0.8910),
        ("three", 10, 0.8835),
    ],
)
def test_ablations_of_dq1(rule: YesRule, samples: int, expected: float) -> None:
    assert _dq1(rule, samples) == pytest.approx(expected, abs=5e-4)


def test_q6_the_answers_of_gpt_4_by_rule() -> None:
    answers = [answer for row in read_table(RAW) for answer in published_answers(row["neural_ans2_list"])]
    said = [YES["three"](answer) for answer in answers]
    assert (said.count(1.0), said.count(0.0), said.count(0.5)) == (4607, 1316, 4077)
    neither = [answer for answer, value in zip(answers, said, strict=True) if value == 0.5]
    assert sum(YES["substring"](answer) for answer in neither) == 560


def test_ablations_of_iq() -> None:
    table = read_table(CONDENSED)
    pairs = [[float(row[name]) for name in ("pair10", "pair20", "pair21")] for row in table]
    grounded = [bool(truth(row["grounded"])) for row in table]
    found = [
        area(Labelled.of(values, grounded)).value
        for values in ([of[0] for of in pairs], [max(of) for of in pairs], [min(of) for of in pairs])
    ]
    assert found == pytest.approx([0.8433, 0.8660, 0.8409], abs=5e-4)


def test_q4_local_overlap_loses_nothing_and_saves_half_of_the_calls() -> None:
    local, both = area(raw().of("iq-local")).value, area(raw().of("iq-local+dq")).value
    judged = area(raw().of("iq")).value
    assert local is not None
    assert both is not None
    assert judged is not None
    assert local >= 0.878
    assert both >= 0.928
    assert abs(local - judged) <= 0.005


def test_stopping_when_answers_agree_saves_half_of_the_calls_and_little_area() -> None:
    full, early = replay(RAW, Options(agree_after=None)), replay(RAW, Options())
    assert full.all_calls == 33
    assert early.all_calls < 0.46 * full.all_calls
    assert full.areas["iq+dq"] == pytest.approx(0.929, abs=5e-4)
    assert early.areas["iq+dq"] == pytest.approx(0.9244, abs=5e-4)


def test_the_command_prints_and_draws_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main(["score", "selfcheck", str(CONDENSED), "--group-size", "5", "--charts", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "1000 references, 468 hallucinated (46.8 %)" in said
    assert re.search(r"iq\+dq +0\.928 +0\.0080 ", said)
    assert (tmp_path / "selfcheck-gpt4.svg").read_text().startswith("<?xml")
