"""What the release takes as a flow: published tables, too."""

from nadp.cli import release
from tasks.sources.places import check_embedding, is_public, may_be_model
from tasks.store.sharing import check_store


class Release(release.Release):  # noqa: D101 - the docstring of its base is its help
    embedding: str
    """The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz, .safetensors,
    .parquet, .arrow), the folder of a static model (Model2Vec, Sentence Transformers), "sample", or the name of a
    published table such as glove.6B.100d. If it is public also a URL, or a name of the Hub, owner/name@revision.
    """

    def check(self) -> None:
        """Refuse also a store that cannot be used, and what is private and would be kept."""
        super().check()
        check_embedding(self.embedding, private=not self.public)
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse what is neither a published table nor a file, and cannot be fetched."""
        check_embedding(embedding)

    def may_be_model(self, embedding: str) -> bool:
        """Return whether an embedding is a static model, or may be one of the Hub."""
        return may_be_model(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether anybody can have an embedding."""
        return is_public(embedding)
