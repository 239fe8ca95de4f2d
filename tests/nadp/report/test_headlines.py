from nadp import Score
from nadp.report.headlines import REFERENCE_UTILITY, UTILITY, headlines_of, present, rows_of
from nadp.scores import mean_and_error, score_table


def test_a_preset_has_its_headlines():
    assert headlines_of("reference") == REFERENCE_UTILITY
    assert headlines_of("demo") == UTILITY


def test_only_headlines_with_figures_are_present():
    scores = [Score("odd-man-out", "accuracy", 0.5, 1, 1.0), Score("men", "spearman", 0.5, 1, 1.0)]
    summary = mean_and_error(score_table(scores))
    assert [headline.title for headline in present(summary)] == ["Odd-man-out"]
    assert rows_of(summary, UTILITY[3])["mean"].tolist() == [0.5]
    assert present(summary, REFERENCE_UTILITY) == []


def test_only_the_preset_of_the_paper_pools_ratings_of_several_sets():
    pooled = {preset for preset in ("demo", "paper", "reference") for h in headlines_of(preset) if "pooled" in h.metric}
    assert pooled == {"paper"}
