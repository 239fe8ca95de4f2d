"""What earlier releases of a series leave of the noise: by averages made by hand, and by the ledger."""

import math

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace
from nadp.calibration import epsilon_of, mu_of, noise_multiplier
from nadp.release import Ledger, Limits, RefusedError, release
from nadp.release.basis import Sizing, own_graph
from nadp.release.gate import simulated_measures
from nadp.release.publishing import Order, publish
from nadp.release.together import Earlier
from tests.nadp.release.worker import entry

MEANT = Limits(accept_weak_privacy=True, max_recovery=1.0, max_tail=1.0)


@pytest.fixture(scope="module")
def space(sample):
    return EmbeddingSpace.build(sample.subset(range(500)))


def mostly(space, scale, limits=None):
    return {one.key: one for one in simulated_measures(own_graph(space).attacked, scale, limits or Limits())}


def test_the_average_of_releases_has_the_noise_that_is_computed():
    """The mean weighted by precision, of releases sized alike and others, is the least-squares estimate."""
    sensitivity, multiplier = np.array([0.5, 1.0, 4.0]), 2.0
    found = Earlier((1 / 2.0, 1 / 3.0), (0.7, 0.7), (0.8, 1.5)).scale(sensitivity, multiplier)
    sigma = np.array([2 * sensitivity, 2 * sensitivity, 3 * sensitivity, np.full(3, 0.8), np.full(3, 1.5)])
    weights = sigma**-2 / (sigma**-2).sum(axis=0)
    assert found == pytest.approx(np.sqrt((weights**2 * sigma**2).sum(axis=0)))
    assert Earlier().scale(np.array([0.0, 3.0]), 2.0).tolist() == [0.0, 6.0]


def test_recovery_and_tail_are_those_of_draws_made_by_hand(space):
    """The probability of each word, from 400 draws in float64; the share above one half lies between two others."""
    rng, vectors = np.random.default_rng(5), space.vectors.astype(np.float64)
    scale = noise_multiplier(10.0, 1e-6) * space.sensitivity
    hits = np.zeros(len(space))
    squares = (vectors**2).sum(1)
    for _ in range(400):
        noisy = vectors + scale[:, None] * rng.normal(size=vectors.shape)
        loss = ((noisy**2).sum(1)[:, None] - 2 * noisy @ vectors.T + squares) / (2 * scale**2)
        hits += (loss + vectors.shape[1] * np.log(scale)).argmin(1) == np.arange(len(space))
    probability = hits / 400
    found = mostly(space, scale)
    assert found["recovery_together"].value == pytest.approx(probability.mean(), abs=0.02)
    surely, perhaps = (probability > 0.75).mean(), (probability > 0.3).mean()
    assert 0.005 < surely < perhaps < 0.4
    assert surely <= found["share_mostly_recovered"].value <= perhaps


def test_the_tail_is_limited_where_the_mean_is_not(space):
    scale = noise_multiplier(10.0, 1e-6) * space.sensitivity
    found = mostly(space, scale)
    assert found["recovery_together"].passed
    assert not found["share_mostly_recovered"].passed
    assert mostly(space, scale, Limits(max_tail=1.0))["share_mostly_recovered"].passed
    assert all(one.passed for one in mostly(space, 5 * scale).values())


def test_the_average_of_25_releases_at_epsilon_5_is_refused_without_consent(space):
    mu = mu_of(noise_multiplier(5.0, 1e-6))
    with pytest.raises(RefusedError) as caught:
        release(space, epsilon=5.0, earlier=[mu] * 24)
    failed = {one.key: one.value for one in caught.value.measures if not one.passed}
    assert {"epsilon_together", "recovery_together", "share_mostly_recovered"} <= failed.keys()
    assert failed["epsilon_together"] == pytest.approx(epsilon_of(5 * mu, 1e-6))
    assert 0.75 < failed["recovery_together"] < 0.95
    assert release(space, epsilon=5.0, earlier=[mu] * 24, limits=MEANT).certificate.composition.releases == 25


