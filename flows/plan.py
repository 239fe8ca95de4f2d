"""The cost of an experiment: the number of its task runs, and the work in them."""

from dataclasses import dataclass, replace

from nadp.experiment.cost import Cost

_PREPARING = (
    19  # tasks before and after the curves, without benchmarks and graphs: neighbours, topics, no noise, report
)
_OF_A_CURVE = 4  # task runs besides settings and families: the curve itself, its draws, privacy, nearest words
_TASK = 0.3  # seconds for each task run


@dataclass(frozen=True)
class Plan:
    """A rough cost estimate of a run.

    Attributes:
        task_runs: at most this many.
        cost: cost of the whole run, without cached results.
    """

    task_runs: int
    cost: Cost

    def __str__(self) -> str:
        return f"at most {self.task_runs} task runs; {self.cost}"


def plan(cost: Cost, *, taus: int, policies: int, curves: int, settings: int, families: int, benchmarks: int) -> Plan:
    """Return the forecast of an experiment in which nothing is cached.

    Args:
        cost: cost of the work.
        taus: number of graphs.
        policies: number of policies for isolated words, each applied to every graph.
        curves: number of curves with noise.
        settings: settings of each curve.
        families: number of families of benchmarks; privacy is not counted.
        benchmarks: number of benchmarks to fetch.
    """
    task_runs = _PREPARING + taus * (1 + policies) + benchmarks + curves * (_OF_A_CURVE + settings + families)
    return Plan(task_runs, replace(cost, seconds=cost.seconds + _TASK * task_runs))
