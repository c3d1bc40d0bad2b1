"""Text as it is compared: markup and characters in one normal form."""
