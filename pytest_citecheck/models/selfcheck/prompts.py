"""Prompts for self-checks: the questions in this project's own words, with their parameters and their hash.

Source of the structure of the conversations: Agrawal et al., EACL 2024, and microsoft/hallucinated-references.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_citecheck.matching import fold, lazy_pattern
from pytest_citecheck.models import fingerprint
from pytest_citecheck.models.chat import (
    DIALECTS,
    CallOptions,
    ChatRequest,
    Document,
    Endpoint,
    KeyRules,
    Message,
    ModelPlan,
    Section,
    read_call_options,
    read_endpoints,
)

if TYPE_CHECKING:
    from pytest_citecheck.model import Person
    from pytest_citecheck.models.chat import Price

YesRule = Literal["substring", "word", "starts", "three"]

_WORD = lazy_pattern(r"\byes\b", re.IGNORECASE)
_FIRST_WORD = lazy_pattern(r"\W*(yes|no)\b", re.IGNORECASE)
_NEITHER = 0.5


def _three(answer: str) -> float:
    found = _FIRST_WORD.match(answer)
    return _NEITHER if found is None else float(found[1].lower() == "yes")


YES: Mapping[YesRule, Callable[[str], float]] = {
    "substring": lambda answer: float("yes" in answer.lower()),
    "word": lambda answer: float(_WORD.search(answer) is not None),
    "starts": lambda answer: float(_three(answer) == 1),
    "three": _three,
}
"""Functions that recognise a yes, from 0 to 1.

