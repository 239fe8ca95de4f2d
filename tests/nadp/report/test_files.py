import io
import json

import matplotlib.image
import pandas as pd
import pytest

from nadp.report.files import report
from nadp.scores import COLUMNS, score_table


@pytest.fixture(scope="module")
def made(experiment):
    return report(experiment.scores, experiment.manifest)


def test_a_report_has_all_its_files(made):
    names = ("utility", "privacy", "utility-against-recovery", "difference-at-equal-recovery", "overlap-histograms")
    figures = {f"figures/{name}.png" for name in names}
    assert set(made.files) == {"scores.csv", "equal_recovery.csv", "manifest.json", "report.html"} | figures


def test_figures_are_pictures_that_are_not_blank(made):
    for name, content in made.files.items():
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
            picture = matplotlib.image.imread(io.BytesIO(content))
            assert min(picture.shape[:2]) > 200
            assert picture.std() > 0.03


def test_the_scores_can_be_read_back(made, experiment):
    table = score_table(experiment.scores)
    read = pd.read_csv(io.BytesIO(made.files["scores.csv"]), keep_default_na=False, na_values=[""])
    assert list(read.columns) == COLUMNS
    assert len(read) == len(experiment.scores)
    for column in ("value", "tau", "epsilon"):
        pd.testing.assert_series_equal(read[column], table[column], rtol=1e-14)
    assert read["mechanism"].tolist() == table["mechanism"].tolist()


def test_the_manifest_is_strict_json(made, experiment):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    assert json.loads(made.files["manifest.json"], parse_constant=refuse)["version"] == experiment.manifest.version


def test_the_page_holds_the_figures_and_needs_no_other_file(made):
    html = made.files["report.html"].decode()
    assert html.count('src="data:image/png;base64,') == 5
    assert html.count("src=") == 5
    assert "<table>" in html
    assert "http" not in html.split("base64,")[0]


def test_the_same_experiment_gives_the_same_bytes(made, experiment):
    assert report(reversed(experiment.scores), experiment.manifest).files == made.files


def test_a_report_without_any_utility_is_made(experiment):
    scores = [score for score in experiment.scores if score.benchmark in ("privacy", "noise")]
    assert report(scores, experiment.manifest).files["figures/utility.png"]
