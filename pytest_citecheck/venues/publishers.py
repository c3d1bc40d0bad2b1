"""Names of publishers, which some reference managers write where the name of a journal belongs."""

from __future__ import annotations

import re

__all__ = ["is_publisher"]

_PUBLISHER = re.compile(
    r"\b(?:Pub(?:l|lishing|lishers|lications)?\.?(?: Co(?:mpany|rp)?\.?)?(?: Pte)?(?: Ltd?\.?)?|Verlag|Ltd|LLC|Inc|GmbH|B\.?V"
    r"|University Press)\.?\Z|\A(?:Association|Institute|Institution)\b[^()]*\([A-Za-z]{2,}\)\Z"
)
"""Crossref's names of members: "World Scientific Pub Co Pte Lt", "Association for Computing Machinery (ACM)"."""


def is_publisher(name: str) -> bool:
    """Whether a name is that of a publisher, and of no journal or conference."""
    return _PUBLISHER.search(name.strip()) is not None
