"""The three answers of a comparison of venues, one row for each reason."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import VenueRelation, compare_venues, is_preprint_venue, is_series, lookup, share_topic
from pytest_citecheck.matching import venues as comparison

PAIRS: list[tuple[str, str, VenueRelation]] = [
    ("", "", "same"),
    ("", "NeurIPS", "unknown"),
    ("NeurIPS", "", "unknown"),
    ("...", "...", "same"),
    ("...", "!!", "unknown"),
    ("Submitted to ICML", "ICML", "unknown"),
    ("ICML", "Submitted to ICML", "unknown"),
    ("Under review at Foo", "Foo", "unknown"),
    ("ICML", "ICML 2019", "same"),
    ("ICML Workshop on Cats", "ICML", "different"),
    ("ICML Workshop on Cats", "ICML Workshop on Dogs", "unknown"),
    ("ICML Workshop on Cats", "ICML Workshop", "same"),
    ("ICML Workshop", "ICML Workshop on Cats", "same"),
    ("ICMLW", "ICML Workshops", "same"),
    ("ICML Workshop on Cats and Dogs", "ICML Workshop on Dogs", "same"),
    ("Findings of ACL", "ACL", "different"),
    ("ACL demonstrations", "ACL", "unknown"),
    ("ACL", "ACL demonstrations", "unknown"),
    ("ACL demonstrations", "Findings of ACL", "unknown"),
    ("ICML 2019 Time Series", "ICML", "unknown"),
    ("Findings of ACL", "ACL Workshop on Cats", "different"),
    ("NeurIPS", "ICML", "different"),
    ("LNCS", "ICML", "unknown"),
    ("ICML", "PMLR", "unknown"),
    ("PMLR", "LNCS", "unknown"),
    ("arXiv", "ICML", "different"),
    ("arXiv", "bioRxiv", "different"),
    ("Journal of Machine Learning Research", "PMLR", "unknown"),
    ("EMNLP", "EMNLP-IJCNLP", "same"),
    ("ECML", "PKDD", "same"),
    ("ICML", "JMLR", "different"),
    ("International Conference on Textile Innovation (ICTAI)", "ICTAI", "unknown"),
    ("International Conference on Textile Innovation (ICTAI)", "ICML", "different"),
    ("Transactions on Birds", "Trans. Birds", "same"),
    ("Journal of Avian Flights", "J. Avian Flights", "same"),
    ("Journal of Avian Flights", "J Av Fl", "same"),
    ("Avianology", "Avian.", "same"),
    ("Avianology", "Aviano.", "same"),
    ("Birds", "Birds Workshop", "unknown"),
    ("Birds", "bi rds", "same"),
    ("JOFT", "Journal of Fish Technology", "same"),
    ("JFT", "Journal of Fish Technology", "same"),
    ("FT", "Fish Technology", "unknown"),
    ("FTC", "Fish Technology Conference", "same"),
    ("Fish Technology Conference (FITECO)", "FITECO", "same"),
    ("FITECO", "Fish Technology Conference (FITECO)", "same"),
    ("FITECO (Fish)", "FITECO", "unknown"),
    ("ICML", "Iberian Conference on Machine Learning", "different"),
    ("ICML", "International Conference on Machine Learning, Vienna", "same"),
    ("ICML", "Summer School in Machine Learning", "unknown"),
    ("International Conference on Marine Biology", "ICML", "different"),
    ("International Conference on Machine Biology", "ICML", "different"),
    ("International Conference on Learning Machines", "ICML", "unknown"),
    ("Tagung International Conference on Machine Learning", "ICML", "unknown"),
    ("Summer International Conference on Machine Learning", "ICML", "different"),
    ("International Conf on Maschine Learning", "ICML", "same"),
    ("Asian Conference on Machine Learning", "ICML", "different"),
    ("Conference on Marine Biology", "Conference on Desert Geology", "different"),
    ("Conference on Marine Biology", "Conference on Marine Geology", "unknown"),
    ("Conference on Biology", "Conference on Geology of Deserts", "unknown"),
    ("Conference on Geology of Deserts", "Conference on Biology", "unknown"),
    ("Workshop Marine Biology", "Conference on Desert Geology", "unknown"),
    ("Journal of Marine Biology", "Journal of Desert Geology", "different"),
    ("J. of Marine Biology", "Journal of Desert Geology", "unknown"),
    ("Zeitschrift für Biologie", "Journal of Desert Geology", "unknown"),
    ("Advances in Cryptology", "JMLR", "different"),
    ("Advances in Marine Biology", "JMLR", "different"),
    ("Advances in Marine Biology", "ICML", "unknown"),
    ("Advances in Machine Biology", "JMLR", "unknown"),
    ("Advances in Biology", "JMLR", "unknown"),
    ("Trends in Marine Life", "Nature", "different"),
    ("Progress in Marine Nature", "Nature", "unknown"),
    ("Advances in Marine Biology", "arXiv", "unknown"),
    ("Conference on Marine Biology", "arXiv", "unknown"),
    ("Conference on Marine Biology", "PMLR", "unknown"),
    ("Conference on Computing Machinery", "Conference on Computation Theory", "different"),
    ("Journal of Computers and Birds", "Journal of Computing in Schools", "unknown"),
    ("Symposium on Recogition Birds", "Symposium on Recognition of Trees", "unknown"),
    ("Conference on Marine Biology 2019", "Conference on Desert Geology 2020", "different"),
    ("IEEE Conference on Birds", "ACM Conference on Trees", "unknown"),
    ("Oakland", "IEEE S&P", "same"),
    ("S&P", "Security and Privacy", "unknown"),
    ("FTC (Fish Technology Conference)", "FTC", "unknown"),
    ("Foo, Birds (FITECO)", "FITECO", "same"),
    ("Birds Birds", "Birds", "unknown"),
    ("Conf. on Marine Biology", "Conference on Desert Geology", "unknown"),
    ("Advances in Marine Biology and Physics", "JMLR", "different"),
    ("Advances in Learning and Biology", "JMLR", "unknown"),
    ("Frontiers in Marine Biology", "Neural Networks", "different"),
    ("AAAI Conference on Marine Biology", "ICML", "different"),
    ("European Conference on Computer Vision and Birds", "CVPR", "different"),
    ("Conference on Computer Vision and Pattern Recogniton", "CVPR", "same"),
    # An event is itself wherever it meets; under another name it is told by its acronym, or not told.
    ("NUT@EMNLP", "W-NUT 2017 at EMNLP", "same"),
    ("NUT@EMNLP", "NUT@ACL", "same"),
    ("NUT@EMNLP", "Proceedings of the 3rd Workshop on Noisy User-generated Text", "same"),
    ("NUT@EMNLP", "Proceedings of the 3rd Workshop on Noisy User-generated Text (W-NUT)", "same"),
    ("BEA@NAACL-HLT", "Workshop on Innovative Use of NLP for Building Educational Applications", "same"),
    ("RepL4NLP@ACL", "Workshop on Representation Learning for NLP", "unknown"),
    ("NUT@EMNLP", "Workshop on Argument Mining", "unknown"),
    ("NUT@EMNLP", "Second EMNLP Workshop on Cats", "unknown"),
    ("NUT@EMNLP", "CLPsych@EMNLP", "unknown"),
    ("NUT@EMNLP", "EMNLP", "different"),
    ("NUT@EMNLP", "ICML", "different"),
    ("NUT@EMNLP", "ICML Workshop on Cats", "different"),
    ("SemEval@COLING 2014", "International Workshop on Semantic Evaluation", "same"),
    ("SemEval@COLING 2014", "COLING", "different"),
    ("Workshop@ICML", "Workshop on Cats", "unknown"),
    # Author kits: words of the name, cut off, in order; sponsors in or out.
    ("IEEE Conf. Comput. Vis. Pattern Recog.", "CVPR", "same"),
    ("IEEE Conf. Comput. Vis. Pattern Recog.", "ICCV", "different"),
    ("Int. Conf. Comput. Vis.", "CVPR", "different"),
    ("Int. Conf. Comput. Vis.", "IEEE/CVF International Conference on Computer Vision", "same"),
    ("Proceedings of ACL", "EMNLP", "different"),
    # Initials are no name.
    ("ICML", "International Conference on Marine Life", "different"),
    ("ICML", "Int. Conf. Marine Life", "unknown"),
    ("Conference on Computervision and Pattern Recognition", "CVPR", "unknown"),
    ("Conference on Computer Vision and Pattern Recognition in Africa", "CVPR", "different"),
    ("African Conference on Computer Vision and Pattern Recognition", "CVPR", "different"),
    ("Journal of Avian Flights", "Journal of Avian Fights", "unknown"),
    ("Birdology", "Bird.", "same"),
    ("Bir", "Birdology", "unknown"),
    ("Bird", "Birdology", "same"),
    ("Abc Def", "Abcd Defg", "same"),
    ("Symposium of Networking Birds", "Symposium of Networked Trees", "unknown"),
    ("Symposium of Nests Birds", "Symposium of Nested Trees", "unknown"),
    ("Workshop on Birds at ICML", "Workshop on Birds at ICLR", "different"),
    ("Workshop on Birds", "Conference on Birds", "unknown"),
    ("ECML Workshop on Birds", "PKDD", "different"),
    ("Companion of WWW", "WWW", "unknown"),
    ("Adjunct Proceedings of UIST", "UIST Companion", "unknown"),
    ("Springer", "ICML", "unknown"),
    ("ICML", "Springer", "unknown"),
    ("Springer", "Journal of Birds", "unknown"),
    ("LNCS", "Journal of Marine Birds", "unknown"),
    ("EACL", "ACL", "unknown"),
    ("ICAPS", "JAIR", "unknown"),
    ("IAAI", "AAAI", "unknown"),
    ("COLING", "LREC", "unknown"),
    ("International Conference on Neural Information", "NeurIPS", "unknown"),
]


@pytest.mark.parametrize(
    ("one", "other", "relation"), PAIRS, ids=[f"{a or 'nothing'} | {b or 'nothing'}" for a, b, _ in PAIRS]
)
def test_two_venues(one: str, other: str, relation: VenueRelation) -> None:
    assert compare_venues(one, other) == relation
    assert compare_venues(other, one) == relation


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ("Oakland", "ICML", False),
        ("ICML", "ICLR", True),
        ("Conference on Birds", "Symposium on Bird Watching", False),
        ("Conference on Birding", "Symposium on Birdi Watching", True),
        ("Conference on Robins", "Conference on Robin", True),
        ("Conference on Birds", "Conference on Trees", False),
        ("Computing", "Computation", True),
        ("Nature", "Science", False),
        ("Cats", "Dogs", True),
        ("Cats", "Birds", True),
        ("VLDB", "SIGMOD", False),
        ("CVPR", "ICCV", True),
        ("ACL", "CVPR", True),
        ("Journal of Marine Life", "Conference on Desert Marines", True),
        ("Conference on Ponds", "Conference on Ponds and Lakes", True),
    ],
)
def test_venues_of_one_topic(one: str, other: str, related: bool) -> None:
    assert share_topic(one, other) == share_topic(other, one) == related


@pytest.mark.parametrize(
    ("text", "preprint", "series", "known"),
    [
        ("arXiv", True, False, "arxiv"),
        ("CoRR", True, False, "arxiv"),
        ("bioRxiv", True, False, "biorxiv"),
        ("ICML", False, False, "icml"),
        ("arXiv preprint arXiv:1706.03762", True, False, ""),
        ("Unpublished manuscript", True, False, ""),
        ("CoRR abs/1706.03762", True, False, ""),
        ("Nature", False, False, "nature"),
        ("ICML / arXiv", False, False, ""),
        ("arXiv and bioRxiv", True, False, ""),
        ("LNCS", False, True, "lncs"),
        ("PMLR", False, True, "pmlr"),
        ("Lecture Notes in Birds", False, True, ""),
        ("Springer", False, False, "springer"),
        ("LNCS 123", False, True, "lncs"),
        ("Birds", False, False, ""),
        ("Preprint", True, False, ""),
        ("arXiv, Journal of Machine Learning Research", False, False, ""),
        ("Lecture Notes in Computer Science, Springer", False, False, ""),
        ("LNCS / ICML", False, False, "icml"),
        ("", False, False, ""),
    ],
)
def test_the_kind_of_a_venue(text: str, preprint: bool, series: bool, known: str) -> None:
    found = lookup(text)
    assert (is_preprint_venue(text), is_series(text), found.id if found else "") == (preprint, series, known)


@pytest.mark.parametrize(
    ("text", "year", "known"),
    [
        ("NeurIPS Datasets and Benchmarks", None, ""),
        ("NeurIPS Datasets and Benchmarks", 2021, ""),
        ("NeurIPS Datasets and Benchmarks", 2022, "neurips"),
        ("NeurIPS Datasets and Benchmarks", 2023, "neurips"),
        ("NeurIPS", None, "neurips"),
        ("NeurIPS", 1990, "neurips"),
        ("ICML Workshop on Cats", 2020, ""),
        ("ICML Time Series", 2020, ""),
    ],
)
def test_a_track_names_the_venue_from_the_year_on_in_which_it_joined_it(
    text: str, year: int | None, known: str
) -> None:
    found = lookup(text, year)
    assert (found.id if found else "") == known


@pytest.mark.parametrize(
    ("name", "before", "topic"),
    [
        ("the conference on birds", "the", "birds"),
        ("conference birds on x", "", ""),
        ("conference on", "", ""),
        ("on conference", "", ""),
        ("workshop of trees and cats", "", "trees cats"),
        ("school conference on cats conference on dogs", "school conference on cats", "dogs"),
    ],
)
def test_what_stands_around_the_last_head(name: str, before: str, topic: str) -> None:
    assert comparison._around_head(tuple(name.split())) == (tuple(before.split()), tuple(topic.split()))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("", "", False),
        ("birds", "", False),
        ("machine vision", "machinevision", True),
        ("machine vision", "vision", False),
        ("computing birds", "birds computers", True),
        ("birds cats", "trees cats", False),
    ],
)
def test_topics_of_like_words(first: str, second: str, same: bool) -> None:
    assert comparison._same_topic(tuple(first.split()), tuple(second.split())) == same
    assert comparison._same_topic(tuple(second.split()), tuple(first.split())) == same


@pytest.mark.parametrize(
    ("topic", "name", "own"),
    [
        ("birds", "Conference on Birds", False),
        ("birds trees", "Conference on Birds", True),
        ("machinelearning cats", "Machine Learning", False),
        ("machine cats", "Machine Learning", True),
        ("learn machine", "Machine Learning", False),
        ("ab cats", "AB", False),
        ("x cats", "X", True),
    ],
)
def test_a_topic_with_a_word_of_its_own(topic: str, name: str, own: bool) -> None:
    assert comparison._has_own_word(tuple(topic.split()), name) == own


@pytest.mark.parametrize(
    ("word", "other", "akin"),
    [
        ("recogition", "recognition", True),
        ("abcdef", "abcdxf", True),
        ("abcde", "abcxe", False),
        ("abcdef", "abcxyf", False),
        ("visions", "vission", False),
        ("comput", "computing", True),
        ("computing", "computation", False),
        ("nextabcd", "nextefgh", True),
        ("nextabcd", "nextefghi", False),
        ("int", "international", True),
        ("birds", "trees", False),
    ],
)
def test_forms_of_one_word(word: str, other: str, akin: bool) -> None:
    assert comparison._akin(word, other) == comparison._akin(other, word) == akin
