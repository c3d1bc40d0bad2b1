"""One module for each bibliographic service, and `registry`, which lists them."""
