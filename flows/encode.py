"""Private texts: noisy vectors or decoded words for every text of a file. Run it with `python -m flows.encode`."""

if __name__ == "__main__":  # before the slow imports: help and refusals do not need them
    from flows.command_line import main

    main("encode")

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.groups import grouped
from flows.heartbeats import heartbeats
from flows.parameters.encode import Encode
from flows.runners import task_runner
from flows.shards import Encoded, encode_shards
from nadp.cli.declared import takes
from nadp.cli.groups import now
from nadp.files.paths import absolute
from nadp.release.partitions import PartitionSeries
from nadp.texts.files import Split
from tasks.embedding import download_glove
from tasks.encoding import Encoding, begin_output, end_output, prepare_encoder
from tasks.groups import enter_partition, prepare_group_encoder
from tasks.space import GraphTerms, whole, whole_space
from tasks.store.artefacts import Artefact, artefact
from tasks.texts import HubPlace, fetch_texts, place_for_copy, split_texts


@flow(name="encode", flow_run_name="encode {embedding}, {mechanism}", persist_result=False)
@takes(Encode)
@heartbeats
def encode(given: Encode) -> State[str]:
    """Encode every text, shard by shard, and report the counts."""
    where = absolute(given.out)
    # The task runner has a thread for each core
    with threadpool_limits(limits=1), place_for_copy(given.texts, where) as copy:
        place = HubPlace(given.config, given.split, given.revision, copy)
        file = fetch_texts(given.texts, given.text_column, given.id_column, place)
        shards = split_texts(file, given.shard_texts)
        encoding = Encoding(file, shards.ids, _encoder(given), given.terms, where, absolute(given.frequencies))
        begin_output(encoding, shards, given.max_unknown)
        with task_runner(given.runner, given.scheduler) as chosen, bars():
            state = encode_shards.with_options(task_runner=chosen)(encoding, shards, return_state=True)
        done = _result(state)
        return _end(encoding, shards, done, end_output(encoding, done.parts))


def _encoder(given: Encode) -> Artefact:
    """Return the encoder of the embedding."""
    source = download_glove(given.embedding, given.member, given.sha256, strict=given.strict)
    how = GraphTerms(given.search, given.recall, given.n_neighbours, given.adjacency)
    found = absolute(given.subwords)
    grams = artefact(found) if found else None
    if given.mechanism == "groups" or given.epsilon is None:  # check() ensures that noise has an epsilon
        words = whole(source, given.words).embeddings
        partition, lists = grouped(given, words, how)
        series = PartitionSeries(given.series, given.accept_another_partition, now(), given.partition_copy)
        enter_partition(partition, series, given.ledger)
        splits = given.splits(source.tokenizer)
        return prepare_group_encoder(words, partition, lists, given.group_mechanism, given.unknown, grams, splits)
    _, space = whole_space(source, given.words, given.tau, given.isolated, how)
    return prepare_encoder(
        space,
        given.epsilon,
        given.delta,
        given.mechanism,
        given.unknown,
        grams,
        given.accept_weak_privacy,
        given.splits(source.tokenizer),
    )


def _result(state: State[Any]) -> Encoded:
    """Return the results of the shards, including failures; raise the error if one stopped them all."""
    found = state.result(raise_on_failure=False)
    if isinstance(found, Encoded):
        return found
    raise found if isinstance(found, Exception) else RuntimeError(f"the shards ended {state.name}: {state.message}")


def _end(encoding: Encoding, shards: Split, done: Encoded, counts: Path) -> State[str]:
    """Return the final state: failed if a shard failed. Its message holds only public figures."""
    new, texts = sum(part.new for part in done.parts), sum(part.counts["texts"] for part in done.parts)
    made = f"{new} made now, {len(done.parts) - new} before, {len(done.failed)} failed"
    said = [f"{texts:,} of {shards.texts:,} texts in {encoding.out}", f"{len(shards.shards)} parts: {made}"]
    said += [f"{shards.blank:,} blank lines left out"] if shards.blank else []
    said += [f"the first failure: {done.failed[0]}"] if done.failed else []
    said += [f"tokens, unknown ones and others are counted in {counts}, for the owner of the texts only"]
    return (Failed if done.failed else Completed)(message="; ".join(said), data=str(encoding.out))
