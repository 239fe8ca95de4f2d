"""What every flow adds to its operation's parameters: embeddings to fetch, and the store."""

from nadp.cli.declared import Parameters
from tasks.sources.places import check_embedding, is_public, may_be_model
from tasks.store.sharing import check_store


class FetchedParameters(Parameters):
    """Parameters whose embeddings may be published tables, URLs or names of the Hub.

    It is the second base class, after the operation's parameters.
    """

    def check(self) -> None:
        """Also refuse a store that cannot be used."""
        super().check()
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse an embedding that is not a file and cannot be fetched."""
        check_embedding(embedding)

    def may_be_model(self, embedding: str) -> bool:
        """Return whether an embedding is a static model, or a repository of the Hub, which may be one."""
        return may_be_model(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether an embedding is known to be public."""
        return is_public(embedding)
