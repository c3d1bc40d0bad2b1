"""The citations of a manuscript as claims: the sentence around each, and the text of the source from a folder."""
