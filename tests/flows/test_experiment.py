import math
import re
import shutil
from pathlib import Path

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

from flows.experiment import experiment
from nadp import InputError
from nadp.utility.classification import Classification
from tasks.store.home import home
from tests.flows.conftest import manifest, scores, subflows
from tests.parsed import parsed

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]


@pytest.fixture(scope="module")
def run(embedding, benchmarks, names, tmp_path_factory):
    """Runs small experiments into folders of their own."""

    def start(**changes):
        given = {
            "embedding": str(embedding),
            "words": 500,
            "mechanisms": ["nadp", "mahalanobis"],
            "taus": [0.3],
            "isolated": ["nearest", "exact"],
            "epsilons": [1.0, 10.0],
            "repeats": 2,
            "benchmarks": names,
            "benchmarks_dir": str(benchmarks),
            "out": str(tmp_path_factory.mktemp("out")),
        }
        return experiment(**(given | changes), return_state=True)

    return start


@pytest.fixture(scope="module")
def first(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("first")
    return run(out=str(out)), out


def test_an_experiment_ends_completed_with_all_its_files(first):
    state, out = first
    assert state.is_completed()
    cached, runs = map(int, re.search(r"(\d+) of (\d+) task runs taken from the cache", state.message).groups())
    assert runs == 48
    assert 2 <= cached < runs  # the sweep and both nadp curves share a draw; other tests may have left more
    assert "65/65 units evaluated" in state.message  # 5 evaluations, one table without noise and 4 on each of 3 curves
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    names = ("kept", "utility", "utility-against-recovery", "utility-against-disclosure", "privacy", "differences")
    names += ("overlap-histograms",)
    figures = {f"figures/{name}.{kind}" for name in names for kind in ("svg", "png")}
    assert found == {"scores.csv", "equal_recovery.csv", "manifest.json", "report.html"} | figures


def test_every_curve_ends_with_its_counts_and_the_page_of_the_run_shows_that_all_is_done(first):
    ends = {run.name: run.state.message.partition(";")[0] for run in subflows(first[0])}
    curves = ("nadp tau=0.3 nearest", "nadp tau=0.3 exact", "mahalanobis")
    assert ends == {"no noise": "5/5 units evaluated"} | dict.fromkeys(curves, "20/20 units evaluated")
    with get_client(sync_client=True) as client:
        of_this = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[first[0].state_details.flow_run_id]))
        found = client.read_artifacts(artifact_filter=of_this)
    assert [(a.data, a.description) for a in found if a.type == "progress"] == [(100.0, "65 of 65 units")]


def test_scores_hold_every_curve_epsilon_repeat_and_family(first):
    rows = scores(first[1])
    curves = {(r["mechanism"], r["tau"], r["isolated"]) for r in rows}
    assert curves == {
        ("none", "", ""),
        ("nadp", "0.3", "nearest"),
        ("nadp", "0.3", "exact"),
        ("mahalanobis", "", ""),
    }
    assert {r["benchmark"] for r in rows} >= {"rg65", "sts-b", "cr", "odd-man-out", "privacy", "noise"}
    noisy = {(r["epsilon"], r["repeat"]) for r in rows if r["mechanism"] == "nadp" and r["benchmark"] == "rg65"}
    assert noisy == {(e, r) for e in ("1.0", "10.0") for r in ("0", "1")}
    assert all(math.isfinite(float(r["value"])) for r in rows if r["metric"] == "recovery-top1")


def test_isolated_words_in_the_graph_are_counted_and_given_away_under_the_exact_policy(first):
    graphs = {g["isolated"]: g for g in manifest(first[1])["graphs"]}
    alone = graphs["exact"]["isolated_words"]
    assert alone > 0
    assert graphs["exact"]["words_without_noise"] == alone
    assert graphs["nearest"]["words_without_noise"] == 0
    rows = [r for r in scores(first[1]) if r["metric"] == "recovery-top1" and r["epsilon"] == "1.0"]
    lost = {r["isolated"]: float(r["value"]) for r in rows if r["mechanism"] == "nadp" and r["repeat"] == "0"}
    assert lost["exact"] >= alone / manifest(first[1])["space"]["words"] > lost["nearest"]
    assert f"{alone:,}" in parsed((first[1] / "report.html").read_text()).first("section", id="graph").text


