"""Parsing of venue texts: known venues, the proceedings or a part of them, and unexplained words."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import Part, parse_venue

# The text, the known venues, what of them, the unmatched words, and from which year on a track is part of the proceedings.
TEXTS: list[tuple[str, str, Part, str, int]] = [
    ("ICML", "icml", "main", "", 0),
    ("ICML 2019", "icml", "main", "", 0),
    ("International Conference on Acoustics, Speech, and Signal Processing Workshop", "icassp", "workshop", "", 0),
    ("ICML 2019 Time Series", "icml", "beside", "time", 0),
    ("ICML Workshop on Cats", "icml", "workshop", "", 0),
    ("ICML 2019, Long Beach, CA, USA", "icml", "main", "", 0),
    ("Proceedings of the 36th International Conference on Machine Learning, PMLR", "icml", "main", "", 0),
    ("Workshop@ICML", "icml", "workshop", "", 0),
    ("ICMLW 2019", "icml", "workshop", "", 0),
    ("CVPRW", "cvpr", "workshop", "", 0),
    ("XYZW", "", "main", "", 0),
    ("Findings of ACL 2020", "acl", "findings", "", 0),
    ("Findings of EMNLP Workshop", "emnlp", "findings", "", 0),
    ("Companion of WWW 2019", "www", "side", "", 0),
    ("ICML (submitted)", "icml", "submission", "", 0),
    ("Rejected at ICML", "icml", "submission", "", 0),
    ("ECML/PKDD", "ecml", "main", "", 0),
    ("ECML PKDD 2019", "ecml", "main", "", 0),
    ("EMNLP-IJCNLP", "emnlp", "main", "", 0),
    ("ACL/IJCNLP", "acl", "main", "", 0),
    ("Foo/Bar", "", "main", "", 0),
    ("ICML and the 3rd International Workshop on Cats", "icml", "beside", "cats", 0),
    ("JMLR Workshop and Conference Proceedings", "pmlr", "main", "", 0),
    ("JMLR: W&CP 28, ICML", "icml", "main", "", 0),
    ("AAAI Conference", "aaai", "main", "", 0),
    ("AAAI Conf", "aaai", "main", "", 0),
    ("IEEE Conference", "", "main", "", 0),
    ("Conference", "", "main", "", 0),
    ("ACM SIGMOD Conference", "sigmod", "main", "", 0),
    (
        "IEEE International Conference on Acoustics Speech and Signal Processing ICASSP 2023, Rhodes Island",
        "icassp",
        "main",
        "",
        0,
    ),
    ("Something ICASSP'19", "icassp", "beside", "something", 0),
    ("Something ICASSP 19", "", "main", "", 0),
    ("International Conference on Machine Learning USA", "icml", "main", "", 0),
    ("International Conference on Machine Learning Cats", "", "main", "", 0),
    ("Conference on Fairness, Accountability, and Transparency, PMLR", "facct", "main", "", 0),
    ("Journal of Machine Learning Research, Microtome", "jmlr", "main", "", 0),
    ("Nature, London", "nature", "main", "", 0),
    ("Pacific Asia Conference on Language, Information and Computation", "", "main", "", 0),
    ("User Modeling and User-Adapted Interaction: The Journal of Personalization Research", "umuai", "main", "", 0),
    ("Foo (ICML)", "icml", "beside", "foo", 0),
    ("ICML (International Conference on Machine Learning)", "icml", "main", "", 0),
    ("NIPS, ICML", "neurips icml", "main", "", 0),
    ("NIPS, Nips", "neurips", "main", "", 0),
    ("NIPS, Montreal", "neurips", "main", "", 0),
    ("ICML Tutorial", "icml", "side", "", 0),
    ("Doctoral Consortium of ICML", "icml", "side", "", 0),
    ("ICML Datasets and Benchmarks Track", "icml", "beside", "datasets benchmarks", 0),
    ("NeurIPS Datasets and Benchmarks 2021", "neurips", "main", "", 2022),
    ("NeurIPS Datasets and Benchmarks", "neurips", "main", "", 2022),
    ("Lecture Notes in Computer Science, Springer", "lncs springer", "main", "", 0),
    ("Springer LNCS 123", "lncs", "main", "", 0),
    ("International Semantic Web Conference (ISWC 2019), LNCS 1", "iswc", "main", "", 0),
    ("ThirdInternational Conference on Machine Learning", "icml", "main", "", 0),
    ("arXiv, ICML", "icml", "beside", "arxiv", 0),
    ("KR 2020", "kr", "main", "", 0),
    ("KR", "kr", "main", "", 0),
    ("Cats, KR", "", "main", "", 0),
    ("cats, kr", "", "main", "", 0),
    ("WSDM Cup at WSDM", "", "main", "", 0),
    ("Cats ACL Cats", "", "main", "", 0),
    ("International Workshop on Acoustic Signal Enhancement (IWAENC)", "", "workshop", "", 0),
    ("IWSLT", "iwslt", "main", "", 0),
    ("International Workshop on Spoken Language Translation", "iwslt", "main", "", 0),
    ("International Workshop on Spoken Language Translation Cats", "", "workshop", "", 0),
    ("ACL, Association", "acl", "beside", "association", 0),
    ("", "", "main", "", 0),
    ("Foo", "", "main", "", 0),
    ("COLING 2020, Barcelona", "coling", "main", "", 0),
    ("International Conference on Computational Linguistics (COLING), ACL", "coling acl", "main", "", 0),
    ("Nature Machine Intelligence (2019)", "natmachintell", "main", "", 0),
    ("Machine Learning", "machinelearning", "main", "", 0),
    ("Hanoi, KR 2020", "kr", "main", "", 0),
    ("Hanoi, kr 2020", "", "main", "", 0),
    ("Hanoi, Kr", "", "main", "", 0),
    ("KR 2020, Hanoi", "kr", "main", "", 0),
    ("ICML 2019, KR", "icml", "beside", "kr", 0),
    ("ICML 2019, Kr 2019", "icml", "beside", "kr", 0),
    ("ICML 2019, KR 2019", "icml kr", "main", "", 0),
    ("ICML, ACL", "icml acl", "main", "", 0),
    ("ICML, acl", "icml", "beside", "acl", 0),
    ("ICML, IJCAI", "icml ijcai", "main", "", 0),
    ("ICML 2019 / ICLR 2019", "icml iclr", "main", "", 0),
    ("Hanoi, ICML/ICLR", "icml iclr", "main", "", 0),
    ("International Workshop on Spoken Language Translation@ICML", "icml", "workshop", "", 0),
    ("IWSLT@ACL", "iwslt", "main", "", 0),
    ("SemEval@COLING 2014", "semeval", "main", "", 0),
    (
        "Proceedings of the 8th International Workshop on Semantic Evaluation, SemEval@COLING 2014, Dublin, Ireland",
        "semeval",
        "main",
        "",
        0,
    ),
    ("IEEE Conf. Comput. Vis. Pattern Recog.", "cvpr", "main", "", 0),
    ("IEEE/CVF Conf. Comput. Vis. Pattern Recog.", "cvpr", "main", "", 0),
    ("Int. Conf. Comput. Vis.", "iccv", "main", "", 0),
    ("Eur. Conf. Comput. Vis.", "eccv", "main", "", 0),
    ("IEEE Winter Conf. Appl. Comput. Vis.", "wacv", "main", "", 0),
    ("Adv. Neural Inform. Process. Syst.", "neurips", "main", "", 0),
    ("Int. Conf. Robot. Autom.", "icra", "main", "", 0),
    ("IEEE Conf. Comput. Vis. Pattern Recog. Worksh.", "cvpr", "workshop", "", 0),
    ("Transactions of the ACL", "tacl", "main", "", 0),
    ("Proc. Conf. Empir. Methods Nat. Lang. Proc.", "emnlp", "main", "", 0),
    ("Ann. Meet. Assoc. Comput. Linguist.", "acl", "main", "", 0),
    ("Ann. Birds", "", "main", "", 0),
    ("J. Vis.", "", "main", "", 0),
    ("Journal of Machine Learning Research - Workshop and Conference Proceedings", "pmlr", "main", "", 0),
    ("International Conference on Machine Learning Vol 1 No 2", "icml", "main", "", 0),
    ("Conference on Robot Learning Munich", "corl", "main", "", 0),
    ("Cats of Science, LNCS", "lncs", "main", "", 0),
    ("LNCS, vol. 5", "lncs", "main", "", 0),
    ("Science, Vol. 5", "science", "main", "", 0),
    ("Journal of the ACM, New York", "jacm", "main", "", 0),
    ("Journal of Cats, Nature", "", "main", "", 0),
    ("Symposium, Nature Communications", "", "main", "", 0),
    ("arXiv preprint, CVPRW 2019", "cvpr", "workshop", "", 0),
    ("CVPRW 2019, Long Beach", "cvpr", "workshop", "", 0),
    ("XYZW at ICML", "icml", "workshop", "", 0),
    ("W-NUT 2017 at EMNLP", "emnlp", "workshop", "", 0),
    ("Birds at ICML", "", "main", "", 0),
    ("Workshop ICML ICLR Nature", "icml iclr", "workshop", "", 0),
    ("workshop icml", "icml", "workshop", "", 0),
    ("Workshop of Icml", "icml", "workshop", "", 0),
    ("IcmL Workshop", "icml", "workshop", "", 0),
    ("NIPS Workshop of NIPS", "neurips", "workshop", "", 0),
    ("ACL 2019 demo, ICML", "icml", "side", "", 0),
    ("ICML Main Track", "icml", "main", "", 0),
    ("Oral, ICML", "icml", "main", "", 0),
    ("ICML 19", "icml", "main", "", 0),
    ("ICML'19", "icml", "main", "", 0),
    ("On ICML'19 and ICLR'20", "icml iclr", "main", "", 0),
    ("Bird ICASSP-2019", "icassp", "beside", "bird", 0),
    ("ICML Journal Track", "", "main", "", 0),
    ("Neural Information Processing Systems Datasets and Benchmarks", "neurips", "main", "", 2022),
    ("NIPS and Benchmarks", "", "main", "", 0),
    ("MICCAI, LNCS 1, Springer", "miccai", "main", "", 0),
    ("arXiv, LNCS", "arxiv", "main", "", 0),
    ("Springer, arXiv", "arxiv", "main", "", 0),
    ("Conference on Cats, Springer", "springer", "main", "", 0),
]


@pytest.mark.parametrize(
    ("text", "venues", "part", "unmatched", "main_from"), TEXTS, ids=[row[0] or "nothing" for row in TEXTS]
)
def test_a_text(text: str, venues: str, part: Part, unmatched: str, main_from: int) -> None:
    parsed = parse_venue(text)
    assert " ".join(venue.id for venue in parsed.venues) == venues
    assert (parsed.part, " ".join(parsed.rest), parsed.main_from) == (part, unmatched, main_from)
    assert parse_venue(f" {text} ") == parsed


def test_the_words_of_a_text() -> None:
    parsed = parse_venue("Proceedings of the 36th International Conference on Machine Learning (ICML 2019)")
    assert parsed.key == "proceedings international conference machine learning icml 2019"
    assert parsed.words == tuple(parsed.key.split())
    assert parsed.core == ("international", "conference", "machine", "learning", "icml")


def test_a_subtitle_of_a_journal_is_no_part_of_its_name() -> None:
    parsed = parse_venue("Birds: An International Journal of Flight")
    assert (parsed.text, parsed.key) == ("Birds", "birds")


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("NUT@EMNLP", "nut"),
        ("W-NUT 2017 at EMNLP", "wnut"),
        ("BEA@NAACL-HLT", "bea"),
        ("SemEval@COLING 2014", ""),
        ("Workshop@ICML", ""),
        ("ICML", ""),
    ],
)
def test_the_event_that_meets_beside_another_one(text: str, event: str) -> None:
    assert parse_venue(text).event == event
