"""Claims and sources from the web: pages of wikis at a pinned revision, and the texts that they and manuscripts cite."""
