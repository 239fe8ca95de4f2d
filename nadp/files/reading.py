"""One function for all formats."""

from collections.abc import Iterable
from pathlib import Path

from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.streams import open_stream
from nadp.files.tables import read_npz, read_safetensors
from nadp.files.word2vec import read_word2vec_binary
from nadp.files.words import Kept


def read_embeddings(
    path: str | Path,
    *,
    words: Iterable[str] | None = None,
    limit: int | None = None,
    member: str | None = None,
    strict: bool = False,
) -> Embeddings:
    """Return the embeddings of a file.

    Formats: GloVe and word2vec text, fastText's .vec, word2vec binary (.bin), all of them plain, compressed by gzip,
    bzip2 or xz, or inside a zip archive; .npz with arrays "words" and "vectors"; .safetensors as
    nadp.files.write_embeddings makes it. Text is read as a stream; with a filter, memory holds the kept words only.

    With neither `words` nor `limit` every word is kept; with both, the first `limit` words and `words` together.
    A repeated word keeps its first vector. What was seen and left out is in the result's `counts`: "lines" (up to the
    last that can matter), "blank lines", "repeated words", "unusable words" (empty, not UTF-8, or with a tab or another
    control character), "words not wanted", and "words not found".

    Args:
        path: the file.
        words: words to keep wherever they stand.
        limit: how many words to keep from the top (in GloVe's files: the most frequent ones).
        member: which file of a zip archive that holds several.
        strict: refuse repeated and unusable words instead of leaving them out.

    Raises:
        InputError: if the file or its member is missing, or nothing is kept.
        FormatError: if the file is damaged or of another format; the message names file, line and reason.
    """
    from nadp.files.glove import read_text  # noqa: PLC0415 - compiled code, slow to import

    path, kept = Path(path), Kept(words, limit, strict=strict)
    if path.suffix in (".npz", ".safetensors"):
        if not path.is_file():
            raise InputError(f"no file {str(path)!r}")
        return read_npz(path, kept) if path.suffix == ".npz" else read_safetensors(path, kept)
    with open_stream(path, member) as table:
        return read_word2vec_binary(table, kept) if table.inner.endswith(".bin") else read_text(table, kept)
