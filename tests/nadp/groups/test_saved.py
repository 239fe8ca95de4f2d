import zipfile

import numpy as np
import pytest

from nadp import Embeddings, FormatError, InputError, nearest_neighbours, read_embeddings
from nadp.groups import Bounds, counted_prior, load_partition, partition, save_partition


@pytest.fixture
def made(clustered):
    words = ["line\u2028feed", "naïve", '"', *clustered.words.tolist()[3:]]
    embeddings = Embeddings(words, clustered.vectors)
    lists = nearest_neighbours(embeddings.points.vectors)
    return partition(embeddings, lists, counted_prior(1.5 / np.arange(1, 241), own_texts=True), Bounds(3, 0.25))


def test_a_partition_comes_back_as_it_was(made, tmp_path):
    save_partition(tmp_path / "groups.npz", made)
    found = load_partition(tmp_path / "groups.npz")
    assert found.fingerprint == made.fingerprint
    assert found.words.tolist() == made.words.tolist()
    assert (found.bounds, found.prior.name, found.prior.unit) == (made.bounds, made.prior.name, made.prior.unit)
    assert found.prior.own_texts
    more = made.joined(Embeddings(["new"], np.zeros((1, 12))), [1e-6])
    save_partition(tmp_path / "groups.npz", more)
    again = load_partition(tmp_path / "groups.npz")
    assert (again.fingerprint, again.digest) == (found.fingerprint, more.digest)
    assert [path.name for path in tmp_path.iterdir()] == ["groups.npz"]


def test_a_partition_is_named_as_what_it_is(made, tmp_path):
    with pytest.raises(InputError, match=r"'groups\.txt'"):
        save_partition(tmp_path / "groups.txt", made)


def test_one_partition_makes_the_same_bytes(made, tmp_path):
    for name in ("a.npz", "b.npz"):
        save_partition(tmp_path / name, made)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_what_is_no_partition_is_refused(tmp_path):
    with pytest.raises(InputError, match="no partition"):
        load_partition(tmp_path / "none.npz")
    path = tmp_path / "groups.npz"
    path.write_bytes(b"PK\x03\x04 nothing of the kind")
    with pytest.raises(FormatError, match=r"groups\.npz"):
        load_partition(path)
    np.savez(path, labels=np.zeros(3))
    with pytest.raises(FormatError, match=r"groups\.npz"):
        load_partition(path)


def test_a_changed_partition_is_refused(made, tmp_path):
    path = tmp_path / "groups.npz"
    save_partition(path, made)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["centroids"] = arrays["centroids"][::-1]
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="was changed"):
        load_partition(path)


def test_a_partition_that_claims_or_packs_far_more_than_it_holds_takes_no_memory(made, tmp_path):
    path = tmp_path / "groups.npz"
    save_partition(path, made)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    np.savez_compressed(path, **(arrays | {"centroids": np.zeros((1 << 22, 4), np.float32)}))
    with pytest.raises(FormatError, match=r"groups\.npz.*200 times"):
        load_partition(path)


def test_a_type_that_numpy_cannot_parse_is_refused_by_name(made, tmp_path):
    path = tmp_path / "groups.npz"
    save_partition(path, made)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content.replace(b"'<i4'", b"'<02'"))  # a finding of the fuzzer
    with pytest.raises(FormatError, match=r"groups\.npz.*zeros"):
        load_partition(path)


def test_an_archive_of_a_version_that_is_not_known_is_refused_by_name(made, tmp_path):
    path = tmp_path / "groups.npz"
    save_partition(path, made)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 211
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"groups\.npz"):
        load_partition(path)
    with pytest.raises(FormatError, match=r"groups\.npz"):
        read_embeddings(path.rename(tmp_path / "groups.npz.zip"))
