"""Names of a conference's main proceedings, of their parts, and of related events."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import (
    PLACES,
    all_venues,
    compare_venues,
    fold,
    lookup,
    parse_venue,
    venue_kind,
    venue_words,
)
from pytest_citecheck.matching import venue_names as unmatched_words
from pytest_citecheck.matching import venue_tables as abbreviations

# Full name, acronym, sponsor, id in the table.
CONFERENCES = [
    ("International Conference on Machine Learning", "ICML", "", "icml"),
    ("International Conference on Learning Representations", "ICLR", "", "iclr"),
    ("Conference on Neural Information Processing Systems", "NeurIPS", "", "neurips"),
    ("Conference on Computer Vision and Pattern Recognition", "CVPR", "IEEE/CVF", "cvpr"),
    ("International Conference on Computer Vision", "ICCV", "IEEE", "iccv"),
    ("European Conference on Computer Vision", "ECCV", "", "eccv"),
    ("Conference on Artificial Intelligence", "AAAI", "AAAI", "aaai"),
    ("International Joint Conference on Artificial Intelligence", "IJCAI", "", "ijcai"),
    ("Conference on Empirical Methods in Natural Language Processing", "EMNLP", "", "emnlp"),
    ("Annual Meeting of the Association for Computational Linguistics", "ACL", "", "acl"),
    ("Conference on Knowledge Discovery and Data Mining", "KDD", "ACM SIGKDD", "kdd"),
    ("Conference on Human Factors in Computing Systems", "CHI", "ACM SIGCHI", "chi"),
    ("Symposium on Operating Systems Principles", "SOSP", "ACM SIGOPS", "sosp"),
    ("Symposium on Discrete Algorithms", "SODA", "ACM-SIAM", "soda"),
    ("Conference on Computer and Communications Security", "CCS", "ACM SIGSAC", "ccs"),
    ("Symposium on Networked Systems Design and Implementation", "NSDI", "USENIX", "nsdi"),
]
FORMS = [
    "{name}",
    "{acronym}",
    "{acronym} 2017",
    "2017 {acronym}",
    "{acronym}'17",
    "{acronym} '17",
    "{acronym}-2017",
    "{acronym}2017",
    "In {acronym}",
    "In Proc. of {acronym}",
    "In Proceedings of {acronym} 2017",
    "Proc. {acronym} 2017",
    "Proceedings of the {acronym}",
    "{acronym} Conference",
    "{sponsor} {acronym} 2017",
    "{sponsor} {name}",
    "2017 {sponsor} {name} ({acronym})",
    "Proceedings of the 36th {name}",
    "Proceedings of the Thirty-Sixth {name}",
    "In Proceedings of the 36th Annual {sponsor} {name} ({acronym} 2017)",
    "The Thirty-First {name}, {acronym} 2017",
    "{name} ({acronym})",
    "{name} - {acronym} 2017",
    "{acronym}: {name}",
    "{acronym} '17: Proceedings of the 36th {sponsor} {name}, Long Beach, CA, USA",
    "Proceedings of the 36th {name}, ser. {acronym}'17",
    "{name}, 2017, Vancouver",
    "{acronym} 2017, Rio de Janeiro, Brazil, June 9-15, 2017",
    "36th {name}, {acronym} 2017, Tagaytay, Philippines, June 9th - 15th, 2017, Proceedings, Part II",
    "{name}, {acronym} 2017, São Paulo, Brazil",
    "{acronym}, Virtual Event",
    "{name} (online)",
    "{acronym} (Oral)",
    "{acronym} 2017 (Poster)",
    "{acronym} (spotlight presentation)",
    "{acronym} Main Conference Track",
    "{acronym} 2017, Research Track",
    "{name} ({acronym}), Volume 1: Long Papers",
    "{acronym} (Short Papers)",
    "{acronym} 2017, Part I",
    "{acronym} (3)",
    "{acronym}, Lecture Notes in Computer Science, Springer, Cham",
    "{acronym} 2017, LNCS 10426, pp. 1-17, Springer",
    "{acronym} 2017, pages 1-9. PMLR",
    "{acronym}, volume 97 of Proceedings of Machine Learning Research, pages 12-24",
    "Proceedings of the 36th {name}, vol. 28, pp. 3-11, JMLR Workshop and Conference Proceedings",
    "{acronym} 2017, ACM, New York, NY, USA",
    "{name}, IEEE Computer Society, Los Alamitos, CA",
    "Proceedings of {acronym}, AAAI Press",
]
MAIN = [
    # How DBLP, Springer, the ACM and NeurIPS write them.
    ("Advances in Neural Information Processing Systems 30 (NIPS 2017)", "neurips"),
    (("Advances in Neural Information Processing Systems, volume 30, pages 1-9, Long Beach, December 2017. Curran"
     " Associates, Inc."), "neurips"),
    (("Advances in Neural Information Processing Systems 32: Annual Conference on Neural Information Processing Systems"
     " 2019, NeurIPS 2019, December 8-14, 2019, Vancouver, BC, Canada"), "neurips"),
    (("Computer Vision - ECCV 2014 - 13th European Conference, Zurich, Switzerland, September 6-12, 2014, Proceedings,"
     " Part V"), "eccv"),
    ("Computer Vision – ECCV 2016, LNCS 9905", "eccv"),
    (("Machine Learning, Proceedings of the Twenty-Fifth International Conference (ICML 2008), Helsinki, Finland, June"
     " 5-9, 2008"), "icml"),
    ("ICML '08: Proceedings of the 25th international conference on Machine learning", "icml"),
    ("Proc. 36th Int. Conf. Mach. Learn. (ICML), Long Beach", "icml"),
    ("Proc. IEEE Conf. Comput. Vis. Pattern Recognit. (CVPR), Jun. 2016", "cvpr"),
    ("IEEE International Conference on Acoustics, Speech and Signal Processing ICASSP 2023, Rhodes Island, Greece", "icassp"),
    ("30th USENIX Security Symposium (USENIX Security 21)", "usenix-security"),
    ("30th {USENIX} Security Symposium, Vancouver, B.C.", "usenix-security"),
    ("CVPR 2016 Best Paper Award", "cvpr"),
    ("KDD 2019, Applied Data Science Track", "kdd"),
    ("ICML 2019, Long Hill, Sweden", "icml"),
    ("IEEE/CVF International Conference on Computer Vision, ICCV 2019, Seoul, Korea (South), October 27, 2019", "iccv"),
    ("Proceedings of the Thirty-Second International Joint Conference on Artificial Intelligence, Macao, SAR, China", "ijcai"),
    ("International Conference on Artificial Intelligence and Statistics, Palau de Congressos, Valencia, Spain", "aistats"),
    ("International Conference on Machine Learning, ICML 2018, Stockholmsmässan, Stockholm, Sweden", "icml"),
    ("SIAM International Conference on Data Mining, SDM 2018, San Diego Marriott Mission Valley, San Diego, CA, USA", "sdm"),
    ("Proceedings of the 25th ACM SIGKDD International Conference, KDD 2019, Anchorage, AK, USA", "kdd"),
    ("International Conference on Information and Knowledge Management, CIKM 2015, Melbourne, VIC, Australia", "cikm"),
    ("Proc. Annu. Conf. Int. Speech Commun. Assoc.", "interspeech"),
    ("Proc. 57th Annu. Meet. Assoc. Comput. Linguist.", "acl"),
    ("Proc. Int. Jt. Conf. Nat. Lang. Process.", "ijcnlp"),
    ("ACL (1)", "acl"),
    # Names with commas in them, and conferences that call themselves workshops, or once did.
    ("Conference on Fairness, Accountability, and Transparency, New York, NY, USA", "facct"),
    ("Proceedings of the 2020 Conference on Fairness, Accountability, and Transparency, Barcelona, Spain, 2020", "facct"),
    ("Conference on Fairness, Accountability, and Transparency, PMLR", "facct"),
    ("Conference on AI, Ethics, and Society, ACM Press", "aies"),
    ("2021 IEEE Spoken Language Technology Workshop (SLT), Shenzhen, China", "slt"),
    ("IEEE Automatic Speech Recognition and Understanding Workshop, Waikoloa, HI, USA", "asru"),
    ("Proceedings of the 10th International Workshop on Semantic Evaluation (SemEval-2016)", "semeval"),
    ("Proceedings of the Twentieth Workshop on Algorithm Engineering and Experiments, ALENEX 2018, Austin, TX, USA", "alenex"),
    ("Annual Workshop on Computational Learning Theory, pp. 144-152, Pittsburgh, USA", "colt"),
    ("Workshop on Machine Translation, p. 12", "wmt"),
    ("Vol. 97 of ICML", "icml"),
]  # fmt: skip
# Each row names something at a conference, and none of them its main proceedings.
BESIDE = [
    "BigLearn, NIPS", "NeurIPS 2022 Competition Track", "NeurIPS 2023 MATH-AI", "ICLR 2023 TinyPapers",
    "ICLR 2024 Blog Posts", "CVPR 2021 NTIRE", "CVPR 2021 FGVC8", "ICML 2019 Time Series", "IJCAI 2019 XAI",
    "Interpretable ML Symposium, NIPS 2017", "NIPS Symposium", "NeurIPS Symposium", "IJCAI (AI Safety)",
    "ML4H @ NeurIPS", "Bayesian Deep Learning, NeurIPS", "ML for Systems, NeurIPS",
    "Women in Machine Learning, NeurIPS", "JMLR Workshop Proc.", "NIPS 2016 Deep Learning Symposium",
    "Proceedings of the 10th Pacific Asia Conference on Language, Information and Computation",
    "ICML Workshop", "ICML Workshops 2019", "KDD Cup 2012", "KDD 2012 Cup", "AAAI Spring Symposium",
    "AAAI 2012 Fall Symposium Series",
    "NeurIPS 2019 Retrospectives", "NeurIPS 2020 Expo", "NeurIPS 2021 Social", "NeurIPS 2019 Affinity Event",
    "ICLR 2022 Challenge", "ICLR 2019 Reproducibility Challenge", "ICML 2020 Tutorial", "CHI EA '20",
    "CHI 2019 Late-Breaking Work", "CHI 2019 Extended Abstracts", "WWW 2018 Companion", "ICSE 2019 Doctoral Symposium",
    "ICSE 2020 NIER", "VLDB 2018 Ph.D. Symposium", "EMNLP 2022 Industry Track", "NAACL-HLT (Industry Papers)",
    "ACL 2019 Student Research", "AAAI 2020 Student Abstract", "CVPR 2022 Demo", "NeurIPS Demonstration Track 2019",
    "Advances in Neural Information Processing Systems, vol. 32, Competition Track", "ICML, vol. 2, Deep Learning Day",
    "Foundation Models, ICML 2023, Honolulu, Hawaii, USA", "CVPRW 2020", "ICML 2019, Understanding Phenomena",
    "Generative AI for Biology, co-located with ICML 2023", "ICML 2021 Poster Session on Social Good",
    "SIGGRAPH Asia 2019 Posters", "OSDI Posters", "IJCAI 2020 Survey Track", "Machine Learning, NeurIPS", "KDD 2020 Health Day",
    "Data Mining for Health, KDD 2019", "AAAI 2020, CEUR-WS", "New in ML, NeurIPS",
    "ICML 2019, Safe AI Institute", "NeurIPS 2022, Center for Causality, Deep Sets",
    "NeurIPS Creative AI", "NeurIPS 2023 Journal-to-Conference Papers", "ECCV 2018 Visual Object Tracking Challenge VOT2018",
    "Workshop on Odd Topics, Conference on Robot Learning", "COLT Workshop", "COLT 2019 Workshop, Phoenix, AZ, USA",
    "P&D@MoDELS 2015", "Conference on Fairness, Accountability, and Transparency, Odd Results",
    "NeurIPS Datasets and Benchmarks", "NeurIPS 2021 D&B", "KDD 2019 Datasets and Benchmarks Track",
    "Proceedings of the Neural Information Processing Systems Track on Datasets and Benchmarks",
]  # fmt: skip


@pytest.mark.parametrize(("text", "venue"), MAIN)
def test_main_proceedings_are_known(text: str, venue: str) -> None:
    found = lookup(text)
    assert found is not None
    assert found.id == venue


@pytest.mark.parametrize("form", FORMS)
def test_conferences_are_known_however_they_are_written(form: str) -> None:
    unknown = []
    for name, acronym, sponsor, venue in CONFERENCES:
        text = " ".join(form.format(name=name, acronym=acronym, sponsor=sponsor).split())
        found = lookup(text)
        if found is None or found.id != venue:
            unknown.append(text)
    assert unknown == []


@pytest.mark.parametrize("text", BESIDE)
def test_what_is_held_at_a_conference_is_not_its_proceedings(text: str) -> None:
    found = lookup(text)
    assert found is None or found.kind == "series"


@pytest.mark.parametrize("text", [text for text in BESIDE if "Datasets" not in text and "D&B" not in text])
def test_what_is_held_at_a_conference_is_never_the_same_as_its_proceedings(text: str) -> None:
    for venue in parse_venue(text).venues:
        assert venue.kind == "series" or compare_venues(text, venue.name) != "same"


def test_what_is_held_at_a_conference_is_of_another_kind() -> None:
    assert venue_kind("ICML 2019", "booktitle") == "conference"
    assert venue_kind("ICML 2019 Time Series", "booktitle") == "beside"


@pytest.mark.exhaustive
def test_every_name_of_a_venue_names_its_main_proceedings() -> None:
    names = [(name, venue) for venue in all_venues() for name in venue.names]
    parsed = [(name, venue, parse_venue(name)) for name, venue in names]
    assert [name for name, venue, text in parsed if text.part != "main" or text.rest or venue not in text.venues] == []


@pytest.mark.parametrize(
    ("text", "year", "main"),
    [
        ("NeurIPS Datasets and Benchmarks", 2021, False),
        ("NeurIPS Datasets and Benchmarks", 2022, True),
        ("NeurIPS Datasets and Benchmarks", None, False),
        ("NeurIPS 2022 Datasets and Benchmarks Track", 2022, True),
        ("NeurIPS 2022 Datasets and Benchmarks Track", 2021, False),
        ("Thirty-sixth Conference on Neural Information Processing Systems Datasets and Benchmarks Track", 2022, True),
        ("Thirty-fifth Conference on Neural Information Processing Systems Datasets and Benchmarks Track (Round 1)", 2021, False),
        ("NeurIPS", 2021, True),
        ("NeurIPS", None, True),
    ],
)  # fmt: skip
def test_a_track_belongs_to_the_main_proceedings_from_its_first_year_on(
    text: str, year: int | None, main: bool
) -> None:
    assert (lookup(text, year) is not None) is main
    assert compare_venues(text, "NeurIPS") == "same"


ACRONYMS = st.sampled_from(["ICML", "NeurIPS", "CVPR", "KDD", "EMNLP", "SODA"])
TOPIC = st.text(alphabet=string.ascii_lowercase, min_size=8, max_size=13).map("X{}".format)  # no word begins so


@given(
    ACRONYMS,
    TOPIC,
    st.sampled_from(["{0} 2019 {1}", "{1}, {0}", "{0} ({1})", "{1} @ {0}", "{0} 2020, {1}", "{1} at {0} 2018"]),
)
def test_a_word_that_nobody_knows_is_never_overlooked(acronym: str, topic: str, form: str) -> None:
    assert lookup(form.format(acronym, topic)) is None


@given(
    ACRONYMS, st.sampled_from(sorted(PLACES)), st.sampled_from(["{0} 2019, {1}", "{0}, {1}, 2019", "{0} 2019 ({1})"])
)
def test_a_place_takes_nothing_from_the_proceedings(acronym: str, place: tuple[str, ...], form: str) -> None:
    found = lookup(form.format(acronym, " ".join(place).title()))
    assert found is not None


def test_places_are_written_as_they_are_compared() -> None:
    for place in PLACES:
        text = " ".join(place)
        assert venue_words(fold(text)) == place or "u s" in text or "united states" in text


def test_names_of_printers_begin_as_their_abbreviations_do() -> None:
    # By that `unmatched_words` passes most of them over.
    pairs = [*abbreviations._IRREGULAR.items()]
    pairs += [(short, word) for short, words in abbreviations._ONE_LETTER.items() for word in words]
    odd = {word for short, word in pairs if short[0] != word[0]}
    assert not [name for _, name in unmatched_words._printers() if not odd.isdisjoint(name)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "Computer Networks: The International Journal of Computer and Telecommunications Networking",
            "Computer Networks",
        ),
        ("Empirical Software Engineering: An International Journal", "Empirical Software Engineering"),
        ("CA: A Cancer Journal for Clinicians", "CA: A Cancer Journal for Clinicians"),
    ],
)
def test_what_a_journal_calls_itself_beside_its_name(text: str, name: str) -> None:
    assert compare_venues(text, name) == "same"
    assert compare_venues(text, "Nature") == "different"
