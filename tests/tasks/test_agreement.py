"""The whole road from original files to scores agrees with peers, and with the figures that the authors published.

The peers get the files through a few naive lines of the test, and use nothing of nadp but the split of the texts.
"""

import csv
import gzip
import zipfile
from math import sqrt
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
import pytest
from gensim.models import KeyedVectors
from nltk.tokenize import NLTKWordTokenizer
from scipy.stats import pearsonr, spearmanr
from sklearn.linear_model import LogisticRegression

from nadp import Embeddings
from nadp.calibration import noise_multiplier
from nadp.known_words import KnownWords
from nadp.mechanisms import perturbed
from nadp.noise import base_draw, law_named, research_rng
from nadp.utility.classification import Classification
from nadp.utility.odd_man_out import OddManOut
from nadp.utility.sentence_similarity import SentenceSimilarity
from nadp.utility.word_similarity import WordSimilarity
from tasks.sources.benchmarks.fetching import items_of, needed_words

pytestmark = pytest.mark.shared

WORD_SETS = {
    "men": ("men/MEN_dataset_natural_form_full", " ", slice(0, None), (0, 1, 2)),
    "simlex999": ("simlex999/SimLex-999.txt", "\t", slice(1, None), (0, 1, 3)),
    "simverb3500": ("simverb3500/SimVerb-3500.txt", "\t", slice(0, None), (0, 1, 3)),
    "wordsim353": ("wordsim353/combined.tab", "\t", slice(1, None), (0, 1, 2)),
}
"""File, separator, the lines that are pairs, and the columns of the words and the rating."""
YEARS = (12, 13, 14, 15, 16)
DRAWS = 5


class Glove(NamedTuple):
    """The vectors by their words, for the peers, and for nadp."""

    vectors: dict[str, np.ndarray]
    embeddings: Embeddings

    @property
    def known(self):
        return KnownWords(self.embeddings)


@pytest.fixture(scope="module")
def glove(original, shared):
    """All words that are needed."""
    benchmarks = [original(name) for name in (*WORD_SETS, "cr", *(f"sts{year}" for year in YEARS))]
    needed = {word.encode() for words in needed_words(benchmarks).values() for word in words}
    found = {}
    with (
        zipfile.ZipFile(shared / "embeddings" / "glove.6B.50d.zip") as archive,
        archive.open("glove.6B.50d.txt") as file,
    ):
        for line in file:
            word, _, numbers = line.partition(b" ")
            if word in needed:
                found[word.decode()] = np.array(numbers.split(), dtype=np.float32)
    return Glove(found, Embeddings(found, list(found.values())))


def scores_of(evaluation, vectors):
    """Return the scores of the vectors (n, d) of all words, by benchmark and metric."""
    features = evaluation.features(vectors[evaluation.rows])
    return {(score.benchmark, score.metric): score for score in evaluation.scores(features)}


def lines_of(path, encoding="utf-8"):
    return path.read_bytes().decode(encoding).replace("\r", "").removesuffix("\n").split("\n")


def centroid(vectors, text):
    """Return the mean of the vectors of a text's words: as they are, composed, in lower case; None if none is known."""
    words = [(word, normalize("NFC", word)) for word in NLTKWordTokenizer().tokenize(text)]
    have = [vectors.get(word, vectors.get(whole, vectors.get(whole.lower()))) for word, whole in words]
    have = [vector.astype(np.float64) for vector in have if vector is not None]
    return sum(have) / len(have) if have else None


@pytest.mark.parametrize("name", WORD_SETS)
def test_word_similarity_is_what_gensim_computes(original, shared, glove, tmp_path, name):
    file, separator, pairs, columns = WORD_SETS[name]
    lines = [line.split(separator) for line in lines_of(shared / "benchmarks" / "word_similarity" / file)[pairs]]
    (tmp_path / "pairs").write_text("".join("\t".join(line[c] for c in columns) + "\n" for line in lines))
    peer = KeyedVectors(50)
    peer.add_vectors(list(glove.vectors), list(glove.vectors.values()))
    _, (expected, _), unknown = peer.evaluate_word_pairs(str(tmp_path / "pairs"))
    score = scores_of(WordSimilarity([items_of(original(name))], glove.known), glove.embeddings.vectors)[
        name, "spearman"
    ]
    assert score.value == pytest.approx(expected, abs=1e-6)
    assert 100 * (1 - score.coverage) == pytest.approx(unknown, abs=1e-9)
    assert score.items > 0.95 * len(lines)


