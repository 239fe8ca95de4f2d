"""What is fuzzed: each reader of files that people give or get, with a few sound files to start from.

A reader may return, or refuse with InputError (FormatError is one); anything else is a finding.
"""

import bz2
import gzip
import json
import lzma
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nadp import Embeddings, EmbeddingSpace, TextEncoder, read_embeddings
from nadp.attacks.topics import listed_topics
from nadp.audit.certified import read_certificate
from nadp.embeddings import as_words
from nadp.experiment.curves import curves, recipe
from nadp.experiment.facts import graph_facts, space_facts
from nadp.experiment.manifest import EmbeddingFacts, Manifest, read_manifest
from nadp.files import glove, streams
from nadp.files.fasttext import read_ngrams
from nadp.files.writing import write_embeddings
from nadp.groups.partitions import Bounds, Partition
from nadp.groups.prior import Prior
from nadp.groups.saved import load_partition, save_partition
from nadp.release.ledger import Ledger
from nadp.texts.files import Texts, read, split
from nadp.texts.files.publishing import PublishedFolder
from nadp.utility.declaration import Format, Source
from nadp.utility.rows import rows_of_files
from nadp.utility.task_file import read_task
from nadp.vocabulary import WordCounts, read_frequencies
from tasks.sources.benchmarks import catalogue

# Without its compiler, numba computes with the text's own 8 bits, where the compiled code has 64
for _name in ("lines", "numbers"):
    _plain = getattr(glove, _name)
    setattr(glove, _name, lambda text, *others, _plain=_plain: _plain(text.astype(np.int64), *others))

