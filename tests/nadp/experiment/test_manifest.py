import json

import pytest

from nadp import FormatError, InputError
from nadp.experiment.manifest import VERSION, read_manifest


@pytest.fixture
def written(tmp_path, experiment):
    def written(**changes):
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps(json.loads(experiment.manifest.to_json()) | changes))
        return path

    return written


def test_a_manifest_is_read_as_it_was_written(written, experiment):
    found = read_manifest(written())
    assert found.to_json() == experiment.manifest.to_json()
    assert found.recipes == experiment.manifest.recipes
    assert found.curves == experiment.manifest.curves
    assert found.epsilons == [1.0, 40.0]


@pytest.mark.parametrize("version", [VERSION + 1, VERSION - 1, "2", None])
def test_another_version_is_refused_by_name(written, version):
    with pytest.raises(FormatError, match=str(version) if version else "no version"):
        read_manifest(written(version=version))


def test_a_file_that_is_no_manifest_is_refused(tmp_path, written):
    with pytest.raises(InputError, match=r"no manifest.*nowhere"):
        read_manifest(tmp_path / "nowhere")
    (tmp_path / "broken").write_text("{")
    with pytest.raises(FormatError, match=r"broken"):
        read_manifest(tmp_path / "broken")
    (tmp_path / "deep").write_text("[" * 100_000)
    with pytest.raises(FormatError, match=r"deep"):
        read_manifest(tmp_path / "deep")
    (tmp_path / "list").write_text("[]")
    with pytest.raises(FormatError, match=r"list"):
        read_manifest(tmp_path / "list")
    with pytest.raises(FormatError, match=r"graphs"):
        read_manifest(written(graphs=3))
