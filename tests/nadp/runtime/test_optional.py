import sys

import numpy as np
import pytest

from nadp import Embeddings
from nadp.errors import InputError
from nadp.files import read_embeddings, write_embeddings
from nadp.runtime.optional import optional
from nadp.texts.files.parquet import pyarrow

WORD = Embeddings(["a"], np.ones((1, 2), dtype=np.float32))


def test_a_package_that_is_not_installed_is_named_with_what_to_install():
    with (
        pytest.raises(InputError, match=r"^this.*no_such_package.*pip install 'nadp\[extra\]'"),
        optional("extra", "this"),
    ):
        import no_such_package  # noqa: F401


def test_what_else_goes_wrong_in_the_block_is_left_as_it_is():
    with pytest.raises(ZeroDivisionError), optional("extra", "this"):
        _ = 1 / 0


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("safetensors", "safetensors", lambda path: read_embeddings(path / "x.safetensors")),
        (
            "safetensors.numpy",
            "safetensors",
            lambda path: write_embeddings(path / "y.safetensors", Embeddings(["a"], [[1]])),
        ),
        ("pyarrow", "texts", lambda _: pyarrow()),
    ],
)
def test_each_use_names_the_extra_that_it_needs(package, extra, use, tmp_path, monkeypatch):
    (tmp_path / "x.safetensors").write_bytes(b"content")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"pip install 'nadp\[{extra}\]'"):
        use(tmp_path)
