"""Documents that cite: what they cite, and in which files that stands."""
