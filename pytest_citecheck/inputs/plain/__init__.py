"""References written as text: lists are cut into items, and items into fields."""
