"""A release: its guarantee by the exact profile, its noise by the audit, its certificate by what it must not tell."""

import dataclasses
import inspect
import json
import math
import random
import re

import mpmath
import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace, InputError, NoSensitivityError, noise_multiplier, privacy_profile
from nadp.audit.auditing import Options, audit_release
from nadp.audit.pair import paired
from nadp.calibration import epsilon_of
from nadp.mechanisms import Publication, claimed
from nadp.noise.normal import deviation
from nadp.release import Certificate, Limits, RefusedError, Released, release
from nadp.release.basis import own_graph
from nadp.release.making import publication

OPTIONS = Options(draws=4000, false_alarm=1e-6)  # the noise has no seed: a false alarm must be out of question
DELTA = 1e-6


@pytest.fixture(scope="module")
def private(space):
    return release(space, epsilon=2.0)


@pytest.fixture(scope="module")
def public(space):
    return release(space, epsilon=2.0, embedding_is_public=True)


def failed(found):
    return {verdict.name for verdict in found.verdicts if not verdict.passed}


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
@pytest.mark.parametrize("isolated", ["nearest", "drop", "global"])
def test_a_release_is_what_its_certificate_claims(words, mechanism, isolated):
    space = EmbeddingSpace.build(words, tau=0.3, isolated=isolated)
    limits = Limits(max_unprotected=1.0)
    one, other = (release(space, epsilon=2.0, mechanism=mechanism, limits=limits) for _ in range(2))
    certified = json.loads(one.certificate.to_json())
    claim = claimed(certified["mechanism"], certified["epsilon"], certified["delta"])
    pair = paired(space, one.embeddings, claim)
    found = audit_release(pair, np.random.default_rng(9), another=other.embeddings, options=OPTIONS)
    assert failed(found) == set()
    names = {verdict.name for verdict in found.verdicts}
    expected = {"low-order bits", "every word has noise", "distribution of the noise", "independence of two releases"}
    assert expected <= names
    assert found.extra == 0


def test_a_release_by_opendp_is_what_its_certificate_claims(space):
    pytest.importorskip("opendp")
    made = release(space, epsilon=2.0, sampler="opendp")
    assert made.certificate.sampler["sampler"] == "opendp"
    pair = paired(space, made.embeddings, claimed("nadp", 2.0, DELTA))
    assert failed(audit_release(pair, np.random.default_rng(9), options=OPTIONS)) == set()


def test_words_come_in_their_order_with_float32_vectors(words, private):
    assert private.embeddings.words.tolist() == words.words.tolist()
    assert private.embeddings.vectors.dtype == np.float32
    assert private.embeddings.vectors.shape == words.vectors.shape
    assert private.embeddings.counts == {}


def test_drop_leaves_out_the_words_that_are_alone_and_no_other(words):
    space = EmbeddingSpace.build(words, tau=0.3, isolated="drop")
    left = release(space, epsilon=2.0).embeddings.words.tolist()
    assert left == words.words[space.released].tolist()
    assert 0 < len(left) < len(words)


def test_an_embedding_and_its_space_are_released_alike(words, private):
    assert release(words, epsilon=2.0, tau=0.3).certificate == private.certificate


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.01, 1e-6), (0.5, 1e-9), (2.0, None), (10.0, 1e-9)])
def test_the_noise_is_large_enough_with_what_the_sampler_adds(space, mechanism, epsilon, delta):
    terms = publication(own_graph(space, mechanism), epsilon, delta, Limits())
    claim, off = terms.guarantee, terms.off
    assert off.epsilon > 0
    assert off.delta > 0
    left = (claim.delta - off.delta) * math.exp(-off.epsilon / 2)
    assert privacy_profile(claim.epsilon - off.epsilon, terms.multiplier) <= left
    claimed = noise_multiplier(claim.epsilon, claim.delta)
    assert claimed < terms.multiplier < 1.01 * claimed
    assert claim.mu * claimed == pytest.approx(1, rel=1e-15)
    largest, scale = np.abs(space.vectors).max(), terms.scale.max()
    needed = deviation(space.embeddings.dimension, scale, terms.grid, largest, 1 / terms.multiplier)
    assert off.epsilon >= needed.epsilon
    assert off.delta >= needed.delta
    longest = space.sensitivity if mechanism == "nadp" else np.full(len(space), space.sensitivity.max())
    assert terms.scale == pytest.approx(terms.multiplier * longest, rel=1e-15)
    assert terms.grid <= terms.scale.min() / 1024


def with_an_outlier(outlier):
    vectors = np.random.default_rng(5).normal(size=(60, 8))
    vectors[0] *= outlier
    return EmbeddingSpace.build(Embeddings(map(str, range(60)), vectors), tau=0.0)


