"""Charts with matplotlib (extra ``charts``)."""
