"""The parameters of a release."""

import pytest

from nadp.cli.release import Release
from nadp.errors import InputError


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Return a function that returns why parameters are refused."""
    monkeypatch.chdir(tmp_path)

    def reason(**parameters):
        with pytest.raises(InputError) as caught:
            Release(**{"embedding": "sample", "epsilon": 5, "out": "x.txt"} | parameters).check()
        return str(caught.value)

    return reason


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize(
    "paths",
    [
        {"graph": "x.txt"},
        {"graph": "x.txt.certificate.json"},
        {"graph": "ledger.sqlite", "ledger": "ledger.sqlite"},
        {"graph": "folder/../ledger.sqlite", "ledger": "ledger.sqlite"},
        {"ledger": "x.txt"},
    ],
)
def test_no_file_of_a_release_replaces_another(refused, tmp_path, paths, exists):
    (tmp_path / "folder").mkdir()
    if exists:
        for name in paths.values():
            (tmp_path / name).write_text("a budget")
    assert tmp_path.joinpath(*paths.values()).name in refused(**paths)


@pytest.mark.parametrize("name", ["x.txt", "x.txt.certificate.json", "g.npz"])
def test_a_folder_in_the_place_of_a_file_is_refused_by_name(refused, tmp_path, name):
    (tmp_path / name).mkdir()
    assert f"{name} is a folder" in refused(graph="g.npz")


def test_a_format_whose_suffix_is_missing_is_refused_with_the_name_of_the_output(refused):
    assert "let 'x.txt' end in .npz" in refused(format="npz")


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"mechanism": "groups", "epsilon": None, "min_size": 5, "clip": 1.0, "bound": 2.0}, "clip, bound"),
        ({"mechanism": "groups", "epsilon": None, "min_size": 5, "sensitivity": 1.0}, "sensitivity"),
        ({"max_group": 3, "max_one_topic": 0.1}, "max_group, max_one_topic"),
        ({"graph": "g.npz", "clip": 1.0}, "leave graph out"),
        ({"graph": "g.npz", "sensitivity": 1.0}, "leave graph out"),
    ],
)
def test_a_parameter_without_effect_is_refused(refused, parameters, named):
    assert named in refused(**parameters)


def test_a_graph_of_a_public_embedding_is_kept_beside_a_constant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    more = {"graph": "g.npz", "sensitivity": 1.0, "neighbourhoods_from": "sample"}
    Release(embedding="sample", epsilon=5, out="x.txt", **more).check()
