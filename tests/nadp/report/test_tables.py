import pytest

from nadp import Score
from nadp.experiment.choosing import task_result
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import LIKELIHOOD, NEAREST, STRONGEST, TaskMetric
from nadp.report.styles import styles
from nadp.report.tables import kept_table, settings_table, task_table
from nadp.report.texts import ABSENT, percent

TASK = TaskMetric("pairs", "spearman")
CURVES = [Curve("nadp", 0.1, "nearest"), Curve("gaussian", 0.1, "nearest"), Curve("mahalanobis")]
KINDS = {CURVES[0]: "dp", CURVES[1]: "dp", CURVES[2]: "metric"}


def scores(curve, utility, recovery, error=0.01):
    for epsilon, useful, found in zip((1.0, 10.0), utility, recovery, strict=True):
        place = (curve.mechanism, curve.tau, curve.isolated, epsilon, 0)
        yield Score(*TASK, useful, 10, 1.0, item_error=error).at(*place)
        yield Score(*STRONGEST, found, 10, 1.0).at(*place)
        yield Score(*NEAREST, found, 10, 1.0).at(*place)
        yield Score(*LIKELIHOOD, found / 2 if curve.mechanism == "nadp" else min(1.0, 2 * found), 10, 1.0).at(*place)


@pytest.fixture(scope="module")
def means():
    return Means(
        [
            *scores(CURVES[0], (0.1, 0.5), (0.0, 1.0)),
            *scores(CURVES[1], (0.1, 0.2), (0.0, 0.05)),
            *scores(CURVES[2], (0.1, 0.9), (0.0, 1.0)),
        ]
    )


@pytest.fixture(scope="module")
def looks():
    return styles(CURVES)


def test_curves_are_rows_levels_are_columns_and_kinds_of_guarantee_are_groups(means, looks):
    found = kept_table([task_result(means, TASK)], (0.01, 0.1, 0.5), looks, KINDS)
    assert [(head, list(columns)) for head, columns in found.heads] == [("pairs", ["1 %", "10 %", "50 %"])]
    assert [(head, [row.key for row in rows]) for head, rows in found.groups] == [("dp", [0, 1]), ("metric", [2])]
    cells = {row.key: row.cells for _, rows in found.groups for row in rows}
    assert [float(cell.text) for cell in cells[0]] == pytest.approx([0.104, 0.14, 0.3])
    assert [float(cell.text) for cell in cells[2]] == pytest.approx([0.108, 0.18, 0.5])
    assert float(cells[1][0].text) == pytest.approx(0.12)
    assert [cell.text for cell in cells[1][1:]] == [ABSENT] * 2  # it stays below


def test_the_best_is_marked_and_what_cannot_be_told_from_it(means, looks):
    found = kept_table([task_result(means, TASK)], (0.01, 0.5), looks, KINDS)
    marked = {row.key: [cell.best for cell in row.cells] for _, rows in found.groups for row in rows}
    assert marked == {0: [True, False], 1: [True, False], 2: [True, True]}


def test_a_tasks_table_says_which_setting_gives_what_is_left(means, looks):
    found = task_table(task_result(means, TASK), (0.1,), looks)
    ((_, rows),) = found.groups
    at = {row.key: row.cells[0] for row in rows}
    assert at[0].small[-1] == "epsilon 1.26"  # 10 to the power of a tenth
    assert at[1].small == ()


def test_settings_are_columns_and_the_strongest_attack_is_shown(means, looks):
    found = settings_table(means, (NEAREST, LIKELIHOOD), looks, None, percent)
    assert [list(columns) for _, columns in found.heads] == [["1", "10"]]
    ((_, rows),) = found.groups
    assert {row.key: [cell.text for cell in row.cells] for row in rows} == {
        0: ["0 %", "100 %"],
        1: ["0 %", "10 %"],
        2: ["0 %", "100 %"],
    }


def test_of_many_settings_at_most_eight_are_shown_the_ends_among_them(looks):
    many = [Score(*NEAREST, 0.5, 10, 1.0).at("nadp", 0.1, "nearest", 0.8 * step, 0) for step in range(1, 51)]
    found = settings_table(Means(many), [NEAREST], looks, None, percent)
    ((_, columns),) = found.heads
    assert len(columns) == 8
    assert (columns[0], columns[-1]) == ("0.8", "40")
