"""Where the tasks of the curves run: on threads of this process, or on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

from prefect.client.orchestration import get_client
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.parameters.types import Runner
from nadp.errors import InputError
from nadp.runtime.parallel import cores

T = TypeVar("T")
R = TypeVar("R")

_ANSWER = "10s"
_WORKERS = 120  # seconds


def threads() -> TaskRunner[Any]:
    """Return the task runner of this process, with one thread per core."""
    return ThreadPoolTaskRunner(max_workers=cores())


@contextmanager
def task_runner(runner: Runner, scheduler: str | None) -> Iterator[TaskRunner[Any]]:
    """Yield the task runner of the curves, which share one cluster.

    Args:
        runner: its kind.
        scheduler: the address of a running Dask scheduler; None starts a cluster on this machine.

    Raises:
        InputError: if the scheduler does not answer, has no workers, or has workers that do not match the run.
    """
    if runner == "threads":
        yield threads()
        return
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 - an extra

    with _cluster(scheduler) as address, _prepared(address), _reachable_server():
        yield DaskTaskRunner(address=address)


def at_once(call: Callable[[T], R], arguments: Sequence[T], most: int) -> list[R]:
    """Return the results of calls, in order.

    Args:
        call: what to call.
        arguments: an argument for each call.
        most: calls that run side by side, each in a copy of this flow run's context. If the run is interrupted, the
            others do not start.
    """
    if most == 1:
        return [call(argument) for argument in arguments]
    pool = ThreadPoolExecutor(most)
    try:
        futures = [pool.submit(copy_context().run, call, argument) for argument in arguments]
        return [future.result() for future in futures]
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[str]:
    """Yield a scheduler's address: the given one, or a new cluster's with one worker process for each core."""
    if scheduler is not None:
        yield scheduler
        return
    from distributed import LocalCluster  # noqa: PLC0415 - an extra

    with LocalCluster(n_workers=cores(), threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        yield cluster.scheduler_address


@contextmanager
def _prepared(address: str) -> Iterator[None]:
    """Prepare all workers of a cluster, including those that join during the run."""
    from distributed import Client  # noqa: PLC0415 - an extra

    from tasks.dask_workers import WorkerSetup  # noqa: PLC0415 - needs the extra

    try:
        client = Client(address, timeout=_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKERS)
        except TimeoutError as error:
            raise InputError(f"the Dask scheduler at {address} has had no workers for {_WORKERS} s") from error
        plugin = WorkerSetup()
        try:
            client.register_plugin(plugin)
        except ModuleNotFoundError as error:
            raise InputError(f"the workers of {address} cannot import the code of the run: {error}") from error
        try:
            yield
        finally:
            client.unregister_worker_plugin(plugin.name)


@contextmanager
def _reachable_server() -> Iterator[None]:
    """Pass the address of the Prefect server, even of a temporary one, to the workers."""
    url = PREFECT_API_URL.value() or str(get_client(sync_client=True).api_url)
    with temporary_settings({PREFECT_API_URL: url}):
        yield
