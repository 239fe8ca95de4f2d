"""Static models for tests, with a tokenizer of whole words or of pieces of them."""

import json

import numpy as np
from safetensors.numpy import save, save_file
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel, WordPiece

UNKNOWN = "[UNK]"


def tokenizer(tokens, pieces=False):
    """Return a tokenizer of lower-case words, or of their longest known pieces."""
    ids = {token: i for i, token in enumerate(tokens)}
    made = Tokenizer((WordPiece if pieces else WordLevel)(ids, unk_token=UNKNOWN))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def write_model(folder, tokens, vectors, *, nested=False, name=None, pieces=False, **more):  # noqa: PLR0913
    """Write a model as Model2Vec does, or as Sentence Transformers do in a folder of their own."""
    place = folder / "0_StaticEmbedding" if nested else folder
    place.mkdir(parents=True)
    save_file({name or ("embedding.weight" if nested else "embeddings"): vectors, **more}, place / "model.safetensors")
    tokenizer(tokens, pieces).save(str(place / "tokenizer.json"))
    config = {"model_type": "model2vec", "normalize": False, "embedding_dtype": str(vectors.dtype)}
    if nested:
        (folder / "config_sentence_transformers.json").write_text("{}")
        modules = [{"type": "sentence_transformers.models.StaticEmbedding", "path": "0_StaticEmbedding"}]
        (folder / "modules.json").write_text(json.dumps(modules))
    else:
        (folder / "config.json").write_text(json.dumps(config))
    return folder


def bfloat16(vectors):
    """Return the bytes of a safetensors file with a table of bfloat16, cut off and not rounded, and what it holds."""
    upper = (vectors.astype("<f4").view("<u4") >> 16).astype("<u2")
    content = save({"embeddings": upper})
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].replace(b'"U16"', b'"BF16"')
    content = len(header).to_bytes(8, "little") + header + content[8 + length :]
    return content, (upper.astype("<u4") << 16).view("<f4")


def some(count, dimension, seed=0):
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
