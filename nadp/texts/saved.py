"""An encoder as one safetensors file: arrays, with words and terms as JSON in its header. Pickles are never loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.errors import FormatError, InputError
from nadp.files.durable import put
from nadp.runtime.optional import optional


def write_encoder(path: Path, words: list[str], terms: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write an encoder atomically.

    Args:
        path: the file; an existing file is replaced.
        words: n words.
        terms: plain JSON values.
        arrays: arrays by name.

    Raises:
        InputError: if safetensors is not installed.
    """
    with optional("safetensors", "an encoder that is saved"):
        from safetensors.numpy import save_file  # noqa: PLC0415 - optional
    header = {"words": json.dumps(words, ensure_ascii=False), "terms": json.dumps(terms, sort_keys=True)}
    tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    put(path, lambda part: save_file(tensors, part, metadata=header))


def read_encoder(path: Path) -> tuple[list[str], dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return words, terms and arrays of an encoder.

    Raises:
        InputError: if safetensors is not installed, or there is no such file.
        FormatError: if the file is not an encoder.
    """
    with optional("safetensors", "an encoder that was saved"):
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - optional
    if not path.is_file():
        raise InputError(f"no encoder {str(path)!r}")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is not a mapping
        words, terms = json.loads(header["words"]), json.loads(header["terms"])
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, SafetensorError) as error:  # bfloat16, say
        raise FormatError(f"{path} is not an encoder: {error}") from error
    return words, terms, arrays
