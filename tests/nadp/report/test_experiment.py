"""The report of an experiment: what is on its page is what is in its data."""

import io
import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from nadp.experiment import choose
from nadp.experiment.curves import Curve, recipe
from nadp.experiment.disclosure import disclosure_scores
from nadp.experiment.evaluation import privacy_scores, utility_scores
from nadp.experiment.manifest import BenchmarkFacts, Gap, ShownWord, read_manifest
from nadp.experiment.metrics import TaskMetric
from nadp.known_words import KnownWords
from nadp.noise import base_draw
from nadp.report.experiment import report
from nadp.report.files import Report
from nadp.report.styles import styles
from nadp.report.texts import percent
from nadp.report.words import nearest_words
from nadp.scores import COLUMNS, score_table
from nadp.utility.word_similarity import WordPairs, WordSimilarity
from tests.parsed import parsed

POOLED = TaskMetric("word-similarity", "spearman-pooled")
NADP, MAHALANOBIS = "NADP", "Mahalanobis"
NO_BENCHMARK = BenchmarkFacts("men", "word-similarity", "spearman", "a folder", 2999, "0" * 64, "", "none", "nobody")


@pytest.fixture(scope="module")
def made(experiment):
    return report(experiment.scores, experiment.manifest)


@pytest.fixture(scope="module")
def page(made):
    return parsed(made.files["report.html"].decode())


@pytest.fixture
def of(experiment):
    """The page of the experiment with some scores, and a manifest that differs in some fields."""

    def of(scores=None, **changes):
        scores = experiment.scores if scores is None else scores
        made = report(scores, replace(experiment.manifest, **changes))
        return parsed(made.files["report.html"].decode())

    return of


def rows(element):
    """The rows of all tables below an element, by their heads."""
    return {head: cells for table in element.all("table") for head, cells in table.table().items()}


def test_a_report_has_all_its_files(made):
    names = ("kept", "utility", "utility-against-recovery", "privacy", "differences", "overlap-histograms")
    figures = {f"figures/{name}.{kind}" for name in names for kind in ("svg", "png")}
    assert set(made.files) - figures == {"scores.csv", "equal_recovery.csv", "manifest.json", "report.html"}
    assert figures - set(made.files) <= {"figures/differences.svg", "figures/differences.png"}


def test_a_report_comes_back_from_its_archive_and_equal_reports_give_equal_archives(made, tmp_path):
    path = tmp_path / "report.zip"
    path.write_bytes(made.archive())
    found = Report.from_archive(path)
    assert (found.files, found.markdown) == (made.files, made.markdown)
    assert found.archive() == made.archive()


def test_the_page_needs_no_other_file_and_no_script(made, page):
    html = made.files["report.html"].decode()
    assert not list(page.all("script"))
    assert not list(page.all("img"))
    assert not re.search(r"(?:src|href)=.(?!#)", html)
    assert "url(" not in html
    assert "@import" not in html


def test_sections_follow_each_other_and_every_link_leads_to_one(page):
    ids = [section["id"] for section in page.first("main").all("section")]
    assert ids == ["answer", "tasks", "privacy", "utility", "graph", "guarantees", "method"]
    targets = {element["id"] for element in page.all() if "id" in element.attributes}
    assert {link["href"].removeprefix("#") for link in page.all("a")} <= targets
    assert all(label["for"] in targets for label in page.all("label") if "for" in label.attributes)


def test_every_figure_says_in_words_what_it_shows(page, experiment):
    panels = list(page.all("svg", "panel"))
    assert len(panels) > 5
    for panel in panels:
        assert panel["role"] == "img"
        assert len(panel["aria-label"]) > len(panel.first("text", "title").text) + 20
    for curve in page.first("section", id="utility").first("svg", "panel").all("g", "curve"):
        assert len(list(curve.all("title"))) == len(experiment.epsilons)


def test_what_is_left_at_equal_recovery_is_what_choose_returns(page, experiment):
    for level, column in ((0.01, 0), (0.1, 1), (0.5, 2)):
        chosen = choose(experiment.scores, level, metrics=dict([POOLED]))
        reached = chosen[np.isclose(chosen["recovery"], level) & chosen["utility"].notna()]
        shown = {head: cells[column] for head, cells in rows(page.first("section", id="answer")).items()}
        assert len(shown) == len(experiment.manifest.noisy)
        names = {"nadp": NADP, "mahalanobis": MAHALANOBIS, "gaussian": "Gaussian", "jaccard": "Jaccard"}
        names["gaussian-classical"] = "Gaussian, classical"
        expected = {names[row.mechanism]: f"{row.utility:.3f}" for row in reached.itertuples()}
        assert {head: cell for head, cell in shown.items() if re.match(r"-?\d", cell)} == expected


