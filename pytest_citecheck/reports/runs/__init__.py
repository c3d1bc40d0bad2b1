"""Runs side by side: what changed from one report to another, a badge, and a line of history."""
