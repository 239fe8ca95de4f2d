"""What an encoder is built from: noise that is large enough for its guarantee, and what is refused in words."""

import math

import numpy as np
import pytest

from nadp import MECHANISMS, Embeddings, EmbeddingSpace, InputError, NoSensitivityError, TextEncoder, noise_multiplier
from nadp.calibration import mu_of
from nadp.noise.exponential import laplace_deviation
from nadp.release import Limits, RefusedError
from nadp.release.basis import own_graph
from nadp.release.making import publication
from tests.nadp.texts.conftest import MECHANISMS as NAMES
from tests.nadp.texts.planting import far_apart

DELTA = 1e-6
GAUSSIAN, OTHERS = ["nadp", "gaussian"], ["laplacian", "mahalanobis"]


def build(space, mechanism, epsilon=2.0, **others):
    return TextEncoder.build(space, epsilon=epsilon, mechanism=mechanism, **others)


@pytest.mark.parametrize("mechanism", NAMES)
@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.5, 2.0, 10.0])
def test_no_word_has_less_noise_than_its_mechanism_asks_for_and_hardly_more(space, mechanism, epsilon):
    encoder = build(space, mechanism, epsilon, delta=DELTA if mechanism in GAUSSIAN else None)
    asked = MECHANISMS[mechanism]().noise_scale(space, epsilon, DELTA)
    assert (encoder.noise.scale >= asked).all()
    assert (encoder.noise.scale <= 1.02 * asked).all()
    assert encoder.noise.law == MECHANISMS[mechanism]().noise
    assert encoder.words.tolist() == space.embeddings.words.tolist()
    assert (encoder.embeddings.vectors == space.vectors).all()


@pytest.mark.parametrize("mechanism", GAUSSIAN)
def test_gaussian_noise_is_that_of_a_release(space, mechanism):
    encoder = build(space, mechanism, 2.0, delta=1e-7)
    terms = publication(own_graph(space, mechanism), 2.0, 1e-7, Limits())
    assert (encoder.noise.scale == terms.scale).all()
    assert encoder.noise.grid == terms.grid
    assert encoder.noise.law == terms.law
    assert encoder.guarantee.mu == mu_of(noise_multiplier(2.0, 1e-7))


@pytest.mark.parametrize("epsilon", [3e-6, 1e-5, 1e-3, 0.1, 2.0, 10.0])
def test_the_laplace_noise_that_is_added_keeps_epsilon_with_what_the_sampler_adds(space, epsilon):
    encoder = build(space, "laplacian", epsilon)
    (scale,) = set(encoder.noise.scale.tolist())
    largest = float(np.abs(space.vectors).max())
    added = laplace_deviation(50, scale, encoder.noise.grid, largest).epsilon
    assert added > 0
    assert space.global_l1_sensitivity / scale + added <= epsilon
    assert encoder.noise.grid <= scale / 1024


def test_a_laplace_sampler_that_would_be_too_far_off_is_refused(space):
    with pytest.raises(InputError, match=r"may deviate by \S+ in epsilon: choose an epsilon above 1e-06"):
        build(space, "laplacian", 1e-6)


def test_mahalanobis_noise_has_the_root_of_the_covariance_and_a_grid_below_its_narrowest_direction(space):
    noise = build(space, "mahalanobis", 4.0).noise
    covariance = np.cov(space.vectors.astype(np.float64), rowvar=False)
    assert noise.law.root @ noise.law.root == pytest.approx(covariance * 50 / np.trace(covariance), abs=1e-12)
    narrowest = math.sqrt(np.linalg.eigvalsh(covariance * 50 / np.trace(covariance))[0]) / 4
    assert math.frexp(noise.grid)[0] == 0.5
    assert narrowest / 2048 < noise.grid <= narrowest / 1024
    assert set(noise.scale.tolist()) == {0.25}


