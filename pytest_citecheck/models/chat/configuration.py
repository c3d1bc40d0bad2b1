"""A YAML document as sections that know the line of each value. Errors and unknown keys are reported with their line."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yaml

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.chat.dialects import DIALECTS
from pytest_citecheck.models.chat.endpoint import (
    DEPTHS,
    PROVIDERS,
    TAVILY,
    Depth,
    Endpoint,
    Provider,
    SearchOptions,
    dropped_parameters,
)
from pytest_citecheck.models.chat.spending import Prices, SpendingLimits
from pytest_citecheck.nearest import hint
from pytest_citecheck.net import Secret, connected_host


@dataclass(frozen=True, slots=True)
class CallOptions:
    """timeout: seconds of one call; tries: maximum for one call; limits: maximum for a run; prices: None for the
    package's."""

    timeout: float = 120.0
    tries: int = 3
    limits: SpendingLimits = field(default_factory=SpendingLimits)
    prices: Prices | None = None


def read_call_options(evaluation: Section, folder: Path, *, tries: int = 3) -> CallOptions:
    """The options of the section. folder: folder of the file, the base of relative paths. tries: default number of
    tries."""
    budget = evaluation.section("budget")
    return CallOptions(
        timeout=evaluation.number("timeout", 120.0, 0.001),
        tries=evaluation.integer("retry_times", tries, 1),
        limits=SpendingLimits(
            budget.number("dollars", None), budget.integer("calls", None, 0), budget.integer("tokens", None, 0)
        ),
        prices=_prices(evaluation, folder),
    )


def _prices(evaluation: Section, folder: Path) -> Prices | None:
    stated = evaluation.text("prices")
    if not stated:
        return None
    try:
        return Prices.read(folder / stated)
    except (OSError, ValueError) as error:
        reason = f"cannot read {stated}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
        evaluation.problem("prices", reason)
        return None


HOMES: Mapping[str, tuple[str, ...]] = {
    "OPENAI_API_KEY": ("api.openai.com", "eu.api.openai.com", "us.api.openai.com"),
    "ANTHROPIC_API_KEY": ("api.anthropic.com",),
    "GEMINI_API_KEY": ("generativelanguage.googleapis.com",),
    "GOOGLE_API_KEY": ("generativelanguage.googleapis.com",),
    "DASHSCOPE_API_KEY": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"),
    "DEEPSEEK_API_KEY": ("api.deepseek.com",),
    "MISTRAL_API_KEY": ("api.mistral.ai",),
    "OPENROUTER_API_KEY": ("openrouter.ai",),
    "MOONSHOT_API_KEY": ("api.moonshot.cn", "api.moonshot.ai"),
    "ZHIPUAI_API_KEY": ("open.bigmodel.cn",),
    "ZHIPU_API_KEY": ("open.bigmodel.cn",),
    "ZAI_API_KEY": ("api.z.ai",),
    "GROQ_API_KEY": ("api.groq.com",),
    "TOGETHER_API_KEY": ("api.together.xyz", "api.together.ai"),
    "FIREWORKS_API_KEY": ("api.fireworks.ai",),
    "XAI_API_KEY": ("api.x.ai",),
    "COHERE_API_KEY": ("api.cohere.com", "api.cohere.ai"),
    "CO_API_KEY": ("api.cohere.com", "api.cohere.ai"),
    "PERPLEXITY_API_KEY": ("api.perplexity.ai",),
    "CEREBRAS_API_KEY": ("api.cerebras.ai",),
    "SILICONFLOW_API_KEY": ("api.siliconflow.cn", "api.siliconflow.com"),
    "ARK_API_KEY": ("ark.cn-beijing.volces.com",),
    "MINIMAX_API_KEY": ("api.minimax.chat", "api.minimaxi.com", "api.minimax.io"),
    "HUNYUAN_API_KEY": ("api.hunyuan.cloud.tencent.com",),
    "NVIDIA_API_KEY": ("integrate.api.nvidia.com",),
    "HF_TOKEN": ("router.huggingface.co",),
    "TAVILY_API_KEY": ("api.tavily.com",),
    "NCBI_API_KEY": ("eutils.ncbi.nlm.nih.gov",),
    "CROSSREF_MAILTO": ("api.crossref.org",),
    "CITECHECK_CONTACT": ("api.crossref.org",),
}
"""Hosts of each provider, by the variable of its key."""

