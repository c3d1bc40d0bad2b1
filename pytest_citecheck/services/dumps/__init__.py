"""Reading what services publish as files: streams, and the formats in them."""
