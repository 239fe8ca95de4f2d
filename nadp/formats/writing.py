"""Embeddings as files that other programs read: GloVe and word2vec text, word2vec binary, .npz, safetensors."""

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Literal, get_args

import numpy as np

from nadp.embeddings import Embeddings
from nadp.errors import InputError

Format = Literal["glove", "word2vec", "word2vec-binary", "npz", "safetensors"]
_BY_SUFFIX: dict[str, Format] = {
    ".txt": "glove",
    ".vec": "word2vec",
    ".w2v": "word2vec",
    ".bin": "word2vec-binary",
    ".npz": "npz",
    ".safetensors": "safetensors",
}
_SEPARATORS: dict[Format, str] = {
    "glove": "\n",  # fields are counted from the right, so a word may hold spaces
    "word2vec": " \n",
    "word2vec-binary": " \n",
    "npz": "\0",
    "safetensors": "\n",
}
_TOGETHER = 1000  # rows that are written at once


def format_of(name: str) -> Format:
    """Return the format that a file name stands for, a last .gz or .zip aside.

    Raises:
        InputError: if it stands for none.
    """
    path = Path(name)
    suffix = Path(path.stem).suffix if path.suffix in (".gz", ".zip") else path.suffix
    if suffix not in _BY_SUFFIX:
        known = ", ".join(_BY_SUFFIX)
        raise InputError(
            f"{name!r}: the suffix says no format; use one of {known} (.gz or .zip may follow), or name one"
        )
    return _BY_SUFFIX[suffix]


def write_embeddings(path: str | Path, embeddings: Embeddings, format: Format | None = None) -> None:  # noqa: A002
    """Write an embedding; what is read back is equal, bit for bit, words in the same order.

    Args:
        path: where to; a name that ends in .gz or .zip is compressed (text only).
        embeddings: n words.
        format: "glove" (a line for each word), "word2vec" (the same below a line with n and d; fastText's .vec),
            "word2vec-binary", "npz" (arrays "words" and "vectors"), "safetensors" (tensor "vectors", the words a line
            each in the metadata); default by the suffix of the path.

    Raises:
        InputError: if the format is unknown, or cannot hold a word (one with a space or a newline, in text).
    """
    path = Path(path)
    chosen = format or format_of(path.name)
    if chosen not in get_args(Format):
        raise InputError(f"format must be one of {', '.join(get_args(Format))}, not {chosen!r}")
    if path.suffix in (".gz", ".zip") and chosen not in ("glove", "word2vec", "word2vec-binary"):
        raise InputError(f"{chosen} is not written compressed: leave {path.suffix} out of {path.name!r}")
    _refuse_unwritable(embeddings, chosen)
    with _opened(path) as file:
        _WRITERS[chosen](file, embeddings)


def _refuse_unwritable(embeddings: Embeddings, chosen: Format) -> None:
    for word in embeddings.words.tolist():
        if any(separator in word for separator in _SEPARATORS[chosen]):
            held = "a space, a newline or a zero byte"
            raise InputError(f"the word {word!r} cannot be written as {chosen}, since it holds {held}")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED))
            yield stack.enter_context(archive.open(zipfile.ZipInfo(path.stem), "w", force_zip64=True))
            return
        raw = stack.enter_context(path.open("wb", buffering=1 << 20))
        if path.suffix == ".gz":
            zipped = stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
            yield stack.enter_context(io.BufferedWriter(zipped, 1 << 20))
        else:
            yield raw


def _glove(file: IO[bytes], embeddings: Embeddings) -> None:
    """Write a line for each word; nine digits bring back every float32."""
    line = "%s" + " %.9g" * embeddings.dimension + "\n"
    words = embeddings.words.tolist()
    for start in range(0, len(words), _TOGETHER):
        rows = embeddings.vectors[start : start + _TOGETHER].tolist()
        file.write("".join(line % (w, *row) for w, row in zip(words[start:], rows, strict=False)).encode())


def _word2vec(file: IO[bytes], embeddings: Embeddings) -> None:
    file.write(f"{len(embeddings)} {embeddings.dimension}\n".encode())
    _glove(file, embeddings)


def _word2vec_binary(file: IO[bytes], embeddings: Embeddings) -> None:
    file.write(f"{len(embeddings)} {embeddings.dimension}\n".encode())
    for word, vector in zip(embeddings.words.tolist(), embeddings.vectors.astype("<f4"), strict=True):
        file.write(word.encode() + b" " + vector.tobytes())


def _npz(file: IO[bytes], embeddings: Embeddings) -> None:
    np.savez(file, allow_pickle=False, words=np.array(embeddings.words.tolist()), vectors=embeddings.vectors)


def _safetensors(file: IO[bytes], embeddings: Embeddings) -> None:
    try:
        from safetensors.numpy import save  # noqa: PLC0415 - optional
    except ImportError as error:
        raise InputError("safetensors needs the package of that name: pip install 'nadp[safetensors]'") from error
    words = "\n".join(embeddings.words.tolist())
    file.write(save({"vectors": embeddings.vectors}, {"format": "nadp", "words": words}))


_WRITERS: dict[Format, Callable[[IO[bytes], Embeddings], None]] = {
    "glove": _glove,
    "word2vec": _word2vec,
    "word2vec-binary": _word2vec_binary,
    "npz": _npz,
    "safetensors": _safetensors,
}
