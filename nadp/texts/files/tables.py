"""Parts as Parquet: an id and the encoded text, written in batches."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from nadp.choices import Output
from nadp.embeddings import Floats, Ids
from nadp.errors import InputError
from nadp.texts.files.parquet import pyarrow
from nadp.texts.files.records import Id
from nadp.texts.files.sharding import IdKind

OUTPUTS: tuple[Output, ...] = get_args(Output)
_TEXTS_AT_A_TIME = 1024
_CHARACTERS_AT_A_TIME = 1 << 17  # about 25,000 tokens: 30 MB of vectors of 300 dimensions
_COLUMN: dict[Output, str] = {"vectors": "vectors", "centroids": "centroid", "words": "words"}


@dataclass(frozen=True, eq=False)
class Column:
    """Some encoded texts.

    Attributes:
        array: a pyarrow array with one value for each text; see vector_lists, centroid_rows and word_lists.
        counts: counts from their encoding.
    """

    array: Any
    counts: Counter[str]


Encode = Callable[[Sequence[str]], Column]


def write_part(path: Path, texts: Iterable[tuple[Id, str]], schema: Any, encode: Encode) -> Counter[str]:  # noqa: ANN401
    """Write a part and return its counts.

    Args:
        path: path of the file.
        texts: texts and their ids, read and released one batch at a time.
        schema: schema of the part, see `schema`.
        encode: returns the column of some texts; each text is passed to it once.

    Raises:
        InputError: if a text is refused; the message names a nearby id.
    """
    pa, counts = pyarrow(), Counter[str]()
    # dictionary encoding is for repeated values, and noisy values do not repeat
    with pa.parquet.ParquetWriter(path, schema, compression="zstd", use_dictionary=False) as file:
        for batch in batches(texts):
            with near(batch):
                column = encode([text for _, text in batch])
            keys = pa.array([key for key, _ in batch], type=schema.field(0).type)
            file.write_table(pa.table([keys, column.array], schema=schema))
            counts.update(column.counts, texts=len(batch))
    return counts


@contextmanager
def near(batch: Sequence[tuple[Id, str]]) -> Iterator[None]:
    """Add the id of the batch's first text to a refusal, whose text numbers count from there."""
    try:
        yield
    except InputError as error:
        raise InputError(f"counted from 0 at the text with id {batch[0][0]!r}, {error}") from error


def schema(ids: IdKind, output: Output, dimension: int) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the schema of a part: column "id", and "vectors", "centroid" or "words".

    Args:
        ids: type of all ids.
        output: kind of the output.
        dimension: dimension of the vectors.
    """
    pa = pyarrow()
    vector = pa.list_(pa.float32(), dimension)
    kinds = {"vectors": pa.list_(vector), "centroids": vector, "words": pa.list_(pa.string())}
    return pa.schema([("id", pa.int64() if ids == "integer" else pa.string()), (_COLUMN[output], kinds[output])])


def batches(texts: Iterable[tuple[Id, str]]) -> Iterator[list[tuple[Id, str]]]:
    """Yield batches of texts; long texts make smaller batches."""
    batch: list[tuple[Id, str]] = []
    characters = 0
    for text_with_id in texts:
        batch.append(text_with_id)
        characters += len(text_with_id[1])
        if len(batch) == _TEXTS_AT_A_TIME or characters >= _CHARACTERS_AT_A_TIME:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def vector_lists(vectors: Floats, starts: Ids) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array with the vectors of each text.

    Args:
        vectors: (t, d) vectors of all tokens.
        starts: (n + 1,) where each text's tokens begin.
    """
    return pyarrow().ListArray.from_arrays(starts.astype(np.int32), centroid_rows(vectors))


def centroid_rows(vectors: Floats) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array with one vector for each row of (n, d)."""
    pa = pyarrow()
    numbers = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
    return pa.FixedSizeListArray.from_arrays(numbers, vectors.shape[1])


def word_lists(words: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array with the words of each text."""
    pa = pyarrow()
    return pa.array(words, type=pa.list_(pa.string()))
