"""The files that parameters name."""

from collections.abc import Iterable
from pathlib import Path

from nadp.errors import InputError, one_of
from nadp.files.model_places import table_of_folder
from nadp.files.paths import absolute
from nadp.release.places import default_ledger, graphs_beside
from nadp.sample import SAMPLE

SAMPLE_NAME = "sample"


def local_embedding(embedding: str, others: Iterable[str] = ()) -> Path:
    """Return the path of an embedding.

    Args:
        embedding: the path of a file, the folder of a static model (its table is used), or "sample" for the embedding
            that comes with the library.
        others: other valid names, for the message.

    Raises:
        InputError: if there is no such file.
    """
    path = SAMPLE if embedding == SAMPLE_NAME else absolute(embedding)
    if path.is_dir():
        return table_of_folder(path)
    if not path.is_file():
        names = one_of(embedding, [SAMPLE_NAME, *others])
        raise InputError(f"no embedding {embedding!r}: there is no such file, and a name {names}")
    return path


def ledger_file(ledger: str | None) -> Path:
    """Return the path of the ledger: the given one, or the default.

    Raises:
        InputError: if no ledger is given and NADP_HOME is a URL.
    """
    return absolute(ledger) if ledger else default_ledger()


def kept_graph(sha256: str) -> Path:
    """Return the file of a release's graph, next to the default ledger.

    Raises:
        InputError: if the file is missing.
    """
    path = graphs_beside(default_ledger()) / f"{sha256}.npz"
    if not path.is_file():
        raise InputError(
            f"the certificate names a graph file with SHA-256 {sha256}, which is not at {path}: give the file that was "
            "kept when the release was made (graph)"
        )
    return path


def check_file(path: str | None) -> None:
    """Refuse a parameter whose file is missing.

    Raises:
        InputError: if there is no such file.
    """
    if path is not None and not Path(path).expanduser().is_file():
        raise InputError(f"no file {path!r}")
