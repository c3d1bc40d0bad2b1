"""Answers of the made-up models of `fixtures/arena`: correct, partly invented, refused, cut off, in prose, after searches."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pytest_citecheck.inputs import read_bibtex
from tests.stand_ins.model_endpoints import Call, Said

ROOT = Path(__file__).parents[2]
QUERIES: tuple[str, ...] = tuple(
    query["query"] for query in json.loads((ROOT / "fixtures" / "arena" / "queries.json").read_text(encoding="utf-8"))
)

_REAL: Mapping[int, tuple[str, ...]] = {
    1: ("hochreiter1997long", "he2016deep", "devlin2019bert"),
    2: ("kingma2015adam", "hinton2015distilling"),
    3: ("jinek2012programmable", "jumper2021highly"),
    4: ("love2014moderated", "bray2016near"),
    5: ("hubble1929relation", "riess1998observational", "perlmutter1999measurements"),
    6: ("einstein1935can", "schrodinger1935gegenwartige"),
    7: ("kroto1985c60", "kolb2001click"),
    8: ("furukawa2013chemistry", "miyaura1995palladium"),
    9: ("kahneman1979prospect", "granovetter1973strength"),
    10: ("acemoglu2001colonial", "bandura1977self"),
    11: ("ioannidis2005why", "osc2015estimating"),
    12: ("pedregosa2011scikit", "astropy2013"),
}
"""Works that fit each query, by keys of fixtures/refs.bib."""

_WRONG: Mapping[int, tuple[str, ...]] = {
    1: ("swapped-authors-1-transformer", "near-miss-title-2-resnet"),
    3: ("partial-author-list-2-crispr", "plausible-fabrication-1-synapse"),
    4: ("nonexistent-venue-3-deseq2",),
    5: ("chimeric-title-4-inflation", "wrong-venue-4-blackholes"),
    7: ("plausible-fabrication-3-spin-glass",),
    9: ("swapped-authors-3-prospect", "future-date-2-weak-ties"),
    10: ("near-miss-title-4-colonial",),
    11: ("plausible-fabrication-2-sparse",),
    12: ("plausible-fabrication-8-package",),
}
"""Works that the eager model invents, by keys of fixtures/hallucinated.bib."""

_TOKENS = 4  # characters of a token, roughly


@lru_cache
def _entries() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in ("refs.bib", "hallucinated.bib"):
        bibliography = read_bibtex(name, (ROOT / "fixtures" / name).read_bytes())
        found |= {reference.key: reference.text for reference in bibliography.references}
    return found


def _bibtex(*keys: str) -> str:
    return "\n\n".join(_entries()[key] for key in keys)


def _fenced(*keys: str) -> str:
    return f"```bibtex\n{_bibtex(*keys)}\n```\n"


def _careful(number: int) -> str:
    real = _REAL[number]
    return {
        1: f"<think>Three are wanted. @article{{draft, title={{A Draft}}}}?</think>Here they are.\n\n{_fenced(*real)}",
        2: "以下是两篇论文:\n\n"
        "1. Diederik P. Kingma, Jimmy Ba. Adam: A Method for Stochastic Optimization. arXiv:1412.6980, 2014.\n"
        "2. Geoffrey Hinton, Oriol Vinyals, Jeff Dean. Distilling the Knowledge in a Neural Network. arXiv:1503.02531, 2015.\n",
        3: "1. Jumper, J., Evans, R., Pritzel, A., et al. (2021). Highly accurate protein structure prediction with AlphaFold. "
        "Nature, 596, 583–589. https://doi.org/10.1038/s41586-021-03819-2\n"
        "2. Jinek, M., Chylinski, K., Fonfara, I., Hauer, M., Doudna, J. A., & Charpentier, E. (2012). A Programmable "
        "Dual-RNA–Guided DNA Endonuclease in Adaptive Bacterial Immunity. Science, 337(6096), 816–821. "
        "https://doi.org/10.1126/science.1225829\n",
        5: f"{_bibtex(*real[:2])}\n\nAnd once more the first one, because it matters most:\n\n"
        f"{_entries()[real[0]].replace(real[0], 'hubble_again')}\n",
        6: "抱歉,我不能确定 1935 年发表的任何一篇论文的信息。",
        9: "- **Prospect Theory: An Analysis of Decision under Risk** – Daniel Kahneman and Amos Tversky (1979). *Econometrica*. "
        "https://doi.org/10.2307/1914185\n- I know no second one that I am sure of.\n",
        11: json.dumps([
            {"title": "Why Most Published Research Findings Are False", "authors": ["John P. A. Ioannidis"], "year": 2005,
             "journal": "PLoS Medicine", "doi": "10.1371/journal.pmed.0020124"},
        ]),
    }.get(number) or _fenced(*real)  # fmt: skip


def _eager(number: int) -> Said | str:
    real, wrong = _REAL[number], _WRONG.get(number, ())
    if number == 6:
        return "I cannot help with that."
    if number == 8:
        cut = _bibtex(*real)
        return Said(cut[: len(cut) - 60], finish="length")
    if number == 2:
        return "<think>Two papers on training. I recall one on Adam and one on"
    if number == 12:
        return f"当然!\n\n{_fenced(real[0], *wrong)}"
    return f"Certainly!\n\n{_fenced(*wrong, *real[len(wrong) :])}"


def _searching(number: int, call: Call) -> Said | str:
    """Searches once, or as the query wants it, then answers."""
    results = sum(message.get("role") == "tool" for message in call.messages)
    if number == 7 and not call.body.get("tools"):
        return _fenced(*_REAL[number])  # after the nudge
    if results == 0:
        first = json.dumps({"query": QUERIES[number - 1], "search_depth": "basic"})
        if number == 3:
            return Said(None, (("web_search", first), ("web_search", '{"query": "CRISPR Cas9"}')))
        return Said(None, (("web_search", first),))
    if number == 5 and results == 1:
        return Said(None, (("look_up_doi", '{"doi": "10.1086/300499"}'),))  # there is no such tool
    if number == 7:
        return "I have found what I need."
    return _fenced(*_REAL[number])


def _answer(model: str, number: int, call: Call) -> Said | str:
    if model == "searching":
        return _searching(number, call)
    return _careful(number) if model == "careful-1" else _eager(number)


def arena_script(call: Call) -> Said:
    """Return the answer to a call; token counts depend on the length of input and output."""
    asked = next(message["content"] for message in call.messages if message["role"] == "user")
    number = QUERIES.index(asked) + 1
    searches = bool(call.body.get("tools")) or any(message["role"] == "tool" for message in call.messages)
    model = "searching" if searches else call.model
    answered = _answer(model, number, call)
    said = Said(answered) if isinstance(answered, str) else answered
    read = len(re.sub(r"\s+", " ", json.dumps(call.body.get("messages"), ensure_ascii=False)))
    written = len(said.text or "") + sum(len(arguments) for _, arguments in said.tools)
    return Said(said.text, said.tools, said.finish, (read // _TOKENS, written // _TOKENS))
