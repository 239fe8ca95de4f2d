"""What gensim pickles is not read, but the message converts it."""

import subprocess
import sys

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec

from nadp import FormatError, read_embeddings

SENTENCES = [["the", "police", "said"], ["the", "court", "said"]] * 5


def keyed(path):
    vectors = KeyedVectors(3)
    vectors.add_vectors(["the", "police"], np.eye(2, 3, dtype=np.float32))
    vectors.save(str(path))
    return vectors


def trained(kind):
    def save(path):
        model = kind(SENTENCES, vector_size=4, min_count=1, epochs=1, workers=1)
        model.save(str(path))
        return model.wv

    return save


@pytest.mark.parametrize(
    ("name", "save"), [("a.kv", keyed), ("a.model", trained(Word2Vec)), ("b.model", trained(FastText))]
)
def test_the_two_lines_of_the_message_convert_a_pickle(tmp_path, name, save):
    expected = save(tmp_path / name)
    with pytest.raises(FormatError, match=name) as caught:
        read_embeddings(tmp_path / name)
    lines = str(caught.value).splitlines()[-2:]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True)
    found = read_embeddings((tmp_path / name).with_suffix(".bin"))
    assert found.words.tolist() == expected.index_to_key
    assert (found.vectors == expected.vectors).all()
