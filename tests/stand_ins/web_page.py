"""A corner of the web: pages that are there, unless their name says ``gone``."""

from __future__ import annotations

from tests.stand_ins.facts import Facts
from tests.stand_ins.replies import Parameters, Reply


class WebPages:
    """Every page below ``/HOST/`` exists, but for those called gone."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        pass

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path.endswith("/gone"):
            return Reply(404, "text/html", b"<html><title>Not here</title></html>")
        return Reply(200, "text/html", b"<html><head><title>A page</title></head></html>")