def test_every_task_has_a_panel_and_a_table_of_settings(page, experiment):
    (card,) = page.first("section", id="tasks").all("div", "card")
    chosen = choose(experiment.scores, 0.5, metrics={"pairs": "spearman"}).set_index("mechanism")
    (small,) = [
        [line.text for line in row.all("small")]
        for row in card.all("tr")
        if any(row.all("td")) and row.first("th").text == MAHALANOBIS
    ]
    assert f"epsilon {chosen.loc['mahalanobis', 'setting']:.3g}" in small
    assert len(list(card.first("svg", "panel").all("g", "curve"))) == len(experiment.manifest.noisy)


def test_the_share_of_words_without_noise_and_the_strongest_recovery_stand_in_the_answer(page, experiment):
    said = page.first("section", id="answer").text
    share = percent(float(experiment.space.neighbourhoods.was_isolated.mean()))
    assert share in said
    table = score_table(experiment.scores)
    mine = table[(table["mechanism"] == "nadp") & (table["epsilon"] == 40) & (table["metric"] == "recovery-strongest")]
    assert percent(mine["value"].mean()) in said


def test_recovery_is_that_of_the_strongest_attack_at_each_epsilon(page, experiment):
    table = score_table(experiment.scores)
    attacks = table[(table["metric"] == "recovery-strongest") & (table["mechanism"] == "mahalanobis")]
    means = attacks.groupby("epsilon")["value"].mean()
    found = rows(page.first("section", id="privacy"))
    assert found[MAHALANOBIS][: len(means)] == [percent(value) for value in means]


def test_best_guesses_are_those_of_the_noise_and_a_missed_delta_is_named(page):
    section = page.first("section", id="guarantees")
    assert rows(section)[NADP][0] == rows(section)["Gaussian"][0]
    missed = [row for row in section.all("tr") if any(row.all("th")) and row.first("th").text == "Gaussian, classical"]
    assert any("true delta" in small.text for row in missed for small in row.all("small"))


def test_golden_figures_of_an_epsilon_in_use(of):
    found = rows(of(delta=1 / 73404).first("section", id="guarantees"))
    assert found["1"] == ["0.273", "55.4 %", "1.47", "3.63", "14.6", "2.16", "6.21"]


def test_what_is_not_covered_is_said(page):
    assert page.first("h3", id="limits")
    assert any(link["href"] == "#limits" for link in page.first("section", id="answer").all("a"))


def test_missing_benchmarks_are_one_line_that_unfolds_and_failures_are_open(of):
    page = of(
        missing=(Gap("sts-b", "no source could be reached"), Gap("mr", "no folder")),
        failed=(Gap("gaussian: privacy", "out of memory"),),
        benchmarks=(replace(NO_BENCHMARK, warning="one row is missing"),),
    )
    folded = page.first("details", "missing")
    assert "open" not in folded.attributes
    assert all(name in folded.first("summary").text for name in ("sts-b", "mr"))
    assert [item.text for item in folded.all("li")] == ["sts-b: no source could be reached", "mr: no folder"]
    alerts = [alert.text for alert in page.all("div", "alert")]
    assert any("gaussian: privacy" in alert and "out of memory" in alert for alert in alerts)
    assert any("one row is missing" in alert for alert in alerts)


def test_nothing_that_is_missing_is_reported_where_nothing_is(page):
    assert not list(page.all(None, "alert"))


def warnings(page):
    return " ".join(item.text for item in page.first("section", id="answer").all("li"))


def test_weak_void_and_missed_guarantees_are_warned_of_and_others_are_not(of, experiment):
    found = warnings(of())
    own = [curve.made.warning for curve in experiment.manifest.noisy if curve.made.warning]
    assert len(own) == 2
    assert all(said in found for said in (*own, "An epsilon above 10", "Gaussian, classical misses"))
    quiet = of(
        [s for s in experiment.scores if s.mechanism in ("none", "nadp") and s.epsilon in (None, 1.0)],
        curves=experiment.manifest.curves[:2],
        recipes=tuple(r for r in experiment.manifest.recipes[:3] if r.epsilon in (None, 1)),
    )
    assert not any(said in warnings(quiet) for said in (*own, "above 10", "misses"))


