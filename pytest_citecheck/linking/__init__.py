"""Records beside the citation: which of them are the cited work, and who vouches for them."""
