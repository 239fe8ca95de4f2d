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
    main_tasks = single_tasks(metrics, manifest.main_metrics)
    family = {benchmark.name: benchmark.family for benchmark in manifest.benchmarks}
    own_tasks = [task for task in main_tasks if task.benchmark in manifest.own_tasks]
    representative_tasks = list[TaskMetric]()
    for name, representative in zip(REPRESENTED, representatives(manifest.preset), strict=True):
        family_tasks = [task for task in main_tasks if family.get(task.benchmark) == name]
        built_in = [task for task in family_tasks if task not in own_tasks]
        if representative not in metrics or (len(built_in) == 1 and manifest.preset not in FIXED):
            representative_tasks += built_in
        elif built_in or not family_tasks:
            representative_tasks.append(representative)
    other_tasks = [
        task for task in main_tasks if task not in own_tasks and family.get(task.benchmark) not in (None, *REPRESENTED)
    ]
    return [*own_tasks, *representative_tasks, *other_tasks] or main_tasks
