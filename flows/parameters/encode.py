"""Parameters of the encoding as a flow: they also accept data sets of the Hub, published tables and clusters."""

from flows.parameters.checks import check_runner
from flows.parameters.fetched import FetchedParameters
from flows.parameters.types import Runner
from nadp.cli import encode
from tasks.sources.places import is_on_hub


class Encode(encode.Encode, FetchedParameters):  # noqa: D101 - the docstring of its base is its help
    texts: str
    """A file of texts (.txt: one text per line; .csv, .tsv: with a header; .jsonl: one object per line; .parquet), or
    the id of a data set of the Hugging Face Hub, owner/name.
    """
    embedding: str
    """Public word vectors: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz,
    .safetensors, .parquet, .arrow), the folder of a static model, a URL, a name of the Hub (owner/name@revision),
    "sample", or the name of a published table such as glove.6B.100d.
    """
    config: str | None = None
    """Configuration of a data set of the Hub that has several."""
    split: str = "train"
    """Split of a data set of the Hub."""
    revision: str | None = None
    """Commit or branch of a data set of the Hub. Default: the newest."""
    runner: Runner = "threads"
    """Where to encode the texts: on threads of this process, one per core (threads), or on the workers of a Dask
    cluster (dask), which must reach `texts` and `out` under the same paths.
    """
    scheduler: str | None = None
    """Address of a running Dask scheduler, such as tcp://192.0.2.1:8786. By default, dask starts a cluster on this
    machine with one process per core.
    """

    def check(self) -> None:
        """Also refuse a runner that cannot be used."""
        check_runner(self.runner, self.scheduler)
        super().check()

    def check_texts(self) -> None:
        """Refuse texts that are neither a file nor the id of a data set."""
        if not is_on_hub(self.texts):
            super().check_texts()
