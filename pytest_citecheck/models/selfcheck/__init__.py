"""Asking a language model several times about a reference, and measuring whether it agrees with itself.

Source: Agrawal, Suzgun, Mackey and Kalai, "Do Language Models Know When They're Hallucinating References?", Findings of
EACL 2024.
"""
