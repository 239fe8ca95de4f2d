"""What sizes the noise: guarantees by the exact likelihood ratio, and what an attacker sees of the graph."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import Embeddings, EmbeddingSpace, InputError
from nadp.calibration import distinguishing_accuracy
from nadp.noise.grid import noisy_on_grid
from nadp.release import Limits, RefusedError, release
from nadp.release.basis import Sizing, clipped, own_graph
from nadp.release.making import publication

EPSILON, TRIES = 1.0, 2000
PUBLIC = {"public graph": Sizing(), "public sensitivity": Sizing(sensitivity=2.5), "any vectors": Sizing(clip=3.0)}


@pytest.fixture(scope="module")
def words(sample):
    """The private embedding; it resembles the public one, and lacks a third of its words."""
    some = sample.subset(range(80))
    return Embeddings(some.words, some.vectors + np.random.default_rng(1).normal(0, 0.1, some.vectors.shape))


@pytest.fixture(scope="module")
def public(sample):
    return EmbeddingSpace.build(sample.subset(range(20, 220)), tau=0.1)


def based(kind, words, public, sizing=None):
    return (sizing or PUBLIC[kind]).basis(words, public if kind == "public graph" else None)


def moved(words, row, distance):
    """The table with one vector moved by a distance, in a direction of its own."""
    direction = np.random.default_rng(row).normal(size=words.dimension)
    vectors = words.vectors.astype(np.float64)
    vectors[row] += distance * direction / np.linalg.norm(direction)
    return Embeddings(words.words, vectors)


def tables(basis, settled, count, seed):
    """Published tables, as by the operating system's randomness but repeatable, (count, m, d)."""
    vectors, scale = (np.concatenate([each] * count) for each in (basis.embeddings.vectors, settled.scale))
    noisy = noisy_on_grid(vectors, scale, settled.grid, np.random.default_rng(seed).bytes)
    return noisy.reshape(count, *basis.embeddings.vectors.shape)


def log_likelihood(found, basis, settled):
    """Of whole tables of published numbers, grid cells being narrow."""
    z = (found - basis.embeddings.vectors.astype(np.float64)) / settled.scale[:, None]
    return -(z**2).sum(axis=(1, 2)) / 2 - basis.embeddings.dimension * np.log(settled.scale).sum()


