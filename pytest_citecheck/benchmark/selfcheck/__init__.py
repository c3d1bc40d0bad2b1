"""Scores of self-checks over labelled references: files of scores or answers, comparison of methods, saved calls."""