@pytest.mark.parametrize(("outlier", "least"), [(1.0, 1e-10), (1e4, 1e-7), (6e4, 1e-4)])
def test_delta_covers_that_the_ratio_is_off_too(outlier, least):
    """P~(S) <= e^(a/2) P(S) <= e^(a/2) (e^epsilon Q(S) + delta) <= e^(epsilon + a) Q~(S) + e^(a/2) delta."""
    terms = publication(own_graph(with_an_outlier(outlier), "nadp"), 5.0, DELTA, Limits())
    assert least < terms.off.epsilon < 1e-3
    with mpmath.workdps(30):
        reached = privacy_profile(5.0 - terms.off.epsilon, terms.multiplier) * mpmath.exp(terms.off.epsilon / 2)
        assert reached + terms.off.delta <= terms.guarantee.delta


@pytest.mark.parametrize("epsilon", [0.01, 5.0])
def test_a_sampler_that_would_be_a_thousandth_off_or_a_tenth_of_epsilon_is_refused(epsilon):
    """Whoever composes releases may rely on it that each one's sampler is off by less than that."""
    refused, allowed = [], []
    for outlier in 10.0 ** np.arange(9):
        try:
            allowed.append(
                publication(own_graph(with_an_outlier(outlier), "nadp"), epsilon, DELTA, Limits()).off.epsilon
            )
        except InputError as error:
            refused.append(float(re.search(r"may deviate by (\S+) in epsilon", str(error))[1]))
    assert len(allowed) > 2
    assert len(refused) > 1
    assert max(allowed) <= min(1e-3, epsilon / 10) < min(refused)


def test_every_word_has_its_own_scale_and_one_grid_for_all(space, public):
    told = public.certificate.measured
    assert (
        told["noise_multiplier"]
        == publication(own_graph(space, "nadp"), 2.0, None, Limits()).multiplier
        > public.certificate.noise_multiplier
    )
    noise = public.embeddings.vectors.astype(np.float64) - space.vectors
    sigma = told["noise_multiplier"] * space.sensitivity
    assert ((noise / sigma[:, None]) ** 2).mean() == pytest.approx(1, abs=6 * math.sqrt(2 / noise.size))
    assert told["least_and_largest_noise"] == pytest.approx([sigma.min(), sigma.max()])
    assert math.frexp(told["grid"])[0] == 0.5
    assert (public.embeddings.vectors.astype(np.float64) % told["grid"] == 0).all()


def test_two_releases_differ_and_their_noise_is_uncorrelated(space, private, public):
    one, other = (made.embeddings.vectors.astype(np.float64) - space.vectors for made in (private, public))
    assert (one != other).mean() > 0.99
    one, other = (noise / space.sensitivity[:, None] for noise in (one, other))
    assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 6 / math.sqrt(one.size)
    assert abs(np.corrcoef(np.abs(one).ravel(), np.abs(other).ravel())[0, 1]) < 6 / math.sqrt(one.size)


def test_no_seed_makes_a_release_again(space):
    made = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 - that is what must not matter
        made.append(release(space, epsilon=2.0).embeddings.vectors)
    assert (made[0] != made[1]).mean() > 0.99


def test_nothing_takes_or_keeps_a_seed_a_generator_or_a_draw(private):
    for function in (release, publication):
        taken = inspect.signature(function).parameters
        assert not {name for name in taken if "seed" in name or "rng" in name or "random" in name or "bytes" in name}
    for kind in (Released, Certificate, Publication):
        names = {field.name for field in dataclasses.fields(kind)}
        assert not {
            n for n in names if any(part in n for part in ("seed", "rng", "state", "draw", "trial", "original"))
        }
    held = [private.certificate, private.measures, *dataclasses.astuple(private.certificate)]
    assert not [value for value in held if isinstance(value, (np.ndarray, np.random.Generator, bytes))]
    assert "seed" not in private.certificate.to_json().replace("no seed", "")
    assert set(vars(private)) == {"embeddings", "certificate", "measures"}


@pytest.mark.parametrize("count", [3, 300])
def test_delta_is_a_millionth_unless_there_are_many_words(count):
    few = Embeddings(map(str, range(count)), np.random.default_rng(0).normal(size=(count, 3)))
    assert (
        release(few, epsilon=1.0, tau=0.0, limits=Limits(max_recovery=1.0, max_tail=1.0)).certificate.guarantee.delta
        == 1e-6
    )


