"""The report as Markdown: what was done, what came out, and what it does not mean."""

from collections.abc import Mapping, Sequence
from typing import cast

import pandas as pd

from nadp.experiment.comparison import Comparison
from nadp.experiment.curves import Curve
from nadp.experiment.facts import SpaceFacts
from nadp.experiment.manifest import Manifest, ShownWord
from nadp.report import equal_recovery
from nadp.report.first_screen import in_short, number
from nadp.report.headlines import LIKELIHOOD, RECOVERY, Headline, present, rows_of
from nadp.report.pieces import figure, table
from nadp.report.promises import LIMITS, in_use, promises
from nadp.report.warnings import WEAK
from nadp.scores import CURVE, curve_label, mean_and_error

_PUZZLES = (
    " The paper's 843 odd-man-out sets could not be found: the published file holds 587 distinct puzzles, used here."
)
_READING = """\
Mean and standard error over the repeats. *Recovery* is the share of words whose noisy vector has the word itself as \
its nearest word: what the simplest attack gets back. *Recovery by likelihood* (of a sample) is what an attacker gets \
who also knows how much noise each word gets. *Noise to signal* is the length of the noise over that of the \
vectors, both as root mean squares."""
_SKEWNESS = """\
Skewness is shown because the paper uses it. It is low, or negative, where many words are exposed, and without any \
noise it is not defined (0 in the authors' code), so a low value says nothing good by itself: read the left panel."""

Summary = pd.DataFrame


