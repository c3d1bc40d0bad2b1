"""doi.org content negotiation."""
