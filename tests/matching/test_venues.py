from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import (
    abbreviates,
    aligned,
    all_venues,
    compare_venues,
    is_preprint_venue,
    is_series,
    lookup,
)
from pytest_citecheck.matching import venue_tables as venue_data
from tests.support.steps import steps

SAME = [
    ("NeurIPS", "Advances in Neural Information Processing Systems 30"),
    ("NIPS", "Neural Information Processing Systems"),
    ("ICML", "Proceedings of the 36th International Conference on Machine Learning"),
    ("ICLR", "International Conference on Learning Representations"),
    ("CVPR", "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"),
    ("Phys. Rev. Lett.", "Physical Review Letters"),
    ("PRL", "Physical Review Letters"),
    ("J. Mach. Learn. Res.", "Journal of Machine Learning Research"),
    ("JMLR", "Journal of Machine Learning Research"),
    ("Proc. VLDB Endow.", "Proceedings of the VLDB Endowment"),
    ("PVLDB", "Proceedings of the VLDB Endowment"),
    ("IEEE Trans. Pattern Anal. Mach. Intell.", "IEEE Transactions on Pattern Analysis and Machine Intelligence"),
    ("TPAMI", "IEEE Transactions on Pattern Analysis and Machine Intelligence"),
    ("CCS", "Proceedings of the 2020 ACM SIGSAC Conference on Computer and Communications Security"),
    ("USENIX Security Symposium", "30th USENIX Security Symposium (USENIX Security 21)"),
    ("USENIX Security", "USENIX Security Symposium"),
    ("S&P", "IEEE Symposium on Security and Privacy"),
    ("Oakland", "2019 IEEE Symposium on Security and Privacy (SP)"),
    ("NDSS", "Network and Distributed System Security Symposium"),
    ("J. Chem. Phys.", "The Journal of Chemical Physics"),
    ("Ann. of Math.", "Annals of Mathematics"),
    ("Comm. ACM", "Communications of the ACM"),
    ("CACM", "Commun. ACM"),
    ("PNAS", "Proceedings of the National Academy of Sciences"),
    (
        "Proc. Natl. Acad. Sci. U.S.A.",
        "Proceedings of the National Academy of Sciences of the United States of America",
    ),
    ("N Engl J Med", "New England Journal of Medicine"),
    ("NEJM", "The New England Journal of Medicine"),
    ("BMJ", "British Medical Journal"),
    ("JAMA", "Journal of the American Medical Association"),
    ("Am J Med Genet A", "American Journal of Medical Genetics Part A"),
    ("SIGMOD", "Proceedings of the 2019 International Conference on Management of Data"),
    ("CHI", "Proceedings of the 2019 CHI Conference on Human Factors in Computing Systems"),
    ("SOSP", "Proceedings of the 26th Symposium on Operating Systems Principles"),
    ("PLDI", "ACM SIGPLAN Conference on Programming Language Design and Implementation"),
    ("ACL", "Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics"),
    (
        "NAACL-HLT",
        (
            "Proceedings of the 2019 Conference of the North American Chapter of the Association for"
            " Computational Linguistics: Human Language Technologies"
        ),
    ),
    ("TACL", "Transactions of the Association for Computational Linguistics"),
    ("Nucl. Acids Res.", "Nucleic Acids Research"),
    ("Z. Phys.", 'Zeitschrift f{\\"u}r Physik'),
    ("Math. Ann.", "Mathematische Annalen"),
]
DIFFERENT = [
    ("Nature", "Nature Communications"),
    ("Science", "Science Advances"),
    ("NeurIPS", "ICML"),
    ("ICML", "ICML Workshop on AI for Science"),
    ("Physical Review E", "Physical Review Letters"),
    ("Phys. Rev. E", "Phys. Rev. Lett."),
    ("CVPR", "ICCV"),
    ("Journal of Machine Learning Research", "Machine Learning"),
    ("IEEE Transactions on Information Theory", "IEEE Transactions on Signal Processing"),
    ("Cell", "Cell Reports"),
    ("PLOS ONE", "PLOS Biology"),
    ("ACL", "EMNLP"),
    ("Findings of EMNLP", "EMNLP"),
    ("NAACL", "EACL"),
    ("Proceedings of the National Academy of Sciences", "PNAS Nexus"),
    ("The Lancet", "The Lancet Oncology"),
]
MORE_SAME = [
    # as DBLP, ACM and the publishers write proceedings
    ("NeurIPS", "Proceedings of the 31st International Conference on Neural Information Processing Systems"),
    ("NeurIPS", "NeurIPS Datasets and Benchmarks"),
    ("ICML 2019", "Proc. 36th Int. Conf. Mach. Learn."),
    ("ICML", "Machine Learning, Proceedings of the Twenty-Fifth International Conference (ICML 2008), Helsinki"),
    ("KDD '22", "KDD '22: The 28th ACM SIGKDD Conference on Knowledge Discovery and Data Mining, Washington, DC, USA"),
    ("ICASSP", "IEEE International Conference on Acoustics, Speech and Signal Processing ICASSP 2023, Rhodes Island"),
    ("AAAI", ("The Thirty-Fourth AAAI Conference on Artificial Intelligence, AAAI 2020, The Thirty-Second Innovative"
     " Applications of Artificial Intelligence Conference, IAAI 2020, New York, NY, USA, February 7-12, 2020")),
    ("AAAI", ("The Thirty-Fourth AAAI Conference on Artificial Intelligence, AAAI 2020, The Thirty-Second Innovative"
     " Applications of Artificial Intelligence Conference, IAAI 2020, The Tenth AAAI Symposium on Educational Advances in"
     " Artificial Intelligence, EAAI 2020, New York, NY, USA, February 7-12, 2020")),
    ("EMNLP", ("Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th"
     " International Joint Conference on Natural Language Processing (EMNLP-IJCNLP)")),
    ("ESEC/FSE", ("Proceedings of the 26th ACM Joint European Software Engineering Conference and Symposium on the"
     " Foundations of Software Engineering")),
    ("INFOCOM", "36th INFOCOM 2017"),
    ("ICLR", "8th International Conference on Learning Representations, ICLR 2020, Addis Ababa, Ethiopia"),
    ("In CVPR", "CVPR2016"),
    ("CVPR Workshops", "2019 IEEE/CVF Conference on Computer Vision and Pattern Recognition Workshops (CVPRW)"),
    ("Findings of ACL", "Findings of the ACL 2023"),
    # as journals are abbreviated and decorated
    ("Image Processing, IEEE Transactions on", "IEEE Trans. Image Process."),
    ("Nature (London)", "Nature"),
    ("Science (New York, N.Y.)", "Science"),
    ("Nature 521 (7553), 436-444", "Nature"),
    ("Lancet", "Lancet (London, England)"),
    ("ACM Transactions on Graphics (TOG)", "ACM Trans. Graph."),
    ("PRL", "Pattern Recognition Letters"),
    ("J. Am. Chem. Soc.", "Journal of the American Chemical Society"),
    ("Journal of the Royal Statistical Society: Series B (Methodological)", "J. R. Stat. Soc. B"),
    # unknown to the table
    ("J. Odd Result.", "Journal of Odd Results"),
    ("Studies in Odd Results", "Studies in odd results."),
    ("Ann. Odd Stud.", "Annals of Odd Studies"),
    ("ICOR", "International Conference on Odd Results (ICOR)"),
    ("ICOR 2020", "Proceedings of the 3rd International Conference on Odd Results"),
]  # fmt: skip
MORE_DIFFERENT = [
    ("International Conference on Odd Machine Learning", "ICML"),
    ("Workshop on Odd Results", "NeurIPS"),
    ("Journal of Odd Networks", "Proceedings of the 36th International Conference on Machine Learning"),
    ("Transactions on Odd Results", "Annual Symposium on Marine Mammals"),
    ("Findings of the Association for Computational Linguistics: EMNLP 2020", "EMNLP"),
    ("CVPR", "CVPR Workshops 2022"),
    ("AI4Science@ICML", "ICML"),
    ("Machine Learning: Science and Technology", "Machine Learning"),
    ("Physical Review A", "Physical Review Applied"),
    ("J. Phys. Chem. A", "J. Phys. Chem. B"),
    ("IEEE Transactions on Robotics", "IEEE Robotics and Automation Letters"),
    ("NeurIPS", "arXiv"),
    ("Nature", "Zeitschrift für Physik B – Condensed Matter"),
    ("Nature", "Advances in Odd Forests and Meadows"),
    ("The Astrophysical Journal", "Advances in Marine Mammals and Birds"),
    ("Proceedings of the IEEE", "Trends in Odd Forests and Meadows"),
    # something held at one conference, and another conference
    ("BigLearn, NIPS", "ICML"),
    ("2019 IEEE/CVF Conference on Computer Vision and Pattern Recognition, CVPR 2019, Odd Hill", "ICML"),
]
UNDECIDED = [
    ("POPL", "Proceedings of the ACM on Programming Languages"),
    ("SIGGRAPH", "ACM Transactions on Graphics"),
    ("ECCV", "Lecture Notes in Computer Science"),
    ("ICML", "Proceedings of Machine Learning Research"),
    ("EMNLP", "Association for Computational Linguistics"),
    ("ACL", "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics: System Demonstrations"),
    ("ICLR", "Submitted to ICLR 2024"),
    ("ICML", "TUbilio (Technical University of Darmstadt)"),
    ("XYZ", "NeurIPS"),
    ("Zeitschrift für Unsinn", "Journal of Nonsense Studies"),
    ("", "ICML"),
    ("物理学报", "Physical Review Letters"),
    # may be successors, translations, or volumes of a conference
    ("Z. Phys. B", "The European Physical Journal B"),
    ("Z. Phys.", "Zeitschrift für Physik C"),
    ("Advances in Physical Sciences", "Physical Review Letters"),
    ("Advances in Stellar Motions and Orbits", "CRYPTO"),
    ("Advances in Astrophysics", "The Astrophysical Journal"),
    ("Zeitschrift für Unsinn", "Nature"),
    # may be held at the conference, or be the conference in odd words, or another one of that acronym
    ("ML4H @ NeurIPS", "NeurIPS"),
    ("NeurIPS 2023 MATH-AI", "Advances in Neural Information Processing Systems 36"),
    ("International Conference on Odd Machine Learning (ICML)", "ICML"),
    ("Odd Weaving Conference, ICML 2019", "CVPR"),
    ("JMLR Workshop Proc.", "AISTATS"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cited", "found", "relation"),
    [(*pair, "same") for pair in SAME + MORE_SAME]
    + [(*pair, "different") for pair in DIFFERENT + MORE_DIFFERENT]
    + [(*pair, "unknown") for pair in UNDECIDED],
)
def test_compares_venues(cited: str, found: str, relation: str) -> None:
    assert compare_venues(cited, found) == relation
    assert compare_venues(found, cited) == relation


@pytest.mark.parametrize(
    ("text", "venue"),
    [
        ("Advances in Neural Information Processing Systems 30", "neurips"),
        ("In Proceedings of ICML, 2019", "icml"),
        ("Proc. IEEE/CVF Conf. Comput. Vis. Pattern Recognit.", "cvpr"),
        ("J. Mach. Learn. Res.", "jmlr"),
        ("Commun. ACM, vol. 60, no. 6, pp. 84-90", "cacm"),
        ("Volume 97 of Proceedings of Machine Learning Research", "pmlr"),
        ("20th ACM SenSys 2022", "sensys"),
        ("ECCV (12)", "eccv"),
    ],
)
def test_looks_venues_up(text: str, venue: str) -> None:
    found = lookup(text)
    assert found is not None
    assert found.id == venue


@pytest.mark.parametrize(
    "text", ["", "Journal of Odd Results", "PRL", "ICML Workshop on AI for Science", "Findings of EMNLP", "2019"]
)
def test_looks_nothing_up_where_no_one_venue_is_named(text: str) -> None:
    assert lookup(text) is None


@pytest.mark.parametrize(
    "text",
    ["arXiv", "arXiv preprint arXiv:1706.03762", "CoRR", "CoRR abs/1706.03762", "bioRxiv", "medRxiv", "SSRN",
     "Research Square", "ChemRxiv", "Preprint", "arXiv (Cornell University)", "arXiv:1706.03762 [cs.CL]",
     "SSRN Electronic Journal", "IACR Cryptol. ePrint Arch."],
)  # fmt: skip
def test_knows_preprint_servers(text: str) -> None:
    assert is_preprint_venue(text)
    assert not is_series(text)


@pytest.mark.parametrize("text", ["NeurIPS", "Nature", "Journal of Odd Results", "", "In ICML, arXiv:1706.03762"])
def test_takes_no_venue_for_a_preprint_server(text: str) -> None:
    assert not is_preprint_venue(text)


@pytest.mark.parametrize(
    "text",
    ["LNCS", "Lecture Notes in Computer Science", "LNCS 1234", "LNAI", "CCIS", "PMLR", "IFIP AICT", "ACM ICPS",
     "Lecture Notes in Computer Science, vol. 8693", "Lecture Notes in Odd Results"],
)  # fmt: skip
def test_knows_series(text: str) -> None:
    assert is_series(text)


@pytest.mark.parametrize("text", ["ECCV", "Nature", "", "Computer Vision - ECCV 2014, LNCS 8693"])
def test_takes_no_venue_for_a_series(text: str) -> None:
    assert not is_series(text)


@pytest.mark.parametrize(
    ("short", "long", "fits"),
    [
        ("phys", "physical", True),
        ("natl", "national", True),
        ("j", "journal", True),
        ("intl", "international", True),
        ("a", "applied", False),
        ("e", "engineering", False),
        ("physical", "phys", False),
        ("lett", "learning", False),
    ],
)
def test_abbreviates(short: str, long: str, fits: bool) -> None:
    assert abbreviates(short, long) is fits


def test_alignment_leaves_no_word_over() -> None:
    assert aligned(("phys", "rev"), ("physical", "review"))
    assert not aligned(("phys", "rev"), ("physical", "review", "letters"))
    assert not aligned((), ())


@given(st.text(max_size=60).filter(str.strip))
def test_equal_texts_are_the_same_venue(text: str) -> None:
    assert compare_venues(text, text) == "same"


WORDS = "Journal Conference International Proceedings of on Nature Science Machine Learning Physical Rev. Lett. (ICML) 2019 36th"
TEXTS = st.lists(st.sampled_from(WORDS.split()), max_size=6).map(" ".join) | st.text(max_size=30)


@given(TEXTS, TEXTS)
def test_comparison_is_symmetric(one: str, other: str) -> None:
    assert compare_venues(one, other) == compare_venues(other, one)


def test_every_venue_is_the_same_under_all_its_names() -> None:
    pairs = [(name, venue.name) for venue in all_venues() for name in venue.names]
    assert [pair for pair in pairs if compare_venues(*pair) != "same"] == []


def test_the_table_is_sound() -> None:
    venues = all_venues()
    ids = {venue.id for venue in venues}
    assert len(ids) == len(venues) >= 350
    numbers = [number for venue in venues for number in venue.issn]
    assert len(set(numbers)) == len(numbers)
    for venue in venues:
        assert set(venue.related) <= ids - {venue.id}
        assert all(1900 < year < 2100 for year in venue.complete_in.values())
        assert not venue.complete_in or venue.dblp
        for number in venue.issn:
            assert re.fullmatch(r"\d{4}-\d{3}[\dX]", number)
            digits = number.replace("-", "")
            total = sum((8 - i) * (10 if digit == "X" else int(digit)) for i, digit in enumerate(digits))
            assert total % 11 == 0, number


def test_only_venues_of_computer_science_claim_to_be_complete_in_dblp() -> None:
    assert all(set(venue.complete_in) <= {"dblp"} for venue in all_venues())
    names = {venue.id: venue for venue in all_venues()}
    assert names["neurips"].complete_in["dblp"] <= 2000
    assert not names["nature"].complete_in


@pytest.mark.exhaustive
def test_the_table_is_read_at_the_first_look_up_only() -> None:
    code = (
        "import pytest_citecheck.matching.venues as v, pytest_citecheck.matching.venue_tables as d;"
        "assert d._index.cache_info().currsize == 0; v.lookup('ICML'); assert d._index.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_table_is_read_in_few_steps() -> None:
    names = sum(len(venue.names) for venue in all_venues())
    assert steps(venue_data._index.__wrapped__) < 100 * names


@pytest.mark.parametrize(
    ("first", "second"),
    [("IJCNLP", "ACL"), ("IJCNLP", "EMNLP"), ("ECAI", "IJCAI"), ("CoNLL", "EMNLP"), ("COLING", "ACL"), ("EACL", "ACL")],
)
def test_conferences_that_were_held_together_may_be_meant_by_one_another(first: str, second: str) -> None:
    """ACL-IJCNLP 2009, 2015 and 2021, EMNLP-IJCNLP 2019, IJCAI-ECAI 2018 and 2022, EMNLP-CoNLL 2007 and 2012 …"""
    assert compare_venues(first, second) == compare_venues(second, first) == "unknown"


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("Conference on Computer Vision and Pattern Recogition", "CVPR"),
        ("Nature Comunications", "Nature Communications"),
        ("Phys. Rev.", "Physical Review D"),
        ("Nature Publishing Group", "Scientific Reports"),
    ],
)
def test_a_slip_in_a_name_makes_no_other_venue(cited: str, found: str) -> None:
    assert compare_venues(cited, found) == compare_venues(found, cited) == "unknown"