@pytest.mark.parametrize("year", YEARS)
def test_sentence_similarity_is_the_mean_over_the_sources_of_a_naive_correlation(original, shared, glove, year):
    folder = shared / "benchmarks" / "sts" / f"sts{year}" / "raw"
    sizes, linear, ranked = [], [], []
    for file in folder.glob("*.input.*.txt"):
        pairs, ratings = lines_of(file), lines_of(folder / file.name.replace("input", "gs"))
        cosines, gold = [], []
        for pair, rating in zip(pairs, ratings, strict=True):
            one, other = (centroid(glove.vectors, text) for text in pair.split("\t")[:2])
            if rating and one is not None and other is not None:
                cosines.append(one @ other / sqrt((one @ one) * (other @ other)))
                gold.append(float(rating))
        sizes.append(len(gold))
        linear.append(pearsonr(cosines, gold).statistic)
        ranked.append(spearmanr(cosines, gold).statistic)
    name = f"sts{year}"
    scores = scores_of(SentenceSimilarity([items_of(original(name))], glove.known), glove.embeddings.vectors)
    for metric, each in {"pearson-weighted": linear, "spearman-weighted": ranked}.items():
        expected = sum(value * size for value, size in zip(each, sizes, strict=True)) / sum(sizes)
        assert scores[name, metric].value == pytest.approx(expected, abs=1e-6)
        assert scores[name, metric].items == sum(sizes)


def test_classification_is_what_a_plain_script_computes(original, shared, glove):
    folder = shared / "benchmarks" / "text_classification" / "cr"
    texts, labels = [], []
    for label, file in enumerate(("custrev.neg", "custrev.pos")):
        lines = [line for line in lines_of(folder / file, "ascii") if line.strip()]
        texts += lines
        labels += [label] * len(lines)
    features = [centroid(glove.vectors, text) for text in texts]
    features = np.array([np.zeros(50) if one is None else one for one in features])
    labels = np.array(labels)
    benchmark = items_of(original("cr"))
    train, test = benchmark.split()
    model = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(features[train], labels[train])
    score = scores_of(Classification([benchmark], glove.known), glove.embeddings.vectors)["cr", "accuracy"]
    assert score.value == pytest.approx(model.score(features[test], labels[test]), abs=1e-12)
    assert score.items == len(test) == 754
    assert score.value > 0.7


class Published(NamedTuple):
    """What the authors' files hold of the words of the puzzles, and the evaluation of them."""

    embeddings: Embeddings
    sensitivity: dict[str, dict[str, str]]
    largest: dict[str, float]
    evaluation: OddManOut

    def scores(self, vectors):
        return {metric: score.value for (_, metric), score in scores_of(self.evaluation, vectors).items()}


def table(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def published(original, shared):
    with np.load(shared / "embeddings" / "glove.42B.300d.nadp-words.npz", allow_pickle=False) as file:
        embeddings = Embeddings(file["words"].tolist(), file["vectors"])
    known = embeddings.row_of
    sensitivity = {r["word"]: r for r in table(shared / "reference" / "voc_delta.csv.gz") if r["word"] in known}
    constants = {row["name"]: row["value"] for row in table(shared / "reference" / "constants.csv")}
    largest = {tau: float(constants[f"global_delta_tau_{tau}0"]) for tau in ("0.1", "0.5")}
    puzzles = OddManOut([items_of(original("odd-man-out"))], KnownWords(embeddings))
    return Published(embeddings, sensitivity, largest, puzzles)


def test_without_noise_as_many_puzzles_are_answered_as_with_the_published_vectors(shared, published):
    found = published.scores(published.embeddings.vectors)
    expected = next(r for r in table(shared / "reference" / "oddman_results.csv") if r["mechanism"] == "none")
    assert len(published.embeddings) - len(published.sensitivity) == 67
    for metric, column in (("correct", "correct"), ("wrong", "wrong"), ("abstained", "abstain")):
        assert found[f"reference-{metric}"] == pytest.approx(1173 * float(expected[f"{column}_recomputed"]), abs=1e-9)


@pytest.mark.parametrize(
    ("noise", "tau", "share", "deviation"),
    [
        ("of the whole graph", "0.5", 0.1978, 0.018),
        ("of the whole graph", "0.1", 0.20, 0.018),
        ("of each neighbourhood", "0.5", 0.3410, 0.0075),
        ("of each neighbourhood", "0.1", 0.265, 0.015),
        ("of each neighbourhood, or of the whole graph for words alone", "0.5", 0.21, 0.018),
    ],
)
def test_odd_man_out_under_the_published_sensitivities(published, noise, tau, share, deviation):
    """The tolerance is three standard errors of five draws; `deviation` is that of one draw, measured over 200."""
    largest = published.largest[tau]
    rows = [published.sensitivity.get(word) for word in published.embeddings.words.tolist()]
    own = np.array([float(row[f"delta_tau_{tau}"]) if row else largest for row in rows])
    sensitivity = {
        "of the whole graph": np.full(len(own), largest),
        "of each neighbourhood": own,
        "of each neighbourhood, or of the whole graph for words alone": np.where(own == 0, largest, own),
    }[noise]
    shares = []
    for repeat in range(DRAWS):
        draw = base_draw(law_named("gaussian"), published.embeddings, research_rng(0, "gaussian", repeat))
        noisy = perturbed(published.embeddings.vectors, draw, noise_multiplier(40, 1 / 73404) * sensitivity)
        shares.append(published.scores(noisy)["reference-correct-share"])
    assert np.mean(shares) == pytest.approx(share, abs=3 * deviation / sqrt(DRAWS))
