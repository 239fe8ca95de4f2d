"""Audits of certified releases: with the public inputs that sized the noise, or the graph that its owner kept."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace, FormatError, InputError, read_embeddings
from nadp.audit.auditing import Options, audit_release
from nadp.audit.certified import read_certificate
from nadp.calibration import mu_of, noise_multiplier
from nadp.components import neighbourhoods
from nadp.graph import neighbour_graph
from nadp.release import Ledger, Limits
from nadp.release.audited import audited_pair
from nadp.release.basis import Sizing, own_graph
from nadp.release.graphs import save_graph_of, space_with_graph
from nadp.release.places import graphs_beside
from nadp.release.publishing import Order, publish
from nadp.search import NearestNeighbours, nearest_neighbours

OPTIONS = Options(draws=0, false_alarm=1e-9)  # the noise has no seed: a false alarm must be out of question
SIZINGS = {
    "public graph": Sizing(),
    "public graph, one scale": Sizing("gaussian"),
    "public graph and a constant": Sizing(sensitivity=2.5),
    "public sensitivity": Sizing(sensitivity=2.5),
    "any vectors": Sizing(clip=3.0),
}


@pytest.fixture(scope="module")
def words(sample):
    """The private embedding: other vectors than the public one, of which it lacks some words, and some with one."""
    some = sample.subset(range(300))
    vectors = some.vectors + np.random.default_rng(1).normal(0, 1, some.vectors.shape).astype(np.float32)
    vectors[250:260] = vectors[240:250]
    return Embeddings(some.words, vectors)


@pytest.fixture(scope="module")
def public(sample):
    return EmbeddingSpace.build(sample.subset(range(20, 500)), tau=0.3)


def published(basis, folder, **more):
    order = Order("run", folder / "private.npz", 2.0, limits=Limits(max_recovery=1, max_tail=1), **more)
    publish(basis, order, Ledger(folder / "ledger" / "ledger.sqlite"))
    return read_certificate(folder / "private.npz.certificate.json"), read_embeddings(folder / "private.npz")


def failed(pair):
    found = audit_release(pair, np.random.default_rng(3), options=OPTIONS)
    return {verdict.name for verdict in found.verdicts if not verdict.passed}


@pytest.mark.parametrize("kind", SIZINGS)
def test_a_release_whose_noise_public_inputs_sized_passes_with_these(words, public, tmp_path, kind):
    given = public if "graph" in kind else None
    certified, released = published(SIZINGS[kind].basis(words, given), tmp_path)
    pair = audited_pair(words, released, certified, public=given)
    assert failed(pair) == set()
    assert len(pair.rows) == len(released)
    assert pair.missing == len(words) - len(released)
    assert certified.guarantee.between == kind.split(" and")[0].split(",")[0]
    assert certified.guarantee.statement.split(";")[0] == published_statement(tmp_path).split(";")[0]


def published_statement(folder):
    return json.loads((folder / "private.npz.certificate.json").read_text())["statement"]


@pytest.mark.parametrize("kind", SIZINGS)
def test_the_originals_own_graph_would_fail_it(words, public, tmp_path, kind):
    """What the audit did before: under other noise scales a correct release looks wrong."""
    given = public if "graph" in kind else None
    certified, released = published(SIZINGS[kind].basis(words, given), tmp_path)
    own = replace(certified, neighbouring={}, guarantee=replace(certified.guarantee, between="own graph"))
    pair = audited_pair(EmbeddingSpace.build(words, tau=0.3), released, own)
    assert {"noise of each component"} <= failed(pair)


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("kind", SIZINGS)
def test_noise_of_another_size_is_found(words, public, tmp_path, kind, factor):
    given = public if "graph" in kind else None
    basis = SIZINGS[kind].basis(words, given)
    certified, released = published(basis, tmp_path)
    clean = basis.embeddings.vectors
    other = Embeddings(released.words, clean + factor * (released.vectors - clean))
    assert {"noise of each component"} <= failed(audited_pair(words, other, certified, public=given))


def test_the_public_embedding_must_be_given_and_be_the_one_of_the_certificate(words, public, sample, tmp_path):
    certified, released = published(Sizing().basis(words, public), tmp_path)
    with pytest.raises(InputError, match="neighbourhoods_from"):
        audited_pair(words, released, certified)
    with pytest.raises(InputError, match="not the one that the certificate names"):
        audited_pair(words, released, certified, public=EmbeddingSpace.build(sample.subset(range(499)), tau=0.3))


def test_a_bound_that_words_which_were_not_released_exceed_is_no_matter(words, tmp_path):
    certified, released = published(Sizing(sensitivity=2.5, bound=20.0).basis(words), tmp_path)
    more = Embeddings([*words.words, "rare"], np.vstack([words.vectors, np.full(50, 99.0)]))
    pair = audited_pair(more, released, certified)
    assert failed(pair) == set()
    assert pair.missing == 1


def approximate(embeddings, seed):
    """The space of a search that misses the nearest neighbour of a fifth of the points, each time of others."""
    points = embeddings.points.vectors
    exact = nearest_neighbours(points, 11)
    missed = np.random.default_rng(seed).random(len(points)) < 0.2
    indices, distances = (
        np.where(missed[:, None], np.delete(a, 1, 1), a[:, :10]) for a in (exact.indices, exact.distances)
    )
    lists = NearestNeighbours(indices, distances, "annoy", 0.98, "")
    return EmbeddingSpace(embeddings, lists, neighbourhoods(neighbour_graph(lists, tau=0.1), lists))


@pytest.mark.parametrize("kind", ["own graph", "public graph"])
def test_an_approximate_graph_is_kept_by_its_owner_and_audits_read_it(words, public, tmp_path, kind):
    """Another build of Annoy finds other lists."""
    exact = public.embeddings if kind == "public graph" else words
    made, elsewhere = (approximate(exact, seed) for seed in (1, 2))
    sized = own_graph(made) if kind == "own graph" else Sizing().basis(words, made)
    certified, released = published(sized, tmp_path)
    (kept,) = graphs_beside(tmp_path / "ledger" / "ledger.sqlite").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert kept.name == f"{certified.graph_sha256}.npz"
    given = {"public": exact} if kind == "public graph" else {}
    pair = audited_pair(words, released, certified, graph=kept, **given)
    assert failed(pair) == set()
    assert pair.claimed_scale == pytest.approx(sized.differences.sensitivity / mu_of_claim(certified))
    if kind == "own graph":
        another = audited_pair(elsewhere, released, certified)
        assert another.claimed_scale != pytest.approx(pair.claimed_scale)
        assert (pair.overlap == replace(pair, space=made).overlap).all()  # although the file holds no lists


def mu_of_claim(certified):
    return mu_of(noise_multiplier(certified.guarantee.epsilon, certified.guarantee.delta))


def test_the_graph_of_an_exact_search_is_kept_where_it_is_wanted(words, tmp_path):
    space = EmbeddingSpace.build(words)
    certified, released = published(own_graph(space), tmp_path)
    assert certified.graph_sha256 is None
    assert not graphs_beside(tmp_path / "ledger" / "ledger.sqlite").exists()
    (tmp_path / "more").mkdir()
    certified, released = published(own_graph(space), tmp_path / "more", graph=tmp_path / "graph.npz")
    assert failed(audited_pair(words, released, certified, graph=tmp_path / "graph.npz")) == set()
    with pytest.raises(InputError, match="graph"):
        audited_pair(words, released, certified)


def test_a_graph_comes_back_as_it_was_and_its_hash_reveals_nothing_of_it(words, tmp_path):
    space = EmbeddingSpace.build(words, tau=0.3, isolated="global")
    one, other = (save_graph_of(space, tmp_path / name) for name in ("a.npz", "b.npz"))
    assert one != other
    found = space_with_graph(words, tmp_path / "a.npz", one)
    assert (found.sensitivity == space.sensitivity).all()
    assert found.neighbouring == space.neighbouring
    assert (found.neighbours.indices == space.neighbours.indices).all()


def test_only_its_owner_can_read_a_graph_that_replaces_a_file_of_others(words, tmp_path):
    path = tmp_path / "graph.npz"
    path.touch(0o644)
    path.chmod(0o644)
    save_graph_of(EmbeddingSpace.build(words), path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_graphs_of_others_and_files_that_are_none_are_refused_by_name(words, tmp_path):
    path = tmp_path / "graph.npz"
    save_graph_of(EmbeddingSpace.build(words), path)
    with pytest.raises(InputError, match="of other words or vectors"):
        space_with_graph(words.subset(range(100)), path)
    with pytest.raises(InputError, match="not the graph that the certificate names"):
        space_with_graph(words, path, "ab" * 32)
    with pytest.raises(InputError, match="no graph"):
        space_with_graph(words, tmp_path / "nothing.npz")
    for content in (b"", b"PK\x03\x04nonsense", path.read_bytes()[:900]):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="not the graph of a release"):
            space_with_graph(words, path)
