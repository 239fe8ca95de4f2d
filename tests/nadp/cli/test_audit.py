"""The parameters of an audit."""

import json

import pytest
from pydantic import ValidationError

from nadp.cli.audit import Audit
from nadp.errors import InputError

FILES = {"original": "sample", "released": "sample"}


@pytest.mark.parametrize("given", [{"mechanism": "gaussian"}, {"epsilon": 1}, {"delta": 0.1}, {"regularisation": 0.5}])
def test_a_claim_beside_a_certificate_is_refused(tmp_path, given):
    certificate = tmp_path / "c.json"
    certificate.write_text(json.dumps({"mechanism": "nadp", "epsilon": 5, "delta": 1e-6}))
    Audit(**FILES, certificate=str(certificate)).check()
    with pytest.raises(InputError, match=f"leave {next(iter(given))} out"):
        Audit(**FILES, certificate=str(certificate), **given).check()


def test_a_part_of_a_claim_is_refused():
    with pytest.raises(InputError, match="together"):
        Audit(**FILES, regularisation=0.5).check()


def test_a_seed_below_0_is_refused():
    with pytest.raises(ValidationError, match="must be 0 or more, not -1"):
        Audit(**FILES, seed=-1)
