"""Python imports this at its start in every process that a test starts: none of them leaves the machine either."""

from tests.support import network_guard  # noqa: F401