@pytest.mark.parametrize("mechanism", NAMES)
def test_the_guarantee_says_what_is_guaranteed(space, mechanism):
    promise = build(space, mechanism, 2.5).guarantee
    kinds = dict.fromkeys(GAUSSIAN, "(epsilon, delta)-DP") | {"laplacian": "epsilon-DP", "mahalanobis": "metric DP"}
    assert promise.kind == kinds[mechanism] == MECHANISMS[mechanism].kind
    assert promise.epsilon == 2.5
    assert promise.delta == (DELTA if mechanism in GAUSSIAN else 0.0)
    assert (promise.mu is None) == (mechanism in OTHERS)
    words = {"nadp": "(2.5, 1e-06)-", "gaussian": "(2.5, 1e-06)-", "laplacian": "2.5-", "mahalanobis": "(2.5 r)-"}
    assert words[mechanism] in promise.statement


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.2345644, 1.004e-6), (2.0, 1 / 73404), (1 / 3, 1e-7), (9.99999951, 1e-9)]
)
def test_the_statement_guarantees_what_the_noise_keeps_to_the_last_digit(space, epsilon, delta):
    said = build(space, "nadp", epsilon, delta=delta).guarantee.statement
    assert [float(figure) for figure in said[1 : said.index(")")].split(", ")] == [epsilon, delta]
    assert float(build(space, "laplacian", epsilon).guarantee.statement.split("-diff")[0]) == epsilon
    said = build(space, "mahalanobis", epsilon).guarantee.statement
    assert float(said[said.index("(") + 1 : said.index(" r)")]) == epsilon


def test_delta_is_a_millionth_or_a_tenth_of_a_word(space):
    assert build(space, "nadp").guarantee.delta == 1e-6
    many = space.vectors[np.arange(300_000) % 400]
    space = EmbeddingSpace.build(Embeddings(map(str, range(300_000)), many), tau=0.3)
    assert build(space, "nadp", 1.0).guarantee.delta == 0.1 / 300_000


@pytest.fixture(scope="module")
def with_isolated_words(sample):
    return {
        policy: EmbeddingSpace.build(sample.subset(range(400)), tau=0.4, isolated=policy)
        for policy in ("nearest", "global", "drop", "exact")
    }


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian", "laplacian"])
def test_the_policy_exact_is_refused_where_a_word_is_alone(with_isolated_words, mechanism):
    with pytest.raises(
        RefusedError, match=r"isolated='exact' leaves without a guarantee is 0\.\d+, the limit 0: choose"
    ):
        build(with_isolated_words["exact"], mechanism)


def test_the_policy_exact_is_as_good_as_any_where_no_word_is_alone(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.0, isolated="exact")
    assert (build(space, "nadp").noise.scale > 0).all()


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian", "laplacian"])
def test_the_other_policies_give_every_word_noise_and_say_what_is_not_guaranteed(with_isolated_words, mechanism):
    for policy in ("nearest", "global", "drop"):
        space = with_isolated_words[policy]
        encoder = build(space, mechanism)
        assert (encoder.noise.scale > 0).all()
        assert encoder.guarantee.isolated == policy
        assert ("isolated" in encoder.guarantee.statement) == (policy != "nearest")
        assert encoder.record["neighbouring"]["isolated"] == policy
        assert len(encoder) == (space.released.sum() if policy == "drop" else 400)


@pytest.mark.parametrize("mechanism", NAMES)
def test_each_word_that_is_kept_has_its_own_scale_where_others_are_dropped(with_isolated_words, mechanism):
    space = with_isolated_words["drop"]
    encoder = build(space, mechanism)
    delta = DELTA if mechanism in GAUSSIAN else None
    asked = MECHANISMS[mechanism]().noise_scale(space, 2.0, delta)[space.released]
    assert encoder.words.tolist() == space.embeddings.words[space.released].tolist()
    assert (encoder.embeddings.vectors == space.vectors[space.released]).all()
    assert encoder.noise.scale == pytest.approx(asked, rel=1e-4)
    assert len(encoder.noise.scale) == len(encoder) == len(encoder.words)


