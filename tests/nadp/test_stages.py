"""What takes long says how far it is: from nothing to all of it, in steps, under a name of its own."""

import gzip
import math
import zipfile

import numpy as np
import pytest

from nadp import Embeddings, read_embeddings
from nadp.attacks.likelihood import most_likely
from nadp.experiment.curves import Curve, recipe
from nadp.experiment.evaluation import utility_scores
from nadp.files import write_embeddings
from nadp.known_words import KnownWords
from nadp.noise.grid import noisy_table
from nadp.runtime.progress import reporting
from nadp.search import nearest_neighbours
from nadp.search.decoding import nearest_points, nearest_to_noisy, true_ranks
from nadp.utility.word_similarity import WordPairs, WordSimilarity


def stages(work):
    """What is reported of each stage of some work: its name with all that was done of how much, as it went on."""
    told = {}

    def listener(stage):
        if not stage.ended:
            told.setdefault(stage.name, []).append((stage.done, stage.total))

    with reporting(listener):
        work()
    return told


def assert_steps(told, name, total):
    done = [step for step, of in told[name] if of == total]
    assert done[0] == 0
    assert done[-1] == total
    assert done == sorted(done)
    assert len(done) >= 4


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(1100, 6)).astype(np.float32)


WORK = {
    "exact neighbours": nearest_neighbours,
    "distances": lambda x: nearest_neighbours(np.vstack([x, 1.1 * x]), search="annoy", recall=0.5),
    "decoding": lambda x: nearest_points(x, x),
    "decoding all noise scales": lambda x: nearest_to_noisy(x, x, x[::-1], np.ones((2, len(x)))),
    "likelihood": lambda x: most_likely(x, np.ones(len(x)), x),
    "ranks": lambda x: true_ranks(np.tile(x, (12, 1)), np.tile(x, (12, 1)), np.arange(12 * len(x))),
    "noise": lambda x: noisy_table(np.tile(x, (12, 1)), np.ones(12 * len(x)), 0.25),
}
ROWS = {"distances": 2200, "ranks": 13_200, "noise": 13_200}


@pytest.mark.parametrize("name", WORK)
def test_work_on_many_rows_is_reported_row_by_row(points, name):
    assert_steps(stages(lambda: WORK[name](points)), name, ROWS.get(name, len(points)))


def test_benchmarks_are_reported_by_amounts_of_noise(sample_space):
    words = sample_space.embeddings.words[:40].tolist()
    pairs = WordPairs("pairs", words[::2], words[1::2], np.arange(20.0))
    evaluation = WordSimilarity([pairs], KnownWords.of(sample_space))
    curve = Curve("gaussian", 0.3, "exact")
    recipes = [recipe(sample_space, curve, epsilon, 1e-5) for epsilon in (1.0, 2.0, 3.0)]
    noise = np.ones_like(sample_space.vectors)
    told = stages(lambda: utility_scores(evaluation, sample_space, noise, recipes))
    assert_steps(told, f"benchmarks under {curve.label}", 3)


@pytest.fixture(scope="module")
def table():
    """An embedding whose text has some 8 MB: several blocks of reading."""
    values = np.random.default_rng(1).normal(size=(8000, 100)).astype(np.float32)
    return Embeddings([f"w{i}" for i in range(len(values))], values)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    write_embeddings(folder / "plain.txt", table)
    text = (folder / "plain.txt").read_bytes()
    (folder / "zipped.gz").write_bytes(gzip.compress(text, 1))
    with zipfile.ZipFile(folder / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("plain.txt", text)
    write_embeddings(folder / "binary.bin", table)
    return folder


@pytest.mark.parametrize(
    ("name", "size_of"), [("plain.txt", "plain.txt"), ("zipped.gz", "zipped.gz"), ("archive.zip", "plain.txt")]
)
def test_reading_is_reported_by_megabytes_of_what_is_read(folder, name, size_of):
    told = stages(lambda: read_embeddings(folder / name))
    ((stage, steps),) = told.items()
    assert stage.startswith(f"reading {folder / name}")
    assert_steps(told, stage, math.ceil((folder / size_of).stat().st_size / 1e6))
    assert len({done for done, _ in steps}) >= 4


def test_reading_a_binary_file_is_reported_too(folder):
    told = stages(lambda: read_embeddings(folder / "binary.bin"))
    ((_, steps),) = told.items()
    assert steps[0] == (0, 4)
    assert steps[-1] == (4, 4)


@pytest.mark.parametrize("name", ["t.txt", "t.vec", "t.txt.gz"])
def test_writing_is_reported_by_words(table, tmp_path, name):
    assert_steps(stages(lambda: write_embeddings(tmp_path / name, table)), "writing", len(table))
