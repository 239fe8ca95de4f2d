"""What the name of an embedding or of texts stands for: a file of this disk, or something to download."""

import re
from pathlib import Path

from nadp.errors import InputError
from nadp.release.ledger import default_ledger
from nadp.sample import SAMPLE
from nadp.texts.files import FORMATS, format_of
from tasks.sources.archives import GLOVE


def local_file(embedding: str) -> Path:
    """Return the path of a local embedding, or of the sample.

    Raises:
        InputError: if there is no such file.
    """
    path = SAMPLE if embedding == "sample" else Path(embedding).expanduser().absolute()
    if not path.is_file():
        raise InputError(f"no embedding {embedding!r}: give 'sample', the path of a file, or one of {', '.join(GLOVE)}")
    return path


def check_embedding(embedding: str) -> None:
    """Refuse what is neither a published table nor a file.

    Raises:
        InputError: if it is neither.
    """
    if embedding not in GLOVE:
        local_file(embedding)


def is_public(embedding: str) -> bool:
    """Return whether anybody can have an embedding: the sample, or a published table."""
    return embedding == "sample" or embedding in GLOVE


def is_on_hub(texts: str) -> bool:
    """Return whether texts are a data set of the Hub, by its id; else they are a file.

    Raises:
        InputError: if they are neither.
    """
    path = Path(texts).expanduser()
    if path.is_file() or path.suffix.lower() in FORMATS:
        format_of(path)
        return False
    if path.is_dir() or not re.fullmatch(r"[\w.-]+/[\w.-]+", texts):
        known = ", ".join(FORMATS)
        raise InputError(f"no texts {texts!r}: give a file ({known}), or the id of a data set of the Hub, owner/name")
    return True


def ledger_file(ledger: str | None) -> Path:
    """Return where the ledger lies: the given file, or the one of nadp.

    Raises:
        InputError: if none is given and NADP_HOME is a URL.
    """
    return Path(ledger).expanduser() if ledger else default_ledger()