def test_the_manifest_tells_inputs_parameters_and_versions(first, embedding):
    found = manifest(first[1])
    assert found["embedding"]["bytes"] == embedding.stat().st_size
    assert found["parameters"]["delta"] == pytest.approx(1 / found["space"]["words"])
    assert found["parameters"]["repeats"] == 2
    assert found["versions"].keys() >= {"nadp", "numpy", "prefect"}
    assert [b["name"] for b in found["benchmarks"]] == ["rg65", "sts-b", "cr", "odd-man-out"]
    warning = found["benchmarks"][0]["warning"]
    assert "80" in warning  # rows there are
    assert "65" in warning  # rows that were declared


def test_the_report_is_an_artifact_with_its_figures_in_it(first):
    with get_client(sync_client=True) as client:
        (artifact,) = [a for a in client.read_artifacts() if a.description == f"Report of {first[1]}"]
    assert artifact.type == "markdown"
    assert artifact.data.count("data:image/png;base64,") == 4


def test_groups_are_a_curve_over_their_sizes_and_shares_and_what_they_disclose_is_scored(run, embedding, tmp_path):
    topics = tmp_path / "topics.tsv"
    topics.write_text("".join(f"{line.split()[0].decode()}\tall\n" for line in embedding.read_bytes().splitlines()))
    more = {"mechanisms": ["gaussian", "groups", "groups-by-share"], "min_sizes": [4, 9], "max_shares": [0.4]}
    state = run(**more, isolated=["nearest"], topics=str(topics), out=str(tmp_path / "out"))
    assert state.is_completed(), state.message
    assert "40/40 units evaluated" in state.message  # 5 evaluations: without noise, 2 epsilons twice, 2 sizes, a share
    rows = scores(tmp_path / "out")
    told = {(r["mechanism"], r["parameter"], r["setting"]) for r in rows if r["metric"] == "disclosure-mean-rank"}
    assert told == {
        ("none", "", ""),
        *(("gaussian", "epsilon", epsilon) for epsilon in ("1.0", "10.0")),
        *(("groups", "min_size", size) for size in ("4.0", "9.0")),
        ("groups-by-share", "max_share", "0.4"),
    }
    of_topics = {float(r["value"]) for r in rows if r["metric"] == "disclosure-one-topic"}
    assert of_topics == {1.0}  # where all words are about one thing, anybody is sure of it
    assert {(r["epsilon"], r["repeat"]) for r in rows if r["mechanism"].startswith("groups")} == {("", "0")}
    with pytest.raises(InputError, match="groups of one word"):
        run(mechanisms=["groups"], min_sizes=[1]).result()


def test_a_second_identical_run_redoes_nothing_and_says_so(first, run, tmp_path):
    kept = _kept()
    state = run(out=str(tmp_path))
    cached, everything = map(int, re.search(r"(\d+) of (\d+) task runs", state.message).groups())
    assert cached == everything - 1  # the download task looks at the file each time
    assert _kept() == kept
    assert scores(tmp_path) == scores(first[1])


def _kept():
    return {path for folder in ("scores", "artefacts") for path in (home() / folder).rglob("*.*")}


def test_one_more_epsilon_computes_only_that_one(first, run, tmp_path):
    kept = set((home() / "scores").rglob("*.json"))
    run(epsilons=[1.0, 3.0, 10.0], out=str(tmp_path))
    added = set((home() / "scores").rglob("*.json")) - kept
    assert len(added) == 3 * 2 * 5  # curves with noise, repeats, evaluations
    old = [r for r in scores(tmp_path) if r["epsilon"] != "3.0"]
    assert old == scores(first[1])


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-9])])
def test_an_artefact_that_is_gone_or_damaged_is_recomputed(first, run, tmp_path, damage):
    for path in (home() / "artefacts").glob("*.npz"):
        damage(path)
    state = run(out=str(tmp_path))
    assert state.is_completed()
    assert scores(tmp_path) == scores(first[1])


@pytest.mark.usefixtures("offline")
def test_a_named_benchmark_that_is_not_available_fails_the_run_but_not_the_others(run, names, tmp_path):
    state = run(benchmarks=[*names, "scws"], epsilons=[1.0], out=str(tmp_path))
    assert state.is_failed()
    assert "not evaluated: scws" in state.message
    assert {r["benchmark"] for r in scores(tmp_path)} >= {"rg65", "cr"}
    assert "scws" in parsed((tmp_path / "report.html").read_text()).first("details", "missing").text


