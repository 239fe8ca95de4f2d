"""Parameters of the release as a flow: they also accept published tables."""

from flows.parameters.fetched import FetchedParameters
from nadp.cli import release
from tasks.sources.places import check_embedding


class Release(release.Release, FetchedParameters):  # noqa: D101 - the docstring of its base is its help
    embedding: str
    """The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz, .safetensors,
    .parquet, .arrow), the folder of a static model (Model2Vec, Sentence Transformers), "sample", or the name of a
    published table such as glove.6B.100d. A public embedding may also be a URL, or a name of the Hub
    (owner/name@revision).
    """

    def check(self) -> None:
        """Also refuse a private embedding that would remain in a download folder."""
        super().check()
        check_embedding(self.embedding, private=not self.public)
