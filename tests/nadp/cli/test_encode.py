"""The parameters of an encoding."""

import pytest

from nadp.cli.encode import Encode
from nadp.errors import InputError


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"over_budget": "refuse"}, "needs a budget"),
        ({"decode": "nearest"}, "decode=nearest is for output=words"),
        ({"decode": "random", "output": "centroids"}, "decode=random"),
    ],
)
def test_a_parameter_without_effect_is_refused(tmp_path, parameters, named):
    texts = tmp_path / "texts.txt"
    texts.write_text("the old man\n")
    given = {"texts": str(texts), "embedding": "sample", "epsilon": 5, "out": str(tmp_path / "out")}
    Encode(**given).check()
    with pytest.raises(InputError, match=named):
        Encode(**given | parameters).check()