@pytest.mark.usefixtures("offline")
def test_a_benchmark_that_only_the_preset_names_is_left_out_without_failing(run, tmp_path):
    state = run(benchmarks=None, mechanisms=["nadp"], epsilons=[1.0], repeats=1, out=str(tmp_path))
    assert state.is_completed()
    assert "not evaluated: men, simverb3500, mr, mpqa" in state.message
    assert {gap["name"] for gap in manifest(tmp_path)["missing"]} == {"men", "simverb3500", "mr", "mpqa"}


def test_a_failed_curve_leaves_the_others_and_ends_failed(run, embedding, tmp_path):
    flat = tmp_path / "flat.txt"  # two dimensions that are one: no Mahalanobis noise in one direction
    words = [line.split(" ")[0] for line in embedding.read_text(encoding="utf-8").splitlines()[:85]]
    flat.write_text("".join(f"{w} {i % 17} {i % 17} {i % 5}\n" for i, w in enumerate(words)), encoding="utf-8")
    state = run(embedding=str(flat), words=85, benchmarks=["rg65"], epsilons=[1.0], repeats=1, out=str(tmp_path / "o"))
    assert state.is_failed()
    assert "failed: mahalanobis" in state.message
    assert "6/8 units evaluated; 2 failed" in state.message
    assert "singular" in manifest(tmp_path / "o")["failed"][0]["reason"]
    assert {r["mechanism"] for r in scores(tmp_path / "o")} == {"none", "nadp"}


def test_a_failed_evaluation_is_counted_in_its_curve_and_in_the_whole(run, benchmarks, tmp_path, monkeypatch):
    folder = tmp_path / "benchmarks"
    shutil.copytree(benchmarks, folder)
    for label in ("pos", "neg"):  # texts of which no scores are kept
        (folder / "text_classification" / "cr" / f"custrev.{label}").write_text("the one\n" * 10)

    def broken(*_):
        raise ValueError("no scores")

    monkeypatch.setattr(Classification, "scores", broken)
    given = {"mechanisms": ["nadp"], "isolated": ["nearest"], "benchmarks": ["rg65", "cr"]}
    state = run(**given, benchmarks_dir=str(folder), out=str(tmp_path / "out"))
    assert state.is_failed()
    assert "10/15 units evaluated; 5 failed" in state.message
    ends = {run.name: (run.state.name, run.state.message.split("; ")[:2]) for run in subflows(state)}
    assert ends == {
        "no noise": ("Failed", ["2/3 units evaluated", "1 failed"]),
        "nadp tau=0.3 nearest": ("Failed", ["8/12 units evaluated", "4 failed"]),
    }
    rows = scores(tmp_path / "out")
    assert {r["benchmark"] for r in rows} == {"rg65", "word-similarity", "privacy", "noise"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding": "nowhere.txt"}, "no embedding 'nowhere.txt'"),
        ({"benchmarks_dir": "nowhere"}, "benchmarks_dir 'nowhere' is not a folder"),
        ({"frequencies": "nowhere.txt"}, "no frequency list 'nowhere.txt'"),
        ({"epsilons": [0.0]}, "divides by epsilon"),
        ({"sha256": "0" * 64}, "it is damaged or another file"),
        ({"taus": []}, "taus must not be empty"),
    ],
)
def test_what_is_wrong_with_the_input_is_said(run, changes, message):
    with pytest.raises(InputError, match=message):
        run(**changes).result()


def test_where_words_are_left_out_all_curves_are_also_scored_on_the_others(run, tmp_path):
    state = run(isolated=["drop", "exact"], out=str(tmp_path))
    assert state.is_completed()
    rows = scores(tmp_path)
    graphs = {g["isolated"]: g for g in manifest(tmp_path)["graphs"]}
    kept = manifest(tmp_path)["space"]["words"] - graphs["drop"]["isolated_words"]
    attacked = [r for r in rows if r["metric"] == "recovery-top1"]
    whole = {r["isolated"]: r for r in attacked if r["words"] == "released"}
    shared = [r for r in attacked if r["words"] == "common"]
    assert {(r["mechanism"], r["isolated"]) for r in shared} >= {
        ("nadp", "drop"),
        ("nadp", "exact"),
        ("mahalanobis", ""),
    }
    assert {int(r["items"]) for r in shared} == {kept}
    assert int(whole["exact"]["items"]) > kept

    def items(isolated, words):
        place = (isolated, "word-similarity", words)
        return {int(r["items"]) for r in rows if (r["isolated"], r["benchmark"], r["words"]) == place}

    assert items("exact", "common") == items("drop", "released") != items("exact", "released")
    assert any(parsed((tmp_path / "report.html").read_text()).all("p", "common"))