``substring``: "yes" anywhere, also in "yesterday" (the published rule). ``word``: "yes" as a word, also in "I cannot
say yes or no". ``starts``: the first word. ``three``: the first word, and 0.5 for an answer that begins with neither.
"""


def share_of_yes(answers: tuple[str | None, ...], rule: YesRule) -> float | None:
    """The mean over the answers; a missing one counts as no. None without answers."""
    if not answers:
        return None
    return sum(YES[rule](answer) if answer is not None else 0.0 for answer in answers) / len(answers)


_NUMBER = lazy_pattern(r"\d+\.?\d*")
_COMPAT_PREFIXES = ("ANSWER", "ANS")
_LEADING = lazy_pattern(r"\A\s*(?:(?:ANSWER|ANS)\b[\s:=<]*)*", re.IGNORECASE)
_VALUE = r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"
_RANGE = lazy_pattern(rf"{_VALUE}\s*+%?\s*+(?:-|–|to)\s*+{_VALUE}")
_SINGLE = lazy_pattern(_VALUE)
_JUSTIFICATION = lazy_pattern(r"\bJUSTIFICATION\b", re.IGNORECASE)
# A number in a preamble must be the share itself, not one of the authors that it counts.
_SHARE = lazy_pattern(rf"{_VALUE}\s*+(?:-|–|to)?\s*+{_VALUE}?\s*+(?:%|percent)", re.IGNORECASE)


def overlap_compat(answer: str) -> float:
    """The share that an answer names, as the published code reads it; no number at the start is 0."""
    rest = answer.strip().upper()
    for prefix in _COMPAT_PREFIXES:
        rest = rest.removeprefix(prefix).strip()
    found = _NUMBER.match(rest.strip(": "))
    return min(1.0, float(found[0]) / 100) if found else 0.0


def overlap(answer: str) -> float | str:
    """Share in an answer, or why there is none. A number behind other words needs a percent sign."""
    said = _JUSTIFICATION.split(answer, maxsplit=1)[0]
    if not said.strip():
        return "empty"
    rest = _LEADING.sub("", said, 1)
    found: re.Match[str] | None = _RANGE.match(rest) or _SINGLE.match(rest) or _SHARE.search(rest)
    if found is None:
        return "no number"
    values = [float(value) for value in found.groups() if value]
    share = sum(values) / len(values)
    return share / 100 if share <= 100 else "out of range"


# Words of a sentence about the question, which do not occur in a list of names.
_SENTENCE = lazy_pattern(
    r"\b(?:sorry|apologi[sz]e|apologies|unable|cannot|can't|couldn't|could not|can not|don't|do not|didn't|did not|doesn't|"
    r"does not|isn't|is not|no (?:specific|exact|information|such|known|record)|not (?:find|able|aware|available|exist|specified|"
    r"provided|found|known)|however|please|as an ai|language model|there (?:is|are|isn't|seems?)|it (?:is|seems|appears)|unknown|"
    r"n/a|i (?:am|have|was|would|believe|think)|i'm)\b",
    re.IGNORECASE,
)


def is_refusal(answer: str) -> bool:
    """Return True if an answer to a question about names or a year is a sentence without any."""
    return not answer.strip() or _SENTENCE.search(answer.replace("’", "'")) is not None


_LIST_NUMBER = lazy_pattern(r"\s*+(?:\d{1,3}[.):]\s++|[-*•]\s++)")
_STRAY = ' \t\r\n,;"“”„‟«»'
_YEAR = lazy_pattern(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


def clean_title(text: str) -> str:
    """A title without list number at its start, stray quotation marks and commas; numbers inside stay ("28 nm")."""
    number = _LIST_NUMBER.match(text)
    stripped = text[number.end() :] if number else text
    return " ".join(stripped.strip(_STRAY).split())


def years(answer: str) -> frozenset[int]:
    """The years that an answer names."""
    return frozenset(int(year) for year in _YEAR.findall(fold(answer)))


Method = Literal["iq", "dq1", "dq2", "dq3", "year", "venue"]
METHODS: tuple[Method, ...] = ("iq", "dq1", "dq2", "dq3", "year", "venue")
"""``iq`` asks who wrote it, ``dq1`` to ``dq3`` whether it exists, ``year`` and ``venue`` when and where it appeared."""
DIRECT: tuple[Method, ...] = ("dq1", "dq2", "dq3")
INDIRECT: tuple[Method, ...] = ("iq", "year", "venue")
Engine = Literal["local", "lm", "cited"]

LISTED_AT_MOST = 50
"""References in the list that dq3 shows; a list without end would cost more than all other calls."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A reference to ask about. key: unique in the run. listed: titles of its list; position: its own place there, from 0."""

    key: str
    title: str
    authors: tuple[Person, ...] = ()
    year: int | None = None
    venue: str = ""
    listed: tuple[str, ...] = ()
    position: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the queries about references.

    direct, indirect: samples of each method (j and i of the paper). agree_after: a direct query stops after this many
        answers if they agree, and an indirect one after two; None: never. engine: comparison of lists of names. yes:
        recognition of a yes. cut: characters of a list that the engine ``lm`` shows; None: all. weights: weights of the
        methods in the ensemble.
    reasoning: the model accepts neither temperature nor token limit. threshold: a score of at most this is a failure.
    """

    direct: int = 10
    indirect: int = 3
    agree_after: int | None = 3
    engine: Engine = "local"
    yes: YesRule = "word"
    cut: int | None = None
    weights: Mapping[Method, float] = field(
        default_factory=lambda: {"iq": 1 / 2, "dq1": 1 / 6, "dq2": 1 / 6, "dq3": 1 / 6}
    )
    reasoning: bool = False
    threshold: float = 0.5

    def counts(self, method: Method) -> tuple[int, int]:
        """How many samples of a method to take first, and at most: none are taken after the first ones if these agree."""
        most = self.direct if method in DIRECT else self.indirect
        agreeing = most if self.agree_after is None else self.agree_after if method in DIRECT else 2
        return min(most, agreeing), most

    def __post_init__(self) -> None:
        if self.indirect < (1 if self.engine == "cited" else 2):
            raise ValueError("an indirect query needs at least two samples to compare")
        if not sum(self.weights.values()):
            raise ValueError("weights must not all be 0")


def shown_list(titles: tuple[str, ...], position: int) -> tuple[tuple[str, ...], int]:
    """The part of a list of references that is shown, and the number (from 1) of one of them in it."""
    first = max(0, min(position - LISTED_AT_MOST // 2, len(titles) - LISTED_AT_MOST))
    return titles[first : first + LISTED_AT_MOST], position - first + 1


_NEUTRAL = "You answer questions about publications."
_YES_OR_NO = "Answer with yes or no only."
_TITLE_AT_MOST = 500  # characters

_DIRECT_TOKENS, _INDIRECT_TOKENS, _OVERLAP_TOKENS = 15, 300, 50
_NEWER_LIMIT = "max_completion_tokens"

_INDIRECT: Mapping[Method, str] = {
    "iq": 'Who wrote the publication "{title}"? Reply in one line: AUTHORS: the full names, separated by commas.',
    "year": 'In which year did the publication "{title}" appear? Reply in one line: YEAR: the year.',
    "venue": (
        'In which journal, conference or book, or with which publisher, did the publication "{title}" appear? '
        "Reply in one line: VENUE: its name."
    ),
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call with its identity in a recording. sample: from 0; pair: the compared answers."""

    key: str
    method: Method
    sample: int
    request: ChatRequest
    prompt_hash: str = ""
    temperature: float | None = None
    token_limit: int | None = None
    pair: tuple[int, int] | None = None


