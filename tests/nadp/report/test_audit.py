import json
import re

import numpy as np
import pytest

from nadp import MECHANISMS, EmbeddingSpace
from nadp.audit.auditing import Options, audit_release
from nadp.audit.pair import paired
from nadp.mechanisms import Guarantee, claimed
from nadp.report.audit import audit_report

FACTS = {"released": {"name": "released.txt", "sha256": "0" * 64}, "original": {"name": "original.txt"}}


@pytest.fixture(scope="module")
def made(clustered):
    def made(claim, isolated="exact", words=240):
        space = EmbeddingSpace.build(clustered, tau=0.5, isolated=isolated)
        real = claim or claimed("nadp", 2.0, 1e-4)
        rng = np.random.default_rng(0)
        release = MECHANISMS[real.mechanism]().perturb(space, real.epsilon, real.delta, rng).subset(range(words))
        found = audit_release(paired(space, release, claim), rng, options=Options(draws=500))
        return found, audit_report(found, claim, FACTS)

    return made


def test_exposed_words_and_failed_checks_are_told_first(made):
    found, report = made(claimed("nadp", 2.0, 1e-4))
    first = report.markdown.split("## What an attacker gets")[0]
    exposed = next(attack for attack in found.attacks if attack.name == "without noise").all.mean
    assert exposed > 0.2
    assert f"**{exposed:.1%} of the words got no noise at all.**" in first
    assert "Checks that failed**: every word has noise" in first
    checks = report.markdown.split("## Checks")[1]
    for verdict in found.verdicts:
        assert f"| {verdict.name} | {'passed' if verdict.passed else '**FAILED**'} |" in checks


def test_checks_of_the_claim_and_of_safety_stand_apart(made):
    _, report = made(claimed("nadp", 2.0, 1e-4))
    claim, safety = report.markdown.split("Is it what is claimed:")[1].split("Is it safe, whatever is claimed:")
    assert "noise of each word" in claim
    assert "low bits" not in claim
    assert "low bits" in safety.split("## ")[0]
    _, unclaimed = made(None, "nearest")
    assert "Is it what is claimed:" not in unclaimed.markdown


def test_what_becomes_of_the_claimed_epsilon_is_told(made):
    _, report = made(claimed("gaussian", 1.0, 1 / 73404))
    assert "| 1 | 0.273 | 55.4% | 1.47 | 3.63 | 14.6 | 2.16 | 6.21 |" in report.markdown
    _, laplacian = made(claimed("laplacian", 1.0, 1e-4))
    assert "100 releases" not in laplacian.markdown


def test_missing_words_a_weak_epsilon_and_a_missing_claim_are_told(made):
    _, report = made(claimed("gaussian", 20.0, 1e-4), words=200)
    assert "40 words of the original are not in the release" in report.markdown
    assert "claimed epsilon of 20 promises next to nothing" in report.markdown
    _, unclaimed = made(None, "nearest")
    assert "Nothing was claimed of the release" in unclaimed.markdown
    assert "Claimed:" not in unclaimed.markdown


@pytest.mark.parametrize("mechanism", ["nadp", "laplacian", "mahalanobis"])
def test_nothing_that_is_not_defined_is_printed_as_a_number(made, mechanism):
    _, report = made(claimed(mechanism, 2.0, 1e-4))
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^)]*", "", report.markdown))


def test_the_files_are_a_page_a_picture_and_strict_json(made):
    _, report = made(claimed("nadp", 2.0, 1e-4))
    assert set(report.files) == {"audit.json", "figures/overlap.png", "audit.html"}
    assert report.files["figures/overlap.png"].startswith(b"\x89PNG")
    assert b"Audit of released.txt" in report.files["audit.html"]

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    record = json.loads(report.files["audit.json"], parse_constant=refuse)
    assert Guarantee(**record["claim"]) == claimed("nadp", 2.0, 1e-4)
    assert record["inputs"] == FACTS
    assert record["found"]["words"] == 240
