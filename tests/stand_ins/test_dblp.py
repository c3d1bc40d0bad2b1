"""The local DBLP: prefix search, facets, the envelope and its irregularities."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.dblp import Dblp

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
DBLP = Dblp(FACTS)
CONFERENCE, CORR = "conf/nips/VaswaniSPUJGKP17", "journals/corr/VaswaniSPUJGKP17"


def result(q: str, **parameters: str) -> Any:
    reply = DBLP.answer("/search/publ/api", {"q": q, "format": "json"} | parameters)
    assert (reply.status, reply.content_type) == (200, "application/json; charset=utf-8")
    return json.loads(reply.body)["result"]


def keys(q: str) -> list[str]:
    return [hit["info"]["key"] for hit in result(q)["hits"].get("hit", [])]


def info(q: str) -> Any:
    (hit,) = result(q)["hits"]["hit"]
    return hit["info"]


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("attention need", [CONFERENCE, CORR]),
        ("atten vasw 2017", [CONFERENCE, CORR]),
        ("attention needed", []),
        ("attention residual", []),
        ("attention|residual corr", [CORR]),
        ("vaswan$ attention", []),
        ("Polosukhin venue:NIPS: year:2017:", [CONFERENCE]),
        ("Polosukhin venue:NIPS: year:2018:", []),
        ("venue:NIP:", []),
        ("venue:NIP", [CONFERENCE]),
        ("author:Ashish_Vaswani: type:Informal_and_Other_Publications:", [CORR]),
        ("author:Ashish:", []),
        ("streamid:conf/cvpr:", ["conf/cvpr/HeZRS16"]),
        ("lukasz kaiser need venue:corr:", [CORR]),
        ("", []),
    ],
)
def test_every_word_must_begin_a_word_of_the_record(q: str, found: list[str]) -> None:
    assert keys(q) == found


def test_no_hits_have_no_hit_member() -> None:
    found = result("zyzzyva")
    assert found["hits"] == {"@total": "0", "@computed": "0", "@sent": "0", "@first": "0"}
    assert found["query"] == "zyzzyva*"


def test_counts_limits_and_offset() -> None:
    hits = result("attention", h="1")["hits"]
    assert (hits["@total"], hits["@sent"], hits["@first"]) == ("2", "1", "0")
    later = result("attention", h="1", f="1")["hits"]
    assert (later["@sent"], later["@first"]) == ("1", "1")
    assert later["hit"][0]["@id"] != hits["hit"][0]["@id"]


def test_a_journal_article() -> None:
    found = info("deep learning venue:Nat.:")
    authors = found.pop("authors")["author"]
    assert [author["text"] for author in authors] == ["Yann LeCun", "Yoshua Bengio", "Geoffrey Hinton"]
    assert all(set(author) == {"@pid", "text"} for author in authors)
    assert found == {
        "title": "Deep learning.",
        "venue": "Nat.",
        "volume": "521",
        "number": "7553",
        "pages": "436-444",
        "year": "2015",
        "type": "Journal Articles",
        "access": "closed",
        "key": "journals/nature/LeCunBH15",
        "doi": "10.1038/NATURE14539",
        "ee": "https://doi.org/10.1038/nature14539",
        "url": "https://dblp.org/rec/journals/nature/LeCunBH15",
    }


def test_one_author_is_an_object_and_entities_stand_in_titles_and_names() -> None:
    found = info("pandora")
    assert found["title"] == "Pandora&apos;s boxes: a data set."
    assert found["authors"]["author"]["text"] == "Ada O&apos;Neil Jr."
    assert "venue" not in found


def test_homonyms_keep_their_numbers() -> None:
    authors = info("residual")["authors"]["author"]
    assert [author["text"] for author in authors] == [
        "Kaiming He",
        "Xiangyu Zhang 0005",
        "Shaoqing Ren",
        "Jian Sun 0001",
    ]


def test_corr_links_arxiv_and_never_carries_the_published_doi() -> None:
    found = info("attention venue:CoRR:")
    assert (found["ee"], found["access"]) == ("http://arxiv.org/abs/1706.03762", "open")
    assert "doi" not in found


def test_completions_are_one_object_or_a_list() -> None:
    one = result("attention vasw")["completions"]
    assert (one["@sent"], one["c"]["text"]) == ("1", "vaswani")
    assert [word["text"] for word in result("deep re")["completions"]["c"]] == ["recognition", "ren", "residual"]
    assert result("deep re", c="0")["completions"] == {"@total": "3", "@computed": "3", "@sent": "0"}


def test_without_format_the_answer_is_xml() -> None:
    reply = DBLP.answer("/search/publ/api", {"q": "attention"})
    assert reply.content_type.startswith("application/xml")
    assert reply.body.startswith(b"<?xml")


def test_other_paths_do_not_exist() -> None:
    assert DBLP.answer("/rec/conf/nips/VaswaniSPUJGKP17", {}).status == 404


def test_misfiled_hits_are_others() -> None:
    reply = Dblp(FACTS, shift=1).answer("/search/publ/api", {"q": "residual", "format": "json"})
    (hit,) = json.loads(reply.body)["result"]["hits"]["hit"]
    assert hit["info"]["key"] == "data/zenodo/ONeil19"
