"""bioRxiv and medRxiv: which preprint was published where."""
