"""One HTTP exchange."""
