"""Parquet files, read in batches."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from nadp.errors import FormatError
from nadp.runtime.optional import optional
from nadp.texts.files.records import Id, Record, Start, Texts, id_in, positions, text_in

_BATCH = 4096
_FREE, _MOST_TIMES = 1 << 30, 200  # over 1 GB and over 200 times the file: a decompression bomb


def parquet(texts: Texts, start: Start | None, seen: Counter[str]) -> Iterator[Record]:
    """Yield the texts of a .parquet file.

    Raises:
        FormatError: if it is not a Parquet file, a column is missing, a text or id is invalid, or a row group announces
            another number of rows.
        InputError: if pyarrow is not installed.
    """
    del seen  # nothing is left out
    group, row = start or Start(0, 0)
    with _opened(texts.path) as file:
        positions(texts, file.schema_arrow.names)
        announced = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
        rows_before = sum(announced[:group])
        for index in range(group, file.num_row_groups):
            _refuse_bomb(texts.path, file.metadata.row_group(index))
            number = row - 1
            for number, values in _rows(file, index, texts, row):
                where = f"{texts.path}, row {rows_before + number + 1}"
                yield Record(Start(index, number), _id(texts, values, where), _text(texts, values, where))
            if number + 1 != announced[index]:
                raise FormatError(
                    f"{texts.path}: row group {index} holds {number + 1} rows but announces {announced[index]}"
                )
            rows_before, row = rows_before + announced[index], 0


def _refuse_bomb(path: Path, group: Any) -> None:  # noqa: ANN401 - pyarrow has no types
    """Refuse a row group that is a decompression bomb.

    The sizes of its columns would be more exact, but pyarrow kills the process if a column's metadata are damaged.
    """
    if group.total_byte_size > max(_FREE, _MOST_TIMES * path.stat().st_size):
        raise FormatError(f"{path} grows to over {_MOST_TIMES} times its size when it is unpacked")


def _rows(file: Any, group: int, texts: Texts, first: int) -> Iterator[tuple[int, tuple[Any, ...]]]:  # noqa: ANN401
    """Yield the number and the values of each row of a row group, from a given row on."""
    number = 0
    for batch in _batches(file, group, texts):
        skipped = min(max(first - number, 0), len(batch))
        number += skipped
        wanted_rows = batch.slice(skipped)
        for values in zip(*(_values(wanted_rows.column(name)) for name in texts.columns), strict=True):
            yield number, values
            number += 1


def _batches(file: Any, group: int, texts: Texts) -> Iterator[Any]:  # noqa: ANN401 - pyarrow has no types
    """Yield the batches of a row group."""
    try:
        yield from file.iter_batches(_BATCH, row_groups=[group], columns=texts.columns)
    except (pyarrow().ArrowException, OSError) as error:
        raise FormatError(f"{texts.path} is damaged: {error}") from error


def _values(column: Any) -> list[Any]:  # noqa: ANN401 - an array of pyarrow
    """Return the values of a column; strings that are not UTF-8 become bytes."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_value(item) for item in column]


def _value(item: Any) -> Any:  # noqa: ANN401 - a scalar of pyarrow
    """Return a value. Python's error holds the bytes, which are private, so it must not propagate."""
    try:
        return item.as_py()
    except UnicodeDecodeError:
        return b""


def _text(texts: Texts, values: tuple[Any, ...], where: str) -> str:
    return text_in(values[0], texts.text_column, where)


def _id(texts: Texts, values: tuple[Any, ...], where: str) -> Id | None:
    return None if texts.id_column is None else id_in(values[1], texts.id_column, where)


def _opened(path: Path) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an open Parquet file."""
    pa = pyarrow()
    try:
        return pa.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # column names may not be UTF-8
        raise FormatError(f"{path} is not a Parquet file: {error}") from error


def pyarrow() -> ModuleType:
    """Return pyarrow with its Parquet module.

    Raises:
        InputError: if it is not installed.
    """
    with optional("texts", "a Parquet file"):
        import pyarrow as pa  # noqa: PLC0415 - optional, and slow to import
        import pyarrow.parquet  # noqa: PLC0415 - optional, and slow to import
    return pa
