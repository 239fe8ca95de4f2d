"""Topics of words, from a list or by k-means. Groups of neighbours hide a word but not its topic."""

from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from nadp.embeddings import Floats, Ids, Words
from nadp.errors import FormatError, InputError
from nadp.runtime.optional import optional
from nadp.runtime.progress import Stage

CLUSTERS = 200
_FITTED = 20_000  # words
NO_TOPIC = -1


def clustered_topics(vectors: Floats, topics: int = CLUSTERS, seed: int = 0) -> Ids:
    """Return the topic of each word, (n,): its cluster under Euclidean k-means of the unit vectors.

    The clusters are fitted to the first 20,000 words; every other word joins the nearest cluster.

    Args:
        vectors: (n, d) vectors; a zero vector stays zero.
        topics: number of topics; reduced to the number of distinct directions if that is smaller.
        seed: seed of k-means++.

    Raises:
        InputError: if scikit-learn is not installed.
    """
    with optional("utility", "topics by k-means"):
        from sklearn.cluster import KMeans  # noqa: PLC0415 - optional, slow to import
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    unit_float64 = unit.astype(np.float64)
    directions = len(np.unique(unit[:_FITTED].round(5), axis=0))  # scikit-learn warns of more clusters than points
    means = KMeans(min(topics, directions), n_init=1, random_state=seed)
    with threadpool_limits(1, user_api="openmp"), Stage("topics by k-means", len(unit_float64)):  # sums in one order
        return means.fit(unit_float64[:_FITTED]).predict(unit_float64).astype(np.int64)


def listed_topics(path: str | Path, words: Words) -> tuple[Ids, list[str]]:
    """Return the topic of each word, (n,), from a list, and the topics' names; NO_TOPIC for words not in the list.

    Args:
        path: path of the list: a word, a tab, and its topic on each line.
        words: (n,) words to look up, first unchanged, then in lower case.

    Raises:
        InputError: if there is no such file, or it holds none of the words.
        FormatError: if a line is not a word with a topic; the message names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 ({error.reason}): save it as UTF-8") from error
    topic_of_word: dict[str, str] = {}
    for number, line in enumerate(content.split("\n"), start=1):
        word, tab, topic = line.strip(" \r").partition("\t")
        if line.strip() and not (word and tab and topic.strip()):
            raise FormatError(
                f"{path}, line {number}: a line must hold a word, a tab and the word's topic, not {line[:60]!r}"
            )
        if line.strip():
            topic_of_word.setdefault(word, topic.strip())
    names = sorted(set(topic_of_word.values()))
    number_of = {name: i for i, name in enumerate(names)}
    topics = [number_of.get(topic_of_word.get(w, topic_of_word.get(w.lower(), "")), NO_TOPIC) for w in words.tolist()]
    if max(topics) == NO_TOPIC:
        raise InputError(f"{path} holds none of the words of the embedding")
    return np.array(topics), names