@pytest.mark.parametrize("kind", PUBLIC)
def test_the_likelihood_ratio_of_whole_tables_decides_as_often_as_the_bound_says_and_no_more(words, public, kind):
    one = based(kind, words, public)
    row = words.row_of[str(one.embeddings.words[7])]
    if kind == "any vectors":  # the two ends of a diameter
        ends = moved(Embeddings(words.words, 0 * words.vectors), row, 9.0).vectors
        vectors = [np.where(np.arange(len(words))[:, None] == row, sign * ends, words.vectors) for sign in (1, -1)]
        one, other = (based(kind, Embeddings(words.words, each), public) for each in vectors)
    else:
        other = based(kind, moved(words, row, one.differences.sensitivity[7]), public)
    settled = [publication(basis, EPSILON, None, Limits()) for basis in (one, other)]
    apart = np.linalg.norm(one.embeddings.vectors.astype(float) - other.embeddings.vectors, axis=1)
    assert apart[apart > 0] == pytest.approx(one.differences.sensitivity[7], rel=1e-6)
    right = 0
    for hidden, basis in enumerate((one, other)):
        for batch in range(10):
            found = tables(basis, settled[hidden], TRIES // 20, (hidden, batch))
            likely = [log_likelihood(found, b, t) for b, t in zip((one, other), settled, strict=True)]
            right += ((likely[1] > likely[0]) == hidden).sum()
    bound = distinguishing_accuracy(settled[0].guarantee.mu)
    assert bound == pytest.approx(0.547, abs=0.002)
    assert bound - 0.05 <= right / TRIES <= bound + 3 * math.sqrt(bound * (1 - bound) / TRIES)


@pytest.fixture(scope="module")
def replaced(sample):
    """A table and its neighbour: a word's vector replaced by that of the word at the other end of the longest edge."""
    words = sample.subset(range(600))
    space = EmbeddingSpace.build(words)
    longest = space.neighbourhoods.graph.edges[space.neighbourhoods.graph.lengths.argmax()]
    found = []
    for row, by in (longest, longest[::-1]):
        vectors = words.vectors.copy()
        vectors[row] = vectors[by]
        neighbour = EmbeddingSpace.build(Embeddings(words.words, vectors))
        change = np.log(neighbour.sensitivity / space.sensitivity)
        found.append((float((np.delete(change, row) ** 2).sum()), int(row), neighbour))
    _, row, neighbour = max(found, key=lambda one: one[0])
    return space, neighbour, np.arange(600) != row


@pytest.mark.parametrize("kind", ["own graph", *PUBLIC])
def test_the_size_of_other_words_noise_tells_two_tables_apart_under_their_own_graph_only(replaced, public, kind):
    *spaces, others = replaced
    own = [publication(own_graph(space), EPSILON, None, Limits()).scale for space in spaces]
    sizing = Sizing(sensitivity=2.5) if kind == "public graph" else PUBLIC.get(kind, Sizing())
    bases = [own_graph(s) if kind == "own graph" else based(kind, s.embeddings, public, sizing) for s in spaces]
    ratios = []
    for hidden, basis in enumerate(bases):
        found = tables(basis, publication(basis, EPSILON, None, Limits()), 100, hidden)
        squares = ((found - bases[0].embeddings.vectors.astype(np.float64)) ** 2).sum(axis=2)
        likely = [(-squares / (2 * s**2) - 50 * np.log(s))[:, others].sum(axis=1) for s in own]
        ratios += (likely[1] - likely[0]).tolist()
    right = ((ratios > np.median(ratios)) == np.repeat([False, True], 100)).sum()
    assert right >= 180 if kind == "own graph" else abs(right - 100) <= 3 * math.sqrt(50)


@pytest.mark.parametrize("kind", PUBLIC)
def test_what_is_settled_and_certified_depends_on_public_inputs_only(words, public, kind):
    other = Embeddings(words.words, np.random.default_rng(3).uniform(-4, 4, words.vectors.shape))
    settled = [publication(based(kind, each, public), EPSILON, None, Limits()) for each in (words, other)]
    for name in ("multiplier", "grid", "off", "guarantee"):
        assert getattr(settled[0], name) == getattr(settled[1], name)
    assert (settled[0].scale == settled[1].scale).all()
    assert settled[0].guarantee.between == kind
    assert not settled[0].guarantee.conditional


def test_the_gate_attacks_the_public_vectors_where_there_are_some(words, public):
    terms = {"epsilon": 8.0, "neighbourhoods_from": public, "limits": Limits(max_recovery=1.0, max_tail=1.0)}
    calm = release(words, **terms)
    wild = release(Embeddings(words.words, 10 * words.vectors), **terms)
    assert not calm.certificate.guarantee.selected
    for one, other in zip(calm.measures[:2], wild.measures[:2], strict=True):
        assert one.value == pytest.approx(other.value, abs=0.35)
        assert 0 < one.value < 0.7  # private vectors ten times as far apart would all be found
    assert {"noise_multiplier", "grid", "recovery_nearest"} <= calm.certificate.measured.keys()
    assert "words" not in calm.certificate.measured


@pytest.mark.parametrize("kind", ["public sensitivity", "any vectors"])
def test_where_the_gate_looks_at_private_vectors_the_guarantee_says_so_and_the_result_is_not_told(words, kind):
    sizing = PUBLIC[kind]
    made = release(words, epsilon=1.0, sensitivity=sizing.sensitivity, clip=sizing.clip).certificate
    assert made.guarantee.selected
    assert made.statement != type(made.guarantee)(**(vars(made.guarantee) | {"selected": False})).statement
    assert not any("recovery" in name for name in made.measured)
    assert f"{made.guarantee.constant:g}" in made.statement
    with pytest.raises(RefusedError, match="recovery"):
        release(words, epsilon=9.0, sensitivity=0.01)


def test_words_that_the_public_embedding_lacks_are_left_out_or_get_the_constant(words, public):
    known = [word for word in words.words.tolist() if word in public.embeddings.row_of]
    assert 0 < len(known) < len(words)
    left = release(words, epsilon=1.0, neighbourhoods_from=public)
    assert left.embeddings.words.tolist() == known
    basis = based("public graph", words, public, Sizing(sensitivity=2.5))
    assert basis.embeddings.words.tolist() == words.words.tolist()
    for word, own in zip(words.words.tolist(), basis.differences.sensitivity, strict=True):
        row = public.embeddings.row_of.get(word)
        assert own == (2.5 if row is None else public.sensitivity[row])
    largest = based("public graph", words, public, Sizing("gaussian", sensitivity=99.0))
    assert set(largest.differences.sensitivity) == {99.0}


def test_words_that_the_public_graph_drops_are_left_out(words, sample):
    public = EmbeddingSpace.build(sample.subset(range(250)), tau=0.4, isolated="drop")
    kept = {word for word, used in zip(public.embeddings.words.tolist(), public.released, strict=True) if used}
    basis = based("public graph", words, public)
    assert set(basis.embeddings.words.tolist()) == kept & set(words.words.tolist())
    assert (basis.differences.sensitivity > 0).all()


@pytest.mark.parametrize("isolated", ["nearest", "global", "drop"])
@pytest.mark.parametrize("mechanism", ["nadp", "gaussian"])
def test_a_public_graph_of_the_same_vectors_gives_the_noise_of_their_own(sample, isolated, mechanism):
    space = EmbeddingSpace.build(sample.subset(range(200)), tau=0.3, isolated=isolated)
    own, other = own_graph(space, mechanism), Sizing(mechanism).basis(space.embeddings, space)
    assert (own.differences.sensitivity == other.differences.sensitivity).all()
    assert (own.attacked.rows == other.attacked.rows).all()
    assert own.embeddings.words.tolist() == other.embeddings.words.tolist()


def test_the_certificate_states_how_many_words_the_gate_did_not_attack(words, public):
    key, terms = "words_that_the_gate_did_not_attack", {"epsilon": 1.0, "neighbourhoods_from": public}
    assert release(words, **terms).certificate.measured[key] == 0
    assert release(words, sensitivity=3.0, **terms).certificate.measured[key] == 20
    assert key not in release(words, epsilon=1.0, sensitivity=3.0, embedding_is_public=True).certificate.measured


def test_words_that_a_public_graph_leaves_without_noise_are_refused(words, sample):
    public = EmbeddingSpace.build(sample.subset(range(250)), tau=0.4, isolated="exact")
    with pytest.raises(RefusedError, match="without noise"):
        release(words, epsilon=1.0, neighbourhoods_from=public)


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3), st.integers(1, 40))
def test_clipped_vectors_are_never_longer_keep_their_direction_and_short_ones_are_as_they_were(seed, length, dimension):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(30, dimension)) * length * 10 ** rng.uniform(-2, 2, size=(30, 1))
    vectors = vectors.astype(np.float32)
    found = clipped(vectors, length).astype(np.float64)
    before, after = (np.linalg.norm(each.astype(np.float64), axis=1) for each in (vectors, found))
    assert (after <= length).all()
    short = before <= length * (1 - 1e-6)
    assert (found[short] == vectors[short]).all()
    assert after[~short] == pytest.approx(length, rel=1e-6)
    assert found * before[:, None] == pytest.approx(vectors * after[:, None].astype(np.float64), rel=1e-5)


