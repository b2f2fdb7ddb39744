"""``python -m benchmarks`` in a checkout, or ``python CHECKOUT/benchmarks`` in any folder."""

import sys
from pathlib import Path

if __name__ == "__main__":
    if not __package__:
        sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from benchmarks.command import main

    sys.exit(main())
