"""Replaces ``${NAME}`` by environment variables, and decides to which hosts their values may go.

A configuration can be a stranger's. Unless its folder is trusted, it may send only the variable of a known provider to that
provider's own hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.http.addresses import connected_host
from pytest_citecheck.transport.secrets.scrub import Secret

__all__ = ["HOMES", "KeyRules", "Substituted", "substituted", "variables_in"]

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
"""The hosts of each provider, by the variable that holds its key."""

_VARIABLE = lazy_pattern(r"\$\{([^{}]*)\}")


class Substituted(NamedTuple):
    """A text with its variables replaced; a `Secret` if there are any.

    unset: the names of those that are not set, or empty. secrets: the values of the others.
    """

    text: str
    unset: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeyRules:
    """To which hosts the variables of a configuration may go. folder: of the file. allowed: hosts, or ``host:port``."""

    folder: Path
    trusted: bool = False
    allowed: frozenset[str] = frozenset()

    def admit(self, variable: str, url: str) -> bool:
        """Whether the value of a variable may be sent to this URL."""
        try:
            host, parts = connected_host(url), urlsplit(url)
            port = parts.port
        except ValueError:
            return False
        if self.trusted or {host, f"{host}:{port}"} & {one.strip().lower().strip("[]") for one in self.allowed}:
            return True
        return parts.scheme == "https" and host in HOMES.get(variable, ())

    def refusal(self, variable: str, host: str) -> str:
        """The message for a variable that may not go to a host."""
        return (
            f"the variable {variable} may not go to {host}, because {self.folder} is not trusted. If you know file and host, run "
            f"citecheck trust {self.folder}, or pass --citecheck-allow-endpoint={host}"
        )


def variables_in(text: str) -> tuple[str, ...]:
    """The variables that a text names, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


def substituted(text: str, environment: Mapping[str, str]) -> Substituted:
    """The text with its variables replaced, those that are not set by nothing."""
    names = variables_in(text)
    if not names:
        return Substituted(text)
    # A key that was read from a file often ends with a line break.
    values = {name: environment.get(name, "").strip() for name in names}
    return Substituted(
        Secret(_VARIABLE.sub(lambda match: values[match[1]], text)),
        tuple(name for name, value in values.items() if not value),
        frozenset(Secret(value) for value in values.values() if value),
    )
