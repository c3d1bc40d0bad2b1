"""Types of mutation: the changed and unchanged fields, and a result that is really wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import build
from pytest_citecheck.inputs import FALSE_SUBTESTS, SUBTESTS, TIERS, LabelledEntry, blind_reference
from pytest_citecheck.matching import compare_titles, compare_venues, is_preprint_venue, lookup, same_person, words
from pytest_citecheck.model import CitedMetadata
from tests.support.mutation_samples import THIS_YEAR, claimed, made_of, made_of_real, references, the_only
from tests.support.records import work

SEEDS = (0,)


@cache
def pairs(kind: str) -> list[tuple[LabelledEntry, LabelledEntry]]:
    """Return the mutations of this type with the correct entries that they came from."""
    found = []
    for seed in SEEDS:
        entries = made_of_real(seed).entries
        right = {entry.source: entry for entry in entries if entry.label == "VALID"}
        found += [(right[entry.source], entry) for entry in entries if entry.hallucination_type == kind]
    assert found
    return found


def same_title(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return compare_titles(right.title, wrong.title).relation == "same"


def same_authors(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return right.people == wrong.people


def no_common_author(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return all(same_person(one, other) == "different" for one in right.people.names for other in wrong.people.names)


def same_venue(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return right.venue == wrong.venue


def other_venue(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    """Check for a different venue, not a different spelling; venues that the table lacks must at least differ."""
    return bool(wrong.venue) and compare_venues(right.venue, wrong.venue) != "same"


def same_year(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return right.year == wrong.year


def same_doi(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return right.identifiers.doi == wrong.identifiers.doi


def not_(rule: Callable[[CitedMetadata, CitedMetadata], bool]) -> Callable[[CitedMetadata, CitedMetadata], bool]:
    return lambda right, wrong: not rule(right, wrong)


def far_future(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return THIS_YEAR + 4 <= (wrong.year or 0) <= THIS_YEAR + 10


def year_beside(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return abs((right.year or 0) - (wrong.year or 0)) == 1


def fewer_authors(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    names, kept = right.people.names, wrong.people.names
    places = [names.index(name) for name in kept]
    ends = places[0] == 0 and places[-1] == len(names) - 1
    return ends and places == sorted(places) and 2 <= len(kept) <= 3 < len(names) and not wrong.people.others


def other_content(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    comparison = compare_titles(right.title, wrong.title)
    return comparison.relation in ("near", "different") and not comparison.only_function_words


def some_shared_words(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return bool(set(right.title.lower().split()) & set(wrong.title.lower().split()))


def no_identifier(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    stated = wrong.identifiers
    return not (stated.doi or stated.arxiv or stated.pmid or stated.isbn or stated.acl or stated.dblp)


def other_registrant(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    """Check that no agency has assigned the prefix (six digits, or five from 90000 on) and the rest is unchanged."""
    prefix, _, suffix = wrong.identifiers.doi.partition("/")
    code = prefix.removeprefix("10.")
    return suffix == right.identifiers.doi.partition("/")[2] and (len(code) == 6 or 90_000 <= int(code) <= 99_999)


def published(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    known = lookup(wrong.venue)
    return is_preprint_venue(right.venue) and known is not None and known.kind in ("journal", "conference")


def known_venue(right: CitedMetadata, wrong: CitedMetadata) -> bool:
    return lookup(wrong.venue) is not None


RULES: dict[str, tuple[Callable[[CitedMetadata, CitedMetadata], bool], ...]] = {
    "fabricated_doi": (other_registrant, same_title, same_authors, same_venue, same_year),
    "nonexistent_venue": (other_venue, not_(known_venue), same_title, same_authors, same_year, same_doi),
    "placeholder_authors": (no_common_author, same_title, same_venue, same_year, same_doi),
    "future_date": (far_future, same_title, same_authors, same_venue, same_doi),
    "chimeric_title": (not_(same_title), same_authors, same_venue, same_year, same_doi),
    "wrong_venue": (other_venue, known_venue, same_title, same_authors, same_year, same_doi),
    "swapped_authors": (no_common_author, same_title, same_venue, same_year, same_doi),
    "preprint_as_published": (published, other_venue, same_title, same_authors, same_year),
    "hybrid_fabrication": (other_content, no_common_author, same_venue, same_year, same_doi),
    "merged_citation": (no_common_author, other_venue, same_title, same_doi),
    "partial_author_list": (fewer_authors, same_title, same_venue, same_year, same_doi),
    "near_miss_title": (other_content, some_shared_words, same_authors, same_venue, same_year, same_doi),
    "plausible_fabrication": (not_(same_title), no_common_author, no_identifier, same_venue, same_year),
    "arxiv_version_mismatch": (other_venue, known_venue, year_beside, same_title, same_authors),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", TIERS)
def test_what_is_changed_and_what_is_not(kind: str) -> None:
    for right, wrong in pairs(kind):
        for rule in RULES[kind]:
            assert rule(claimed(right), claimed(wrong)), (rule.__name__, wrong.explanation)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", TIERS)
def test_labels(kind: str) -> None:
    for right, wrong in pairs(kind):
        assert (wrong.hallucination_type, wrong.tier, wrong.generation_method) == (kind, TIERS[kind], "perturbation")
        assert set(wrong.subtests) == set(SUBTESTS)
        said_false = {name for name, value in wrong.subtests.items() if value is False}
        assert said_false == {*FALSE_SUBTESTS[kind], "cross_db_agreement"}
        assert (wrong.subtests["doi_resolves"] is None) == ("doi" not in wrong.fields)
        assert not {name for name, value in right.subtests.items() if value is False}
        assert right.explanation == "" != wrong.explanation


@pytest.mark.parametrize("kind", TIERS)
def test_untouched_fields_stay_as_written(kind: str) -> None:
    for right, wrong in pairs(kind):
        for name in right.fields.keys() | wrong.fields.keys():
            if right.fields.get(name) != wrong.fields.get(name):
                assert name in wrong.explanation, (name, wrong.explanation)
        assert not blind_reference(wrong, "split.jsonl").defects


PAPER = """@inproceedings{a, title = {{Deep} Residual Network for {I}mages}, author = {Ana Silva and Bo {\\O}stergaard},
  booktitle = {International Conference on Machine Learning}, year = 2015, doi = {10.1109/X.2015.9}}"""


def test_latex_beside_a_replaced_word_stays() -> None:
    titles = {the_only(references(PAPER), "near_miss_title", seed).fields["title"] for seed in range(20)}
    # The words of the table for "Deep", in its braces, and for "Network"; and the plural of the latter.
    assert titles == {
        "{Hierarchical} Residual Network for {I}mages",
        "{Deep} Residual Architecture for {I}mages",
        "{Deep} Residual Model for {I}mages",
        "{Deep} Residual Networks for {I}mages",
    }


def test_a_year_in_two_fields_is_changed_in_both() -> None:
    paper = PAPER.replace("year = 2015", "year = 2015, date = {2015-07-01}, urldate = {2015-08-01}")
    fields = the_only(references(paper), "future_date").fields
    assert fields["date"] == f"{fields['year']}-07-01"
    assert fields["urldate"] == "2015-08-01"


def test_an_entry_dated_ahead_is_moved_from_there() -> None:
    entry = the_only(references(PAPER.replace("2015,", "2027,")), "future_date")
    assert 2031 <= int(entry.fields["year"]) <= 2037


def test_another_version_is_never_dated_ahead() -> None:
    given = references(PAPER.replace("2015,", f"{THIS_YEAR},"))
    years = {the_only(given, "arxiv_version_mismatch", seed).fields["year"] for seed in range(10)}
    assert years == {str(THIS_YEAR - 1)}


def test_another_venue_leaves_nothing_of_the_old_one() -> None:
    rich = PAPER.replace(
        "year =", "volume = 37, series = {PMLR}, editor = {X, Y}, address = {Lille}, pages = {1--9}, year ="
    )
    fields = the_only(references(rich), "wrong_venue").fields
    assert set(fields) == {"title", "author", "booktitle", "year", "doi"}


def test_another_spelling_is_no_other_title() -> None:
    british = PAPER.replace("{{Deep} Residual Network for {I}mages}", "{Colour Modelling}")
    american = "@misc{b, title = {Color Modeling}, author = {C. Kim}, year = 2001}"
    titles, skipped = set(), 0
    for seed in range(12):
        made = made_of(references(british + american), "hybrid_fabrication", seed=seed)
        titles |= {entry.fields["title"] for entry in made.entries if entry.label == "HALLUCINATED"}
        skipped += made.skipped.get(("hybrid_fabrication", "needs a title with two words that can be replaced"), 0)
    assert not titles
    assert skipped


def test_what_only_the_hidden_address_says_does_not_count() -> None:
    preprint = "@misc{b, title = {Adam}, author = {D. Kingma}, year = 2014, url = {https://arxiv.org/abs/1412.6980}}"
    made = made_of(references(preprint), "preprint_as_published", "fabricated_doi")
    assert {reason for _, reason in made.skipped} == {"needs a preprint", "needs a DOI"}
    assert made.entries[0].fields["url"] == "https://arxiv.org/abs/1412.6980"
    shown = preprint.replace("url = {https://arxiv.org/abs/1412.6980}", "eprint = {1412.6980}, archiveprefix = {arXiv}")
    assert the_only(references(shown), "preprint_as_published").type in ("article", "inproceedings")


def test_every_type_is_described() -> None:
    page = (Path(__file__).parents[3] / "docs" / "benchmark-formats.md").read_text(encoding="utf-8")
    section = page.partition("\n## Make a benchmark of your own references\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(TIERS)


@pytest.mark.parametrize(("archive", "of_computing"), [("cs.CL", True), ("astro-ph.EP", False)])
def test_a_preprint_is_published_in_its_own_field(archive: str, of_computing: bool) -> None:
    for number in range(20):
        preprint = (
            f"@misc{{p{number}, title = {{Measured things of kind {number}}}, author = {{Ames, Ann and Boyd, Bo}}, "
            f"year = {{2021}}, eprint = {{2101.0{1000 + number}}}, archiveprefix = {{arXiv}}, primaryclass = {{{archive}}}}}"
        )
        made = the_only(references(preprint), "preprint_as_published")
        venue = lookup(made.fields.get("journal", "") or made.fields.get("booktitle", ""))
        assert venue is not None
        assert bool(venue.dblp) == of_computing


RELATED = r"""
@article{dust1, title={{Dust devil activity over the Taklimakan Desert}}, author={Smith, John and Doe, Jane}, journal={\jgr},
  year=2001, doi={10.1029/2000JE001234}}
