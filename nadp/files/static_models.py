"""Static models: a table of vectors with the tokenizer of a model, as Model2Vec and Sentence Transformers write them.

Such a model is a folder. The path of its table, model.safetensors, names it; the tokenizer is in the same folder.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Embeddings, Ids
from nadp.errors import FormatError
from nadp.files.model_places import TOKENIZER, files_beside
from nadp.files.tensors import read_tensors
from nadp.files.words import Kept, flaw
from nadp.runtime.optional import optional

TENSORS = ("embeddings", "embedding.weight")
"""What Model2Vec and Sentence Transformers call the table."""


@dataclass(frozen=True, eq=False)
class StaticModel:
    """A static model: the vector of a token is its weight times the row to which the token is mapped.

    Attributes:
        path: path of the table.
        vectors: (k, d) the table.
        type: type of the table's numbers in the file.
        tokens: tokens of the tokenizer's n ids; None for an id without a token.
        mapping: (n,) the row of each id; None for row = id.
        weights: (n,) of each id; None for 1.
        tokenizer: content of tokenizer.json.
        config: content of config.json.
    """

    path: Path
    vectors: npt.NDArray[Any]
    type: str
    tokens: tuple[str | None, ...]
    mapping: Ids | None
    weights: npt.NDArray[np.float64] | None
    tokenizer: str
    config: dict[str, Any]

    def __len__(self) -> int:
        return len(self.vectors)

    @cached_property
    def row_names(self) -> list[str]:
        """A name of each row of the table: its first token, or "[row 7]" if no token can be a word."""
        names = dict[int, str]()
        for token, row in zip(self.tokens, self._rows.tolist(), strict=True):
            if token is not None and not flaw(token.encode(errors="surrogatepass")):
                names.setdefault(row, token)
        return [names.get(row, f"[row {row}]") for row in range(len(self))]

    def rows(self, kept: Kept) -> Embeddings:
        """Return the table as it is stored: one vector for each row, without weights, named by the row's first token.

        Raises:
            FormatError: if the table holds numbers that are not finite, or too many.
            InputError: if nothing is kept.
        """
        return kept.of([name.encode() for name in self.row_names], self.vectors, str(self.path))

    def embeddings(self, kept: Kept) -> Embeddings:
        """Return the vectors of the tokens as the model uses them, first of the tokens that name rows; see rows."""
        first = {name: row for row, name in enumerate(self.row_names)}
        ids = {token: i for i, token in enumerate(self.tokens) if token is not None}
        words = [*first, *(token for token in ids if token not in first)]
        rows = np.array([first[word] if word in first else self._rows[ids[word]] for word in words])
        selected = kept.of([word.encode(errors="surrogatepass") for word in words], self.vectors[rows], str(self.path))
        if self.weights is None:
            return selected
        token_weights = np.array([self.weights[ids[word]] if word in ids else 1.0 for word in selected.words.tolist()])
        return Embeddings(selected.words, selected.vectors * token_weights[:, None], selected.counts)

    @property
    def _rows(self) -> Ids:
        return np.arange(len(self.tokens)) if self.mapping is None else self.mapping


def read_model(path: Path) -> StaticModel:
    """Return the static model of a table.

    Raises:
        FormatError: if it is not a static model, or is damaged.
        InputError: if a package that reads it is not installed.
    """
    tensors, _ = read_tensors(path, *TENSORS, "mapping", "weights")
    tables = [tensors[name] for name in TENSORS if name in tensors]
    if len(tables) != 1:
        raise FormatError(
            f"{path} does not hold exactly one tensor {' or '.join(map(repr, TENSORS))}: it is not a static model; the "
            "vectors of a contextual model are not a table"
        )
    table, kind = tables[0]
    if table.ndim != 2:
        raise FormatError(f"{path}: the tensor of the vectors has shape {table.shape}, so it is not a table")
    tokenizer = _read_json(path.parent / TOKENIZER)[0]
    tokens = _tokens(tokenizer, path.parent / TOKENIZER)
    model = StaticModel(path, table, kind, tokens, None, None, tokenizer, _config(path))
    weights = None if "weights" not in tensors else _of_tokens(model, "weights", tensors["weights"].numbers)
    if "mapping" not in tensors and len(tokens) > len(table):
        raise FormatError(f"{path}: {len(table)} vectors do not fit {len(tokens)} tokens, and there is no mapping")
    mapping = None if "mapping" not in tensors else _of_tokens(model, "mapping", tensors["mapping"].numbers)
    if mapping is not None and (mapping.dtype.kind not in "iu" or not 0 <= mapping.min() <= mapping.max() < len(table)):
        raise FormatError(f"{path}: the mapping names rows that the table of {len(table)} rows does not have")
    return replace(
        model,
        weights=None if weights is None else weights.astype(np.float64),
        mapping=None if mapping is None else mapping.astype(np.int64),
    )


def _of_tokens(model: StaticModel, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values of a model's tokens, one per token."""
    if values.shape != (len(model.tokens),) or not np.isfinite(values).all():
        raise FormatError(
            f"{model.path}: {name} of shape {values.shape} do not hold one finite number for each of the "
            f"{len(model.tokens)} tokens"
        )
    return values


def _tokens(tokenizer: str, path: Path) -> tuple[str | None, ...]:
    """Return the token of each id of a tokenizer."""
    with optional("models", str(path)):
        from tokenizers import Tokenizer  # noqa: PLC0415 - optional
    try:
        vocabulary: dict[str, int] = Tokenizer.from_str(tokenizer).get_vocab(with_added_tokens=True)
    except Exception as error:  # tokenizers has no error class: it raises plain Exception for unreadable files
        if type(error) is not Exception:  # a subclass is another package's error, or a defect
            raise
        raise FormatError(f"{path} is not a tokenizer: {error}") from error
    if not vocabulary:
        raise FormatError(f"{path} is a tokenizer without tokens")
    token_of = {i: token for token, i in vocabulary.items()}
    return tuple(token_of.get(i) for i in range(max(token_of) + 1))


def _config(path: Path) -> dict[str, Any]:
    """Return the configuration of a model; in modules.json Sentence Transformers say whether vectors are scaled."""
    content_of_file = {
        file.name: _read_json(file)[1] for file in reversed(files_beside(path)) if file.name != TOKENIZER
    }
    config = content_of_file.get("config.json", {})
    modules: Iterable[Any] = content_of_file.get("modules.json", [])
    scaled = any(str(module.get("type", "")).endswith(".Normalize") for module in modules if isinstance(module, dict))
    return {"normalize": scaled} | (config if isinstance(config, dict) else {})


def _read_json(path: Path) -> tuple[str, Any]:
    """Return the content of a JSON file, as text and parsed."""
    try:
        text = path.read_text(encoding="utf-8")
        return text, json.loads(text)
    except (ValueError, RecursionError, OSError) as error:
        raise FormatError(f"{path} is not JSON: {error}") from error
