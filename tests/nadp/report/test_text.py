import math
import re
from dataclasses import replace

import pytest

from nadp.experiment.comparison import compared
from nadp.experiment.manifest import BenchmarkFacts, Gap
from nadp.report.headlines import REFERENCE_UTILITY, UTILITY
from nadp.report.text import report_markdown
from nadp.scores import score_table


@pytest.fixture
def text(experiment):
    def text(scores=None, **changes):
        scores = experiment.scores if scores is None else scores
        comparison = compared(scores, [(h.benchmark, h.metric) for h in UTILITY])
        return report_markdown(score_table(scores), replace(experiment.manifest, **changes), {}, UTILITY, comparison)

    return text


def section(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_report_says_what_was_done_and_what_is_not_covered(text):
    found = text()
    for part in ["240 words", "small.txt", "12 dimensions", "epsilon 1, 40", "delta 0.0001", "2 times each"]:
        assert part in found
    assert "one token replaced by a word it is joined to" in section(found, "What the guarantee does not cover")
    assert "not private" in section(found, "What the guarantee does not cover")


def test_what_is_missing_failed_or_odd_stands_at_the_top(text):
    found = text(
        missing=(Gap("sts-b", "no source could be reached"),),
        failed=(Gap("gaussian: privacy", "out of memory"),),
        benchmarks=(
            BenchmarkFacts(
                "men", "word-pairs", "spearman", "a folder", 2999, "0" * 64, "one row is missing", "none", "nobody"
            ),
        ),
    )
    top = found.split("## What this run did")[0]
    assert "Not evaluated: sts-b.** no source could be reached" in top
    assert "Failed: gaussian: privacy.** out of memory" in top
    assert "Check men:** one row is missing" in top
    assert "men (2,999 rows, a folder)" in section(found, "How it was made")
    assert "Not evaluated" not in text()


def test_the_share_of_words_without_noise_is_told_of_nadp_alone(text, experiment):
    share = f"{experiment.space.neighbourhoods.was_isolated.mean():.1%}"
    assert float(share[:-1]) > 10
    lines = section(text(), "From the smallest to the largest epsilon").splitlines()
    told = [line for line in lines if "get no noise at all" in line]
    assert len(told) == 1
    assert told[0].startswith("- **nadp tau=0.5 exact**")
    assert f"{share} of the words get no noise at all" in told[0]
    alone = experiment.space.neighbourhoods.was_isolated.sum()
    assert f"{alone:,} ({share})" in section(text(), "Words without noise")


def test_the_table_has_a_row_for_each_curve_and_epsilon_with_mean_and_error(text, experiment):
    rows = [line for line in section(text(), "Utility and recovery at every epsilon").splitlines() if line[:1] == "|"]
    assert len(rows) == 2 + 1 + 2 * 5
    row = next(line for line in rows if line.startswith("| gaussian tau=0.5 exact | 40 |"))
    pooled = [
        score.value
        for score in experiment.scores
        if (score.mechanism, score.epsilon, score.metric) == ("gaussian", 40.0, "spearman-mean")
    ]
    assert len(pooled) == 2
    error = abs(pooled[0] - pooled[1]) / 2
    assert f"| {sum(pooled) / 2:.3f} ± {error:.3f} |" in row
    assert all(line.count("|") == rows[0].count("|") for line in rows)


def test_the_ends_of_each_curve_are_told_in_words(text):
    found = section(text(), "From the smallest to the largest epsilon")
    for curve in ("nadp tau=0.5 exact", "gaussian tau=0.5 exact", "mahalanobis"):
        assert re.search(rf"\*\*{curve}\*\*: at epsilon 1 word similarity -?0\.\d+, .*; at epsilon 40 ", found)


def test_the_first_screen_answers_what_is_asked_first(text, experiment):
    found = section(text(), "In short")
    assert re.search(r"\*\*Without noise\*\*: word similarity -?0\.\d+", found)
    assert "What is promised" in found
    share = f"{experiment.space.neighbourhoods.was_isolated.mean():.1%}"
    assert f"{share} of the words are alone in the graph, and are released **as they are**, without noise" in found
    rows = [line for line in found.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:]] == [f"| {curve.label}" for curve in experiment.manifest.noisy]
    assert rows[2].endswith(f" {share} |")