@article{dust2, title={{Dust storm activity over the Tibetan Plateau}}, author={Ames, Ann and Boyd, Bo}, journal={\grl},
  year=2002, doi={10.1029/2000JE001235}}
@article{dust3, title={Mineral dust emission from the Sahara}, author={Cole, Carl and Dean, Dora}, journal={\jgr},
  year=2003, doi={10.1029/2000JE001236}}
@misc{lm1, title={Scaling instruction tuning of large language models}, author={Fox, Finn and Gray, Gwen}, year=2023,
  eprint={2301.01234}, archiveprefix={arXiv}, doi={10.48550/arXiv.2301.01234}}
@inproceedings{lm2, title={Continual instruction tuning of neural translation systems}, author={Hill, Hans and Ives, Ida},
  booktitle={EMNLP}, year=2022, doi={10.18653/v1/2022.emnlp-main.1}}
@inproceedings{lm3, title={Probing large language models for grammatical knowledge}, author={Kent, Kim and Long, Lee},
  booktitle={ACL}, year=2021, doi={10.18653/v1/2021.acl-long.1}}
@article{ja1, title={深層学習による画像生成}, author={高橋, 健太 and 鈴木, 太郎}, journal={情報処理学会論文誌}, year=2013}
@article{ja2, title={画像認識のための学習手法}, author={中田 一郎}, journal={電子情報通信学会論文誌}, year=2014}
"""
DUST, LANGUAGE = ("dust1", "dust2", "dust3"), ("lm1", "lm2", "lm3")


@cache
def made_of_related() -> list[LabelledEntry]:
    found = [entry for seed in range(6) for entry in made_of(references(RELATED), seed=seed).entries]
    assert {entry.source for entry in found} == {*DUST, *LANGUAGE, "ja1", "ja2"}  # macros of journals are known
    return [entry for entry in found if entry.label == "HALLUCINATED"]


@pytest.mark.parametrize("related", [DUST, LANGUAGE])
def test_titles_are_reworded_with_related_titles(related: tuple[str, ...]) -> None:
    own = {word for one in references(RELATED) if one.key in related for word in words(one.fields["title"])}
    made = [entry for entry in made_of_related() if entry.hallucination_type == "hybrid_fabrication"]
    titles = [words(claimed(entry).title) for entry in made if entry.source in related]
    assert titles
    assert all(set(title) <= own for title in titles)


def test_halves_of_titles_fit() -> None:
    """Titles of two languages are not joined, and no topic is named twice."""
    made = [entry for entry in made_of_related() if entry.hallucination_type == "chimeric_title"]
    assert made
    for entry in made:
        found = [word for word in words(claimed(entry).title) if len(word) > 3]
        assert len(found) == len(set(found)), entry.explanation


def test_venues_are_of_the_field_and_in_the_language() -> None:
    for entry in made_of_related():
        venue = claimed(entry).venue
        if entry.hallucination_type == "preprint_as_published":
            known = lookup(venue)
            assert known is not None
            assert known.dblp, venue
        elif entry.hallucination_type == "nonexistent_venue":
            assert (venue[-2:] in ("文誌", "研究")) == (entry.source in ("ja1", "ja2")), venue
            assert not re.search("Learning|Language|Software", venue) or entry.source in LANGUAGE, venue


def test_invented_names_are_in_the_script_of_the_authors() -> None:
    kinds = ("placeholder_authors", "hybrid_fabrication", "plausible_fabrication")
    made = [entry for entry in made_of_related() if entry.hallucination_type in kinds]
    assert {entry.source for entry in made} >= {"dust1", "lm1", "ja1", "ja2"}
    for entry in made:
        names = entry.fields["author"].replace(" and ", " ")
        latin = [letter.isascii() for letter in names if letter.isalpha()]
        assert not any(latin) if entry.source in ("ja1", "ja2") else sum(latin) > len(latin) / 2, names


def test_the_command_takes_related_works_from_an_index(tmp_path: Path) -> None:
    title = "Dust devil {} over the Gobi Desert"
    works = [
        work(
            "crossref",
            str(number),
            title.format(what),
            ("Quill Querl", "Rhea Rost"),
            2010 + number,
            "Icarus",
            f"10.1/{number}",
        )
        for number, what in enumerate(("formation", "lifting", "tracks"))
    ]
    build(tmp_path / "my.index", works)
    refs, out = tmp_path / "refs.bib", tmp_path / "out.jsonl"
    refs.write_text(RELATED.partition("@article{dust2")[0], encoding="utf-8")
    command = ["mutate", str(refs), "--types", "hybrid_fabrication,swapped_authors", "-o", str(out)]
    assert main(command) == 0
    assert "Gobi" not in out.read_text(encoding="utf-8")
    assert main([*command, "--index", str(tmp_path / "my.index")]) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    fields = {row.get("hallucination_type"): row["fields"] for row in rows}
    assert fields["swapped_authors"]["author"] == "Quill Querl and Rhea Rost"
    assert fields["hybrid_fabrication"]["title"] != "Dust devil activity over the Taklimakan Desert"
    assert main([*command, "--index", str(tmp_path / "none.index")]) == 2
