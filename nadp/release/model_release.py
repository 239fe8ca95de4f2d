"""The release of a static model: private vectors for its table, and the other files that the model needs."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.model_folder import texts_beside, write_table
from nadp.files.static_models import StaticModel, read_model
from nadp.release.certificate import Certificate

_CARD = """\
---
library_name: model2vec
tags:
- static-embeddings
- differential-privacy
---

# {name}

A static model whose vectors carry noise for differential privacy. It loads with `model2vec`:

```python
from model2vec import StaticModel

model = StaticModel.from_pretrained("{name}")
model.encode(["a text"])
```

"""


class ModelRelease(NamedTuple):
    """The static model whose vectors are released."""

    model: StaticModel

    @classmethod
    def of(cls, table: Path, released: Embeddings) -> "ModelRelease":
        """Return the release of the model that a table belongs to.

        Raises:
            InputError: if a row is not released. Each row number is the id of a token, so no row can be left out.
        """
        model = read_model(table)
        if released.words.tolist() != model.row_names:
            raise InputError(
                f"{len(released)} of the {len(model)} rows of {table} would be released, but the rows are the ids of "
                "tokens: choose isolated='nearest' or 'global', leave `words` out, give a sensitivity for words that a "
                "public embedding lacks, or let `out` end in .safetensors to release a plain table"
            )
        return cls(model)

    @property
    def in_clear(self) -> tuple[str, ...]:
        """The parts of the model that are published unchanged."""
        optional_parts = {"mapping of tokens to rows": self.model.mapping, "weights of tokens": self.model.weights}
        return ("tokenizer", "configuration", *(name for name, array in optional_parts.items() if array is not None))

    def write(self, path: Path, released: Embeddings) -> None:
        """Write the table."""
        write_table(path, replace(self.model, vectors=released.vectors))

    def beside(self, certificate: Certificate, name: str) -> dict[str, str]:
        """Return the other files by name, including a model card that contains the certificate."""
        return texts_beside(self.model) | {"README.md": _CARD.format(name=name) + certificate.to_markdown()}
