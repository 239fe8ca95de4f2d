from dataclasses import replace

import numpy as np
import pytest

from nadp import InputError, nearest_neighbours
from nadp.errors import FormatError
from nadp.groups import Asked, Bounds, extended, listed_rows, zipf_prior


def lists(embeddings):
    return nearest_neighbours(embeddings.points.vectors)


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("".join(f"w{i} {1000 - i}\n" for i in range(240)))
    return path


@pytest.mark.parametrize("prior", ["uniform", "zipf", "frequencies"])
def test_words_that_come_later_are_weighed_as_if_they_had_been_there_from_the_beginning(clustered, counts, prior):
    given = {"frequencies": counts} if prior == "frequencies" else {}
    asked, old = Asked(Bounds(4, 0.4), prior), clustered.subset(range(200))
    made = asked.made(old, lists(old), **given)
    more = extended(made, clustered, **given)
    assert more.fingerprint == made.fingerprint
    assert np.array_equal(more.centroids, made.centroids)
    whole = asked.made(clustered, lists(clustered), **given).prior.shares
    shares = whole[clustered.rows(more.words.tolist())]
    assert more.prior.shares == pytest.approx(shares / shares.sum(), rel=1e-9)
    assert more.keeps_bounds()
    assert len(more.words) > 200
    assert extended(more, clustered.subset(range(150))) is more  # nothing is new


def test_a_word_that_would_break_a_bound_stays_unknown(clustered, tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("".join(f"w{i} {10**6 if i == 239 else 10}\n" for i in range(240)))
    old = clustered.subset(range(239))
    made = Asked(Bounds(4, 0.4), "frequencies").made(old, lists(old), frequencies=path)
    assert extended(made, clustered, path).words.tolist() == old.words.tolist()


def test_the_list_of_another_prior_is_refused(clustered, counts, tmp_path):
    old = clustered.subset(range(200))
    made = Asked(Bounds(4), "frequencies").made(old, lists(old), frequencies=counts)
    other = tmp_path / "others.txt"
    other.write_bytes(counts.read_bytes())
    for wrong in (None, other):
        with pytest.raises(InputError, match=r"counts\.txt"):
            extended(made, clustered, wrong)
    with pytest.raises(InputError, match="need each other"):
        Asked(Bounds(4)).made(old, lists(old), frequencies=counts)
    with pytest.raises(InputError, match="need each other"):
        Asked(Bounds(4), "frequencies").made(old, lists(old))


def test_own_texts_are_reported_and_zipf_ranks_are_rows(clustered, counts):
    own = Asked(Bounds(4), "frequencies", own_texts=True).made(clustered, lists(clustered), frequencies=counts)
    assert own.prior.own_texts
    assert Asked(Bounds(4), "zipf").made(clustered, lists(clustered)).prior.name == zipf_prior(240).name
    assert replace(own.prior, own_texts=False).name == own.prior.name


def test_listed_words_are_found_and_unknown_ones_left_out(clustered, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("w7\n\n W3 \nnobody\nw7\n")
    assert listed_rows(path, clustered).tolist() == [3, 7]
    path.write_text("nobody\n")
    with pytest.raises(InputError, match="none of the words"):
        listed_rows(path, clustered)
    with pytest.raises(InputError, match="no such file"):
        listed_rows(tmp_path / "none", clustered)
    path.write_bytes("caf\u00e9\n".encode("cp1252"))
    with pytest.raises(FormatError, match="not UTF-8"):
        listed_rows(path, clustered)
