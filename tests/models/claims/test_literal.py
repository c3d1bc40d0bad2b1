"""The judge without a model fails hard contradictions, passes what the source says in the same words, and abstains otherwise."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.claims import (
    UNDECIDED,
    ClaimPair,
    Panel,
    judge_without_model,
    panel_row,
    row_of_judgement,
    strict_metrics,
)

SOURCE = (
    "The lighthouse of Skerry Point was finished in 1832 after six years of work. It was designed by Ann Drummond, the first "
    "woman to lead such a project on the coast. The tower is 31 metres high and built of granite from the island of Ross. "
    "Damage by storms fell by 22 percent in the years after. Rome defeated Carthage at sea. The library opened on 3 May 2009 "
    "and cost 28 million euros. The team won the final 3–1 in Bern. We did not measure yields. "
    "It may have been a signal station. It holds 350,000 volumes."
)
S, N = "Supported", "Not supported"
CLAIMS = {
    # numbers with units, dates, scores
    "The lighthouse of Skerry Point was finished in 1823.": N,
    "The tower is 41 metres high and built of granite.": N,
    "Damage by storms fell by 32 percent in the years after.": N,
    "The library opened on 3 May 2019.": N,
    "The library opened on 3 June 2009.": None,
    "The library opened on 3 May 2009 and cost 82 million euros.": N,
    "The team won the final 3–2 in Bern.": N,
    "It holds 530,000 volumes.": N,
    # negation, roles, names: beyond this judge
    "The lighthouse of Skerry Point was not finished in 1832.": None,
    "We did measure yields.": None,
    "Carthage defeated Rome at sea.": None,
    "It was designed by John Smith, the first woman to lead such a project on the coast.": None,
    # the same words
    "The lighthouse of Skerry Point was finished in 1832 after six years of work.": S,
    "It holds 350,000 volumes.": S,
    # nearly the same words, or the same in another order
    "The lighthouse of Skerry Point was finished in 1832.": None,
    "The lighthouse of Skerry Point was finished in 1832 after 6 years of work.": None,
    "In 1832, the lighthouse of Skerry Point was finished.": None,
    "The tower is built of granite from the island of Ross and 31 metres high.": None,
    "Carthage was defeated by Rome at sea.": None,
    # what words do not show
    "Damage by storms rose by 22 percent in the years after.": None,
    "The lighthouse of Skerry Point was painted in 1832.": None,
    "The tower is about 30 metres high and built of granite.": None,
    "The tower is 102 feet high and built of granite.": None,
    "It was a signal station.": None,
    "It was not a signal station.": None,
    "The keeper was a poet.": None,
    "Granite towers withstand storms.": None,
    "The last keeper left in 1984.": None,
    # a sentence about another thing
    "The team won the final 4–2 in 1999.": None,
    "Damage by storms fell by 12 percent in the 3 years after.": None,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_decided_only_by_what_words_show(claim: str) -> None:
    found = judge_without_model(claim, SOURCE)
    assert found.verdict == CLAIMS[claim], found.comments
    if found.verdict is not None:
        assert found.quote in SOURCE
    assert (found.reason_type == "contradiction") == (found.verdict == N)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The bridge was opened to traffic in 1985.", "The bridge was not opened to traffic until 1985."),
        ("In 2019 the service had 4 million users.", "In 2018 the service had 3 million users."),
        ("The service had about 4 million users.", "The service had 4.2 million users."),
        ("The service had 4 million users.", "The service had 4.2 million users."),
        ("The service had more than 3 million users.", "The service had 4.2 million users."),
    ],
)
def test_what_only_looks_like_a_contradiction_fails_no_claim(claim: str, sentence: str) -> None:
    source = f"Much was written about it, by friends and by others. {sentence} Nobody knows what will come after that."
    assert judge_without_model(claim, source).verdict != N


def test_an_abstention_states_that_all_was_searched_and_is_no_unreadable_answer() -> None:
    found = judge_without_model("The keeper was a poet.", SOURCE)
    assert found.comments == f"words alone do not decide it; all {len(SOURCE):,} characters of the source were searched"
    row = row_of_judgement(ClaimPair("a", "The keeper was a poet.", SOURCE, "Supported"), "overlap", "overlap", found)
    assert row.verdict == UNDECIDED
    scores = strict_metrics([row])
    assert (scores["abstained"], scores["coverage"], scores["parseErrors"], scores["exact"]["n"]) == (1, 0, 0, 0)


def test_an_abstention_has_no_vote() -> None:
    pair = ClaimPair("a", "The keeper was a poet.", SOURCE)
    said = [row_of_judgement(pair, name, name, judge_without_model(pair.claim, SOURCE)) for name in "xy"]
    row = panel_row(Panel("p", ("x", "y")), said)
    assert row.error == "only 0 of 2 members gave a verdict"


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", ["1" * 50_000, "1," * 20_000, "A b. " * 20_000, "a-" * 20_000, "&amp;" * 9_000])
def test_nonsense_ends_soon(text: str) -> None:
    judge_without_model(text[:10_000], text)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "Night buses reduced the noise in the centre.",
            "We found no evidence that night buses reduced the noise in the centre.",
        ),
        (
            "Night buses reduced the noise in the centre.",
            "It is not true that night buses reduced the noise in the centre.",
        ),
        (
            "Night buses reduced the noise in the centre.",
            "Have night buses reduced the noise in the centre? We found none.",
        ),
        (
            "Ridership on the coastal line doubled in the winter.",
            "A report had said in its summary that it was not true that\nridership on the coastal line doubled in the winter.",
        ),
        ("Women used the night buses more often than men did.", "Men used the night buses more often than women did."),
        ("The share of riders rose from 40 to 55 in winter.", "The share of riders rose from 55 to 40 in winter."),
        (
            "Oil lamps lit the streets in 1868 and in 1926.",
            "Oil lamps lit the streets in 1868. Electric light came in 1926.",
        ),
    ],
)
def test_a_sentence_that_turns_the_claim_does_not_support_it(claim: str, source: str) -> None:
    assert judge_without_model(claim, f"{source} The buses are red and have two decks.").verdict != S


@pytest.mark.parametrize("stated", ["0.4 million", "412,000", "410,000", "about 0.4 million"])
def test_a_rounded_number_is_no_contradiction(stated: str) -> None:
    source = "The new bus line cost the town 412,000 euros in its first year."
    assert judge_without_model(f"The new bus line cost the town {stated} euros in its first year.", source).verdict != N
