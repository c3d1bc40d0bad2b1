"""dblp."""
