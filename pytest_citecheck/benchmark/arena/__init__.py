"""Scores of models that answer with references, as in the Reference Hallucination Arena."""
