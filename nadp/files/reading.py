"""One function for all formats."""

from collections.abc import Iterable
from pathlib import Path

from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.binary import Kept, read_npz, read_safetensors, read_word2vec_binary
from nadp.files.glove import read_text


def read_embeddings(
    path: str | Path, *, words: Iterable[str] | None = None, limit: int | None = None, member: str | None = None
) -> Embeddings:
    """Return the embeddings of a file.

    Formats: GloVe and word2vec text, fastText's .vec (plain, gzipped, or inside a zip archive); word2vec binary
    (.bin); .npz with arrays "words" and "vectors"; .safetensors as nadp.files.write_embeddings makes it. Text is
    read as a stream; with a filter, memory holds the kept words only.

    With neither `words` nor `limit` every word is kept; with both, the first `limit` words and `words` together.
    A repeated word keeps its first vector. What was seen and left out is in the result's `counts`: "lines" (up to the
    last that can matter), "blank lines", "repeated words", "words not wanted", and "words not found".

    Args:
        path: the file.
        words: words to keep wherever they stand.
        limit: how many words to keep from the top (in GloVe's files: the most frequent ones).
        member: which file of a zip archive that holds several.

    Raises:
        InputError: if the file or its member is missing, or nothing is kept.
        FormatError: if the file is damaged or of another format; the message names file, line and reason.
    """
    if limit is not None and limit < 0:
        raise InputError(f"limit must be 0 or more, not {limit}")
    path = Path(path)
    name = member or path.name.removesuffix(".gz").removesuffix(".zip")
    if path.suffix in (".npz", ".safetensors"):
        if not path.is_file():
            raise InputError(f"no file {str(path)!r}")
        kept = Kept(words, limit)
        return read_npz(path, kept) if path.suffix == ".npz" else read_safetensors(path, kept)
    if name.endswith(".bin"):
        return read_word2vec_binary(path, Kept(words, limit), member)
    return read_text(path, words=words, limit=limit, member=member)
