"""Asking a language model several times about a reference, and measuring whether it agrees with itself.

Source: Agrawal, Suzgun, Mackey and Kalai, "Do Language Models Know When They're Hallucinating References?", Findings
of EACL 2024."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
