"""Encoding texts: the encoder is prepared once, without noise; then each shard gets its noise exactly once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from prefect import task
from prefect.artifacts import create_markdown_artifact

from nadp.choices import Unknown
from nadp.texts import Subwords, TextEncoder
from nadp.texts.files import Shard, Split
from nadp.texts.files.encoding import EncodingTerms
from nadp.texts.files.output import Part, TextFile, TextOutput
from nadp.texts.files.sharding import IdKind
from nadp.tokens import TREEBANK, Tokenizer
from tasks.space import Space, space_of
from tasks.store.artefacts import Artefact, loaded, stored
from tasks.store.caching import CACHED
from tasks.store.private import UNKEPT


@dataclass(frozen=True)
class Encoding:
    """The request of a run, with the encoder in a file; see nadp.texts.files.output.TextOutput."""

    file: TextFile
    ids: IdKind
    encoder: Artefact
    terms: EncodingTerms
    out: Path
    frequencies: Path | None


@task(name="prepare-encoder", task_run_name="prepare-encoder {mechanism} eps={epsilon}", **CACHED)
def prepare_encoder(
    space: Space,
    epsilon: float,
    delta: float | None,
    mechanism: str,
    unknown: Unknown,
    subwords: Artefact | None,
    accept_weak_privacy: bool,
    tokenizer: Tokenizer = TREEBANK,
) -> Artefact:
    """Return an encoder: vectors, noise scales and terms. It holds no noise, so it can be cached.

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
        tokenizer=tokenizer,
    )
    return stored(encoder.save, ".safetensors")


@task(name="begin-output", retries=0, **UNKEPT)
def begin_output(encoding: Encoding, shards: Split, max_unknown: float | None = None) -> None:
    """Create an output folder with its certificate, or check that it was created with the same terms.

    Raises:
        InputError: if a text would be refused, too many tokens are unknown, or the folder was created with other terms;
            the message names the terms.
    """
    certificate = _output(encoding).begin(shards, max_unknown)
    create_markdown_artifact(key="certificate", markdown=certificate.to_markdown(), description=str(encoding.out))


@task(name="encode-shard", task_run_name="encode-shard {shard.number}", retries=0, **UNKEPT)
def encode_shard(encoding: Encoding, shard: Shard) -> Part:
    """Publish the encoded texts of a shard, with fresh noise, unless it was published before.

    Raises:
        InputError: if the published part is missing or changed, or a text is refused.
    """
    return _output(encoding).encode(shard)


def end_output(encoding: Encoding, parts: Sequence[Part]) -> Path:
    """Write the counts to a file that only the owner of the texts can read; return its path."""
    return _output(encoding).end(parts)


@lru_cache(maxsize=2)
def _output(encoding: Encoding) -> TextOutput:
    encoder: TextEncoder = loaded(encoding.encoder, TextEncoder.load)
    return TextOutput(encoding.file, encoding.ids, encoder, encoding.terms, encoding.out, encoding.frequencies)
