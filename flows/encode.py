"""Texts made private: noisy vectors, or words, for every text of a file. Run it with `python -m flows.encode`."""

from pathlib import Path
from typing import Any, Literal

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from threadpoolctl import threadpool_limits

from flows.bars import bars
from flows.parameters import AtLeastOne, Delta, Encodable, Epsilon, Language, ListLength, Recall, ShareOrNone, Tau
from flows.runners import Runner, check_runner, task_runner
from flows.shards import Encoded, encode_shards
from nadp.components import Isolated
from nadp.errors import InputError
from nadp.search import Search
from nadp.texts.files import Split
from nadp.texts.files.encoding import EncodingTerms
from nadp.texts.files.tables import Output
from nadp.texts.words import Unknown
from nadp.tokens import ENGLISH, Tokenizer, TokenizerName
from tasks.embedding import download_glove
from tasks.encoding import Encoding, begin_output, end_output, prepare_encoder
from tasks.space import GraphTerms, whole_space
from tasks.store.artefacts import artefact
from tasks.store.sharing import check_store
from tasks.texts import HubPlace, fetch_texts, is_on_hub, place_for_copy, split_texts


@flow(name="encode", flow_run_name="encode {embedding} eps={epsilon}", persist_result=False)
def encode(
    texts: str,
    embedding: str,
    epsilon: Epsilon,
    out: str,
    output: Output = "vectors",
    text_column: str = "text",
    id_column: str | None = None,
    config: str | None = None,
    split: str = "train",
    revision: str | None = None,
    mechanism: Encodable = "nadp",
    tau: Tau = 0.1,
    isolated: Isolated = "nearest",
    delta: Delta | None = None,
    language: Language = ENGLISH,
    tokenizer: TokenizerName | None = None,
    unknown: Unknown = "drop",
    max_unknown: ShareOrNone | None = None,
    subwords: str | None = None,
    budget: Epsilon | None = None,
    over_budget: Literal["spread", "refuse"] = "spread",
    shuffle: bool = False,
    length: AtLeastOne | None = None,
    decode: Literal["nearest", "likely"] = "likely",
    frequencies: str | None = None,
    member: str | None = None,
    sha256: str | None = None,
    strict: bool = False,
    words: AtLeastOne | None = None,
    search: Search = "auto",
    recall: Recall = 0.95,
    n_neighbours: ListLength = 10,
    adjacency: ListLength = 2,
    accept_weak_privacy: bool = False,
    shard_texts: AtLeastOne = 1000,
    runner: Runner = "threads",
    scheduler: str | None = None,
) -> State[str]:
    """Hide every word of every text with noise of its own, and write what comes out with a certificate.

    The noise comes from the operating system's randomness: there is no seed. A run that died goes on where it was when
    it is started again with the same parameters; no text is ever drawn twice for the same output.

    Args:
        texts: A file of texts (.txt: one on each line; .csv, .tsv: with a header; .jsonl: an object on each line;
            .parquet), or the id of a data set of the Hugging Face Hub, owner/name.
        embedding: The vectors of words, which are public: a file (GloVe or word2vec text, plain, .gz or .zip; .bin,
            .npz, .safetensors), "sample", or the name of a published table such as glove.6B.100d.
        epsilon: Privacy budget of one token; a smaller one means more noise.
        out: Folder of the output: part-00000.parquet, ... with an id and what became of the text, and certificate.json
            and .md. Beside it, .<name>.record tells which parts were made; it is not for publication.
        output: What is written of each text: the vectors of its tokens, their mean (centroids), or the words that the
            noisy vectors are taken for.
        text_column: Where the texts are, in files with columns.
        id_column: A column of strings or integers that comes out as it is, so it must not be private; left empty, texts
            are numbered from 0.
        config: Which configuration of a data set of the Hub, if it has several.
        split: Which part of a data set of the Hub.
        revision: Which commit or branch of a data set of the Hub; left empty, the newest.
        mechanism: nadp sizes the noise of each word by its neighbourhood, gaussian and laplacian give all words the
            largest, mahalanobis follows the shape of the vocabulary (its epsilon means something else).
        tau: Least overlap of two words' neighbour lists for an edge of the graph, 0 to 1.
        isolated: What to do with words alone in the graph: join them to their nearest word (nearest), give them the
            largest noise but no promise (global), or count them as unknown (drop). exact, the paper's reading, would
            let them through as they are: it is refused.
        delta: Probability of failure; left empty, min(1e-6, 0.1 / number of words).
        language: Of the texts, as a code such as fr.
        tokenizer: How texts are split: at white space (spaces), at Unicode's word boundaries (words), in the Penn
            Treebank style (treebank), or as the embedding's own model does (model); left empty, treebank for English
            and words for any other language.
        unknown: What to do with tokens that the embedding does not have: leave them out (drop), refuse the text before
            anything is drawn (error), or encode the known word nearest to their parts (subword).
        max_unknown: Refuse the texts, before anything is published, if more than this share of their tokens is unknown;
            left empty, more than one half is a warning.
        subwords: A fastText model (.bin), for unknown=subword.
        budget: The most that all tokens of a text together may cost; left empty, no limit.
        over_budget: What to do with texts that would cost more: give all their tokens more noise (spread), or refuse
            them before anything is drawn.
        shuffle: Put the tokens of each text in an order drawn at random.
        length: Give every text as many tokens, by cutting long ones and filling short ones with words drawn at random;
            left empty, the number of tokens shows.
        decode: For words: the word whose vector is nearest, or the word that is most likely, since it is known how much
            noise each word gets.
        frequencies: For words: a public list of words, with counts or the most frequent first; left empty, the decoder
            takes all words for equally frequent.
        member: Which file of a zip archive that holds several.
        sha256: What the embedding file must hold; refused if it does not.
        strict: Refuse an embedding with repeated or unusable words (empty, not UTF-8, with tabs in them); else they
            are left out and counted.
        words: How many of the most frequent words to know; left empty, all.
        search: How neighbours are found: exact, annoy (approximate, tuned to recall), or auto (by number of words).
        recall: Share of the true neighbours that annoy must find.
        n_neighbours: Length of the neighbour lists that are compared, the word itself included.
        adjacency: How many words of a list count as adjacent, the word itself included.
        accept_weak_privacy: Allow an epsilon above 10, which protects next to nothing.
        shard_texts: How many texts make a part; doubled until there are at most 400 parts.
        runner: Where the texts are encoded: on threads of this process (threads), one for each core, or on the workers
            of a Dask cluster (dask), which must reach `texts` and `out` by the same paths.
        scheduler: Address of a running Dask scheduler, such as tcp://192.0.2.1:8786; left empty, dask starts a cluster
            on this machine, one process for each core.
    """
    terms = EncodingTerms(output, budget, over_budget, shuffle, length, decode)
    is_on_hub(texts)  # refuses what is no texts before any work is done
    check_runner(runner, scheduler)
    check_store()
    if frequencies is not None and (output, decode) != ("words", "likely"):
        raise InputError("frequencies are for output=words with decode=likely: leave them out")
    where = Path(out).expanduser().absolute()
    # The task runner has a thread for each core
    with threadpool_limits(limits=1), place_for_copy(texts, where) as copy:
        file = fetch_texts(texts, text_column, id_column, HubPlace(config, split, revision, copy))
        shards = split_texts(file, shard_texts)
        source = download_glove(embedding, member, sha256, strict=strict)
        _, space = whole_space(source, words, tau, isolated, GraphTerms(search, recall, n_neighbours, adjacency))
        found = _file(subwords)
        grams = artefact(found) if found else None
        splits = Tokenizer.of(language, tokenizer)
        encoder = prepare_encoder(space, epsilon, delta, mechanism, unknown, grams, accept_weak_privacy, splits)
        encoding = Encoding(file, shards.ids, encoder, terms, where, _file(frequencies))
        begin_output(encoding, shards, max_unknown)
        with task_runner(runner, scheduler) as chosen, bars():
            state = encode_shards.with_options(task_runner=chosen)(encoding, shards, return_state=True)
        done = _result(state)
        return _end(encoding, shards, done, end_output(encoding, done.parts))


