"""Unknown words by their n-grams, against gensim's fastText: a model is trained, saved as Facebook does, and read."""

import contextlib
import itertools

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from hypothesis import given
from hypothesis import strategies as st

from nadp import Embeddings, EmbeddingSpace, FormatError, InputError, TextEncoder
from nadp.texts import Decoder, Subwords
from nadp.texts.subwords import _fnv
from tests.nadp.texts.planting import planted, rows_back

D = 8
SENTENCES = [
    ["the", "police", "arrested", "the", "suspect", "near", "the", "bank"],
    ["die", "Straße", "führt", "über", "die", "Brücke", "nach", "Köln"],
    ["мама", "мыла", "раму", "😀", "👍🏽", "日本語", "を", "話す"],
    ["a", "b", "c", "x", "y", "z", "the", "policeman", "walked"],
]
UNKNOWN = ["policing", "Straßenbahn", "мамонт", "😀😀", "日本", "q", "é", "😀x", "<>", "''", "banks", "x" * 60]


def trained(folder, **others):
    options = {"vector_size": D, "min_count": 1, "bucket": 300, "min_n": 2, "max_n": 5, "epochs": 2, "seed": 1} | others
    model = FastText(SENTENCES * 20, workers=1, **options)
    save_facebook_model(model, str(folder / "model.bin"))
    return folder / "model.bin"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("fasttext"))


@pytest.fixture(scope="module")
def theirs(path):
    return load_facebook_vectors(str(path))


@pytest.fixture(scope="module")
def subwords(path):
    return Subwords.read(path)


@pytest.fixture(scope="module")
def known(theirs):
    """The words of the model with the vectors that it gives them: each the mean of its n-grams and its own."""
    words = theirs.index_to_key
    return Embeddings(words, np.array([theirs[word] for word in words]))


def ngrams(token, shortest, longest):
    """As fastText counts them: of the marked token, but for its two marks alone."""
    marked = f"<{token}>"
    spans = ((i, j) for i in range(len(marked)) for j in range(i + 1, len(marked) + 1))
    alone = {(0, 1), (len(marked) - 1, len(marked))}
    return [marked[i:j] for i, j in spans if shortest <= j - i <= longest and (i, j) not in alone]


def signed_fnv(text):
    """FNV-1a as fastText's dictionary.cc computes it: over bytes that are signed and widened."""
    value = np.uint32(2166136261)
    with np.errstate(over="ignore"):
        for byte in np.frombuffer(text.encode(), dtype=np.int8):
            value = (value ^ np.uint32(byte.astype(np.int32).view(np.uint32))) * np.uint32(16777619)
    return int(value)


def test_a_model_is_read_with_its_buckets_and_lengths(subwords, theirs):
    assert subwords.vectors.shape == (300, D)
    assert subwords.vectors.dtype == np.float32
    assert (subwords.shortest, subwords.longest) == (2, 5)
    assert (subwords.vectors == theirs.vectors_ngrams).all()


def test_the_hash_is_that_of_gensim(theirs):
    from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

    for word in [*UNKNOWN, *theirs.index_to_key]:
        for part in compute_ngrams_bytes(word, 1, 6):
            assert _fnv(bytes(part).decode()) == ft_hash_bytes(part)


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_the_hash_is_that_of_the_loop_over_signed_bytes(text):
    assert _fnv(text) == signed_fnv(text)


