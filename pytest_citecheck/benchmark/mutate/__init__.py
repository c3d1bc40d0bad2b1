"""Hallucinated references made from correct ones, of the types of HALLMARK (arXiv:2607.18360)."""
