"""What a user sees: the form of a run, the run, its graph, its report. Screenshots go to NADP_SCREENSHOTS, if set."""

import os
import re
from pathlib import Path

import pytest

from nadp.mechanisms import MECHANISMS
from tests.end_to_end.browser import CHROMIUM, DRIVER, browser
from tests.end_to_end.experiments import ENDED
from tests.end_to_end.running import lacking, until

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def pages():
    if not (CHROMIUM and DRIVER):
        lacking("Chromium and its driver are not installed: apt install chromium chromium-driver")
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Where screenshots go."""
    folder = Path(os.environ.get("NADP_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def started(server, worker, small, pages, shown):
    """The id of a run that was started from the form, after a look at it."""
    assert worker.poll() is None
    (demo,) = server.ask("POST", "/deployments/filter", deployments={"name": {"any_": ["demo"]}})
    pages.open(f"{server.url.removesuffix('/api')}/deployments/deployment/{demo['id']}/run")
    pages.reads("Privacy budgets; a smaller epsilon means more noise.", "Mechanisms to compare.")
    assert pages.choices("preset") == ["demo", "paper", "reference"]
    pages.picture(shown / "prefect-form.png")
    pages.take("mechanisms", "list")
    assert pages.choices("mechanisms") == list(MECHANISMS)
    pages.choose("mechanisms", *small["mechanisms"])
    pages.take("isolated", "list")
    pages.choose("isolated", "nearest")
    pages.take("benchmarks", "list")
    pages.choose("benchmarks", *small["benchmarks"])
    for name, kind in (("embedding", "str"), ("benchmarks_dir", "str"), ("words", "int"), ("repeats", "int")):
        pages.take(name, kind)
        pages.write(name, small[name])
    pages.take("epsilons", "list")
    pages.add_item("epsilons", 5)
    pages.picture(shown / "prefect-form-filled.png")
    pages.submit()
    run = until(
        lambda: next(iter(server.runs(deployment_id={"any_": [demo["id"]]})), None), "the run that was submitted"
    )
    return run["id"]


@pytest.fixture(scope="module")
def ended(server, started):
    """The run that was started from the form, once it has ended."""
    return until(lambda: (found := server.run(started))["state"]["type"] in ENDED and found, "the end of the run")


def test_a_run_from_the_form_has_what_was_filled_in_and_ends_completed(server, ended, pages, small):
    run = ended
    pages.open(f"{server.url.removesuffix('/api')}/runs/flow-run/{run['id']}")
    pages.reads("experiment demo")
    pages.until(lambda: [badge.text for badge in pages.all(".state-badge")][:1] == ["Completed"], "Completed")
    given = {name: value for name, value in run["parameters"].items() if value is not None}
    expected = {
        name: small[name] for name in ("embedding", "words", "mechanisms", "repeats", "benchmarks", "benchmarks_dir")
    }
    assert expected | {"isolated": ["nearest"], "epsilons": [5]} == {
        n: given[n] for n in [*expected, "isolated", "epsilons"]
    }


def test_the_graph_shows_the_chain_and_a_subflow_for_each_curve_by_readable_names(server, ended, pages, shown):
    pages.open(f"{server.url.removesuffix('/api')}/runs/flow-run/{ended['id']}")
    pages.reads("Beginning flow run")
    pages.until(lambda: pages.all("canvas"), "the graph")
    pages.picture(shown / "prefect-run.png")
    nodes = [node for _, node in server.ask("GET", f"/flow_runs/{ended['id']}/graph-v2")["nodes"]]
    curves = [node["label"] for node in nodes if node["kind"] == "flow-run"]
    assert curves == ["curve / no noise", "curve / nadp tau=0.1 nearest", "curve / mahalanobis"]
    chain = [node["label"] for node in nodes if node["kind"] == "task-run"]
    steps = ("download-glove", "frequency-filter-vocab", "annoy-index", "neighbour-graph", "components", "report")
    found = [next(i for i, label in enumerate(chain) if label.startswith(step)) for step in steps]
    assert found == sorted(found)
    assert [label for label in chain if re.search("-[0-9a-f]{3}$", label)] == []  # names that Prefect made up


def test_the_report_lies_under_artifacts_with_its_figures(server, ended, pages, shown):
    pages.open(f"{server.url.removesuffix('/api')}/runs/flow-run/{ended['id']}")
    pages.press(".p-tab", "Artifacts")
    pages.reads("report", "experiment-progress")
    (report,) = server.ask(
        "POST", "/artifacts/filter", artifacts={"flow_run_id": {"any_": [ended["id"]]}, "key": {"any_": ["report"]}}
    )
    pages.open(f"{server.url.removesuffix('/api')}/artifacts/artifact/{report['id']}")
    pages.reads("What an attacker learns", "What the guarantee does not cover")
    pictures = pages.until(lambda: pages.all("img[src^='data:image/png']"), "figures")
    assert len(pictures) >= 3
    pages.until(lambda: all(int(one.get_attribute("naturalWidth")) > 100 for one in pictures), "figures that are drawn")
    pages.picture(shown / "prefect-report.png")


def test_no_page_asks_anyone_but_the_server(started, pages):
    assert started
    assert pages.hosts() == {"127.0.0.1"}
