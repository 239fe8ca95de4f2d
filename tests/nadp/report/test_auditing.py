"""Low-order bits in audited files: a naive release is found in the precision in which its file holds it."""

import gzip
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from nadp import Embeddings, EmbeddingSpace, read_embeddings
from nadp.audit.auditing import Options
from nadp.files import write_embeddings
from nadp.mechanisms import MECHANISMS, claimed
from nadp.release import Limits, release
from nadp.report.auditing import AuditedFile, audit_files

WORDS, CLAIM = 400, claimed("nadp", 2.0, 1e-4)


def write_text(path, words, vectors):
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(words, vectors.tolist(), strict=True)]
    content = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def write_npz(path, words, vectors):
    np.savez(path, words=np.array(words), vectors=vectors)


def write_tensors(path, words, vectors):
    save_file({"vectors": vectors}, path, {"words": "\n".join(words)})


def write_parquet(path, words, vectors):
    pq.write_table(pa.table({"id": words, "vector": list(vectors)}), path)


WRITERS = {
    "a.txt": write_text,
    "a.txt.gz": write_text,
    "a.npz": write_npz,
    "a.safetensors": write_tensors,
    "a.parquet": write_parquet,
}


@pytest.fixture(scope="module")
def original(sample, tmp_path_factory):
    """The original as a text of few digits, as in real files."""
    path = tmp_path_factory.mktemp("original") / "original.txt"
    words = sample.subset(range(WORDS))
    rows = [[float(f"{number:.6g}") for number in row] for row in words.vectors.tolist()]
    write_text(path, words.words.tolist(), np.array(rows))
    return path


@pytest.fixture(scope="module")
def space(original):
    return EmbeddingSpace.build(read_embeddings(original), tau=0.3)


def digits_of(path):
    return np.array([line.split()[1:] for line in path.read_text().splitlines()], dtype=np.float64)


def naive(vectors, space, dtype=np.float64):
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)[:, None].astype(dtype)
    return vectors.astype(dtype) + scale * np.random.default_rng(3).standard_normal(vectors.shape).astype(dtype)


def identified(space, original, released, claim=CLAIM):
    """Whether the check passes, and how many words are identified in the release and in the control."""
    found = audit_files(
        space, AuditedFile("o", original), AuditedFile("r", released), claim=claim, options=Options(draws=0)
    )
    check = next(verdict for verdict in found.verdicts if verdict.name == "low-order bits")
    hits, tested, chance = map(int, re.findall(r"\d+", check.says))
    return check.passed, hits / tested, chance / tested


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("digits", ["of the file", "of float32"])
def test_a_naive_release_in_double_precision_is_found_in_its_file(space, original, tmp_path, name, digits):
    vectors = digits_of(original) if digits == "of the file" else space.vectors
    WRITERS[name](tmp_path / name, space.embeddings.words.tolist(), naive(vectors, space))
    passed, hits, chance = identified(space, original, tmp_path / name)
    assert not passed
    assert hits > 0.5
    assert chance < 0.1


@pytest.mark.parametrize("claim", [CLAIM, None])
def test_it_is_found_with_and_without_a_claim(space, original, tmp_path, claim):
    noisy = naive(digits_of(original), space)
    write_npz(tmp_path / "a.npz", space.embeddings.words.tolist(), noisy)
    assert not identified(space, original, tmp_path / "a.npz", claim)[0]


@pytest.mark.parametrize("name", ["a.txt", "a.npz"])
def test_a_naive_release_in_single_precision_is_still_found(space, original, tmp_path, name):
    noisy = naive(space.vectors, space, np.float32)
    write_embeddings(tmp_path / name, Embeddings(space.embeddings.words, noisy))
    assert not identified(space, original, tmp_path / name)[0]


@pytest.mark.parametrize("decimals", [10, 17])
def test_a_naive_release_in_single_precision_is_found_in_a_text_of_more_digits(space, original, tmp_path, decimals):
    noisy = naive(space.vectors, space, np.float32)
    rows = [[float(f"{number:.{decimals}f}") for number in row] for row in noisy.tolist()]
    write_text(tmp_path / "a.txt", space.embeddings.words.tolist(), np.array(rows))
    assert not identified(space, original, tmp_path / "a.txt")[0]


@pytest.mark.parametrize("name", WRITERS)
def test_a_release_on_a_grid_passes_in_either_precision(space, original, tmp_path, name):
    made = release(space, epsilon=2.0, delta=1e-4, limits=Limits(max_unprotected=1.0)).embeddings
    rounded = made.vectors.astype(np.float64)
    WRITERS[name](tmp_path / name, made.words.tolist(), rounded)
    assert identified(space, original, tmp_path / name)[0]
    WRITERS[name](tmp_path / name, made.words.tolist(), np.round(naive(digits_of(original), space) * 3e6) / 3e6)
    assert identified(space, original, tmp_path / name)[0]


def test_words_without_noise_are_not_counted_in_either_precision(space, original, tmp_path):
    noisy = digits_of(original)
    noisy[0] += np.pi
    write_text(tmp_path / "a.txt", space.embeddings.words.tolist(), noisy)
    assert identified(space, original, tmp_path / "a.txt", None)[1] <= 0.01


@pytest.mark.parametrize("name", ["a.txt", "a.npz", "a.parquet"])
def test_a_release_in_single_precision_is_read_once(space, original, tmp_path, name, monkeypatch):
    """So its figures do not depend on how its digits are read, or on those of the original."""
    made = release(space, epsilon=2.0, delta=1e-4, limits=Limits(max_unprotected=1.0)).embeddings
    write_embeddings(tmp_path / name, made)
    read = []
    monkeypatch.setattr(AuditedFile, "exact", lambda file, words: read.append((file.name, len(words))) or {})
    identified(space, original, tmp_path / name)
    assert read == [("r", 100)]
