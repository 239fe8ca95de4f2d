import re
from pathlib import Path

import pytest

from nadp import read_embeddings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples(text):
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


EXAMPLES = examples(README)


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    def said(example):
        monkeypatch.chdir(tmp_path)
        exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own example
        return capsys.readouterr().out

    return said


def test_the_example_of_a_release_runs(said, tmp_path):
    assert "(1, 1e-06)-differential privacy" in said(EXAMPLES[0])
    assert len(read_embeddings(tmp_path / "private.vec")) == 2000


def test_the_example_of_the_library_runs(said):
    found = said(EXAMPLES[1])
    assert "(5, 1e-05)-differential privacy" in found
    assert "(2000, 50)" in found
    assert len(EXAMPLES) == 2


def test_the_example_of_texts_runs(said):
    (example,) = examples((ROOT / "docs" / "encoding.md").read_text(encoding="utf-8"))
    found = said(example)
    assert "(5.0, 1e-06)-differential privacy" in found.replace("(5, ", "(5.0, ")
    assert "(2, 50)" in found


def test_each_command_has_its_marker():
    for number in (1, 2):
        assert len(re.findall(rf"<!-- command {number} -->\n```sh\n.+\n```", README)) == 1