@pytest.mark.parametrize("token", UNKNOWN)
def test_the_buckets_are_those_of_gensim(subwords, token):
    from gensim.models.fasttext import ft_ngram_hashes

    assert sorted(subwords.buckets(token)) == sorted(ft_ngram_hashes(token, 2, 5, 300))


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
    st.integers(1, 4),
    st.integers(0, 4),
    st.sampled_from([7, 300, 2_000_000]),
)
def test_the_buckets_are_those_of_the_naive_n_grams(token, shortest, more, buckets):
    vectors = np.broadcast_to(np.float32(0), (buckets, 1))
    found = Subwords(vectors, shortest, shortest + more).buckets(token)
    expected = [signed_fnv(part) % buckets for part in ngrams(token, shortest, shortest + more)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("token", UNKNOWN)
def test_the_known_word_is_the_one_that_is_nearest_to_gensims_vector(subwords, theirs, known, token):
    assert token not in theirs.key_to_index
    distances = ((known.vectors.astype(np.float64) - theirs[token]) ** 2).sum(axis=1)
    (row,) = subwords.nearest_known(known, [token])
    assert row == distances.argmin()
    made = subwords.vectors[subwords.buckets(token)].mean(axis=0)
    assert made == pytest.approx(theirs[token], rel=1e-5, abs=1e-7)


def test_many_tokens_at_once_are_as_each_alone(subwords, known):
    together = subwords.nearest_known(known, UNKNOWN * 3)
    assert together.tolist() == [int(subwords.nearest_known(known, [token])[0]) for token in UNKNOWN] * 3
    assert len(set(together.tolist())) > 3


def test_a_token_too_short_for_an_n_gram_is_left_out(known, subwords):
    long = Subwords(subwords.vectors, 4, 6)
    assert long.buckets("q") == []
    assert len(long.buckets("qr")) == 1
    rows = long.nearest_known(known, ["q", "qr", "q"])
    assert (rows < 0).tolist() == [True, False, True]


def test_words_of_one_vector_are_one_place_that_the_first_of_them_stands_for(subwords, known):
    twice = Embeddings([f"{word}2" for word in known.words] + known.words.tolist(), np.tile(known.vectors, (2, 1)))
    assert subwords.nearest_known(twice, UNKNOWN).tolist() == subwords.nearest_known(known, UNKNOWN).tolist()


@pytest.fixture(scope="module")
def quiet(known, subwords):
    """An encoder with so little noise that the nearest word is the one that was encoded."""
    words = known.words.tolist()
    return planted(known.vectors, 1e-9, words=words, unknown="subword", subwords=subwords)


def test_what_is_encoded_is_the_nearest_known_word_and_never_the_n_grams_themselves(quiet, subwords, known):
    tokens = ["policing", "Straßenbahn", "мамонт", "日本", "q", "banks"]
    found = quiet.encode([" ".join(tokens), "the policing of"])
    expected = subwords.nearest_known(known, tokens)
    assert found.unknown.tolist() == [0, 0]
    assert rows_back(quiet, found[0]) == expected.tolist()
    assert rows_back(quiet, found[1])[1] == expected[0]
    made = np.array([subwords.vectors[subwords.buckets(token)].mean(axis=0) for token in tokens])
    off = np.linalg.norm(found[0] - made, axis=1)
    assert (off > 1e3 * 1e-9 * np.sqrt(D)).all()  # nothing near the token's own vector comes out
    assert (np.linalg.norm(found[0] - known.vectors[expected], axis=1) < 1e-6).all()
    assert {w for words in Decoder(quiet).words(found) for w in words} <= set(known.words.tolist())


def test_the_substitutes_have_the_noise_of_their_word(known, subwords):
    scale = 10.0 ** -(np.arange(len(known)) % 4)
    encoder = planted(
        1000 * known.vectors,
        scale,
        words=known.words,
        unknown="subword",
        subwords=Subwords(1000 * subwords.vectors, 2, 5),
    )
    tokens = ["policing", "Straßenbahn", "мамонт", "日本", "banks"]
    rows = encoder.subwords.nearest_known(encoder.embeddings, tokens)
    found = encoder.encode([" ".join(tokens)] * 500)
    noise = (found.vectors.reshape(500, len(tokens), D) - encoder.embeddings.vectors[rows]).astype(np.float64)
    assert len(set(scale[rows])) > 1
    assert noise.std(axis=(0, 2)) == pytest.approx(scale[rows], rel=0.1)


def test_a_token_is_replaced_alike_whatever_stands_beside_it(quiet):
    texts = ["policing", "the policing 😀😀", "policing policing", "Straßenbahn policing"]
    rows = [rows_back(quiet, part) for part in (quiet.encode(texts)[i] for i in range(4))]
    assert {rows[0][0], rows[1][1], *rows[2], rows[3][1]} == {rows[0][0]}


def test_half_a_surrogate_pair_is_a_character_like_any_other(quiet):
    assert quiet.encode(["the \ud800xy the"]).lengths.tolist() == [3]


def test_a_model_without_n_grams_is_refused(tmp_path):
    with pytest.raises(InputError, match="no character n-grams"):
        Subwords.read(trained(tmp_path, min_n=1, max_n=0))


@pytest.mark.parametrize("content", [b"", b"not a model", bytes(1000), b"\xba\x16\x4f\x2f" + bytes(200)])
def test_what_is_no_model_is_refused_with_its_path(tmp_path, content):
    (tmp_path / "wrong.bin").write_bytes(content)
    with pytest.raises(FormatError, match=r"wrong\.bin"):
        Subwords.read(tmp_path / "wrong.bin")


def test_a_model_that_was_cut_off_is_refused(tmp_path, path):
    (tmp_path / "half.bin").write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FormatError, match=r"half\.bin"):
        Subwords.read(tmp_path / "half.bin")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    return trained(folder, vector_size=2, bucket=5, min_n=2, max_n=3).read_bytes()


