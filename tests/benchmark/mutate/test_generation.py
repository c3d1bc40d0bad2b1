"""Reproducible benchmarks, independent mutations, and reasons for impossible ones."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import (
    Benchmark,
    Stream,
    content_words,
    digest,
    entry_line,
    halves,
    is_balanced,
    mutations,
    outside_braces,
    split_text,
)
from pytest_citecheck.inputs import TIERS, LabelledEntry, read_split
from pytest_citecheck.matching import words
from pytest_citecheck.model import Reference
from tests.support.mutation_samples import THIS_YEAR, made_of, real, references
from tests.support.steps import steps

ONE = """@article{a, title = {A Robust Method for Learning}, author = {A. Silva and B. Kim and C. Rossi and D. Patel},
  journal = {Machine Learning}, year = 2015, doi = {10.1007/x}}"""


@pytest.mark.exhaustive
def test_the_same_file_and_seed_give_the_same_bytes() -> None:
    first, again, other = (split_text(made_of(real(), seed=seed).entries) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert first.isascii()


def test_a_digest_is_that_of_its_parts_as_json() -> None:
    # printf '["key", 0, "\\u00e9"]' | b2sum -l 128
    assert digest("key", 0, "é") == "13d0f6c870d5d23f91be1175ccaf8d6d"


@pytest.mark.exhaustive
def test_keys_and_order_do_not_tell_the_label() -> None:
    made = made_of(real())
    keys = [entry.key for entry in made.entries]
    assert keys == sorted(set(keys))
    assert all(len(key) == 12 and set(key) <= set("0123456789abcdef") for key in keys)
    # 70 valid ones among some 700: they stand neither in front nor behind, nor all side by side.
    valid = [place for place, entry in enumerate(made.entries) if entry.label == "VALID"]
    assert valid[0] < len(keys) / 5
    assert valid[-1] > len(keys) * 4 / 5


def by_origin(given: tuple[Reference, ...]) -> dict[tuple[str, str], LabelledEntry]:
    return {(entry.source, entry.hallucination_type or ""): entry for entry in made_of(given).entries}


@pytest.mark.exhaustive
def test_another_reference_changes_a_mutation_only_as_its_donor() -> None:
    """Every reference of the file in its turn is the one that came last."""
    whole = by_origin(real())
    changed = elsewhere = 0
    for place in range(0, len(real()), 10):
        newcomer = real()[place]
        before = by_origin((*real()[:place], *real()[place + 1 :]))
        differing = {origin for origin, entry in before.items() if whole.get(origin) != entry}
        kinds = {kind for _, kind in differing}
        # What needs no donor never changes.
        assert not kinds & {
            "",
            "fabricated_doi",
            "future_date",
            "near_miss_title",
            "placeholder_authors",
            "partial_author_list",
        }
        parts = {word for value in newcomer.raw.values() for word in words(value)}
        for origin in differing & whole.keys():
            old = {word for value in before[origin].fields.values() for word in words(value)}
            new = {word for value in whole[origin].fields.values() for word in words(value)}
            elsewhere += not (new - old) & {*parts, "conference", "journal"}
        changed += len(differing)
    # Seven newcomers of 70: one in seventy donors each, of some 500 mutations with up to twelve donors.
    assert 0 < changed < 7 * 500 * 12 / 70 * 2
    # A related newcomer may also decide which of several titles is the most fluent, or of which field a preprint is.
    assert elsewhere < changed / 5, (elsewhere, changed)


def test_a_file_of_one_reference() -> None:
    made = made_of(references(ONE))
    reasons = {kind: reason for (kind, reason), number in made.skipped.items() if number == 1}
    assert reasons == {
        "chimeric_title": "needs two other references whose titles can be joined",
        "swapped_authors": "needs another reference by other persons",
        "hybrid_fabrication": "needs another reference with other words",
        "merged_citation": "needs another reference by other persons",
        "plausible_fabrication": "needs two other references whose titles can be joined",
        "preprint_as_published": "needs a preprint",
    }
    kinds = {entry.hallucination_type for entry in made.entries}
    assert kinds == {None, *TIERS} - set(reasons)


@pytest.mark.parametrize(
    ("kind", "bibtex", "reason"),
    [
        ("fabricated_doi", ONE.replace("doi =", "note ="), "needs a DOI"),
        ("fabricated_doi", ONE.replace("10.1007/x", "10.{1007}/x"), "needs a DOI without breaks"),
        ("partial_author_list", ONE.replace(" and D. Patel", ""), "needs four or more authors"),
        ("partial_author_list", ONE.replace("D. Patel", "D. Patel and others"), "needs a complete author list"),
        ("placeholder_authors", ONE.replace("A. Silva", "{The X Consortium}"), "needs persons as authors"),
        ("wrong_venue", ONE.replace("Machine Learning}", "CoRR}"), "needs a paper in a journal or at a conference"),
        ("wrong_venue", ONE.replace("{Machine Learning}", "{XYZ}"), "needs a venue that certainly differs from a known one"),
        ("near_miss_title", ONE.replace("A Robust Method for Learning", "{\\'E}tude"), "needs a title with an English word that"),
    ],
)  # fmt: skip
def test_why_a_type_does_not_apply(kind: str, bibtex: str, reason: str) -> None:
    made = made_of(references(bibtex), kind)
    assert [entry.label for entry in made.entries] == ["VALID"]
    ((stated, number),) = ((key, value) for key, value in made.skipped.items())
    assert stated[0] == kind
    assert stated[1].startswith(reason)
    assert number == 1


@pytest.mark.parametrize(
    ("bibtex", "reason"),
    [
        (ONE.replace("title = {A Robust Method for Learning},", ""), "it has no title"),
        (ONE.replace("author =", "editor ="), "it has no author"),
        (ONE.replace("2015", "{in press}"), "it has no year"),
        (ONE.replace("journal =", "note ="), "it has no venue"),
        (ONE.replace("10.1007/x", "see below"), "one of its identifiers is malformed"),
        (ONE.replace("10.1007/x", "10.5555/12345"), "its DOI is a placeholder that is never registered"),
        (ONE.replace("year = 2015", "year = 2015, year = 2016"), "it has a defect (duplicate-field)"),
        (ONE.replace("2015", "undefined # {2015}"), "it has a defect (undefined-macro)"),
    ],
)
def test_what_is_not_fit_is_left_out(bibtex: str, reason: str) -> None:
    made = made_of(references(bibtex))
    assert made.entries == ()
    assert [unfit.reason for unfit in made.unfit] == [reason]


def test_a_key_counts_once() -> None:
    first = references(ONE)[0]
    made = made_of((first, replace(first, fields={**first.fields, "title": "Other"})), "future_date")
    assert [unfit.reason for unfit in made.unfit] == ["its key is a duplicate"]
    assert len(made.entries) == 2


def test_what_belongs_to_the_file_and_not_to_the_work_is_left_out() -> None:
    private = ONE.replace("year =", "file = {/home/me/a.pdf}, owner = {me}, keywords = {k}, bdsk-file-1 = {x}, year =")
    for entry in made_of(references(private)).entries:
        assert not {"file", "owner", "bdsk-file-1"} & set(entry.fields)
        assert entry.hallucination_type == "plausible_fabrication" or entry.fields["keywords"] == "k"


@pytest.mark.exhaustive
def test_the_most_of_a_type() -> None:
    made = made_of(real(), per_type=3)
    kinds = Counter(entry.hallucination_type or "" for entry in made.entries)
    assert kinds == {"": len(real()) - len(made.unfit), **dict.fromkeys(TIERS, 3)}
    some = {entry.key for entry in made.entries}
    assert some <= {entry.key for entry in made_of(real()).entries}


def test_mutations_alone() -> None:
    alone = list(mutations(real(), 5, ["wrong_venue", "future_date"], 2, THIS_YEAR))
    assert [entry.hallucination_type for entry in alone] == ["future_date"] * 2 + ["wrong_venue"] * 2
    whole = made_of(real(), "wrong_venue", "future_date", seed=5, per_type=2).entries
    assert sorted(alone, key=lambda entry: entry.key) == [entry for entry in whole if entry.label == "HALLUCINATED"]
    assert {entry.source for entry in alone} <= {reference.key for reference in real()}


def test_the_reader_of_splits_reads_what_is_written() -> None:
    made = made_of(real(), per_type=2).entries
    split = read_split("x.jsonl", (split_text(made).encode("ascii"),))
    assert split.problems == ()
    assert [replace(entry, line=0) for entry in split.entries] == list(made)


def test_a_line_of_each_kind() -> None:
    blind = LabelledEntry("k", "misc", {"title": "T\u2028", "author": "A"})
    assert entry_line(blind) == (
        '{"bibtex_key": "k", "bibtex_type": "misc", "fields": {"author": "A", "title": "T\\u2028"}, "schema_version": "1.0"}'
    )
    assert '"label": "VALID", "schema' in entry_line(replace(blind, label="VALID", tier=1))
    wrong = replace(blind, label="HALLUCINATED", hallucination_type="wrong_venue", tier=2)
    assert '"label": "HALLUCINATED", "hallucination_type": "wrong_venue", "difficulty_tier": 2, ' in entry_line(wrong)


@pytest.mark.exhaustive
@given(st.text(st.sampled_from("aeXé {}\\$-'.,:&\x1b\u202e\n") | st.characters(), max_size=30), st.integers(0, 5))
def test_hostile_values_are_carried_and_not_obeyed(text: str, place: int) -> None:
    hostile = references(ONE)[0]
    name = ("title", "author", "journal", "year", "doi", "note")[place]
    hostile = replace(
        hostile,
        fields={**hostile.fields, name: hostile.fields.get(name, "") + text},
        raw={**hostile.raw, name: hostile.raw.get(name, "") + text},
    )
    made = made_of((*real()[:5], hostile), per_type=9)
    lines = split_text(made.entries)
    assert lines.isascii()
    assert lines.count("\n") == len(made.entries)
    assert len({entry.key for entry in made.entries}) == len(made.entries)
    for entry in made.entries:
        if entry.source == "a" and entry.label == "VALID":
            assert entry.fields.get(name, "").endswith(text) or not text.strip()


WORDS = st.sampled_from([
    "deep", "Learning", "{Bayesian}", "{B}ayesian", "$x_{abcd}$", "\\emph{name}", "Dual-Stage", "näive", "of", "{\\L}ukasz",
    "Escher's", "U.S.Navy", "na{\\\"\\i}vely", "R\\&Dwork", "\\LaTeX", "``Quoted''", "end.", "{\\bf Bold}", "x_word",
])  # fmt: skip


@given(st.lists(WORDS, max_size=6))
def test_a_word_that_can_be_replaced_is_a_whole_word(parts: list[str]) -> None:
    title = " ".join(parts)
    before = words(title)
    for start, end in content_words(title):
        after = words(title[:start] + "zzzz" + title[end:])
        differing = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
        assert [other for _, other in differing] == ["zzzz"]


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("Deep Networks for Image Recognition", ("Deep Networks", " for Image Recognition")),
        ("{LSTM} Units: A {Search {for} Odysseys}", ("{LSTM} Units", ": A {Search {for} Odysseys}")),
        ("{{Deep Networks for Image Recognition}}", ("Deep Networks", " for Image Recognition")),
        ("{Deep} Networks {for Image Recognition}", None),  # nothing outside the braces
        ("Networks for Everyone", None),  # one word before
        ("Is It All There for Everyone Now?", None),  # a query
        ("On (Deep Nets for) Vision of Cats and Dogs", ("On (Deep Nets for) Vision", " of Cats and Dogs")),
        ("Attention", None),
    ],
)  # fmt: skip
def test_where_a_title_is_cut(title: str, cut: tuple[str, str] | None) -> None:
    assert halves(title) == cut


def test_braces_are_seen() -> None:
    assert [match.start() for match in outside_braces("a {a {b} a} a $a$ a", re.compile("a"))] == [0, 12, 18]
    assert not is_balanced("a (b")
    assert not is_balanced("{a")
    assert is_balanced("``a'' (b) {$c$}")


def test_choices_are_spread() -> None:
    stream = Stream("spread")
    found = Counter(stream.below(4) for _ in range(400))
    # 100 of each expected, standard deviation 8.7; five of them.
    assert all(56 < found[number] < 144 for number in range(4))
    assert sorted(stream.shuffled(range(9))) == list(range(9))


@pytest.mark.exhaustive
@pytest.mark.parametrize("alike", [False, True])
def test_work_grows_with_the_number_of_references_only(alike: bool) -> None:
    """This also holds if no reference has a donor in the file."""
    given = references(ONE) if alike else real()

    def made_of_fresh(count: int, name: str) -> tuple[int, Benchmark]:
        """Mutate ``count`` references whose titles are in no cache; return their number and the benchmark."""
        many = [
            replace(
                reference,
                key=f"{reference.key}-{copy}",
                raw={
                    **reference.raw,
                    "title": f"{reference.raw['title']} {Stream(f'{name} {copy}').below(10**18):018}",
                },
            )
            for copy in range(420 // len(given))
            for reference in given
        ][:count]
        return len(many), made_of(many, per_type=None if alike else 30)

    count, made = made_of_fresh(420, "all")
    valid = [entry for entry in made.entries if entry.label == "VALID"]
    assert len(valid) == count - len(made.unfit)
    assert max(Counter(entry.hallucination_type for entry in made.entries).values()) == (count if alike else len(valid))
    few, more = (steps(lambda some=some: made_of_fresh(some, f"first {some}")) for some in (110, 220))  # type: ignore[misc]
    assert more < 2.4 * few  # a hundred donors are tried at most
