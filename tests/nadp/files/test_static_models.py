"""Static models, read as the package Model2Vec reads them."""

import re

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from nadp import FormatError, InputError, read_embeddings
from nadp.files.static_models import read_model
from tests.nadp.files.models import UNKNOWN, bfloat16, some, write_model

TOKENS = [UNKNOWN, "the", "police", "said", "pol", "##ice", "été"]
K = len(TOKENS)


def by_model2vec(folder, token):
    """The vector of a token as the package itself uses it."""
    model = StaticModel.from_pretrained(folder)
    return model._encode_helper([model.tokens.index(token)])[0]


def agrees(folder, tokens=TOKENS):
    found = read_embeddings(folder)
    assert sorted(found.words.tolist()) == sorted(tokens)
    for word, vector in zip(found.words.tolist(), found.vectors, strict=True):
        np.testing.assert_allclose(vector, by_model2vec(folder, word), rtol=1e-6)
    return found


@pytest.mark.parametrize("nested", [False, True])
def test_a_model_is_a_table_of_its_tokens(tmp_path, nested):
    vectors = some(K, 3)
    found = agrees(write_model(tmp_path / "model", TOKENS, vectors, nested=nested))
    assert found.words.tolist() == TOKENS
    assert found.vectors.tobytes() == vectors.tobytes()


def test_the_table_of_a_model_stands_for_its_folder(tmp_path):
    folder = write_model(tmp_path / "model", TOKENS, some(K, 3))
    assert read_embeddings(folder / "model.safetensors").words.tolist() == TOKENS


def test_tokens_have_the_row_and_the_weight_that_the_model_gives_them(tmp_path):
    mapping = np.array([2, 1, 0, 1, 1, 2, 0])
    weights = np.linspace(0.5, 2.0, K).astype(np.float32)
    folder = write_model(tmp_path / "model", TOKENS, some(3, 4), mapping=mapping, weights=weights)
    found = agrees(folder)
    assert found.words[:3].tolist() == ["police", "the", UNKNOWN]  # the first token of each row


def test_the_table_as_it_is_stored_has_a_vector_for_each_row_and_no_weights(tmp_path):
    vectors, mapping = some(4, 4), np.array([2, 1, 0, 1, 1, 2, 0])
    folder = write_model(tmp_path / "model", TOKENS, vectors, mapping=mapping, weights=np.full(K, 3.0))
    found = read_embeddings(folder, stored=True)
    assert found.words.tolist() == ["police", "the", UNKNOWN, "[row 3]"]
    assert found.vectors.tobytes() == vectors.tobytes()


def test_rows_whose_token_can_be_no_word_are_named_by_their_number(tmp_path):
    folder = write_model(tmp_path / "model", [UNKNOWN, "\n", " ", "a\tb", "the"], some(5, 2))
    assert read_embeddings(folder, stored=True).words.tolist() == [UNKNOWN, "[row 1]", "[row 2]", "[row 3]", "the"]


def test_words_and_limit_keep_what_they_keep_of_any_table(tmp_path):
    folder = write_model(tmp_path / "model", TOKENS, some(K, 3))
    found = read_embeddings(folder, words=["été", "nothing"], limit=2)
    assert found.words.tolist() == [UNKNOWN, "the", "été"]
    assert found.counts["words not found"] == 1


@pytest.mark.parametrize("kind", ["float16", "int8", "float64"])
def test_numbers_of_other_types_become_float32(tmp_path, kind):
    vectors = (some(K, 3) * 20).astype(kind)
    folder = write_model(tmp_path / "model", TOKENS, vectors)
    found = agrees(folder)
    assert found.vectors.dtype == np.float32
    assert (found.vectors == vectors.astype(np.float32)).all()
    assert read_model(folder / "model.safetensors").type == kind


def test_bfloat16_is_read_without_loss(tmp_path):
    folder = write_model(tmp_path / "model", TOKENS, some(K, 3))
    content, held = bfloat16(some(K, 3) * 1e-3)
    (folder / "model.safetensors").write_bytes(content)
    assert read_embeddings(folder).vectors.tobytes() == held.tobytes()
    assert read_model(folder / "model.safetensors").type == "bfloat16"


def test_half_precision_is_read_from_other_tables_too(tmp_path):
    vectors = some(2, 3).astype(np.float16)
    np.savez(tmp_path / "a.npz", words=np.array(["a", "b"]), vectors=vectors)
    save_file({"vectors": vectors}, tmp_path / "a.safetensors", {"words": "a\nb"})
    for path in (tmp_path / "a.npz", tmp_path / "a.safetensors"):
        assert (read_embeddings(path).vectors == vectors.astype(np.float32)).all()


def damaged(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.unlink()
        if content is not None:
            path.write_bytes(content)
    return folder


@pytest.mark.parametrize("damaged", ["", "{}", "no JSON", '{"model": {"type": "WordLevel", "vocab": 3}}'])
def test_tokenizers_raises_exception_itself_for_what_it_cannot_read(damaged):
    with pytest.raises(Exception, match=r".") as caught:
        Tokenizer.from_str(damaged)
    assert type(caught.value) is Exception


@pytest.mark.parametrize(
    "files",
    [
        {"model_safetensors": b""},
        {"model_safetensors": b"garbage" * 10},
        {"tokenizer_json": b"{}"},
        {"tokenizer_json": b"no JSON"},
        {"config_json": b"no JSON"},
    ],
)
def test_a_damaged_model_is_refused_by_the_name_of_the_file(tmp_path, files):
    folder = damaged(write_model(tmp_path / "model", TOKENS, some(K, 3)), **files)
    with pytest.raises(FormatError, match=re.escape(str(folder / next(iter(files)).replace("_", ".")))):
        read_embeddings(folder)


@pytest.mark.parametrize(
    "more",
    [
        {"vectors": some(K - 1, 3)},
        {"vectors": some(K, 3).ravel()},
        {"vectors": some(K, 3), "mapping": np.arange(K - 1)},
        {"vectors": some(3, 3), "mapping": np.full(K, 3)},
        {"vectors": some(3, 3), "mapping": np.full(K, -1)},
        {"vectors": some(3, 3), "mapping": np.ones(K)},
        {"vectors": some(K, 3), "weights": np.ones(K - 1)},
        {"vectors": some(K, 3), "weights": np.full(K, np.nan)},
        {"vectors": some(K, 3), "name": "encoder.layer.0.weight"},
        {"vectors": some(K, 3), "embedding.weight": some(K, 3)},
        {"vectors": np.where(np.eye(K, 3), np.inf, 0.0)},
    ],
)
def test_a_model_that_does_not_fit_together_is_refused_by_name(tmp_path, more):
    folder = write_model(tmp_path / "model", TOKENS, **more)
    with pytest.raises(FormatError, match=re.escape(str(folder))):
        read_embeddings(folder)


def test_a_folder_without_a_model_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        read_embeddings(tmp_path)
    folder = write_model(tmp_path / "model", TOKENS, some(K, 3))
    (folder / "tokenizer.json").unlink()
    for path in (folder, folder / "model.safetensors"):
        with pytest.raises(InputError, match="tokenizer"):
            read_embeddings(path)
