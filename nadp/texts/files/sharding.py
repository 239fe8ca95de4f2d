"""Shards of a file of texts: one pass finds their starts, then each shard can be read separately."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from nadp.errors import FormatError, InputError
from nadp.texts.files.formats import records
from nadp.texts.files.records import BLANK, Id, Start, Texts

IdKind = Literal["integer", "string"]
MOST_SHARDS = 400


@dataclass(frozen=True)
class Shard:
    """Consecutive texts of a file.

    Attributes:
        number: number of the shard, from 0.
        first: number of texts before it.
        texts: number of its texts.
        offset: offset of its start, see nadp.texts.files.records.Start.
        line: line of its start.
    """

    number: int
    first: int
    texts: int
    offset: int
    line: int


@dataclass(frozen=True)
class Split:
    """All shards of a file.

    Attributes:
        texts: number of texts.
        ids: type of all ids.
        shards: in the order of the texts; all but the last have the same number of texts.
        blank: number of omitted blank lines.
    """

    texts: int
    ids: IdKind
    shards: tuple[Shard, ...]
    blank: int = 0

    @property
    def whole(self) -> Shard:
        """All texts as one shard."""
        return replace(self.shards[0], texts=self.texts)


def split(texts: Texts, least: int) -> Split:
    """Return the shards of a file after one pass over all texts, in constant memory.

    Args:
        texts: the file.
        least: texts per shard; doubled until there are at most 400 shards, so that the shards depend only on the file
            and this number.

    Raises:
        InputError: if `least` is below 1, or there are no texts.
        FormatError: if a text cannot be read, or if some ids are integers and others are strings.
    """
    if least < 1:
        raise InputError(f"a shard needs at least 1 text, not {least}")
    size, count, starts, kind, seen = least, 0, list[Start](), None, Counter[str]()
    for record in records(texts, seen=seen):
        id_type = type(record.id)
        if id_type is not (kind := kind or id_type):
            raise FormatError(f"{texts.path}, line {record.start.line}: ids are strings here and integers elsewhere")
        if count == size * MOST_SHARDS:
            size, starts = 2 * size, starts[::2]
        if count % size == 0:
            starts.append(record.start)
        count += 1
    if not count:
        raise InputError(f"{texts.path} holds no texts: there is nothing to do")
    firsts = range(0, count, size)
    shards = (Shard(i, first, min(size, count - first), *starts[i]) for i, first in enumerate(firsts))
    return Split(count, "string" if kind is str else "integer", tuple(shards), seen[BLANK])


def read(texts: Texts, shard: Shard) -> Iterator[tuple[Id, str]]:
    """Yield the id and the text of each text of a shard.

    Raises:
        FormatError: if the file no longer holds the texts.
    """
    number = shard.first
    for record in islice(records(texts, Start(shard.offset, shard.line)), shard.texts):
        yield number if record.id is None else record.id, record.text
        number += 1
    if number != shard.first + shard.texts:
        raise FormatError(f"{texts.path} has fewer texts than before: it was changed while it was read")
