"""How the common kinds of table are read: as they stand, so that quotes are characters and `null` is a word."""

import csv

PLAIN = (("quoting", csv.QUOTE_NONE), ("keep_default_na", False))
TABS = (("sep", "\t"), *PLAIN)
SPACES = (("sep", " "), *PLAIN)


def named(*columns: str) -> tuple[tuple[str, object], ...]:
    """Return the options of a table without a header line, whose columns get these names."""
    return (("header", None), ("names", columns))
