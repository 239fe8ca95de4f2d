import numpy as np
import pytest

from nadp import MECHANISMS, EmbeddingSpace, Score
from nadp.experiment.curves import Curve, recipe, scales
from nadp.experiment.evaluation import privacy_scores, scores_on_common, utility_scores
from nadp.experiment.privacy import likelihood_recovery, privacy
from nadp.known_words import KnownWords
from nadp.mechanisms import perturbed
from nadp.noise import base_draw, law_named
from nadp.tokens import Tokenizer
from nadp.utility.base import WordRows
from nadp.utility.sentence_similarity import SentencePairs, SentenceSimilarity

CURVES = [Curve("nadp", 0.5, "exact"), Curve("laplacian", 0.5, "exact"), Curve("mahalanobis"), Curve("none")]


class MeanOfWords(WordRows):
    """An evaluation whose only figure is the mean of what it is given."""

    rows = np.array([3, 17, 200])

    def scores(self, features):
        assert features.dtype == np.float32
        return [Score("mean", "mean", float(features.astype(float).mean()), len(features), 1.0)]


@pytest.fixture(scope="module")
def space(clustered):
    return EmbeddingSpace.build(clustered, tau=0.5, isolated="exact")


def recipes_of(space, curve):
    return [recipe(space, curve, epsilon, 1e-4) for epsilon in ([None] if curve.mechanism == "none" else [1.0, 8.0])]


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.mechanism)
def test_utility_is_that_of_the_noisy_vectors_of_the_rows_that_are_read(space, curve):
    recipes = recipes_of(space, curve)
    draw = base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(0))
    found = utility_scores(MeanOfWords(), space, draw, recipes)
    noisy = [perturbed(space.vectors, draw, scale)[MeanOfWords.rows].astype(float) for scale in scales(space, recipes)]
    assert [score.value for (score,) in found] == pytest.approx([table.mean() for table in noisy], rel=1e-5)
    assert len({score.value for (score,) in found}) == len(recipes)


def test_privacy_attacks_all_words_in_the_first_repeat_and_a_seeded_sample_in_the_others(sample):
    space = EmbeddingSpace.build(sample.subset(range(2500)), tau=0.3)
    recipes = recipes_of(space, Curve("gaussian", 0.3, "nearest"))
    draw = base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(0))
    full, one, same, other, seeded = (
        privacy_scores(space, draw, recipes, repeat=repeat, seed=seed)
        for repeat, seed in [(0, 0), (1, 0), (1, 0), (2, 0), (1, 9)]
    )
    assert [scores[:-2] for scores in full] == privacy(space, draw, scales(space, recipes))
    assert {(score.metric, score.items) for scores in full for score in scores[-2:-1]} == {
        ("recovery-likelihood", 1000)
    }
    assert {score.items for scores in full for score in scores[:-2]} == {2500}
    assert {score.items for scores in one for score in scores[:-2]} == {2000}
    for scores in (*full, *one):
        found = {score.metric: score.value for score in scores}
        assert found["recovery-strongest"] == max(found["recovery-top1"], found["recovery-likelihood"])
    assert one == same
    assert one != other
    assert one != seeded
    top = [next(s.value for s in scores if s.metric == "recovery-top1") for scores in full]
    assert top[0] < top[1]  # more epsilon, more recovery


def test_where_all_words_get_one_amount_of_noise_the_most_likely_word_is_the_nearest(clustered):
    space = EmbeddingSpace.build(clustered)
    draw = np.random.default_rng(3).standard_normal(space.vectors.shape).astype(np.float32)
    words = np.arange(len(space))
    amounts = np.full((1, len(space)), 0.4)
    (likely,) = likelihood_recovery(space, law_named("gaussian"), draw, amounts, words)
    nearest = {score.metric: score.value for score in privacy(space, draw, amounts, words)[0]}
    assert likely.value == nearest["recovery-top1"]
    assert 0.1 < likely.value < 0.9


def test_who_knows_the_noise_of_each_word_recovers_more_than_who_does_not(sample_space):
    recipes = [recipe(sample_space, Curve("nadp", 0.3, "exact"), 5.0, 1e-4)]
    draw = base_draw(law_named("gaussian"), sample_space.embeddings, np.random.default_rng(4))
    words = np.arange(len(sample_space))
    amounts = scales(sample_space, recipes)
    (likely,) = likelihood_recovery(sample_space, law_named("gaussian"), draw, amounts, words)
    nearest = {score.metric: score.value for score in privacy(sample_space, draw, amounts, words)[0]}
    assert likely.value > nearest["recovery-top1"] + 0.02


