import json

import pytest

from nadp import FormatError, InputError
from nadp.audit.certified import file_is_the_certified_one, read_certificate

RECORD = {
    "mechanism": "mahalanobis(regularisation=0.5)",
    "epsilon": 2.0,
    "delta": 1e-6,
    "neighbouring": {"tau": 0.1, "isolated": "nearest", "words": 2000, "recall": 0.97},
    "hashes": {"released_sha256": "ab" * 32},
}


@pytest.fixture
def certificate(tmp_path):
    def certificate(**changes):
        (tmp_path / "c.json").write_text(json.dumps(RECORD | changes))
        return read_certificate(tmp_path / "c.json")

    return certificate


def test_what_a_certificate_says_is_read(certificate):
    found = certificate()
    assert (found.guarantee.mechanism, found.guarantee.kind) == ("mahalanobis(regularisation=0.5)", "metric DP")
    assert (found.guarantee.epsilon, found.guarantee.delta) == (2.0, 1e-6)
    assert (found.words, found.sha256) == (2000, "ab" * 32)
    assert found.neighbouring == {"tau": 0.1, "isolated": "nearest", "recall": 0.97}


def test_another_file_than_the_certified_one_fails(certificate):
    found = certificate()
    assert file_is_the_certified_one(found, "ab" * 32).passed
    verdict = file_is_the_certified_one(found, "cd" * 32)
    assert not verdict.passed
    assert "cd" * 32 in verdict.says
    assert file_is_the_certified_one(certificate(hashes={}), "cd" * 32) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": "magic"},
        {"epsilon": "much"},
        {"delta": None},
        {"hashes": 3},
        {"neighbouring": {"words": "all"}},
        {"neighbouring": {"sensitivity": "x"}},
        {"neighbouring": {"public_words": "all"}},
        {"epsilon": 10**400},
        {"neighbouring": {"words": float("inf")}},
    ],
)
def test_a_file_that_is_no_certificate_is_refused_by_name(certificate, changes):
    with pytest.raises(FormatError, match=r"c\.json"):
        certificate(**changes)


def test_a_certificate_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no certificate"):
        read_certificate(tmp_path / "none.json")
