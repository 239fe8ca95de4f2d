"""Embeddings as files for other programs: GloVe and word2vec text, binary, arrays, Parquet, Arrow."""

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import orjson

from nadp.embeddings import Embeddings, Floats
from nadp.errors import InputError
from nadp.files.arrow import write_arrow, write_parquet
from nadp.files.durable import put
from nadp.files.formats import Format, format_of, refuse_misnamed
from nadp.files.kinds import kind_of
from nadp.files.streams import BLOCK
from nadp.files.words import SAMPLE, refuse_attached
from nadp.runtime.optional import optional
from nadp.runtime.parallel import slices
from nadp.runtime.progress import Stage

_WITHOUT_SPACES = ("word2vec", "word2vec-binary")  # in GloVe's text fields are counted from the right
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOGETHER = 1000  # rows that are written at once
# Of all float32 numbers, only this one (and its negative) becomes another if its fewest digits are read as a float64,
# and that is rounded to float32. Nine digits are read correctly.
_MISREAD = b"7.038531e-26", b"7.03853069e-26"


def write_embeddings(
    path: str | Path,
    embeddings: Embeddings,
    format: Format | None = None,  # noqa: A002 - the name that users know
    member: str | None = None,
) -> None:
    """Write an embedding. Reading it back gives the same words in the same order, and the same vectors bit for bit.

    Args:
        path: path of the file; a name that ends in .gz or .zip is compressed (text only).
        embeddings: n words.
        format: "glove" (a line for each word), "word2vec" (the same below a line with n and d; fastText's .vec),
            "word2vec-binary", "npz" (arrays "words" and "vectors"), "safetensors" (tensor "vectors", the words in
            the metadata, one per line), "parquet" or "arrow" (columns "id" and "vector"); default by
            the suffix of the path.
        member: name of the file inside a zip archive; default the path's name without .zip.

    Raises:
        InputError: if the format is unknown, needs a suffix that the path lacks, or cannot represent a word.
    """
    path = Path(path)
    table_format = format or format_of(path.name)
    refuse_misnamed(path, table_format)
    _refuse_unwritable(embeddings, table_format)

    def write(part: Path) -> None:
        with _opened(part, member or path.stem) as file:
            _WRITERS[table_format](file, embeddings)

    put(path, write)


def _refuse_unwritable(embeddings: Embeddings, table_format: Format) -> None:
    """Refuse an embedding that would not be read back unchanged."""
    for word in embeddings.words:  # a list of all words would take much memory
        if not word.strip(" ") or (table_format in _WITHOUT_SPACES and " " in word):
            raise InputError(f"the word {word!r} cannot be written as {table_format}, since it holds a space")
    refuse_attached(embeddings.words[:SAMPLE].tolist(), embeddings.vectors[:SAMPLE], "the embedding")
    if table_format == "word2vec" and embeddings.dimension == 1:
        raise InputError("word2vec text with one number per word looks like its header: use 'glove'")
    if table_format in ("glove", "word2vec"):
        in_first_block = BLOCK // (2 * embeddings.dimension) + 2
        _refuse_misleading(embeddings.words[:in_first_block].tolist(), embeddings.dimension, table_format)


def _refuse_misleading(words: list[str], dimension: int, table_format: Format) -> None:
    """Refuse words that would make a text look like another kind of file, or a table with more numbers per word.

    Args:
        words: the words, at least those that a reader's first block can hold.
        dimension: d.
        table_format: "glove" or "word2vec".
    """
    first = words[0].encode()
    if table_format == "glove" and (first.startswith(_BYTE_ORDER_MARK) or kind_of(first)):
        raise InputError(
            f"a text file cannot begin with the word {words[0]!r}: it would look like another kind of file"
        )
    if dimension == 1 and words[0].isdigit():
        raise InputError(f"the word {words[0]!r} before a single number would be read as the header of word2vec")
    spaced = np.array([" " in word for word in words])
    lengths = np.array([len(word.encode()) for word in words])
    most_lines, fewest_lines = (
        np.searchsorted(np.cumsum(lengths + bytes_per_number * dimension), BLOCK) for bytes_per_number in (2, 18)
    )
    # The possible numbers of lines in the first block
    line_counts = np.unique(np.clip(np.arange(fewest_lines, most_lines + 2), 1, len(words)))
    if spaced.any() and not (2 * np.cumsum(spaced)[line_counts - 1] < line_counts + (not spaced[0])).all():
        example = words[int(spaced.argmax())]
        raise InputError(
            f"too many of the first words contain spaces (such as {example!r}), so a reader could not tell words from "
            "numbers: use .npz or .safetensors, or put other words first"
        )


@contextmanager
def _opened(path: Path, member: str) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED))
            yield stack.enter_context(archive.open(zipfile.ZipInfo(member), "w", force_zip64=True))
            return
        raw = stack.enter_context(path.open("wb", buffering=1 << 20))
        if path.suffix == ".gz":
            zipped = stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
            yield stack.enter_context(io.BufferedWriter(zipped, 1 << 20))
        else:
            yield raw


def _glove(file: IO[bytes], embeddings: Embeddings) -> None:
    """Write a line for each word, with the fewest digits of each number that are read back as the same float32."""
    with Stage("writing", len(embeddings), "words") as stage:
        for block in slices(len(embeddings), _TOGETHER):
            words, rows = embeddings.words[block].tolist(), _digits(embeddings.vectors[block])
            file.write(b"".join(b"%s %s\n" % (word.encode(), row) for word, row in zip(words, rows, strict=True)))
            stage.advance(len(words))


def _digits(vectors: Floats) -> list[bytes]:
    """Return the numbers of each row (n, d), separated by spaces. Python's own formatting takes five times as long."""
    numbers = orjson.dumps(vectors, option=orjson.OPT_SERIALIZE_NUMPY).replace(*_MISREAD)
    return numbers.removeprefix(b"[[").removesuffix(b"]]").replace(b",", b" ").split(b"] [")


def _word2vec(file: IO[bytes], embeddings: Embeddings) -> None:
    file.write(f"{len(embeddings)} {embeddings.dimension}\n".encode())
    _glove(file, embeddings)


def _word2vec_binary(file: IO[bytes], embeddings: Embeddings) -> None:
    file.write(f"{len(embeddings)} {embeddings.dimension}\n".encode())
    for word, vector in zip(embeddings.words, embeddings.vectors.astype("<f4", copy=False), strict=True):
        file.write(word.encode() + b" " + vector.tobytes())


def _npz(file: IO[bytes], embeddings: Embeddings) -> None:
    np.savez(file, allow_pickle=False, words=np.array(embeddings.words.tolist()), vectors=embeddings.vectors)


def _safetensors(file: IO[bytes], embeddings: Embeddings) -> None:
    with optional("safetensors", "format='safetensors'"):
        from safetensors.numpy import save  # noqa: PLC0415 - optional
    words = "\n".join(embeddings.words.tolist())
    file.write(save({"vectors": embeddings.vectors}, {"words": words}))


_WRITERS: dict[Format, Callable[[IO[bytes], Embeddings], None]] = {
    "glove": _glove,
    "word2vec": _word2vec,
    "word2vec-binary": _word2vec_binary,
    "npz": _npz,
    "safetensors": _safetensors,
    "parquet": write_parquet,
    "arrow": write_arrow,
}
