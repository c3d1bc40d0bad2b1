"""Records compared with the citation: which of them are the cited work, and which sources state them."""
