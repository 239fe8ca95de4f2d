"""Preparation of Dask workers: same code, same store, no more cores than threads."""

import uuid

from distributed import Worker, WorkerPlugin
from threadpoolctl import threadpool_limits

import tasks.encoding
import tasks.evaluation  # imported so that workers load the BLAS and OpenMP libraries
from nadp.errors import InputError
from nadp.runtime.parallel import use_at_most
from tasks.store.home import home, store_url
from tasks.store.sharing import check_store
from tasks.store.source import source_digest


class WorkerSetup(WorkerPlugin):
    """Prepares every worker of a cluster, including late ones, and refuses workers that do not match the run."""

    def __init__(self) -> None:
        self.name = f"nadp-{uuid.uuid4().hex}"  # two runs may share a cluster
        self._place, self._source = _place(), _source()

    def setup(self, worker: Worker) -> None:
        """Prepare a worker.

        Raises:
            InputError: if its store or its code differs from the run's.
        """
        if _place() != self._place:
            raise InputError(f"worker {worker.address} has NADP_HOME {_place()}, not {self._place} as the run has")
        if _source() != self._source:
            raise InputError(f"worker {worker.address} has different code or package versions than the run")
        check_store()
        threadpool_limits(limits=1)
        use_at_most(worker.state.nthreads)


def _place() -> str:
    return store_url() or str(home())


def _source() -> str:
    return source_digest(tasks.evaluation.__name__) + source_digest(tasks.encoding.__name__)
