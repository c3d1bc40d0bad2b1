"""The HALLMARK benchmark: predictions, baselines, ensembles, and validation of new entries.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0.
"""
