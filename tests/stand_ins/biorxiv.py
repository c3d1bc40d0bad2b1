"""The local bioRxiv: ``/pubs/{server}/{doi}/na/json``, the links from preprints to their publications.

Written after api.biorxiv.org. A preprint without a link is answered like one that does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from tests.stand_ins.inspire import as_listed
from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_END = "/na/json"


class BioRxiv:
    """bioRxiv's answers to GET requests. With ``shift``, every link found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        by_doi = {work.doi.lower(): work for work in facts.works if work.doi}
        held = [work for work in facts.works if work.published]
        self._links = [(work, by_doi[work.published.lower()]) for work in held if work.published.lower() in by_doi]
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        name = unquote(path).removesuffix(_END)
        for place, (preprint, _) in enumerate(self._links):
            if name == f"/pubs/{preprint.container.lower()}/{preprint.doi}":
                link = _link(*self._links[(place + self._shift) % len(self._links)])
                return json_reply(200, _JSON, {"messages": [{"status": "ok", "count": 1}], "collection": [link]})
        return json_reply(200, _JSON, {"messages": [{"status": "no posts found"}], "collection": []})


def _link(preprint: Work, published: Work) -> dict[str, str]:
    day = "-".join(f"{part:02}" for part in (*preprint.issued, 1, 1)[:3])
    appeared = "-".join(f"{part:02}" for part in (*(published.print or published.issued), 1, 1)[:3])
    return {
        "biorxiv_doi": preprint.doi,
        "published_doi": published.doi,
        "published_journal": published.container,
        "preprint_platform": preprint.container,
        "preprint_title": preprint.title,
        "preprint_authors": "; ".join(map(as_listed, preprint.authors)),
        "preprint_category": "bioinformatics",
        "preprint_date": day,
        "published_date": appeared,
        "preprint_abstract": "",
    }
