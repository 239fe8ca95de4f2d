import json

import pytest

from nadp.cli.audit import Audit
from nadp.errors import InputError

OWN_GRAPH = {"tau": 0.1, "words": 600}
CONSTANT = {"sensitivity": 2.0, "words": 600}


def audit(folder, neighbouring, **more):
    certificate = folder / "private.certificate.json"
    certificate.write_text(
        json.dumps({"mechanism": "gaussian", "epsilon": 5, "delta": 1e-6, "neighbouring": neighbouring})
    )
    return Audit(original="sample", released="sample", certificate=str(certificate), **more)


@pytest.mark.parametrize("words", [599, 601])
def test_a_graph_of_another_number_of_words_is_refused_not_reported_as_wrong_noise(tmp_path, words):
    with pytest.raises(InputError, match="the graph of 600 words"):
        audit(tmp_path, OWN_GRAPH, words=words).check()


@pytest.mark.parametrize(("neighbouring", "words"), [(OWN_GRAPH, None), (OWN_GRAPH, 600), (CONSTANT, 300)])
def test_the_certified_number_of_words_is_accepted_and_any_where_no_graph_was_used(tmp_path, neighbouring, words):
    audit(tmp_path, neighbouring, words=words).check()