@pytest.mark.parametrize("isolated", ["nearest", "drop"])
def test_delta_is_a_tenth_of_a_word_where_many_words_are_released(words, isolated):
    """300,000 words that share 400 vectors: the graph is small, the words are many. Who was dropped is not told."""
    vectors = words.vectors[np.arange(300_000) % 400]
    many = EmbeddingSpace.build(Embeddings(map(str, range(300_000)), vectors), tau=0.3, isolated=isolated)
    count = int(many.released.sum())
    assert 100_000 < count < 300_000 if isolated == "drop" else count == 300_000
    assert publication(own_graph(many, "nadp"), 1.0, None, Limits()).guarantee.delta == 0.1 / count


def test_what_is_asked_is_what_is_certified(space):
    made = release(space, epsilon=3.5, delta=1e-5, mechanism="gaussian").certificate
    assert (made.guarantee.epsilon, made.guarantee.delta, made.guarantee.mechanism) == (3.5, 1e-5, "gaussian")
    assert made.neighbouring | {"tau": 0.3, "isolated": "nearest", "adjacency": 2, "mutual": False} == made.neighbouring


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
def test_the_policy_exact_is_refused_where_a_word_was_alone(words, mechanism):
    """NADP gives such words no noise, the Gaussian mechanism gives them noise but no guarantee."""
    space = EmbeddingSpace.build(words, tau=0.4, isolated="exact")
    share = f"is {space.neighbourhoods.was_isolated.mean():.4g}, the limit 0: choose isolated='nearest' or 'drop'"
    reason = f"not released: the share of words that isolated='exact' leaves without a guarantee {share}"
    for embeddings, graph in ((words, {"tau": 0.4, "isolated": "exact"}), (space, {})):
        with pytest.raises(RefusedError) as caught:
            release(embeddings, epsilon=1.0, mechanism=mechanism, **graph)
        assert str(caught.value).startswith(reason)
        assert ("words without noise" in str(caught.value)) == (mechanism == "nadp")


def test_the_policy_exact_is_as_good_as_any_where_no_word_was_alone(words):
    made = release(words, epsilon=1.0, tau=0.0, isolated="exact")
    assert made.certificate.neighbouring["isolated"] == "exact"
    assert len(made.embeddings) == len(words)


def test_weak_privacy_is_refused_unless_it_is_meant(space):
    with pytest.raises(RefusedError, match=r"epsilon at delta 1e-06 is 10\.5, the limit 10: .*accept_weak_privacy"):
        release(space, epsilon=10.5)
    meant = release(space, epsilon=10.5, limits=Limits(accept_weak_privacy=True, max_recovery=1.0, max_tail=1.0))
    assert meant.certificate.guarantee.epsilon == 10.5


def test_a_release_that_gives_words_back_is_refused_with_the_share_and_the_limit(space):
    with pytest.raises(RefusedError) as caught:
        release(space, epsilon=200.0, limits=Limits(accept_weak_privacy=True))
    message = str(caught.value)
    assert "recovery by the most likely word is" in message
    assert "the limit 0.5: choose a smaller epsilon" in message
    assert "low-bits" not in message


def test_a_graph_without_edges_is_refused():
    apart = Embeddings(map(str, range(200)), np.random.default_rng(0).normal(size=(200, 20)))
    for isolated in ("drop", "global", "exact"):
        with pytest.raises(NoSensitivityError, match="no edge"):
            release(apart, epsilon=1.0, tau=1.0, isolated=isolated)


@pytest.mark.parametrize("mechanism", ["laplacian", "jaccard", "gaussian-classical", "mahalanobis", "NADP", ""])
def test_mechanisms_without_the_guarantee_are_refused_by_name(space, mechanism):
    with pytest.raises(InputError, match=f"mechanism '{mechanism}'|not '{mechanism}'"):
        release(space, epsilon=1.0, mechanism=mechanism)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, 1e-12])
def test_an_epsilon_that_cannot_be_kept_is_refused(space, epsilon):
    with pytest.raises(InputError, match=f"epsilon.*{epsilon:g}"):
        release(space, epsilon=epsilon)
    if not epsilon > 0:
        with pytest.raises(InputError, match=f"epsilon must be above 0, not {epsilon!r}"):
            publication(own_graph(space, "nadp"), epsilon, None, Limits(accept_weak_privacy=True))


@pytest.mark.parametrize("delta", [0.0, -1e-9, 1.0, math.nan, 1e-17])
def test_a_delta_that_cannot_be_kept_is_refused(space, delta):
    with pytest.raises(InputError, match="delta"):
        release(space, epsilon=1.0, delta=delta)


