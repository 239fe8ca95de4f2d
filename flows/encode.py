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
def encode(parameters: Encode) -> State[str]:
    """Encode every text, shard by shard, and report the counts."""
    out = absolute(parameters.out)
    # The task runner has a thread for each core
    with threadpool_limits(limits=1), place_for_copy(parameters.texts, out) as copy:
        place = HubPlace(parameters.config, parameters.split, parameters.revision, copy)
        texts = fetch_texts(parameters.texts, parameters.text_column, parameters.id_column, place)
        shards = split_texts(texts, parameters.shard_texts)
        encoding = Encoding(
            texts, shards.ids, _encoder(parameters), parameters.terms, out, absolute(parameters.frequencies)
        )
        begin_output(encoding, shards, parameters.max_unknown)
        with task_runner(parameters.runner, parameters.scheduler) as runner, bars():
            state = encode_shards.with_options(task_runner=runner)(encoding, shards, return_state=True)
        encoded = _result(state)
        return _end(encoding, shards, encoded, end_output(encoding, encoded.parts))


def _encoder(parameters: Encode) -> Artefact:
    """Return the encoder of the embedding."""
    source = download_glove(parameters.embedding, parameters.member, parameters.sha256, strict=parameters.strict)
    graph_terms = GraphTerms(parameters.search, parameters.recall, parameters.n_neighbours, parameters.adjacency)
    subwords_path = absolute(parameters.subwords)
    subwords = artefact(subwords_path) if subwords_path else None
    if parameters.mechanism == "groups" or parameters.epsilon is None:  # check() ensures that noise has an epsilon
        words = whole(source, parameters.words).embeddings
        partition, lists = grouped(parameters, words, graph_terms)
        series = PartitionSeries(
            parameters.series, parameters.accept_another_partition, now(), parameters.partition_copy
        )
        enter_partition(partition, series, parameters.ledger)
        splits = parameters.splits(source.tokenizer)
        return prepare_group_encoder(
            words, partition, lists, parameters.group_mechanism, parameters.unknown, subwords, splits
        )
    _, space = whole_space(source, parameters.words, parameters.tau, parameters.isolated, graph_terms)
    return prepare_encoder(
        space,
        parameters.epsilon,
        parameters.delta,
        parameters.mechanism,
        parameters.unknown,
        subwords,
        parameters.accept_weak_privacy,
        parameters.splits(source.tokenizer),
    )


def _result(state: State[Any]) -> Encoded:
    """Return the results of the shards, including failures; raise the error if one stopped them all."""
    result = state.result(raise_on_failure=False)
    if isinstance(result, Encoded):
        return result
    raise result if isinstance(result, Exception) else RuntimeError(f"the shards ended {state.name}: {state.message}")


def _end(encoding: Encoding, shards: Split, encoded: Encoded, counts: Path) -> State[str]:
    """Return the final state: failed if a shard failed. Its message holds only public figures."""
    new_parts, texts = sum(part.new for part in encoded.parts), sum(part.counts["texts"] for part in encoded.parts)
    part_counts = f"{new_parts} made now, {len(encoded.parts) - new_parts} before, {len(encoded.failed)} failed"
    sentences = [f"{texts:,} of {shards.texts:,} texts in {encoding.out}", f"{len(shards.shards)} parts: {part_counts}"]
    sentences += [f"{shards.blank:,} blank lines left out"] if shards.blank else []
    sentences += [f"the first failure: {encoded.failed[0]}"] if encoded.failed else []
    sentences += [f"tokens, unknown ones and others are counted in {counts}, for the owner of the texts only"]
    return (Failed if encoded.failed else Completed)(message="; ".join(sentences), data=str(encoding.out))
