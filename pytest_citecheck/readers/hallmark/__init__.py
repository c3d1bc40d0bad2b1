"""Entries of the HALLMARK benchmark."""