def _title(text: str) -> str:
    return clean_title(text)[:_TITLE_AT_MOST]


def _messages(subject: Subject, method: Method) -> tuple[Message, ...]:
    title = _title(subject.title)
    if method == "dq1":
        asked = f'Is there a publication with the title "{title}"? {_YES_OR_NO}'
        return (Message("user", asked),)
    if method == "dq2":
        return (
            Message("user", "Name a publication that is well known in its field. Give its title only."),
            Message("assistant", title),
            Message("user", f"Does that publication exist? {_YES_OR_NO}"),
        )
    if method == "dq3":
        titles, number = shown_list(subject.listed or (subject.title,), subject.position)
        lines = "\n".join(f"{place}. {_title(one)}" for place, one in enumerate(titles, start=1))
        asked = (
            f"This is a list of references:\n{lines}\n\nDoes the publication with number {number} exist? {_YES_OR_NO}"
        )
        return (Message("user", asked),)
    return (Message("system", _NEUTRAL), Message("user", _INDIRECT[method].format(title=title)))


def question(subject: Subject, method: Method, sample: int, options: Options, endpoint: Endpoint) -> Call:
    """One sample of one method."""
    direct = method in DIRECT
    # A single answer should be the most probable one (section 4 of the paper); several should differ if the model is
    # unsure.
    temperature = 0.0 if (options.direct if direct else options.indirect) == 1 else 1.0
    limit = _DIRECT_TOKENS if direct else _INDIRECT_TOKENS
    messages = _messages(subject, method)
    return _call(Call(subject.key, method, sample, ChatRequest(messages)), temperature, limit, options, endpoint)


def overlap_call(key: str, pair: tuple[int, int], texts: Iterable[str], options: Options, endpoint: Endpoint) -> Call:
    """Prompt asking how far two author lists overlap, the later one first."""
    one, other = (" ".join(text.split())[: options.cut] for text in texts)
    asked = (
        "Two people listed the authors of a publication. How much do the lists agree, as a number from 0 to 100? Initials for "
        "given names and accents make no difference. The number is 0 if one of them is no list of names. Reply in one line: "
        f"ANS: the number, then JUSTIFICATION: the reason.\nFirst list: {one}\nSecond list: {other}"
    )
    call = Call(key, "iq", 0, ChatRequest((Message("user", asked),)), pair=pair)
    return _call(call, 0.0, _OVERLAP_TOKENS, options, endpoint)


def _call(call: Call, temperature: float, limit: int, options: Options, endpoint: Endpoint) -> Call:
    """The call with its parameters and its hash. The endpoint may name the token limit in the newer way."""
    said = [[message.role, message.content] for message in call.request.messages]
    mark = fingerprint([said, temperature, limit, options.reasoning])[:16]
    if options.reasoning:
        return replace(call, request=replace(call.request, sample=call.sample), prompt_hash=mark)
    newer = endpoint.api == "openai" and _NEWER_LIMIT in endpoint.parameters
    parameters = {"temperature": temperature, _NEWER_LIMIT if newer else DIALECTS[endpoint.api].limit: limit}
    request = replace(call.request, parameters=parameters, sample=call.sample)
    return replace(call, request=request, prompt_hash=mark, temperature=temperature, token_limit=limit)


