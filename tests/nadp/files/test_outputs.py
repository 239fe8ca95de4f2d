import os

import pytest

from nadp.errors import InputError
from nadp.files.outputs import refuse_inputs


@pytest.fixture
def file(tmp_path):
    (tmp_path / "in.txt").write_text("private")
    return tmp_path / "in.txt"


NAMES = {
    "itself": lambda file: file,
    "by another way": lambda file: file.parent / "folder" / ".." / file.name,
    "by a symbolic link": lambda file: file.parent / "soft",
    "by a hard link": lambda file: file.parent / "hard",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_an_output_that_is_an_input_is_refused_whatever_it_is_called(file, name):
    (file.parent / "folder").mkdir()
    (file.parent / "soft").symlink_to(file)
    os.link(file, file.parent / "hard")
    with pytest.raises(InputError, match=r"in\.txt"):
        refuse_inputs([file.parent / "out.txt", name(file)], "sample", None, str(file))
    assert file.read_text() == "private"


def test_other_outputs_are_not(file, tmp_path):
    (tmp_path / "out.txt").write_text("private")  # equal, but another file
    refuse_inputs([tmp_path / "out.txt", tmp_path / "new.txt"], "glove.6B.50d", None, file, tmp_path)
