"""A partition as one .npz file; equal partitions give equal bytes. Pickles are never loaded."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from nadp.embeddings import as_words
from nadp.errors import FormatError, InputError
from nadp.files.durable import put
from nadp.files.tables import read_arrays
from nadp.groups.partitions import Bounds, Partition
from nadp.groups.prior import Prior

_ARRAYS = ("note", "labels", "centroids", "weights", "words")


def save_partition(path: str | Path, partition: Partition) -> None:
    """Write a partition atomically to a file that ends in .npz; an existing file is replaced.

    Raises:
        InputError: if the name does not end in .npz.
    """
    path, prior = Path(path), partition.prior
    if path.suffix != ".npz":
        raise InputError(f"partitions are .npz files: the name {path.name!r} must end in .npz")
    note = {
        "bounds": asdict(partition.bounds),
        "prior": {"name": prior.name, "unit": prior.unit, "own_texts": prior.own_texts},
        "made_of": partition.made_of,
        "digest": partition.digest,
    }
    put(
        path,
        lambda part: np.savez(
            part,
            allow_pickle=False,
            note=_packed(json.dumps(note, sort_keys=True)),
            words=_packed(json.dumps(partition.words.tolist(), ensure_ascii=False)),
            labels=partition.labels,
            centroids=partition.centroids,
            weights=prior.weights,
        ),
    )


def load_partition(path: str | Path) -> Partition:
    """Return the partition that save_partition wrote.

    Raises:
        InputError: if there is no such file.
        FormatError: if the file does not hold a partition, or was changed.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no partition {str(path)!r}")
    try:
        arrays = read_arrays(path, _ARRAYS)
        note, words = json.loads(arrays["note"].tobytes()), as_words(json.loads(arrays["words"].tobytes()))
        prior = Prior(weights=arrays["weights"], **note["prior"])
        bounds = Bounds(**note["bounds"])
        partition = Partition(words, arrays["labels"], arrays["centroids"], prior, bounds, note["made_of"])
        recorded_digest = note["digest"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path} is not a partition: {error}") from error
    if partition.digest != recorded_digest:
        raise FormatError(f"{path} was changed since it was written: it is not the partition {recorded_digest[:12]}")
    return partition


def _packed(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
