"""Results that precede a work in Crossref's search: copies under another DOI, and its parts.

Observed in October 2026: eight works of member 54718 (prefix 10.65215, posted content) with the title and the authors of
"Attention Is All You Need", dated 2025, in the first seven places; figures and tables of works (type component) have their
titles too.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.stand_ins.replies import Parameters, Reply

_COPIES = 7
_PREFIX = "10.65215"
_DATED = {"date-parts": [[2025, 6, 2]]}


def with_copies(parameters: Parameters, reply: Reply) -> Reply:
    """The answer to a search with copies and a part of its first work before all others; any other answer as it is."""
    if "query.bibliographic" not in parameters or reply.status != 200:
        return reply
    body = json.loads(reply.body)
    message = body["message"]
    items = message["items"]
    if items:
        copies = [_copy(items[0], number) for number in range(_COPIES)]
        part = items[0] | {"DOI": f"{items[0]['DOI']}.g001", "type": "component"}
        message["items"] = [*copies, part, *items][: message["items-per-page"]]
    return replace(reply, body=json.dumps(body, ensure_ascii=False).encode())


def _copy(item: dict[str, Any], number: int) -> dict[str, Any]:
    kept = {name: item[name] for name in ("title", "author", "score") if name in item}
    dates = dict.fromkeys(("issued", "published", "posted"), _DATED)
    return kept | dates | {"DOI": f"{_PREFIX}/copy.{number + 1}", "type": "posted-content", "container-title": []}
