"""The report of an audit: a verdict first, then what an attacker learns, then how it was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from nadp.audit.auditing import ReleaseAudit
from nadp.audit.distribution import AuditMeasure, Distribution
from nadp.calibration import distinguishing_accuracy, mu_of, noise_multiplier
from nadp.files.records import strict_json
from nadp.mechanisms import Guarantee
from nadp.report.answer import WEAK
from nadp.report.axes import Axis, linear
from nadp.report.files import Report, pictures
from nadp.report.guarantees import in_use
from nadp.report.page import rendered
from nadp.report.svg import Panel, drawn
from nadp.report.tables import NOTHING, Cell, Row, Table
from nadp.report.texts import number, percent

LIMITS = """\
A check that finds nothing proves nothing: stronger attacks may learn more.
The guarantee, if there is one, covers one word replaced by a neighbouring word. It covers neither words in different \
components nor the texts that the embedding was trained on. With the graph of the private vectors themselves, the \
guarantee is conditional: it holds if graph, noise scales and grid count as known, and the release discloses them.
The attacker knows the vocabulary and the original vectors of all words.""".splitlines()
_ABOUT = {"claim": "Is the release what is claimed?", "safety": "Is it safe, whatever is claimed?"}
_KINDS = {"isolated": "isolated", "component": "in a component", "duplicate": "duplicates"}
_BINS = 20
_IDENTIFYING = (
    "nearest word, top 1",
    "most likely word",
    "most likely word, frequencies known",
    "most likely word, component known",
)


def audit_report(audit: ReleaseAudit, claim: Guarantee | None, facts: Mapping[str, Any]) -> Report:
    """Return audit.json, the figures and audit.html of an audit.

    Args:
        audit: the audit.
        claim: the claimed guarantee.
        facts: the inputs with their hashes, and the graph, as plain values.
    """
    panel = _overlap(audit)
    images = pictures({"overlap": [panel]}, [])
    values = _values(audit, claim, facts) | {"panel": drawn(panel)}
    figures = {k: v for k, v in asdict(audit).items() if k != "overlap"}
    record = {"claim": claim and asdict(claim), "found": figures, "inputs": dict(facts)}
    files = {
        "audit.json": strict_json(record).encode(),
        **{f"figures/{name}": image for name, image in images.items()},
        "audit.html": rendered("audit.html.j2", **values).encode(),
    }
    return Report(files, rendered("audit.md.j2", images=images, **values))


def _values(audit: ReleaseAudit, claim: Guarantee | None, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values for the templates of the page and of the artifact."""
    share = {attack.name: attack.all.mean for attack in audit.attacks}
    recovery = {name: share[name] for name in _IDENTIFYING if name in share}
    gaussian = claim is not None and claim.kind == "(epsilon, delta)-DP"
    return {
        "title": f"Audit of {facts['released']['name']}",
        "styles": [],
        "found": audit,
        "claim": claim,
        "failed": [verdict for verdict in audit.verdicts if not verdict.passed],
        "recovery": recovery,
        "strongest": max(recovery, key=lambda name: recovery[name]),
        "exposed": share["without noise"],
        "attacks": _attacks(audit.attacks),
        "checks": [
            (title, verdicts)
            for about, title in _ABOUT.items()
            if (verdicts := [v for v in audit.verdicts if v.about == about])
        ],
        "guess": _guess(claim),
        "weak": claim is not None and claim.epsilon > WEAK,
        "weak_limit": WEAK,
        "in_use": in_use([claim.epsilon], claim.delta) if gaussian and claim is not None else None,
        "skewness": [number(value) for value in audit.skewness],
        "limits": LIMITS,
        "facts": strict_json(dict(facts)),
    }


def _guess(claim: Guarantee | None) -> float | None:
    """Return the optimal distinguishing accuracy between two neighbours; None if the claim does not imply one."""
    if claim is None or claim.kind != "(epsilon, delta)-DP":
        return None
    return distinguishing_accuracy(mu_of(noise_multiplier(claim.epsilon, claim.delta)))


def _attacks(attacks: Sequence[AuditMeasure]) -> Table:
    """Return the result of each attack, for all words and for each kind of word."""
    words = {kind: attacks[0].by_kind[kind].words for kind in _KINDS} if attacks else {}
    columns = ["all words", *(f"{name} ({words.get(kind, 0):,})" for kind, name in _KINDS.items())]
    rows = [
        Row(attack.name, [_cell(d) for d in (attack.all, *(attack.by_kind[kind] for kind in _KINDS))])
        for attack in attacks
    ]
    return Table("mean over the words", [("", columns)], [("", rows)])


def _cell(distribution: Distribution) -> Cell:
    if not distribution.words:
        return NOTHING
    low, _, middle, _, high = distribution.percentiles
    hint = f"5 %, 50 %, 95 % of the words: {low:.3g}, {middle:.3g}, {high:.3g}"
    hint += f"; at or above {distribution.threshold:g}: {percent(distribution.share)}"
    share = distribution.threshold == 1 and 0 <= distribution.mean <= 1
    return Cell(percent(distribution.mean) if share else f"{distribution.mean:.4g}", hint=hint)


def _overlap(audit: ReleaseAudit) -> Panel:
    """Return the histogram of the overlap of neighbour lists before and after the noise."""
    counts = np.histogram(audit.overlap, _BINS, (0, 1))[0].tolist()
    x = Axis(0, 1, tuple((v / 4, f"{v / 4:g}") for v in range(5)), "overlap of the ten nearest words")
    alt = f"{counts[0]:,} of {audit.words:,} words in the lowest of {_BINS} bars, {counts[-1]:,} in the highest"
    return Panel("Overlap before and after the noise", "words", x, linear(counts, to=(0.0,)), bars=counts, alt=alt)
