"""What is known of a reference: the records that may be it, who vouches for them, and what their absence means."""
