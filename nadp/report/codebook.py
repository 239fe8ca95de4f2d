"""The report of an audit of a codebook: its checks, and the limits of the audit."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nadp.audit.verdicts import Verdict
from nadp.files.records import strict_json
from nadp.release.codebook import NOT_COVERED
from nadp.report.files import Report
from nadp.report.page import rendered


def codebook_report(verdicts: Sequence[Verdict], partition: Mapping[str, Any], facts: Mapping[str, Any]) -> Report:
    """Return audit.json and audit.html of the audit of a codebook.

    Args:
        verdicts: its checks.
        partition: as certified.
        facts: inputs with their hashes, and versions, as plain values.
    """
    record = {"found": {"verdicts": [asdict(verdict) for verdict in verdicts]}, "partition": dict(partition)}
    values = {
        "title": "Audit of a codebook",
        "styles": [],
        "verdicts": verdicts,
        "failed": [verdict for verdict in verdicts if not verdict.passed],
        "partition": {name.replace("_", " "): value for name, value in partition.items()},
        "limits": NOT_COVERED,
        "facts": strict_json(dict(facts)),
    }
    files = {
        "audit.json": strict_json(record | dict(facts)).encode(),
        "audit.html": rendered("codebook.html.j2", **values).encode(),
    }
    return Report(files, rendered("codebook.md.j2", **values))