_VARIABLE = lazy_pattern(r"\$\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class KeyRules:
    """To which hosts the variables of a configuration may go. folder: of the file. allowed: hosts, or ``host:port``."""

    folder: Path
    trusted: bool = False
    allowed: frozenset[str] = frozenset()

    def admit(self, variable: str, url: str) -> bool:
        """Return True if the value of a variable may be sent to this URL."""
        try:
            host, parts = connected_host(url), urlsplit(url)
            port = parts.port
        except ValueError:
            return False
        if self.trusted or {host, f"{host}:{port}"} & {allowed.strip().lower().strip("[]") for allowed in self.allowed}:
            return True
        return parts.scheme == "https" and host in HOMES.get(variable, ())

    def refusal(self, variable: str, host: str) -> str:
        """The message for a variable that may not go to a host."""
        return (
            f"the variable {variable} may not be sent to {host}, because {self.folder} is not trusted. Run citecheck "
            f"trust {self.folder}, or pass --citecheck-allow-endpoint={host}"
        )


def variables_in(text: str) -> tuple[str, ...]:
    """The variables that a text names, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


def substituted(text: str, environment: Mapping[str, str]) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """The text with its variables replaced, those that are not set by nothing: a `Secret` if there are any.

    Also the names of variables that are unset or empty, and the values of the others.
    """
    names = variables_in(text)
    if not names:
        return text, (), frozenset()
    # A key that was read from a file often ends with a line break.
    values = {name: environment.get(name, "").strip() for name in names}
    return (
        Secret(_VARIABLE.sub(lambda match: values[match[1]], text)),
        tuple(name for name, value in values.items() if not value),
        frozenset(Secret(value) for value in values.values() if value),
    )


_MANY = 20  # problems that are listed


def first_problems(problems: Sequence[str]) -> list[str]:
    """The first problems, and how many more there are."""
    more = len(problems) - _MANY
    return [*problems[:_MANY], *([f"and {more} more"] if more > 0 else [])]


class ConfigurationError(ValueError):
    """A file that cannot be used; the text has a line for each problem, with file, line and key."""


class Document:
    """One YAML file. Problems, remarks and the values of variables are collected while its sections are read."""

    def __init__(
        self,
        where: str,
        text: str,
        environment: Mapping[str, str],
        *,
        secrets: bool = True,
        keys: KeyRules | None = None,
    ) -> None:
        """Parse the text.

        secrets: True if variables in secret keys must be set. keys: hosts to which variables may be sent; None if no
        request is sent. Raises ConfigurationError.
        """
        self.where = where
        self.environment = environment
        self.secrets = secrets
        self.keys = keys
        self._used: list[tuple[tuple[str, ...], str]] = []
        self._written: dict[tuple[str, ...], str] = {}
        self.secret_values: set[str] = set()
        self.problems: list[str] = []
        self.remarks: list[tuple[int, str]] = []
        self.sections: list[Section] = []
        self._lines: dict[tuple[str, ...], int] = {}
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            self._note_lines(node, ())
            value = loader.construct_document(node) if node is not None else None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise ConfigurationError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error
        finally:
            loader.dispose()
        if not isinstance(value, dict):
            raise ConfigurationError(f"{where}: a configuration is a mapping of keys to values")
        self.root = Section(self, (), value)

    def _note_lines(self, node: Any, path: tuple[str, ...]) -> None:
        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            name = (*path, str(key.value))
            if name in self._lines:
                self.problem(name, f"duplicate, first in line {self._lines[name]}", line=key.start_mark.line + 1)
            self._lines.setdefault(name, key.start_mark.line + 1)
            self._note_lines(value, name)

    def line(self, path: tuple[str, ...]) -> int:
        """The line (from 1) of a key, or of the nearest one around it that is there."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def problem(self, path: tuple[str, ...], what: str, line: int | None = None) -> None:
        """Note an error at a key."""
        self.problems.append(f"{self.where}:{line or self.line(path)}: {'.'.join(path)}: {what}")

    def remark(self, path: tuple[str, ...], what: str) -> None:
        """Note something at a key that is no error."""
        self.remarks.append((self.line(path), f"{'.'.join(path)}: {what}"))

    def sealed(self, endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
        """The endpoints with the values of all variables of the file as their secrets."""
        return tuple(replace(endpoint, secrets=frozenset(self.secret_values)) for endpoint in endpoints)

    def finish(self) -> None:
        """Add a remark about every unread key. Raises ConfigurationError with all problems, if there are any."""
        for section in self.sections:
            section.note_unread()
        if self.problems:
            raise ConfigurationError("\n".join(first_problems(self.problems)))

    def expanded(self, text: str, path: tuple[str, ...], *, secret: bool) -> str:
        """The text with ``${NAME}`` replaced from the environment; a variable that is not set is a problem."""
        expanded, unset, secrets = substituted(text, self.environment)
        self._written[path] = text
        self._used += [(path, name) for name in variables_in(text)]
        for name in unset:
            if self.secrets or not secret:
                self.problem(path, f"the environment variable {name} is not set")
        # The values of other variables are words that an answer may contain.
        if secret or path[-1].endswith("_url"):
            self.secret_values |= secrets
        return expanded

    def demand_home(self, path: tuple[str, ...], url: str, named: tuple[str, ...], besides: str = "") -> None:
        """Note each variable at or below a key that may not go to this URL.

        named: the key of the URL. besides: a key in it that has another URL.
        """
        if self.keys is None:
            return
        # As written: the host may contain the value of a variable.
        written = self._written.get(named, url)
        try:
            host = urlsplit(written).hostname or written
        except ValueError:
            host = written
        for place, variable in dict.fromkeys(self._used):
            inside = place[: len(path)] == path and place[len(path) : len(path) + 1] != (besides,)
            if inside and not self.keys.admit(variable, url):
                self.problem(place, self.keys.refusal(variable, host))


class Section:
    """One mapping of a document. Each key is read once with its expected type."""

    def __init__(self, document: Document, path: tuple[str, ...], values: Mapping[Any, Any]) -> None:
        self.document, self.path = document, path
        document.sections.append(self)
        self._values = {str(key): value for key, value in values.items()}
        self._known: dict[str, None] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are given."""
        return tuple(self._values)

    def _take(self, key: str) -> Any:
        self._known[key] = None
        return self._values.get(key)

    def problem(self, key: str, what: str) -> None:
        """Note an error at a key."""
        self.document.problem((*self.path, key), what)

    def _wrong(self, key: str, expected: str, value: object) -> None:
        shown = type(value).__name__ if isinstance(value, dict | list) else repr(value)
        self.problem(key, f"must be {expected}, not {shown}")

    def text(self, key: str, default: str = "", *, required: bool = False, secret: bool = False) -> str:
        """A text, with variables replaced. An absent one that is required is a problem."""
        value = self._take(key)
        if value is None:
            if required:
                self.problem(key, "is required")
            return default
        if isinstance(value, datetime.date):  # YAML reads an unquoted date as one
            value = value.isoformat()
        if not isinstance(value, str):
            self._wrong(key, "text", "…" if secret else value)
            return default
        expanded = self.document.expanded(value, (*self.path, key), secret=secret)
        if required and not expanded.strip() and "${" not in value:
            self.problem(key, "is empty")
        return expanded

    def _checked(self, key: str, default: Any, expected: str, fits: Callable[[Any], bool]) -> Any:
        """The value of a key; the default if it is absent, or does not fit, which is a problem."""
        value = self._take(key)
        if value is None:
            return default
        if not fits(value):
            self._wrong(key, expected, value)
            return default
        return value

    def integer(self, key: str, default: int | None, low: int, high: float = math.inf) -> Any:
        """A whole number in a range; the default (None too) if it is absent."""
        expected = f"a whole number from {_span(low, high)}"
        return self._checked(key, default, expected, lambda value: type(value) is int and low <= value <= high)

    def number(self, key: str, default: float | None, low: float = 0.0, high: float = math.inf) -> Any:
        """A number in a range; the default (None too) if it is absent."""
        expected = f"a number from {_span(low, high)}"
        value = self._checked(
            key, default, expected, lambda value: type(value) in (int, float) and low <= value <= high
        )
        return None if value is None else float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        return bool(self._checked(key, default, "true or false", lambda value: isinstance(value, bool)))

    def choice(self, key: str, default: str, choices: Collection[str]) -> str:
        """One of several texts."""
        value = self.text(key, default)
        if value not in choices:
            self._wrong(key, f"one of {', '.join(choices)}", value)
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(self._checked(key, (), "a list of texts", _are_texts))

    def values(self, key: str) -> dict[str, Any]:
        """A mapping of free keys, with variables replaced in every text of it."""
        found: dict[str, Any] = self._free(self._checked(key, {}, "a mapping", _is_mapping), (*self.path, key))
        return found

    def _free(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return self.document.expanded(value, path, secret=False)
        if isinstance(value, list):
            return [self._free(member, path) for member in value]
        if isinstance(value, dict):
            return {str(name): self._free(member, (*path, str(name))) for name, member in value.items()}
        return value

    def section(self, key: str, *, required: bool = False) -> Section:
        """A section inside this one, empty if it is absent."""
        if required and self._take(key) is None:
            self.problem(key, "is required")
        return Section(self.document, (*self.path, key), self._checked(key, {}, "a mapping", _is_mapping))

    def without_effect(self, key: str, why: str) -> None:
        """A key of the Arena that does nothing here: remarked on if it is given."""
        if self._take(key) is not None:
            self.document.remark((*self.path, key), f"has no effect: {why}")

    def foreign(self, *keys: str) -> None:
        """Sections that another reader reads, so that their keys are no unknown ones."""
        for key in keys:
            self.section(key)
            self.document.sections.pop()

    def note_unread(self) -> None:
        """Add a remark about every unread key, with the nearest valid one."""
        for key in self._values:
            if key not in self._known:
                self.document.remark((*self.path, key), f"unknown key, ignored{hint(key, self._known)}")


def _span(low: float, high: float) -> str:
    return f"{low:g} to {high:g}" if high < math.inf else f"{low:g} upwards"


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def read_chat_endpoints(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool, keys: KeyRules | None = None
) -> tuple[Endpoint, ...]:
    """Endpoints in a YAML document, which may configure other things too.

    secrets: True if variables in keys must be set. keys: hosts to which they may be sent. Raises ConfigurationError,
    which names every problem with its line and key, and ValueError for invalid values.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    calls = read_call_options(document.root.section("evaluation"), path.parent)
    endpoints = read_endpoints(document.root.section("target_endpoints", required=True), calls)
    document.finish()
    for one in endpoints:
        one.check()
    return document.sealed(endpoints)


def read_endpoints(section: Section, calls: CallOptions) -> tuple[Endpoint, ...]:
    """The section ``target_endpoints``. `Document.sealed` adds the secrets of the whole file."""
    if not section.keys and not section.document.problems:
        section.document.problem(section.path, "has no endpoint")
    return tuple(_endpoint(section.section(name), name, calls) for name in section.keys)


def _endpoint(section: Section, name: str, calls: CallOptions) -> Endpoint:
    tools, price = section.section("tool_config"), section.section("price")
    prompt, completion = price.number("prompt", None), price.number("completion", None)
    parameters = section.values("extra_params")
    for dropped, why in dropped_parameters(parameters).items():
        parameters.pop(dropped)
        section.document.remark((*section.path, "extra_params", dropped), f"has no effect: {why}")
    endpoint = Endpoint(
        name=name,
        base_url=section.text("base_url", required=True),
        model=section.text("model", required=True),
        api_key=section.text("api_key", required=True, secret=True),
        system_prompt=section.text("system_prompt") or None,
        parameters=parameters,
        concurrency=section.integer("max_concurrency", 5, 1, 100),
        iterations=tools.integer("max_iterations", 10, 1, 30),
        search=_search(tools, price.number("search", None)),
        api=section.choice("api", "openai", tuple(DIALECTS)),
        rate=section.number("rate", None, 0.001),
        timeout=calls.timeout,
        attempts=calls.tries,
        token_prices=None if prompt is None or completion is None else (prompt, completion),
    )
    section.document.demand_home(section.path, endpoint.base_url, (*section.path, "base_url"), besides="tool_config")
    return endpoint


def _search(section: Section, price: float | None) -> SearchOptions | None:
    """The search of an endpoint; None if it is not enabled, or cannot be used."""
    document = section.document
    known = len(document.problems)
    enabled = section.flag("enabled", default=False)
    key, url = section.text("tavily_api_key", secret=True), section.text("search_url")
    depth = cast("Depth", section.choice("search_depth", "advanced", DEPTHS))
    provider = cast("Provider", section.choice("provider", "tavily", PROVIDERS))
    if not enabled:
        return None
    if provider == "json" and not url:
        section.problem("search_url", "is required for the provider json")
        return None
    if provider == "tavily" and not (key or url) and len(document.problems) == known and document.secrets:
        key = document.expanded("${TAVILY_API_KEY}", (*section.path, "tavily_api_key"), secret=True)
    if provider != "sources":
        document.demand_home(section.path, url or TAVILY, (*section.path, "search_url"))
    return SearchOptions(provider, key, url, depth, price)
