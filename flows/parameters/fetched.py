"""What every flow adds to the parameters of its operation: embeddings that are fetched, and the store."""

from nadp.cli.declared import Parameters
from tasks.sources.places import check_embedding, is_public, may_be_model
from tasks.store.sharing import check_store


class FetchedParameters(Parameters):
    """Parameters whose embeddings may be published tables, URLs or names of the Hub; a base after the operation's."""

    def check(self) -> None:
        """Refuse also a store that cannot be used."""
        super().check()
        check_store()

    def check_embedding(self, embedding: str) -> None:
        """Refuse what is not a file and cannot be fetched."""
        check_embedding(embedding)

    def may_be_model(self, embedding: str) -> bool:
        """Return whether an embedding is a static model, or may be one of the Hub."""
        return may_be_model(embedding)

    def is_public(self, embedding: str) -> bool:
        """Return whether anybody can have an embedding."""
        return is_public(embedding)
