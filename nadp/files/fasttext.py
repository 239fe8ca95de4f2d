"""fastText's binary models (.bin; Bojanowski et al. 2017). Only their character n-grams are read.

A model begins with its parameters. The dictionary follows, then the matrix: a row for each word, then one for each
bucket of n-grams. All numbers are little-endian.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nadp.embeddings import Floats
from nadp.errors import FormatError, InputError

_MAGIC, _VERSIONS = 793712314, (11, 12)
_PARAMETERS = struct.Struct("<2i12id")  # dim is number 2, model 9, bucket 10, minn 11, maxn 12
_DICTIONARY = struct.Struct("<3i2q")  # entries, words, labels, tokens, and pruned buckets, -1 for none
_ENTRY = 9  # bytes after the zero byte that ends a word: its count and its type
_MATRIX = struct.Struct("<?2q")  # whether it is quantised, its rows and columns
_SUPERVISED, _WITH_N_GRAMS = 3, 12  # classifiers have n-grams from this version on


def read_ngrams(path: Path) -> tuple[Floats, int, int]:
    """Return the n-grams of a fastText model: a vector for each bucket (b, d), and their least and largest length.

    Raises:
        InputError: if the model has no n-grams, or was quantised or pruned.
        FormatError: if the file is not a fastText model, or is damaged.
    """
    with path.open("rb") as file:
        if path.stat().st_size < _PARAMETERS.size + _DICTIONARY.size:
            raise FormatError(f"{path} is too short for a fastText model (.bin)")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            head = _Head.of(content, path)
        ngrams_start = head.matrix_start + 4 * head.words * head.dimension  # after the rows of the words
        numbers = np.fromfile(file, "<f4", head.buckets * head.dimension, offset=ngrams_start)
    if not np.isfinite(numbers).all():
        raise FormatError(f"{path}: a vector of an n-gram holds a number that is not finite")
    return numbers.reshape(head.buckets, head.dimension), head.shortest, head.longest


@dataclass(frozen=True)
class _Head:
    """What precedes the matrix of a model, whose numbers begin at byte `matrix_start`."""

    matrix_start: int
    words: int
    buckets: int
    dimension: int
    shortest: int
    longest: int

    @classmethod
    def of(cls, content: mmap.mmap, path: Path) -> "_Head":
        """Read the head, and check that the file holds the whole matrix."""
        magic, version, *arguments = _PARAMETERS.unpack_from(content, 0)
        if magic != _MAGIC or version not in _VERSIONS:
            raise FormatError(f"{path} is not a fastText model (.bin) of version 11 or 12")
        dimension, model, shortest, longest = arguments[0], arguments[7], arguments[9], arguments[10]
        entries, words, labels, _, pruned = _DICTIONARY.unpack_from(content, _PARAMETERS.size)
        if min(words, labels) < 0 or entries != words + labels or dimension < 1:
            raise FormatError(f"{path}: a dictionary of {entries} entries ({words} words, {labels} labels) is damaged")
        if pruned > 0:
            raise InputError(f"{path} was pruned: give the model as it was before pruning")
        position = _end_of_words(content, entries, path)
        quantised, rows, columns = _unpacked(_MATRIX, content, position, path)
        if quantised:
            raise InputError(f"{path} was quantised: give the model as it was before quantisation")
        if model == _SUPERVISED and version < _WITH_N_GRAMS:
            longest = 0
        if longest < 1 or rows == words:
            raise InputError(f"{path} has no character n-grams: it was trained without them")
        position += _MATRIX.size
        if columns != dimension or rows < words or shortest < 0 or len(content) - position < 4 * rows * columns:
            raise FormatError(
                f"{path}: a matrix of {rows} x {columns} for {words} words of {dimension} numbers is truncated or wrong"
            )
        return cls(position, words, rows - words, dimension, shortest, longest)


def _end_of_words(content: mmap.mmap, entries: int, path: Path) -> int:
    """Return the byte after the entries of the dictionary."""
    position = _PARAMETERS.size + _DICTIONARY.size
    for entry in range(entries):
        end = content.find(b"\0", position)
        if end < 0 or end + _ENTRY >= len(content):
            raise FormatError(f"{path} ends within entry {entry + 1:,} of {entries:,} of its dictionary")
        position = end + 1 + _ENTRY
    return position


def _unpacked(layout: struct.Struct, content: mmap.mmap, position: int, path: Path) -> tuple[Any, ...]:
    if position + layout.size > len(content):
        raise FormatError(f"{path} ends before its matrix")
    return layout.unpack_from(content, position)