def test_vectors_so_far_from_zero_that_the_sum_loses_the_noise_are_refused():
    vectors = np.random.default_rng(0).normal(size=(60, 4))
    vectors[0] = 1e9
    far = Embeddings(map(str, range(60)), vectors)
    with pytest.raises(InputError, match="sampler may deviate"):
        release(far, epsilon=1.0, tau=0.0, limits=Limits(max_recovery=1.0, max_tail=1.0))


@pytest.mark.parametrize("outlier", [np.nextafter(np.float32(1e15), np.float32(2e15)), -3e38])
def test_numbers_so_large_that_float64_has_no_room_for_the_noise_are_refused_by_their_size(outlier):
    vectors = np.random.default_rng(0).normal(size=(60, 4))
    for largest, said in ((outlier, r"numbers above 1e\+15"), (math.copysign(1e15, outlier), "sampler may deviate")):
        vectors[7, 2] = largest
        space = EmbeddingSpace.build(Embeddings(map(str, range(60)), vectors), tau=0.0)
        with pytest.raises(InputError, match=said):
            publication(own_graph(space, "nadp"), 1.0, None, Limits())


@pytest.mark.parametrize("more", [{"isolated": "drop", "tau": 0.9}, {"tau": 0.3}, {"embeding_is_public": True}])
def test_parameters_that_a_ready_space_cannot_use_are_refused_by_name(space, more):
    with pytest.raises(InputError, match=f": leave {', '.join(more)} out"):
        release(space, epsilon=1.0, **more)


def test_a_single_release_composes_to_itself(private):
    together = private.certificate.composition
    assert together.releases == 1
    assert together.mu == private.certificate.mu
    assert together.epsilon == pytest.approx(2.0, rel=1e-9)
    assert together.epsilon >= private.certificate.guarantee.epsilon


def test_earlier_releases_are_composed_with_this_one(space, private):
    mu = private.certificate.mu
    together = release(space, epsilon=2.0, earlier=[mu, mu, 0.1]).certificate.composition
    assert together.releases == 4
    assert together.mu == pytest.approx(math.sqrt(3 * mu**2 + 0.01))
    assert together.epsilon == pytest.approx(epsilon_of(math.sqrt(3 * mu**2 + 0.01), DELTA))
    assert together.epsilon > 2


@pytest.mark.parametrize("embedding_is_public", [False, True])
def test_the_multiplier_and_mu_of_a_certificate_belong_to_its_claim(space, embedding_is_public):
    for epsilon in (0.3, 1.0, 2.0, 7.0):
        limits = Limits(max_tail=1.0)
        made = release(space, epsilon=epsilon, limits=limits, embedding_is_public=embedding_is_public).certificate
        assert privacy_profile(made.guarantee.epsilon, made.noise_multiplier) <= made.guarantee.delta
        assert made.mu * made.noise_multiplier == pytest.approx(1)
        assert made.noise_multiplier == noise_multiplier(epsilon, DELTA)
        assert made.noise_multiplier <= publication(own_graph(space, "nadp"), epsilon, None, Limits()).multiplier


def test_a_private_certificate_holds_nothing_that_depends_on_the_vectors(words, private):
    """Other vectors of another size, in another graph, under the same parameters."""
    vectors = 37 * np.random.default_rng(8).normal(size=(400, 50)) ** 3
    other = release(Embeddings(words.words, vectors), epsilon=2.0, tau=0.3)
    assert other.certificate == private.certificate
    assert other.certificate.to_json() == private.certificate.to_json()
    assert other.certificate.to_markdown() == private.certificate.to_markdown()


def test_a_private_certificate_is_the_same_each_time(space, private):
    assert release(space, epsilon=2.0).certificate == private.certificate


def test_a_private_certificate_says_nothing_of_grid_scales_or_attacks(private):
    record = json.loads(private.certificate.to_json())
    assert record["measured"] == {}
    assert record["hashes"] == {}
    assert not {"epsilon_added", "delta_added"} & record["sampler"].keys()
    assert "Measured" not in private.certificate.to_markdown()
    for measure in private.measures[:2]:
        assert measure.name not in private.certificate.to_markdown()


def test_a_public_certificate_tells_what_was_measured(space, public):
    told = json.loads(public.certificate.to_json())["measured"]
    assert told["words"] == told["words_released"] == 400
    assert told["components"] == len(space.neighbourhoods.sizes)
    assert told["largest_components"] == sorted(space.neighbourhoods.sizes.tolist())[::-1][:5]
    assert told["isolated_share"] == space.neighbourhoods.was_isolated.mean()
    assert told["longest_edge"] == space.neighbourhoods.global_sensitivity
    assert told["float32_holds_the_grid"] is True
    assert 0 <= told["recovery_nearest"] <= 0.5
    assert {"low_bits_p_value", "recovery_likelihood"} <= told.keys()
    assert public.certificate.sampler["epsilon_added"] < 1e-5


