"""Static models from end to end: released, audited, and encoded with, as the package Model2Vec reads them."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from model2vec import StaticModel
from safetensors.numpy import load_file

from flows.audit import audit
from flows.encode import encode
from flows.experiment import experiment
from flows.release import release
from nadp import InputError, read_embeddings
from tests.flows.conftest import scores
from tests.nadp.files.models import UNKNOWN, write_model

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

TEXTS = ["The police said so.", "Nobody knows the president of the bank", "of", "zzyzxq"]


@pytest.fixture(scope="module")
def words(embedding):
    return [UNKNOWN, *(word for word in read_embeddings(embedding).words.tolist() if word.isalnum())]


@pytest.fixture(scope="module")
def model(embedding, words, tmp_path_factory):
    """A model of the words of the sample, as float16, with weights of tokens."""
    known = read_embeddings(embedding)
    vectors = np.vstack([np.zeros(known.dimension), known.vectors[known.rows(words[1:])]]).astype(np.float16)
    weights = np.linspace(2, 0.5, len(words)).astype(np.float32)
    return write_model(tmp_path_factory.mktemp("models") / "small", words, vectors, weights=weights)


@pytest.fixture(scope="module")
def mapped(model, tmp_path_factory):
    """The model with fewer rows than tokens, as Model2Vec itself makes and writes it: several tokens share a row."""
    made = StaticModel.from_pretrained(model, vocabulary_quantization=200)
    made.save_pretrained(folder := tmp_path_factory.mktemp("models") / "mapped")
    return folder


def released(model, out, **more):
    more = {"epsilon": 5.0, "max_recovery": 1.0, "search": "exact", **more}
    return release(str(model), out=str(out), return_state=True, **more)


@pytest.fixture(scope="module")
def private(model, tmp_path_factory):
    out = tmp_path_factory.mktemp("released") / "private"
    ledger = str(out.parent / "ledger.sqlite")
    state = released(model, out, ledger=ledger)
    assert state.is_completed()
    assert "float32" in state.message
    return out


def test_a_released_model_loads_and_encodes_with_its_private_vectors(model, private):
    before, after = StaticModel.from_pretrained(model), StaticModel.from_pretrained(private)
    assert after.embedding.dtype == np.float32
    assert after.embedding_dtype == after.config["embedding_dtype"] == "float32"
    assert after.tokens == before.tokens
    assert (after.weights == before.weights).all()
    noise = after.embedding - before.embedding.astype(np.float32)
    assert (noise != 0).any(axis=1).all()
    encoded = after.encode(TEXTS)
    rows = [[after.tokens.index(t) for t in text.lower().strip(".").split() if t in after.tokens] for text in TEXTS]
    for found, ids in zip(encoded, rows, strict=True):
        own = after.embedding[ids] * after.weights[ids][:, None]
        np.testing.assert_allclose(found, own.mean(axis=0) if ids else np.zeros(after.dim), rtol=1e-5, atol=1e-6)
    assert (after.tokenizer.to_str()) == before.tokenizer.to_str()


def test_the_certificate_says_what_goes_out_in_clear_and_the_card_contains_it(private):
    certificate = json.loads((private / "model.safetensors.certificate.json").read_text())
    assert certificate["written"] == "float32"
    assert certificate["in_clear"] == ["tokenizer", "configuration", "weights of tokens"]
    assert any("weights of tokens" in line for line in certificate["not_covered"])
    card = (private / "README.md").read_text()
    assert (private / "model.safetensors.certificate.md").read_text() in card
    assert card.startswith("---\n")
    assert sorted(load_file(private / "model.safetensors")) == ["embeddings", "weights"]


def test_a_model_whose_tokens_share_rows_is_released_with_its_mapping(mapped, tmp_path):
    state = released(mapped, tmp_path / "private", ledger=str(tmp_path / "ledger.sqlite"))
    assert state.is_completed(), state.message
    before, after = StaticModel.from_pretrained(mapped), StaticModel.from_pretrained(tmp_path / "private")
    assert len(after.embedding) == len(before.embedding) == 200 < len(after.tokens)
    assert (after.token_mapping == before.token_mapping).all()
    assert (after.weights == before.weights).all()
    assert (after.embedding != before.embedding.astype(np.float32)).any(axis=1).all()
    (found,) = after.encode(["police president"])
    ids = [after.tokens.index(token) for token in ("police", "president")]
    own = after.embedding[after.token_mapping[ids]] * after.weights[ids][:, None]
    np.testing.assert_allclose(found, own.mean(axis=0), rtol=1e-5, atol=1e-6)
    certificate = json.loads((tmp_path / "private" / "model.safetensors.certificate.json").read_text())
    assert "mapping of tokens to rows" in certificate["in_clear"]


def test_an_experiment_compares_texts_as_the_model_encodes_them(mapped, words, tmp_path):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words[1:], size=6)).title() + " zzyzxq!" for _ in range(80)]
    ratings = rng.uniform(0, 5, size=40)
    rows = [f"{one}\t{other}\t{r}\n" for one, other, r in zip(texts[:40], texts[40:], ratings, strict=True)]
    (tmp_path / "pairs.tsv").write_text("first\tsecond\tscore\n" + "".join(rows))
    (tmp_path / "pairs.toml").write_text('name = "pairs"\nfamily = "sentence-pairs"\nsource = "pairs.tsv"\n')
    given = {"task": [str(tmp_path / "pairs.toml")], "mechanisms": ["gaussian"], "epsilons": [5.0], "repeats": 1}
    state = experiment(embedding=str(mapped), **given, search="exact", out=str(tmp_path / "out"), return_state=True)
    assert state.is_completed(), state.message
    encoded = StaticModel.from_pretrained(mapped).encode(texts).astype(np.float64)  # it rounds them to float16
    encoded /= np.linalg.norm(encoded, axis=1, keepdims=True)
    expected = np.corrcoef((encoded[:40] * encoded[40:]).sum(axis=1), ratings)[0, 1]
    found = [
        r for r in scores(tmp_path / "out") if (r["benchmark"], r["metric"], r["epsilon"]) == ("pairs", "pearson", "")
    ]
    assert [float(r["value"]) for r in found] == [pytest.approx(expected, abs=1e-3)]


def test_an_audit_takes_the_folders_and_finds_the_certified_file(model, private, tmp_path):
    state = audit(
        str(model),
        str(private),
        certificate=str(private / "model.safetensors.certificate.json"),
        draws=0,
        false_alarm=1e-9,  # the noise has no seed
        strict=True,
        out=str(tmp_path / "audit"),
        return_state=True,
    )
    assert state.is_completed(), state.message


@pytest.mark.parametrize("more", [{"isolated": "drop"}, {"words": 100}, {"neighbourhoods_from": "sample"}])
def test_what_leaves_rows_out_is_refused_and_nothing_is_written(model, tmp_path, more):
    with pytest.raises(InputError, match="rows"):
        released(model, tmp_path / "out", ledger=str(tmp_path / "ledger.sqlite"), **more).result()
    assert not (tmp_path / "out").exists()


def test_a_model_may_be_released_as_a_plain_table(model, words, tmp_path):
    state = released(model, tmp_path / "out.parquet", ledger=str(tmp_path / "ledger.sqlite"))
    assert state.is_completed()
    assert read_embeddings(tmp_path / "out.parquet").words.tolist() == words


def test_a_release_does_not_replace_the_model_that_it_is_made_of(model):
    with pytest.raises(InputError, match="input"):
        released(model, model).result()


def test_texts_are_split_by_the_models_own_tokenizer(model, tmp_path):
    (tmp_path / "texts.txt").write_text("".join(text + "\n" for text in TEXTS))
    out = tmp_path / "out"
    state = encode(str(tmp_path / "texts.txt"), str(model), str(out), epsilon=9.0, search="exact", return_state=True)
    assert state.is_completed()
    lengths = [len(row["vectors"]) for row in pq.read_table(out / "part-00000.parquet").to_pylist()]
    known = StaticModel.from_pretrained(model)
    assert lengths == [len(ids) for ids in known.tokenize(TEXTS)]


def test_a_models_tokenizer_needs_a_model(embedding, tmp_path):
    (tmp_path / "texts.txt").write_text("the\n")
    with pytest.raises(InputError, match="tokenizer 'model'"):
        encode(str(tmp_path / "texts.txt"), str(embedding), str(tmp_path / "out"), epsilon=5.0, tokenizer="model")
