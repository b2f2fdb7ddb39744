"""``python -m arrangements``: the command line."""

import sys

from arrangements.cli import main

if __name__ == "__main__":
    sys.exit(main())