def test_words_of_one_vector_have_one_scale(tied):
    space = EmbeddingSpace.build(tied, tau=0.1)
    encoder = build(space, "nadp")
    points = encoder.embeddings.points
    assert len(points) < len(encoder)
    assert (encoder.noise.scale == encoder.noise.scale[points.first_word][points.of_word]).all()
    for mechanism in NAMES:
        assert len(build(space, mechanism).encode(["w0 w1 w149"]).vectors) == 3


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian", "laplacian"])
def test_weak_privacy_is_refused_unless_it_is_meant(space, mechanism):
    with pytest.raises(RefusedError, match=r"epsilon.* is 10\.5, the limit 10: .*accept_weak_privacy"):
        build(space, mechanism, 10.5)
    assert build(space, mechanism, 10.5, accept_weak_privacy=True).guarantee.epsilon == 10.5


def test_metric_privacy_has_an_epsilon_of_its_own_unit_without_a_limit(space):
    assert build(space, "mahalanobis", 50.0).guarantee.epsilon == 50


@pytest.mark.parametrize("mechanism", ["laplacian-reference", "jaccard", "gaussian-classical", "NADP", ""])
def test_mechanisms_without_a_guarantee_are_refused_by_name(space, mechanism):
    with pytest.raises(InputError, match=f"mechanism '{mechanism}'|not '{mechanism}'"):
        build(space, mechanism)


@pytest.mark.parametrize("mechanism", NAMES)
@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_an_epsilon_that_is_none_is_refused_with_its_value(space, mechanism, epsilon):
    with pytest.raises(InputError, match=f"epsilon must be above 0 and finite, not {epsilon!r}"):
        build(space, mechanism, epsilon, accept_weak_privacy=True)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-6, math.nan])
def test_a_delta_that_is_none_is_refused(space, delta):
    with pytest.raises(InputError, match="delta"):
        build(space, "nadp", delta=delta)


@pytest.mark.parametrize("mechanism", OTHERS)
def test_a_delta_that_plays_no_part_is_refused(space, mechanism):
    with pytest.raises(InputError, match=f"{mechanism} noise has no delta: leave it out"):
        build(space, mechanism, delta=1e-6)


@pytest.mark.parametrize("unknown", ["keep", "", None])
def test_another_policy_for_unknown_words_is_refused(space, unknown):
    with pytest.raises(InputError, match=f"unknown must be one of drop, error, subword, not {unknown!r}"):
        build(space, "nadp", unknown=unknown)


def test_a_graph_without_edges_is_refused():
    vectors = np.random.default_rng(0).normal(size=(200, 20))
    space = EmbeddingSpace.build(Embeddings(map(str, range(200)), vectors), tau=1.0, isolated="drop")
    for mechanism in ("nadp", "gaussian", "laplacian"):
        with pytest.raises(NoSensitivityError, match="no edge"):
            build(space, mechanism)


def test_a_direction_without_mahalanobis_noise_is_refused():
    space = EmbeddingSpace.build(Embeddings(map(str, range(50)), far_apart(50)), tau=0.0)
    with pytest.raises(InputError, match="singular"):
        build(space, "mahalanobis")


@pytest.mark.parametrize("mechanism", NAMES)
def test_the_record_tells_mechanism_graph_and_versions(space, mechanism):
    record = build(space, mechanism).record
    assert record["mechanism"] == mechanism
    assert {"nadp", "numpy", "scipy", "nltk"} == record["versions"].keys()
    graph = record["neighbouring"]
    assert bool(graph) == MECHANISMS[mechanism].uses_graph
    assert not graph or (graph["tau"], graph["isolated"], graph["n_neighbours"]) == (0.3, "nearest", 10)


def test_an_encoder_knows_its_size(encoder):
    assert (len(encoder), encoder.dimension, len(encoder.words)) == (400, 50, 400)


def test_a_delta_that_buys_weak_privacy_is_refused_for_texts_unless_it_is_meant(space):
    with pytest.raises(RefusedError, match=r"epsilon at delta 1e-06 is 10\.81.*delta is 0\.5"):
        build(space, "nadp", 1.0, delta=0.5)
    assert build(space, "nadp", 1.0, delta=0.5, accept_weak_privacy=True).guarantee.delta == 0.5
