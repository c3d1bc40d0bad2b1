"""The data of the HALLMARK benchmark: labelled entries, splits, predictions, baselines, generated and contributed entries.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0. Nothing of it is seen by a check.
"""
