"""A judge with a local entailment model, in ONNX. Nothing is downloaded: ``judges.yaml`` names the files.

The premises are the passages of the source that resemble the claim most. The judge passes a claim that one of them entails,
fails one that a passage contradicts, and abstains between the thresholds. The judge without a model looks for hard
contradictions in numbers and names first, because entailment models often miss them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import ClaimVerdict as Verdict
from pytest_citecheck.model import Judgement
from pytest_citecheck.models.claims.literal import NOT_SHOWN, judge_without_model, without_instructions
from pytest_citecheck.models.claims.pairs import clean_source
from pytest_citecheck.models.claims.passages import indexed
from pytest_citecheck.thresholds import ENTAILMENT_FAIL, ENTAILMENT_PASS

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import Section

_PREMISES = 8  # passages, the most similar ones first
_BESIDE = 1  # sentences on either side of the most similar one
_LIKELY = 0.5  # a passage contradicts no claim that another one entails more likely than not


def verdict_of(entailment: float, contradiction: float) -> Verdict | None:
    """The verdict from the highest probabilities among the passages; None between the thresholds."""
    if entailment >= ENTAILMENT_PASS:
        return "Supported"
    if contradiction >= ENTAILMENT_FAIL and entailment < _LIKELY:
        return "Not supported"
    return None


@dataclass(frozen=True)
class Entailment:
    """An entailment model. labels: of its outputs in their order. longest: tokens of a premise with a claim."""

    name: str
    model: Path
    tokenizer: Path
    labels: tuple[str, ...]
    longest: int = 512

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        import onnxruntime  # noqa: PLC0415 - an extra
        from tokenizers import Tokenizer  # noqa: PLC0415

        tokenizer = Tokenizer.from_file(str(self.tokenizer))
        tokenizer.enable_truncation(self.longest, strategy="only_first")
        tokenizer.enable_padding()
        return onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"]), tokenizer

    def judge(self, claim: str, source: str) -> Judgement:
        """The judgement. Raises what the runtime raises for a model or a tokenizer that it cannot read."""
        said = judge_without_model(claim, source)
        if said.verdict in ("Not supported", "Source unavailable"):
            return said
        flags = tuple(flag for flag in said.flags if flag != NOT_SHOWN)
        index = indexed(without_instructions(clean_source(source)))
        passages, centres = [], []
        for _, number in index.ranked(claim)[:_PREMISES]:
            first, last = max(0, number - _BESIDE), min(len(index.places) - 1, number + _BESIDE)
            passages.append(" ".join(index.text[index.places[first][0] : index.places[last][1]].split()))
            centres.append(index.text[slice(*index.places[number])].strip())
        rated = self.probabilities(passages, claim) if passages else []
        entails = max((share for share, _ in rated), default=0.0)
        contradicts = max((other for _, other in rated), default=0.0)
        verdict = verdict_of(entails, contradicts)
        searched = f"all {len(index.text):,} characters of the source were searched"
        if verdict is None:
            comment = f"entailment {entails:.2f} and contradiction {contradicts:.2f} do not decide it; {searched}"
            return Judgement(None, None, comment, flags=(*flags, NOT_SHOWN))
        supported = verdict == "Supported"
        best = max(range(len(rated)), key=lambda place: rated[place][0 if supported else 1])
        comment = (
            f"the passage {'entails' if supported else 'contradicts'} the claim ({rated[best][not supported]:.2f})"
        )
        confidence = 100 * entails if supported else 100 * (1 - contradicts)
        reason = "" if supported else "contradiction"
        return Judgement(verdict, round(confidence, 1), comment, reason, centres[best], flags)

    def probabilities(self, premises: Sequence[str], claim: str) -> list[tuple[float, float]]:
        """The probabilities of entailment and contradiction for each premise."""
        session, tokenizer = self._loaded
        encoded = tokenizer.encode_batch([(premise, claim) for premise in premises])
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        names = [column.name for column in session.get_inputs()]
        inputs = {name: _array([getattr(encoding, columns[name]) for encoding in encoded]) for name in names}
        (logits, *_) = session.run(None, inputs)
        return [self._of(list(map(float, row))) for row in logits]

    def _of(self, logits: Sequence[float]) -> tuple[float, float]:
        if len(logits) != len(self.labels):
            raise ValueError(f"{self.model.name} has {len(logits)} outputs, but labels names {len(self.labels)}")
        weights = [math.exp(value - max(logits)) for value in logits]
        shares = dict(zip(self.labels, (weight / math.fsum(weights) for weight in weights), strict=True))
        entails = next(share for label, share in shares.items() if label.startswith("entail"))
        return entails, next((share for label, share in shares.items() if label.startswith("contra")), 0.0)


def _array(rows: Sequence[Sequence[int]]) -> Any:
    import numpy as np  # noqa: PLC0415 - an extra

    return np.asarray(rows, dtype=np.int64)


def configured(name: str, section: Section, folder: Path) -> Entailment | None:
    """The judge of a section of ``local``: ``model``, ``tokenizer``, ``labels``, ``max_tokens``."""
    model = folder / section.text("model", "model.onnx")
    tokenizer = folder / section.text("tokenizer", str(model.parent / "tokenizer.json"))
    labels = tuple(label.lower() for label in section.texts("labels")) or _labels_beside(model)
    longest = section.integer("max_tokens", 512, 16)
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        section.problem("method", "needs onnxruntime and tokenizers: pip install '.[entailment]' in a checkout")
    for key, file in (("model", model), ("tokenizer", tokenizer)):
        if not file.is_file():
            section.problem(key, f"there is no file {file}; citecheck downloads no weights")
    if not any(label.startswith("entail") for label in labels):
        section.problem(
            "labels", "must list the outputs of the model in order, such as [entailment, neutral, contradiction]"
        )
    return Entailment(name, model, tokenizer, labels, longest)


def _labels_beside(model: Path) -> tuple[str, ...]:
    """The labels in the ``config.json`` beside a model; empty if there are none."""
    try:
        stated = json.loads((model.parent / "config.json").read_text(encoding="utf-8"))["id2label"]
        return tuple(str(stated[str(place)]).lower() for place in range(len(stated)))
    except (OSError, ValueError, LookupError, TypeError):
        return ()
