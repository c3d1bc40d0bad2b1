"""Findings as machines and terminals read them: one module a format, each a pure function of the result of a run."""