@dataclass(frozen=True, slots=True)
class SelfcheckConfiguration:
    """The relevant part of the file.

    severity: of a score that is too low. calibration: a file of labelled scores of this model, as written, for
    thresholds with a false discovery rate of at most ``target_fdr``; empty for `Options.threshold`.
    """

    path: Path
    endpoints: tuple[Endpoint, ...]
    options: Options
    severity: Literal["error", "warning"] = "error"
    calibration: str = ""
    target_fdr: float = 0.1
    calls: CallOptions = field(default_factory=CallOptions)


def read_selfcheck(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool = True, keys: KeyRules | None = None
) -> SelfcheckConfiguration:
    """Read the YAML.

    secrets: whether API keys are needed. keys: to which hosts they may go. Raises ConfigurationError, which names every problem.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    root = document.root
    root.foreign("task", "dataset", "verification", "output", "report")  # of the arena, if it is one
    evaluation, section = root.section("evaluation"), root.section("selfcheck")
    calls = read_call_options(evaluation, path.parent)
    configuration = SelfcheckConfiguration(
        path=path,
        endpoints=read_endpoints(root.section("target_endpoints", required=True), calls),
        options=_options(section),
        severity=cast("Any", section.choice("severity", "error", ("error", "warning"))),
        calibration=section.text("calibration"),
        target_fdr=section.number("target_fdr", 0.1, 0.0, 1.0),
        calls=calls,
    )
    evaluation.integer("samples", 1, 1)
    document.finish()
    return replace(configuration, endpoints=document.sealed(configuration.endpoints))


def _options(section: Section) -> Options:
    default = Options()
    weights = section.section("weights")
    stated = {name: weights.number(name, 0.0) for name in METHODS if name in weights.keys}
    adaptive = section.flag("adaptive", default=True)
    agree_after = section.integer("agree_after", default.agree_after, 1)
    values: dict[str, Any] = {
        "direct": section.integer("direct_samples", default.direct, 1, 100),
        "indirect": section.integer("indirect_samples", default.indirect, 1, 20),
        "agree_after": agree_after if adaptive else None,
        "engine": section.choice("overlap", default.engine, ("local", "lm", "cited")),
        "yes": section.choice("yes", default.yes, tuple(YES)),
        "cut": section.integer("cut", None, 1),
        "weights": stated or default.weights,
        "reasoning": section.flag("reasoning", default=False),
        "threshold": section.number("threshold", default.threshold, 0.0, 1.0),
    }
    try:
        return Options(**values)
    except ValueError as error:
        section.document.problem(section.path, str(error))
        return default


_SECONDS_OF_CALL = 2.0
USAGE = Path(__file__).parent / "data" / "usage.toml"


@dataclass(frozen=True, slots=True)
class Usage:
    """Mean tokens of all calls about one reference."""

    prompt: float
    completion: float
    calls: int

    def cost(self, price: Price) -> float:
        """In US dollars."""
        return (self.prompt * price.input + self.completion * price.output) / 1_000_000


def read_usage() -> dict[str, Usage]:
    """The means by method."""
    stated = tomllib.loads(USAGE.read_text(encoding="utf-8"))["methods"]
    return {
        name: Usage(float(row["prompt"]), float(row["completion"]), int(row["calls"])) for name, row in stated.items()
    }


def estimate(
    references: int, methods: Collection[Method], options: Options, endpoint: Endpoint, price: Price | None
) -> ModelPlan:
    """Maximum effort for this many references; adaptive sampling takes less."""
    usage = read_usage()
    calls, prompt, completion = 0, 0.0, 0.0
    for method in methods:
        mean = usage.get(method, usage["iq"])
        if method in DIRECT:
            wanted = options.direct
        else:
            judged = options.indirect * (options.indirect - 1) // 2 if options.engine == "lm" and method == "iq" else 0
            wanted = options.indirect + judged
        calls += references * wanted
        prompt += references * mean.prompt * wanted / mean.calls
        completion += references * mean.completion * wanted / mean.calls
    cost = None if price is None else Usage(prompt, completion, calls).cost(price)
    seconds = calls * _SECONDS_OF_CALL / endpoint.concurrency
    return ModelPlan(endpoint.name, calls, round(prompt + completion), cost, cost, seconds)
