"""``python -m pytest_citecheck``: the command ``citecheck``, also where another package has a command of this name."""

import sys

from pytest_citecheck.cli import main

sys.exit(main())
