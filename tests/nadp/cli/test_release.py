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
