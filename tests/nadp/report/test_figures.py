import numpy as np
import pytest

from nadp import EmbeddingSpace, Score
from nadp.report.figures import figures, privacy_figure, trade_off_figure, utility_figure
from nadp.scores import mean_and_error, score_table
from tests.nadp.small_experiment import Experiment


@pytest.fixture(scope="module")
def summary(experiment):
    return mean_and_error(score_table(experiment.scores))


def lines(axis):
    """The points of each curve of a panel, by its label."""
    handles, labels = axis.get_legend_handles_labels()
    return {label: handle for handle, label in zip(handles, labels, strict=True) if label != "no noise"}


@pytest.mark.parametrize("draw", [utility_figure, privacy_figure, trade_off_figure])
def test_every_curve_with_noise_is_drawn_once_in_each_panel(summary, experiment, draw):
    labels = {curve.label for curve in experiment.manifest.noisy}
    axes = [axis for axis in draw(summary).axes if axis.get_visible()]
    assert axes
    for axis in axes:
        assert set(lines(axis)) == labels
        colours = {handle.lines[0].get_color() for handle in lines(axis).values()}
        assert len(colours) == len(labels)


def test_the_points_are_the_means_of_the_table(summary):
    axis = utility_figure(summary).axes[0]
    rows = summary[(summary["mechanism"] == "gaussian") & (summary["metric"] == "spearman-mean")]
    x, y = lines(axis)["gaussian tau=0.5 exact"].lines[0].get_data()
    assert x.tolist() == rows["epsilon"].tolist() == [1, 40]
    assert y.tolist() == rows["mean"].tolist()


def test_the_trade_off_puts_recovery_on_the_axis_all_have_in_common(summary):
    axis = trade_off_figure(summary).axes[0]
    rows = summary[(summary["mechanism"] == "mahalanobis") & (summary["benchmark"] == "privacy")]
    x, _ = lines(axis)["mahalanobis"].lines[0].get_data()
    assert x.tolist() == rows.loc[rows["metric"] == "recovery-strongest", "mean"].tolist()
    assert "recovery" in axis.get_xlabel()


def test_skewness_is_never_shown_without_recovery_beside_it_and_a_warning(summary):
    one, other = privacy_figure(summary).axes
    assert "Recovery" in one.get_title()
    assert "misleading" in other.get_title()


def test_the_vectors_without_noise_are_the_baseline(summary):
    baseline = summary[(summary["mechanism"] == "none") & (summary["metric"] == "spearman-mean")]["mean"].item()
    level = [line for line in utility_figure(summary).axes[0].lines if line.get_label() == "no noise"]
    assert [set(line.get_ydata()) for line in level] == [{baseline}]


@pytest.mark.parametrize(
    "epsilons", [[0.0], [0.0, 1.0], [0.1 * i for i in range(1, 31)]], ids=["zero", "zero and one", "many"]
)
def test_figures_are_drawn_for_any_epsilons(epsilons):
    scores = [
        Score("privacy", metric, 0.5, 10, 1.0).at("nadp", 0.5, "exact", epsilon, repeat)
        for metric in ("recovery-strongest", "overlap-skewness")
        for epsilon in epsilons
        for repeat in (0, 1)
    ]
    assert all(image.startswith(b"\x89PNG") for image in figures(score_table(scores)).values())


def test_epsilon_zero_has_a_place_of_its_own_and_crowds_no_other_out():
    epsilons = [0.0, 1.0, 40.0]
    scores = [Score("privacy", "recovery-strongest", 0.5, 10, 1.0).at("nadp", 0.5, "exact", e, 0) for e in epsilons]
    axis = privacy_figure(mean_and_error(score_table(scores))).axes[0]
    shown = axis.transAxes.inverted().transform(axis.transData.transform([(epsilon, 0.5) for epsilon in epsilons]))
    assert shown[0, 0] >= 0
    assert shown[-1, 0] <= 1
    assert (np.diff(shown[:, 0]) > 0.1).all()


def test_figures_of_undefined_figures_are_drawn(summary):
    nothing = summary.assign(mean=np.nan, error=np.nan)
    for draw in (utility_figure, privacy_figure, trade_off_figure):
        assert draw(nothing).axes


def test_another_space_gives_other_figures(experiment, tied):
    other = Experiment(EmbeddingSpace.build(tied, tau=0.3, isolated="exact"), [1.0, 40.0])
    one, two = (figures(score_table(e.scores)) for e in (experiment, other))
    assert all(one[name] != two[name] for name in one)
