"""What the models are told besides the query."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.arena.queries import Query
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions

__all__ = ["system_prompt"]

_PLACE = "{num_refs}"

_PROMPTS: Mapping[tuple[bool, bool], str] = {
    (False, False): """\
You help researchers to find literature. Recommend {num_refs} published works that fit the request.

Give each work as a BibTeX entry with the fields title, author, year, journal (or booktitle) and doi, and add one sentence
about what it contributes. Name only works that you are certain exist, with details that you are certain of: an omitted field
is better than an invented one, and fewer works are better than invented ones.
""",
    (False, True): """\
你协助研究人员查找文献。请推荐 {num_refs} 篇符合要求的、已发表的文献。

每篇文献请用一个 BibTeX 条目给出,包含 title、author、year、journal(或 booktitle)和 doi 字段,并用一句话说明其贡献。
只列出你确信存在的文献和确信无误的信息:宁可省略字段,也不要编造;宁可少列,也不要虚构文献。
""",
    (True, False): """\
You help researchers to find literature, and you can search the web with a tool. Recommend {num_refs} published works that
fit the request.

Search before you answer. Compare the title, the authors and the year of each work with what the search finds, and recommend
only works that it confirms. Then give each work as a BibTeX entry with the fields title, author, year, journal (or booktitle)
and doi, and add one sentence about what it contributes.
""",
    (True, True): """\
你协助研究人员查找文献,并且可以用工具搜索网络。请推荐 {num_refs} 篇符合要求的、已发表的文献。

请先搜索再回答。把每篇文献的标题、作者和年份与搜索结果核对,只推荐得到证实的文献。然后每篇用一个 BibTeX 条目给出,
包含 title、author、year、journal(或 booktitle)和 doi 字段,并用一句话说明其贡献。
""",
}
"""By whether there is a tool, and whether the query is in Chinese."""


def system_prompt(endpoint: EndpointOptions, query: Query) -> str:
    """The system prompt for a query: the endpoint's own, else the built-in one; ``{num_refs}`` is all that is replaced in it."""
    text = endpoint.system_prompt or _PROMPTS[endpoint.tools.enabled, query.language == "zh"]
    return text.replace(_PLACE, str(query.num_refs))
