"""One reader for all formats."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.arrow import read_arrow
from nadp.files.formats import ARROW
from nadp.files.model_places import is_model, table_of_folder
from nadp.files.static_models import read_model
from nadp.files.streams import open_stream
from nadp.files.tables import read_npz, read_safetensors
from nadp.files.word2vec import read_word2vec_binary
from nadp.files.words import Kept


def read_embeddings(  # noqa: PLR0913 - how a file is read
    path: str | Path,
    *,
    words: Iterable[str] | None = None,
    limit: int | None = None,
    member: str | None = None,
    strict: bool = False,
    stored: bool = False,
) -> Embeddings:
    """Return the embeddings of a file, or of the folder of a static model.

    Formats: GloVe and word2vec text, fastText's .vec, word2vec binary (.bin), plain, compressed by gzip, bzip2 or
    xz, or inside a zip archive; .npz with arrays "words" and "vectors"; .safetensors as
    nadp.files.write_embeddings makes it; Parquet and Arrow tables of ids and vectors; folders of static models, as
    Model2Vec and Sentence Transformers write them. Text is read as a stream; with a filter, memory holds only the kept
    words. Numbers of any type become float32.

    With neither `words` nor `limit` every word is kept; with both, the first `limit` words and all of `words`.
    A repeated word keeps its first vector. The result's `counts` hold what was read and left out: "lines" (up to the
    last relevant one), "blank lines", "repeated words", "unusable words" (empty, not UTF-8, or with a tab or another
    control character), "words not wanted", and "words not found".

    Args:
        path: the file or folder.
        words: words to keep wherever they occur.
        limit: number of words to keep from the top (in GloVe's files, the most frequent ones).
        member: file to read from a zip archive that holds several.
        strict: refuse repeated and unusable words instead of leaving them out.
        stored: read the table of a static model as it is stored, one vector for each row. Otherwise the vectors of its
            tokens are read, as the model uses them: the row to which a token is mapped, times the token's weight.

    Raises:
        InputError: if the file or its member is missing, or nothing is kept.
        FormatError: if the file is damaged or of another format; the message names file, line and reason.
    """
    return _read(Path(path), Kept(words, limit, strict=strict), member, stored=stored)


def read_exact(
    path: str | Path, words: Iterable[str], *, member: str | None = None
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the vectors of some words as float64, with all digits of the file.

    Words that the file lacks are left out. The result is empty if the type of the file's numbers is no wider than
    float32, as in word2vec binary. A static model is read as it is stored.

    Args:
        path: the file or folder; see read_embeddings.
        words: words to read.
        member: file to read from a zip archive that holds several.

    Raises:
        InputError: if the file or its member is missing, or it holds none of the words.
        FormatError: if the file is damaged or of another format.
    """
    path, kept = Path(path), Kept(words, exact=True)
    if path.suffix != ".bin":
        _read(path, kept, member, stored=True)
    return kept.exact or {}


def _read(path: Path, kept: Kept, member: str | None, *, stored: bool) -> Embeddings:
    from nadp.files.glove import read_text  # noqa: PLC0415 - compiled code, slow to import

    path = table_of_folder(path) if path.is_dir() else path
    read_whole_file = _reader_of_whole_file(path, stored=stored)
    if read_whole_file is not None:
        if member is not None:
            raise InputError(f"{path} is not a zip archive, so it has no member {member!r}: leave `member` out")
        if not path.is_file():
            raise InputError(f"no such file: {path}")
        return read_whole_file(path, kept)
    with open_stream(path, member) as table:
        return read_word2vec_binary(table, kept) if table.inner.endswith(".bin") else read_text(table, kept)


def _reader_of_whole_file(path: Path, *, stored: bool) -> Callable[[Path, Kept], Embeddings] | None:
    """Return the function that reads a file as a whole, by its suffix; None if the file is read as a stream."""
    if is_model(path):
        return _stored_rows if stored else _model_tokens
    return _BY_SUFFIX.get(path.suffix)


def _stored_rows(path: Path, kept: Kept) -> Embeddings:
    return read_model(path).rows(kept)


def _model_tokens(path: Path, kept: Kept) -> Embeddings:
    return read_model(path).embeddings(kept)


_BY_SUFFIX = {".npz": read_npz, ".safetensors": read_safetensors, **dict.fromkeys(ARROW, read_arrow)}
