"""``python -m arrangements``: the command line."""

from arrangements.cli import main

if __name__ == "__main__":
    main()
