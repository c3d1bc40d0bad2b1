"""Checks that the services answer as documented."""
