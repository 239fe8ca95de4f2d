"""What the name of an embedding or of texts refers to: a file on this disk, or something to download."""

import re
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from nadp.cli.files import SAMPLE_NAME, local_embedding
from nadp.errors import InputError
from nadp.files.formats import ARROW
from nadp.files.model_places import is_model
from nadp.texts.files import FORMATS, format_of
from tasks.sources.archives import GLOVE

SUFFIXES = (".txt", ".vec", ".w2v", ".bin", ".zip", ".gz", ".bz2", ".xz", ".npz", ".safetensors", *ARROW)
"""Suffixes of files that hold tables of vectors."""
_REPOSITORY = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)(@(?P<revision>[\w./-]+))?")


class Repository(NamedTuple):
    """A repository of the Hub and its revision; None for the newest."""

    name: str
    revision: str | None


def place_of(embedding: str) -> Literal["published", "url", "hub", "file"]:
    """Return where an embedding is; a file or folder on this disk takes precedence over the Hub.

    Raises:
        InputError: if it is not found.
    """
    if embedding in GLOVE:
        return "published"
    if urlsplit(embedding).scheme.lower() in ("http", "https"):
        return "url"
    path = Path(embedding).expanduser()
    if not path.exists() and _REPOSITORY.fullmatch(embedding) and path.suffix not in (*SUFFIXES, ".kv", ".model"):
        return "hub"
    local_file(embedding)
    return "file"


def repository_of(embedding: str) -> Repository:
    """Return the repository that an embedding's name on the Hub refers to: owner/name, or owner/name@revision.

    Raises:
        InputError: if the name has another form.
    """
    match = _REPOSITORY.fullmatch(embedding)
    if match is None:
        raise InputError(
            f"{embedding!r} is not the name of a repository of the Hub: write owner/name or owner/name@revision"
        )
    return Repository(match["name"], match["revision"])


def shown(embedding: str) -> str:
    """Return the name of an embedding; a URL loses its user, password and query, which may be secret."""
    parts = urlsplit(embedding)
    if parts.scheme.lower() not in ("http", "https"):
        return embedding
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def local_file(embedding: str) -> Path:
    """Return the path of a local embedding, or of the sample; for a folder, the path of its table.

    Raises:
        InputError: if there is no such file.
    """
    return local_embedding(embedding, GLOVE)


def check_embedding(embedding: str, *, private: bool = False) -> None:
    """Refuse an embedding that is not found, and a private one that would have to be downloaded, because copies remain.

    Raises:
        InputError: in either case.
    """
    if place_of(embedding) in ("url", "hub") and private:
        raise InputError(
            f"{shown(embedding)} would remain in the download folder: if anybody may have it, declare it "
            "public; if it is private, download it yourself and give its path"
        )


def may_be_model(embedding: str) -> bool:
    """Return whether an embedding is a static model on this disk, or a repository of the Hub, which may be one."""
    place = place_of(embedding)
    return place == "hub" or (place == "file" and is_model(local_file(embedding)))


def is_public(embedding: str) -> bool:
    """Return whether an embedding is known to be public: the sample, or a published table."""
    return embedding == SAMPLE_NAME or embedding in GLOVE


def is_on_hub(texts: str) -> bool:
    """Return whether texts are the id of a data set on the Hub; otherwise they are a file.

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
