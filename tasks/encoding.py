"""Texts through an encoder: prepared once, without noise; then a shard at a time, each drawn once and never again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE

from nadp.texts import Decoder, Subwords, TextEncoder
from nadp.texts.files import Shard, read
from nadp.texts.files.certificate import certificate_of
from nadp.texts.files.encoding import Terms, check, column
from nadp.texts.files.publishing import Publication
from nadp.texts.files.sharding import IdKind
from nadp.texts.files.tables import schema, write_part
from nadp.texts.words import Unknown
from nadp.vocabulary import frequencies_of
from tasks.space import Space, space_of
from tasks.store.artefacts import Artefact, loaded, stored
from tasks.store.caching import CACHED
from tasks.texts import FoundTexts, TextSource

ONCE: dict[str, Any] = {"cache_policy": NO_CACHE, "retries": 0, "persist_result": False}
"""For what draws or publishes noise."""


@dataclass(frozen=True)
class Encoder:
    """An encoder that is stored.

    Attributes:
        file: where it is.
        fingerprint: of its content.
        dimension: of its vectors.
        words: how many it knows.
    """

    file: Artefact
    fingerprint: str
    dimension: int
    words: int


@dataclass(frozen=True)
class Order:
    """What is asked of a run.

    Attributes:
        found: the texts.
        ids: what their ids are.
        encoder: with what they are encoded.
        terms: what becomes of them.
        frequencies: of the words, for the decoder; None for all alike.
        out: the folder.
    """

    found: FoundTexts
    ids: IdKind
    encoder: Encoder
    terms: Terms
    frequencies: Artefact | None
    out: str


@dataclass(frozen=True)
class Part:
    """A shard that is done.

    Attributes:
        counts: texts, tokens, unknown tokens, tokens cut off, texts with more noise to keep their budget.
        new: whether it was drawn by this run.
    """

    counts: dict[str, int]
    new: bool


@task(name="prepare-encoder", task_run_name="prepare-encoder {mechanism} eps={epsilon}", **CACHED)
def prepare_encoder(
    space: Space,
    epsilon: float,
    delta: float | None,
    mechanism: str,
    unknown: Unknown,
    subwords: Artefact | None,
    accept_weak_privacy: bool,
) -> Encoder:
    """Return an encoder: vectors, noise scales and terms; no noise, so that it can be kept.

    Raises:
        RefusedError: if a word would get no noise, or epsilon is too large.
        InputError: if a parameter is out of range.
    """
    encoder = TextEncoder.build(
        space_of(space),
        epsilon=epsilon,
        delta=delta,
        mechanism=mechanism,
        unknown=unknown,
        subwords=Subwords.read(subwords.path) if subwords else None,
        accept_weak_privacy=accept_weak_privacy,
    )
    return Encoder(stored(encoder.save, ".safetensors"), encoder.fingerprint, encoder.dimension, len(encoder))


@task(name="check-texts", **CACHED)
def check_texts(source: TextSource, every: Shard, encoder: Encoder, terms: Terms) -> int:
    """Return how many texts there are, none of which will be refused while it is encoded; no noise is drawn.

    Raises:
        InputError: if one would be.
    """
    check(_encoder(encoder.file), terms, read(source.texts, every))
    return every.texts


@task(name="begin-output", **ONCE)
def begin_output(order: Order, shard_texts: int) -> None:
    """Begin an output folder with its certificate, or see that it is to go on as it was begun.

    Raises:
        InputError: if it was begun with other terms; the message tells which.
    """
    source = order.found.source
    publication = Publication(Path(order.out))
    publication.begin(
        {
            "texts": source.file.sha256,
            "format": source.format,
            "text_column": source.text_column,
            "id_column": source.id_column,
            "shard_texts": shard_texts,
            "encoder": order.encoder.fingerprint,
            "frequencies": order.frequencies.sha256 if order.frequencies else None,
            **asdict(order.terms),
        }
    )
    certificate = certificate_of(_encoder(order.encoder.file), order.terms)
    publication.put("certificate.json", certificate.to_json())
    publication.put("certificate.md", certificate.to_markdown())
    create_markdown_artifact(key="certificate", markdown=certificate.to_markdown(), description=order.out)


@task(name="encode-shard", task_run_name="encode-shard {shard.number}", **ONCE)
def encode_shard(order: Order, shard: Shard) -> Part:
    """Publish what becomes of the texts of a shard, with fresh noise, unless it was published before.

    Raises:
        InputError: if what was published before is gone or changed, or a text is refused.
    """

    def write(path: Path) -> Counter[str]:
        encoder = _encoder(order.encoder.file)
        rows = schema(order.ids, order.terms.output, order.encoder.dimension)
        encode = partial(column, encoder, _decoder(order), order.terms)
        order.found.check()
        counts = write_part(path, read(order.found.source.texts, shard), rows, encode)
        order.found.check()
        return counts

    sealed, new = Publication(Path(order.out)).publish(f"part-{shard.number:05d}.parquet", write)
    return Part(sealed.counts, new)


@lru_cache(maxsize=2)
def _decoder(order: Order) -> Decoder | None:
    if order.terms.output != "words":
        return None
    encoder = _encoder(order.encoder.file)
    prior = frequencies_of(order.frequencies.path, encoder.words) if order.frequencies else None
    return Decoder(encoder, order.terms.decode, prior)


def _encoder(file: Artefact) -> TextEncoder:
    encoder: TextEncoder = loaded(file, TextEncoder.load)
    return encoder


def counted(parts: Sequence[Part]) -> Counter[str]:
    """Return the counts of some parts together."""
    return sum((Counter(part.counts) for part in parts), Counter[str]())
