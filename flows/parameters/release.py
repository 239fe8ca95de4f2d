"""What the release takes as a flow: published tables, too."""

from nadp.cli import release
from tasks.sources.places import check_embedding, is_public
from tasks.store.sharing import check_store


class Release(release.Release):  # noqa: D101 - the docstring of its base is its help
    embedding: str
    """The vectors to make private: a file (GloVe or word2vec text, plain, .gz or .zip; .bin, .npz, .safetensors),
    "sample", or the name of a published table such as glove.6B.100d.
    """

    def check(self) -> None:
        """Refuse also a store that cannot be used."""
        super().check()
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse what is neither a published table nor a file."""
        check_embedding(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether anybody can have an embedding."""
        return is_public(embedding)