@pytest.mark.parametrize(("mechanism", "epsilon"), [("laplacian", 40.0), ("mahalanobis", 10.0)])
def test_who_knows_the_law_of_the_noise_recovers_more_than_who_does_not(sample_space, mechanism, epsilon):
    recipes = [recipe(sample_space, Curve(mechanism, 0.3, "exact"), epsilon, 1e-4)]
    law = MECHANISMS[mechanism]().noise.fitted(sample_space.embeddings)
    draw = base_draw(law, sample_space.embeddings, np.random.default_rng(5))
    words = np.arange(len(sample_space))
    amounts = scales(sample_space, recipes)
    (likely,) = likelihood_recovery(sample_space, law, draw, amounts, words)
    nearest = {score.metric: score.value for score in privacy(sample_space, draw, amounts, words)[0]}
    assert 0.05 < nearest["recovery-top1"] < 0.9
    assert likely.value > nearest["recovery-top1"] + 0.01
    assert "recovery-likelihood" in {
        score.metric for score in privacy_scores(sample_space, draw, recipes, repeat=1, seed=0)[0]
    }


def test_recovery_on_common_words_is_that_of_an_attack_on_them_alone(clustered):
    space = EmbeddingSpace.build(clustered)
    recipes = [recipe(space, Curve("nadp", 0.3, "nearest"), 20.0, 1e-4)]
    draw = base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(0))
    common = np.random.default_rng(1).random(len(space)) < 0.5
    (found,) = privacy_scores(space, draw, recipes, repeat=0, seed=0, common=common)
    (alone,) = privacy(space, draw, scales(space, recipes), np.flatnonzero(common))
    marked = [score for score in found if score.words == "common" and score.metric != "recovery-strongest"]
    assert [(s.metric, s.value, s.items) for s in marked] == [(s.metric, s.value, s.items) for s in alone]


def test_scores_on_common_words_are_marked(clustered):
    space = EmbeddingSpace.build(clustered)
    recipes = [recipe(space, Curve("nadp", 0.3, "nearest"), e, 1e-4) for e in (1.0, 10.0)]
    draw = base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(0))
    plain, marked = (score(MeanOfWords(), space, draw, recipes) for score in (utility_scores, scores_on_common))
    assert [[s.value for s in scores] for scores in marked] == [[s.value for s in scores] for scores in plain]
    assert all(s.words == "common" for scores in marked for s in scores)


SENTENCES = [" ".join(f"w{(7 * i + j) % 240}" for j in range(12)) for i in range(120)]


@pytest.fixture(scope="module")
def sentences(space):
    """Pairs that share the more words, the higher their rating: a task that word overlap alone solves."""
    shared = np.arange(120) % 13
    second = [
        " ".join([*text.split()[:k], *(f"w{(11 * i + j + 120) % 240}" for j in range(12 - k))])
        for i, (text, k) in enumerate(zip(SENTENCES, shared.tolist(), strict=True))
    ]
    pairs = SentencePairs("overlap", SENTENCES, second, shared.astype(float), [""] * 120, Tokenizer("spaces"))
    return SentenceSimilarity([pairs], KnownWords.of(space))


def spearman(scores):
    return next(score for score in scores if score.metric == "spearman")


def test_noise_that_two_sentences_share_is_worth_a_score_and_noise_of_their_own_is_not(space, sentences):
    recipes = [recipe(space, Curve("gaussian", 0.5, "exact"), 0.01, 1e-4)]  # the noise drowns the vectors
    one, other = (base_draw(law_named("gaussian"), space.embeddings, np.random.default_rng(i)) for i in range(2))
    (shared,), (independent,) = (utility_scores(sentences, space, one, recipes, twin) for twin in (None, other))
    assert spearman(shared).value > 0.6
    assert abs(spearman(independent).value) < 0.35  # four standard errors of 120 pairs


def test_the_floor_is_the_score_of_random_vectors(space, sentences):
    quiet = [recipe(space, Curve("none"), None, 1e-4)]
    (shared,) = utility_scores(sentences, space, space.vectors, quiet)
    (independent,) = utility_scores(sentences, space, space.vectors, quiet, space.vectors)
    assert spearman(shared).floor > 0.6
    assert abs(spearman(independent).floor) < 0.35
    assert spearman(shared).value == spearman(independent).value