def _file(path: str | None) -> Path | None:
    """Return a file that a parameter names.

    Raises:
        InputError: if there is none.
    """
    if path is None:
        return None
    found = Path(path).expanduser().absolute()
    if not found.is_file():
        raise InputError(f"no file {path!r}")
    return found


def _result(state: State[Any]) -> Encoded:
    """Return what became of the shards, also if some of them failed; raise what stopped them all."""
    found = state.result(raise_on_failure=False)
    if isinstance(found, Encoded):
        return found
    raise found if isinstance(found, Exception) else RuntimeError(f"the shards ended {state.name}: {state.message}")


def _end(encoding: Encoding, shards: Split, done: Encoded, counts: Path) -> State[str]:
    """Return the final state: failed if a shard failed. It tells nothing that the texts do not show anyway."""
    new, texts = sum(part.new for part in done.parts), sum(part.counts["texts"] for part in done.parts)
    made = f"{new} made now, {len(done.parts) - new} before, {len(done.failed)} failed"
    said = [f"{texts:,} of {shards.texts:,} texts in {encoding.out}", f"{len(shards.shards)} parts: {made}"]
    said += [f"{shards.blank:,} blank lines left out"] if shards.blank else []
    said += [f"the first failure: {done.failed[0]}"] if done.failed else []
    said += [f"tokens, unknown ones and others are counted in {counts}, for the owner of the texts only"]
    return (Failed if done.failed else Completed)(message="; ".join(said), data=str(encoding.out))


if __name__ == "__main__":
    from flows.command_line import main

    main("flows.encode", "encode")
