"""Corrections of references, and their edits in files."""
