"""`python -m nadp.cli` is the command `nadp`."""

from nadp.cli import main

if __name__ == "__main__":
    main()
