"""Evidence for a reference: candidate records, the independence of their sources, and the meaning of absences."""