def test_a_model_that_is_cut_off_anywhere_is_read_or_refused(tmp_path, small):
    (tmp_path / "cut.bin").write_bytes(small)
    whole = Subwords.read(tmp_path / "cut.bin").vectors
    end = small.index(whole.tobytes()) + whole.nbytes  # what follows the n-grams is not read
    for length in range(end):
        (tmp_path / "cut.bin").write_bytes(small[:length])
        with pytest.raises(FormatError, match=r"cut\.bin"):
            Subwords.read(tmp_path / "cut.bin")
    (tmp_path / "cut.bin").write_bytes(small[:end])
    assert np.array_equal(Subwords.read(tmp_path / "cut.bin").vectors, whole)


def test_a_byte_that_is_wrong_anywhere_is_harmless_or_refused(tmp_path, small):
    path = tmp_path / "spoilt.bin"
    for place, bit in itertools.product(range(len(small)), (1, 255)):
        spoilt = bytearray(small)
        spoilt[place] ^= bit
        path.write_bytes(spoilt)
        with contextlib.suppress(InputError):
            found = Subwords.read(path)
            assert found.vectors.nbytes <= len(small)
            assert np.isfinite(found.vectors).all()


def test_a_pruned_or_quantised_model_is_refused_by_name(tmp_path, small):
    rows = len({word for sentence in SENTENCES for word in sentence}) + 5
    pruned, quantised = 8 + 12 * 4 + 8 + 12 + 8, small.index(b"\0" + rows.to_bytes(8, "little"))
    for place, content, named in ((pruned, (3).to_bytes(8, "little"), "pruned"), (quantised, b"\1", "quantised")):
        (tmp_path / "small.bin").write_bytes(small[:place] + content + small[place + len(content) :])
        with pytest.raises(InputError, match=named):
            Subwords.read(tmp_path / "small.bin")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Subwords.read(tmp_path / "nowhere.bin")


def test_n_grams_and_the_policy_belong_together(space, subwords):
    for others in ({"unknown": "subword"}, {"subwords": subwords}, {"unknown": "error", "subwords": subwords}):
        with pytest.raises(InputError, match="need each other"):
            TextEncoder.build(space, epsilon=1.0, **others)


def test_n_grams_of_another_dimension_are_refused(space, subwords):
    with pytest.raises(InputError, match="n-grams of 8 dimensions do not fit words of 50"):
        TextEncoder.build(space, epsilon=1.0, unknown="subword", subwords=subwords)


def test_an_encoder_with_n_grams_can_be_built_and_leaves_no_token_out(sample):
    space = EmbeddingSpace.build(sample.subset(range(200)), tau=0.3)
    vectors = np.random.default_rng(0).normal(size=(1000, 50)).astype(np.float32)
    encoder = TextEncoder.build(space, epsilon=1.0, unknown="subword", subwords=Subwords(vectors, 3, 6))
    found = encoder.encode(["the qwxyz of zzz", "q"])
    assert found.lengths.tolist() == [4, 1]
    assert found.unknown.tolist() == [0, 0]
