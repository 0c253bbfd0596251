"""``python -m tealeaves``."""

from tealeaves.cli import main

if __name__ == "__main__":
    main()
