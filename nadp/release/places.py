"""Paths of a release, its certificate, the ledger and its graphs; and the refusal of a codebook of private vectors."""

import os
from pathlib import Path

from nadp.errors import InputError


def places(out: Path) -> tuple[Path, Path, Path]:
    """Return the paths of the JSON certificate, the Markdown certificate and the vectors."""
    return out.with_name(out.name + ".certificate.json"), out.with_name(out.name + ".certificate.md"), out


def places_of_codebook(out: Path) -> dict[str, Path]:
    """Return the paths of a codebook's files."""
    names = {"map": ".groups.tsv", "partition": ".partition.npz", "certificate": ".certificate.json"}
    return {name: out.with_name(out.name + end) for name, end in (names | {"page": ".certificate.md"}).items()}


def default_ledger() -> Path:
    """Return the default path of the ledger: in NADP_HOME, or in the folder nadp of the user's cache.

    Raises:
        InputError: if NADP_HOME is a URL: a ledger must not lie in a cache that may be cleared.
    """
    home = os.environ.get("NADP_HOME")
    if home and "://" in home:
        raise InputError(f"give the file of the ledger: NADP_HOME is {home.rstrip('/')}, and SQLite cannot work there")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(home or cache / "nadp").absolute() / "ledger.sqlite"


def graphs_beside(ledger: Path) -> Path:
    """Return the folder of the graphs of a ledger's releases, each named by its SHA-256."""
    return ledger.parent / "graphs"


def refuse_private(*, public: bool) -> None:
    """Refuse a codebook of vectors that are not public.

    Raises:
        InputError: if the vectors are not public.
    """
    if not public:
        raise InputError(
            "a codebook needs public vectors: someone who knows all but one of a group's vectors can compute the last "
            "one from the centroid. Declare the embedding public (embedding_is_public), or add noise instead "
            "(mechanism nadp)"
        )
