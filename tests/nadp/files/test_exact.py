"""Some words of a file with all digits."""

import gzip
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from nadp import Embeddings, FormatError, InputError, read_embeddings
from nadp.files import write_embeddings
from nadp.files.reading import read_exact

WORDS = ["a", "new york", "b", "c"]
VECTORS = np.random.default_rng(0).normal(size=(4, 3))
TEXT = "".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in zip(WORDS, VECTORS.tolist(), strict=True))


def write_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.txt", TEXT)
        archive.writestr("other.txt", "x 1 2 3\n")


def table():
    return pa.table({"id": WORDS, "vector": list(VECTORS)})


WRITERS = {
    "a.txt": lambda path: path.write_text(TEXT),
    "a.vec": lambda path: path.write_text(f"4 3\n{TEXT}"),
    "a.txt.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "a.zip": write_zip,
    "a.npz": lambda path: np.savez(path, words=np.array(WORDS), vectors=VECTORS),
    "a.safetensors": lambda path: save_file({"vectors": VECTORS}, path, {"words": "\n".join(WORDS)}),
    "a.parquet": lambda path: pq.write_table(table(), path),
    "a.feather": lambda path: pa.feather.write_feather(table(), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_numbers_of_some_words_are_read_as_they_are_written(tmp_path, name):
    WRITERS[name](tmp_path / name)
    found = read_exact(tmp_path / name, ["c", "new york", "not there"], member="one.txt" if name == "a.zip" else None)
    assert {word: row.tolist() for word, row in found.items()} == {
        "new york": VECTORS[1].tolist(),
        "c": VECTORS[3].tolist(),
    }
    assert all(row.dtype == np.float64 for row in found.values())


@pytest.mark.parametrize("name", ["a.bin", "a.npz", "a.safetensors", "a.parquet", "a.arrow"])
def test_nothing_is_read_of_files_whose_numbers_are_float32(tmp_path, name):
    write_embeddings(tmp_path / name, Embeddings(["a", "b"], VECTORS[:2]))
    assert read_exact(tmp_path / name, ["a"]) == {}


def test_a_repeated_word_keeps_its_first_numbers(tmp_path):
    (tmp_path / "a.txt").write_text("a 0.1 0.2\nb 0.3 0.4\na 0.5 0.6\n")
    assert read_exact(tmp_path / "a.txt", ["a", "b"])["a"].tolist() == [0.1, 0.2]


def test_they_round_to_the_numbers_that_are_read_otherwise(tmp_path):
    text = "a 1e-300 +.5 -1.5E3\nb 0.1000000000000000055511151231257827 123456789012345678901 -0\n"
    (tmp_path / "a.txt").write_text(text)
    exact, read = read_exact(tmp_path / "a.txt", ["a", "b"]), read_embeddings(tmp_path / "a.txt")
    assert np.float32([exact["a"], exact["b"]]).tobytes() == read.vectors.tobytes()


def test_files_are_refused_as_they_are_otherwise(tmp_path):
    (tmp_path / "a.txt").write_text("a 1 2\nb 1 x\n")
    with pytest.raises(FormatError, match="line 2"):
        read_exact(tmp_path / "a.txt", ["b"])
    with pytest.raises(InputError, match="none of the requested words"):
        read_exact(tmp_path / "a.txt", ["z"])
    with pytest.raises(InputError, match="no such file"):
        read_exact(tmp_path / "b.txt", ["a"])
