"""Two made-up models that answer about fixtures/selfcheck/refs.bib; `python -m tests.stand_ins.self_answers` records them anew.

``careful`` knows the real works and is unsure about the others; ``eager`` names an author for each and confirms nearly all.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

FOLDER = Path(__file__).parents[2] / "fixtures" / "selfcheck"
MODELS = ("careful", "eager")

_KNOWN = {
    "A Symbolic Analysis of Relay": ("Claude E. Shannon", "1937", "Massachusetts Institute of Technology"),
    "Sketchpad": ("Ivan E. Sutherland", "1963", "Massachusetts Institute of Technology"),
    "Augmenting Human Intellect": ("Douglas C. Engelbart", "1962", "Stanford Research Institute"),
    "Notes on Structured Programming": ("Edsger W. Dijkstra", "1970", "Technological University Eindhoven"),
    "Structure and Interpretation": ("Harold Abelson, Gerald Jay Sussman, Julie Sussman", "1985", "MIT Press"),
    "UNIX Programming Environment": ("Brian W. Kernighan, Rob Pike", "1984", "Prentice-Hall"),
}
_GIVEN = ("Alan", "Beth", "Carl", "Dora", "Emil", "Faye", "Gert", "Hana")
_FAMILY = ("Archer", "Bloom", "Castell", "Drummond", "Eklund", "Falk", "Grieve", "Holm")


class SelfAnswers:
    """Script of both models. An answer depends only on the question and on the number of times it was asked."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()

    def __call__(self, call: Call) -> Said:
        asked = "\n".join(str(message["content"]) for message in call.messages)
        number = self._times[call.model, asked]
        self._times[call.model, asked] += 1
        return Said(self._answer(call.model, asked, number), tokens=(len(asked) // 4, 8))

    def _answer(self, model: str, asked: str, number: int) -> str:
        subject = _subject(asked)
        known = next((facts for title, facts in _KNOWN.items() if title in subject), None)
        draw = zlib.crc32(f"{model} {subject} {number}".encode())
        eager = model.startswith("eager")
        if "First list" in asked:
            one, other = (line.partition(": ")[2] for line in asked.splitlines()[-2:])
            return f"ANS: {100 if one == other else 0} JUSTIFICATION: the names were compared"
        if "AUTHORS:" in asked or "YEAR:" in asked or "VENUE:" in asked:
            return _named(asked, known, draw, eager=eager)
        if known is not None or (eager and draw % 9):
            return "Yes" if draw % 12 else "I am not able to look that up."
        return "No." if draw % 5 else "Yes"


def _subject(asked: str) -> str:
    """The title that a question is about."""
    if "with number " not in asked:
        return asked
    number = asked.partition("with number ")[2].split()[0]
    return next(line for line in asked.splitlines() if line.startswith(f"{number}. "))


def _named(asked: str, known: tuple[str, str, str] | None, draw: int, *, eager: bool) -> str:
    place = 0 if "AUTHORS:" in asked else 1 if "YEAR:" in asked else 2
    cue = ("AUTHORS", "YEAR", "VENUE")[place]
    # The eager model has seen half of the works only.
    if known is not None and not (eager and known[1] < "1965" and draw % 3):
        return f"{cue}: {known[place]}"
    if not eager and draw % 4 == 0:
        return "I am sorry, but I could not find a publication of that title."
    person = f"{_GIVEN[draw % 8]} {_FAMILY[draw // 8 % 8]}, {_GIVEN[draw // 64 % 8]} {_FAMILY[draw // 512 % 8]}"
    return f"{cue}: {(person, str(1980 + draw % 40), f'{_FAMILY[draw % 8]} University Press')[place]}"


def configuration(url: str) -> str:
    """The configuration of the fixture with another address."""
    return (FOLDER / "models.yaml").read_text(encoding="utf-8").replace("https://models.invalid/v1", url)


def record(log: Path) -> None:
    """Ask both models by all methods."""
    with ModelEndpoints(SelfAnswers()) as served, tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models.yaml"
        models.write_text(configuration(served.base_urls["openai"]), encoding="utf-8")
        for model in MODELS:
            subprocess.run(
                [
                    *(sys.executable, "-m", "pytest", f"--citecheck={FOLDER / 'refs.bib'}", "-q", "-m", "selfcheck"),
                    *(
                        "--citecheck-selfcheck=all",
                        f"--citecheck-selfcheck-model={models}::{model}",
                        f"--rootdir={folder}",
                    ),
                    *("--citecheck-selfcheck-for=all", f"--citecheck-selfcheck-log={log}", "-p", "no:cacheprovider"),
                ],
                check=False,
                env={"SELFCHECK_KEY": "sk-stand-in", "PYTHONPATH": ":".join(sys.path), "PATH": ""},
            )


if __name__ == "__main__":
    (FOLDER / "calls.jsonl").unlink(missing_ok=True)
    record(FOLDER / "calls.jsonl")
