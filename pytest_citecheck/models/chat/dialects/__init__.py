"""The APIs of language models, by the name that a configuration gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.models.chat.dialects.anthropic import Anthropic
from pytest_citecheck.models.chat.dialects.gemini import Gemini
from pytest_citecheck.models.chat.dialects.openai import OpenAI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.models.chat.dialects.base import Dialect

DIALECTS: Mapping[str, Dialect] = {"openai": OpenAI(), "anthropic": Anthropic(), "gemini": Gemini()}
