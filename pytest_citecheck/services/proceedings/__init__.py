"""Publishers of proceedings: the lists of all papers of a venue in a year."""
