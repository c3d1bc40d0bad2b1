"""Where there is no terminal, a line every ten seconds says how far a run is."""

from __future__ import annotations

from pytest_citecheck.plugin.progress import PAUSE, plain_lines


def test_a_line_every_ten_seconds() -> None:
    now, lines = 0.0, list[str]()
    show = plain_lines(lines.append, lambda: now)
    for second in range(25):
        now = float(second)
        show("asking Crossref", second, 100)
    assert PAUSE == 10
    assert lines == ["citecheck: asking Crossref 10/100", "citecheck: asking Crossref 20/100"]
