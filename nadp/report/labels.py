"""Labels of curves, tasks, metrics and attacks in reports."""

from nadp.choices import Isolated
from nadp.experiment.curves import Curve
from nadp.experiment.metrics import LIKELIHOOD, NEAREST, TaskMetric

POLICY: dict[Isolated, str] = {
    "nearest": "isolated words joined",
    "global": "isolated words with the largest noise",
    "drop": "isolated words left out",
    "exact": "isolated words without noise",
}
ATTACK = {NEAREST: "nearest word", LIKELIHOOD: "most likely word"}
_TITLE = {
    "word-similarity": "Word similarity",
    "sts-by-source": "Sentence similarity",
    "classification": "Text classification",
    "odd-man-out": "Odd-man-out",
    "men": "MEN",
    "simlex999": "SimLex-999",
    "simverb3500": "SimVerb-3500",
    "simverb3000-test": "SimVerb-3500, test part",
    "wordsim353": "WordSim-353",
    "rg65": "RG-65",
    "mc30": "MC-30",
    "rw": "Rare Words",
    "mturk771": "MTurk-771",
    "scws": "SCWS",
    "sts-b": "Sentence similarity (STS-B)",
    "mr": "MR",
    "cr": "CR",
    "mpqa": "MPQA",
    "subj": "SUBJ",
    "sst2": "SST-2",
    "neighbours": "Nearest neighbours",
}
_COMMON_NOUNS = ("word-similarity", "sts-b", "sts-by-source", "classification", "odd-man-out", "neighbours")
_UNIT = {
    "spearman": "Spearman",
    "spearman-pooled": "Spearman over the raw pooled pairs",
    "spearman-mean": "Spearman, mean of the sets",
    "spearman-weighted": "Spearman, mean of the sources",
    "spearman-weighted-mean": "Spearman by source, mean of the sets",
    "geometric-mean": "geometric mean of Pearson and Spearman",
    "accuracy": "accuracy",
    "accuracy-mean": "accuracy, mean of the sets",
    "neighbours-kept": "share of the nearest neighbours kept",
    "recovery-strongest": "share of words identified",
    "recovery-top1": "share of words identified",
    "recovery-likelihood": "share of words identified (a sample)",
    "overlap-skewness": "a low value does not mean privacy",
    "disclosure-r2": "R\N{SUPERSCRIPT TWO} of the best reconstruction (posterior mean)",
    "disclosure-bits": "bits about the word",
    "disclosure-mean-rank": "mean rank of the right word among the guesses",
    "disclosure-content-recovery": "content words identified (all but the 150 most frequent)",
    "disclosure-one-topic": "words whose topic the attacker is sure of",
    "reference-correct-share": "correct of all 1,173 lines",
}


def curve_name(curve: Curve) -> str:
    """Return the label of a curve, such as "NADP, tau 0.1, isolated words joined"."""
    if not curve.noisy:
        return "no noise"
    mechanism = curve.made
    parameters = str(mechanism).removeprefix(mechanism.name).strip("()").replace("=", " ")
    parts = [mechanism.label, parameters]
    parts += [] if curve.tau is None else [f"tau {curve.tau:g}"]
    parts += [] if curve.isolated is None else [POLICY[curve.isolated]]
    return ", ".join(part for part in parts if part)


def title(task: TaskMetric) -> str:
    """Return the label of a task."""
    return _TITLE.get(task.benchmark, task.benchmark.upper() if task.benchmark.startswith("sts") else task.benchmark)


def in_sentence(task: TaskMetric) -> str:
    """Return the label of a task inside a sentence."""
    label = title(task).partition(" (")[0]
    if label == task.benchmark:  # a name from its declaration
        return f"\N{LEFT DOUBLE QUOTATION MARK}{label}\N{RIGHT DOUBLE QUOTATION MARK}"
    return label[0].lower() + label[1:] if task.benchmark in _COMMON_NOUNS else label


def unit(task: TaskMetric) -> str:
    """Return the label of a task's metric."""
    return _UNIT.get(task.metric, task.metric.replace("-", " "))
