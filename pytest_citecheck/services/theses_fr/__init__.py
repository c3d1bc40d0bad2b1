"""theses.fr, the register of French doctoral theses."""
