"""Twenty claims of a manuscript, decided by a stand-in judge at a server on this machine that compares words and numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.exit_codes import UNCHECKED
from pytest_citecheck.plugin import trust
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

TOWNS = (("Aldby", 1901, 120), ("Borgvik", 1887, 64), ("Cresk", 1933, 310), ("Dunmar", 1956, 95), ("Ekholt", 1912, 48))
SOURCE = (
    "The ferry of {town} began in {year}. It carries {people} people across the strait. Carl Lind designed the wooden hull. "
    "The fare fell after the war, and the harbour was widened twice."
)
JUDGES = """
target_endpoints:
  local: {base_url: URL, api_key: "${JUDGE_KEY}", model: local-1}
evaluation: {retry_times: 1}
output: {output_dir: out}
"""
_NO_CONTENT = frozenset("reports that with from across after".split())  # noqa: SIM905


def verdict_on(claim: str, source: str) -> tuple[str, str]:
    """The verdict and the reason type by the words and numbers of a claim that a source lacks."""
    words = re.findall(r"\w+", re.sub(r"\(\d{4}\)", "", claim).lower())
    wanted = [word for word in words if (len(word) > 3 or word.isdigit()) and word not in _NO_CONTENT]
    missing = [word for word in wanted if word not in re.findall(r"\w+", source.lower())]
    if not missing:
        return "SUPPORTED", ""
    if any(word.isdigit() for word in missing):
        return "NOT SUPPORTED", "contradiction"
    return ("PARTIALLY SUPPORTED", "") if 2 * len(missing) <= len(wanted) else ("NOT SUPPORTED", "omission")


def judged(call: Call) -> Said:
    said = str(call.messages[-1]["content"])
    claim, token, source = re.findall(r'\AClaim: "(.*)"\n.*?=== (\w+) ===\n(.*)\n=== \2 ===', said, re.DOTALL)[0]
    verdict, reason = verdict_on(claim, source)
    value = {"verdict": verdict, "confidence": 70, "comments": "By words.", "reason_type": reason, "quote": ""}
    forgets = "Aldby" in claim and "lacks “check”" not in said  # the first answers about one town
    return Said(json.dumps(value | ({} if forgets else {"check": token})))


@pytest.fixture
def endpoints(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelEndpoints]:
    monkeypatch.setenv("JUDGE_KEY", "sk-secret-0123456789")
    with ModelEndpoints(judged) as served:
        Path("judges.yaml").write_text(JUDGES.replace("URL", served.base_urls["openai"]), encoding="utf-8")
        trust(pytester.path)
        yield served


def write_paper() -> dict[str, str]:
    """Write the manuscript, its bibliography and its sources; the verdict that each claim must get."""
    expected: dict[str, str] = {}
    sentences, entries = [], []
    Path("sources").mkdir()
    for town, year, people in TOWNS:
        key = f"x:{town.lower()}"
        Path("sources", f"{key.replace(':', '_')}.txt").write_text(
            SOURCE.format(town=town, year=year, people=people), encoding="utf-8"
        )
        entries.append(f"@book{{{key}, author = {{Lind, Carl}}, title = {{Ferries of {town}}}, year = {{2001}}}}")
        sentences += [
            rf"The ferry of {town} began in {year} \cite{{{key}}}, but gulls have nests on each roof near {town} \cite{{{key}}}.",
            rf"\citet{{{key}}} reports that the ferry of {town} carries {people + 7} people.",
            rf"Carl Lind designed the wooden hull of the ferry of {town} and the steam engine \citep[p.~3]{{{key}}}.",
        ]
        expected |= {
            f"The ferry of {town} began in {year}": "Supported",
            f"gulls have nests on each roof near {town}.": "Not supported",
            f"Lind (2001) reports that the ferry of {town} carries {people + 7} people.": "Not supported",
            f"Carl Lind designed the wooden hull of the ferry of {town} and the steam engine.": "Partially supported",
        }
    body = "\n\n".join(sentences)
    Path("paper.tex").write_text(
        f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\bibliography{{refs}}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    Path("refs.bib").write_text("\n".join(entries), encoding="utf-8")
    return expected


OWN = ("--citecheck=paper.tex", "--citecheck-cache=off", "-p", "no:cacheprovider")


def test_twenty_claims_get_the_right_outcome(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    expected = write_paper()
    warned = ("-W", "default::pytest_citecheck.ClaimWarning")
    result = pytester.runpytest(*OWN, *warned, "--citecheck-claims=judges.yaml", "--citecheck-json=r.json")
    result.assert_outcomes(passed=10, failed=10, warnings=5)
    pairs = json.loads(Path("r.json").read_text(encoding="utf-8"))["claims"]["pairs"]
    assert {pair["claim"]: pair["answers"][0]["verdict"] for pair in pairs} == expected
    assert len(expected) == 20
    assert not any(pair["answers"][0]["flags"] for pair in pairs)
    # The four answers without “check” were asked for again, once.
    assert len(endpoints.calls) == 24


def test_an_answer_that_never_repeats_the_mark_is_malformed(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    write_paper()
    endpoints.script = lambda _: Said(json.dumps({"verdict": "SUPPORTED", "confidence": 90}))
    text = r"\begin{document}The ferry of Aldby began in 1901 \cite{x:aldby}.\end{document}"
    Path("paper.tex").write_text(text, encoding="utf-8")
    result = pytester.runpytest(*OWN, "--citecheck-claims=judges.yaml")
    assert result.parseoutcomes()["unparsed"] == 1
    result.stdout.fnmatch_lines(["UNPARSED x:aldby [[]local]: the answer lacks “check”"])
    assert len(endpoints.calls) == 2


def test_a_run_that_decides_no_claim_is_not_green(pytester: pytest.Pytester) -> None:
    write_paper()
    paraphrase = r"\begin{document}Boats have linked the two shores for ages \cite{x:aldby}.\end{document}"
    Path("paper.tex").write_text(paraphrase, encoding="utf-8")
    result = pytester.runpytest(*OWN, "--citecheck-claims")
    result.assert_outcomes(skipped=1)
    assert result.ret == UNCHECKED
    result.stdout.fnmatch_lines(["citecheck: no claim was decided: not enough evidence.*"])
    source = Path("sources", "x_aldby.txt")
    source.write_text(
        "Boats have linked the two shores for ages. They still do so in winter and in summer. " * 3, encoding="utf-8"
    )
    assert pytester.runpytest(*OWN, "--citecheck-claims").ret == pytest.ExitCode.OK
