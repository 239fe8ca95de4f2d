import numpy as np
import pytest

from nadp import FormatError, InputError
from nadp.attacks.topics import NO_TOPIC, clustered_topics, listed_topics

WORDS = np.array(["heroin", "Cocaine", "tea", "the"])


def written(tmp_path, text):
    (tmp_path / "topics.txt").write_bytes(text.encode())
    return tmp_path / "topics.txt"


def test_topics_come_from_a_list(tmp_path):
    path = written(tmp_path, "\ufeffheroin\tdrugs\r\ncocaine\tdrugs\n\ntea\thot drinks\nheroin\tother\nelse\tother\n")
    topics, names = listed_topics(path, WORDS)
    assert names == ["drugs", "hot drinks", "other"]
    assert topics.tolist() == [0, 0, 1, NO_TOPIC]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("heroin drugs\n", FormatError, "line 1"),
        ("heroin\tdrugs\ntea\t \n", FormatError, "line 2"),
        ("coffee\tdrinks\n", InputError, "none of the words"),
    ],
)
def test_what_is_no_list_of_topics_is_refused(tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        listed_topics(written(tmp_path, text), WORDS)
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\tdrinks\n")
    with pytest.raises(FormatError, match=r"latin\.txt is not UTF-8"):
        listed_topics(tmp_path / "latin.txt", WORDS)
    with pytest.raises(InputError, match="no such file"):
        listed_topics(tmp_path / "none.txt", WORDS)


def test_clusters_of_directions_are_topics():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(5, 20))
    own = rng.integers(0, 5, 200)
    lengths = rng.uniform(0.1, 10, size=(200, 1))
    vectors = (lengths * (directions[own] + 0.1 * rng.normal(size=(200, 20)))).astype(np.float32)
    topics = clustered_topics(vectors, 5)
    assert len(set(zip(topics.tolist(), own.tolist(), strict=True))) == len(set(topics.tolist())) == 5
    assert np.array_equal(topics, clustered_topics(vectors, 5))
    assert len(set(clustered_topics(vectors[:3], 5).tolist())) == 3


def test_there_are_no_more_clusters_than_directions():
    vectors = np.array([[1, 1], [2, 2], [3, 3], [1, 0], [5, 0]], dtype=np.float32)
    found = clustered_topics(vectors, topics=4)
    assert len(set(found[:3])) == len(set(found[3:])) == 1
    assert found[0] != found[3]
