"""Encoding a file of texts into a folder of parts. The noise of each part is drawn only once."""

import json
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from nadp.errors import FormatError
from nadp.files.durable import put, sha256_of
from nadp.runtime.parallel import cores
from nadp.runtime.progress import Stage
from nadp.texts import Decoder, TextEncoder
from nadp.texts.files.certificate import EncodingCertificate, certificate_of
from nadp.texts.files.encoding import EncodingTerms, check, column, count_unknown
from nadp.texts.files.formats import format_of
from nadp.texts.files.publishing import PublishedFolder
from nadp.texts.files.records import Texts
from nadp.texts.files.sharding import IdKind, Shard, Split, read, split
from nadp.texts.files.tables import schema, write_part
from nadp.vocabulary import frequencies_of


@dataclass(frozen=True)
class TextFile:
    """A file of texts, with its state at the start of a run.

    Attributes:
        texts: the file.
        sha256: SHA-256 of its content.
        size: size in bytes.
        modified: time of the last change, in nanoseconds.
    """

    texts: Texts
    sha256: str
    size: int
    modified: int

    @classmethod
    def found(cls, texts: Texts) -> Self:
        """Return a file with its current state."""
        state = texts.path.stat()  # before hashing, so that later changes are detected
        return cls(texts, sha256_of(texts.path), state.st_size, state.st_mtime_ns)

    def check(self) -> None:
        """Refuse a file that has changed since then.

        Raises:
            FormatError: if it has changed.
        """
        path = self.texts.path
        state = (path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else None
        if state != (self.size, self.modified):
            raise FormatError(f"{path} was changed while its texts were encoded: restore it and run again")


@dataclass(frozen=True)
class Part:
    """A finished part of an output.

    Attributes:
        counts: numbers of texts, tokens, unknown tokens, tokens cut off, and texts with more noise to keep a budget.
        new: whether this run drew it.
    """

    counts: dict[str, int]
    new: bool


@dataclass(frozen=True, eq=False)
class TextOutput:
    """A request to encode the texts of a file.

    Attributes:
        file: the texts.
        ids: type of their ids.
        encoder: source of the noise.
        terms: treatment of each text.
        out: the folder.
        frequencies: file of word frequencies for the decoder, see nadp.vocabulary.frequencies_of; None for uniform.
    """

    file: TextFile
    ids: IdKind
    encoder: TextEncoder
    terms: EncodingTerms
    out: Path
    frequencies: Path | None = None

    def begin(self, shards: Split, max_unknown: float | None = None) -> EncodingCertificate:
        """Create the folder with its certificate, or check that it was created with the same terms.

        Args:
            shards: the shards of the file.
            max_unknown: see encode_file.

        Raises:
            InputError: if a text would be refused during encoding, too many tokens are unknown, or the folder was
                begun with other terms.
        """
        if not self._folder.is_begun():
            check(self.encoder, self.terms, read(self.file.texts, shards.whole))
            count_unknown(self.encoder, read(self.file.texts, shards.whole), max_unknown)
        self._folder.begin(
            {
                "texts": self.file.sha256,
                "format": format_of(self.file.texts.path),
                "text_column": self.file.texts.text_column,
                "id_column": self.file.texts.id_column,
                "shard_texts": shards.shards[0].texts,
                "encoder": self.encoder.fingerprint,
                "frequencies": sha256_of(self.frequencies) if self.frequencies else None,
                **asdict(self.terms),
            }
        )
        certificate = certificate_of(self.encoder, self.terms)
        self._folder.put("certificate.json", certificate.to_json())
        self._folder.put("certificate.md", certificate.to_markdown())
        return certificate

    def encode(self, shard: Shard) -> Part:
        """Publish one part with fresh noise, unless it is already published.

        Raises:
            InputError: if the published part is missing or changed, or a text is refused.
        """
        sealed, new = self._folder.publish(f"part-{shard.number:05d}.parquet", partial(self._write, shard))
        return Part(sealed.counts, new)

    def end(self, parts: Iterable[Part]) -> Path:
        """Write the counts to a file that only the owner of the texts can read, and return its path."""
        counts = Counter[str]()
        for part in parts:
            counts.update(part.counts)
        file = self._folder.record / "counts.json"
        put(file, json.dumps(counts, indent=2) + "\n", private=True)
        return file

    @cached_property
    def _folder(self) -> PublishedFolder:
        return PublishedFolder(self.out)

    @cached_property
    def _decoder(self) -> Decoder | None:
        if self.terms.output != "words":
            return None
        prior = frequencies_of(self.frequencies, self.encoder.words) if self.frequencies else None
        return Decoder(self.encoder, self.terms.decode, prior)

    def _write(self, shard: Shard, path: Path) -> Counter[str]:
        rows = schema(self.ids, self.terms.output, self.encoder.dimension)
        encode = partial(column, self.encoder, self._decoder, self.terms)
        self.file.check()
        counts = write_part(path, read(self.file.texts, shard), rows, encode)
        self.file.check()
        return counts


def encode_file(  # noqa: PLR0913 - the options of an encoding
    texts: Texts,
    encoder: TextEncoder,
    out: str | Path,
    *,
    terms: EncodingTerms | None = None,
    frequencies: Path | None = None,
    shard_texts: int = 1000,
    max_unknown: float | None = None,
) -> Path:
    """Encode every text of a file with fresh noise, and write the output with a certificate.

    Repeat an interrupted call to continue it. Noise for a text is never drawn twice for the same output.

    Args:
        texts: the file; see nadp.texts.files.FORMATS.
        encoder: source of the noise.
        out: the folder of the output: part-00000.parquet, ..., certificate.json and .md.
        terms: treatment of each text; by default all its vectors are published.
        frequencies: file of word frequencies for the decoder (nadp.vocabulary.frequencies_of); uniform by default.
        shard_texts: texts per part; doubled until there are at most 400 parts.
        max_unknown: refuse the texts, before anything is published, if more than this share of all tokens is unknown.
            By default, a share above one half causes a warning.

    Returns:
        The file of counts, which is not for publication.

    Raises:
        InputError: if a text is refused, or the folder was created with other terms.
        FormatError: if a text cannot be read; the message names the place, never the text.
    """
    file, shards = TextFile.found(texts), split(texts, shard_texts)
    output = TextOutput(file, shards.ids, encoder, terms or EncodingTerms(), Path(out), frequencies)
    output.begin(shards, max_unknown)
    parts = []
    with Stage("encoding", shards.texts, "texts") as stage, ThreadPoolExecutor(cores()) as pool:
        for part, shard in zip(pool.map(output.encode, shards.shards), shards.shards, strict=True):
            parts.append(part)
            stage.advance(shard.texts, given=not part.new)
    return output.end(parts)
