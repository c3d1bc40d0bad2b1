"""NASA Astrophysics Data System: astronomy and physics."""
