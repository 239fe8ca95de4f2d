"""The parameters of an audit."""

import json

import pytest
from pydantic import ValidationError

from nadp.cli.audit import Audit
from nadp.errors import FormatError, InputError

FILES = {"original": "sample", "released": "sample"}
OWN_GRAPH = {"tau": 0.1, "words": 600}
CONSTANT = {"sensitivity": 2.0, "words": 600}


@pytest.mark.parametrize("given", [{"mechanism": "gaussian"}, {"epsilon": 1}, {"delta": 0.1}, {"regularisation": 0.5}])
def test_a_claim_beside_a_certificate_is_refused(tmp_path, given):
    certificate = tmp_path / "c.json"
    certificate.write_text(json.dumps({"mechanism": "nadp", "epsilon": 5, "delta": 1e-6}))
    Audit(**FILES, certificate=str(certificate)).check()
    with pytest.raises(InputError, match=f"leave {next(iter(given))} out"):
        Audit(**FILES, certificate=str(certificate), **given).check()


@pytest.mark.parametrize(
    "terms", [{"tau": 7}, {"search": "none"}, {"isolated": 3}, {"mutual": True}, {"n_neighbours": "ten"}]
)
def test_a_certificate_with_an_impossible_graph_is_refused_by_name(tmp_path, terms):
    certificate = tmp_path / "c.json"
    certificate.write_text(json.dumps({"mechanism": "nadp", "epsilon": 5, "delta": 1e-6, "neighbouring": terms}))
    audit = Audit(**FILES, certificate=str(certificate))
    with pytest.raises(FormatError, match=rf"c\.json: .* is no {next(iter(terms))} of a graph"):
        audit.neighbouring(audit.certified.neighbouring)


def test_a_part_of_a_claim_is_refused():
    with pytest.raises(InputError, match="together"):
        Audit(**FILES, regularisation=0.5).check()


def test_a_seed_below_0_is_refused():
    with pytest.raises(ValidationError, match="must be 0 or more, not -1"):
        Audit(**FILES, seed=-1)


def certified_audit(folder, neighbouring, **more):
    certificate = folder / "private.certificate.json"
    certificate.write_text(
        json.dumps({"mechanism": "gaussian", "epsilon": 5, "delta": 1e-6, "neighbouring": neighbouring})
    )
    return Audit(original="sample", released="sample", certificate=str(certificate), **more)


@pytest.mark.parametrize("words", [599, 601])
def test_a_graph_of_another_number_of_words_is_refused_not_reported_as_wrong_noise(tmp_path, words):
    with pytest.raises(InputError, match="the graph of 600 words"):
        certified_audit(tmp_path, OWN_GRAPH, words=words).check()


@pytest.mark.parametrize(("neighbouring", "words"), [(OWN_GRAPH, None), (OWN_GRAPH, 600), (CONSTANT, 300)])
def test_the_certified_number_of_words_is_accepted_and_any_where_no_graph_was_used(tmp_path, neighbouring, words):
    certified_audit(tmp_path, neighbouring, words=words).check()
