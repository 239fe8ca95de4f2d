import json
import re

import numpy as np
import pytest
from markdown_it import MarkdownIt

from nadp import MECHANISMS, EmbeddingSpace
from nadp.audit.auditing import Options, audit_release
from nadp.audit.pair import paired
from nadp.mechanisms import Guarantee, claimed
from nadp.report.audit import audit_report
from nadp.report.texts import percent
from tests.parsed import parsed

FACTS = {"released": {"name": "released.txt", "sha256": "0" * 64}, "original": {"name": "original.txt"}}


@pytest.fixture(scope="module")
def made(clustered):
    def made(claim, isolated="exact", words=240):
        space = EmbeddingSpace.build(clustered, tau=0.5, isolated=isolated)
        real = claim or claimed("nadp", 2.0, 1e-4)
        rng = np.random.default_rng(0)
        release = MECHANISMS[real.mechanism]().perturb(space, real.epsilon, real.delta, rng).subset(range(words))
        found = audit_release(paired(space, release, claim), rng, options=Options(draws=500))
        report = audit_report(found, claim, FACTS)
        return found, report, parsed(report.files["audit.html"].decode())

    return made


def tiles(page):
    return [value.text for value in page.first("dl", "tiles").all("dd")]


def test_the_verdict_comes_first_with_what_failed_and_what_is_exposed(made):
    found, _, page = made(claimed("nadp", 2.0, 1e-4))
    failed = [verdict for verdict in found.verdicts if not verdict.passed]
    share = {attack.name: attack.all.mean for attack in found.attacks}
    assert share["without noise"] > 0.2
    strongest = max(mean for name, mean in share.items() if "likely" in name or name == "nearest word, top 1")
    assert tiles(page) == [
        percent(strongest),
        percent(share["without noise"]),
        "2",
        f"{len(failed)} / {len(found.verdicts)}",
    ]
    first = page.first("section")
    assert first["id"] == "verdict"
    assert len(failed) == len(list(first.all("div", "alert"))) > 0
    assert all(verdict.name in alert.text for verdict, alert in zip(failed, first.all("div", "alert"), strict=True))


def test_every_check_is_reported_with_its_result_those_of_the_claim_apart(made):
    found, _, page = made(claimed("nadp", 2.0, 1e-4))
    tables = [table.table() for table in page.first("section", id="checks").all("table")]
    told = [{name: cells[0] for name, cells in table.items()} for table in tables]
    expected = [
        {v.name: "passed" if v.passed else "failed" for v in found.verdicts if v.about == about}
        for about in ("claim", "safety")
    ]
    assert told == expected
    _, _, unclaimed = made(None, "nearest")
    assert len(list(unclaimed.first("section", id="checks").all("table"))) == 1


def test_attacks_are_reported_for_all_words_and_for_each_kind(made):
    found, _, page = made(claimed("nadp", 2.0, 1e-4))
    shown = page.first("section", id="attacks").first("table").table()
    assert list(shown) == [attack.name for attack in found.attacks]
    top = next(attack for attack in found.attacks if attack.name == "nearest word, top 1")
    kinds = [top.by_kind[kind] for kind in ("isolated", "component", "duplicate")]
    expected = [percent(top.all.mean), *(percent(kind.mean) if kind.words else "\N{EN DASH}" for kind in kinds)]
    assert shown["nearest word, top 1"] == expected


def test_golden_figures_of_a_claimed_epsilon_in_use(made):
    _, _, page = made(claimed("gaussian", 1.0, 1 / 73404))
    assert page.first("section", id="guarantee").first("table").table()["1"] == [
        *("0.273", "55.4 %", "1.47", "3.63", "14.6", "2.16", "6.21")
    ]
    _, _, laplacian = made(claimed("laplacian", 1.0, 1e-4))
    assert not list(laplacian.first("section", id="guarantee").all("table"))


def test_missing_words_a_weak_epsilon_and_a_missing_claim_are_reported(made):
    _, _, page = made(claimed("gaussian", 20.0, 1e-4), words=200)
    assert "40 words" in page.first("header").text
    weak = [tile for tile in page.first("dl", "tiles").all("div", "bad") if tile.first("dd").text == "20"]
    assert len(weak) == 1
    _, _, unclaimed = made(None, "nearest")
    assert tiles(unclaimed)[2] == "none"


@pytest.mark.parametrize("mechanism", ["nadp", "laplacian", "mahalanobis"])
def test_nothing_that_is_not_defined_is_printed_as_a_number(made, mechanism):
    _, report, page = made(claimed(mechanism, 2.0, 1e-4))
    assert not re.search(r"\bnan\b", page.text)
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^)]*", "", report.markdown))


def test_the_files_are_a_page_a_figure_and_strict_json(made):
    _, report, page = made(claimed("nadp", 2.0, 1e-4))
    assert set(report.files) == {"audit.json", "figures/overlap.png", "figures/overlap.svg", "audit.html"}
    assert page.first("h1").text == "Audit of released.txt"
    assert page.first("svg", "panel")["role"] == "img"
    assert page.first("section", id="limits").first("li")

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    record = json.loads(report.files["audit.json"], parse_constant=refuse)
    assert Guarantee(**record["claim"]) == claimed("nadp", 2.0, 1e-4)
    assert record["inputs"] == FACTS
    assert record["found"]["words"] == 240


def test_the_artifact_has_the_checks_and_a_figure(made):
    found, report, _ = made(claimed("nadp", 2.0, 1e-4))
    artifact = parsed(MarkdownIt("commonmark").enable("table").render(report.markdown))
    names = [row.first("td").text for table in artifact.all("table") for row in table.all("tr") if any(row.all("td"))]
    assert {verdict.name for verdict in found.verdicts} <= set(names)
    assert artifact.first("img")["src"].startswith("data:image/png;base64,")