WHOLE_NAMES = [
    ("International Conference on Machine Learning", "ICML"),
    ("IEEE Conference on Computer Vision and Pattern Recognition", "CVPR"),
    ("AAAI Conference on Artificial Intelligence", "AAAI"),
    ("International Conference on Learning Representations", "ICLR"),
    ("European Conference on Computer Vision", "ECCV"),
]


@pytest.mark.parametrize(("name", "venue"), WHOLE_NAMES)
@pytest.mark.parametrize(
    "before", ["Talk at", "Springer", "Tagung", "Collection of", "Intemational", "ProceedingsoftheI"]
)
def test_a_venue_whose_whole_name_is_cited_is_no_other_one(before: str, name: str, venue: str) -> None:
    misspelt = name.replace("Learning", "Lerning").replace("Vision", "Visoin").replace("Intelligence", "Inteligence")
    glued = "".join(name.rsplit(" ", 1))
    for written in (name, misspelt, glued):
        assert compare_venues(f"{before} {written}", venue) != "different"
        assert compare_venues(venue, f"{before} {written}") != "different"


@given(st.sampled_from(WHOLE_NAMES), st.from_regex(r"[A-Z][a-z]{9,12}( [A-Z][a-z]{9,12})?", fullmatch=True))
def test_whatever_stands_before_the_whole_name(known: tuple[str, str], before: str) -> None:
    assert compare_venues(f"{before} {known[0]}", known[1]) == "unknown"


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        # Another event of the same topic: of a region, a season, another body, a level.
        ("Chinese Conference on Computer Vision", "ICCV"),
        ("Asian Conference on Computer Vision", "ICCV"),
        ("Winter Conference on Computer Vision", "ICCV"),
        ("Proceedings of the 3rd Iberian Conference on Machine Learning", "ICML"),
        ("Pacific Rim International Conference on Machine Learning", "ICML"),
        ("World Conference on Machine Learning", "ICML"),
        ("IASTED International Conference on Machine Learning", "ICML"),
        ("Workshop on Odd Results at the International Conference on Machine Learning", "ICML"),
        ("Portuguese Conference on Artificial Intelligence", "AAAI"),
        ("European Conference on Computer Vision", "ICCV"),
        # Part of the name only.
        ("Odd Conference on Artificial Intelligence", "AAAI"),
        ("Odd Conference on Vision", "CVPR"),
        # A topic of its own.
        ("International Conference on Learning Representations in Music", "ICLR"),
        ("Talk at the International Conference on Machine Learning Technologies", "ICML"),
        ("International Conference on Quantum Machine Learning", "ICML"),
        # The rule is one for conferences.
        ("Odd Journal of Machine Learning Research", "Journal of Machine Learning Research"),
    ],
)
def test_another_event_of_the_same_topic_is_another_venue(cited: str, found: str) -> None:
    assert compare_venues(cited, found) == compare_venues(found, cited) == "different"


def test_words_that_a_database_runs_together() -> None:
    """Crossref's container title of IJCAI 2024."""
    glued = "Proceedings of the Thirty-ThirdInternational Joint Conference on Artificial Intelligence"
    assert compare_venues(glued, "IJCAI") == "same"