def report_markdown(
    scores: pd.DataFrame,
    manifest: Manifest,
    images: Mapping[str, bytes],
    headlines: Sequence[Headline],
    comparison: Comparison,
) -> str:
    """Return the report of an experiment.

    Args:
        scores: the tidy table of them.
        manifest: what was run.
        images: figures as PNG, by name, as nadp.report.figures makes them.
        headlines: the figure that stands for each family of benchmarks.
        comparison: of the curves at equal recovery.
    """
    summary = mean_and_error(scores)
    shown = present(summary, headlines)
    parts = [
        f"# Noise for word embeddings: {manifest.embedding.name}, {manifest.space.words:,} words",
        _absent(manifest),
        "## In short",
        in_short(summary, manifest, shown, comparison),
        _figure(images, "utility-against-recovery", "Utility against recovery: the axis that is the same for all."),
        "## What this run did",
        _done(manifest),
        "## From the smallest to the largest epsilon",
        _outcome(summary, manifest, shown),
        *_compared(comparison, shown, images),
        "## Utility and recovery at every epsilon",
        _READING,
        _main_table(summary, shown),
        _figure(images, "utility", "Utility against epsilon."),
        _figure(images, "privacy", "Recovery, and beside it the paper's skewness."),
        _SKEWNESS,
        _figure(images, "overlap-histograms", "Overlap under Gaussian noise of growing sigma (a sample of words)."),
        _shown(manifest),
        "## Words without noise",
        _graph_table(manifest),
        "## What each mechanism promises",
        promises(manifest),
        "## What becomes of a promise in use",
        in_use(manifest.epsilons, manifest.delta),
        "## What the guarantee does not cover",
        LIMITS,
        "## How it was made",
        _made(manifest),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _compared(comparison: Comparison, shown: Sequence[Headline], images: Mapping[str, bytes]) -> list[str]:
    """Return the section on equal recovery; nothing if no two curves can be compared."""
    said = equal_recovery.section(comparison, shown)
    picture = _figure(
        images,
        "difference-at-equal-recovery",
        f"{comparison.base.label if comparison.base else ''} less each other curve.",
    )
    return ["## Mechanisms at equal recovery", said, picture] if said else []


def _absent(manifest: Manifest) -> str:
    """Return what is missing from the run, as a block that cannot be overlooked."""
    lines = [f"> **Not evaluated: {gap.name}.** {gap.reason}" for gap in manifest.missing]
    lines += [f"> **Failed: {failure.name}.** {failure.reason}" for failure in manifest.failed]
    lines += [f"> **Check {b.name}:** {b.warning}." for b in manifest.benchmarks if b.warning]
    return "\n>\n".join(lines)


def _done(manifest: Manifest) -> str:
    space, counts = manifest.space, manifest.embedding.counts
    mechanisms = dict.fromkeys(curve.mechanism for curve in manifest.noisy)
    epsilons = ", ".join(f"{epsilon:g}" for epsilon in manifest.epsilons)
    search = "exactly" if space.search == "exact" else f"with Annoy (recall {space.recall:.3f}, measured)"
    return (
        f"It took {space.words:,} words of `{manifest.embedding.name}` ({space.dimension} dimensions): the "
        f"{counts.frequent:,} most frequent and {counts.added:,} more that the benchmarks "
        f"need. It found the nearest neighbours of each word {search}, joined words whose neighbour lists overlap, and "
        f"added noise to each word with {len(manifest.noisy)} variants of "
        f"{', '.join(mechanisms)} at epsilon {epsilons}, delta {manifest.delta:.3g}, "
        f"{manifest.repeats} times each. Then it measured what the noisy vectors are still good for, and how many "
        "words they give away."
    )


def _outcome(summary: Summary, manifest: Manifest, shown: Sequence[Headline]) -> str:
    lines = [_curve_line(summary, curve, shown) for curve in manifest.noisy]
    return "\n".join(f"- {line}" for line in lines)


def _curve_line(summary: Summary, curve: Curve, shown: Sequence[Headline]) -> str:
    """Return what a curve gives at its smallest and at its largest epsilon."""
    rows = _of_curve(summary, curve)
    ends = sorted(rows["epsilon"].dropna().unique())
    if not ends:
        return f"**{curve.label}**: nothing was measured."
    said = []
    for epsilon in dict.fromkeys((ends[0], ends[-1])):
        at = rows[rows["epsilon"] == epsilon]
        useful = [f"{h.title.lower()} {number(rows_of(at, h)['mean'].iloc[0])}" for h in present(at, shown)]
        recovered = rows_of(at, RECOVERY)["mean"]
        measured = len(recovered) and not pd.isna(recovered.iloc[0])
        lost = f"an attack gets back {recovered.iloc[0]:.1%} of the words" if measured else ""
        said.append(f"at epsilon {epsilon:g} {', '.join([*useful, lost]).rstrip(', ')}")
    exposed = rows.loc[rows["metric"] == "share-without-noise", "mean"]
    share = f" {exposed.iloc[0]:.1%} of the words get no noise at all." if len(exposed) and exposed.iloc[0] > 0 else ""
    return f"**{curve.label}**: {'; '.join(said)}.{share}"


def _main_table(summary: Summary, utility: Sequence[Headline]) -> str:
    shown = [*utility, RECOVERY, *present(summary, (LIKELIHOOD,))]
    heads = ["curve", "epsilon", *(f"{h.title.lower()} ({h.unit})" for h in shown), "noise to signal", "without noise"]
    rows = []
    for key, part in summary.groupby([*CURVE, "epsilon"], dropna=False, sort=False):
        mechanism, tau, isolated, epsilon = cast("tuple[str, float, str, float]", key)
        figures = [_mean_error(rows_of(part, h)) for h in shown]
        noise = [_plain(part, "noise-to-signal", ".2f"), _plain(part, "share-without-noise", ".1%")]
        rows.append(
            [curve_label(mechanism, tau, isolated), "" if pd.isna(epsilon) else f"{epsilon:g}", *figures, *noise]
        )
    return table(heads, rows)


def _mean_error(rows: Summary) -> str:
    if not len(rows) or pd.isna(rows["mean"].iloc[0]):
        return "not defined" if len(rows) else ""
    error = rows["error"].iloc[0]
    return f"{rows['mean'].iloc[0]:.3f}" + ("" if pd.isna(error) else f" ± {error:.3f}")


def _plain(rows: Summary, metric: str, form: str) -> str:
    values = rows.loc[(rows["benchmark"] == "noise") & (rows["metric"] == metric), "mean"]
    return format(values.iloc[0], form) if len(values) else ""


def _shown(manifest: Manifest) -> str:
    """Return the nearest words of some words, at the epsilon nearest to the largest that still promises something."""
    epsilons = sorted({found.epsilon for found in manifest.shown if found.epsilon is not None})
    if not epsilons:
        return ""
    chosen = max((e for e in epsilons if e <= WEAK), default=epsilons[0])
    at = {(f.curve.label, f.word): f for f in manifest.shown if f.epsilon in (None, chosen)}
    words = list(dict.fromkeys(word for _, word in at))
    labels = list(dict.fromkeys(label for label, _ in at))
    rows = [[word, *(_cell(at.get((label, word))) for label in labels)] for word in words]
    intro = (
        f"The three nearest words of each word without noise, and of its noisy vector at epsilon {chosen:g} (first "
        "draw). **Bold**: the word itself came back."
    )
    return f"## Nearest words of some words\n\n{intro}\n\n" + table(["word", *labels], rows)


def _cell(found: ShownWord | None) -> str:
    if found is None:
        return "not released"
    return ", ".join(f"**{word}**" if word == found.word else word for word in found.nearest)


def _graph_table(manifest: Manifest) -> str:
    heads = [
        "tau",
        "isolated",
        "alone in the graph",
        "without noise (nadp)",
        "components",
        "largest",
        "longest edge",
        "median sensitivity",
    ]
    rows = [
        [
            f"{g.tau:g}",
            g.isolated,
            f"{g.isolated_words:,} ({g.isolated_share:.1%})",
            f"{g.words_without_noise:,}",
            f"{g.components:,}",
            ", ".join(f"{size:,}" for size in g.largest),
            f"{g.sensitivity_global:.3f}",
            f"{g.sensitivity_median:.3f}",
        ]
        for g in manifest.graphs
    ]
    intro = (
        "The paper adds no noise to a word that is alone in its component. The policy `isolated` decides what happens "
        "to such words here: `nearest` joins each to its nearest word, `global` gives it the largest noise (but no "
        "guarantee), `drop` leaves it out, `exact` is the paper's reading: no noise."
    )
    return intro + "\n\n" + table(heads, rows)


def _made(manifest: Manifest) -> str:
    space, versions = manifest.space, manifest.versions
    benchmarks = "; ".join(f"{b.name} ({b.rows:,} rows, {b.origin})" for b in manifest.benchmarks)
    lines = [
        f"Embedding: `{manifest.embedding.name}`, SHA-256 `{manifest.embedding.sha256}`.",
        _neighbours_line(space),
        f"Benchmarks: {benchmarks or 'none'}.{_PUZZLES if 'odd-man-out' in benchmarks else ''}",
        "Versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()) + ".",
        "All scores are in `scores.csv`, all parameters and counts in `manifest.json`.",
    ]
    return "\n".join(f"- {line.strip()}" for line in lines)


def _neighbours_line(space: SpaceFacts) -> str:
    return (
        f"Neighbours: lists of {space.n_neighbours} (the word included), {space.search} search, recall "
        f"{space.recall:.4f}. {space.search_details}"
    )


def _of_curve(summary: Summary, curve: Curve) -> Summary:
    rows = summary
    for column in CURVE:
        value = getattr(curve, column)
        rows = rows[rows[column].isna() if value is None else rows[column] == value]
    return rows


def _figure(images: Mapping[str, bytes], name: str, caption: str) -> str:
    return figure(images[name], caption) if name in images else ""
