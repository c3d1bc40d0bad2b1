"""The judge with a local entailment model, with a model and a tokenizer of a few words that the tests make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.model import Judgement
from pytest_citecheck.models.chat import ConfigurationError
from pytest_citecheck.models.claims import Entailment, read_judges

pytest.importorskip("onnxruntime", reason="the extra “entailment” is not installed")
pytest.importorskip("tokenizers", reason="the extra “entailment” is not installed")
helper = pytest.importorskip("onnx.helper", reason="onnx, which makes the model, is not installed")

WORDS = ["[UNK]", "[PAD]", "same", "other", "perhaps"]
WEIGHTS = {"same": (6.0, 0.0, 0.0), "other": (0.0, 0.0, 6.0), "perhaps": (1.0, 1.0, 0.0)}
"""Of entailment, neutral and contradiction, for each time that a word occurs in the passage and the claim."""
YAML = "local: {nli: {method: entailment, model: weights/model.onnx, labels: [entailment, neutral, contradiction]}}"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A model that adds the weights of its tokens, and a tokenizer that knows five words."""
    from onnx import TensorProto, numpy_helper  # noqa: PLC0415 - only if installed
    from tokenizers import Tokenizer  # noqa: PLC0415
    from tokenizers.models import WordLevel  # noqa: PLC0415
    from tokenizers.pre_tokenizers import Whitespace  # noqa: PLC0415

    np = pytest.importorskip("numpy")
    folder = tmp_path / "weights"
    folder.mkdir()
    table = np.asarray([WEIGHTS.get(word, (0.0, 0.0, 0.0)) for word in WORDS], dtype=np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "axis"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.asarray([1], dtype=np.int64), "axis")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


FILLER = " ".join(f"The keeper of tower number {number} kept a diary about birds and ships." for number in range(60))
CLAIM = "The lamp of the lighthouse burned oil."


def judged(weights: Path, sentence: str) -> Judgement:
    (judge,) = read_judges(weights.parent / "judges.yaml", YAML, {}).local
    return judge.judge(CLAIM, f"{FILLER} {sentence} {FILLER}")


def test_a_passage_that_entails_the_claim_passes_it(weights: Path) -> None:
    said = judged(weights, "In the lighthouse the lamp was fed with the same oil.")
    assert (said.verdict, said.confidence) == ("Supported", 99.5)
    assert said.quote == "In the lighthouse the lamp was fed with the same oil."


def test_a_passage_that_contradicts_the_claim_fails_it(weights: Path) -> None:
    said = judged(weights, "In the lighthouse the lamp was fed with other fuel than oil.")
    assert (said.verdict, said.reason_type, said.confidence) == ("Not supported", "contradiction", 0.5)


@pytest.mark.parametrize("word", ["perhaps", "same other", "any"])
def test_between_the_thresholds_it_abstains(weights: Path, word: str) -> None:
    said = judged(weights, f"In the lighthouse the lamp was fed with {word} oil.")
    assert (said.verdict, said.flags) == (None, ("not-shown",))
    assert "do not decide it; all" in said.comments


def test_a_hard_contradiction_needs_no_model(weights: Path) -> None:
    judge = Entailment("nli", weights / "none", weights / "none", ("entailment",))
    said = judge.judge("The tower opened in 1832 in Port Ellen.", f"The tower opened in 1932 in Port Ellen. {FILLER}")
    assert (said.verdict, said.reason_type) == ("Not supported", "contradiction")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (YAML.replace("model.onnx", "gone.onnx"), "there is no file .*gone.onnx; citecheck downloads no weights"),
        (YAML.replace("entailment, neutral", "neutral"), "labels: must list the outputs of the model in order"),
        (YAML.replace("method: entailment, ", ""), "method: must be one of entailment"),
        (YAML.replace("nli:", "overlap:"), "is already the name of a judge"),
    ],
    ids=["no model", "no label", "no method", "name taken"],
)
def test_a_model_that_cannot_be_used_is_named(weights: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        read_judges(weights.parent / "judges.yaml", text, {})


def test_labels_are_read_beside_the_model(weights: Path) -> None:
    labels = {"0": "ENTAILMENT", "1": "NEUTRAL", "2": "CONTRADICTION"}
    (weights / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    text = YAML.replace(", labels: [entailment, neutral, contradiction]", "")
    (judge,) = read_judges(weights.parent / "judges.yaml", text, {}).local
    assert judge.judge(CLAIM, f"{FILLER} In the lighthouse the lamp was fed with the same oil.").verdict == "Supported"


def test_the_items_of_a_local_model_and_of_a_hook(
    weights: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cascade asks the model about what words leave open; a judge that fails is an error."""
    sources = {"same": "In the lighthouse the lamp was fed with the same oil.", "any": "It is a tower."}
    rows = [{"id": name, "claim": CLAIM, "source": f"{text} {FILLER}"} for name, text in sources.items()]
    Path("claims.json").write_text(json.dumps(rows), encoding="utf-8")
    more = "\noverlap: true\ncascades: {both: {members: [overlap, nli]}}\n"
    text = YAML.replace("weights/", f"{weights}/") + more
    Path("judges.yaml").write_text(text, encoding="utf-8")
    pytester.makeconftest("""
        def pytest_citecheck_judges(judges):
            from pytest_citecheck.api import Judgement

            class Length:
                name = "length"

                def judge(self, claim, source):
                    return Judgement(None) if "same" in source else 1 / 0

            judges.append(Length())
    """)
    result = pytester.runpytest("--citecheck=claims.json", "--citecheck-claims=judges.yaml", "-v", "-rs")
    result.stdout.fnmatch_lines([
        "citecheck: claims.json: 2 claims, judged by nli, overlap, length, both",
        "claims.json::same[[]nli] PASSED*",
        "claims.json::same[[]overlap] SKIPPED*",
        "claims.json::same[[]length] SKIPPED*",
        "claims.json::same[[]both] PASSED*",
        "claims.json::any[[]nli] SKIPPED*",
        "claims.json::any[[]length] ERROR*",
        "*length returned no verdict: ZeroDivisionError: division by zero",
    ])  # fmt: skip
