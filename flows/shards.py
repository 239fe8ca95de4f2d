"""The shards of encode's output: each is a task, and a failed one does not stop the others."""

from dataclasses import dataclass

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.futures import as_completed
from prefect.states import Completed, Failed

from flows.heartbeats import heartbeats
from flows.runners import threads
from nadp.runtime.progress import Stage
from nadp.texts.files import Split
from nadp.texts.files.output import Part
from tasks.encoding import Encoding, encode_shard
from tasks.reporting import reason_of


@dataclass(frozen=True)
class Encoded:
    """The results of the shards.

    Attributes:
        parts: finished ones.
        failed: why the others failed.
    """

    parts: list[Part]
    failed: list[str]


@flow(
    name="shards",
    flow_run_name="{shards.texts} texts",
    task_runner=threads(),
    persist_result=False,
    validate_parameters=False,
)
@heartbeats
def encode_shards(encoding: Encoding, shards: Split) -> State[Encoded]:
    """Encode all unfinished shards."""
    futures = [encode_shard.submit(encoding, shard) for shard in shards.shards]
    texts = {future.task_run_id: shard.texts for future, shard in zip(futures, shards.shards, strict=True)}
    with Stage("encoding", shards.texts, "texts") as stage:
        for future in as_completed(list(futures)):
            future.wait()  # otherwise its state may not be the final one yet
            new = future.state.is_completed() and future.result().new
            stage.advance(texts[future.task_run_id], given=not new)
    parts = [future.result() for future in futures if future.state.is_completed()]
    failed = [reason_of(future.state) for future in futures if not future.state.is_completed()]
    message = f"{len(parts)} of {len(futures)} parts"
    return (Failed if failed else Completed)(message=message, data=Encoded(parts, failed))
