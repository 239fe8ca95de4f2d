"""The report of an audit: a verdict first, then what an attacker gets, then how it was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from nadp.audit.auditing import ReleaseAudit
from nadp.audit.distribution import Audit
from nadp.audit.verdicts import Verdict
from nadp.calibration import balanced_guess, mu_of, noise_multiplier
from nadp.files.records import strict_json
from nadp.mechanisms import Guarantee
from nadp.report.files import Report
from nadp.report.page import page
from nadp.report.pieces import figure, png, table
from nadp.report.promises import in_use
from nadp.report.warnings import WEAK

_LIMITS = """\
- A check that finds nothing proves nothing: it bounds what these attacks get, not what others may.
- The guarantee, where there is one, is about one word replaced by a word it is joined to in the neighbour graph; it \
says nothing across components, and nothing about the texts the embedding was trained on. Under the graph of the \
private vectors themselves it is conditional: graph, noise scales and grid count as known, and a release discloses them.
- The attacker here knows the original vectors of all words and which words there are."""


def audit_report(found: ReleaseAudit, claim: Guarantee | None, facts: Mapping[str, Any]) -> Report:
    """Return audit.json, the figure and audit.html of an audit.

    Args:
        found: the audit.
        claim: what was said of the release.
        facts: the inputs with their hashes, and the graph, as plain values.
    """
    image = _figure(found)
    markdown = "\n\n".join(
        [
            f"# Audit of {facts['released']['name']}",
            _first_words(found, claim),
            "## What an attacker gets",
            _attack_table(found.attacks),
            _more(found),
            figure(image, "Overlap of the neighbours of each word before and after the noise; words on a log scale."),
            "## Checks",
            _alarm(found),
            _checks(found.verdicts),
            _promise(found, claim),
            "## What this does not tell",
            _LIMITS,
            "## Inputs",
            "```json\n" + strict_json(dict(facts)) + "```",
        ]
    )
    plain = {k: v for k, v in asdict(found).items() if k != "overlap"}
    record = {"claim": claim and asdict(claim), "found": plain, "inputs": dict(facts)}
    files = {
        "audit.json": strict_json(record).encode(),
        "figures/overlap.png": image,
        "audit.html": page(markdown, f"Audit of {facts['released']['name']}").encode(),
    }
    return Report(files, markdown)


def _alarm(found: ReleaseAudit) -> str:
    return (
        "A release that is as it is said to be, with noise on every word and rounded to a grid, fails any of them with "
        f"probability {found.false_alarm:g} at most."
    )


def _first_words(found: ReleaseAudit, claim: Guarantee | None) -> str:
    """Return the outcome in plain words."""
    of = {attack.name: attack.all.mean for attack in found.attacks}
    failed = [v for v in found.verdicts if not v.passed]
    near, likely, exposed = of["nearest word, top 1"], of["most likely word"], of["without noise"]
    recovered = (
        f"**{near:.1%} of the {found.words:,} words are got back** by taking the word nearest to each released vector; "
        f"{likely:.1%} by an attacker who knows how much noise each word gets"
        + (" (estimated here from each component)." if claim is None else ".")
    )
    lines = [recovered, f"**{exposed:.1%} of the words got no noise at all.**"]
    if found.missing or found.extra:
        lines.append(f"{found.missing:,} words of the original are not in the release, {found.extra:,} are new in it.")
    if failed:
        lines.append("**Checks that failed**: " + "; ".join(f"{v.name} ({v.says})" for v in failed) + ".")
    else:
        lines.append("All checks passed.")
    if claim is None:
        lines.append("Nothing was claimed of the release, so the size of its noise could not be checked.")
    if claim is not None and claim.epsilon > WEAK:
        lines.append(f"**The claimed epsilon of {claim.epsilon:g} promises next to nothing** (above {WEAK:g}).")
    return "\n".join(f"- {line}" for line in lines)


def _attack_table(attacks: Sequence[Audit]) -> str:
    heads = ["", "all words", "isolated", "in a component", "duplicates", "5 / 50 / 95 %", "share at or above"]
    rows = []
    for attack in attacks:
        kinds = [attack.by_kind[kind] for kind in ("isolated", "component", "duplicate")]
        low, _, middle, _, high = attack.all.percentiles
        rows.append(
            [
                attack.name,
                f"{attack.all.mean:.4g}",
                *(f"{kind.mean:.4g} ({kind.words:,})" if kind.words else "none" for kind in kinds),
                f"{low:.3g} / {middle:.3g} / {high:.3g}",
                f"{attack.all.share:.1%} (from {attack.all.threshold:g})",
            ]
        )
    return "Means over the words; in brackets, how many words there are.\n\n" + table(heads, rows)


def _more(found: ReleaseAudit) -> str:
    skew = " and ".join("not defined" if np.isnan(value) else f"{value:.3f}" for value in found.skewness)
    return (
        f"The released vectors decode to {found.hubness.distinct:.1%} as many different words as there are vectors; "
        f"the most frequent one is the answer for {found.hubness.largest:.2%} of them. The skewness of the overlap, "
        f"which the paper reads as privacy, is {skew} (corrected, plain): it is low where words are exposed, so it "
        "says nothing good by itself."
    )


def _promise(found: ReleaseAudit, claim: Guarantee | None) -> str:
    """Return what the claim promises, and what fresh draws prove of it."""
    if claim is None:
        return ""
    lines = [f"Claimed: {claim.mechanism}, epsilon {claim.epsilon:g}, delta {claim.delta:.3g}."]
    if claim.kind == "(epsilon, delta)-DP":
        mu = mu_of(noise_multiplier(claim.epsilon, claim.delta))
        lines.append(
            f"If that holds, one of two neighbouring words is guessed rightly in at most {balanced_guess(mu):.1%} of "
            f"the cases (mu = {mu:.3f})."
        )
    for size, bound in found.self_test.items():
        lines.append(
            f"Self-test of the mechanism, which does not look at the file: fresh draws ({bound.draws:,} of each word) "
            f"of the worst edge in components from {size} words prove an "
            f"epsilon of at least {bound.epsilon:.3f}, and {bound.epsilon_from_mu:.3f} if the noise is Gaussian."
        )
    said = "\n".join(f"- {line}" for line in lines)
    gaussian = claim.kind == "(epsilon, delta)-DP"
    return f"{said}\n\n{in_use([claim.epsilon], claim.delta)}" if gaussian else said


def _checks(verdicts: Sequence[Verdict]) -> str:
    """Return two tables: is the release what is said of it, and is anything wrong with it whatever is said."""
    heads = ["check", "", "value", "limit", "in words"]
    titles = {"claim": "Is it what is claimed:", "safety": "Is it safe, whatever is claimed:"}
    parts = []
    for about, title in titles.items():
        rows = [_check(verdict) for verdict in verdicts if verdict.about == about]
        parts += [title, table(heads, rows)] if rows else []
    return "\n\n".join(parts)


def _check(verdict: Verdict) -> list[str]:
    mark = "passed" if verdict.passed else "**FAILED**"
    return [verdict.name, mark, f"{verdict.value:.3g}", f"{verdict.limit:.3g}", verdict.says]


def _figure(found: ReleaseAudit) -> bytes:
    drawn = Figure(figsize=(6, 3.2), layout="constrained")
    axis = drawn.subplots()
    axis.hist(found.overlap, bins=20, range=(0, 1), color="#0072B2")
    axis.set(xlabel="overlap of the ten nearest words before and after", ylabel="words", yscale="log")
    axis.spines[["top", "right"]].set_visible(False)
    return png(drawn)
