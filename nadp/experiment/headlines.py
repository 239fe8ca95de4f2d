"""The tasks that a report leads with."""

from collections.abc import Collection

from nadp.experiment.manifest import Manifest
from nadp.experiment.metrics import FIXED, REPRESENTED, TaskMetric, representatives, single_tasks


def headlines(manifest: Manifest, metrics: Collection[TaskMetric]) -> list[TaskMetric]:
    """Return the tasks that the user declared, and the representative of each family of built-in benchmarks.

    A family is shown by its single tasks if its representative is not among the metrics. The same holds for a family
    with only one task, unless the preset fixes its representative.

    Args:
        manifest: the manifest of the experiment.
        metrics: the scored metrics.
    """
    single = single_tasks(metrics, manifest.main_metrics)
    family = {benchmark.name: benchmark.family for benchmark in manifest.benchmarks}
    own = [task for task in single if task.benchmark in manifest.own_tasks]
    found = list[TaskMetric]()
    for name, representative in zip(REPRESENTED, representatives(manifest.preset), strict=True):
        every = [task for task in single if family.get(task.benchmark) == name]
        built_in = [task for task in every if task not in own]
        if representative not in metrics or (len(built_in) == 1 and manifest.preset not in FIXED):
            found += built_in
        elif built_in or not every:
            found.append(representative)
    others = [task for task in single if task not in own and family.get(task.benchmark) not in (None, *REPRESENTED)]
    return [*own, *found, *others] or single
