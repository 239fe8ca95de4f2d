import numpy as np
import pytest

from nadp import read_embeddings


def test_the_sample_holds_the_ten_thousand_most_frequent_words(sample):
    assert sample.vectors.shape == (10_000, 50)
    assert sample.words[:5].tolist() == ["the", ",", ".", "of", "to"]
    assert sample.counts["lines"] == 10_000
    assert len(sample.points) == 10_000


@pytest.mark.shared
def test_the_sample_is_the_beginning_of_the_official_file(sample, shared):
    official = read_embeddings(shared / "embeddings" / "glove.6B.50d.zip", limit=10_000)
    assert sample.words.tolist() == official.words.tolist()
    assert np.array_equal(sample.vectors, official.vectors)
