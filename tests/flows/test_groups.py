"""Groups from end to end: a codebook, its audit, texts through groups, and one partition for a series."""

import json
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest

from flows.audit import audit
from flows.encode import encode
from flows.release import release
from nadp import InputError, read_embeddings
from nadp.files import write_embeddings
from nadp.groups import Exponential, load_partition
from nadp.release import RefusedError
from nadp.release.partitions import OtherPartitionError

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]


@pytest.fixture(scope="module")
def embedding(tmp_path_factory, lines):
    """A public table of its own: what the tests of other flows find in the cache must not depend on these."""
    path = tmp_path_factory.mktemp("embedding") / "public.txt"
    path.write_bytes(b"".join(lines[:605]))
    return path


def codebook(embedding, out, **more):
    more = {"min_size": 8, "max_one_topic": 1.0, "embedding_is_public": True} | more
    ledger = str(out.parent / "ledger.sqlite")
    return release(str(embedding), str(out), mechanism="groups", ledger=ledger, return_state=True, **more)


def audited(embedding, out, certificate, folder):
    state = audit(
        str(embedding), str(out), certificate=str(certificate), out=str(folder), strict=True, return_state=True
    )
    found = json.loads((folder / "audit.json").read_text())["found"]["verdicts"]
    assert (folder / "audit.html").is_file()
    return state, [verdict["name"] for verdict in found if not verdict["passed"]]


def test_a_codebook_is_published_and_passes_its_audit_and_one_that_was_changed_fails(embedding, tmp_path):
    out, certificate = tmp_path / "book.txt", tmp_path / "book.txt.certificate.json"
    state = codebook(embedding, out)
    assert state.is_completed(), state.message
    table, made = read_embeddings(out), load_partition(tmp_path / "book.txt.partition.npz")
    assert table.words.tolist() == read_embeddings(embedding).words.tolist() == made.words.tolist()
    assert made.sizes.min() >= 8
    rows = Counter(map(bytes, table.vectors))
    assert len(rows) == len(made)
    said = json.loads(certificate.read_text())
    assert said["partition"]["min_size"] == 8
    assert said["guarantee"]["posterior"] == made.largest_share
    state, failed = audited(embedding, out, certificate, tmp_path / "good")
    assert (state.is_completed(), failed) == (True, [])
    vectors = table.vectors.copy()
    vectors[17] = read_embeddings(embedding).vectors[17]
    write_embeddings(out, type(table)(table.words, vectors), "glove")
    state, failed = audited(embedding, out, certificate, tmp_path / "bad")
    assert state.is_failed()
    assert failed == [
        "the file matches its certificate",
        "words of a group are released alike",
        "rows are the partition's centroids",
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"embedding_is_public": None}, "needs public vectors"),
        ({"min_size": None}, "min_size, max_share or both"),
        ({"epsilon": 2.0}, "epsilon: only for noise"),
        ({"max_share": 0.001, "min_size": None}, "'the'"),
        ({"max_topic_share": 0.5}, "sensitive"),
        ({"prior_is_own": True}, "prior_from"),
        ({"topics": "nowhere.tsv"}, "nowhere.tsv"),
    ],
)
def test_what_makes_no_codebook_is_refused(embedding, tmp_path, more, message):
    with pytest.raises(InputError, match=message):
        codebook(embedding, tmp_path / "book.txt", **more).result()
    assert not (tmp_path / "book.txt").exists()


def test_a_table_of_documents_is_refused(embedding, tmp_path):
    table, path = read_embeddings(embedding), tmp_path / "documents.txt"
    write_embeddings(path, type(table)([f"{i:07}" for i in range(len(table))], table.vectors), "glove")
    with pytest.raises(InputError, match="not words but numbers"):
        codebook(path, tmp_path / "book.txt").result()


@pytest.mark.parametrize("more", [{"max_word_share": 0.05}, {"max_group": 7}, {"max_one_topic": 0.0}])
def test_the_gate_refuses_beyond_its_limits(embedding, tmp_path, more):
    (tmp_path / "topics.tsv").write_text("".join(f"{word}\ta\n" for word in read_embeddings(embedding).words.tolist()))
    with pytest.raises(RefusedError):
        codebook(embedding, tmp_path / "book.txt", topics=str(tmp_path / "topics.tsv"), **more).result()


def test_a_series_has_one_partition_for_codebooks_and_texts_and_new_words_join_it(embedding, tmp_path):
    lines, first = embedding.read_bytes().splitlines(keepends=True), tmp_path / "first.txt"
    first.write_bytes(b"".join(lines[:580]))
    assert codebook(first, tmp_path / "one.txt", series="ours").is_completed()
    with pytest.raises(OtherPartitionError, match="'ours'"):
        codebook(first, tmp_path / "two.txt", series="ours", min_size=9).result()
    assert codebook(
        first, tmp_path / "two.txt", series="ours", min_size=9, accept_another_partition=True
    ).is_completed()
    texts = tmp_path / "texts.txt"
    texts.write_text("the of and\n")
    own, ledger = tmp_path / "one.txt.partition.npz", str(tmp_path / "ledger.sqlite")
    common = {"mechanism": "groups", "series": "ours", "ledger": ledger, "return_state": True}
    with pytest.raises(OtherPartitionError, match="'ours'"):
        encode(str(texts), str(embedding), str(tmp_path / "other"), min_size=7, **common).result()
    assert not (tmp_path / "other").exists()
    state = encode(str(texts), str(embedding), str(tmp_path / "out"), partition=str(own), **common)
    assert state.is_completed(), state.message
    joined = load_partition(tmp_path / "out.partition.npz")
    assert joined.fingerprint == load_partition(own).fingerprint
    assert len(joined.words) == 605
    again = codebook(embedding, tmp_path / "three.txt", series="ours", partition=str(own), min_size=None)
    assert again.is_completed(), again.message
    assert len(read_embeddings(tmp_path / "three.txt")) == 605