def test_curves_are_compared_where_equally_many_words_are_got_back(text, experiment):
    few = [
        replace(s, value=min(1.0, s.epsilon / 40)) if s.metric == "recovery-strongest" else s
        for s in _noisy(experiment)
    ]
    found = section(text(few), "Mechanisms at equal recovery")
    rows = [line for line in found.splitlines() if line.startswith("| word similarity")]
    assert [row.split(" | ")[1] for row in rows] == ["5%", "10%", "25%", "50%", "75%", "90%"]
    assert all(len(re.findall(r"[+-]\d\.\d{3} \[[+-]\d\.\d{3}, [+-]\d\.\d{3}\]", row)) == 4 for row in rows)
    assert "Mechanisms at equal recovery" not in text(few[:0])


def _noisy(experiment):
    return [score for score in experiment.scores if score.epsilon is not None]


def test_what_becomes_of_a_promise_is_told(text):
    found = section(text(delta=1 / 73404), "What becomes of a promise in use")
    row = next(line for line in found.splitlines() if line.startswith("| 1 |"))
    assert row.split(" | ")[2:] == ["55.4%", "1.47", "3.63", "14.6", "2.16", "6.21 |"]


def test_warnings_are_given_where_they_are_due(text, experiment):
    found = section(text(), "In short")
    own = [curve.made.warning for curve in experiment.manifest.noisy if curve.made.warning]
    for warning in [*own, "Epsilon above 10 promises next to nothing", "gaussian-classical misses its delta"]:
        assert warning in found
    gentle = section(
        text(
            curves=experiment.manifest.curves[:2],
            recipes=tuple(r for r in experiment.manifest.recipes if r.epsilon in (None, 1)),
        ),
        "In short",
    )
    assert not re.search("promises next to|another unit|no guarantee|misses its delta", gentle)


def test_every_promise_is_listed_with_the_delta_it_reaches(text, experiment):
    found = section(text(), "What each mechanism promises")
    for recipe in experiment.manifest.recipes:
        if recipe.guarantee is not None:
            assert recipe.guarantee.statement.replace("|", r"\|") in found
    assert "get NO noise" in found


def test_a_headline_without_figures_is_left_out(text):
    assert "odd-man-out" not in text().lower()


@pytest.mark.parametrize("undefined", [{"spearman-mean"}, {"spearman-mean", "recovery-strongest"}])
def test_a_figure_that_is_not_defined_is_not_printed_as_a_number(text, experiment, undefined):
    found = text([replace(s, value=math.nan) if s.metric in undefined else s for s in experiment.scores])
    assert "not defined" in section(found, "Utility and recovery at every epsilon")
    assert not re.search(r"\bnan\b", found)


def test_the_reference_preset_shows_the_figures_of_the_authors(experiment):
    table, comparison = score_table(experiment.scores), compared([], [])
    found = report_markdown(table, experiment.manifest, {}, REFERENCE_UTILITY, comparison)
    assert "Spearman, mean of the sets" in found


def test_a_gain_of_sentences_by_noise_is_called_none(text, experiment):
    def risen(by, benchmark="sts-b", metric="geometric-mean"):
        pooled = [s for s in experiment.scores if s.metric == "spearman-mean"]
        others = [s for s in experiment.scores if s.metric != "spearman-mean"]
        moved = [replace(s, value=s.value + by * (s.mechanism == "gaussian")) for s in pooled]
        return others + [replace(s, benchmark=benchmark, metric=metric) for s in moved]

    assert "Better with noise than without (sentence similarity)" in text(risen(5.0))
    assert "Better with noise" not in text(risen(-5.0))
    assert "Better with noise" not in text(risen(5.0, "word-similarity", "spearman-mean"))


def test_a_word_that_came_back_is_marked(text):
    found = text()
    assert "| w0 | w1, w2, w3 | **w0**, w2, w7 |" in found
    assert "its noisy vector at epsilon 1 (first draw)" in found  # 40 promises nothing
