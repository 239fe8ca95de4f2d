import numpy as np
import pytest
from scipy.stats import spearmanr

from nadp import EmbeddingSpace, InputError
from nadp.experiment.curves import Curve, recipe
from nadp.experiment.evaluation import privacy_scores, utility_scores
from nadp.groups import best_success, zipf_prior
from nadp.known_words import KnownWords
from nadp.mechanisms import Groups, GroupsByShare
from nadp.utility.cosine import cosines
from nadp.utility.word_similarity import WordPairs, WordSimilarity


@pytest.fixture(scope="module")
def space(clustered):
    return EmbeddingSpace.build(clustered)


@pytest.mark.parametrize(("mechanism", "setting"), [(Groups(), 5.0), (GroupsByShare(), 0.3), (GroupsByShare(0.5), 0.1)])
def test_words_of_a_group_share_a_vector_and_the_guarantee_tells_how_surely_they_are_found(space, mechanism, setting):
    table, made = mechanism.table(space, setting), mechanism.partition(space, setting)
    _, rows = np.unique(table, axis=0, return_inverse=True)
    weights = np.ones(len(space)) if mechanism == Groups() else zipf_prior(len(space), mechanism.exponent).weights
    found = mechanism.guarantee(space, setting, 1e-6)
    assert (found.epsilon, found.delta, found.kind) == (0.0, 0.0, "groups")
    assert found.success == pytest.approx(best_success(rows, weights)) == pytest.approx(made.success)
    assert found.posterior == made.largest_share
    assert made.keeps_bounds()
    if mechanism.parameter == "max_share":
        assert found.posterior <= setting
    else:
        assert np.bincount(rows).min() >= setting


@pytest.mark.parametrize(
    ("mechanism", "setting", "offender"),
    [(Groups(), 2.5, "2.5"), (Groups(), 1.0, "one word"), (GroupsByShare(), 1.5, "1.5"), (Groups(), np.nan, "nan")],
)
def test_a_setting_that_makes_no_groups_is_refused(space, mechanism, setting, offender):
    with pytest.raises(InputError, match=offender):
        mechanism.table(space, setting)


def test_a_curve_of_groups_is_scored_as_others_are_and_tells_its_parameter(space):
    curve = Curve("groups")
    made = [recipe(space, curve, size, 1e-6) for size in (2.0, 12.0)]
    assert [(one.epsilon, one.setting) for one in made] == [(None, 2.0), (None, 12.0)]
    assert made[0].noise_to_signal < made[1].noise_to_signal
    first, second = np.arange(40), np.arange(40, 80)
    pairs = WordPairs("pairs", *([f"w{i}" for i in rows] for rows in (first, second)), np.arange(40.0))
    found = utility_scores(WordSimilarity([pairs], KnownWords.of(space)), space, space.vectors, made)
    for one, scores in zip(made, found, strict=True):
        table = Groups().table(space, one.setting)
        assert scores[0].value == pytest.approx(
            spearmanr(cosines(table[first], table[second]), np.arange(40)).statistic
        )
    few, many = privacy_scores(space, space.vectors, made, repeat=0, seed=0)
    recovered = [{s.metric: s.value for s in scores}["recovery-top1"] for scores in (few, many)]
    assert recovered[0] > recovered[1]
    placed = made[1].placed(few[0], 0)
    assert (placed.mechanism, placed.parameter, placed.setting, placed.epsilon) == ("groups", "min_size", 12.0, None)
