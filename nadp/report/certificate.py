"""The certificate of a release as an HTML page."""

from typing import Any

from nadp.calibration import distinguishing_accuracy
from nadp.mechanisms import named
from nadp.release.certificate import Certificate
from nadp.report.guarantees import KIND, in_use
from nadp.report.page import rendered
from nadp.report.texts import percent


def certificate_page(certificate: Certificate) -> str:
    """Return the page of a certificate, a self-contained file."""
    known, measured = certificate.guarantee, certificate.measured
    attacks = [measured[key] for key in ("recovery_nearest", "recovery_likelihood") if key in measured]
    gaussian = known.mu is not None and known.delta > 0
    return rendered(
        "certificate.html.j2",
        title="Certificate of a private embedding",
        styles=[],
        certificate=certificate,
        guarantee=known,
        mechanism=named(known.mechanism).label,
        kind=KIND.get(known.kind, known.kind),
        guess=None if known.mu is None else percent(distinguishing_accuracy(known.mu), 1),
        recovery=percent(max(attacks)) if attacks else None,
        in_use=in_use([known.epsilon], known.delta) if gaussian else None,
        facts=_facts(certificate),
    )


def _facts(certificate: Certificate) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the groups of plain values that a certificate lists."""
    groups: dict[str, dict[str, Any]] = {
        "Measured": certificate.measured,
        "Which words are neighbours": certificate.neighbouring,
        "Noise": certificate.sampler,
        "Hashes": certificate.hashes,
        "Versions": certificate.versions,
    }
    return [
        (title, [(name.replace("_", " "), _written(value)) for name, value in values.items()])
        for title, values in groups.items()
        if values
    ]


def _written(value: Any) -> str:  # noqa: ANN401 - any plain value
    if isinstance(value, list | tuple):
        return ", ".join(_written(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
