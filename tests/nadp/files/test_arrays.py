import zipfile
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace, FormatError
from nadp.files import arrays


def plain(value):
    """A value as nested lists, types and all, so that two of them can be compared."""
    if is_dataclass(value):
        return type(value).__name__, {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return (str(value.dtype), value.tolist()) if isinstance(value, np.ndarray) else value


@pytest.fixture(params=["embeddings", "neighbours", "graph", "neighbourhoods"])
def kind_and_value(request, embeddings):
    space = EmbeddingSpace.build(embeddings, tau=0.25, isolated="drop", mutual=True)
    values = {
        "embeddings": Embeddings(["new york", "\x85", "\u2028", "the"], embeddings.vectors[:4], {"lines": 4}),
        "neighbours": space.neighbours,
        "graph": space.neighbourhoods.graph,
        "neighbourhoods": space.neighbourhoods,
    }
    return request.param, values[request.param]


def test_what_was_saved_is_loaded_and_saved_again_as_the_same_bytes(tmp_path, kind_and_value):
    kind, value = kind_and_value
    save, load = getattr(arrays, f"save_{kind}"), getattr(arrays, f"load_{kind}")
    save(tmp_path / "one", value)
    loaded = load(tmp_path / "one")
    assert plain(loaded) == plain(value)
    save(tmp_path / "two", loaded)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with zipfile.ZipFile(tmp_path / "one") as archive:
        assert {member.date_time[0] for member in archive.infolist()} == {1980}


def test_a_file_of_another_kind_is_refused_by_name(tmp_path, clustered):
    arrays.save_embeddings(tmp_path / "words.npz", clustered)
    with pytest.raises(FormatError, match=r"words\.npz holds .*words.*, not edges, lengths"):
        arrays.load_graph(tmp_path / "words.npz")
