"""The formats in which embedding files are written, and their suffixes."""

from pathlib import Path
from typing import Literal, get_args

from nadp.errors import InputError, one_of

Format = Literal["glove", "word2vec", "word2vec-binary", "npz", "safetensors", "parquet", "arrow"]
ARROW = (".parquet", ".arrow", ".feather")
"""Suffixes of tables that pyarrow reads."""
_BY_SUFFIX: dict[str, Format] = {
    ".txt": "glove",
    ".vec": "word2vec",
    ".w2v": "word2vec",
    ".bin": "word2vec-binary",
    ".npz": "npz",
    ".safetensors": "safetensors",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_READ_BY_SUFFIX: dict[Format, tuple[str, ...]] = {
    "word2vec-binary": (".bin",),
    "npz": (".npz",),
    "safetensors": (".safetensors",),
    "parquet": (".parquet",),
    "arrow": (".arrow", ".feather"),
}


def format_of(name: str) -> Format:
    """Return the format that a file name implies, ignoring a final .gz or .zip.

    Raises:
        InputError: if the suffix is unknown.
    """
    suffix = _suffix(name)
    if suffix not in _BY_SUFFIX:
        known = ", ".join(_BY_SUFFIX)
        raise InputError(
            f"{name!r}: the suffix does not name a format; use one of {known} (.gz or .zip may follow), or name one"
        )
    return _BY_SUFFIX[suffix]


def names_format(name: str) -> bool:
    """Return whether a file name implies a format."""
    return _suffix(name) in _BY_SUFFIX


def _suffix(name: str) -> str:
    """Return the suffix of a file name, ignoring a final .gz or .zip."""
    path = Path(name)
    return Path(path.stem).suffix if path.suffix in (".gz", ".zip") else path.suffix


def refuse_misnamed(path: Path, chosen: Format) -> None:
    """Refuse an unknown format, or a file name that implies another one.

    Raises:
        InputError: in either case.
    """
    if chosen not in get_args(Format):
        raise InputError(f"format {one_of(chosen, get_args(Format))}")
    if path.suffix in (".gz", ".zip") and chosen not in ("glove", "word2vec", "word2vec-binary"):
        raise InputError(f"{chosen} is not written compressed: leave {path.suffix} out of {path.name!r}")
    format_of_suffix = {suffix: format_ for format_, suffixes in _READ_BY_SUFFIX.items() for suffix in suffixes}
    if chosen not in _READ_BY_SUFFIX and _suffix(path.name) in format_of_suffix:
        raise InputError(
            f"{path.name!r} would be read as {format_of_suffix[_suffix(path.name)]}: choose another suffix for {chosen}"
        )
    if chosen in _READ_BY_SUFFIX and _suffix(path.name) not in _READ_BY_SUFFIX[chosen]:
        raise InputError(f"{chosen} is recognised by its suffix: let {path.name!r} end in {_READ_BY_SUFFIX[chosen][0]}")