@pytest.mark.parametrize("output", ["vectors", "centroids", "words"])
def test_texts_come_out_as_their_groups(embedding, tmp_path, output):
    known = read_embeddings(embedding)
    (tmp_path / "texts.txt").write_text("the police said so\n\nThe nonsenseword police\n")
    (tmp_path / "sensitive.txt").write_text("police\n")
    (tmp_path / "topics.tsv").write_text("police\tlaw\ncourt\tlaw\nthe\tlittle\n")
    state = encode(
        str(tmp_path / "texts.txt"),
        str(embedding),
        str(tmp_path / "out"),
        output=output,
        decode="random" if output == "words" else "likely",
        mechanism="groups",
        max_share=0.3,
        sensitive=str(tmp_path / "sensitive.txt"),
        topics=str(tmp_path / "topics.tsv"),
        max_topic_share=0.4,
        ledger=str(tmp_path / "ledger.sqlite"),
        return_state=True,
    )
    assert state.is_completed(), state.message
    (first, empty, last) = pq.read_table(tmp_path / "out" / "part-00000.parquet").to_pylist()
    made = load_partition(tmp_path / "out.partition.npz")
    label = dict(zip(made.words.tolist(), made.labels.tolist(), strict=True))
    tokens = ["the", "police", "said", "so"]
    if output == "words":
        assert [label[word] for word in first["words"]] == [label[token] for token in tokens]
        assert (len(last["words"]), empty["words"]) == (2, [])
    else:
        expected = made.centroids[[label[token] for token in tokens]]
        found = first["vectors"] if output == "vectors" else [first["centroid"]]
        expected = expected if output == "vectors" else expected.mean(axis=0, keepdims=True)
        assert np.abs(np.array(found) - expected).max() < 1e-3
    said = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert said["groups"]["topic_revealed"]["police"] <= 0.4
    assert said["guarantee"]["posterior"] <= 0.3
    assert known.row_of["police"] >= 0


@pytest.mark.parametrize("between", [None, "gaussian"])
def test_a_mechanism_between_groups_hides_the_group_too(embedding, tmp_path, between):
    (tmp_path / "texts.txt").write_text(" ".join(["police"] * 40) + "\n")
    state = encode(
        str(tmp_path / "texts.txt"),
        str(embedding),
        str(tmp_path / "out"),
        mechanism="groups",
        max_share=0.3,
        epsilon=0.5,
        between_groups=between,
        ledger=str(tmp_path / "ledger.sqlite"),
        return_state=True,
    )
    assert state.is_completed(), state.message
    (text,) = pq.read_table(tmp_path / "out" / "part-00000.parquet").to_pylist()
    outputs = len(np.unique(np.array(text["vectors"]), axis=0))
    if between == "gaussian":
        assert outputs == 40  # noise on a grid of 2^-10 of its scale never repeats
    else:
        made = load_partition(tmp_path / "out.partition.npz")
        own = made.labels[made.words.tolist().index("police")]
        chances = Exponential(made.centroids, 0.5).chances(np.array([own]))[0]
        expected = (1 - (1 - chances) ** 40).sum()  # groups that are drawn at least once; its variance is smaller
        assert outputs == pytest.approx(expected, abs=5 * np.sqrt(expected))
        apart = np.abs(np.array(text["vectors"])[:, None, :] - made.centroids[None]).max(axis=2)
        assert apart.min(axis=1).max() < 1e-3  # each is the centroid of some group
    said = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert said["guarantee"]["epsilon"] == 0.5
    assert (said["guarantee"]["delta"] > 0) == (between == "gaussian")
    assert said["of_tokens"]["1"][0] == 0.5


def test_noise_takes_nothing_of_groups_and_needs_an_epsilon(embedding, tmp_path):
    (tmp_path / "texts.txt").write_text("the\n")
    inputs = str(tmp_path / "texts.txt"), str(embedding), str(tmp_path / "out")
    for more, message in (
        ({}, "needs an epsilon"),
        ({"epsilon": 5.0, "max_share": 0.3}, "max_share: only for the mechanism groups"),
        ({"epsilon": 5.0, "decode": "random"}, "decode=random"),
        ({"mechanism": "groups", "max_share": 0.3, "budget": 5.0}, "budget: only for noise"),
        ({"mechanism": "groups", "max_share": 0.3, "epsilon": 1.0, "delta": 1e-6}, "delta: only for noise"),
        ({"mechanism": "groups", "max_share": 0.3, "between_groups": "gaussian"}, "between_groups"),
        ({"epsilon": 5.0, "between_groups": "gaussian"}, "between_groups"),
    ):
        with pytest.raises(InputError, match=message):
            encode(*inputs, return_state=True, **more).result()