def test_weak_privacy_that_is_meant_does_not_open_the_limits_of_recovery(space):
    mu = mu_of(noise_multiplier(5.0, 1e-6))
    with pytest.raises(RefusedError, match="all releases together") as caught:
        release(space, epsilon=5.0, earlier=[mu] * 24, limits=Limits(accept_weak_privacy=True))
    assert "epsilon" not in str(caught.value).split("choose")[0]


@pytest.mark.parametrize("sizing", [None, Sizing(sensitivity=3.0), Sizing(clip=2.0)])
def test_a_series_of_releases_is_refused_at_epsilon_10_together(space, tmp_path, sizing):
    """With a public constant each release may have new vectors; with the own graph they are the same."""
    ledger, rng = Ledger(tmp_path / "ledger.sqlite"), np.random.default_rng(0)

    def publish_next(turn):
        retrained = Embeddings(space.embeddings.words, space.vectors + rng.normal(0, 0.01, space.vectors.shape))
        basis = sizing.basis(retrained) if sizing else own_graph(space)
        publish(basis, Order(f"{turn}", tmp_path / f"{turn}.txt", 5.0, limits=Limits(max_tail=1.0)), ledger)

    done = math.floor((mu_of(noise_multiplier(10.0, 1e-6)) / mu_of(noise_multiplier(5.0, 1e-6))) ** 2)
    assert done > 1
    for turn in range(done):
        publish_next(turn)
    with pytest.raises(RefusedError) as caught:
        publish_next(done)
    assert next(one for one in caught.value.measures if not one.passed).key == "epsilon_together"
    states = [each.state for each in ledger.entries()]
    assert states == ["published"] * done + ["cancelled"]
    assert len({each.sizing for each in ledger.entries()}) == 1


def test_what_is_sized_alike_is_reported_by_what_sizes_it(space, sample):
    """A public graph and a constant whatever the private vectors, the own graph only with the same ones."""
    moved = Embeddings(space.embeddings.words, space.vectors * np.float32(1.001))
    public = EmbeddingSpace.build(sample.subset(range(600)))
    other = EmbeddingSpace.build(sample.subset(range(600)), tau=0.4)
    for sizing in (Sizing(sensitivity=3.0), Sizing(clip=1.5), Sizing(bound=99.0)):
        given = public if sizing.bound else None
        assert sizing.basis(moved, given).sizing == sizing.basis(space.embeddings, given).sizing
    assert Sizing(sensitivity=3.0).basis(moved).sizing == Sizing(clip=1.5).basis(moved).sizing
    assert own_graph(space).sizing == own_graph(EmbeddingSpace.build(space.embeddings)).sizing
    different = [own_graph(space), own_graph(space, "gaussian"), own_graph(EmbeddingSpace.build(moved))]
    different += [Sizing().basis(moved, public), Sizing().basis(moved, other), Sizing("gaussian").basis(moved, public)]
    different += [Sizing(sensitivity=2.0).basis(moved, public), Sizing(sensitivity=2.0).basis(moved)]
    assert len({basis.sizing for basis in different}) == len(different)


def test_releases_of_a_ledger_without_fingerprints_count_as_alike_only_with_the_same_vectors_and_graph():
    new = entry("new", sizing="s")
    old = [entry("same"), entry("graph", graph="g", least_noise=0.5), entry("vectors", identity="v")]
    found = Earlier.of([*old, entry("like", sizing="s", identity="v"), entry("unlike", sizing="t", mu=2.0)], new)
    assert found == Earlier((1.0, 1.0), (1.0, 1.0, 2.0), (0.5,))


def test_releases_whose_noise_is_not_known_need_consent():
    unknown = Earlier(others=(0.1,))
    (failed,) = [one for one in unknown.measures(0.1, Limits()) if not one.passed]
    assert (failed.key, failed.value) == ("releases_of_unknown_noise", 1)
    assert all(one.passed for one in unknown.measures(0.1, MEANT))
