"""Tensors of safetensors files, including types that NumPy does not have."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nadp.errors import FormatError
from nadp.runtime.optional import optional

_BFLOAT16 = "BF16"
_NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", _BFLOAT16: "bfloat16", "I8": "int8", "U8": "uint8"}


class Tensor(NamedTuple):
    """Numbers, and the type in which they were written; bfloat16 is read as float32, which holds all its numbers."""

    numbers: npt.NDArray[Any]
    type: str


def read_tensors(path: Path, *names: str) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the named tensors that a safetensors file has, and its metadata.

    Raises:
        FormatError: if the file is damaged or of another format, or a tensor has a type that is not read.
        InputError: if safetensors is not installed.
    """
    with optional("safetensors", str(path)):
        from safetensors import SafetensorError, safe_open  # noqa: PLC0415 - optional
    tensors = dict[str, Tensor]()
    try:
        with safe_open(path, framework="numpy") as file:
            for name in sorted(set(file.keys()).intersection(names)):
                kind = file.get_slice(name).get_dtype()
                if kind not in _NAMES and not kind.startswith(("I", "U")):
                    raise FormatError(f"{path}: tensor {name!r} is of type {kind}, which is not supported")
                numbers = _bfloat16(path, name) if kind == _BFLOAT16 else file.get_tensor(name)
                tensors[name] = Tensor(numbers, _NAMES.get(kind, str(numbers.dtype)))
            return tensors, dict(file.metadata() or {})
    except (OSError, ValueError, SafetensorError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path} is not a safetensors file, or is damaged: {error}") from error


def _bfloat16(path: Path, name: str) -> npt.NDArray[np.float32]:
    """Return a bfloat16 tensor; its numbers are the upper halves of float32."""
    from safetensors import deserialize  # noqa: PLC0415 - optional

    tensor: dict[str, Any] = dict(deserialize(path.read_bytes()))[name]
    upper = np.frombuffer(tensor["data"], dtype="<u2").astype(np.uint32)
    return (upper << 16).view(np.float32).reshape(tensor["shape"])
