"""INSPIRE-HEP: the literature of high-energy physics."""