# As Python, the loops take up to 5 seconds for 1 MB of text, and 120 bytes may unpack to the 16 MB that the reader lets
# pass. The rule about bombs therefore applies here from 256 kB on. A bomb that gets past it still ends at a limit of
# the fuzzer. Smaller blocks let small files have several.
streams._FREE, glove.BLOCK = 1 << 18, 1 << 12


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes:
        name: of the file that it is given.
        read: reads it, and checks what it found.
        seeds: writes sound files of the format to a folder.
    """

    name: str
    read: Callable[[Path], object]
    seeds: Callable[[Path], object]


def _embedding(path: Path) -> None:
    found = read_embeddings(path)
    assert np.isfinite(found.vectors).all()
    assert not any(set(word) & set("\t\n\r\0") or not word.strip(" ") for word in found.words.tolist())


def _texts(path: Path) -> None:
    texts = Texts(path)
    found = split(texts, 2)
    assert sum(len(list(read(texts, shard))) for shard in found.shards) == found.texts


def _record(path: Path) -> None:
    publication = PublishedFolder(path.parent / "out")
    publication.record.mkdir(exist_ok=True)
    (publication.record / "plan.json").write_bytes(path.read_bytes())
    publication.begin({"texts": "ab", "length": None})


def _table() -> Embeddings:
    return Embeddings(["the", "new york", "naïve", "東京"], [[0.5, -1, 2e-3], [1, 0, 3], [1e-7, 2, -4], [7, 8, 9]])


def _written(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        embeddings = _table()
        if name.endswith((".vec", ".bin")):
            embeddings = Embeddings([word.replace(" ", "_") for word in embeddings.words.tolist()], embeddings.vectors)
        write_embeddings(folder / name, embeddings)

    return write


def _fasttext(folder: Path) -> None:
    parameters = struct.pack("<2i12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 2, 2, 3, 2, 3, 100, 1e-4)
    words = (
        struct.pack("<3i2q", 2, 2, 0, 9, -1) + b"the\0" + struct.pack("<qb", 5, 0) + b"of\0" + struct.pack("<qb", 4, 0)
    )
    (folder / "a").write_bytes(
        parameters + words + struct.pack("<?2q", False, 5, 2) + np.arange(10, dtype="<f4").tobytes()
    )


def _text_tables(folder: Path) -> None:
    _written("a.txt")(folder)
    _written("b.vec")(folder)
    (folder / "c").write_bytes(b"\xef\xbb\xbf2 2\nthe\t0.5 1e-3\r\nnew york\t-7 12345678901234567890\n\n")
    (folder / "d").write_bytes(b"the 1 2\n  3 4\ncaf\xc3 5 6\nthe 7 8\n")


def _compressed(folder: Path) -> None:
    _written("a.txt")(folder)
    content = (folder / "a.txt").read_bytes()
    for name, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        (folder / name).write_bytes(pack(content))
    (folder / "a.txt").unlink()


def _archives(folder: Path) -> None:
    _written("a.txt.zip")(folder)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(folder / f"{method}", "w", method) as archive:
            archive.writestr("README", "hello")
            archive.writestr("t.txt", "the 1 2\nof 3 4\n")


def _npz(folder: Path) -> None:
    _written("a.npz")(folder)
    found = _table()
    words = np.frombuffer("\n".join(found.words.tolist()).encode(), dtype=np.uint8)
    np.savez_compressed(folder / "b.npz", words=words, vectors=found.vectors.astype(np.float16))


def _of(*contents: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for number, content in enumerate(contents):
            (folder / f"{number}").write_bytes(content)

    return write


def _parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": ["one", "zwei", "", "naïve"], "id": [1, 2, 3, 4]})
    for number, options in enumerate([{}, {"row_group_size": 1}, {"compression": "zstd"}, {"use_dictionary": False}]):
        pq.write_table(table, folder / f"{number}", **options)


def _space() -> EmbeddingSpace:
    words = [f"w{i}" for i in range(12)]
    return EmbeddingSpace.build(Embeddings(words, np.eye(12)[:, :3] + np.arange(12)[:, None]))


def _encoder(folder: Path) -> None:
    for mechanism, delta in (("gaussian", 1e-6), ("laplacian", None)):
        TextEncoder.build(_space(), epsilon=2, delta=delta, mechanism=mechanism).save(folder / mechanism)


def _ledger(folder: Path) -> None:
    Ledger(folder / "empty")


def _partition(folder: Path) -> None:
    words, prior = as_words(["a", "b", "c", "d"]), Prior("counts", np.array([4.0, 3, 2, 1]))
    labels, centroids = np.array([0, 0, 1, 1], dtype=np.int32), np.eye(2, dtype=np.float32)
    save_partition(folder / "a.npz", Partition(words, labels, centroids, prior, Bounds(2, 0.8)))


def _manifest(folder: Path) -> None:
    space, curve = _space(), curves(["nadp"], [0.5], ["exact"])
    embedding = EmbeddingFacts("small.txt", "0" * 64, 1, None, WordCounts(12, 2, 1, 0, {"pairs": 2}, {}))
    recipes = tuple(recipe(space, one, 2.0 if one.noisy else None, 1e-4) for one in curve)
    facts = (embedding, space_facts(space), (graph_facts(space),), tuple(curve), recipes)
    made = Manifest("paper", 1e-4, 2, {"preset": "paper"}, *facts, (), (), (), (), (), {"nadp": "1"})
    (folder / "a").write_text(made.to_json())


def _declarations(folder: Path) -> None:
    for file in Path(catalogue.__file__).parent.glob("*.toml"):
        (folder / file.name).write_bytes(file.read_bytes())


def _rows(format_: Format, *, quotes: bool = True) -> Callable[[Path], object]:
    source = Source("file", "t", ("text", "label"), format=format_, quotes=quotes, where=(("language", "en"),))
    return lambda path: rows_of_files("labelled-texts", source, [path])


_CERTIFICATE = {
    "mechanism": "nadp",
    "epsilon": 2.0,
    "delta": 1e-6,
    "neighbouring": {"tau": 0.1, "words": 100},
    "hashes": {"released_sha256": "ab"},
}
_ROWS = b'text\tlabel\tlanguage\na\t0\ten\n"b\t\n"\t1\ten\n\nc\t1\tde\n'
_OBJECT = b'{"text": "a", "label": 0, "language": "en"}\n\n'

TARGETS: dict[str, Target] = {
    "text": Target("t.txt", _embedding, _text_tables),
    "word2vec-binary": Target("t.bin", _embedding, _written("a.bin")),
    "fasttext": Target("t.bin", read_ngrams, _fasttext),
    "npz": Target("t.npz", _embedding, _npz),
    "safetensors": Target("t.safetensors", _embedding, _written("a.safetensors")),
    "parquet": Target("t.parquet", _embedding, _written("a.parquet")),
    "arrow": Target("t.arrow", _embedding, _written("a.arrow")),
    "compressed": Target("t.txt", _embedding, _compressed),
    "zip": Target("t.zip", _embedding, _archives),
    "frequencies": Target("f.txt", read_frequencies, _of(b"the 12\nof 3\n", b"the\nof\n", b"the\t1e3\r\n")),
    "texts-txt": Target("t.txt", _texts, _of(b"one\ntwo\r\n\n", "naïve".encode())),
    "texts-csv": Target("t.csv", _texts, _of(b'id,text\n1,"a ""b"" c"\n2,"d\ne"\n\n', b"text\na\n")),
    "texts-tsv": Target("t.tsv", _texts, _of(b'id\ttext\n1\t"a\n2\tb"\n', b"text\r\na\r\n")),
    "texts-jsonl": Target("t.jsonl", _texts, _of(b'{"text": "a", "n": [1, {"b": null}]}\n\n{"text": "\\u00e9"}\n')),
    "texts-parquet": Target("t.parquet", _texts, _parquet),
    "certificate": Target("c.json", read_certificate, _of(json.dumps(_CERTIFICATE).encode())),
    "encoder": Target("e.safetensors", TextEncoder.load, _encoder),
    "ledger": Target("ledger.sqlite", lambda path: Ledger(path).entries(), _ledger),
    "manifest": Target("manifest.json", read_manifest, _manifest),
    "task": Target("task.toml", read_task, _declarations),
    "rows-csv": Target("t.csv", _rows("csv"), _of(_ROWS.replace(b"\t", b","), b"\xef\xbb\xbftext,label,language\r\n")),
    "rows-tsv": Target("t.tsv", _rows("tsv", quotes=False), _of(_ROWS)),
    "rows-jsonl": Target("t.jsonl", _rows("jsonl"), _of(_OBJECT)),
    "topics": Target("t.tsv", lambda path: listed_topics(path, _table().words), _of(b"the\tgrammar\n\n")),
    "partition": Target("p.npz", load_partition, _partition),
    "record": Target("plan.json", _record, _of(b'{"texts": "ab", "length": null}')),
}
