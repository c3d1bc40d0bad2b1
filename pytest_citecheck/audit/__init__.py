"""Corpora of any size, checked without pytest.

Bibliographies go in as files or tables. They are divided into chunks, and workers check the chunks from an index
alone or with the services. Rows come out: one for each reference, the same for any number of workers, also after
workers were killed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
