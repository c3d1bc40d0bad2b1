"""The local index: built from dumps and collections, searched offline."""