def test_a_word_that_is_still_its_own_nearest_is_marked(page):
    words = page.first("section", id="privacy").first("details").first("table")
    marked = {row.first("th").text: "best" in row.first("td").classes for row in words.all("tr") if any(row.all("td"))}
    assert marked == {"without noise": False, f"{NADP}, epsilon 1": True}  # 40 guarantees nothing


def test_words_under_groups_are_shown_at_the_middle_setting(experiment):
    manifest, curve = experiment.manifest, Curve("groups")
    shown = (*manifest.shown, *(ShownWord(curve, size, "w0", ("w4",), itself=False) for size in (2.0, 6.0, 20.0)))
    curves = (*manifest.curves, curve)
    table = nearest_words(replace(manifest, curves=curves, shown=shown), styles([c for c in curves if c.noisy]))
    ((_, rows_),) = table.groups
    assert rows_[-1].name == "Groups by size, min_size 6"
    assert [cell.text for cell in rows_[-1].cells] == ["w4"]


def test_text_from_outside_is_not_taken_for_markup(experiment):
    name = "<script>alert(1)</script>|*x* [a](b) `c` _d_ \\"
    manifest = replace(experiment.manifest, embedding=replace(experiment.manifest.embedding, name=name))
    made = report(experiment.scores, manifest)
    assert name in parsed(made.files["report.html"].decode()).first("h1").text
    assert name in parsed(MarkdownIt("commonmark").enable("table").render(made.markdown)).first("h1").text


def test_the_artifact_has_the_same_answer_with_its_figures_in_it(made, page):
    artifact = parsed(MarkdownIt("commonmark").enable("table").render(made.markdown))
    images = list(artifact.all("img"))
    assert len(images) == 3
    assert all(image["src"].startswith("data:image/png;base64,") and image["alt"] for image in images)
    assert page.first("p", "lead").text in artifact.text
    mine = next(cells for table in artifact.all("table") for head, *cells in cells_of(table) if head == MAHALANOBIS)
    shown = rows(page.first("section", id="answer"))[MAHALANOBIS]
    assert [cell.split(" (")[0] for cell in mine] == shown


def cells_of(table):
    return [[cell.text for cell in row.all("td")] for row in table.all("tr") if any(row.all("td"))]


def test_the_scores_can_be_read_back(made, experiment):
    table = score_table(experiment.scores)
    read = pd.read_csv(io.BytesIO(made.files["scores.csv"]), keep_default_na=False, na_values=[""])
    assert list(read.columns) == COLUMNS
    assert len(read) == len(experiment.scores)
    for column in ("value", "tau", "epsilon", "item_error"):
        pd.testing.assert_series_equal(read[column], table[column], rtol=1e-14)


def test_the_manifest_can_be_read_back(made, experiment, tmp_path):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    json.loads(made.files["manifest.json"], parse_constant=refuse)
    (tmp_path / "manifest.json").write_bytes(made.files["manifest.json"])
    assert read_manifest(tmp_path / "manifest.json").to_json() == experiment.manifest.to_json()


def test_differences_are_written_with_both_curves_as_data(experiment):
    rising = [
        replace(s, value=min(1.0, s.epsilon / 40)) if s.metric == "recovery-strongest" and s.epsilon else s
        for s in experiment.scores
    ]
    found = pd.read_csv(io.BytesIO(report(rising, experiment.manifest).files["equal_recovery.csv"]))
    assert set(found["mechanism"]) == {"nadp"}
    assert set(found["other_mechanism"]) == {"gaussian", "gaussian-classical", "mahalanobis", "jaccard"}
    assert (found["low"] <= found["difference"]).all()
    assert (found["difference"] <= found["high"]).all()


def test_the_same_experiment_gives_the_same_bytes(made, experiment):
    again = report(reversed(experiment.scores), experiment.manifest)
    assert again.files == made.files
    assert again.markdown == made.markdown


@pytest.mark.parametrize("undefined", [{"spearman-pooled"}, {"spearman-pooled", "recovery-strongest"}, {"spearman"}])
def test_a_figure_that_is_not_defined_is_not_printed_as_a_number(of, experiment, undefined):
    page = of([replace(s, value=math.nan) if s.metric in undefined else s for s in experiment.scores])
    assert not re.search(r"\bnan\b", page.text)


