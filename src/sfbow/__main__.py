"""`python -m sfbow` is the command `sfbow`."""

from sfbow.cli import main

if __name__ == "__main__":
    main()