@pytest.mark.parametrize("length", [1e-37, 1e-40, 1e-42, 1e-44, 1e-45])
def test_clipped_vectors_are_never_longer_where_float32_has_few_digits(length):
    vectors = np.random.default_rng(0).normal(size=(100, 20)).astype(np.float32)
    found = clipped(vectors, length).astype(np.float64)
    assert (np.linalg.norm(found, axis=1) <= length).all()


def test_numbers_above_the_public_bound_are_refused_without_saying_which(words):
    most = float(np.abs(words.vectors).max())
    assert release(words, epsilon=1.0, sensitivity=3.0, bound=most * 1.01)
    with pytest.raises(InputError, match="public bound") as caught:
        release(words, epsilon=1.0, sensitivity=3.0, bound=most * 0.99)
    assert f"{most:.3g}" not in str(caught.value)
    with pytest.raises(InputError, match="public bound"):
        release(Embeddings(words.words, 1e5 * words.vectors), epsilon=1.0, sensitivity=3.0)
    assert release(
        Embeddings(words.words, 1e5 * words.vectors), epsilon=1.0, clip=3.0, limits=Limits(max_recovery=1, max_tail=1)
    )


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"clip": 1.0, "sensitivity": 1.0}, "clip replaces"),
        ({"clip": 1.0, "bound": 1.0}, "clip replaces"),
        ({"bound": 1.0}, "bound belongs to"),
        ({"sensitivity": 1.0, "tau": 0.3}, "leave tau out"),
        ({"clip": 0.0}, "clip must be above 0"),
        ({"sensitivity": math.nan}, "sensitivity must be above 0"),
        ({"sensitivity": 1.0, "bound": -1.0}, "bound must be above 0"),
    ],
)
def test_parameters_that_do_not_go_together_or_are_out_of_range_are_refused(words, terms, said):
    with pytest.raises(InputError, match=said):
        release(words, epsilon=1.0, **terms)


def test_a_public_embedding_of_other_words_or_dimensions_is_refused(words, public):
    strange = Embeddings([f"w{i}" for i in range(len(words))], words.vectors)
    with pytest.raises(InputError, match="no word in common"):
        release(strange, epsilon=1.0, neighbourhoods_from=public)
    with pytest.raises(InputError, match="49"):
        release(Embeddings(words.words, words.vectors[:, :49]), epsilon=1.0, neighbourhoods_from=public)


def test_a_large_table_is_clipped_in_hardly_more_memory_than_the_result_takes():
    vectors = np.random.default_rng(0).normal(size=(100_000, 40)).astype(np.float32)
    tracemalloc.start()
    found = clipped(vectors, 3.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * vectors.nbytes
    assert (np.linalg.norm(found.astype(np.float64), axis=1) <= 3.0).all()
