"""What the name of an embedding or of texts stands for: a file of this disk, or something to download."""

import re
from pathlib import Path

from nadp.cli.files import SAMPLE_NAME, local_embedding
from nadp.errors import InputError
from nadp.texts.files import FORMATS, format_of
from tasks.sources.archives import GLOVE


def local_file(embedding: str) -> Path:
    """Return the path of a local embedding, or of the sample.

    Raises:
        InputError: if there is no such file.
    """
    return local_embedding(embedding, GLOVE)


def check_embedding(embedding: str) -> None:
    """Refuse what is neither a published table nor a file.

    Raises:
        InputError: if it is neither.
    """
    if embedding not in GLOVE:
        local_file(embedding)


def is_public(embedding: str) -> bool:
    """Return whether anybody can have an embedding: the sample, or a published table."""
    return embedding == SAMPLE_NAME or embedding in GLOVE


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
