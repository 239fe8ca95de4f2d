"""Embeddings as arrays: .npz and safetensors. Pickles are never loaded."""

import lzma
import math
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import FormatError
from nadp.files.model_places import TOKENIZER
from nadp.files.static_models import TENSORS
from nadp.files.streams import refuse_member
from nadp.files.tensors import read_tensors
from nadp.files.words import Kept

_ERRORS = (KeyError, ValueError, TypeError, OSError, EOFError, RuntimeError, zipfile.BadZipFile)
_NPZ_ERRORS = (
    *_ERRORS,
    zlib.error,
    lzma.LZMAError,
    tokenize.TokenError,
    SyntaxError,
)  # the last two come from NumPy, for headers


def read_npz(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of an .npz file with arrays "words" and "vectors".

    Raises:
        FormatError: if the file holds no such arrays.
        InputError: if nothing is kept.
    """
    arrays = read_arrays(path, ["words", "vectors"])
    return kept.of(_names(arrays["words"], path), arrays["vectors"], str(path))


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Return some arrays of an .npz file. Nothing is unpickled.

    Raises:
        FormatError: if the file does not hold them, is damaged, or is a decompression bomb.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return {name: _array(archive, name, path) for name in names}
    except FormatError:
        raise
    except _NPZ_ERRORS as error:
        raise FormatError(f"{path} holds no arrays {', '.join(map(repr, names))}: {error}") from error


def _array(archive: zipfile.ZipFile, name: str, path: Path) -> npt.NDArray[Any]:
    """Return an array. Its data must be as long as its header claims before memory is allocated."""
    info = archive.getinfo(f"{name}.npy")
    refuse_member(info, f"{path}:{info.filename}")
    with archive.open(info) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = header(stream)
        if kind.hasobject or math.prod(shape) * kind.itemsize > info.file_size:
            raise FormatError(f"{path}: {name!r} is an array of objects, or truncated; pickles are never loaded")
    with archive.open(info) as stream:
        array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _names(words: npt.NDArray[Any], path: Path) -> list[bytes]:
    """Return words from an array of strings, or from an array of UTF-8 bytes with a word on each line."""
    if words.ndim == 1 and words.dtype.kind == "U":
        return [word.encode(errors="surrogatepass") for word in words.tolist()]
    if words.ndim == 1 and words.dtype == np.uint8:
        return words.tobytes().split(b"\n")
    raise FormatError(f"{path}: words of shape {words.shape} and type {words.dtype} are not a list of words")


def read_safetensors(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of a safetensors file: tensor "vectors", and the words in the metadata, one per line.

    Raises:
        FormatError: if the file does not hold them.
        InputError: if safetensors is not installed, or nothing is kept.
    """
    tensors, metadata = read_tensors(path, "vectors", *TENSORS)
    if "vectors" not in tensors or "words" not in metadata:
        hint = f": the {TOKENIZER} of the model is missing beside it" if set(tensors) - {"vectors"} else ""
        raise FormatError(f"{path} holds no tensor 'vectors' with its 'words' in the metadata{hint}")
    words = metadata["words"].encode(errors="surrogatepass").split(b"\n")
    return kept.of(words, tensors["vectors"].numbers, str(path))
