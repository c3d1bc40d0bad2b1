"""References written as text: splits lists into items and items into fields."""
