"""Figures of models that are asked for references."""