@pytest.mark.parametrize("left", [("privacy", "noise"), ("word-similarity", "noise"), ()])
def test_a_report_is_made_of_whatever_there_is(of, experiment, left):
    page = of([score for score in experiment.scores if score.benchmark in left])
    assert page.first("h1")


def test_the_reference_preset_shows_the_metrics_of_the_authors(of):
    units = [unit.text for unit in of(preset="reference").first("section", id="answer").all("text", "unit")]
    assert "Spearman, mean of the sets" in units


def test_a_task_that_is_better_with_noise_is_called_no_gain(of, experiment):
    def risen(by, benchmark="sts-b", metric="geometric-mean"):
        pooled = [s for s in experiment.scores if s.metric == "spearman-pooled"]
        others = [s for s in experiment.scores if s.metric != "spearman-pooled"]
        moved = [replace(s, value=s.value + by * (s.mechanism == "gaussian")) for s in pooled]
        return others + [replace(s, benchmark=benchmark, metric=metric) for s in moved]

    def told(page):
        return [
            strong.text for strong in page.first("section", id="answer").all("strong") if "than without" in strong.text
        ]

    assert "sentence similarity" in told(of(risen(5.0)))[0]
    assert told(of(risen(-5.0))) == told(of(risen(5.0, *POOLED))) == []


@pytest.fixture(scope="module")
def with_groups(experiment):
    """The experiment with a curve of groups, and what every curve discloses."""
    space, curve = experiment.space, Curve("groups")
    recipes = [recipe(space, curve, size, 1e-4) for size in (2.0, 6.0, 20.0)]
    first, second = np.random.default_rng(0).integers(0, len(space), size=(2, 60))
    words = space.embeddings.words.tolist()
    pairs = WordPairs("pairs", [words[i] for i in first], [words[i] for i in second], np.arange(60.0))
    useful = utility_scores(WordSimilarity([pairs], KnownWords.of(space)), space, space.vectors, recipes)
    attacked = privacy_scores(space, space.vectors, recipes, repeat=0, seed=0)
    scores = [one.placed(s, 0) for one, a, b in zip(recipes, useful, attacked, strict=True) for s in (*a, *b)]
    for line in (*experiment.manifest.curves, curve):
        mine = [one for one in (*experiment.manifest.recipes, *recipes) if one.curve == line]
        draw = space.vectors
        if line.noise is not None:
            draw = base_draw(line.made.noise.fitted(space.embeddings), space.embeddings, np.random.default_rng(1))
        told = disclosure_scores(space, draw, mine, repeat=0, seed=0, topics=np.arange(240) // 60)
        scores += [one.placed(s, 0) for one, some in zip(mine, told, strict=True) for s in some]
    manifest = replace(
        experiment.manifest,
        curves=(*experiment.manifest.curves, curve),
        recipes=(*experiment.manifest.recipes, *recipes),
    )
    return report([*experiment.scores, *scores], manifest)


def advised(page):
    """Return what the answer tells its reader to choose, one word per need."""
    said = [li.text.split() for li in page.first("section", id="answer").all("li")]
    return [words[1] for words in said if words[0] == "Choose"]


def test_the_second_axis_is_drawn_and_reported_as_soon_as_there_is_one(with_groups, made):
    page, plain = (parsed(one.files["report.html"].decode()) for one in (with_groups, made))
    assert {"figures/utility-against-disclosure.svg", "figures/utility-against-disclosure.png"} <= set(
        with_groups.files
    )
    assert "figures/utility-against-disclosure.svg" not in made.files
    assert advised(page) == ["groups", "noise"]
    assert not advised(plain)
    table = pd.read_csv(io.BytesIO(with_groups.files["scores.csv"]))
    rank = table[(table["metric"] == "disclosure-mean-rank") & (table["mechanism"] == "groups")].set_index("setting")
    shown = rows(page.first("section", id="privacy"))
    assert {f"{rank['value'][size]:.3f}" for size in (2.0, 6.0, 20.0)} <= {
        cell
        for cells in (t.table().get("Groups by size", []) for t in page.first("section", id="privacy").all("table"))
        for cell in cells
    }
    assert "Groups by size" in shown