@pytest.mark.parametrize("embedding_is_public", [False, True])
def test_certificates_are_json_and_a_page_with_statement_and_limits(space, embedding_is_public):
    made = release(space, epsilon=2.0, embedding_is_public=embedding_is_public).certificate
    record, page = json.loads(made.to_json(), parse_constant=pytest.fail), made.to_markdown()
    assert record["statement"] == made.statement
    assert made.guarantee.conditional
    assert made.statement.startswith("conditional")
    assert f"**{made.statement}.**" in page
    assert len(record["not_covered"]) >= 6
    assert all(f"- {limit}" in page for limit in record["not_covered"])
    for said in ("not joined", "does not hide the vocabulary", "trained on", "fresh noise", "Two releases"):
        assert said in page
    assert record["sampler"]["randomness"] == "the operating system's"
    assert record["versions"].keys() == {"nadp", "numpy", "scipy"}
    assert page.startswith("# ")
    assert "\n\n\n" not in page
    assert page.endswith("\n")


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        (1.2345644, 1e-6),
        (2.0, 1 / 73404),
        (2.0, 1.004e-6),
        (1 / 3, 1e-7),
        (2, 1e-6),
        pytest.param(np.float64(1.2345644), 1e-6, id="numpy"),
    ],
)
def test_the_statement_guarantees_what_the_certificate_does_to_the_last_digit(space, epsilon, delta):
    made = release(space, epsilon=epsilon, delta=delta).certificate
    said = made.statement[made.statement.index("(") + 1 : made.statement.index("-differential") - 1].split(", ")
    assert [float(figure) for figure in said] == [made.guarantee.epsilon, made.guarantee.delta] == [epsilon, delta]


def test_the_notes_say_what_the_policy_leaves_uncovered(words):
    for isolated, said in [("drop", "left out"), ("global", "does not cover them")]:
        limits = Limits(max_unprotected=1.0)
        note = release(words, epsilon=2.0, tau=0.3, isolated=isolated, limits=limits).certificate.composition.note
        assert said in note
    assert "does not cover them" not in release(words, epsilon=2.0, tau=0.3).certificate.composition.note


@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
def test_the_share_of_words_without_any_guarantee_is_stated_and_limited(words, mechanism):
    space = EmbeddingSpace.build(words, tau=0.3, isolated="global")
    share = space.neighbourhoods.was_isolated[space.embeddings.points.of_word].mean()
    assert share > 0.05
    with pytest.raises(RefusedError, match=f"without any guarantee is {share:.4g}, the limit 0.05"):
        release(space, epsilon=1.0, mechanism=mechanism)
    made = release(space, epsilon=1.0, mechanism=mechanism, limits=Limits(max_unprotected=share)).certificate
    assert json.loads(made.to_json())["share_of_words_without_a_guarantee"] == share
    assert f"{share:.2%}" in made.statement
    for isolated in ("nearest", "drop"):
        other = release(words, epsilon=1.0, mechanism=mechanism, tau=0.3, isolated=isolated).certificate
        assert json.loads(other.to_json())["share_of_words_without_a_guarantee"] == 0


def test_a_delta_that_buys_weak_privacy_is_refused_for_releases(space):
    with pytest.raises(RefusedError, match=r"epsilon at delta 1e-06 is 10\.81.*delta is 0\.5, the limit 0\.0025"):
        release(space, epsilon=1.0, delta=0.5)


def test_the_certificate_names_what_the_bound_on_the_sampler_rests_on_with_versions(space, private):
    assumed = private.certificate.sampler["assumed"]
    assert re.search(r"not proved.*scipy \d+\.\d+.* on Linux", assumed)
    assert assumed in private.certificate.to_markdown()
    pytest.importorskip("opendp")
    assert "assumed" not in release(space, epsilon=2.0, sampler="opendp").certificate.sampler


@pytest.mark.parametrize(("epsilon", "claimed"), [(95.0, True), (110.0, False)])
def test_where_mu_is_above_10_no_bound_on_the_sampler_is_claimed(space, epsilon, claimed):
    limits = Limits(accept_weak_privacy=True, max_recovery=1.0, max_tail=1.0)
    made = release(space, epsilon=epsilon, limits=limits, embedding_is_public=True).certificate
    assert (made.mu <= 10) == claimed == ("no bound" not in made.statement) == (not made.guarantee.unbounded)
    for name in ("assumed", "epsilon_added", "delta_added"):
        assert (name in made.sampler) == claimed
