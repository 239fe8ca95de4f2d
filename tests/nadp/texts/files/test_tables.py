"""Parts as other programs read them: every number as it was, every id, in order."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import Embeddings, EmbeddingSpace, InputError
from nadp.texts import Decoder, TextEncoder
from nadp.texts.files.encoding import EncodingTerms, check, column
from nadp.texts.files.tables import Column, centroid_rows, schema, vector_lists, word_lists, write_part

numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
TEXTS = [(f"id {i}", "w1 w2 w3"[: 3 * (i % 4)]) for i in range(3000)]  # of 0 to 3 tokens


def three_numbers(texts):
    """Make a vector for each token out of the text, so that it can be told what must be there."""
    lengths = [len(text.split()) for text in texts]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = [[len(text), k, 1 / 3] for text in texts for k, _ in enumerate(text.split())]
    counts = Counter(tokens=sum(lengths), unknown=0)
    return Column(vector_lists(np.array(rows, dtype=np.float32).reshape(-1, 3), starts), counts)


@pytest.fixture
def part(tmp_path):
    path = tmp_path / "part-00000.parquet"
    counts = write_part(path, TEXTS, schema("string", "vectors", 3), three_numbers)
    assert counts == {"texts": 3000, "tokens": sum(len(text.split()) for _, text in TEXTS), "unknown": 0}
    return path


def expected():
    return [
        (key, [[float(len(text)), float(k), float(np.float32(1 / 3))] for k, _ in enumerate(text.split())])
        for key, text in TEXTS
    ]


def test_pandas_reads_a_part(part):
    found = pd.read_parquet(part)
    assert [
        (key, [list(map(float, v)) for v in value]) for key, value in zip(found["id"], found["vectors"], strict=True)
    ] == expected()


def test_the_library_datasets_reads_a_part(part, tmp_path):
    import datasets

    found = datasets.load_dataset(
        "parquet", data_files=str(part), split="train", cache_dir=str(tmp_path / "cache"), keep_in_memory=True
    )
    assert list(zip(found["id"], found["vectors"], strict=True)) == expected()
    inner = getattr(found.features["vectors"], "feature", None)
    assert getattr(inner, "length", None) == 3


def test_texts_are_encoded_some_at_a_time_and_long_ones_fewer(tmp_path):
    sizes = []

    def counting(texts):
        sizes.append(len(texts))
        return Column(word_lists([[] for _ in texts]), Counter())

    write_part(tmp_path / "p", [(i, "a") for i in range(2500)], schema("integer", "words", 3), counting)
    assert sizes == [1024, 1024, 452]
    sizes.clear()
    write_part(tmp_path / "p", [(i, "a" * 50_000) for i in range(7)], schema("integer", "words", 3), counting)
    assert sizes == [3, 3, 1]
    assert pq.read_table(tmp_path / "p")["id"].to_pylist() == list(range(7))


@given(st.lists(st.lists(st.tuples(numbers, numbers), max_size=3), min_size=1, max_size=5))
def test_vectors_and_centroids_come_out_bit_by_bit(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("part") / "p.parquet"
    flat = np.array([v for text in texts for v in text], dtype=np.float32).reshape(-1, 2)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    ids = list(enumerate(texts))
    write_part(
        path,
        [(i, "") for i, _ in ids],
        schema("integer", "vectors", 2),
        lambda _: Column(vector_lists(flat, starts), Counter()),
    )
    found = pq.read_table(path)["vectors"].combine_chunks()
    assert found.flatten().flatten().to_numpy().tobytes() == flat.tobytes()
    assert [len(text) for text in found.to_pylist()] == [len(text) for text in texts]
    means = np.array([[len(text), i] for i, text in ids], dtype=np.float32)
    write_part(
        path,
        [(i, "") for i, _ in ids],
        schema("integer", "centroids", 2),
        lambda _: Column(centroid_rows(means), Counter()),
    )
    assert np.array(pq.read_table(path)["centroid"].to_pylist(), dtype=np.float32).tobytes() == means.tobytes()


def test_a_refusal_tells_near_which_text_it_was(tmp_path):
    def refusing(texts):
        raise InputError(f"text {len(texts) - 1} is refused")

    with pytest.raises(InputError, match="counted from 0 at the text with id 7, text 1 is refused"):
        write_part(tmp_path / "p", [(7, "a"), (8, "b")], schema("integer", "words", 3), refusing)


@pytest.fixture(scope="module")
def encoder():
    rng = np.random.default_rng(0)
    space = EmbeddingSpace.build(Embeddings([f"w{i}" for i in range(60)], 30 * rng.normal(size=(60, 5))))
    return TextEncoder.build(space, epsilon=5.0, unknown="drop")


LINES = ["w1 w2 w3", "", "w4 nobody w5 knows", "w6"]


def test_what_goes_through_an_encoder_is_counted_and_has_its_shape(encoder):
    found = column(encoder, None, EncodingTerms(), LINES)
    assert [len(text) for text in found.array.to_pylist()] == [3, 0, 2, 1]
    assert found.counts == {"tokens": 6, "unknown": 2, "cut": 0, "spread": 0}
    again = column(encoder, None, EncodingTerms(), LINES)
    assert not (found.array.flatten().flatten().to_numpy() == again.array.flatten().flatten().to_numpy()).any()


def test_the_terms_reach_the_encoder(encoder):
    found = column(encoder, None, EncodingTerms(length=2, budget=5.0), LINES)
    assert [len(text) for text in found.array.to_pylist()] == [2, 2, 2, 2]
    assert found.counts == {"tokens": 8, "unknown": 2, "cut": 1, "spread": 4}
    with pytest.raises(InputError, match="budget of 5"):
        column(encoder, None, EncodingTerms(budget=5.0, over_budget="refuse"), LINES)


def test_centroids_are_the_means_of_vectors_with_noise(encoder):
    found = column(encoder, None, EncodingTerms("centroids"), LINES)
    means = np.array(found.array.to_pylist())
    assert means.shape == (4, 5)
    assert not means[1].any()
    clean = encoder.embeddings.vectors[encoder.embeddings.rows(["w1", "w2", "w3"])].mean(axis=0)
    assert 0 < np.abs(means[0] - clean).max() < 20 * encoder.noise.scale.max()


def test_words_need_a_decoder_and_are_those_of_the_vocabulary(encoder):
    found = column(encoder, Decoder(encoder, "nearest"), EncodingTerms("words", decode="nearest"), LINES)
    words = found.array.to_pylist()
    assert [len(text) for text in words] == [3, 0, 2, 1]
    assert {word for text in words for word in text} <= set(encoder.words.tolist())
    with pytest.raises(InputError, match="decoder"):
        column(encoder, None, EncodingTerms("words"), LINES)


def test_what_would_be_refused_is_refused_before_any_noise_is_drawn(encoder):
    texts = [(i, "w1") for i in range(2000)] + [(2000, "w1 w2 w3")]
    terms = EncodingTerms(budget=5.0, over_budget="refuse")
    check(encoder, terms, texts[:-1])
    check(encoder, EncodingTerms(budget=5.0), texts)
    with pytest.raises(InputError, match="counted from 0 at the text with id 1024, text 976 has 3 tokens"):
        check(encoder, terms, texts)
    strict = TextEncoder(encoder.embeddings, encoder.noise, encoder.guarantee, unknown="error")
    with pytest.raises(InputError, match="at the text with id 5, text 0 has a token at position 1") as caught:
        check(strict, EncodingTerms(), [(5, "w1 zzyzx")])
    assert "zzyzx" not in str(caught.value)
