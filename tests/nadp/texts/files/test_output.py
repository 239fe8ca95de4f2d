"""A file of texts through an encoder as one call: every text once, no second draw, and counts for its owner only."""

import json
import os

import pyarrow.parquet as pq
import pytest

from nadp import FormatError, InputError
from nadp.texts.files import Texts, split
from nadp.texts.files.encoding import EncodingTerms
from nadp.texts.files.output import TextFile, TextOutput, encode_file
from tests.nadp.texts.planting import far_apart, planted

NEAR = 1e-3  # noise that leaves every vector nearest to its own word


@pytest.fixture
def encoder():
    return planted(far_apart(3), NEAR, words=["the", "police", "42"])


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("the police\n42\n\nthe secret 42\nthe\n")
    return Texts(path)


def rows(out):
    return [row for part in sorted(out.glob("part-*")) for row in pq.read_table(part).to_pylist()]


def test_every_text_comes_out_once_in_order_and_what_was_counted_is_for_its_owner_only(encoder, texts, tmp_path):
    counts = encode_file(texts, encoder, tmp_path / "out", terms=EncodingTerms(output="words"), shard_texts=2)
    known = [["the", "police"], ["42"], [], ["the", "42"], ["the"]]
    assert rows(tmp_path / "out") == [{"id": i, "words": words} for i, words in enumerate(known)]
    assert json.loads(counts.read_text()) == {"texts": 5, "tokens": 6, "unknown": 1, "cut": 0, "spread": 0}
    record = tmp_path / ".out.record"
    assert counts.parent == record
    assert record.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in record.iterdir()} == {0o600}
    made = [*record.iterdir(), *(tmp_path / "out").iterdir()]
    assert not any(b"secret" in path.read_bytes() for path in made)


def test_a_second_call_draws_nothing_and_counts_the_same(encoder, texts, tmp_path):
    counts = encode_file(texts, encoder, tmp_path / "out", shard_texts=2)
    before = rows(tmp_path / "out"), counts.read_text()
    encode_file(texts, encoder, tmp_path / "out", shard_texts=2)
    assert (rows(tmp_path / "out"), counts.read_text()) == before
    assert rows(tmp_path / "out")[0]["vectors"][0] != encoder.embeddings.vectors[0].tolist()


def test_other_texts_are_refused_for_the_same_folder_and_their_hash_stays_out_of_the_message(encoder, texts, tmp_path):
    encode_file(texts, encoder, tmp_path / "out")
    before = TextFile.found(texts).sha256
    texts.path.write_text("the\n")
    with pytest.raises(InputError, match="the texts were others") as caught:
        encode_file(texts, encoder, tmp_path / "out")
    assert before not in str(caught.value)
    assert TextFile.found(texts).sha256 not in str(caught.value)


def test_a_text_that_would_be_refused_is_refused_before_anything_is_made(texts, tmp_path):
    strict = planted(far_apart(3), NEAR, words=["the", "police", "42"], unknown="error")
    with pytest.raises(InputError, match="text 3 has a token at position 1") as caught:
        encode_file(texts, strict, tmp_path / "out")
    assert "secret" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["texts.txt"]


def test_what_was_begun_is_not_checked_once_more(encoder, texts, tmp_path, monkeypatch):
    encode_file(texts, encoder, tmp_path / "out")
    monkeypatch.setattr("nadp.texts.files.output.check", lambda *_: pytest.fail("checked again"))
    encode_file(texts, encoder, tmp_path / "out")


def test_a_file_that_changes_in_the_course_is_noticed(encoder, texts, tmp_path):
    file, shards = TextFile.found(texts), split(texts, 2)
    output = TextOutput(file, shards.ids, encoder, EncodingTerms(), tmp_path / "out")
    output.begin(shards)
    output.encode(shards.shards[0])
    os.utime(texts.path, ns=(0, file.modified + 1))
    with pytest.raises(FormatError, match="was changed while its texts were encoded"):
        output.encode(shards.shards[1])
    assert len(list((tmp_path / "out").glob("part-*"))) == 1


def test_an_output_that_is_the_file_of_the_texts_is_refused(encoder, texts):
    before = texts.path.read_bytes()
    with pytest.raises(InputError, match="cannot be written to"):
        encode_file(texts, encoder, texts.path)
    assert texts.path.read_bytes() == before
