"""Noise and groups side by side: two kinds of guarantee, on both axes, without a winner."""

from collections.abc import Sequence

from nadp.experiment.choosing import TaskResult, task_result
from nadp.experiment.curves import Curve
from nadp.experiment.means import Means
from nadp.experiment.metrics import DISCLOSURE, TaskMetric
from nadp.report.answer import MAIN_LEVEL, as_range, shares_kept
from nadp.report.labels import in_sentence
from nadp.report.texts import listed, percent

DISCLOSED = 0.5
"""The R^2 of the best reconstruction at which the report compares utility."""
_R2 = "R\N{SUPERSCRIPT TWO}"
_NEEDS = """\
Choose groups if the embedding and the word frequencies are public and a word of a text should hide among the others \
of its group, however often it is encoded. The group, and so its topic, is visible. The guarantee bounds how sure \
anybody can be of a word, under the stated prior and for independent words.
Choose noise if the vectors themselves are private, if no prior can be trusted, or if the topic must be hidden too, \
which takes much noise. The guarantee is differential privacy between neighbouring words. Every further release, and \
every repetition, costs privacy.""".splitlines()


def side_by_side(means: Means, tasks: Sequence[TaskMetric]) -> list[str]:
    """Return the utility of groups and noise at equal recovery and at equal disclosure, and when to choose which.

    The result is empty unless both were run and disclosure was measured.

    Args:
        means: means of all scores.
        tasks: at the top of the report.
    """
    disclosed = means.of(DISCLOSURE)
    if {_is_groups(curve) for curve in disclosed if curve.noisy} != {True, False}:
        return []
    sentences = []
    at_recovery = _both([task_result(means, task) for task in tasks], MAIN_LEVEL)
    if at_recovery:
        sentences.append(f"Where an attack identifies {percent(MAIN_LEVEL)} of the words, {at_recovery}.")
        disclosed_by_both = _disclosed_by_both(task_result(means, DISCLOSURE))
        sentences[0] += f" There {disclosed_by_both}." if disclosed_by_both else ""
    at_disclosure = _both([task_result(means, task, DISCLOSURE) for task in tasks], DISCLOSED)
    if at_disclosure:
        level = f"{_R2} of the best reconstruction {DISCLOSED:g}"
        sentences.append(f"Where equally much is disclosed ({level}), {at_disclosure}.")
    return [*sentences, *_NEEDS]


def _is_groups(curve: Curve) -> bool:
    return curve.made.kind == "groups"


def _both(results: Sequence[TaskResult], level: float) -> str:
    """Return the shares of the tasks that both kinds keep, for tasks on which both reach the level."""
    groups, noise = [], []
    for result in results:
        shares = shares_kept(result, level)
        group_shares = [share for curve, share in shares.items() if _is_groups(curve)]
        noise_shares = [share for curve, share in shares.items() if not _is_groups(curve)]
        if group_shares and noise_shares:
            groups.append(f"{as_range(group_shares)} of {in_sentence(result.task)}")
            noise.append(as_range(noise_shares))
    return f"groups keep {listed(groups)}, noise {listed(noise)}" if groups else ""


def _disclosed_by_both(result: TaskResult) -> str:
    """Return what both kinds disclose at the main level of recovery."""
    utility_of_curve = {c: left.utility for c, left in result.kept(MAIN_LEVEL).items() if left.reaches(MAIN_LEVEL)}
    groups, noise = (
        [value for c, value in utility_of_curve.items() if _is_groups(c) == of_groups] for of_groups in (True, False)
    )
    if not groups or not noise:
        return ""
    return (
        f"the best reconstruction explains {_ends(groups)} of the variance of the vectors ({_R2}) under groups, and "
        f"{_ends(noise)} under noise"
    )


def _ends(values: list[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"
