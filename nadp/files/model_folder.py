"""A static model as a folder of files that Model2Vec and Sentence Transformers load."""

import json
from pathlib import Path

import numpy as np

from nadp.files.model_places import CONFIGS, TABLE, TOKENIZER, WRITTEN
from nadp.files.static_models import TENSORS, StaticModel
from nadp.runtime.optional import optional

_STATIC = {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}
_NORMALIZE = {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}


def write_table(path: Path, model: StaticModel) -> None:
    """Write the table of a model, with its mapping and weights if it has them.

    Raises:
        InputError: if safetensors is not installed.
    """
    with optional("models", TABLE):
        from safetensors.numpy import save_file  # noqa: PLC0415 - optional
    tensors = {TENSORS[0]: model.vectors.astype(np.float32), "mapping": model.mapping}
    tensors["weights"] = None if model.weights is None else model.weights.astype(np.float32)
    save_file({name: np.ascontiguousarray(array) for name, array in tensors.items() if array is not None}, path)


def texts_beside(model: StaticModel) -> dict[str, str]:
    """Return the files that belong beside the table of a model, by name: tokenizer, configuration and modules."""
    config = model.config | {"embedding_dtype": WRITTEN}
    config.pop("vocabulary_quantization", None)
    if model.mapping is not None:
        config["vocabulary_quantization"] = len(model)
    modules = [_STATIC, *([_NORMALIZE] if config["normalize"] else [])]
    return {TOKENIZER: model.tokenizer, CONFIGS[0]: _text(config), CONFIGS[2]: _text(modules)}


def _text(value: object) -> str:
    return json.dumps(value, indent=4, ensure_ascii=False) + "\n"
