"""An encoder that gives each token the centroid of its word's group: see docs/groups.md."""

from dataclasses import asdict

import numpy as np

from nadp.choices import Unknown
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.groups import Partition, Sensitive
from nadp.groups.sensitive import revealed_of
from nadp.runtime.versions import versions
from nadp.texts.channels import GroupMechanism
from nadp.texts.encoder import TextEncoder, check_unknown
from nadp.texts.group_code import GroupCode, guarantee_of_code
from nadp.texts.subwords import Subwords
from nadp.tokens import TREEBANK, Tokenizer


def group_encoder(  # noqa: PLR0913 - the terms of an encoder
    embeddings: Embeddings,
    partition: Partition,
    *,
    between: GroupMechanism | None = None,
    sensitive: Sensitive | None = None,
    unknown: Unknown = "drop",
    subwords: Subwords | None = None,
    tokenizer: Tokenizer = TREEBANK,
) -> TextEncoder:
    """Return an encoder for the words of a partition.

    Args:
        embeddings: public vectors of at least all words of the partition.
        partition: the partition of the series that the texts belong to.
        between: the mechanism between groups; default none.
        sensitive: words whose topics' exposure is put on record; rows of the partition.
        unknown: treatment of tokens that are not in the partition; see TextEncoder.build.
        subwords: n-grams for unknown="subword".
        tokenizer: how texts are split; default the English tokenizer.

    Raises:
        InputError: if a parameter is out of range, or the embedding lacks a word or all vectors of a group.
    """
    check_unknown(unknown, subwords, embeddings.dimension)
    rows = embeddings.rows(partition.words.tolist())
    if (rows < 0).any():
        raise InputError(f"the embedding lacks {str(partition.words[int(rows.argmin())])!r}, which has a group")
    known = embeddings.subset(rows)
    if len(np.unique(partition.labels[known.points.first_word])) < len(partition):
        raise InputError(
            "in this embedding, all words of a group share their vectors with other groups: give the embedding "
            "that the partition was built from"
        )
    code = GroupCode.of(partition, between and between.settled(len(partition.words)))
    record = {
        "mechanism": "groups",
        "partition": partition.fingerprint,
        **asdict(partition.bounds),
        "groups": len(partition),
        "largest_group": int(partition.sizes.max()),
        "prior_of_the_largest_group": float(partition.mass.max()),
        "prior_of_own_texts": partition.prior.own_texts,
        "versions": versions("nadp", "numpy", "scipy", "nltk"),
    }
    if sensitive is not None:
        record["topic_revealed"] = revealed_of(partition, sensitive)
    guarantee = guarantee_of_code(partition, code)
    return TextEncoder(known, code, guarantee, unknown, subwords, record, tokenizer)
