"""How well answers to claims agree with labels."""
