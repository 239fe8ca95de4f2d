"""Tables of ids and vectors in Parquet and Arrow files, the latter as files (Feather) or streams."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings
from nadp.errors import FormatError, InputError
from nadp.files.words import Kept
from nadp.runtime.optional import optional

IDS, VECTORS = ("id", "word", "token", "key"), ("vector", "embedding", "vectors", "embeddings")
_ARROW_FILE, _END_OF_STREAM = b"ARROW1", b"\xff\xff\xff\xff\0\0\0\0"
_FREE, _MOST_TIMES = 1 << 30, 200  # over 1 GB and 200 times the file's size: a decompression bomb
Column = Any  # pyarrow has no types


def read_arrow(path: Path, kept: Kept) -> Embeddings:
    """Return the embedding of a table with a column of words or ids and a column of vectors.

    Both are found by their types: strings or whole numbers, and lists of numbers of equal length. If several columns
    qualify, their names decide: id, word, token or key; vector, embedding, vectors or embeddings.

    Raises:
        FormatError: if the file is damaged or of another format, or holds no such table.
        InputError: if pyarrow is not installed, or nothing is kept.
    """
    pa = _pyarrow()
    try:
        ids, vectors = (_parquet if path.suffix == ".parquet" else _arrow)(path)
        names = _names(ids, str(path))
        return kept.of(names, _numbers(vectors, str(path)), str(path))
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise FormatError(f"{path} is not a {path.suffix} file, or is damaged: {error}") from error


def _parquet(path: Path) -> tuple[Column, Column]:
    """Return the columns of a Parquet file."""
    pa = _pyarrow()
    batches, unpacked_bytes, size_limit = [], 0, max(_FREE, _MOST_TIMES * path.stat().st_size)
    with pa.parquet.ParquetFile(path) as file:
        chosen = _id_and_vector_columns(file.schema_arrow, str(path))
        for batch in file.iter_batches(columns=chosen):
            batches.append(batch)
            unpacked_bytes += batch.nbytes
            if unpacked_bytes > size_limit:
                raise FormatError(f"{path} grows to over {_MOST_TIMES} times its size when it is unpacked")
        announced, schema = file.metadata.num_rows, file.schema_arrow
    table = pa.Table.from_batches(batches, pa.schema([schema.field(name) for name in chosen]))
    if len(table) != announced:
        raise FormatError(f"{path} holds {len(table)} rows but announces {announced}")
    return table.column(chosen[0]), table.column(chosen[1])


def _arrow(path: Path) -> tuple[Column, Column]:
    """Return the columns of an Arrow file or stream."""
    pa = _pyarrow()
    with pa.OSFile(str(path)) as source:
        is_file = source.read(len(_ARROW_FILE)) == _ARROW_FILE
        source.seek(0 if is_file else max(0, source.size() - len(_END_OF_STREAM)))
        if not is_file and source.read() != _END_OF_STREAM:
            raise FormatError(f"{path} is not an Arrow file, or a truncated stream: it has no end mark")
        source.seek(0)
        table = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source).read_all()
    table.validate(full=True)
    chosen = _id_and_vector_columns(table.schema, str(path))
    return table.column(chosen[0]), table.column(chosen[1])


def _id_and_vector_columns(schema: Any, name: str) -> list[str]:  # noqa: ANN401 - pyarrow has no types
    """Return the names of the columns of ids and of vectors."""
    return [
        _column_of_kind(schema, _is_id, IDS, "words or ids (strings or whole numbers)", name),
        _column_of_kind(schema, _is_vector, VECTORS, "vectors (lists of numbers)", name),
    ]


def _column_of_kind(
    schema: Any,  # noqa: ANN401 - a schema of pyarrow
    fits: Callable[[Any], bool],
    names: Sequence[str],
    what: str,
    file: str,
) -> str:
    """Return the column of a kind: the only one, or the first in a list of names."""
    candidates = [field.name for field in schema if fits(field.type)]
    if len(candidates) == 1:
        return candidates[0]
    preferred = [name for name in names if name in candidates]
    if preferred:
        return preferred[0]
    existing = ", ".join(f"{field.name} ({field.type})" for field in schema)
    raise FormatError(
        f"{file} has {len(candidates)} columns of {what}; it has {existing or 'no columns'}: name the right "
        f"one {names[0]!r}"
    )


def _is_id(kind: Any) -> bool:  # noqa: ANN401
    types = _pyarrow().types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    return any(test(kind) for test in tests)


def _is_vector(kind: Any) -> bool:  # noqa: ANN401
    types = _pyarrow().types
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    if not any(test(kind) for test in lists):
        return False
    return bool(types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def _names(column: Column, file: str) -> list[bytes]:
    """Return the words or ids of a column."""
    pa = _pyarrow()
    if not len(column):
        raise FormatError(f"{file} holds no rows")
    if pa.types.is_dictionary(column.type):  # pandas' categories
        column = column.cast(column.type.value_type)
    if column.null_count:
        raise FormatError(f"{file}: {column.null_count} words or ids are missing")
    needs_text = pa.types.is_integer(column.type) or pa.types.is_string_view(column.type)  # views: Polars writes them
    text = column.cast(pa.large_string()) if needs_text else column
    names: list[bytes] = text.cast(pa.large_binary()).to_pylist()
    return names


def _numbers(column: Column, file: str) -> npt.NDArray[Any]:
    """Return the vectors of a column, (n, d)."""
    pa = _pyarrow()
    lengths = pa.compute.list_value_length(column)
    counts = set(lengths.unique().to_pylist())
    if len(counts) > 1 or None in counts:
        first, *_ = all_lengths = lengths.to_pylist()
        row = next(i for i, length in enumerate(all_lengths, start=1) if length is None or length != first)
        raise FormatError(f"{file}, row {row}: the vector is missing, or not as long as the first")
    parts = [chunk.flatten() for chunk in column.chunks]
    if any(part.null_count for part in parts):
        raise FormatError(f"{file}: a number of a vector is missing")
    numbers = np.concatenate([part.to_numpy(zero_copy_only=False) for part in parts])
    return numbers.reshape(len(column), counts.pop())


def write_parquet(file: IO[bytes], embeddings: Embeddings) -> None:
    """Write a table with columns id and vector."""
    _pyarrow().parquet.write_table(_table(embeddings), file)


def write_arrow(file: IO[bytes], embeddings: Embeddings) -> None:
    """Write a table with columns id and vector as an Arrow file, the same format as Feather."""
    table = _table(embeddings)
    with _pyarrow().ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _table(embeddings: Embeddings) -> Any:  # noqa: ANN401
    pa = _pyarrow()
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(embeddings.vectors.ravel()), embeddings.dimension)
    return pa.table({IDS[0]: pa.array(embeddings.words.tolist(), pa.string()), VECTORS[0]: vectors})


def _pyarrow() -> Any:  # noqa: ANN401
    with optional("texts", "a table in Parquet or Arrow"):
        import pyarrow as pa  # noqa: PLC0415 - optional, and slow to import
        import pyarrow.compute  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    return pa
